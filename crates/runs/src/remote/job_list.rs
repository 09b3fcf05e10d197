//! The jobs of a run that are known before any of them is done: what `plysmith plan` writes into files.

use std::collections::HashSet;

use super::blob::{Blob, NeededEngine};
use super::envelope::Envelope;
use crate::error::RunError;
use crate::job::Job;
use crate::memo::Memo;

/// Takes the jobs of a run, one after the other.
pub struct JobList<'a> {
    memo: Memo<'a>,
    take: &'a mut TakeJob<'a>,
    seen: HashSet<String>,
    known: u64,
}

/// Takes a job with what it needs.
pub type TakeJob<'a> = dyn FnMut(Envelope, &[Blob]) -> Result<(), RunError> + 'a;

impl<'a> JobList<'a> {
    /// A list that hands jobs over whose results are not in the cache.
    pub fn new(memo: Memo<'a>, take: &'a mut TakeJob<'a>) -> JobList<'a> {
        JobList { memo, take, seen: HashSet::new(), known: 0 }
    }

    /// Adds a job, unless it is there or done.
    pub fn add<J: Job>(&mut self, job: &J, blobs: &[Blob], engines: &[NeededEngine]) -> Result<(), RunError> {
        if !self.seen.insert(job.key().as_str().to_string()) {
            return Ok(());
        }
        if self.memo.recall(job)?.is_some() {
            self.known += 1;
            return Ok(());
        }
        (self.take)(Envelope::of(job, blobs, engines).map_err(RunError::failed)?, blobs)
    }

    /// How many of the jobs were done before.
    pub fn known(&self) -> u64 {
        self.known
    }

    /// The result cache.
    pub fn memo(&self) -> Memo<'a> {
        self.memo
    }
}
