//! `plysmith run-shard`: the jobs of a shard, without a store.

use std::path::PathBuf;

use clap::Args;
use plysmith_runs::job_host::engines::OfferedEngines;
use plysmith_runs::shards::{Worked, results_path, work_on};
use plysmith_runs::view::counted;
use serde::Serialize;

use crate::arguments::ThreadsArgument;
use crate::failure::Failure;
use crate::output::Output;
use crate::services::host;
use crate::signals;

/// Do the jobs of a shard and write their results to a file
#[derive(Debug, Args)]
#[command(after_help = "\
Results are appended as they are found. When it was killed, the same command continues with the jobs that are not done. \
No store is opened, and nothing but the results is written. An external engine is started only if --engine offers it: by \
your command line, and only if its program is the one that the jobs name.

Examples:
  plysmith run-shard run-7.1-of-100.shard
  plysmith run-shard run-7.1-of-100.shard --output /scratch/1.results --threads 8
  plysmith run-shard run-9.3-of-4.shard --engine stockfish=/usr/games/stockfish")]
pub struct Arguments {
    /// File that `plysmith plan` wrote
    file: PathBuf,

    /// File of the results [default: the shard's name with the ending .results]
    #[arg(long, short, value_name = "FILE")]
    output: Option<PathBuf>,

    /// External engine that jobs may use. Can be given several times
    #[arg(long, value_name = "NAME=COMMAND", value_parser = parse_engine)]
    engine: Vec<(String, String)>,

    #[command(flatten)]
    threads: ThreadsArgument,
}

#[derive(Serialize)]
struct Report {
    results: String,
    jobs: u64,
    done_before: u64,
    done: u64,
    not_done: Vec<(String, u64)>,
}

/// An engine as it is offered: its name and its command line.
pub fn parse_engine(text: &str) -> Result<(String, String), String> {
    let parts = text.split_once('=').map(|(name, command)| (name.trim(), command.trim()));
    match parts {
        Some((name, command)) if !name.is_empty() && !command.is_empty() => Ok((name.into(), command.into())),
        _ => Err("expected NAME=COMMAND, like 'stockfish=/usr/games/stockfish'".to_string()),
    }
}

pub fn run(arguments: &Arguments, output: &Output) -> Result<(), Failure> {
    let mut engines = OfferedEngines::default();
    for (name, command) in &arguments.engine {
        engines.offer(name, command)?;
    }
    let results = arguments.output.clone().unwrap_or_else(|| results_path(&arguments.file));
    signals::begin_setup();
    let host = host(arguments.threads.threads);
    signals::end_setup();
    let worked = work_on(&arguments.file, &results, engines, &host)?;
    let Worked { jobs, before, done, refused } = worked.clone();
    let results = results.display().to_string();
    let report = Report { results, jobs, done_before: before, done, not_done: refused };
    output.print(&report, || {
        let before = if before > 0 { format!(", {before} of them before") } else { String::new() };
        let all = counted(report.jobs as usize, "job");
        format!("{} of {all} done{before}; results: {}\n", report.done_before + report.done, report.results)
    })?;
    match worked {
        worked if worked.is_complete() => Ok(()),
        Worked { refused, .. } if !refused.is_empty() => Err(Failure::CheckFailed(not_done(&refused))),
        _ => Err(Failure::Interrupted(None)),
    }
}

fn not_done(refused: &[(String, u64)]) -> String {
    let line = |(reason, count): &(String, u64)| format!("\n  {}: {reason}", counted(*count as usize, "job"));
    let lines: String = refused.iter().take(5).map(line).collect();
    format!("some jobs could not be done here; repeat the command when the reason is gone:{lines}")
}
