//! When a search counts as agreeing with the right move.
//!
//! The paper's engine searches "until it agrees". A search may give up its first agreement later, so what agreement means
//! is a choice.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};
use thiserror::Error;

/// What counts as the solution.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Policy {
    /// The first line that agrees: the paper's wording.
    #[default]
    First,
    /// The first iteration that ends in agreement: its last line. That it has ended shows in a line of a
    /// greater depth, or in a forced win: many engines end their search then.
    Iteration,
    /// The line from which on all agree, up to the limit.
    Stable,
}

/// A policy that there is not.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("'{0}' is not a policy; expected 'first', 'iteration' or 'stable'")]
pub struct PolicyError(String);

impl FromStr for Policy {
    type Err = PolicyError;

    fn from_str(text: &str) -> Result<Policy, PolicyError> {
        let all = [Policy::First, Policy::Iteration, Policy::Stable];
        all.into_iter().find(|policy| policy.to_string() == text).ok_or_else(|| PolicyError(text.to_string()))
    }
}

impl fmt::Display for Policy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Policy::First => "first",
            Policy::Iteration => "iteration",
            Policy::Stable => "stable",
        })
    }
}

#[cfg(test)]
mod tests {
    use super::Policy;

    #[test]
    fn policies_read_back() {
        for policy in [Policy::First, Policy::Iteration, Policy::Stable] {
            assert_eq!(policy.to_string().parse(), Ok(policy));
        }
        assert!(
            "last".parse::<Policy>().unwrap_err().to_string().contains("expected 'first', 'iteration' or 'stable'")
        );
    }
}
