//! One module for each kind of run, and the registry of all of them.

pub mod discover;
pub mod follow_up;
pub mod measure;
pub mod reproduce;

use crate::kind::{AnyKind, Erased};
use discover::Discover;
use measure::Measure;
use reproduce::Reproduce;

/// Every kind of run.
pub const KINDS: &[&dyn AnyKind] = &[&Erased::<Discover>::KIND, &Erased::<Measure>::KIND, &Erased::<Reproduce>::KIND];
