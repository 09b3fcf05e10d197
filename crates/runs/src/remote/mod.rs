//! Jobs on other machines: what is sent, and what the executor asks of those who carry it.
//!
//! The [`Executor`](crate::Executor) looks every job up in the result cache first, as always. What is not there goes as an
//! [`Envelope`] through a [`RemoteQueue`] to some host, and an [`Answer`] comes back, in any order. New results are stored
//! here when they arrive and handed over by rising number, so a run ends after the same job with the same events as on
//! the threads of one machine. A job that nobody else could do is done here.
//!
//! | file | what |
//! | --- | --- |
//! | `envelope` | jobs and answers as bounded, versioned JSON |
//! | `blob` | what many jobs share, sent once: suites, weights, cases, mappings |
//! | `shared` | what blobs contain |
//! | `job_list` | the jobs of a run that are known before any of them is done |
//! | `queue` | the two traits that a transport implements |
//!
//! The loop over a queue is the executor's.
//!
//! Hosts run envelopes with [`job_host`](crate::job_host). The queue inside this process is
//! [`job_host::local`](crate::job_host::local).

pub mod blob;
pub mod envelope;
pub mod job_list;
pub mod queue;
pub mod shared;

pub use blob::{Blob, BlobMap, BlobName, BlobSource, NeededEngine, Needs};
pub use envelope::{Answer, Envelope, MessageError, Outcome};
pub use job_list::JobList;
pub use queue::{RemoteBatch, RemoteError, RemoteQueue};
