//! `plysmith resume`: continues an interrupted run.

use clap::Args;
use plysmith_runs::listing::find;
use plysmith_runs::runs::{newest_interrupted, resume};

use crate::arguments::ThreadsArgument;
use crate::failure::Failure;
use crate::output::Output;
use crate::services::services;

/// Continue an interrupted run
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  plysmith resume
  plysmith resume 3 --threads 1")]
pub struct Arguments {
    /// Number or label of the run [default: the newest interrupted run]
    run: Option<String>,

    #[command(flatten)]
    threads: ThreadsArgument,
}

pub fn run(arguments: &Arguments, output: &Output) -> Result<(), Failure> {
    let services = services(arguments.threads.threads)?;
    let run = match &arguments.run {
        Some(text) => find(&services.store, text)?.id,
        None => newest_interrupted(&services.store)?
            .ok_or_else(|| Failure::input("there is no interrupted run; `plysmith runs` lists all runs"))?,
    };
    output.print_run(run, &resume(run, &services)?)
}
