//! The lab: measures a candidate on a suite, on all cores, never twice.
//!
//! A measurement depends on nothing but its job. Problems are searched in parallel, but results count
//! in the order of the suite, each search draws its chances from the problem and the seed alone, and a
//! measurement whose question is settled early ends at the same problem on any number of threads.
//!
//! A foreign engine may fail. A problem at which it failed [`MOST_FAILURES`] times, each time in a fresh process, is
//! excluded by name and never scored; an engine that fails everywhere ends the measurement.

use std::fmt;
use std::num::NonZeroUsize;
use std::ops::ControlFlow;
use std::thread;

use plysmith_core::game::PositionError;
use plysmith_core::problem::{Problem, Suite};
use plysmith_core::search::{Interrupt, NoMemory};
use thiserror::Error;

use crate::driver::{Candidate, CandidateError, Conditions, Driver, DriverError, Parameter, Request, Subject};
use crate::measurement::{Attempt, Job, Measurement, Memo};
use crate::parallel::in_order;
use crate::process::EngineError;

/// A suite, and what is measured on it.
pub struct Lab {
    subject: Box<dyn Subject>,
    suite: Suite,
    conditions: Conditions,
    /// One for each thread.
    drivers: Vec<Box<dyn Driver>>,
}

/// How long, and by which chance, a lab searches every problem.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct Limits {
    /// Node limit a problem.
    pub nodes: u64,
    /// The seed of all move orders.
    pub seed: u64,
}

/// What the caller wants of a measurement, besides the result.
pub struct MeasureOptions<'a> {
    /// End as soon as fewer solved problems than this are certain.
    pub at_least: Option<u32>,
    /// Asked now and then whether to give up.
    pub interrupt: &'a Interrupt<'a>,
    /// Told each time a problem is through: how many are.
    pub progress: &'a dyn Fn(usize),
    /// Told of every fault of a foreign engine, in the order of the suite.
    pub incident: &'a dyn Fn(&Incident<'_>),
}

/// A fault of a foreign engine.
#[derive(Copy, Clone, Debug)]
pub struct Incident<'a> {
    /// The problem that it was at.
    pub problem: &'a Problem,
    /// How often it has failed there, this time included.
    pub times: usize,
    /// What it did, with what was said.
    pub error: &'a EngineError,
    /// Whether the problem is excluded for it.
    pub is_excluded: bool,
}

/// Whether a search of the same problem shows the same again.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct Repeats {
    /// At once.
    pub at_once: bool,
    /// After another problem.
    pub in_another_order: bool,
    /// In another process.
    pub in_another_process: bool,
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
    /// The candidate is none for what is measured.
    #[error(transparent)]
    Candidate(#[from] CandidateError),
    /// The engine cannot be used; what was done before is in the memo.
    #[error(transparent)]
    Engine(EngineError),
    /// The engine fails everywhere.
    #[error("the engine failed {MOST_FAILURES} times at each of {problems} problems in a row; the last time: {error}")]
    Hopeless {
        /// How many.
        problems: usize,
        /// The last failure.
        error: String,
    },
}

/// Why a lab cannot be set up.
#[derive(Debug, Error)]
pub enum SetUpError {
    /// The suite has a position that cannot be.
    #[error("problem '{id}': {error}")]
    Position {
        /// The problem.
        id: String,
        /// What is wrong with it.
        error: PositionError,
    },
    /// The tables do not fit.
    #[error(transparent)]
    Memory(#[from] NoMemory),
}

/// A problem at which a foreign engine failed so often is excluded.
pub const MOST_FAILURES: usize = 3;
/// After so many excluded problems in a row it is the engine, not the problems.
pub const MOST_EXCLUDED_IN_A_ROW: usize = 10;

/// The searches that are compared with each other are at most this long.
const REPEATED_NODES: u64 = 20_000;

/// As many threads as there are cores.
pub fn all_cores() -> NonZeroUsize {
    thread::available_parallelism().unwrap_or(NonZeroUsize::MIN)
}

/// What became of one problem.
struct Trial {
    attempt: Attempt,
    errors: Vec<EngineError>,
}

/// Why the problems after this one are not tried.
enum Halt {
    Engine(EngineError),
    Candidate(CandidateError),
    Hopeless(usize, String),
}

impl Repeats {
    /// What to warn of, if anything.
    pub fn warning(&self) -> Option<String> {
        let cases = [
            (self.at_once, "at once"),
            (self.in_another_order, "after another problem"),
            (self.in_another_process, "in another process"),
        ];
        let differing: Vec<_> = cases.iter().filter(|(same, _)| !same).map(|(_, when)| *when).collect();
        (!differing.is_empty()).then(|| {
            format!(
                "the same search is another one when it is repeated ({}); results of this engine cannot be repeated",
                differing.join(", ")
            )
        })
    }
}

impl fmt::Display for Incident<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Incident { problem, times, error, is_excluded } = self;
        let then = match is_excluded {
            true if *times == MOST_FAILURES => "the problem is excluded",
            _ => "started again",
        };
        write!(f, "problem '{}', failure {times}: {error}\n {then}", problem.id)
    }
}

impl Lab {
    /// Sets up a suite for this subject, with a driver for each thread.
    pub fn new(
        subject: Box<dyn Subject>,
        suite: Suite,
        limits: Limits,
        threads: NonZeroUsize,
    ) -> Result<Lab, SetUpError> {
        check(subject.as_ref(), &suite)?;
        let drivers = (0..threads.get()).map(|_| subject.driver()).collect::<Result<_, _>>()?;
        let conditions = Conditions { suite: suite.content_key(), nodes: limits.nodes, seed: limits.seed };
        Ok(Lab { subject, suite, conditions, drivers })
    }

    /// Measures on another suite from now on, with the same drivers.
    pub fn turn_to(&mut self, suite: &Suite) -> Result<(), SetUpError> {
        if self.suite != *suite {
            check(self.subject.as_ref(), suite)?;
            self.conditions.suite = suite.content_key();
            self.suite = suite.clone();
        }
        Ok(())
    }

    /// The suite.
    pub fn suite(&self) -> &Suite {
        &self.suite
    }

    /// What can be tuned here.
    pub fn parameters(&self) -> &[Parameter] {
        self.subject.parameters()
    }

    /// What measuring this candidate depends on.
    pub fn job(&self, candidate: &Candidate) -> Result<Job, CandidateError> {
        self.subject.job(candidate, &self.conditions)
    }

    /// Whether short searches of the same problem are the same again: at once, after another problem, in another
    /// process. Nothing if it was interrupted, or the engine fails at them; measuring will tell.
    pub fn check_repeats(
        &mut self,
        candidate: &Candidate,
        interrupt: &Interrupt<'_>,
    ) -> Result<Option<Repeats>, DriverError> {
        let (Some(first), Some(driver)) = (self.suite.problems.first(), self.drivers.first_mut()) else {
            return Ok(None);
        };
        let second = self.suite.problems.get(self.suite.problems.len() / 2).unwrap_or(first);
        let Conditions { nodes, seed, .. } = self.conditions;
        let request = |problem| Request { problem, candidate, nodes: nodes.min(REPEATED_NODES), seed };
        let show = |driver: &mut dyn Driver, problem| match driver.fingerprint(&request(problem), interrupt) {
            Err(DriverError::Failed(_)) => Ok(None),
            shown => shown,
        };
        let mut shown = Vec::new();
        for problem in [first, first, second, first, second] {
            let Some(text) = show(driver.as_mut(), problem)? else { return Ok(None) };
            shown.push(text);
        }
        let Ok(mut other) = self.subject.driver() else { return Ok(None) };
        let Some(elsewhere) = show(other.as_mut(), first)? else { return Ok(None) };
        Ok(Some(Repeats {
            at_once: shown[0] == shown[1],
            in_another_order: shown[0] == shown[3] && shown[2] == shown[4],
            in_another_process: shown[0] == elsewhere,
        }))
    }

    /// Measures a candidate, or recalls what was measured of it and only does the rest.
    pub fn measure<M: Memo>(
        &mut self,
        candidate: &Candidate,
        options: &MeasureOptions<'_>,
        memo: &mut M,
    ) -> Result<Measurement, LabError<M::Error>> {
        let job = self.job(candidate)?;
        let attempts = memo.recall(&job).map_err(LabError::Memo)?.unwrap_or_default();
        let recalled = attempts.len();
        let mut measurement = Measurement { attempts, problems: self.suite.problems.len() };
        let settled = |measurement: &Measurement| options.at_least.is_some_and(|least| measurement.is_below(least));
        let mut halt = None;
        if !settled(&measurement) {
            halt = self.complete(candidate, options, &mut measurement, settled);
        }
        if measurement.attempts.len() > recalled {
            memo.keep(&job, &measurement.attempts).map_err(LabError::Memo)?;
        }
        match halt {
            Some(Halt::Engine(error)) => return Err(LabError::Engine(error)),
            Some(Halt::Candidate(error)) => return Err(LabError::Candidate(error)),
            Some(Halt::Hopeless(problems, error)) => return Err(LabError::Hopeless { problems, error }),
            None if !measurement.is_complete() && !settled(&measurement) => return Err(LabError::Interrupted),
            None => {}
        }
        // What was recalled may go further than this question needs; the answer is the same either way.
        Ok(match options.at_least {
            Some(least) => measurement.until_below(least),
            None => measurement,
        })
    }

    /// Adds attempts from the first problem without one on, until all are there or the question is settled; or says
    /// why it does not go on.
    fn complete(
        &mut self,
        candidate: &Candidate,
        options: &MeasureOptions<'_>,
        measurement: &mut Measurement,
        settled: impl Fn(&Measurement) -> bool,
    ) -> Option<Halt> {
        let (problems, conditions) = (&self.suite.problems, &self.conditions);
        let jobs = measurement.attempts.len() as u64..problems.len() as u64;
        let mut halt = hopeless(measurement);
        if halt.is_some() {
            return halt;
        }
        in_order(
            jobs,
            &mut self.drivers,
            |pool, driver, index| {
                let Conditions { nodes, seed, .. } = *conditions;
                let request = Request { problem: &problems[index as usize], candidate, nodes, seed };
                try_often(driver.as_mut(), &request, &|| pool.is_halted() || (options.interrupt)())
            },
            |index, trial| {
                let Trial { attempt, errors } = match trial {
                    Ok(trial) => trial,
                    Err(reason) => {
                        halt = Some(reason);
                        return ControlFlow::Break(());
                    }
                };
                let (problem, is_excluded) = (&problems[index as usize], attempt.is_excluded());
                for (times, error) in (1..).zip(&errors) {
                    (options.incident)(&Incident { problem, times, error, is_excluded });
                }
                measurement.attempts.push(attempt);
                (options.progress)(index as usize + 1);
                halt = hopeless(measurement);
                if halt.is_some() || settled(measurement) { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
            },
        );
        halt
    }
}

/// Whether all problems of a suite can be asked.
fn check(subject: &dyn Subject, suite: &Suite) -> Result<(), SetUpError> {
    suite.problems.iter().try_for_each(|problem| {
        subject.check(problem).map_err(|error| SetUpError::Position { id: problem.id.clone(), error })
    })
}

/// Whether the last attempts are all failures.
fn hopeless(measurement: &Measurement) -> Option<Halt> {
    let last = measurement.attempts.iter().rev().map_while(|attempt| attempt.failure.as_ref());
    let count = last.clone().count();
    // Of a suite that has fewer problems, all.
    if count == 0 || count < MOST_EXCLUDED_IN_A_ROW.min(measurement.problems) {
        return None;
    }
    last.take(1).next().map(|failure| Halt::Hopeless(count, failure.clone()))
}

/// Tries a problem until it succeeds, is interrupted (then there is nothing), or has failed too often.
fn try_often(driver: &mut dyn Driver, request: &Request<'_>, interrupt: &Interrupt<'_>) -> Option<Result<Trial, Halt>> {
    let mut errors = Vec::new();
    loop {
        match driver.attempt(request, interrupt) {
            Ok(None) => return None,
            Ok(Some(attempt)) => return Some(Ok(Trial { attempt, errors })),
            Err(DriverError::Failed(error)) => errors.push(error),
            Err(DriverError::Unusable(error)) => return Some(Err(Halt::Engine(error))),
            Err(DriverError::Candidate(error)) => return Some(Err(Halt::Candidate(error))),
        }
        if let Some(error) = errors.get(MOST_FAILURES - 1) {
            let attempt = Attempt::excluded(failure(request, error));
            return Some(Ok(Trial { attempt, errors }));
        }
    }
}

/// Why a problem is excluded, and all that is needed to see it again.
fn failure(request: &Request<'_>, error: &EngineError) -> String {
    let Request { problem, candidate, nodes, .. } = request;
    let candidate = match candidate {
        Candidate::Scheme(_) => "a scheme, as the commands below say".to_string(),
        Candidate::Weights(weights) => format!("weights {weights}"),
    };
    format!(
        "'{}' is excluded: {}\n position: {}\n candidate: {candidate}; at most {nodes} nodes\n{}",
        problem.id,
        error.summary(),
        problem.position,
        error.details(),
    )
}
