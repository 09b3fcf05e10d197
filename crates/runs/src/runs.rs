//! The entry point: starts runs, resumes them, and looks at stored ones.

use std::marker::PhantomData;
use std::thread::JoinHandle;

use plysmith_store::{NewRun, Run, RunClaim, RunId, Status, Store};

use crate::basis::{Basis, VERSION};
use crate::cancel::CancelToken;
use crate::consistency::check_counts;
use crate::error::RunError;
use crate::events::resolved_events;
use crate::kind::{Context, Identity, RunKind, decode_event};
use crate::kinds::KINDS;
use crate::origin::Origin;
use crate::registry::{AnyKind, FinishedRun, Resumption, finished};
use crate::services::Services;
use crate::view::View;

/// A run that ended with a result.
#[derive(Debug)]
pub struct Finished<K: RunKind> {
    /// The run's number.
    pub run: RunId,
    /// Its result.
    pub output: K::Output,
}

/// Runs to the end on this thread.
///
/// The origin, a command or a command and a label, is stored with the run; it may be empty.
pub fn run<K: RunKind>(
    config: &K::Config,
    origin: impl Into<Origin>,
    services: &Services,
) -> Result<Finished<K>, RunError> {
    let prepared = prepare::<K>(config, services)?;
    run_prepared(config, prepared, origin, services)
}

/// Checks and sets up a new run, which is not stored yet.
pub fn prepare<K: RunKind>(config: &K::Config, services: &Services) -> Result<K::Prepared, RunError> {
    let checked = K::validate(config).and_then(|()| K::check(config, services));
    let prepared = checked.and_then(|()| K::prepare(config, services));
    prepared.map_err(|error| error.after(&services.cancel))
}

/// Stores a run that was prepared before, without starting it: its jobs can be planned, or it can be resumed.
pub fn store_prepared<K: RunKind>(
    config: &K::Config,
    prepared: &K::Prepared,
    origin: impl Into<Origin>,
    services: &Services,
) -> Result<RunId, RunError> {
    create::<K>(config, prepared, origin.into(), &services.store).map(|(claim, _)| claim.run())
}

/// Runs what was prepared before.
pub fn run_prepared<K: RunKind>(
    config: &K::Config,
    prepared: K::Prepared,
    origin: impl Into<Origin>,
    services: &Services,
) -> Result<Finished<K>, RunError> {
    let (claim, format) = create::<K>(config, &prepared, origin.into(), &services.store)?;
    let run = claim.run();
    let output = Context::<K>::new(services.clone(), claim, format).finish(config, prepared)?;
    Ok(Finished { run, output })
}

/// Renders a finished run, and writes the files that its configuration asks for.
pub fn render<K: RunKind>(config: &K::Config, output: &K::Output) -> Result<FinishedRun, RunError> {
    finished::<K>(config, output)
}

/// A run on a thread of its own.
pub struct RunHandle<K: RunKind> {
    run: RunId,
    services: Services,
    next_event: u64,
    thread: JoinHandle<Result<K::Output, RunError>>,
    kind: PhantomData<fn() -> K>,
}

/// Starts a run on a thread of its own. The run is set up before this returns, so what is wrong with the configuration is
/// an error here and leaves no run behind.
///
/// The run has a cancel token of its own, [`RunHandle::cancel`]; the token of `services` does not stop it.
pub fn start<K: RunKind>(config: K::Config, services: &Services) -> Result<RunHandle<K>, RunError> {
    start_from(config, Origin::default(), services)
}

/// Starts a run as [`start`] does, with its origin.
pub fn start_from<K: RunKind>(
    config: K::Config,
    origin: Origin,
    services: &Services,
) -> Result<RunHandle<K>, RunError> {
    let services = Services { cancel: CancelToken::new(), ..services.clone() };
    let prepared = prepare::<K>(&config, &services)?;
    let (claim, format) = create::<K>(&config, &prepared, origin, &services.store)?;
    let (run, own) = (claim.run(), services.clone());
    let thread = std::thread::spawn(move || Context::<K>::new(own, claim, format).finish(&config, prepared));
    Ok(RunHandle { run, services, next_event: 0, thread, kind: PhantomData })
}

impl<K: RunKind> RunHandle<K> {
    /// The run's number.
    pub fn run(&self) -> RunId {
        self.run
    }

    /// The events that were stored since the last call.
    pub fn new_events(&mut self) -> Result<Vec<K::Event>, RunError> {
        let events = self.services.store.events_since(self.run, self.next_event)?;
        self.next_event += events.len() as u64;
        Ok(events.iter().map(decode_event).collect::<Result<_, _>>()?)
    }

    /// Whether the run has ended, with or without a result.
    pub fn is_over(&self) -> bool {
        self.thread.is_finished()
    }

    /// Asks the run to stop. It can be resumed.
    pub fn cancel(&self) {
        self.services.cancel.cancel();
    }

    /// Waits for the run to end.
    pub fn join(self) -> Result<K::Output, RunError> {
        self.thread.join().unwrap_or_else(|_| Err(RunError::failed("the run panicked")))
    }
}

/// Resumes an interrupted run of any kind on this thread.
pub fn resume(run: RunId, services: &Services) -> Result<FinishedRun, RunError> {
    let stored = services.store.run(run)?;
    let claim = services.store.claim(run)?;
    let kind = kind_of(&stored)?;
    kind.check_basis(&stored)?;
    if stored.version != VERSION {
        services.note(format!(
            "note: run {run} was started by plysmith {}; if its results differ now, this is reported",
            stored.version
        ));
    }
    kind.resume(&stored, Resumption { services: services.clone(), claim })
}

/// The newest run that can be resumed; if there are only such as this program cannot continue, the newest of them.
pub fn newest_interrupted(store: &Store) -> Result<Option<RunId>, RunError> {
    let mut runs = store.runs()?;
    runs.retain(|run| run.status == Status::Interrupted);
    let resumable = runs.iter().find(|run| can_continue(run).is_ok());
    Ok(resumable.or(runs.first()).map(|run| run.id))
}

/// Fails if this program cannot continue an interrupted run with the results that it has; names the version that can.
pub fn can_continue(run: &Run) -> Result<(), RunError> {
    kind_of(run)?.check_basis(run)
}

/// What a stored run shows: its result, or what there is of it so far.
pub fn view(store: &Store, run: &Run) -> Result<View, RunError> {
    let kind = kind_of(run)?;
    check_counts(run)?;
    match &run.result {
        Some(result) => kind.view(run, result),
        None => kind.partial_view(store, run),
    }
}

/// What a page or a report shows of a stored run, finished or not.
pub fn page(store: &Store, run: &Run) -> Result<View, RunError> {
    let kind = kind_of(run)?;
    check_counts(run)?;
    kind.page(run, &mut resolved_events(store, run))
}

/// The kind of a stored run.
pub fn kind_of(run: &Run) -> Result<&'static dyn AnyKind, RunError> {
    KINDS.iter().copied().find(|kind| kind.name() == run.kind).ok_or_else(|| {
        RunError::input(format!("run {} is a '{}', which this version of plysmith does not know", run.id, run.kind))
    })
}

fn create<K: RunKind>(
    config: &K::Config,
    prepared: &K::Prepared,
    origin: Origin,
    store: &Store,
) -> Result<(RunClaim, u32), RunError> {
    let Identity { game, seed } = K::identity(config);
    let Origin { command, label } = origin;
    let new = NewRun {
        kind: K::NAME.to_string(),
        game,
        config: K::stored_config(config, prepared)?,
        seed,
        version: Basis::of(K::basis(config), K::REVISION).stored_version(),
        command,
        parent: K::parent(config),
    };
    let claim = store.create_labelled_run(&new, label.as_deref())?;
    Ok((claim, plysmith_store::EVENT_FORMAT))
}

/// Whether a run can be shown and exported; the text says why not.
pub fn check_run(store: &Store, id: RunId) -> Result<(), String> {
    let run = store.run(id).map_err(|error| error.to_string())?;
    // A kind that this version does not know is not damaged.
    if kind_of(&run).is_ok() {
        view(store, &run).map_err(|error| error.to_string())?;
    }
    resolved_events(store, &run).try_for_each(|event| event.map(drop)).map_err(|error| error.to_string())
}
