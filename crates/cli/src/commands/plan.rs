//! `plysmith plan`: the open jobs of a run in files, for other machines.

use std::num::NonZeroU32;
use std::path::PathBuf;

use clap::Args;
use plysmith_runs::listing::find;
use plysmith_runs::shards::{self, Planned};
use plysmith_runs::view::counted;
use serde::Serialize;

use crate::arguments::count::count;
use crate::arguments::{ForceArgument, ThreadsArgument};
use crate::failure::Failure;
use crate::output::Output;
use crate::services::local_services;

/// Write the open jobs of a run into files, for machines that share no network
#[derive(Debug, Args)]
#[command(after_help = "\
Each file is a shard. `plysmith run-shard FILE` does its jobs on any machine with the same plysmith, `plysmith merge` \
brings the results into the store, and `plysmith resume` finishes the run with them. Measurements, matches and \
tournaments can be planned; for suites see `plysmith suite generate --help`. A run that is started with --later is \
stored and does nothing by itself. docs/shards.md explains all of it; examples/slurm-array.sh is a job array for Slurm.

Examples:
  plysmith match --a modern --b classic --games 20000 --later
  plysmith plan 7 --shards 100 --output shards
  plysmith run-shard shards/run-7.1-of-100.shard
  plysmith merge shards/*.results
  plysmith resume 7")]
pub struct Arguments {
    /// Number or label of the run
    run: String,

    /// Number of files
    #[arg(long, short = 'k', value_name = "K", value_parser = count::<NonZeroU32>(1..))]
    shards: NonZeroU32,

    /// Folder of the files; it is made if it is not there
    #[arg(long, short, value_name = "DIR", default_value = ".")]
    output: PathBuf,

    #[command(flatten)]
    force: ForceArgument,

    #[command(flatten)]
    threads: ThreadsArgument,
}

/// What was written, for `--json`.
#[derive(Serialize)]
pub struct Written {
    files: Vec<String>,
    jobs: u64,
    done: u64,
}

pub fn run(arguments: &Arguments, output: &Output) -> Result<(), Failure> {
    let Arguments { shards, force, .. } = arguments;
    let services = local_services(arguments.threads.threads)?;
    let run = find(&services.store, &arguments.run)?.id;
    let planned = shards::plan(run, *shards, &arguments.output, force.force, &services)?;
    let then = format!("`plysmith resume {run}`");
    print(&planned, &then, output)
}

/// Says what was planned, and what finishes it.
pub fn print(planned: &Planned, then: &str, output: &Output) -> Result<(), Failure> {
    let Planned { files, jobs, known } = planned;
    let names = files.iter().map(|file| file.display().to_string()).collect();
    output.print(&Written { files: names, jobs: *jobs, done: *known }, || match (files.first(), files.len()) {
        (Some(first), count) => format!(
            "{} in {}{} {}; {known} were done before.\nNow: `plysmith run-shard FILE` for each of them, on any machine; \
             `plysmith merge` with the results; then {then}.\n",
            counted(*jobs as usize, "job"),
            counted(count, "file"),
            if count == 1 { ":" } else { ", the first is" },
            first.display(),
        ),
        (None, _) => format!("All {known} jobs are done; {then} finishes it.\n"),
    })
}
