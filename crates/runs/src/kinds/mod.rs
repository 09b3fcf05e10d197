//! One module for each kind of run, and the registry of all of them.

pub mod calibrate;
pub mod discover;
pub mod evolve;
pub mod fit;
pub mod follow_up;
mod game_pages;
pub mod match_;
pub mod mate_table;
pub mod measure;
pub mod papers;
pub mod reductions;
pub mod reproduce;
pub mod screen;
pub mod tournament;
pub mod transitions;
pub mod tune;

use crate::registry::{AnyKind, Erased};
use calibrate::Calibrate;
use discover::Discover;
use evolve::Evolve;
use fit::Fit;
use match_::Match;
use mate_table::MateTable;
use measure::Measure;
use reductions::LearnReductions;
use reproduce::Reproduce;
use screen::Screen;
use tournament::Tournament;
use transitions::Transitions;
use tune::Tune;
use tune::compare::CompareOptimisers;
use tune::figure1::Figure1;

/// Every kind of run.
pub const KINDS: &[&dyn AnyKind] = &[
    &Erased::<Calibrate>::KIND,
    &Erased::<Discover>::KIND,
    &Erased::<Match>::KIND,
    &Erased::<Evolve>::KIND,
    &Erased::<Fit>::KIND,
    &Erased::<MateTable>::KIND,
    &Erased::<Measure>::KIND,
    &Erased::<LearnReductions>::KIND,
    &Erased::<Reproduce>::KIND,
    &Erased::<Screen>::KIND,
    &Erased::<Tournament>::KIND,
    &Erased::<Transitions>::KIND,
    &Erased::<Tune>::KIND,
    &Erased::<CompareOptimisers>::KIND,
    &Erased::<Figure1>::KIND,
];
