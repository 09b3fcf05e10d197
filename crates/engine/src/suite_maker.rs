//! Makes suites from self-play, and proves them again, on all cores.

use std::collections::{BTreeMap, HashSet};
use std::num::NonZeroUsize;
use std::ops::ControlFlow;

use plysmith_core::game::PositionError;
use plysmith_core::games::GameInfo;
use plysmith_core::generate::{Goal, Plan};
use plysmith_core::problem::{Problem, Suite};
use plysmith_core::search::Interrupt;
use plysmith_core::search::proof::Interrupted;
use plysmith_core::suite::check::{Finding, check};
use thiserror::Error;

use crate::parallel::{in_order, in_order_noting};

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
pub enum SuiteError {
    /// The start position cannot be read.
    #[error("start position: {0}")]
    Start(#[from] PositionError),
    /// Interrupted, or the memo could not keep what was found.
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

/// Keeps what each game gave, so that a suite whose making was interrupted need not be begun again.
pub trait SuiteMemo {
    /// What is known of games, by their number.
    fn known(&self) -> BTreeMap<u64, Option<Problem>>;

    /// Keeps what a game gave; to break is to stop the work.
    fn keep(&self, game: u64, found: Option<&Problem>) -> ControlFlow<()>;
}

/// Keeps nothing.
#[derive(Copy, Clone, Debug, Default)]
pub struct Forgetful;

impl SuiteMemo for Forgetful {
    fn known(&self) -> BTreeMap<u64, Option<Problem>> {
        BTreeMap::new()
    }

    fn keep(&self, _game: u64, _found: Option<&Problem>) -> ControlFlow<()> {
        ControlFlow::Continue(())
    }
}

/// Who makes a suite, and who is told.
#[derive(Copy, Clone)]
pub struct Workers<'a> {
    /// How many threads work on it.
    pub threads: NonZeroUsize,
    /// Asked now and then whether to stop.
    pub interrupt: &'a Interrupt<'a>,
    /// Told how many problems came of how many games.
    pub progress: &'a dyn Fn(usize, u64),
    /// What is known already, and kept.
    pub memo: &'a dyn SuiteMemo,
}

/// Plays games until there are enough problems. The result does not depend on the number of threads:
/// game `n` is the same game on any of them, and problems are kept in the order of games.
pub fn generate(game: &'static GameInfo, order: &Order, workers: &Workers<'_>) -> Result<Suite, SuiteError> {
    let start = (game.open)(&order.start)?;
    let kind = match order.plan.goal {
        Goal::ForcedWin { plies } => plies.to_string(),
        Goal::Tactic { .. } => "t".to_string(),
    };
    let wanted = Wanted { prefix: format!("{}{kind}", &game.name[..1]), count: order.count };
    let problem_from_game =
        |number: u64, interrupt: &Interrupt<'_>| start.problem_from_game(&order.plan, number, interrupt);
    let problems = gather(&wanted, workers, problem_from_game)?;
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

/// SuiteGames games 0, 1, 2, … until there are enough problems, all in different positions.
pub fn gather(
    wanted: &Wanted,
    workers: &Workers<'_>,
    problem_from_game: impl Fn(u64, &Interrupt<'_>) -> Result<Option<Problem>, Interrupted> + Sync,
) -> Result<Vec<Problem>, SuiteError> {
    let Workers { threads, interrupt, progress, memo } = *workers;
    let known = memo.known();
    let mut problems: Vec<Problem> = Vec::new();
    let mut seen = HashSet::new();
    let (mut games, mut last_found) = (0, 0);
    in_order_noting(
        0..u64::MAX,
        &mut vec![(); threads.get()],
        |pool, (), number| match known.get(&number) {
            Some(found) => Some(found.clone()),
            None => problem_from_game(number, &|| pool.is_halted() || interrupt()).ok(),
        },
        |number, found| match known.contains_key(&number) {
            true => ControlFlow::Continue(()),
            false => memo.keep(number, found.as_ref()),
        },
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
    if games - last_found >= PATIENCE {
        return Err(SuiteError::TooRare { found: problems.len(), wanted: wanted.count, games });
    }
    Err(SuiteError::Interrupted)
}

/// Proves every problem of a suite again; the findings in order, fewer than all if interrupted.
pub fn check_all(
    game: &'static GameInfo,
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
