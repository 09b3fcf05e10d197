//! Mate solvers for `go mate N`, which the caller provides. If the selected one finds nothing, the search takes over.

use std::fmt;
use std::num::NonZeroUsize;
use std::sync::Arc;

use plysmith_core::search::Interrupt;

/// A mate to search for.
pub struct MateSolverTask<'a> {
    /// The position's text.
    pub position: &'a str,
    /// The maximum number of moves.
    pub moves: u32,
    /// The first moves to try (`searchmoves`); empty for all.
    pub only: &'a [String],
    /// The node limit of everything that the solver tries.
    pub nodes: u64,
    /// How many threads may work on it. With several, equal tasks may have different answers.
    pub threads: NonZeroUsize,
    /// Whether nodes or time are limited. If not, the solver decides when it is enough.
    pub is_limited: bool,
    /// Polled; true stops the search.
    pub interrupt: &'a Interrupt<'a>,
    /// Told of each mate before a shorter one is searched for, with the nodes up to here.
    pub found: &'a mut dyn FnMut(&Mate, u64),
}

/// A mate that is proved.
#[derive(Clone, Default, PartialEq, Eq, Debug)]
pub struct Mate {
    /// Its length.
    pub moves: u32,
    /// The line with the longest defence, to the mate.
    pub line: Vec<String>,
    /// Whether it is proved that no mate is shorter.
    pub is_shortest: bool,
}

/// The answer of a solver.
#[derive(Clone, Default, PartialEq, Eq, Debug)]
pub struct MateSolverAnswer {
    /// The shortest mate that was found.
    pub mate: Option<Mate>,
    /// Nodes spent.
    pub nodes: u64,
    /// Whether it is proved that there is no mate.
    pub is_excluded: bool,
    /// If nothing is proved, the move that seemed closest to a mate.
    pub promising: Option<String>,
}

/// A mate solver with its name.
#[derive(Clone)]
pub struct MateSolver {
    /// Its name in the option `MateSolver`.
    pub name: &'static str,
    /// The solver.
    pub solve: Arc<Solve>,
}

/// A function that solves mates.
pub type Solve = dyn Fn(&mut MateSolverTask<'_>) -> MateSolverAnswer + Send + Sync;

impl fmt::Debug for MateSolver {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name)
    }
}
