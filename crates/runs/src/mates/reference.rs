//! Reference solvers: what the boards of programs are compared with, and how hard problems are.

use std::num::NonZeroUsize;

use plysmith_core::games::chess::Position;
use plysmith_core::search;
use plysmith_core::search::Interrupt;
use plysmith_engine::measurement::MeasurementJob;
use plysmith_engine::uci::client::MateDriver;
use plysmith_evolve::fitness::{FitnessCase, FitnessMeasure};
use plysmith_evolve::interpreter::Framework;
use plysmith_evolve::problems::mating_moves;
use plysmith_evolve::solvers::{Evolved, MateQuery, Solver};

use super::external::{EngineMateJob, EngineSolver};
use super::solving::{Solved, SolverChoice, SolverName, settled, solve_all};
use crate::error::RunError;
use crate::executor::Executor;
use crate::job::Worker;
use crate::memory::ThreadNeed;
use crate::progress::Progress;
use crate::services::Services;

/// The smallest program that searches: what the framework does without evolution.
pub const TWO_ELEMENTS: &str = "(MakeBestMove Again)";
/// Its name as a reference solver.
const TWO_ELEMENTS_NAME: &str = "two-elements";

/// By the paper's fitness, a program may make one and a half times the boards of the reference solver, but at least this
/// many: one and a half times the 600 that the paper's solver needs for a mate in one.
const LEAST_PAPER_BUDGET: u64 = 900;
/// By our fitness, a program that needs more than twice the boards of the reference solver, and these, is hopeless.
const SPARE_BOARDS: u64 = 500;
/// Node budget to find the keys of a problem that names none, for each move.
const KEY_BUDGET: u64 = 300_000;

/// A reference solver.
pub enum Reference {
    /// One of ours.
    Own(SolverChoice),
    /// A UCI engine.
    Engine(Box<EngineSolver>),
}

/// A reference solver at work on one thread.
pub enum ReferenceSolver {
    /// One of ours.
    Own(Box<dyn Solver>),
    /// A process of a UCI engine, and what it is asked for.
    Engine(Box<MateDriver>, Box<MeasurementJob>),
}

impl Reference {
    /// Opens a solver by its name, or a UCI engine by `uci:COMMAND`.
    pub fn open(name: &str, services: &Services) -> Result<Reference, RunError> {
        if !name.starts_with("uci:") {
            return Reference::own(name);
        }
        let engine = EngineSolver::open(name, None, &services.cancel)?;
        engine.notes().iter().for_each(|note| services.note(format!("note: {note}")));
        Ok(Reference::Engine(Box::new(engine)))
    }

    /// One of our solvers by its name.
    pub fn own(name: &str) -> Result<Reference, RunError> {
        let own = [SolverName::Exhaustive, SolverName::AlphaBeta, SolverName::DfPn];
        if let Some(own) = own.into_iter().find(|own| own.as_str() == name) {
            return Ok(Reference::Own(SolverChoice::Reference(own)));
        }
        if name != TWO_ELEMENTS_NAME {
            return Err(RunError::input(format!(
                "'{name}' is not a reference solver; expected exhaustive, alpha-beta, df-pn, {TWO_ELEMENTS_NAME} or \
                 uci:COMMAND"
            )));
        }
        let program = TWO_ELEMENTS.parse().map_err(|error| RunError::failed(format!("{TWO_ELEMENTS}:{error}")))?;
        Ok(Reference::Own(SolverChoice::Program(Evolved { program, name: TWO_ELEMENTS.to_string() })))
    }

    /// What results depend on: the solver and its revision, or the engine with its content and options.
    pub fn identity(&self, nodes: u64) -> Result<String, RunError> {
        let revisions = (search::REVISION, plysmith_evolve::REVISION);
        match self {
            Reference::Own(choice) => Ok(format!("{} {revisions:?}", choice.job_text())),
            Reference::Engine(engine) => Ok(engine.measurement(nodes)?.key().to_string()),
        }
    }

    /// What each thread needs.
    pub fn need(&self, nodes: u64) -> ThreadNeed {
        match self {
            Reference::Own(choice) => choice.need(nodes),
            Reference::Engine(engine) => engine.need(),
        }
    }

    /// A solver for one thread.
    pub fn solver(&self, nodes: u64) -> Result<ReferenceSolver, RunError> {
        Ok(match self {
            Reference::Own(choice) => ReferenceSolver::Own(choice.make()),
            Reference::Engine(engine) => {
                ReferenceSolver::Engine(Box::new(engine.driver()), Box::new(engine.measurement(nodes)?))
            }
        })
    }

    /// Solves problems on several threads. The results are in the order of the problems.
    pub fn solve_all(
        &self,
        cases: &[FitnessCase],
        nodes: u64,
        executor: &Executor<'_>,
        threads: NonZeroUsize,
        progress: &Progress,
    ) -> Result<Vec<Solved>, RunError> {
        match self {
            Reference::Own(choice) => solve_all(choice, cases, nodes, executor, threads, &|_| {}),
            Reference::Engine(engine) => engine.solve_all(cases, nodes, executor, threads, progress),
        }
    }
}

/// By what rules programs get their budgets.
#[derive(Copy, Clone, Debug)]
pub struct Budgets {
    /// The fitness measure.
    pub fitness: FitnessMeasure,
    /// What programs are embedded in.
    pub framework: Framework,
    /// The most nodes of the reference solver, and by our fitness also the most boards of a program.
    pub limit: u64,
}

impl Budgets {
    /// Lets the reference solver solve all problems, and sets the budgets of programs by that. In the paper's framework,
    /// where the right move counts, keys that the problems do not name are found.
    pub fn set(
        self,
        cases: &mut [FitnessCase],
        reference: &Reference,
        threads: NonZeroUsize,
        services: &Services,
        progress: &Progress,
    ) -> Result<(), RunError> {
        let cancel = || services.cancel.is_cancelled();
        let executor = services.executor(&cancel);
        let solved = reference.solve_all(cases, self.limit, &executor, threads, progress)?;
        for (case, solved) in cases.iter_mut().zip(&solved) {
            case.reference = if solved.is_solved() { solved.nodes } else { self.limit };
            case.budget = self.of_program(case.reference, solved.is_solved());
            if self.framework == Framework::Paper && case.keys.is_empty() {
                let keys = mating_moves(&case.position, case.moves, KEY_BUDGET, &cancel);
                case.keys = keys.map_err(|_| RunError::Cancelled(None))?;
            }
        }
        Ok(())
    }

    /// How many boards a program may make in a problem.
    fn of_program(self, reference: u64, is_solved: bool) -> u64 {
        match self.fitness {
            FitnessMeasure::Paper => (reference.saturating_mul(3) / 2).max(LEAST_PAPER_BUDGET),
            FitnessMeasure::Plain if !is_solved => self.limit,
            FitnessMeasure::Plain => reference.saturating_mul(2).saturating_add(SPARE_BOARDS).min(self.limit),
        }
    }
}

impl ReferenceSolver {
    /// Solves one problem with at most this many nodes; `None` if it was interrupted.
    pub fn solve(
        &mut self,
        position: &Position,
        moves: u8,
        nodes: u64,
        interrupt: &Interrupt<'_>,
    ) -> Result<Option<Solved>, RunError> {
        match self {
            ReferenceSolver::Own(solver) => {
                let interrupt = &|| interrupt();
                let query = MateQuery { position, moves, budget: nodes, interrupt };
                let answer = solver.solve(&query);
                Ok(settled(&query, &answer))
            }
            ReferenceSolver::Engine(driver, measurement) => {
                let job = EngineMateJob { measurement: (**measurement).clone(), position: position.to_string(), moves };
                Ok(driver.run(&job, interrupt)?.map(|trial| trial.solved))
            }
        }
    }
}
