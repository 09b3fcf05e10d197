//! Solvers that `plysmith engine chess` answers `go mate N` with.

use std::path::Path;
use std::sync::Arc;

use plysmith_core::game::Game;
use plysmith_core::games::chess::Position;
use plysmith_engine::uci::server::mate::{MateSolver, MateSolverAnswer, MateSolverTask};
use plysmith_evolve::fitness::MOST_MOVES;
use plysmith_evolve::solvers::{ClaimVerdict, MateQuery};

use super::solving::{SolverChoice, SolverName, solve_one};
use crate::error::RunError;

/// Node limit of the program, some seconds: it may be blind to a mate, and would then search without end.
const PROGRAM_PATIENCE: u64 = 5_000_000;
/// Node limit of df-pn, about a minute: the search takes over the mates that it does not find by then.
const DF_PN_PATIENCE: u64 = 100_000_000;

/// The evolved program, the bundled one or another, and df-pn.
pub fn mate_solvers(program: Option<&Path>) -> Result<Vec<MateSolver>, RunError> {
    let named = |name: SolverName, node_limit, choice: SolverChoice| MateSolver {
        name: name.as_str(),
        node_limit,
        solve: Arc::new(move |task| answer(&choice, task)),
    };
    Ok(vec![
        named(SolverName::Evolved, PROGRAM_PATIENCE, SolverChoice::new(Some(SolverName::Evolved), program)?),
        named(SolverName::DfPn, DF_PN_PATIENCE, SolverChoice::new(Some(SolverName::DfPn), None)?),
    ])
}

/// Announces only mates that the verifier accepts.
fn answer(choice: &SolverChoice, task: &MateSolverTask<'_>) -> MateSolverAnswer {
    let Ok(position) = Position::parse(task.position) else { return MateSolverAnswer { mate: None, nodes: 0 } };
    let moves = task.moves.min(u32::from(MOST_MOVES)) as u8;
    let query = MateQuery { position: &position, moves, budget: task.nodes, interrupt: &task.interrupt };
    let (answer, verdict) = solve_one(choice, &query);
    let mate = match (verdict, answer.mate) {
        (ClaimVerdict::Verified(proof), Some(moves)) => {
            Some((u32::from(moves), proof.attack.longest_line().iter().map(ToString::to_string).collect()))
        }
        _ => None,
    };
    MateSolverAnswer { mate, nodes: answer.nodes }
}
