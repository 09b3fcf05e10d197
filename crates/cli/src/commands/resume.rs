//! `plysmith resume`: continues an interrupted run, or extends a match.

use clap::Args;
use plysmith_runs::extension::{Goal, extension};
use plysmith_runs::kinds::match_::Match;
use plysmith_runs::listing::find;
use plysmith_runs::runs::{newest_interrupted, resume};

use crate::arguments::RunArguments;
use crate::arguments::count::count;
use crate::arguments::play::report_interval;
use crate::arguments::traffic::TrafficArgument;
use crate::failure::Failure;
use crate::output::Output;
use crate::services::{run as run_kind, session_with_reports};

/// Continue an interrupted run, or extend a match
#[derive(Debug, Args)]
#[command(after_help = "\
With --games a match is extended: a new run counts the games of the old one and plays on. That goes for a sequential test \
that ended without a verdict as well; a test with a verdict is over.

Examples:
  plysmith resume
  plysmith resume 3 --threads 1
  plysmith resume 3 --games 800
  plysmith resume 3 --games +400")]
pub struct Arguments {
    /// Number or label of the run [default: the newest interrupted run]
    run: Option<String>,

    /// Extend a match to this number of games in all, or with a plus sign by this number
    #[arg(long, value_name = "GAMES", requires = "run")]
    games: Option<Goal>,

    /// Extend a match although its sequential test has ended, without a test
    #[arg(long, requires = "games")]
    without_test: bool,

    /// Report the state of a match on standard error every N games; 0 for never
    #[arg(long, value_name = "N", value_parser = count::<u64>(..))]
    report_every: Option<u64>,

    #[command(flatten)]
    traffic: TrafficArgument,

    #[command(flatten)]
    run_arguments: RunArguments,
}

pub fn run(arguments: &Arguments, output: &Output) -> Result<(), Failure> {
    let is_new = arguments.run_arguments.label.is_some() || arguments.run_arguments.later;
    if is_new && arguments.games.is_none() {
        return Err(Failure::input("--label and --later are for the new run of --games"));
    }
    let session = session_with_reports(&arguments.run_arguments, report_interval(arguments.report_every))?;
    let services = session.changed(|services| arguments.traffic.with(services))?;
    let run = match &arguments.run {
        Some(text) => find(&services.store, text)?.id,
        None => newest_interrupted(&services.store)?
            .ok_or_else(|| Failure::input("there is no interrupted run; `plysmith runs` lists all runs"))?,
    };
    if let Some(goal) = arguments.games {
        let config = extension(&services.store, &services.store.run(run)?, goal, arguments.without_test)?;
        return run_kind::<Match>(&config, &services, output);
    }
    output.print_run(run, &resume(run, &services)?)
}
