//! SOLVERHEAD

use plysmith_core::games::chess::{Move, Position};

use crate::proof::Proof;

/// Is there a mate?
#[derive(Clone)]
pub struct MateQuery<'a> {
    /// Where the player is to move.
    pub position: &'a Position,
    /// Within how many of his moves.
    pub moves: u8,
    /// Nodes that may be spent.
    pub budget: u64,
    /// Asked now and then whether to stop.
    pub interrupt: &'a (dyn Fn() -> bool + Sync),
}

/// What a solver says.
#[derive(Clone, Debug, Default)]
pub struct MateAnswer {
    /// The move it would play.
    pub best: Option<Move>,
    /// Within how many moves it mates, if it claims so.
    pub mate: Option<u8>,
    /// Nodes spent.
    pub nodes: u64,
    /// Whether it gave up: the budget is spent, or somebody interrupted.
    pub is_cut: bool,
    /// How, if the solver knows.
    pub proof: Option<Proof>,
}

/// Solves mate problems. Equal questions have equal answers.
pub trait Solver: Send {
    /// What to call it in tables.
    fn name(&self) -> String;

    /// Answers a query.
    fn solve(&mut self, query: &MateQuery<'_>) -> MateAnswer;
}

/// The shortest mate within the query's moves that a solver finds: it is asked for one move, two, and so on.
pub fn shortest_mate(solver: &mut dyn Solver, query: &MateQuery<'_>) -> MateAnswer {
    let mut nodes = 0;
    for moves in 1..=query.moves {
        let budget = query.budget.saturating_sub(nodes);
        let answer = solver.solve(&MateQuery { moves, budget, ..query.clone() });
        nodes += answer.nodes;
        if answer.mate.is_some() || answer.is_cut || moves == query.moves {
            return MateAnswer { nodes, ..answer };
        }
    }
    MateAnswer::default()
}
