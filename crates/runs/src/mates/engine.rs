//! Solvers that `plysmith engine chess` answers `go mate N` with.

use std::path::Path;
use std::sync::Arc;

use plysmith_core::game::Game;
use plysmith_core::games::chess::{Move, Position};
use plysmith_engine::uci::server::mate::{Mate, MateSolver, MateSolverAnswer, MateSolverTask};
use plysmith_evolve::fitness::MOST_MOVES;
use plysmith_evolve::solvers::{DfPn, Evolved, MateAnswer, MateQuery, ShortestMate, ShortestQuery, Solver};

use super::solving::SolverName;
use super::suite::{bundled_program, read_program};
use crate::error::RunError;

/// Node limit of the program, some seconds: it may be blind to a mate, and would then search without end.
const PROGRAM_PATIENCE: u64 = 5_000_000;
/// Node limit of df-pn without any other limit, about a minute: the search takes over the mates that it does not find by
/// then.
const DF_PN_PATIENCE: u64 = 100_000_000;
/// Node limit for shorter mates without any other limit, some seconds: whoever sets no limit waits for an answer.
const SHORTENING_PATIENCE: u64 = 10_000_000;

/// df-pn, and an evolved program with df-pn after it: the bundled program, or another one, which then is the default.
pub fn mate_solvers(program: Option<&Path>) -> Result<Vec<MateSolver>, RunError> {
    let df_pn = MateSolver { name: SolverName::DfPn.as_str(), solve: Arc::new(solve_by_df_pn) };
    let name = SolverName::Evolved.to_string();
    let evolved = Evolved { program: program.map_or_else(bundled_program, read_program)?, name };
    let evolved = MateSolver {
        name: SolverName::Evolved.as_str(),
        solve: Arc::new(move |task| solve_by_program(&mut evolved.clone(), task)),
    };
    Ok(if program.is_some() { vec![evolved, df_pn] } else { vec![df_pn, evolved] })
}

fn solve_by_df_pn(task: &mut MateSolverTask<'_>) -> MateSolverAnswer {
    let Ok(position) = Position::parse(task.position) else { return MateSolverAnswer::default() };
    let (patience, shortening) =
        if task.is_limited { (u64::MAX, u64::MAX) } else { (DF_PN_PATIENCE, SHORTENING_PATIENCE) };
    let only: Vec<Move> = task.only.iter().filter_map(|m| position.parse_move(m).ok()).collect();
    let found = &mut task.found;
    let ShortestMate { answer, is_shortest, promising } = DfPn.shortest(ShortestQuery {
        query: query(&position, task.moves, task.nodes.min(patience), &task.interrupt),
        only: &only,
        shortening,
        threads: task.threads,
        found: &mut |answer| {
            if let Some(mate) = announced(answer, false) {
                found(&mate, answer.nodes);
            }
        },
    });
    MateSolverAnswer {
        mate: announced(&answer, is_shortest),
        nodes: answer.nodes,
        is_excluded: answer.mate.is_none() && !answer.is_cut,
        promising: promising.map(|m| m.to_string()),
    }
}

/// The program has half of the nodes at most, so that df-pn can find what the program is blind to.
fn solve_by_program(program: &mut Evolved, task: &mut MateSolverTask<'_>) -> MateSolverAnswer {
    let Ok(position) = Position::parse(task.position) else { return MateSolverAnswer::default() };
    let mut nodes = 0;
    // It knows no other first moves than its own.
    if task.only.is_empty() {
        let budget = (task.nodes / 2).min(PROGRAM_PATIENCE);
        let answer = program.solve(&query(&position, task.moves, budget, &task.interrupt));
        nodes = answer.nodes;
        if let Some(mate) = announced(&answer, answer.mate == Some(1)) {
            return MateSolverAnswer { mate: Some(mate), nodes, ..MateSolverAnswer::default() };
        }
    }
    let found = &mut task.found;
    let answer = solve_by_df_pn(&mut MateSolverTask {
        nodes: task.nodes - nodes,
        found: &mut |mate, more| found(mate, nodes + more),
        ..*task
    });
    MateSolverAnswer { nodes: nodes + answer.nodes, ..answer }
}

fn query<'a>(
    position: &'a Position,
    moves: u32,
    budget: u64,
    interrupt: &'a (dyn Fn() -> bool + Sync),
) -> MateQuery<'a> {
    MateQuery { position, moves: moves.min(u32::from(MOST_MOVES)) as u8, budget, interrupt }
}

/// The mate of an answer, if the verifier accepts its proof.
fn announced(answer: &MateAnswer, is_shortest: bool) -> Option<Mate> {
    let proof = answer.proof.as_ref().filter(|proof| proof.verify().is_ok())?;
    let line = proof.attack.longest_line().iter().map(ToString::to_string).collect();
    Some(Mate { moves: proof.attack.length(), line, is_shortest })
}
