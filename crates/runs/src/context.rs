//! What a run works with: the store, the cancel token, the progress sink and the executor.

use std::marker::PhantomData;
use std::num::NonZeroUsize;
use std::sync::Arc;

use plysmith_engine::parallel::all_cores;
use plysmith_store::{RunClaim, RunId, Store};

use crate::cancel::CancelToken;
use crate::error::RunError;
use crate::kind::{RunKind, encode_event};
use crate::memo::Memo;
use crate::progress::{Progress, ProgressSink, Silent, Update};

/// What all work needs, whether it belongs to a run or not.
#[derive(Clone)]
pub struct Services {
    /// Where runs and results are kept.
    pub store: Arc<Store>,
    /// Asks the work to stop.
    pub cancel: CancelToken,
    /// Where progress is reported.
    pub progress: Arc<dyn ProgressSink>,
    /// How many threads to use. No result depends on it.
    pub threads: NonZeroUsize,
}

impl Services {
    /// Work on this store with all cores, silently, until it is done.
    pub fn new(store: Arc<Store>) -> Services {
        Services { store, cancel: CancelToken::new(), progress: Arc::new(Silent), threads: all_cores() }
    }

    /// The result cache.
    pub fn memo(&self) -> Memo<'_> {
        Memo::Store(&self.store)
    }

    /// Begins a phase of work with this many steps.
    pub fn begin_progress(&self, steps: u64) -> Progress {
        Progress::begin(&self.progress, steps)
    }

    /// Tells the user something.
    pub fn note(&self, text: impl AsRef<str>) {
        self.progress.update(Update::Note(text.as_ref()));
    }
}

/// A run of one kind at work.
pub struct Context<K> {
    services: Services,
    claim: RunClaim,
    next_event: u64,
    format: u32,
    kind: PhantomData<fn() -> K>,
}

impl<K: RunKind> Context<K> {
    pub(crate) fn new(services: Services, claim: RunClaim, format: u32) -> Context<K> {
        Context { services, claim, next_event: 0, format, kind: PhantomData }
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
        let output = K::run(config, prepared, &mut self).map_err(|error| error.of_run(run))?;
        self.services.store.finish_run(run, &output)?;
        Ok(output)
    }
}
