//! Candidates: a scheme of features, or the weights of tuned parameters.

use plysmith_core::feature::{FeatureError, Scheme};
use plysmith_core::parameter::MisfitError;
pub use plysmith_core::parameter::{ONE, Parameter, Thousandths, Weights};
use thiserror::Error;

/// What is measured: a setting of the engine.
#[derive(Clone, PartialEq, Eq, Debug, Hash)]
pub enum Candidate {
    /// Features with weights.
    Scheme(Scheme),
    /// A weight for each tuned parameter.
    Weights(Weights),
}

/// A candidate that the subject does not accept.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum CandidateError {
    /// Weights that do not fit the parameters.
    #[error(transparent)]
    Weights(#[from] MisfitError),
    /// The engine has no features.
    #[error("{engine} takes no schemes: {reason}")]
    NoSchemes {
        /// The engine.
        engine: String,
        /// Why.
        reason: String,
    },
    /// The engine takes schemes, but not this one.
    #[error("{engine} does not take this scheme: {reason}")]
    NotThisScheme {
        /// The engine.
        engine: String,
        /// Why.
        reason: String,
    },
    /// The weights give no valid scheme.
    #[error(transparent)]
    Feature(#[from] FeatureError),
}
