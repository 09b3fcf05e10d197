//! What a candidate is: a scheme of features, or the weights of parameters that are tuned.

use plysmith_core::feature::{FeatureError, Scheme};
use plysmith_core::parameter::MisfitError;
pub use plysmith_core::parameter::{ONE, Parameter, Thousandths, Weights};
use thiserror::Error;

/// What is to be measured.
#[derive(Clone, PartialEq, Eq, Debug, Hash)]
pub enum Candidate {
    /// Features with weights.
    Scheme(Scheme),
    /// A weight for each tuned parameter.
    Weights(Weights),
}

/// A candidate that this subject cannot be.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum CandidateError {
    /// Weights that do not fit the parameters.
    #[error(transparent)]
    Weights(#[from] MisfitError),
    /// Schemes are for engines whose features are known.
    #[error("{engine} takes no schemes: {reason}")]
    NoSchemes {
        /// Who.
        engine: String,
        /// Why.
        reason: String,
    },
    /// What the weights make is no scheme.
    #[error(transparent)]
    Feature(#[from] FeatureError),
}
