//! `plysmith resume`: goes on with a run that was interrupted.

use clap::Args;
use plysmith_store::{RunId, Status, Store};

use super::experiment::ThreadsArgument;
use super::kind::Config;
use crate::failure::Failure;
use crate::journal::{Journal, open_store};
use crate::output::{Output, say};

/// Go on with an interrupted run
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  plysmith resume
  plysmith resume 3 --threads 1")]
pub struct Arguments {
    /// The run's number [default: the newest interrupted one]
    run: Option<String>,

    #[command(flatten)]
    threads: ThreadsArgument,
}

pub fn run(arguments: &Arguments, output: &Output) -> Result<(), Failure> {
    let store = open_store()?;
    let id = match &arguments.run {
        Some(text) => text.parse()?,
        None => newest_interrupted(&store)?,
    };
    let run = store.run(id)?;
    let claim = store.claim(id)?;
    let config = Config::read(&run)?;
    if run.version != env!("CARGO_PKG_VERSION") {
        say(format!(
            "note: run {id} was begun by plysmith {}; if it now goes another way, that will be noticed",
            run.version
        ));
    }
    config.perform(Journal::resume(store, claim), arguments.threads.threads, output)
}

fn newest_interrupted(store: &Store) -> Result<RunId, Failure> {
    store
        .runs()?
        .into_iter()
        .find(|run| run.status == Status::Interrupted)
        .map(|run| run.id)
        .ok_or_else(|| Failure::input("no run waits to be resumed; `plysmith runs` lists all"))
}
