//! Solvers that `plysmith engine chess` answers `go mate N` with.

use std::path::Path;
use std::sync::Arc;

use plysmith_core::game::Game;
use plysmith_core::games::chess::Position;
use plysmith_engine::uci::server::mate::{MateAnswer, MateSolver, MateTask};
use plysmith_evolve::fitness::MOST_MOVES;
use plysmith_evolve::solvers::{ClaimVerdict, MateQuery, shortest_mate, verify_claim};

use super::solving::{SolverChoice, SolverName};
use crate::failure::Failure;

/// A program may be blind to a mate, and knows no end then: some seconds.
const PROGRAM_PATIENCE: u64 = 5_000_000;
/// A mate that df-pn does not find in a minute may be one for the search.
const DF_PN_PATIENCE: u64 = 100_000_000;

/// The evolved program, the bundled one or another, and df-pn.
pub fn mate_solvers(program: Option<&Path>) -> Result<Vec<MateSolver>, Failure> {
    let named = |name, patience, choice: SolverChoice| MateSolver {
        name,
        patience,
        solve: Arc::new(move |task| answer(&choice, task)),
    };
    Ok(vec![
        named("evolved", PROGRAM_PATIENCE, SolverChoice::new(Some(SolverName::Evolved), program)?),
        named("df-pn", DF_PN_PATIENCE, SolverChoice::new(Some(SolverName::DfPn), None)?),
    ])
}

/// Nothing is told that the verifier does not accept.
fn answer(choice: &SolverChoice, task: &MateTask<'_>) -> MateAnswer {
    let Ok(position) = Position::parse(task.position) else { return MateAnswer { mate: None, nodes: 0 } };
    let moves = task.moves.min(u32::from(MOST_MOVES)) as u8;
    let query = MateQuery { position: &position, moves, budget: task.nodes, interrupt: &task.interrupt };
    let mut solver = choice.make();
    let answer = if choice.deepens() { solver.solve(&query) } else { shortest_mate(solver.as_mut(), &query) };
    let mate = match (verify_claim(&query, &answer), answer.mate) {
        (ClaimVerdict::Verified(proof), Some(moves)) => {
            Some((u32::from(moves), proof.attack.longest_line().iter().map(ToString::to_string).collect()))
        }
        _ => None,
    };
    MateAnswer { mate, nodes: answer.nodes }
}
