//! Mates found and best mates by solver, as matetrack counts them.
//!
//! A *found* mate is any that a solver announces, also a longer one than the suite knows; a *best* mate is as short as the
//! suite says, and its proof is verified. A *better* one is shorter.

use serde::Serialize;

use super::solving::{Judged, Solved};

/// How many mates of a suite a solver found.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize)]
pub struct MateCounts {
    /// Positions.
    pub positions: usize,
    /// Mates that it announced, of any length.
    pub found: usize,
    /// Verified mates of the length that the suite knows.
    pub best: usize,
    /// Verified mates that are shorter.
    pub better: usize,
    /// Announced mates that are none, or whose proof was not found.
    pub unproved: usize,
    /// Positions at which an engine failed.
    pub excluded: usize,
}

impl MateCounts {
    /// Counts the results of a solver.
    pub fn of(problems: &[Solved]) -> MateCounts {
        let mut counts = MateCounts { positions: problems.len(), ..MateCounts::default() };
        for Solved { moves, mate, longer, verdict, .. } in problems {
            let is_shorter = mate.is_some_and(|mate| mate < *moves);
            match verdict {
                Judged::Verified if is_shorter => counts.better += 1,
                Judged::Verified => counts.best += 1,
                Judged::Rejected | Judged::Unsettled => counts.unproved += 1,
                Judged::Excluded => counts.excluded += 1,
                Judged::NotFound | Judged::GaveUp => {}
            }
            counts.found += usize::from(*verdict == Judged::Verified || longer.is_some());
        }
        counts
    }
}
