//! The result cache: results of jobs, looked up by key before anything is computed.
//!
//! There is one cache for all kinds of jobs. It is shared by all runs of a store, so a second run that needs the same
//! measurement or game reads it instead of computing it.

use plysmith_store::{Store, StoreError};

use crate::job::Job;

/// Keeps the results of jobs. Threads use it at the same time.
#[derive(Copy, Clone, Debug)]
pub enum Memo<'a> {
    /// Results are kept in a store.
    Store(&'a Store),
    /// Nothing is kept: every job is computed. For benchmarks.
    Disabled,
}

impl Memo<'_> {
    /// The result of a job that was done before; of several partial ones, the one that covers most.
    pub fn recall<J: Job>(&self, job: &J) -> Result<Option<J::Result>, StoreError> {
        match self {
            Memo::Store(store) => store.result(job.key().as_str())?.map(|stored| stored.decode()).transpose(),
            Memo::Disabled => Ok(None),
        }
    }

    /// Stores a result. When this returns, it is on the disk.
    pub fn keep<J: Job>(&self, job: &J, result: &J::Result) -> Result<(), StoreError> {
        match self {
            Memo::Store(store) => store.put_result(job.key().as_str(), J::done(result), job, result),
            Memo::Disabled => Ok(()),
        }
    }
}
