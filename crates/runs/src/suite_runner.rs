//! Measures a candidate on a suite: in parallel, with an early stop, never twice.
//!
//! A measurement depends only on its job. Problems are searched in parallel, but results count in the order of the
//! suite, and each search draws random numbers from the problem and the seed alone. A measurement that stops early
//! stops at the same problem on any number of threads.
//!
//! An external engine may fail. A problem at which it failed [`MOST_FAILURES`] times, each time in a fresh process, is
//! excluded by name and never scored. An engine that fails everywhere ends the measurement.

use std::fmt;
use std::num::NonZeroUsize;
use std::ops::ControlFlow;
use std::sync::Arc;
use std::time::{Duration, Instant};

use plysmith_core::game::PositionError;
use plysmith_core::problem::{Problem, Suite};
use plysmith_core::search::{Interrupt, NoMemory};
use plysmith_engine::driver::{
    Candidate, CandidateError, Conditions, Driver, DriverError, Parameter, Request, Subject,
};
use plysmith_engine::measurement::{Attempt, Measurement, MeasurementJob};
use plysmith_engine::process::EngineError;
use plysmith_store::StoreError;
use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::error::RunError;
use crate::executor::{Executor, ExecutorError, Remote};
use crate::job::{Job, Key, Worker};
use crate::memo::Memo;
use crate::remote::{JobList, Needs, RemoteError, RemoteQueue, shared};

/// A suite, and the engine that is measured on it.
pub struct SuiteRunner {
    subject: Box<dyn Subject>,
    suite: Suite,
    conditions: Conditions,
    threads: NonZeroUsize,
    /// One for each thread, but no more than problems.
    drivers: Vec<Box<dyn Driver>>,
    /// Where problems are sent, if they are.
    remote: Option<RemoteSuite>,
}

/// A way to other machines, and what they need.
struct RemoteSuite {
    queue: Arc<dyn RemoteQueue>,
    /// The suite, and what does not depend on it.
    needs: Needs,
}

/// The node limit for each problem, and the seed.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct SearchLimits {
    /// Node limit for each problem.
    pub nodes: u64,
    /// Random seed of all move orders.
    pub seed: u64,
}

/// How to measure.
pub struct MeasureOptions<'a> {
    /// Stop as soon as it is certain that fewer problems than this are solved.
    pub at_least: Option<u32>,
    /// Polled often; when it is raised, the measurement stops.
    pub interrupt: &'a Interrupt<'a>,
    /// Called after each problem with the number of problems done.
    pub progress: &'a dyn Fn(usize),
    /// Called for every fault of an external engine, in the order of the suite.
    pub incident: &'a dyn Fn(&Incident<'_>),
}

/// A fault of an external engine.
#[derive(Copy, Clone, Debug)]
pub struct Incident<'a> {
    /// The problem that was being searched.
    pub problem: &'a Problem,
    /// How often the engine has failed at it, this time included.
    pub times: usize,
    /// What it did, with the last lines of the dialogue.
    pub fault: &'a str,
    /// Whether the problem ends up excluded.
    pub is_excluded: bool,
}

/// Whether repeated searches of a problem give the same result.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct Repeats {
    /// When repeated immediately.
    pub at_once: bool,
    /// When repeated after another problem.
    pub in_another_order: bool,
    /// When repeated in another process.
    pub in_another_process: bool,
}

/// Why there is no measurement.
#[derive(Debug, Error)]
pub enum MeasureError {
    /// It was interrupted. What was done is in the cache.
    #[error("interrupted")]
    Interrupted,
    /// The result cache failed.
    #[error(transparent)]
    Memo(#[from] StoreError),
    /// The way to other machines failed. What was done before is in the cache.
    #[error(transparent)]
    Remote(#[from] RemoteError),
    /// The engine cannot be given this candidate.
    #[error(transparent)]
    Candidate(#[from] CandidateError),
    /// The engine cannot be used. What was done before is in the cache.
    #[error(transparent)]
    Engine(EngineError),
    /// The engine fails everywhere.
    #[error("the engine failed {MOST_FAILURES} times at each of {problems} problems in a row; the last time: {error}")]
    FailsEverywhere {
        /// How many problems in a row.
        problems: usize,
        /// The last failure.
        error: String,
    },
}

/// Why a suite cannot be measured.
#[derive(Debug, Error)]
pub enum SuiteRunnerError {
    /// The suite has an impossible position.
    #[error("problem '{id}': {error}")]
    Position {
        /// The problem.
        id: String,
        /// What is wrong with it.
        error: PositionError,
    },
    /// There is no memory for the transposition tables.
    #[error(transparent)]
    Memory(#[from] NoMemory),
}

/// A problem at which an external engine failed this often is excluded.
pub const MOST_FAILURES: usize = 3;
/// After this many excluded problems in a row the engine is at fault, not the problems.
pub const MOST_EXCLUDED_IN_A_ROW: usize = 10;

/// How often what there is of a measurement is stored while it goes on.
const KEPT_EVERY: Duration = Duration::from_secs(10);

/// Node limit of the searches that are repeated to see whether an engine is deterministic.
const REPEATED_NODES: u64 = 20_000;

/// One problem of a measurement.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct AttemptJob {
    /// The measurement it belongs to.
    pub measurement: MeasurementJob,
    /// The problem's place in the suite.
    pub problem: u64,
}

/// The result of one problem: the attempt that counts, and the faults before it.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Trial {
    /// The attempt that counts.
    pub attempt: Attempt,
    /// What the engine did wrong before.
    pub faults: Vec<String>,
}

/// A note that parts of a measurement are stored: problems that were searched elsewhere, each under its own key. Without
/// it nobody looks for them.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct PartsJob {
    /// The measurement's key.
    pub measurement: String,
}

impl Job for PartsJob {
    const KIND: &'static str = "parts";
    const IS_PORTABLE: bool = false;
    type Result = bool;

    fn key(&self) -> Key {
        Key::of(&format!("parts\n{}", self.measurement))
    }
}

impl Job for MeasurementJob {
    const KIND: &'static str = "measurement";
    type Result = Vec<Attempt>;

    fn key(&self) -> Key {
        Key::from_hex(MeasurementJob::key(self))
    }

    fn done(attempts: &Vec<Attempt>) -> u32 {
        attempts.len() as u32
    }
}

impl Job for AttemptJob {
    const KIND: &'static str = "attempt";
    type Result = Trial;

    fn key(&self) -> Key {
        Key::of(&format!("attempt\n{}\n{}", Job::key(&self.measurement), self.problem))
    }
}

/// Searches problems with one driver.
pub(crate) struct AttemptWorker<'a> {
    /// The driver.
    pub driver: &'a mut Box<dyn Driver>,
    /// The problems of the suite.
    pub problems: &'a [Problem],
    /// What is measured.
    pub candidate: &'a Candidate,
}

impl Worker<AttemptJob> for AttemptWorker<'_> {
    type Error = MeasureError;

    fn run(&mut self, job: &AttemptJob, interrupt: &Interrupt<'_>) -> Result<Option<Trial>, MeasureError> {
        let MeasurementJob { nodes, seed, .. } = job.measurement;
        let problem = &self.problems[job.problem as usize];
        let request = Request { problem, candidate: self.candidate, nodes, seed };
        let tries = try_often(|| self.driver.attempt(&request, interrupt))?;
        Ok(tries.map(|Tries { outcome, faults }| {
            let attempt = outcome.unwrap_or_else(|error| Attempt::excluded(failure(&request, &error)));
            Trial { attempt, faults }
        }))
    }
}

impl SuiteRunner {
    /// Prepares a suite for this engine, with a driver for each thread that has a problem to search.
    pub fn new(
        subject: Box<dyn Subject>,
        suite: Suite,
        limits: SearchLimits,
        threads: NonZeroUsize,
    ) -> Result<SuiteRunner, SuiteRunnerError> {
        check(subject.as_ref(), &suite)?;
        let conditions = Conditions { suite: suite.content_key(), nodes: limits.nodes, seed: limits.seed };
        let mut runner = SuiteRunner { subject, suite, conditions, threads, drivers: Vec::new(), remote: None };
        runner.add_drivers()?;
        Ok(runner)
    }

    /// Lets other machines search problems; they need this besides the suite.
    #[must_use]
    pub fn with_remote(mut self, queue: &Arc<dyn RemoteQueue>, needs: Needs) -> SuiteRunner {
        self.remote = Some(RemoteSuite { queue: queue.clone(), needs: self.with_suite(needs) });
        self
    }

    /// Adds the suite in front.
    fn with_suite(&self, needs: Needs) -> Needs {
        Needs { blobs: [shared::suite(&self.suite)].into_iter().chain(needs.blobs).collect(), engines: needs.engines }
    }

    fn add_drivers(&mut self) -> Result<(), NoMemory> {
        while self.drivers.len() < self.threads.get().min(self.suite.problems.len()) {
            self.drivers.push(self.subject.driver()?);
        }
        Ok(())
    }

    /// Switches to another suite, with the same drivers; more if it has more problems.
    pub fn set_suite(&mut self, suite: &Suite) -> Result<(), SuiteRunnerError> {
        if self.suite != *suite {
            check(self.subject.as_ref(), suite)?;
            self.conditions.suite = suite.content_key();
            self.suite = suite.clone();
            if let Some(remote) = &mut self.remote {
                remote.needs.blobs[0] = shared::suite(suite);
            }
            self.add_drivers()?;
        }
        Ok(())
    }

    /// Names the problems that a measurement of this candidate still has to search. Other machines need this besides the
    /// suite.
    pub fn list_jobs(&self, candidate: &Candidate, needs: Needs, jobs: &mut JobList<'_>) -> Result<(), RunError> {
        let measurement = self.job(candidate)?;
        let done = jobs.memo().recall(&measurement)?.map_or(0, |attempts| attempts.len());
        let Needs { blobs, engines } = self.with_suite(needs);
        (done as u64..self.suite.problems.len() as u64).try_for_each(|problem| {
            jobs.add(&AttemptJob { measurement: measurement.clone(), problem }, &blobs, &engines)
        })
    }

    /// Switches to another random seed.
    pub fn set_seed(&mut self, seed: u64) {
        self.conditions.seed = seed;
    }

    /// The suite.
    pub fn suite(&self) -> &Suite {
        &self.suite
    }

    /// The engine's tunable parameters.
    pub fn parameters(&self) -> &[Parameter] {
        self.subject.parameters()
    }

    /// What measuring this candidate depends on.
    pub fn job(&self, candidate: &Candidate) -> Result<MeasurementJob, CandidateError> {
        self.subject.job(candidate, &self.conditions)
    }

    /// Whether short searches of the same problem give the same result when repeated: at once, after another
    /// problem, in another process. `None` if it was interrupted or the engine fails at them.
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

    /// Measures a candidate. What the cache has of it is not searched again.
    pub fn measure(
        &mut self,
        candidate: &Candidate,
        options: &MeasureOptions<'_>,
        memo: Memo<'_>,
    ) -> Result<Measurement, MeasureError> {
        let job = self.job(candidate)?;
        let attempts = memo.recall(&job)?.unwrap_or_default();
        let recalled = attempts.len();
        let mut measurement = Measurement { attempts, problems: self.suite.problems.len() };
        let is_settled = |measurement: &Measurement| options.at_least.is_some_and(|least| measurement.is_below(least));
        let mut outcome = Ok(());
        if !is_settled(&measurement) {
            let is_settled = &mut |measurement: &Measurement| is_settled(measurement);
            outcome = self.complete(&job, candidate, options, memo, &mut measurement, is_settled);
        }
        if measurement.attempts.len() > recalled {
            memo.keep(&job, &measurement.attempts)?;
        }
        outcome?;
        if !measurement.is_complete() && !is_settled(&measurement) {
            return Err(MeasureError::Interrupted);
        }
        // The cache may hold more than this question needs; the answer is the same either way.
        Ok(match options.at_least {
            Some(least) => measurement.until_below(least),
            None => measurement,
        })
    }

    /// Measures a candidate until `stop`, which is shown every attempt once, in the order of the suite, says that no more are
    /// needed. What the cache has of it is not searched again; `stop` is shown it too, so the answer is the same.
    pub fn measure_until(
        &mut self,
        candidate: &Candidate,
        options: &MeasureOptions<'_>,
        memo: Memo<'_>,
        stop: &mut dyn FnMut(&Attempt) -> bool,
    ) -> Result<Measurement, MeasureError> {
        let job = self.job(candidate)?;
        let attempts = memo.recall(&job)?.unwrap_or_default();
        let recalled = attempts.len();
        let mut measurement = Measurement { attempts, problems: self.suite.problems.len() };
        if let Some(last) = measurement.attempts.iter().position(&mut *stop) {
            measurement.attempts.truncate(last + 1);
            return Ok(measurement);
        }
        let mut is_stopped = false;
        let outcome = self.complete(&job, candidate, options, memo, &mut measurement, &mut |measurement| {
            is_stopped = measurement.attempts.last().is_some_and(&mut *stop);
            is_stopped
        });
        if measurement.attempts.len() > recalled {
            memo.keep(&job, &measurement.attempts)?;
        }
        outcome?;
        if !measurement.is_complete() && !is_stopped {
            return Err(MeasureError::Interrupted);
        }
        Ok(measurement)
    }

    /// Adds attempts from the first problem without one, until all are there or the question is settled.
    fn complete(
        &mut self,
        job: &MeasurementJob,
        candidate: &Candidate,
        options: &MeasureOptions<'_>,
        memo: Memo<'_>,
        measurement: &mut Measurement,
        is_settled: &mut dyn FnMut(&Measurement) -> bool,
    ) -> Result<(), MeasureError> {
        check_hopeless(measurement)?;
        let problems = &self.suite.problems;
        let mut workers: Vec<_> =
            self.drivers.iter_mut().map(|driver| AttemptWorker { driver, problems, candidate }).collect();
        // Attempts are kept together, under the measurement's key. Only what came from elsewhere is kept one by one.
        let parts = PartsJob { measurement: job.key() };
        let known = if memo.recall(&parts)?.is_some() { memo.without_keeping() } else { Memo::Disabled };
        let (mut kept, mut kept_at) = (measurement.attempts.len(), Instant::now());
        let mut not_kept = None;
        let remote = self.remote.as_ref();
        let remote = remote.map(|remote| Remote {
            queue: &*remote.queue,
            blobs: &remote.needs.blobs,
            engines: &remote.needs.engines,
        });
        let executor = Executor { memo: known, interrupt: options.interrupt, remote };
        let mut failure = Ok(());
        let ran = executor.run(
            measurement.attempts.len() as u64..problems.len() as u64,
            |problem| AttemptJob { measurement: job.clone(), problem },
            &mut workers,
            |done| {
                let Trial { attempt, faults } = done.result;
                let (problem, is_excluded) = (&problems[done.number as usize], attempt.is_excluded());
                for (times, fault) in (1..).zip(&faults) {
                    (options.incident)(&Incident { problem, times, fault, is_excluded });
                }
                measurement.attempts.push(attempt);
                (options.progress)(done.number as usize + 1);
                failure = check_hopeless(measurement);
                // A long measurement that is killed loses little.
                if kept_at.elapsed() >= KEPT_EVERY && measurement.attempts.len() > kept {
                    not_kept = memo.keep(job, &measurement.attempts).err();
                    (kept, kept_at) = (measurement.attempts.len(), Instant::now());
                }
                if not_kept.is_some() || failure.is_err() || is_settled(measurement) {
                    ControlFlow::Break(())
                } else {
                    ControlFlow::Continue(())
                }
            },
        );
        if let Some(error) = not_kept {
            return Err(error.into());
        }
        match ran {
            Ok(_) => failure,
            Err(ExecutorError::Worker(error)) => Err(error),
            Err(ExecutorError::Memo(error)) => Err(error.into()),
            Err(ExecutorError::Remote(error)) => Err(error.into()),
        }
    }
}

/// Whether the engine can search every problem of a suite.
fn check(subject: &dyn Subject, suite: &Suite) -> Result<(), SuiteRunnerError> {
    suite.problems.iter().try_for_each(|problem| {
        subject.check(problem).map_err(|error| SuiteRunnerError::Position { id: problem.id.clone(), error })
    })
}

/// Fails if the last attempts are all failures.
fn check_hopeless(measurement: &Measurement) -> Result<(), MeasureError> {
    let failures = measurement.attempts.iter().rev().map(|attempt| attempt.failure.as_deref());
    check_failures(failures, measurement.problems)
}

/// Fails if the engine failed at too many problems in a row. `last` has the failures, from the last problem on.
pub(crate) fn check_failures<'a>(
    last: impl Iterator<Item = Option<&'a str>>,
    of_problems: usize,
) -> Result<(), MeasureError> {
    let failures: Vec<&str> = last.map_while(|failure| failure).take(MOST_EXCLUDED_IN_A_ROW).collect();
    // A suite may have fewer problems than that.
    if failures.is_empty() || failures.len() < MOST_EXCLUDED_IN_A_ROW.min(of_problems) {
        return Ok(());
    }
    Err(MeasureError::FailsEverywhere { problems: failures.len(), error: failures[0].to_string() })
}

/// How a problem was tried: until it succeeded, or had failed [`MOST_FAILURES`] times and is to be excluded.
pub(crate) struct Tries<T> {
    /// The result, or the last failure.
    pub outcome: Result<T, EngineError>,
    /// Every fault on the way.
    pub faults: Vec<String>,
}

/// Tries a problem until it succeeds, is interrupted, or has failed too often.
pub(crate) fn try_often<T>(
    mut attempt: impl FnMut() -> Result<Option<T>, DriverError>,
) -> Result<Option<Tries<T>>, MeasureError> {
    let mut faults = Vec::new();
    loop {
        let error = match attempt() {
            Ok(result) => return Ok(result.map(|result| Tries { outcome: Ok(result), faults })),
            Err(DriverError::Failed(error)) => error,
            Err(DriverError::Unusable(error)) => return Err(MeasureError::Engine(error)),
            Err(DriverError::Candidate(error)) => return Err(MeasureError::Candidate(error)),
        };
        faults.push(error.to_string());
        if faults.len() == MOST_FAILURES {
            return Ok(Some(Tries { outcome: Err(error), faults }));
        }
    }
}

/// Why a problem is excluded, with everything needed to reproduce it.
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

impl Repeats {
    /// The warning for an engine that is not deterministic.
    pub fn warning(&self) -> Option<String> {
        let cases = [
            (self.at_once, "at once"),
            (self.in_another_order, "after another problem"),
            (self.in_another_process, "in another process"),
        ];
        let differing: Vec<_> = cases.iter().filter(|(same, _)| !same).map(|(_, when)| *when).collect();
        (!differing.is_empty()).then(|| {
            format!(
                "a repeated search gives another result ({}); measurements of this engine are not reproducible",
                differing.join(", ")
            )
        })
    }
}

impl fmt::Display for Incident<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Incident { problem, times, fault, is_excluded } = self;
        let then = match is_excluded {
            true if *times == MOST_FAILURES => "the problem is excluded",
            _ => "started again",
        };
        write!(f, "problem '{}', failure {times}: {fault}\n {then}", problem.id)
    }
}

impl From<MeasureError> for RunError {
    fn from(error: MeasureError) -> RunError {
        match error {
            MeasureError::Interrupted => RunError::Cancelled(None),
            MeasureError::Memo(error) => error.into(),
            MeasureError::Engine(error) => error.into(),
            MeasureError::Candidate(error) => error.into(),
            MeasureError::Remote(_) | MeasureError::FailsEverywhere { .. } => RunError::failed(error),
        }
    }
}

impl From<SuiteRunnerError> for RunError {
    fn from(error: SuiteRunnerError) -> RunError {
        RunError::input(error)
    }
}
