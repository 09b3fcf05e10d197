//! What all work needs: the store, the cancel token, the progress sink and the number of threads.

use std::num::NonZeroUsize;
use std::sync::Arc;

use plysmith_engine::parallel::all_cores;
use plysmith_store::Store;

use crate::cancel::CancelToken;
use crate::error::RunError;
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

    /// Shows the user a note that stays visible.
    pub fn note(&self, text: impl AsRef<str>) {
        self.progress.update(Update::Note(text.as_ref()));
    }
}

/// What work without a store needs: the cancel token, the progress sink and the number of threads.
#[derive(Clone)]
pub struct Host {
    /// Asks the work to stop.
    pub cancel: CancelToken,
    /// Where progress is reported.
    pub progress: Arc<dyn ProgressSink>,
    /// How many threads to use. No result depends on it.
    pub threads: NonZeroUsize,
}

impl Host {
    /// Begins a phase of work with this many steps.
    pub fn begin_progress(&self, steps: u64) -> Progress {
        Progress::begin(&self.progress, steps)
    }

    /// Shows the user a note that stays visible.
    pub fn note(&self, text: impl AsRef<str>) {
        self.progress.update(Update::Note(text.as_ref()));
    }

    /// Fails if somebody asked for the stop.
    pub fn check_cancelled(&self) -> Result<(), RunError> {
        if self.cancel.is_cancelled() { Err(RunError::Cancelled(None)) } else { Ok(()) }
    }

    /// Adds a store.
    pub fn with_store(&self, store: Store) -> Services {
        let Host { cancel, progress, threads } = self.clone();
        Services { store: Arc::new(store), cancel, progress, threads }
    }
}

impl Default for Host {
    /// Works with all cores, silently, until it is done.
    fn default() -> Host {
        Host { cancel: CancelToken::new(), progress: Arc::new(Silent), threads: all_cores() }
    }
}
