//! When a problem counts as solved, and which nodes count. Every engine whose search can be watched has every policy.
//!
//! The papers on features look at the move when the search is over. The paper on tuning searches "until it agrees"; a
//! search may give up its first agreement later, so what agreement means is a choice.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};
use thiserror::Error;

/// When a problem counts as solved.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Policy {
    /// When the search is over, at the limit or with a proof, and its move is right. All nodes of the search count.
    End,
    /// At the first line that agrees, as the paper on tuning words it.
    First,
    /// At the last line of the first iteration that ends in agreement. An iteration has ended when a line of a greater
    /// depth follows, or with a forced win, after which many engines end their search.
    Iteration,
    /// At the line from which on all lines agree, up to the limit. The same problems are solved as under [`Policy::End`].
    Stable,
}

/// An unknown policy.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("'{0}' is not a policy; expected 'end', 'first', 'iteration' or 'stable'")]
pub struct PolicyError(String);

impl Policy {
    /// All policies.
    pub const ALL: [Policy; 4] = [Policy::End, Policy::First, Policy::Iteration, Policy::Stable];

    /// The policies that count the nodes to the solution; an unsolved problem then costs the limit.
    pub const TO_SOLUTION: [Policy; 3] = [Policy::First, Policy::Iteration, Policy::Stable];

    /// What it means, in a few words.
    pub const fn meaning(self) -> &'static str {
        match self {
            Policy::End => "solved if the move at the end is right; nodes of the whole search",
            Policy::First => "nodes to the first right move",
            Policy::Iteration => "nodes to the end of the first iteration with the right move",
            Policy::Stable => "nodes to the right move that is kept to the end",
        }
    }
}

impl FromStr for Policy {
    type Err = PolicyError;

    fn from_str(text: &str) -> Result<Policy, PolicyError> {
        let found = Policy::ALL.into_iter().find(|policy| policy.to_string() == text);
        found.ok_or_else(|| PolicyError(text.to_string()))
    }
}

impl fmt::Display for Policy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Policy::End => "end",
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
        for policy in Policy::ALL {
            assert_eq!(policy.to_string().parse(), Ok(policy));
        }
        let error = "last".parse::<Policy>().unwrap_err().to_string();
        assert!(error.contains("expected 'end', 'first', 'iteration' or 'stable'"), "{error}");
    }
}
