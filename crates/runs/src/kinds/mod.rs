//! One module for each kind of run, and the registry of all of them.

pub mod discover;
pub mod follow_up;
pub mod match_;
pub mod measure;
pub mod reproduce;
pub mod tournament;
pub mod tune;

use crate::kind::{AnyKind, Erased};
use discover::Discover;
use match_::Match;
use measure::Measure;
use reproduce::Reproduce;
use tournament::Tournament;
use tune::Tune;
use tune::compare::CompareOptimisers;

/// Every kind of run.
pub const KINDS: &[&dyn AnyKind] = &[
    &Erased::<Discover>::KIND,
    &Erased::<Match>::KIND,
    &Erased::<Measure>::KIND,
    &Erased::<Reproduce>::KIND,
    &Erased::<Tournament>::KIND,
    &Erased::<Tune>::KIND,
    &Erased::<CompareOptimisers>::KIND,
];
