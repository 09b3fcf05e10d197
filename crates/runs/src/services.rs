//! What all work needs: the store, the cancel token, the progress sink and the number of threads.

use std::num::NonZeroUsize;
use std::sync::Arc;

use plysmith_core::search::Interrupt;
use plysmith_engine::parallel::all_cores;
use plysmith_engine::process::TrafficLog;
use plysmith_store::Store;

use crate::cancel::CancelToken;
use crate::error::RunError;
use crate::executor::{Executor, Remote};
use crate::memo::Memo;
use crate::memory::{Allotted, MemoryRule, ThreadNeed};
use crate::progress::{Progress, ProgressSink, Silent, Update};
use crate::remote::RemoteQueue;

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
    /// How much memory they may use.
    pub memory: MemoryRule,
    /// Where jobs are sent; none if they are done on the threads of this machine. No result depends on it.
    pub remote: Option<Arc<dyn RemoteQueue>>,
    /// The file that the traffic of engines that play games is written to.
    pub traffic: Option<TrafficLog>,
}

impl Services {
    /// Work on this store with all cores, silently, until it is done.
    pub fn new(store: Arc<Store>) -> Services {
        Host::default().over(store)
    }

    /// The result cache.
    pub fn memo(&self) -> Memo<'_> {
        Memo::Store(&self.store)
    }

    /// Runs jobs on all threads, or where [`Services::remote`] leads.
    pub fn executor<'a>(&'a self, interrupt: &'a Interrupt<'a>) -> Executor<'a> {
        let remote = self.remote.as_deref().map(|queue| Remote { queue, blobs: &[], engines: &[] });
        Executor { memo: self.memo(), interrupt, remote }
    }

    /// Begins a phase of work with this many steps.
    pub fn begin_progress(&self, steps: u64) -> Progress {
        Progress::begin(&self.progress, steps)
    }

    /// Shows the user a note that stays visible.
    pub fn note(&self, text: impl AsRef<str>) {
        self.progress.update(Update::Note(text.as_ref()));
    }

    /// How many threads to start for this many jobs, if each needs this; see [`Host::workers`].
    pub fn workers(&self, jobs: u64, need: &ThreadNeed) -> Result<NonZeroUsize, RunError> {
        let Services { cancel, progress, threads, memory, remote, .. } = self.clone();
        Host { cancel, progress, threads, memory, remote }.workers(jobs, need)
    }

    /// Fails if there is no memory for the threads that [`Services::workers`] would start.
    pub fn check_memory(&self, jobs: u64, need: &ThreadNeed) -> Result<(), RunError> {
        self.memory.allot(self.threads, jobs, need).map(|_| ())
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
    /// How much memory they may use.
    pub memory: MemoryRule,
    /// Where jobs are sent; none if they are done on the threads of this machine. No result depends on it.
    pub remote: Option<Arc<dyn RemoteQueue>>,
}

impl Host {
    /// How many threads to start for this many jobs, if each needs this. Fails if there is no memory for them: call it
    /// before anything large is allocated.
    pub fn workers(&self, jobs: u64, need: &ThreadNeed) -> Result<NonZeroUsize, RunError> {
        let Allotted { threads, note } = self.memory.allot(self.threads, jobs, need)?;
        if let Some(note) = note {
            self.note(format!("note: {note}"));
        }
        Ok(threads)
    }

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
        self.over(Arc::new(store))
    }

    fn over(&self, store: Arc<Store>) -> Services {
        let Host { cancel, progress, threads, memory, remote } = self.clone();
        Services { store, cancel, progress, threads, memory, remote, traffic: None }
    }
}

impl Default for Host {
    /// Works with all cores, silently, until it is done.
    fn default() -> Host {
        let (cancel, progress) = (CancelToken::new(), Arc::new(Silent));
        Host {
            cancel,
            progress,
            threads: all_cores(),
            memory: MemoryRule { fewer_threads: true, ..MemoryRule::default() },
            remote: None,
        }
    }
}
