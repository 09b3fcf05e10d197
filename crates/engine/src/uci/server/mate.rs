//! Who answers `go mate N`: a solver that the caller brought, the next one where that one finds nothing, and in the end
//! the search.

use std::fmt;
use std::sync::Arc;

use plysmith_core::search::deepening::Interrupt;

/// A question: a mate from this position?
pub struct MateTask<'a> {
    /// The position's text.
    pub position: &'a str,
    /// Within so many moves.
    pub moves: u32,
    /// Nodes that may be spent.
    pub nodes: u64,
    /// Asked now and then whether to stop.
    pub interrupt: &'a Interrupt<'a>,
}

/// What a solver found.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct MateAnswer {
    /// A mate that is proved, if there is one: within how many moves, and the line with the longest defence.
    pub mate: Option<(u32, Vec<String>)>,
    /// Nodes spent.
    pub nodes: u64,
}

/// A solver of mates under its name.
#[derive(Clone)]
pub struct MateSolver {
    /// What the option calls it.
    pub name: &'static str,
    /// Nodes after which the next one is asked instead.
    pub patience: u64,
    /// Solves.
    pub solve: Arc<Solve>,
}

/// How a mate is solved.
pub type Solve = dyn Fn(&MateTask<'_>) -> MateAnswer + Send + Sync;

impl fmt::Debug for MateSolver {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name)
    }
}
