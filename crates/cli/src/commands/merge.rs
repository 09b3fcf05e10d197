//! `plysmith merge`: results of shards into the store.

use std::path::PathBuf;

use clap::Args;
use plysmith_runs::shards::{Merged, merge};
use plysmith_runs::view::counted;
use serde::Serialize;

use crate::failure::Failure;
use crate::output::{Output, say};
use crate::services::local_services;

/// Bring results of shards into the store
#[derive(Debug, Args)]
#[command(after_help = "\
All files are checked before anything is stored. Results that are there already do no harm. Results that differ from \
others of the same job are named, and then nothing is stored. `plysmith resume RUN` finishes the run; it does the jobs \
that have no result by itself.

Examples:
  plysmith merge shards/*.results
  plysmith resume 7")]
pub struct Arguments {
    /// Files that `plysmith run-shard` wrote
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
}

#[derive(Serialize)]
struct Report {
    new: u64,
    known: u64,
    incomplete: Vec<Incomplete>,
}

#[derive(Serialize)]
struct Incomplete {
    file: String,
    results: u64,
    jobs: u64,
}

pub fn run(arguments: &Arguments, output: &Output) -> Result<(), Failure> {
    let Merged { new, known, incomplete } = merge(&arguments.files, &local_services(None)?)?;
    let named = |(file, results, jobs): (PathBuf, u64, u64)| {
        let file = file.display().to_string();
        say(format!("note: {file} has {results} of {jobs} results; `plysmith run-shard` continues it"));
        Incomplete { file, results, jobs }
    };
    let report = Report { new, known, incomplete: incomplete.into_iter().map(named).collect() };
    output.print(&report, || format!("{} stored; {known} were known\n", counted(new as usize, "new result")))
}
