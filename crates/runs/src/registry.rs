//! Run kinds with their types erased: resumes and shows stored runs of any kind.

use std::marker::PhantomData;
use std::path::PathBuf;

use plysmith_store::{Event, Run, RunClaim, Store, StoreError};
use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::basis::Basis;
use crate::error::RunError;
use crate::headline::Headline;
use crate::kind::{Context, Rows, RunKind, decode_event};
use crate::remote::JobList;
use crate::services::Services;
use crate::view::View;

/// A finished run of any kind.
#[derive(Clone, Debug)]
pub struct FinishedRun {
    /// The output as JSON.
    pub json: String,
    /// The view of the output.
    pub view: View,
    /// Files that were written.
    pub files: Vec<PathBuf>,
}

/// A run kind whose types are erased: what the registry holds.
pub trait AnyKind: Sync {
    /// See [`RunKind::NAME`].
    fn name(&self) -> &'static str;

    /// Fails if this program cannot continue a run as it was begun.
    fn check_basis(&self, run: &Run) -> Result<(), RunError>;

    /// Resumes a claimed run.
    fn resume(&self, run: &Run, context: Resumption) -> Result<FinishedRun, RunError>;

    /// See [`RunKind::jobs`].
    fn jobs(&self, run: &Run, services: &Services, jobs: &mut JobList<'_>) -> Result<(), RunError>;

    /// The view of a finished run.
    fn view(&self, run: &Run, result: &Value) -> Result<View, RunError>;

    /// See [`RunKind::headline`].
    fn headline(&self, run: &Run, result: &Value) -> Result<Headline, RunError>;

    /// The view of an unfinished run.
    fn partial_view(&self, store: &Store, run: &Run) -> Result<View, RunError>;

    /// What a page shows of a run; its events have whole games.
    fn page(&self, run: &Run, events: &mut dyn Iterator<Item = Result<Event, StoreError>>) -> Result<View, RunError>;

    /// See [`RunKind::rows`].
    fn rows(&self, run: &Run) -> Result<Rows, RunError>;
}

/// What resuming a run needs besides the run itself.
pub struct Resumption {
    /// Store, cancel token, progress sink and threads.
    pub services: Services,
    /// The exclusive right to work on the run.
    pub claim: RunClaim,
}

/// Erases the types of a run kind.
pub struct Erased<K>(PhantomData<fn() -> K>);

impl<K> Erased<K> {
    /// The erased kind.
    pub const KIND: Erased<K> = Erased(PhantomData);
}

impl<K: RunKind> AnyKind for Erased<K> {
    fn name(&self) -> &'static str {
        K::NAME
    }

    fn check_basis(&self, run: &Run) -> Result<(), RunError> {
        Basis::of(K::basis(&decode(run, run.config.clone())?), K::REVISION).check(run)
    }

    fn resume(&self, run: &Run, resumption: Resumption) -> Result<FinishedRun, RunError> {
        let config: K::Config = decode(run, run.config.clone())?;
        K::validate(&config).map_err(|error| invalid(run, &error))?;
        let Resumption { services, claim } = resumption;
        K::check_resume(&config, run, &services)?;
        let prepared = K::prepare(&config, &services).map_err(|error| error.after(&services.cancel).of_run(run.id))?;
        let output = Context::<K>::new(services, claim, run.format).finish(&config, prepared)?;
        finished::<K>(&config, &output)
    }

    fn jobs(&self, run: &Run, services: &Services, jobs: &mut JobList<'_>) -> Result<(), RunError> {
        let config: K::Config = decode(run, run.config.clone())?;
        K::validate(&config).map_err(|error| invalid(run, &error))?;
        K::check_resume(&config, run, services)?;
        let prepared = K::prepare(&config, services).map_err(|error| error.after(&services.cancel))?;
        K::jobs(&config, prepared, run.id, services, jobs)
    }

    fn view(&self, run: &Run, result: &Value) -> Result<View, RunError> {
        let config = decode(run, run.config.clone())?;
        Ok(K::view(&config, &decode(run, result.clone())?))
    }

    fn headline(&self, run: &Run, result: &Value) -> Result<Headline, RunError> {
        let config = decode(run, run.config.clone())?;
        Ok(K::headline(&config, &decode(run, result.clone())?))
    }

    fn partial_view(&self, store: &Store, run: &Run) -> Result<View, RunError> {
        K::partial_view_of_run(&decode(run, run.config.clone())?, store, run)
    }

    fn page(&self, run: &Run, events: &mut dyn Iterator<Item = Result<Event, StoreError>>) -> Result<View, RunError> {
        let config = decode(run, run.config.clone())?;
        let output: Option<K::Output> = run.result.as_ref().map(|result| decode(run, result.clone())).transpose()?;
        K::page(&config, output.as_ref(), &mut events.map(|event| Ok(decode_event(&event?)?)))
    }

    fn rows(&self, run: &Run) -> Result<Rows, RunError> {
        Ok(K::rows(&decode(run, run.config.clone())?))
    }
}

/// A finished run with its output rendered; writes the files that its configuration asks for.
pub(crate) fn finished<K: RunKind>(config: &K::Config, output: &K::Output) -> Result<FinishedRun, RunError> {
    let json = serde_json::to_string_pretty(output).map_err(RunError::failed)?;
    Ok(FinishedRun { json, view: K::view(config, output), files: K::write_files(config, output)? })
}

/// What is said of a stored configuration that no arguments could have made.
fn invalid(run: &Run, error: &RunError) -> RunError {
    RunError::input(format!(
        "the configuration of run {} was changed since it was stored: {error}; start it anew",
        run.id
    ))
}

/// Reads what is stored with a run.
fn decode<T: DeserializeOwned>(run: &Run, value: Value) -> Result<T, RunError> {
    serde_json::from_value(value).map_err(|error| {
        RunError::failed(format!(
            "run {} is not stored as this plysmith ({}) expects: {error}",
            run.id,
            env!("CARGO_PKG_VERSION")
        ))
    })
}
