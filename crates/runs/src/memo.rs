//! The result cache: results of jobs, looked up by key before anything is computed.
//!
//! There is one cache for all kinds of jobs. It is shared by all runs of a store, so a second run that needs the same
//! measurement or game reads it instead of computing it.

use plysmith_store::{NewResult, Store, StoreError};

use crate::job::Job;

/// Keeps the results of jobs. Threads use it at the same time.
#[derive(Copy, Clone, Debug)]
pub enum Memo<'a> {
    /// Results are kept in a store.
    Store(&'a Store),
    /// Results are kept in a store, but not looked up: it is known that they are not there.
    New(&'a Store),
    /// Results are looked up in a store, but not kept in it.
    Known(&'a Store),
    /// Nothing is kept: every job is computed. For benchmarks.
    Disabled,
}

impl<'a> Memo<'a> {
    /// A cache that stores results and looks none up, for jobs that are known to be new.
    #[must_use]
    pub fn without_recall(self) -> Memo<'a> {
        match self {
            Memo::Store(store) => Memo::New(store),
            Memo::Known(_) => Memo::Disabled,
            other => other,
        }
    }

    /// A cache that looks results up and stores none.
    #[must_use]
    pub fn without_keeping(self) -> Memo<'a> {
        match self {
            Memo::Store(store) => Memo::Known(store),
            Memo::New(_) => Memo::Disabled,
            other => other,
        }
    }

    /// The result of a job that was done before; of several partial ones, the one that covers most.
    pub fn recall<J: Job>(&self, job: &J) -> Result<Option<J::Result>, StoreError> {
        match self {
            Memo::Store(store) | Memo::Known(store) => {
                store.result(job.key().as_str())?.map(|stored| stored.decode()).transpose()
            }
            Memo::New(_) | Memo::Disabled => Ok(None),
        }
    }

    /// Stores a result. When this returns, it is on the disk.
    pub fn keep<J: Job>(&self, job: &J, result: &J::Result) -> Result<(), StoreError> {
        self.keep_all([(job, result)])
    }

    /// Stores results. When this returns, all of them are on the disk.
    pub fn keep_all<'j, J: Job>(
        &self,
        results: impl IntoIterator<Item = (&'j J, &'j J::Result)>,
    ) -> Result<(), StoreError> {
        let (Memo::Store(store) | Memo::New(store)) = self else { return Ok(()) };
        let new = |(job, result): (&J, &J::Result)| NewResult::new(job.key().as_str(), J::done(result), job, result);
        let results = results.into_iter().map(new).collect::<Result<Vec<_>, _>>()?;
        if results.is_empty() { Ok(()) } else { store.put_results(&results) }
    }
}
