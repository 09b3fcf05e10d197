//! When a problem counts as solved, as experiments store and name it.

use std::fmt;
use std::str::FromStr;

use plysmith_engine::driver::{Policy, PolicyError};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// When a problem counts as solved. As text: the name of a policy, or `its own`.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum SolutionPolicy {
    /// Plysmith watches the search.
    Watched(Policy),
    /// A plug engine decides by itself.
    EnginesOwn,
}

/// The text of [`SolutionPolicy::EnginesOwn`].
const ENGINES_OWN: &str = "its own";

impl SolutionPolicy {
    /// Its name and what it means, for the line above a table.
    pub fn explained(self) -> String {
        match self {
            SolutionPolicy::Watched(policy) => format!("policy {policy}: {}", policy.meaning()),
            SolutionPolicy::EnginesOwn => "the engine's own policy: it reports when a problem is solved".to_string(),
        }
    }

    /// The heading of a column of nodes.
    pub fn nodes_heading(self) -> String {
        match self {
            SolutionPolicy::Watched(policy) => format!("nodes ({policy})"),
            SolutionPolicy::EnginesOwn => format!("nodes ({ENGINES_OWN} policy)"),
        }
    }
}

impl fmt::Display for SolutionPolicy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            SolutionPolicy::Watched(policy) => policy.fmt(f),
            SolutionPolicy::EnginesOwn => f.write_str(ENGINES_OWN),
        }
    }
}

impl FromStr for SolutionPolicy {
    type Err = PolicyError;

    fn from_str(text: &str) -> Result<SolutionPolicy, PolicyError> {
        match text {
            ENGINES_OWN => Ok(SolutionPolicy::EnginesOwn),
            text => text.parse().map(SolutionPolicy::Watched),
        }
    }
}

impl Serialize for SolutionPolicy {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for SolutionPolicy {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<SolutionPolicy, D::Error> {
        String::deserialize(deserializer)?.parse().map_err(serde::de::Error::custom)
    }
}
