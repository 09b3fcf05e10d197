//! When a search agrees with the right move, and how many nodes that took.
//!
//! The paper lets a program search "until it agrees" (section 3.2). A search may agree and change its mind: between one
//! and four of ten first agreements are abandoned later, so there are three ways to count.

use std::fmt;
use std::str::FromStr;

use thiserror::Error;

/// Up to where nodes count.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Hash, Default)]
pub enum Policy {
    /// To the first moment at which a right move is the best: the paper's wording.
    #[default]
    First,
    /// To the end of the first iteration that prefers a right move.
    Iteration,
    /// To the moment from which on a right move is the best until the limit.
    Stable,
}

/// A policy that there is not.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("'{0}' is not a policy; expected 'first', 'iteration' or 'stable'")]
pub struct PolicyError(String);

impl fmt::Display for Policy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Policy::First => "first",
            Policy::Iteration => "iteration",
            Policy::Stable => "stable",
        })
    }
}

impl FromStr for Policy {
    type Err = PolicyError;

    fn from_str(text: &str) -> Result<Policy, PolicyError> {
        let all = [Policy::First, Policy::Iteration, Policy::Stable];
        all.into_iter().find(|policy| policy.to_string() == text).ok_or_else(|| PolicyError(text.to_string()))
    }
}
