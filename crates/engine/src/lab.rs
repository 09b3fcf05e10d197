//! The lab: measures a scheme on a suite, on all cores, never twice.
//!
//! A measurement depends on nothing but its job. Problems are searched in parallel, but results count
//! in the order of the suite, each search draws its chances from the problem and the seed alone, and a
//! measurement whose question is settled early ends at the same problem on any number of threads.

use std::num::NonZeroUsize;
use std::ops::ControlFlow;
use std::thread;

use plysmith_core::feature::Scheme;
use plysmith_core::game::PositionError;
use plysmith_core::games::{AnyPosition, Entry};
use plysmith_core::random::{Random, derive_seed};
use plysmith_core::search;
use plysmith_core::search::deepening::{End, Interrupt, Limit, NoMemory, Root, Task, Workspace};
use plysmith_core::search::settings::Settings;
use plysmith_core::suite::problem::{Problem, Suite};
use thiserror::Error;

use crate::measurement::{Attempt, Job, Measurement, Memo};
use crate::parallel::in_order;

/// A suite, and how to search it.
pub struct Lab {
    game: &'static Entry,
    suite: Suite,
    suite_key: String,
    positions: Vec<Box<dyn AnyPosition>>,
    conditions: Conditions,
    /// One for each thread.
    workspaces: Vec<Workspace>,
}

/// How a lab searches every problem.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct Conditions {
    /// Search settings.
    pub settings: Settings,
    /// Node limit a problem.
    pub nodes: u64,
    /// The seed of all move orders.
    pub seed: u64,
}

/// What the caller wants of a measurement, besides the result.
pub struct Wishes<'a> {
    /// End as soon as fewer solved problems than this are certain.
    pub at_least: Option<u32>,
    /// Asked now and then whether to give up.
    pub interrupt: &'a Interrupt<'a>,
    /// Told each time a problem is through: how many are.
    pub progress: &'a dyn Fn(usize),
}

/// Why there is no measurement.
#[derive(Debug, Error)]
pub enum LabError<E> {
    /// It was interrupted; what was done of it is in the memo.
    #[error("interrupted")]
    Interrupted,
    /// The memo failed.
    #[error(transparent)]
    Memo(E),
}

/// Why a lab cannot be set up.
#[derive(Debug, Error)]
pub enum SetUpError {
    /// The suite has a position that cannot be.
    #[error(transparent)]
    Position(#[from] PositionError),
    /// The tables do not fit.
    #[error(transparent)]
    Memory(#[from] NoMemory),
}

/// As many threads as there are cores.
pub fn all_cores() -> NonZeroUsize {
    thread::available_parallelism().unwrap_or(NonZeroUsize::MIN)
}

impl Lab {
    /// Sets up a suite of this game. Suites that were read from text have no wrong position.
    pub fn new(
        game: &'static Entry,
        suite: Suite,
        conditions: Conditions,
        threads: NonZeroUsize,
    ) -> Result<Lab, SetUpError> {
        let open = |problem: &Problem| (game.open)(&problem.position);
        let positions = suite.problems.iter().map(open).collect::<Result<_, _>>()?;
        let workspace = |_| Workspace::with_memory(&conditions.settings);
        let workspaces = (0..threads.get()).map(workspace).collect::<Result<_, _>>()?;
        Ok(Lab { game, suite_key: suite.content_key(), suite, positions, conditions, workspaces })
    }

    /// The suite.
    pub fn suite(&self) -> &Suite {
        &self.suite
    }

    /// What measuring this scheme depends on.
    pub fn job(&self, scheme: &Scheme) -> Job {
        Job {
            game: self.game.name.to_string(),
            suite: self.suite_key.clone(),
            scheme: self.game.vocabulary.print_scheme(scheme),
            settings: self.game.print_settings(&self.conditions.settings),
            nodes: self.conditions.nodes,
            seed: self.conditions.seed,
            random: Random::ALGORITHM.to_string(),
            revision: search::REVISION,
        }
    }

    /// Measures a scheme, or recalls what was measured of it and only does the rest.
    pub fn measure<M: Memo>(
        &mut self,
        scheme: &Scheme,
        wishes: &Wishes<'_>,
        memo: &mut M,
    ) -> Result<Measurement, LabError<M::Error>> {
        let job = self.job(scheme);
        let attempts = memo.recall(&job).map_err(LabError::Memo)?.unwrap_or_default();
        let recalled = attempts.len();
        let mut measurement = Measurement { attempts, problems: self.positions.len() };
        let settled = |measurement: &Measurement| wishes.at_least.is_some_and(|least| measurement.is_below(least));
        if !settled(&measurement) {
            self.complete(scheme, wishes, &mut measurement, settled);
        }
        if measurement.attempts.len() > recalled {
            memo.keep(&job, &measurement.attempts).map_err(LabError::Memo)?;
        }
        if !measurement.is_complete() && !settled(&measurement) {
            return Err(LabError::Interrupted);
        }
        // What was recalled may go further than this question needs; the answer is the same either way.
        Ok(match wishes.at_least {
            Some(least) => measurement.until_below(least),
            None => measurement,
        })
    }

    /// Adds attempts from the first problem without one on, until all are there or the question is settled.
    fn complete(
        &mut self,
        scheme: &Scheme,
        wishes: &Wishes<'_>,
        measurement: &mut Measurement,
        settled: impl Fn(&Measurement) -> bool,
    ) {
        let (positions, problems, conditions) = (&self.positions, &self.suite.problems, &self.conditions);
        let jobs = measurement.attempts.len() as u64..positions.len() as u64;
        in_order(
            jobs,
            &mut self.workspaces,
            |crew, workspace, index| {
                let index = index as usize;
                let interrupt = || crew.is_halted() || (wishes.interrupt)();
                conditions.attempt(&problems[index], positions[index].as_ref(), scheme, &interrupt, workspace)
            },
            |index, attempt| {
                measurement.attempts.push(attempt);
                (wishes.progress)(index as usize + 1);
                if settled(measurement) { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
            },
        );
    }
}

impl Conditions {
    /// Searches one problem; nothing if it was interrupted.
    fn attempt(
        &self,
        problem: &Problem,
        position: &dyn AnyPosition,
        scheme: &Scheme,
        interrupt: &Interrupt<'_>,
        workspace: &mut Workspace,
    ) -> Option<Attempt> {
        if interrupt() {
            return None;
        }
        let task = Task {
            settings: self.settings,
            scheme,
            limit: Limit::nodes(self.nodes),
            seed: derive_seed(self.seed, &problem.position),
            interrupt,
            root: Root::default(),
        };
        let report = position.search(&task, workspace);
        (report.end != End::Interrupted).then(|| Attempt {
            solved: problem.is_solved_by(&report),
            nodes: report.nodes,
            depth: report.depth,
            height: report.height,
            moves: report.moves,
            fired: report.fired,
        })
    }
}
