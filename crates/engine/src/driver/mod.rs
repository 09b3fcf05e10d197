//! Drivers: everything that can be measured, behind one trait.
//!
//! The paper *Learning Control of Search Extensions* asks one thing of a game program: search this position with these
//! parameters until you agree with this move, and return the number of nodes (section 3.2). A [`Driver`] does that for
//! any engine.
//!
//! | file | what |
//! | --- | --- |
//! | `candidate` | a scheme, or weights of tuned parameters |
//! | `policy` | when a problem counts as solved, and which nodes count |
//! | `attempt` | one search of one problem |
//! | `job` | all that a measurement depends on |
//! | `builtin` | the built-in engines |
//! | `external` | content keys and starts of engines in other processes |
//!
//! The drivers of engines in other processes are with their protocols: [`crate::uci::client`], [`crate::plug::client`].
//!
//! A [`Subject`] is the engine under test: it describes the jobs, so that nothing is measured twice, and makes the drivers,
//! one for each thread.

mod attempt;
pub mod builtin;
pub mod candidate;
pub(crate) mod external;
mod job;
mod policy;

use plysmith_core::game::PositionError;
use plysmith_core::parameter::MisfitError;
use plysmith_core::problem::Problem;
use plysmith_core::search::{Interrupt, NoMemory};
use thiserror::Error;

use crate::process::EngineError;
pub use attempt::Attempt;
pub use builtin::{BuiltIn, SearchCandidate};
pub use candidate::{Candidate, CandidateError};
pub use external::REVISION as EXTERNAL_REVISION;
pub use external::content_key;
pub use job::{ExternalEngineKey, MeasurementJob};
pub use plysmith_core::parameter::{Parameter, Weights};
pub use policy::{Policy, PolicyError};

/// An engine under test, built-in or external, with all that its results depend on.
pub trait Subject: Send + Sync {
    /// The job of measuring this candidate.
    fn job(&self, candidate: &Candidate, conditions: &Conditions) -> Result<MeasurementJob, CandidateError>;

    /// The tunable parameters; empty if it has none.
    fn parameters(&self) -> &[Parameter];

    /// Checks whether a problem can be searched.
    fn check(&self, problem: &Problem) -> Result<(), PositionError>;

    /// About how many bytes each driver will use, with its process; 0 if that is not known.
    fn memory(&self) -> u64 {
        0
    }

    /// Makes a driver. An external engine is started with the first problem.
    fn driver(&self) -> Result<Box<dyn Driver>, NoMemory>;
}

/// Searches problems one after the other, each independent of those before it.
pub trait Driver: Send {
    /// Searches one problem; none if it was interrupted. After a fault the next attempt has a new process.
    fn attempt(&mut self, request: &Request<'_>, interrupt: &Interrupt<'_>) -> Result<Option<Attempt>, DriverError>;

    /// A text of all that a search of this problem shows, to compare repeated searches; none if it was interrupted.
    fn fingerprint(&mut self, request: &Request<'_>, interrupt: &Interrupt<'_>) -> Result<Option<String>, DriverError> {
        Ok(self.attempt(request, interrupt)?.map(|attempt| format!("{attempt:?}")))
    }
}

/// A problem to search.
#[derive(Copy, Clone, Debug)]
pub struct Request<'a> {
    /// The position, its best moves, and when it counts as solved.
    pub problem: &'a Problem,
    /// The candidate.
    pub candidate: &'a Candidate,
    /// The node limit.
    pub nodes: u64,
    /// The random seed, for drivers that use one.
    pub seed: u64,
}

/// What all problems of a measurement share.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Conditions {
    /// The content key of the suite.
    pub suite: String,
    /// The node limit of a problem.
    pub nodes: u64,
    /// The seed.
    pub seed: u64,
}

/// Why an attempt failed.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum DriverError {
    /// The engine failed at this problem; a new process may succeed.
    #[error(transparent)]
    Failed(EngineError),
    /// The engine cannot be started, or does not accept its options.
    #[error(transparent)]
    Unusable(EngineError),
    /// The subject does not accept the candidate.
    #[error(transparent)]
    Candidate(#[from] CandidateError),
}

impl From<MisfitError> for DriverError {
    fn from(error: MisfitError) -> DriverError {
        CandidateError::from(error).into()
    }
}
