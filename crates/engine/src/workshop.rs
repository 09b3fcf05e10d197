//! Makes suites from self-play, and proves them again, on all cores.

use std::collections::HashSet;
use std::num::NonZeroUsize;
use std::ops::ControlFlow;

use plysmith_core::game::PositionError;
use plysmith_core::games::Entry;
use plysmith_core::search::deepening::Interrupt;
use plysmith_core::search::proof::Interrupted;
use plysmith_core::suite::check::{Finding, check};
use plysmith_core::suite::generate::{Goal, Plan};
use plysmith_core::suite::problem::{Problem, Suite};
use thiserror::Error;

use crate::parallel::in_order;

/// What is wanted of a generated suite.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Order {
    /// Where the games begin.
    pub start: String,
    /// How many problems.
    pub count: usize,
    /// What problems, and how they are found.
    pub plan: Plan,
}

/// Why a suite could not be made.
#[derive(Debug, Error)]
pub enum WorkshopError {
    /// The start position cannot be read.
    #[error("start position: {0}")]
    Start(#[from] PositionError),
    /// Interrupted. Nothing is kept: the same command makes the same suite.
    #[error("interrupted")]
    Interrupted,
    /// Too many games without finding enough.
    #[error(
        "only {found} of {wanted} problems came up in {games} games, and none in the last {PATIENCE}; ask for fewer, or \
         for another length with --plies"
    )]
    TooRare {
        /// How many there are.
        found: usize,
        /// How many were wanted.
        wanted: usize,
        /// How many games were played.
        games: u64,
    },
}

/// After so many games without a new problem, there are probably no more to be found.
const PATIENCE: u64 = 5_000;

/// Plays games until there are enough problems. The result does not depend on the number of threads:
/// game `n` is the same game on any of them, and problems are kept in the order of games.
pub fn generate(
    game: &'static Entry,
    order: &Order,
    threads: NonZeroUsize,
    interrupt: &Interrupt<'_>,
    progress: &dyn Fn(usize, u64),
) -> Result<Suite, WorkshopError> {
    let start = (game.open)(&order.start)?;
    let kind = match order.plan.goal {
        Goal::ForcedWin { plies } => plies.to_string(),
        Goal::Tactic { .. } => "t".to_string(),
    };
    let wanted = Wanted { prefix: format!("{}{kind}", &game.name[..1]), count: order.count };
    let harvest = |number: u64, interrupt: &Interrupt<'_>| start.harvest(&order.plan, number, interrupt);
    let problems = gather(&wanted, threads, interrupt, progress, harvest)?;
    Ok(Suite { name: game.name.to_string(), problems })
}

/// How many problems are wanted, and what their names begin with.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Wanted {
    /// What stands before the number.
    pub prefix: String,
    /// How many.
    pub count: usize,
}

/// Harvests games 0, 1, 2, … until there are enough problems, all in different positions.
pub fn gather(
    wanted: &Wanted,
    threads: NonZeroUsize,
    interrupt: &Interrupt<'_>,
    progress: &dyn Fn(usize, u64),
    harvest: impl Fn(u64, &Interrupt<'_>) -> Result<Option<Problem>, Interrupted> + Sync,
) -> Result<Vec<Problem>, WorkshopError> {
    let mut problems: Vec<Problem> = Vec::new();
    let mut seen = HashSet::new();
    let (mut games, mut last_found) = (0, 0);
    in_order(
        0..u64::MAX,
        &mut vec![(); threads.get()],
        |crew, (), number| harvest(number, &|| crew.is_halted() || interrupt()).ok(),
        |number, found| {
            games = number + 1;
            if let Some(problem) = found.filter(|problem| seen.insert(problem.position.clone())) {
                last_found = games;
                let id = format!("{}-{:03}", wanted.prefix, problems.len() + 1);
                problems.push(Problem { id, ..problem });
            }
            progress(problems.len(), games);
            let is_enough = problems.len() == wanted.count || games - last_found >= PATIENCE;
            if is_enough { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        },
    );
    if problems.len() == wanted.count {
        return Ok(problems);
    }
    if interrupt() {
        return Err(WorkshopError::Interrupted);
    }
    Err(WorkshopError::TooRare { found: problems.len(), wanted: wanted.count, games })
}

/// Proves every problem of a suite again; the findings in order, fewer than all if interrupted.
pub fn check_all(
    game: &'static Entry,
    suite: &Suite,
    threads: NonZeroUsize,
    interrupt: &Interrupt<'_>,
    progress: &dyn Fn(usize),
) -> Vec<Finding> {
    let mut findings = Vec::new();
    in_order(
        0..suite.problems.len() as u64,
        &mut vec![(); threads.get()],
        |_, (), index| check(game, &suite.problems[index as usize], interrupt).ok(),
        |index, finding| {
            findings.push(finding);
            progress(index as usize + 1);
            ControlFlow::Continue(())
        },
    );
    findings
}
