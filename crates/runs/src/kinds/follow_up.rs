//! What comes after a discovery: the weights of the best features are tuned together, and games tell whether they win.
//!
//! Gradual Focus gives every feature the same fractional-ply value, and so misses some (thesis, chapter 5, open
//! problems). Here the best features get values of their own, and each plays a match against the search without
//! features.

use serde::{Deserialize, Serialize};

/// What to do with the best features of a discovery.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct FollowUp {
    /// How many of the best features.
    pub best: usize,
    /// Iterations of tuning, if weights are tuned.
    pub tune: Option<u32>,
    /// Games and nodes per move, if matches are played.
    pub prove: Option<(u64, u64)>,
}
