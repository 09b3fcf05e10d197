//! The interface of all solvers: a query for a mate, and its answer.

use plysmith_core::games::chess::{Move, Position};

use crate::proof::Proof;

/// A query: is there a mate within a number of moves?
#[derive(Clone)]
pub struct MateQuery<'a> {
    /// The position, with the player to move.
    pub position: &'a Position,
    /// The number of the player's moves within which to mate.
    pub moves: u8,
    /// The node budget.
    pub budget: u64,
    /// Polled regularly; the search stops when it returns `true`.
    pub interrupt: &'a (dyn Fn() -> bool + Sync),
}

/// The answer of a solver.
#[derive(Clone, Debug, Default)]
pub struct MateAnswer {
    /// The best move found.
    pub best: Option<Move>,
    /// The number of moves within which it mates, if the solver claims a mate.
    pub mate: Option<u8>,
    /// Nodes searched.
    pub nodes: u64,
    /// Whether the budget or an interrupt stopped the search before a decision.
    pub is_cut: bool,
    /// The proof tree, if the solver has one.
    pub proof: Option<Proof>,
}

/// Solves mate problems. Equal queries have equal answers.
pub trait Solver: Send {
    /// The name in tables.
    fn name(&self) -> String;

    /// Solves a query.
    fn solve(&mut self, query: &MateQuery<'_>) -> MateAnswer;
}

/// The shortest mate that was found.
#[derive(Clone, Debug, Default)]
pub struct ShortestMate {
    /// The answer, with the nodes of everything that was tried.
    pub answer: MateAnswer,
    /// Whether it is proved that no mate is shorter.
    pub is_shortest: bool,
    /// If nothing was decided, the move that seemed closest to a mate.
    pub promising: Option<Move>,
}

/// The shortest mate that a solver finds within the query's moves, by iterative deepening: for solvers that gain nothing
/// from a larger number of moves.
pub fn shortest_mate(solver: &mut dyn Solver, query: &MateQuery<'_>) -> ShortestMate {
    let mut nodes = 0;
    for moves in 1..=query.moves {
        let budget = query.budget.saturating_sub(nodes);
        let answer = solver.solve(&MateQuery { moves, budget, ..query.clone() });
        nodes += answer.nodes;
        if answer.mate.is_some() || answer.is_cut || moves == query.moves {
            let is_shortest = answer.mate.is_some();
            return ShortestMate { answer: MateAnswer { nodes, ..answer }, is_shortest, promising: None };
        }
    }
    ShortestMate::default()
}
