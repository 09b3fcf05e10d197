//! Drivers: whatever can be measured, behind one trait.
//!
//! The paper *Learning Control of Search Extensions* asks one thing of a game program: search this position with these
//! parameters until you agree with this move, and say how many nodes it took (section 3.2). A [`Driver`] is
//! that question; the lab asks it in the same way of all:
//!
//! | file | what |
//! | --- | --- |
//! | `candidate` | what a candidate is: a scheme, or weights of tuned parameters |
//! | `policy` | when a search agrees with the right move |
//! | `attempt` | one search of one problem |
//! | `job` | all that a measurement depends on |
//! | `builtin` | the built-in engines |
//! | `foreign` | how engines in other processes are named and started |
//!
//! The drivers of engines in other processes are with their protocols: [`crate::uci::client`], [`crate::plug::client`].
//!
//! A [`Subject`] is what is measured: it names the jobs, so that nothing is measured twice, and makes the drivers, one
//! for each thread.

mod attempt;
pub mod builtin;
pub mod candidate;
pub(crate) mod foreign;
mod job;
mod policy;

use plysmith_core::game::PositionError;
use plysmith_core::parameter::MisfitError;
use plysmith_core::problem::Problem;
use plysmith_core::search::deepening::{Interrupt, NoMemory};
use thiserror::Error;

use crate::process::EngineError;
pub use attempt::Attempt;
pub use builtin::{BuiltIn, Count};
pub use candidate::{Candidate, CandidateError};
pub use job::{ForeignJob, MeasurementJob};
pub use plysmith_core::parameter::{Parameter, Weights};
pub use policy::{Policy, PolicyError};

/// What is measured: a built-in engine or a foreign one, with all that its results depend on.
pub trait Subject: Send + Sync {
    /// What measuring this candidate depends on.
    fn job(&self, candidate: &Candidate, conditions: &Conditions) -> Result<MeasurementJob, CandidateError>;

    /// What can be tuned; nothing if weights make no sense to it.
    fn parameters(&self) -> &[Parameter];

    /// Whether a problem can be asked at all.
    fn check(&self, problem: &Problem) -> Result<(), PositionError>;

    /// A driver with all that it needs. A foreign engine is started when the first problem is asked.
    fn driver(&self) -> Result<Box<dyn Driver>, NoMemory>;
}

/// Solves problems, one after the other. None knows of those before it.
pub trait Driver: Send {
    /// Tries one problem; nothing if it was interrupted. After a fault the next attempt has a fresh process.
    fn attempt(&mut self, request: &Request<'_>, interrupt: &Interrupt<'_>) -> Result<Option<Attempt>, DriverError>;

    /// All that a search of this problem shows, to be compared with another one of it; nothing if it was interrupted.
    fn fingerprint(&mut self, request: &Request<'_>, interrupt: &Interrupt<'_>) -> Result<Option<String>, DriverError> {
        Ok(self.attempt(request, interrupt)?.map(|attempt| format!("{attempt:?}")))
    }
}

/// A problem to be tried.
#[derive(Copy, Clone, Debug)]
pub struct Request<'a> {
    /// The position, its best moves, and when it counts as solved.
    pub problem: &'a Problem,
    /// The candidate.
    pub candidate: &'a Candidate,
    /// The node limit.
    pub nodes: u64,
    /// Where chances come from, if the driver takes any: the problem and this number alone decide.
    pub seed: u64,
}

/// What all problems of a measurement have in common.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Conditions {
    /// The content key of the suite.
    pub suite: String,
    /// Node limit a problem.
    pub nodes: u64,
    /// The seed.
    pub seed: u64,
}

/// Why an attempt came to nothing.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum DriverError {
    /// The engine failed at this problem; a fresh process may do better.
    #[error(transparent)]
    Failed(EngineError),
    /// No problem can be tried: the engine cannot be started, or does not take what it is told.
    #[error(transparent)]
    Unusable(EngineError),
    /// The candidate is none for this subject.
    #[error(transparent)]
    Candidate(#[from] CandidateError),
}

impl From<MisfitError> for DriverError {
    fn from(error: MisfitError) -> DriverError {
        CandidateError::from(error).into()
    }
}
