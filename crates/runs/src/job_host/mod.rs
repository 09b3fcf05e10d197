//! Job hosts: they do jobs that come from elsewhere, one host for each thread.
//!
//! A host trusts no message. It makes the job anew from its parts and does it only if that gives the very job with the
//! very key that was sent: then this program, with its revisions and evaluations, computes what the sender means. External
//! engines are run by the host's own command lines, and only those it offers ([`engines`]); names of files in a message
//! are never opened (`texts`). What is costly to make, such as tables, processes and suites, is kept for the next job.
//!
//! | file | what |
//! | --- | --- |
//! | `hosted` | how a kind of job is hosted, and the kinds |
//! | `attempts`, `games`, `self_play`, `choices` | searches and games |
//! | `mates`, `programs`, `suite_games` | mate problems, evolved programs, games that suites are made from |
//! | `engines` | the external engines that a host offers |
//! | `texts` | settings and players from messages, with weights that arrive as blobs |
//! | `local` | the queue inside this process |

mod attempts;
mod choices;
pub mod engines;
mod games;
mod hosted;
pub mod local;
mod mates;
mod programs;
mod self_play;
mod suite_games;
mod texts;

use std::num::NonZeroUsize;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use plysmith_core::search::Interrupt;

use crate::memory::MemoryRule;
use crate::remote::{Answer, BlobSource, Envelope, Outcome};
use engines::OfferedEngines;
use hosted::{Kept, Refusal};

/// What all hosts of a program share.
pub struct HostSetup {
    /// The external engines that jobs may use.
    pub engines: OfferedEngines,
    /// Where suites, weights and other blobs come from.
    pub blobs: Arc<dyn BlobSource>,
    /// How much memory jobs may use.
    pub memory: MemoryRule,
    /// How many hosts share this memory.
    pub threads: NonZeroUsize,
}

/// Does jobs on one thread.
pub struct JobHost {
    setup: Arc<HostSetup>,
    kept: Kept,
}

impl HostSetup {
    /// Hosts without external engines.
    pub fn new(blobs: Arc<dyn BlobSource>, threads: NonZeroUsize) -> HostSetup {
        HostSetup { engines: OfferedEngines::default(), blobs, memory: MemoryRule::default(), threads }
    }
}

impl JobHost {
    /// A host that has done nothing so far.
    pub fn new(setup: Arc<HostSetup>) -> JobHost {
        JobHost { setup, kept: Kept::default() }
    }

    /// Does a job; none if it was interrupted.
    pub fn run(&mut self, envelope: &Envelope, interrupt: &Interrupt<'_>) -> Option<Answer> {
        // A job that no command of ours would make may break what other code relies on. The host survives it.
        let done = catch_unwind(AssertUnwindSafe(|| self.kept.run(envelope, &self.setup, interrupt)));
        let outcome = match done {
            Ok(Ok(result)) => Outcome::Result(result),
            Ok(Err(Refusal::Interrupted)) => return None,
            Ok(Err(Refusal::Refused(reason))) => Outcome::Refused(reason),
            Ok(Err(Refusal::Failed(reason))) => Outcome::Failed(reason),
            Err(_) => {
                self.kept = Kept::default();
                Outcome::Refused("the job made the program panic".to_string())
            }
        };
        Some(Answer::new(&envelope.key, outcome))
    }
}
