//! Makes suites from self-play and checks them, on all cores.
//!
//! Game `n` of a source is the same game on any thread, and problems are taken in the order of games, so a suite does
//! not depend on the number of threads. What each game gave is kept in the result cache: an interrupted command
//! continues where it stopped when it is repeated.

use std::collections::HashSet;
use std::num::NonZeroUsize;
use std::ops::ControlFlow;

use plysmith_core::feature::Scheme;
use plysmith_core::game::{Game, PositionError};
use plysmith_core::games::{self, AnyPosition, GameInfo, Start, chess};
use plysmith_core::generate::{Goal, Plan};
use plysmith_core::problem::{Problem, Suite};
use plysmith_core::search;
use plysmith_core::search::proof::Interrupted;
use plysmith_core::search::{Interrupt, Workspace};
use plysmith_core::settings::Settings;
use plysmith_core::suite::check::{Finding, check};
use plysmith_engine::parallel::in_order;
use plysmith_evolve::problems::{
    EXCLUDE, MateFilter, MatePlan, has_quiet_key, problem_from_changes, problem_from_game,
};
use plysmith_evolve::solvers::dfpn::DfPn;
use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::error::RunError;
use crate::evaluation_notes::note_fallbacks;
use crate::executor::Ending;
use crate::job::{Job, Key, Worker};
use crate::mates::{Reference, ReferenceSolver};
use crate::memory::ThreadNeed;
use crate::remote::JobList;
use crate::services::Services;

/// Where the problems of a suite come from.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum SuiteSource {
    /// Forced wins or tactics that come up in self-play.
    SelfPlay {
        /// The game's name.
        game: String,
        /// The start position.
        start: String,
        /// What kind of problem is wanted.
        goal: ProblemGoal,
        /// Random seed.
        seed: u64,
        /// Nodes per move in self-play.
        nodes: u64,
    },
    /// Chess mates of exact length.
    Mates {
        /// Moves to mate.
        moves: u8,
        /// The least number of men on the board.
        men: u32,
        /// Random seed.
        seed: u64,
        /// Nodes per move in self-play.
        nodes: u64,
        /// Further conditions.
        #[serde(default, skip_serializing_if = "MateConditions::are_none")]
        conditions: MateConditions,
    },
}

/// Further conditions on mates.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct MateConditions {
    /// Whether the only key must be quiet: no check, no capture and no promotion. Positions of games are changed at
    /// random then, because games hardly have such mates.
    pub is_quiet: bool,
    /// How hard a problem must be.
    pub band: Option<NodeBand>,
}

/// A band of the nodes that a reference solver needs.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct NodeBand {
    /// The reference solver: the name of one of ours, or `uci:COMMAND`.
    pub reference: String,
    /// The fewest nodes.
    pub from: u64,
    /// The most nodes.
    pub to: u64,
    /// What the results of the reference solver depend on.
    pub identity: String,
}

impl NodeBand {
    /// A band of the nodes of this solver.
    pub fn new(reference: &str, from: u64, to: u64, services: &Services) -> Result<NodeBand, RunError> {
        let identity = Reference::open(reference, services)?.identity(to)?;
        Ok(NodeBand { reference: reference.to_string(), from, to, identity })
    }
}

impl MateConditions {
    fn are_none(&self) -> bool {
        *self == MateConditions::default()
    }

    /// How many nodes are spent to find a mate: mates that must be hard take more.
    fn find(&self) -> u64 {
        if self.band.is_none() { MateFilter::FIND } else { MateFilter::FIND_HARD }
    }
}

/// A kind of problem; see [`Goal`].
#[derive(Copy, Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ProblemGoal {
    /// A win that is forced in exactly this many plies, with one winning move.
    ForcedWin {
        /// Plies.
        plies: u32,
    },
    /// One move better than all others.
    Tactic {
        /// By this much, in units of the evaluation.
        margin: i32,
        /// Nodes to verify it with.
        nodes: u64,
    },
}

/// One game of a source.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct SuiteGameJob {
    /// The source.
    pub source: SuiteSource,
    /// The game's number.
    pub number: u64,
    /// What the evaluations of the players do (`GameInfo::behaviour`). Empty in jobs of earlier versions.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub behaviour: String,
}

/// A problem without its name, which depends on its place in the suite.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct FoundProblem {
    position: String,
    best: Vec<String>,
    avoid: Vec<String>,
    criterion: String,
    distance: Option<u32>,
}

/// Why a suite could not be made.
#[derive(Debug, Error)]
pub enum SuiteError {
    /// The start position cannot be read.
    #[error("start position: {0}")]
    Start(#[from] PositionError),
    /// A stored problem cannot be read.
    #[error("the store: {0}")]
    Stored(String),
    /// Too many games without finding enough.
    #[error(
        "only {found} of {wanted} problems were found in {games} games, and none in the last {PATIENCE}; \
         reduce --count or change --plies"
    )]
    TooRare {
        /// Problems found.
        found: usize,
        /// Problems wanted.
        wanted: usize,
        /// Games played.
        games: u64,
    },
}

/// After this many games without a new problem there are probably no more to be found.
const PATIENCE: u64 = 5_000;

/// Plays games of a source until there are `count` problems, all in different positions. Their names begin with
/// `prefix`. `progress` is called with the numbers of problems and games.
pub fn gather(
    source: &SuiteSource,
    prefix: &str,
    count: usize,
    services: &Services,
    progress: &dyn Fn(usize, u64),
) -> Result<Vec<Problem>, RunError> {
    let mut workers = Vec::new();
    // How many games it takes is not known before.
    for _ in 0..services.workers(u64::MAX, &source.need()?)?.get() {
        workers.push(SuiteWorker::open(source, Some(services)).map_err(RunError::input)?);
    }
    let mut problems: Vec<Problem> = Vec::new();
    let (mut seen, mut failure) = (HashSet::new(), None);
    let (mut games, mut last_found) = (0, 0);
    let cancel = || services.cancel.is_cancelled();
    let executor = services.executor(&cancel);
    source.note_fallbacks(services)?;
    let first = source.job(0)?;
    let job = |number| SuiteGameJob { number, ..first.clone() };
    let ending = executor.run(0..u64::MAX, job, &mut workers, |done| {
        games = done.number + 1;
        match done.result.map(Problem::try_from).transpose() {
            Ok(Some(problem)) if seen.insert(problem.position.clone()) => {
                last_found = games;
                problems.push(Problem { id: format!("{prefix}-{:03}", problems.len() + 1), ..problem });
            }
            Ok(_) => {}
            Err(error) => failure = Some(error),
        }
        progress(problems.len(), games);
        let is_over = failure.is_some() || problems.len() == count || games - last_found >= PATIENCE;
        if is_over { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    })?;
    match failure {
        Some(error) => Err(RunError::failed(error)),
        None if ending == Ending::Interrupted => Err(RunError::Cancelled(None)),
        None if problems.len() == count => Ok(problems),
        None => Err(RunError::failed(SuiteError::TooRare { found: problems.len(), wanted: count, games })),
    }
}

/// Names the first games of a source.
pub fn list_jobs(source: &SuiteSource, games: u64, jobs: &mut JobList<'_>) -> Result<(), RunError> {
    if source.needs_engine() {
        return Err(RunError::input(
            "games whose problems an external reference solver must accept are played where the suite is made",
        ));
    }
    let first = source.job(0)?;
    (0..games).try_for_each(|number| jobs.add(&SuiteGameJob { number, ..first.clone() }, &[], &[]))
}

/// Proves every problem of a suite again. The findings are in order; there are fewer than problems if it was
/// cancelled.
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

impl SuiteSource {
    /// What each thread needs: the search of the players, and that for mates.
    pub(crate) fn need(&self) -> Result<ThreadNeed, RunError> {
        let (game, mates) = match self {
            SuiteSource::SelfPlay { game, .. } => (games::find(game)?, 0),
            SuiteSource::Mates { .. } => (&chess::INFO, DfPn::most_bytes(EXCLUDE)),
        };
        let players = Workspace::bytes(&game.presets.modern());
        Ok(ThreadNeed::default().and("self-play", players).and("search for mates", mates))
    }

    /// Whether an external engine takes part.
    pub(crate) fn needs_engine(&self) -> bool {
        match self {
            SuiteSource::SelfPlay { .. } => false,
            SuiteSource::Mates { conditions, .. } => {
                conditions.band.as_ref().is_some_and(|band| Reference::own(&band.reference).is_err())
            }
        }
    }

    /// A game of this source.
    pub fn job(&self, number: u64) -> Result<SuiteGameJob, RunError> {
        Ok(SuiteGameJob { source: self.clone(), number, behaviour: self.behaviour()? })
    }

    /// The game, and the settings of the players.
    fn players(&self) -> Result<(&'static GameInfo, Vec<Settings>), RunError> {
        let (game, goal) = match self {
            SuiteSource::SelfPlay { game, goal, .. } => (games::find(game)?, Some(goal)),
            SuiteSource::Mates { .. } => (&chess::INFO, None),
        };
        let (classic, modern) = (game.presets.classic(), game.presets.modern());
        let players = match goal {
            Some(ProblemGoal::Tactic { .. }) => vec![classic, modern],
            _ => game.presets.suite_players().map(|heuristic| classic.with_heuristic(heuristic)).collect(),
        };
        Ok((game, players))
    }

    fn note_fallbacks(&self, services: &Services) -> Result<(), RunError> {
        let (game, players) = self.players()?;
        if let SuiteSource::SelfPlay { start, .. } = self {
            note_fallbacks(game, &players, [start.as_str()], services);
        }
        Ok(())
    }

    /// What the evaluations of the players do.
    fn behaviour(&self) -> Result<String, RunError> {
        let (game, players) = self.players()?;
        let behaviours = players.iter().map(|settings| game.behaviour(settings, &Scheme::neutral()));
        Ok(behaviours.collect::<Vec<_>>().join(" "))
    }

    /// Everything that a game depends on but its number and the program. Part of stored keys.
    fn description(&self) -> String {
        match self {
            SuiteSource::SelfPlay { game, start, goal, seed, nodes } => {
                let plan = Plan { goal: Goal::from(*goal), seed: *seed, nodes: *nodes };
                format!("{game} from {start}: {plan:?}")
            }
            SuiteSource::Mates { moves, men, seed, nodes, conditions } => {
                let plan = MatePlan { moves: *moves, men: *men, seed: *seed, nodes: *nodes };
                let more = if conditions.are_none() { String::new() } else { format!(" {conditions:?}") };
                format!("{plan:?}{more}")
            }
        }
    }
}

impl Job for SuiteGameJob {
    const KIND: &'static str = "suite-game";
    type Result = Option<FoundProblem>;

    fn key(&self) -> Key {
        let SuiteGameJob { source, number, behaviour } = self;
        let revisions = format!("{}\n{}", search::REVISION, plysmith_evolve::REVISION);
        let mut text = format!("harvest\n{}\n{revisions}\n{number}", source.description());
        if !behaviour.is_empty() {
            text += &format!("\nbehaviour {behaviour}");
        }
        Key::of(&text)
    }
}

/// Plays the games of a source.
pub(crate) enum SuiteWorker {
    SelfPlay(Box<dyn AnyPosition>, Plan),
    Mates(Box<MateMaker>),
}

/// Makes mates from games.
pub(crate) struct MateMaker {
    start: chess::Position,
    plan: MatePlan,
    conditions: MateConditions,
    /// The reference solver of the band.
    reference: Option<ReferenceSolver>,
}

impl MateMaker {
    /// The first problem of a game that meets the conditions; the outer `None` if it was interrupted.
    fn problem(&mut self, game: u64, interrupt: &Interrupt<'_>) -> Result<Option<Option<Problem>>, RunError> {
        let MateMaker { start, plan, conditions, reference } = self;
        let mut failure = None;
        let mut accept = |position: &chess::Position, problem: &Problem| {
            if conditions.is_quiet && !has_quiet_key(position, problem) {
                return Ok(false);
            }
            let (Some(band), Some(reference)) = (&conditions.band, &mut *reference) else { return Ok(true) };
            match reference.solve(position, plan.moves, band.to, interrupt) {
                Ok(Some(solved)) => Ok(solved.is_solved() && (band.from..=band.to).contains(&solved.nodes)),
                Ok(None) => Err(Interrupted),
                Err(error) => {
                    failure = Some(error);
                    Err(Interrupted)
                }
            }
        };
        let mut filter = MateFilter { find: conditions.find(), accept: &mut accept };
        let make = if conditions.is_quiet { problem_from_changes } else { problem_from_game };
        let found = make(start, plan, game, &mut filter, interrupt);
        match failure {
            Some(error) => Err(error),
            None => Ok(found.ok()),
        }
    }
}

impl SuiteWorker {
    /// A worker for this source. Without services the reference solver must be one of ours.
    pub fn open(source: &SuiteSource, services: Option<&Services>) -> Result<SuiteWorker, RunError> {
        match source {
            SuiteSource::SelfPlay { game, start, goal, seed, nodes } => {
                let start =
                    (games::find(game)?.open)(start).map_err(|error| RunError::input(SuiteError::from(error)))?;
                Ok(SuiteWorker::SelfPlay(start, Plan { goal: Goal::from(*goal), seed: *seed, nodes: *nodes }))
            }
            SuiteSource::Mates { moves, men, seed, nodes, conditions } => {
                let start = (chess::INFO.start)(&Start::default())?;
                let start = chess::Position::parse(&start).map_err(|error| RunError::input(SuiteError::from(error)))?;
                let plan = MatePlan { moves: *moves, men: *men, seed: *seed, nodes: *nodes };
                let reference = conditions.band.as_ref().map(|band| {
                    let reference = match services {
                        Some(services) => Reference::open(&band.reference, services),
                        None => Reference::own(&band.reference),
                    };
                    reference.and_then(|reference| reference.solver(band.to))
                });
                let (reference, conditions) = (reference.transpose()?, conditions.clone());
                Ok(SuiteWorker::Mates(Box::new(MateMaker { start, plan, conditions, reference })))
            }
        }
    }
}

impl Worker<SuiteGameJob> for SuiteWorker {
    type Error = RunError;

    fn run(&mut self, job: &SuiteGameJob, interrupt: &Interrupt<'_>) -> Result<Option<Option<FoundProblem>>, RunError> {
        let found = match self {
            SuiteWorker::SelfPlay(start, plan) => start.problem_from_game(plan, job.number, interrupt).ok(),
            SuiteWorker::Mates(maker) => maker.problem(job.number, interrupt)?,
        };
        Ok(found.map(|problem| problem.as_ref().map(FoundProblem::from)))
    }
}

impl From<ProblemGoal> for Goal {
    fn from(goal: ProblemGoal) -> Goal {
        match goal {
            ProblemGoal::ForcedWin { plies } => Goal::ForcedWin { plies },
            ProblemGoal::Tactic { margin, nodes } => Goal::Tactic { margin, nodes },
        }
    }
}

impl From<Goal> for ProblemGoal {
    fn from(goal: Goal) -> ProblemGoal {
        match goal {
            Goal::ForcedWin { plies } => ProblemGoal::ForcedWin { plies },
            Goal::Tactic { margin, nodes } => ProblemGoal::Tactic { margin, nodes },
        }
    }
}

impl From<&Problem> for FoundProblem {
    fn from(problem: &Problem) -> FoundProblem {
        let Problem { position, best, avoid, criterion, distance, .. } = problem.clone();
        FoundProblem { position, best, avoid, criterion: criterion.to_string(), distance }
    }
}

impl TryFrom<FoundProblem> for Problem {
    type Error = SuiteError;

    fn try_from(found: FoundProblem) -> Result<Problem, SuiteError> {
        let FoundProblem { position, best, avoid, criterion, distance } = found;
        let criterion = criterion.parse().map_err(|error| SuiteError::Stored(format!("{error}")))?;
        Ok(Problem { position, best, avoid, id: String::new(), criterion, distance })
    }
}
