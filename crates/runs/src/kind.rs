//! Run kinds: discover, measure, tune and the others, each one implementation of [`RunKind`].
//!
//! A kind has a typed configuration, typed events and a typed output; they become JSON only at the store's edge.
//! Resuming a run is running it again with the same configuration: results come from the cache, and every event must
//! equal the stored one.

use std::path::PathBuf;

use plysmith_store::{Event, Run, StoreError};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use crate::context::{Context, Services};
use crate::error::RunError;
use crate::view::View;

/// A kind of run.
pub trait RunKind: Sized + Send + Sync + 'static {
    /// The kind's name in the store.
    const NAME: &'static str;

    /// Everything that is needed to run it again. Stored with the run.
    type Config: Serialize + DeserializeOwned + Send + Sync + 'static;

    /// What happens during a run, stored as it happens: an enum with `#[serde(tag = "kind", content = "payload")]`.
    type Event: Serialize + DeserializeOwned;

    /// The result.
    type Output: Serialize + DeserializeOwned + Send + 'static;

    /// What is set up before the run is stored, such as engines and suites. A run that cannot be set up leaves no
    /// trace in the store.
    type Prepared: Send;

    /// The game's name, for lists of runs.
    fn game(config: &Self::Config) -> String;

    /// The random seed.
    fn seed(config: &Self::Config) -> u64;

    /// Checks what only a new run needs, such as files that must not exist yet.
    fn check(_config: &Self::Config, _services: &Services) -> Result<(), RunError> {
        Ok(())
    }

    /// Sets up a run.
    fn prepare(config: &Self::Config, services: &Services) -> Result<Self::Prepared, RunError>;

    /// Does the work, from the start or after an interruption.
    fn run(
        config: &Self::Config,
        prepared: Self::Prepared,
        context: &mut Context<Self>,
    ) -> Result<Self::Output, RunError>;

    /// Writes the files that the configuration asks for; returns their paths.
    fn write_files(_config: &Self::Config, _output: &Self::Output) -> Result<Vec<PathBuf>, RunError> {
        Ok(Vec::new())
    }

    /// The result for people.
    fn view(config: &Self::Config, output: &Self::Output) -> View;

    /// What there is of an unfinished run, for people.
    fn partial_view(config: &Self::Config, events: &[Self::Event]) -> View;

    /// The events that are the run's data, for tables.
    fn rows(config: &Self::Config) -> Rows;
}

/// Which events of a run are rows of a table, and which of their fields are its columns.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct Rows {
    /// The events' kind.
    pub event: &'static str,
    /// Top-level fields of their payloads.
    pub columns: &'static [&'static str],
}

/// A finished run of any kind.
#[derive(Clone, Debug)]
pub struct FinishedRun {
    /// The output as JSON.
    pub json: String,
    /// The output for people.
    pub view: View,
    /// Files that were written.
    pub files: Vec<PathBuf>,
}

/// A run kind whose types are erased: what the registry holds.
pub trait AnyKind: Sync {
    /// See [`RunKind::NAME`].
    fn name(&self) -> &'static str;

    /// Resumes a claimed run.
    fn resume(&self, run: &Run, context: Resumption) -> Result<FinishedRun, RunError>;

    /// The result of a finished run, for people.
    fn view(&self, run: &Run, result: &Value) -> Result<View, RunError>;

    /// What there is of an unfinished run, for people.
    fn partial_view(&self, run: &Run, events: &[Event]) -> Result<View, RunError>;

    /// See [`RunKind::rows`].
    fn rows(&self, run: &Run) -> Result<Rows, RunError>;
}

/// What resuming a run needs besides the run itself.
pub struct Resumption {
    /// Store, cancel token, progress sink and threads.
    pub services: Services,
    /// The exclusive right to work on the run.
    pub claim: plysmith_store::RunClaim,
}

/// Erases the types of a run kind.
pub struct Erased<K>(std::marker::PhantomData<fn() -> K>);

impl<K> Erased<K> {
    /// The erased kind.
    pub const KIND: Erased<K> = Erased(std::marker::PhantomData);
}

impl<K: RunKind> AnyKind for Erased<K> {
    fn name(&self) -> &'static str {
        K::NAME
    }

    fn resume(&self, run: &Run, resumption: Resumption) -> Result<FinishedRun, RunError> {
        let config: K::Config = decode(run, run.config.clone())?;
        let Resumption { services, claim } = resumption;
        let prepared = K::prepare(&config, &services)?;
        let output = Context::<K>::new(services, claim, run.format).finish(&config, prepared)?;
        finished::<K>(&config, &output)
    }

    fn view(&self, run: &Run, result: &Value) -> Result<View, RunError> {
        let config = decode(run, run.config.clone())?;
        Ok(K::view(&config, &decode(run, result.clone())?))
    }

    fn partial_view(&self, run: &Run, events: &[Event]) -> Result<View, RunError> {
        let config = decode(run, run.config.clone())?;
        let events = events.iter().map(decode_event).collect::<Result<Vec<K::Event>, _>>()?;
        Ok(K::partial_view(&config, &events))
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

/// Reads a stored event.
pub(crate) fn decode_event<E: DeserializeOwned>(event: &Event) -> Result<E, StoreError> {
    let tagged = json!({ "kind": event.kind, "payload": event.payload });
    serde_json::from_value(tagged).map_err(|error| StoreError::Unexpected {
        what: format!("event {} ('{}')", event.seq, event.kind),
        reason: error.to_string(),
    })
}

/// Splits an event into its kind and its payload.
pub(crate) fn encode_event(event: &impl Serialize) -> Result<(String, Value), RunError> {
    let value = serde_json::to_value(event).map_err(RunError::failed)?;
    match value {
        Value::Object(mut fields) => match (fields.remove("kind"), fields.remove("payload")) {
            (Some(Value::String(kind)), Some(payload)) => Ok((kind, payload)),
            _ => Err(RunError::failed("an event must have a kind and a payload")),
        },
        _ => Err(RunError::failed("an event must have a kind and a payload")),
    }
}
