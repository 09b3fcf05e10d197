//! UCI engines as solvers of mate problems.
//!
//! They are driven as in every other measurement: their node limit is enforced, counts and moves are checked, and a
//! problem at which an engine fails repeatedly is excluded by name. A mate counts when the engine announces it within the
//! limit and the verifier accepts it.

use std::num::{NonZeroU64, NonZeroUsize};
use std::ops::ControlFlow;

use plysmith_core::feature::Scheme;
use plysmith_core::game::Game;
use plysmith_core::games::chess::{INFO, Position};
use plysmith_core::problem::{Criterion, Problem};
use plysmith_core::search::Interrupt;
use plysmith_engine::driver::{Candidate, Conditions, Policy, Request, Subject};
use plysmith_engine::measurement::MeasurementJob;
use plysmith_engine::uci::client::{Announced, MateDriver, UciSubject};
use plysmith_evolve::fitness::FitnessCase;
use plysmith_evolve::solvers::{MateAnswer, MateQuery};
use serde::{Deserialize, Serialize};

use super::solving::{Judged, Solved, named, open_position, settled};
use crate::cancel::CancelToken;
use crate::error::RunError;
use crate::executor::{Ending, Executor};
use crate::external_engine::{ExternalEngine, OpenedEngine};
use crate::job::{Job, Key, Worker};
use crate::memory::ThreadNeed;
use crate::progress::Progress;
use crate::remote::shared::{self, SentSubject};
use crate::solution_policy::SolutionPolicy;
use crate::suite_runner::{MOST_FAILURES, Tries, check_failures, try_often};

/// A UCI engine that was started once to see what it is.
pub struct EngineSolver {
    subject: UciSubject,
    /// The engine as other machines get it; none if it is known only here.
    sent: Option<SentSubject>,
}

/// A UCI engine on one mate problem.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct EngineMateJob {
    /// The engine with its options, and the node limit.
    pub measurement: MeasurementJob,
    /// The position.
    pub position: String,
    /// Moves to mate.
    pub moves: u8,
}

/// The result of an engine on a problem, and what it did wrong before.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct MateTrial {
    /// The result that counts.
    pub solved: Solved,
    /// Faults, each in a process of its own.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub faults: Vec<String>,
}

impl EngineSolver {
    /// Starts an engine that was named with or without `uci:`, and finds out how it treats node limits.
    pub fn open(text: &str, patience: Option<NonZeroU64>, cancel: &CancelToken) -> Result<EngineSolver, RunError> {
        let text = format!("uci:{}", text.trim_start_matches("uci:"));
        let policy = SolutionPolicy::Watched(Policy::First);
        let engine = ExternalEngine::new(&text, None, None)?.with_patience(patience);
        EngineSolver::open_sent(SentSubject { engine, policy, game: Some(INFO.name.to_string()) }, cancel)
    }

    /// Starts an engine that is measured in this way.
    pub(crate) fn open_sent(sent: SentSubject, cancel: &CancelToken) -> Result<EngineSolver, RunError> {
        match sent.engine.open(Some(&INFO), sent.policy, cancel)? {
            OpenedEngine::Uci(subject, _) => Ok(EngineSolver { subject, sent: Some(sent) }),
            OpenedEngine::Plug(_) => Err(RunError::input(format!("'{}' is not a UCI engine", sent.engine.engine))),
        }
    }

    /// Who it says it is.
    pub fn name(&self) -> &str {
        self.subject.name()
    }

    /// What to know about it.
    pub fn notes(&self) -> &[String] {
        self.subject.notes()
    }

    /// What each of its processes needs, as far as that is known.
    pub fn need(&self) -> ThreadNeed {
        ThreadNeed::of_engine(self.name(), self.subject.memory())
    }

    /// The engine with its options, and a node limit.
    pub(crate) fn measurement(&self, nodes: u64) -> Result<MeasurementJob, RunError> {
        let conditions = Conditions { suite: "mates".to_string(), nodes, seed: 0 };
        Ok(self.subject.job(&unchanged(), &conditions)?)
    }

    /// A process of the engine.
    pub(crate) fn driver(&self) -> MateDriver {
        self.subject.mate_driver()
    }

    /// Solves problems on several threads, each with a process of its own. The results are in the order of the problems.
    /// Fails if the engine fails at too many problems in a row.
    pub fn solve_all(
        &self,
        cases: &[FitnessCase],
        nodes: u64,
        executor: &Executor<'_>,
        threads: NonZeroUsize,
        progress: &Progress,
    ) -> Result<Vec<Solved>, RunError> {
        let measurement = self.measurement(nodes)?;
        let job = |number: u64| {
            let FitnessCase { position, moves, .. } = &cases[number as usize];
            EngineMateJob { measurement: measurement.clone(), position: position.to_string(), moves: *moves }
        };
        let mut workers: Vec<_> = cases.iter().take(threads.get()).map(|_| self.driver()).collect();
        let needs = match &self.sent {
            Some(sent) if executor.remote.is_some() => Some(shared::subject(sent)?),
            _ => None,
        };
        let executor = match &needs {
            Some(needs) => executor.with_blobs(&needs.blobs, &needs.engines),
            None => Executor { remote: None, ..*executor },
        };
        let mut results: Vec<Solved> = Vec::new();
        let mut failure = Ok(());
        let ending = executor.run(0..cases.len() as u64, job, &mut workers, |done| {
            let MateTrial { solved, faults } = done.result;
            for (times, fault) in (1..).zip(&faults) {
                let then = if times == MOST_FAILURES { "the problem is excluded" } else { "started again" };
                let id = &cases[done.number as usize].id;
                progress.note(format!("problem '{id}', failure {times}: {fault}\n {then}"));
            }
            results.push(solved);
            progress.set_part_done(results.len() as u64);
            failure = check_failures(results.iter().rev().map(|solved| solved.failure.as_deref()), cases.len());
            if failure.is_err() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        })?;
        failure?;
        if ending == Ending::Complete { Ok(named(results, cases)) } else { Err(RunError::Cancelled(None)) }
    }
}

impl From<UciSubject> for EngineSolver {
    fn from(subject: UciSubject) -> EngineSolver {
        EngineSolver { subject, sent: None }
    }
}

/// The engine as it is.
fn unchanged() -> Candidate {
    Candidate::Scheme(Scheme::default())
}

impl Job for EngineMateJob {
    const KIND: &'static str = "engine mate";
    type Result = MateTrial;

    fn key(&self) -> Key {
        let EngineMateJob { measurement, position, moves } = self;
        let (measurement, verifier) = (measurement.key(), plysmith_evolve::REVISION);
        Key::of(&format!("engine mate\n{measurement}\n{position}\n{moves}\n{verifier}"))
    }
}

impl Worker<EngineMateJob> for MateDriver {
    type Error = RunError;

    fn run(&mut self, job: &EngineMateJob, interrupt: &Interrupt<'_>) -> Result<Option<MateTrial>, RunError> {
        let position = open_position(&job.position)?;
        // Any move that mates in time is right: the verifier decides.
        let problem = Problem {
            position: job.position.clone(),
            best: Vec::new(),
            avoid: Vec::new(),
            id: String::new(),
            criterion: Criterion::Proven,
            distance: None,
        };
        let nodes = job.measurement.nodes;
        let candidate = unchanged();
        let request = Request { problem: &problem, candidate: &candidate, nodes, seed: 0 };
        let Some(Tries { outcome, faults }) = try_often(|| self.attempt(&request, job.moves, interrupt))? else {
            return Ok(None);
        };
        let solved = match outcome {
            Ok(announced) => job.judge(&position, &announced, interrupt),
            Err(error) => {
                let what = format!(" mate in {}; at most {nodes} nodes", job.moves);
                let parts = [error.summary(), format!(" position: {}", job.position), what, error.details()];
                Some(Solved::excluded(job.moves, parts.join("\n")))
            }
        };
        Ok(solved.map(|solved| MateTrial { solved, faults }))
    }
}

impl EngineMateJob {
    /// What the verifier says of an announcement; `None` if it was interrupted.
    fn judge(&self, position: &Position, announced: &Announced, interrupt: &Interrupt<'_>) -> Option<Solved> {
        let Announced { claim, nodes, last_mate } = announced;
        let answer = MateAnswer {
            best: claim.as_ref().and_then(|claim| position.parse_move(&claim.best).ok()),
            mate: claim.as_ref().map(|claim| claim.moves),
            nodes: *nodes,
            is_cut: claim.is_none(),
            ..MateAnswer::default()
        };
        let interrupt = &|| interrupt();
        let query = MateQuery { position, moves: self.moves, budget: self.measurement.nodes, interrupt };
        let solved = settled(&query, &answer).inspect(|solved| debug_assert!(solved.verdict != Judged::NotFound));
        let longer = last_mate.filter(|_| claim.is_none());
        solved.map(|solved| Solved { longer, ..solved })
    }
}
