//! Mates found and best mates by solver, as matetrack counts them.
//!
//! A *found* mate is any that a solver announces, also a longer one than the suite knows; a *best* mate is as short as the
//! suite says, and its proof is verified. A *better* one is shorter.

use serde::Serialize;

use super::report::MateSuiteResult;
use super::solving::{Judged, Solved};
use crate::view::{Cell, Table, View, counted, thousands};

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

/// The results of several solvers on one suite.
#[derive(Clone, Debug, Serialize)]
pub struct MateSuiteResults {
    /// The suite's name.
    pub suite: String,
    /// Node limit for each problem.
    pub budget: u64,
    /// One for each solver.
    pub solvers: Vec<MateSuiteResult>,
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

impl MateSuiteResults {
    /// The table of found and best mates, then each solver's results by length.
    pub fn view(&self) -> View {
        let row = |result: &MateSuiteResult| {
            let MateCounts { positions, found, best, better, unproved, excluded } = result.counts;
            let counts = [positions, found, best, better, unproved, excluded].map(|count| Cell::Count(count as u64));
            std::iter::once(result.solver.as_str().into()).chain(counts).collect()
        };
        let headings = ["solver", ">positions", ">found", ">best", ">better", ">unproved", ">excluded"];
        let view = View::new()
            .text(format!("Mates in {}, at most {} nodes per position:\n\n", self.suite, thousands(self.budget)))
            .table(Table::new(&headings, self.solvers.iter().map(row)))
            .text(
                "\nFound: announced, of any length. Best: of the length that the suite gives, and proved; better: shorter, \
                 and proved.\n",
            );
        self.solvers.iter().fold(view, |view, result| {
            let failures = counted(result.counts.excluded, "position");
            let note = match result.counts.excluded {
                0 => String::new(),
                _ => format!("{failures} at which the engine failed; --json names them.\n"),
            };
            view.text(format!("\n{note}")).view(result.view())
        })
    }
}
