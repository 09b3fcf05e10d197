//! Run kinds: discover, measure, tune and the others, each one implementation of [`RunKind`].
//!
//! A kind has a typed configuration, typed events and a typed output; they become JSON only at the store's edge.
//! Resuming a run is running it again with the same configuration: results come from the cache, and every event must
//! equal the stored one.

use std::marker::PhantomData;
use std::ops::RangeInclusive;
use std::path::PathBuf;
use std::sync::Arc;

use plysmith_store::{Event, Run, RunClaim, RunId, Store, StoreError};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use crate::activity::NotedProgress;
use crate::basis::Part;
use crate::error::RunError;
use crate::headline::Headline;
use crate::remote::JobList;
use crate::services::Services;
use crate::view::View;

/// A kind of run.
pub trait RunKind: Sized + Send + Sync + 'static {
    /// The kind's name in the store.
    const NAME: &'static str;

    /// The kind's revision: raised when the same configuration leads to other events or another result.
    const REVISION: u32 = 1;

    /// Everything that is needed to run it again. Stored with the run.
    type Config: Serialize + DeserializeOwned + Send + Sync + 'static;

    /// What happens during a run, stored as it happens: an enum with `#[serde(tag = "kind", content = "payload")]`.
    type Event: Serialize + DeserializeOwned;

    /// The result.
    type Output: Serialize + DeserializeOwned + Send + 'static;

    /// What is set up before the run is stored, such as engines and suites. A run that cannot be set up leaves no
    /// trace in the store.
    type Prepared: Send;

    /// The game and the random seed, for lists of runs.
    fn identity(config: &Self::Config) -> Identity;

    /// The parts of the program that the results depend on; the built-in search if a kind does not say.
    fn basis(_config: &Self::Config) -> Vec<Part> {
        vec![Part::Search]
    }

    /// Checks the values of a configuration, of a new run as well as of a stored one.
    fn validate(_config: &Self::Config) -> Result<(), RunError> {
        Ok(())
    }

    /// Checks what only a new run needs, such as files that must not exist yet.
    fn check(_config: &Self::Config, _services: &Services) -> Result<(), RunError> {
        Ok(())
    }

    /// The configuration as it is stored with a new run. A kind adds what was found out when the run was set up.
    fn stored_config(config: &Self::Config, _prepared: &Self::Prepared) -> Result<Value, RunError> {
        serde_json::to_value(config).map_err(RunError::failed)
    }

    /// The run that a new run follows from.
    fn parent(_config: &Self::Config) -> Option<RunId> {
        None
    }

    /// Fails if this program cannot finish a stored run as it was begun. Called before the run is set up again.
    fn check_resume(_config: &Self::Config, _run: &Run, _services: &Services) -> Result<(), RunError> {
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

    /// Names the jobs that are not done, if all of them are known before any of them is done: other machines can then do
    /// them without the run (`plysmith plan`).
    fn jobs(
        _config: &Self::Config,
        _prepared: Self::Prepared,
        run: RunId,
        _services: &Services,
        _jobs: &mut JobList<'_>,
    ) -> Result<(), RunError> {
        Err(RunError::input(format!(
            "the jobs of run {run} cannot be planned: in a '{}' the next ones depend on the results of those before; \
             `plysmith resume {run}` does them on this machine, and with --cluster on others",
            Self::NAME
        )))
    }

    /// Writes the files that the configuration asks for; returns their paths.
    fn write_files(_config: &Self::Config, _output: &Self::Output) -> Result<Vec<PathBuf>, RunError> {
        Ok(Vec::new())
    }

    /// The view of the result.
    fn view(config: &Self::Config, output: &Self::Output) -> View;

    /// The result in a few words and one number, for lists of runs; nothing if a kind does not say.
    fn headline(_config: &Self::Config, _output: &Self::Output) -> Headline {
        Headline::default()
    }

    /// The view of an unfinished run, from its events so far.
    fn partial_view(config: &Self::Config, events: &[Self::Event]) -> View;

    /// What there is of an unfinished run, from events that are read as the iterator advances. A kind whose runs have
    /// very many events overrides this so that they are not held in memory.
    fn partial_view_of_stream(
        config: &Self::Config,
        events: &mut dyn Iterator<Item = Result<Self::Event, RunError>>,
    ) -> Result<View, RunError> {
        Ok(Self::partial_view(config, &events.collect::<Result<Vec<_>, _>>()?))
    }

    /// What a page or a report shows of a run: by default its view, with a chart of its first table if it has none.
    /// `output` is none if the run is unfinished.
    fn page(
        config: &Self::Config,
        output: Option<&Self::Output>,
        events: &mut dyn Iterator<Item = Result<Self::Event, RunError>>,
    ) -> Result<View, RunError> {
        Ok(match output {
            Some(output) => Self::view(config, output),
            None => Self::partial_view_of_stream(config, events)?,
        }
        .with_chart())
    }

    /// What there is of an unfinished run, for kinds that look at results behind their events.
    fn partial_view_of_run(config: &Self::Config, store: &Store, run: &Run) -> Result<View, RunError> {
        let mut events = store.stream_events(run.id, 0).map(|event| Ok(decode_event(&event?)?));
        Self::partial_view_of_stream(config, &mut events)
    }

    /// The events that are the run's data, for tables.
    fn rows(config: &Self::Config) -> Rows;
}

/// Fails if a value of a configuration is not in its range.
pub(crate) fn check_range(what: &str, value: u64, range: RangeInclusive<u64>) -> Result<(), RunError> {
    if range.contains(&value) {
        return Ok(());
    }
    let (least, most) = (range.start(), range.end());
    Err(RunError::input(format!("{value} is not a possible {what}; expected a number from {least} to {most}")))
}

/// What a list of runs shows of a configuration.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Identity {
    /// The game's name.
    pub game: String,
    /// The random seed.
    pub seed: u64,
}

/// Which events of a run are rows of a table, and which of their fields are its columns.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct Rows {
    /// The events' kind.
    pub event: &'static str,
    /// Top-level fields of their payloads.
    pub columns: &'static [&'static str],
}

/// A run of one kind at work.
pub struct Context<K> {
    services: Services,
    noted: Arc<NotedProgress>,
    claim: RunClaim,
    next_event: u64,
    format: u32,
    kind: PhantomData<fn() -> K>,
}

impl<K: RunKind> Context<K> {
    pub(crate) fn new(services: Services, claim: RunClaim, format: u32) -> Context<K> {
        let Services { progress, store, .. } = services.clone();
        let noted = Arc::new(NotedProgress::new(progress, store, claim.run()));
        let services = Services { progress: noted.clone(), ..services };
        Context { services, noted, claim, next_event: 0, format, kind: PhantomData }
    }

    /// The run's number.
    pub fn run(&self) -> RunId {
        self.claim.run()
    }

    /// In which form the run's events are stored; see [`plysmith_store::Run::format`].
    pub fn format(&self) -> u32 {
        self.format
    }

    /// Store, cancel token, progress sink and threads.
    pub fn services(&self) -> &Services {
        &self.services
    }

    /// Stores an event. When this returns, it is on the disk. In a resumed run an event that is stored already must
    /// be equal.
    pub fn record(&mut self, event: impl Into<K::Event>) -> Result<(), RunError> {
        let (kind, payload) = encode_event(&event.into())?;
        self.services.store.append_event(self.claim.run(), self.next_event, &kind, &payload)?;
        self.next_event += 1;
        Ok(())
    }

    /// Runs to the end and stores the result.
    pub(crate) fn finish(mut self, config: &K::Config, prepared: K::Prepared) -> Result<K::Output, RunError> {
        let run = self.run();
        self.noted.note();
        let output = K::run(config, prepared, &mut self);
        self.noted.note();
        let output = output.map_err(|error| error.after(&self.services.cancel).of_run(run))?;
        self.services.store.finish_run(run, &output)?;
        Ok(output)
    }
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
