//! The user's store, with the terminal's progress bar and Ctrl-C.

use std::num::NonZeroUsize;
use std::ops::Deref;
use std::sync::Arc;

use plysmith_engine::parallel::all_cores;
use plysmith_runs::kind::RunKind;
use plysmith_runs::memory::MemoryRule;
use plysmith_runs::origin::{Origin, parse_label};
use plysmith_runs::progress::{ProgressSink, ReportInterval};
use plysmith_runs::runs;
use plysmith_runs::services::{Host, Services};
use plysmith_store::{Home, Store};
use serde::Serialize;

use crate::arguments::{RunArguments, WorkArguments};
use crate::cluster;
use crate::failure::Failure;
use crate::output::Output;
use crate::progress::Terminal;
use crate::signals::{self, cancel_token};

/// Opens the user's store to work in it.
pub fn open_store() -> Result<Store, Failure> {
    Ok(Store::open(&Home::from_env()?.store_path())?)
}

/// Opens the user's store to look at it; it may be read-only.
pub fn open_store_to_read() -> Result<Store, Failure> {
    Ok(Store::open_to_read(&Home::from_env()?.store_path())?)
}

/// Everything a command works with: the workers of a cluster, or all cores unless the arguments say otherwise.
pub fn services(work: &WorkArguments) -> Result<Services, Failure> {
    // Work begins with the first progress.
    signals::begin_setup();
    let mut host = host(work.threads.threads);
    host.remote = cluster::connect(&work.cluster, &host.progress)?;
    if host.remote.is_some() && work.threads.threads.is_none() {
        // One thread is enough for what no worker does.
        host.threads = NonZeroUsize::MIN;
    }
    Ok(host.with_store(open_store()?))
}

/// Everything a command works with that sends nothing to a cluster.
pub fn local_services(threads: Option<NonZeroUsize>) -> Result<Services, Failure> {
    signals::begin_setup();
    Ok(host(threads).with_store(open_store()?))
}

/// Everything a command works with that starts matches, and reports their state this often.
pub fn session_with_reports(run: &RunArguments, reports: ReportInterval) -> Result<Session, Failure> {
    let Session { services, origin, later } = session(run)?;
    let progress: Arc<dyn ProgressSink> = Arc::new(Terminal::with_reports(reports));
    Ok(Session { services: Services { progress, ..services }, origin, later })
}

/// The terminal's progress bar and Ctrl-C, for commands that do not use a store; all cores unless `threads` says
/// otherwise.
pub fn host(threads: Option<NonZeroUsize>) -> Host {
    // A number that was asked for is kept or refused; all cores are only a suggestion.
    let memory = MemoryRule { fewer_threads: threads.is_none(), ..MemoryRule::default() };
    let progress = Arc::new(Terminal::default());
    Host { cancel: cancel_token(), progress, threads: threads.unwrap_or_else(all_cores), memory, remote: None }
}

/// A run to be started: what it works with, and where it comes from.
pub struct Session {
    services: Services,
    origin: Origin,
    /// Whether it is only stored.
    later: bool,
}

/// A run that was only stored, for `--json`.
#[derive(Serialize)]
struct StoredRun {
    run: String,
}

impl Deref for Session {
    type Target = Services;

    fn deref(&self) -> &Services {
        &self.services
    }
}

impl Session {
    /// The session with its services changed.
    pub fn changed(self, change: impl FnOnce(Services) -> Result<Services, Failure>) -> Result<Session, Failure> {
        Ok(Session { services: change(self.services)?, ..self })
    }
}

/// Everything a command works with that starts a run.
pub fn session(run: &RunArguments) -> Result<Session, Failure> {
    let label = run.label.as_deref().map(parse_label).transpose()?;
    let command = std::env::args_os().map(|word| word.to_string_lossy().into_owned()).collect();
    // A run that is only stored sends no jobs.
    let services = if run.later { local_services(run.work.threads.threads) } else { services(&run.work) }?;
    Ok(Session { services, origin: Origin { command, label }, later: run.later })
}

/// Starts a run, waits for it and prints its result.
pub fn run<K: RunKind>(config: &K::Config, session: &Session, output: &Output) -> Result<(), Failure> {
    run_prepared::<K>(config, runs::prepare::<K>(config, session)?, session, output)
}

/// Starts a run that was prepared before, waits for it and prints its result.
pub fn run_prepared<K: RunKind>(
    config: &K::Config,
    prepared: K::Prepared,
    session: &Session,
    output: &Output,
) -> Result<(), Failure> {
    if session.later {
        return store_prepared::<K>(config, &prepared, session, output);
    }
    signals::end_setup();
    let finished = runs::run_prepared::<K>(config, prepared, session.origin.clone(), session)?;
    output.print_run(finished.run, &runs::render::<K>(config, &finished.output)?)
}

/// Stores a run that was prepared before, and says how to start it.
fn store_prepared<K: RunKind>(
    config: &K::Config,
    prepared: &K::Prepared,
    session: &Session,
    output: &Output,
) -> Result<(), Failure> {
    let run = runs::store_prepared::<K>(config, prepared, session.origin.clone(), session)?.to_string();
    output.print(&StoredRun { run: run.clone() }, || {
        format!("Run {run} is stored: `plysmith plan {run}` writes its jobs into files, `plysmith resume {run}` starts it.\n")
    })
}
