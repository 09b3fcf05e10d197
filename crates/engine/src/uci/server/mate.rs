//! Mate solvers for `go mate N`, which the caller provides. If one finds nothing, the next is tried, and finally the search.

use std::fmt;
use std::sync::Arc;

use plysmith_core::search::Interrupt;

/// A mate to search for.
pub struct MateSolverTask<'a> {
    /// The position's text.
    pub position: &'a str,
    /// The maximum number of moves.
    pub moves: u32,
    /// The node limit.
    pub nodes: u64,
    /// Polled; true stops the search.
    pub interrupt: &'a Interrupt<'a>,
}

/// The answer of a solver.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct MateSolverAnswer {
    /// The number of moves and the main line of a proved mate, if there is one.
    pub mate: Option<(u32, Vec<String>)>,
    /// Nodes spent.
    pub nodes: u64,
}

/// A mate solver with its name.
#[derive(Clone)]
pub struct MateSolver {
    /// Its name in the option `MateSolver`.
    pub name: &'static str,
    /// Its node limit, after which the next solver is tried.
    pub node_limit: u64,
    /// The solver.
    pub solve: Arc<Solve>,
}

/// A function that solves mates.
pub type Solve = dyn Fn(&MateSolverTask<'_>) -> MateSolverAnswer + Send + Sync;

impl fmt::Debug for MateSolver {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name)
    }
}
