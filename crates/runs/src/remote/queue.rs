//! What carries jobs to hosts and answers back: a message broker, or channels inside this process.

use std::time::Duration;

use thiserror::Error;

use super::blob::Blob;
use super::envelope::{Answer, Envelope};

/// A way to hosts. One for the whole program; runs take batches from it.
pub trait RemoteQueue: Send + Sync {
    /// How many jobs the executor keeps in flight: enough that no host waits, and little more, because what is computed
    /// beyond an early stop is wasted.
    fn window(&self) -> usize;

    /// Begins a batch of jobs that share these blobs.
    fn begin(&self, blobs: &[Blob]) -> Result<Box<dyn RemoteBatch + '_>, RemoteError>;
}

/// Jobs on their way. To drop it abandons those that were not answered.
pub trait RemoteBatch {
    /// Sends a job. It may be done more than once. Numbers are the caller's and rise within a batch.
    fn submit(&mut self, number: u64, envelope: Envelope) -> Result<(), RemoteError>;

    /// Answers that have arrived, in any order; waits for the first at most this long. None of them may wait for a further
    /// [`submit`](RemoteBatch::submit): the caller may need it before it sends more. A second answer to a job is ignored.
    fn receive(&mut self, wait: Duration) -> Result<Vec<(u64, Answer)>, RemoteError>;
}

/// Why a queue cannot be used any more. What was computed is stored; the run can be resumed.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
#[error("{0}")]
pub struct RemoteError(pub String);

impl RemoteError {
    /// A queue that failed in this way.
    pub fn new(reason: impl std::fmt::Display) -> RemoteError {
        RemoteError(reason.to_string())
    }
}
