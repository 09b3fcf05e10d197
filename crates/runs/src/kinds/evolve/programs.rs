//! Programs on problems: jobs, workers, and what is known of each program.

use std::cell::RefCell;
use std::collections::{BTreeMap, HashMap};
use std::num::NonZeroUsize;
use std::ops::ControlFlow;

use plysmith_core::search;
use plysmith_core::search::Interrupt;
use plysmith_engine::parallel::in_order;
use plysmith_evolve::fitness::{CaseResult, FitnessCase, FitnessMeasure};
use plysmith_evolve::interpreter::{Framework, SearchCache};
use plysmith_evolve::language::Program;
use plysmith_evolve::solvers::alphabeta::AlphaBeta;
use plysmith_evolve::solvers::{MateQuery, Solver};
use serde::{Deserialize, Serialize};

use crate::error::RunError;
use crate::executor::Executor;
use crate::job::{Job, Key, Worker};
use crate::mates::alpha_beta_behaviour;
use crate::memory::ThreadNeed;
use crate::services::Services;

/// Node limit of the reference solver; what it does not solve counts with this.
const REFERENCE_BUDGET: u64 = 300_000;
/// By the paper's fitness, a program may reach half as many boards again as the reference solver, but at least this many.
const LEAST_BUDGET: u64 = 1_000;

/// A program on some problems of a suite.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct ProgramJob {
    /// The program's text; `alpha-beta` in a [`ReferenceJob`].
    pub solver: String,
    /// The content key of the suite.
    pub suite: String,
    /// Places in the suite.
    pub cases: Vec<usize>,
    /// The most boards for each problem.
    pub budget: u64,
    /// The fitness measure, by which budgets are set.
    pub measure: String,
    /// The revision of the search.
    pub search_revision: u32,
    /// The revision of the interpreter.
    pub revision: u32,
    /// What the evaluation of the reference solver does, by which budgets are set. Empty in jobs of earlier versions.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub behaviour: String,
}

/// The reference solver on all problems of a suite.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(transparent)]
pub struct ReferenceJob(pub ProgramJob);

impl Job for ProgramJob {
    const KIND: &'static str = "program";
    type Result = Vec<CaseResult>;

    fn key(&self) -> Key {
        let ProgramJob { solver, suite, cases, budget, measure, search_revision, revision, behaviour } = self;
        let mut text = format!("hunt\n{solver}\n{suite}\n{cases:?}\n{budget} {measure}\n{search_revision}\n{revision}");
        if !behaviour.is_empty() {
            text += &format!("\nbehaviour {behaviour}");
        }
        Key::of(&text)
    }

    fn done(results: &Vec<CaseResult>) -> u32 {
        results.len() as u32
    }
}

impl Job for ReferenceJob {
    const KIND: &'static str = "reference";
    type Result = Vec<u64>;

    fn key(&self) -> Key {
        self.0.key()
    }

    fn done(counts: &Vec<u64>) -> u32 {
        counts.len() as u32
    }
}

/// What programs do on the problems of a suite. No program is measured twice on a problem.
pub struct ProgramCache {
    services: Services,
    threads: NonZeroUsize,
    suite_key: String,
    fitness: FitnessMeasure,
    budget: u64,
    /// The problems.
    pub cases: Vec<FitnessCase>,
    /// What is known of each program, by the place of the problem.
    known: RefCell<HashMap<Program, BTreeMap<usize, CaseResult>>>,
}

impl ProgramCache {
    /// Lets the reference solver solve all problems, and sets the programs' budgets by that.
    pub fn new(
        cases: Vec<FitnessCase>,
        suite_key: String,
        fitness: FitnessMeasure,
        budget: u64,
        services: Services,
    ) -> Result<ProgramCache, RunError> {
        let threads = services.workers(u64::MAX, &thread_need(budget))?;
        let mut cache =
            ProgramCache { services, threads, suite_key, fitness, budget, cases, known: RefCell::default() };
        let job = ReferenceJob(cache.job("alpha-beta".to_string(), (0..cache.cases.len()).collect(), REFERENCE_BUDGET));
        let mut workers = [ReferenceWorker { cases: &cache.cases, threads }];
        let counts = cache.run_all(&[job], &mut workers, &|_| {})?.into_iter().flatten().collect::<Vec<u64>>();
        for (case, reference) in cache.cases.iter_mut().zip(counts) {
            case.reference = reference;
            case.budget = match fitness {
                FitnessMeasure::Paper => (reference.saturating_mul(3) / 2).max(LEAST_BUDGET).min(budget),
                FitnessMeasure::Plain => budget,
            };
        }
        Ok(cache)
    }

    fn job(&self, solver: String, cases: Vec<usize>, budget: u64) -> ProgramJob {
        let (suite, revision) = (self.suite_key.clone(), plysmith_evolve::REVISION);
        let (measure, behaviour) = (self.fitness.to_string(), alpha_beta_behaviour());
        ProgramJob { solver, suite, cases, budget, measure, search_revision: search::REVISION, revision, behaviour }
    }

    fn run_all<J: Job, W: Worker<J, Error = RunError>>(
        &self,
        jobs: &[J],
        workers: &mut [W],
        progress: &dyn Fn(usize),
    ) -> Result<Vec<J::Result>, RunError> {
        let services = &self.services;
        let cancel = || services.cancel.is_cancelled();
        Executor { memo: services.memo(), interrupt: &cancel }.run_all(jobs, workers, progress)
    }

    /// Measures programs on these problems, as far as they are not known there.
    pub fn measure(&self, programs: &[Program], cases: &[usize], progress: &dyn Fn(usize)) -> Result<(), RunError> {
        let job = |program: &Program| self.job(program.to_string(), cases.to_vec(), self.budget);
        let jobs: Vec<ProgramJob> = programs.iter().map(job).collect();
        let known = self.known.borrow();
        let worker = || ProgramWorker { cases: &self.cases, known: &known };
        let mut workers: Vec<_> = jobs.iter().take(self.threads.get()).map(|_| worker()).collect();
        let results = self.run_all(&jobs, &mut workers, progress)?;
        drop(workers);
        drop(known);
        let mut known = self.known.borrow_mut();
        for (program, results) in programs.iter().zip(results) {
            known.entry(program.clone()).or_default().extend(cases.iter().copied().zip(results));
        }
        Ok(())
    }

    /// The results of a program on these problems, on which it has been measured.
    pub fn results(&self, program: &Program, cases: &[usize]) -> Vec<(&FitnessCase, CaseResult)> {
        let known = self.known.borrow();
        let known = known.get(program);
        cases.iter().filter_map(|place| Some((&self.cases[*place], *known?.get(place)?))).collect()
    }

    /// Forgets all programs but these.
    pub fn retain(&self, programs: &[Program]) {
        self.known.borrow_mut().retain(|program, _| programs.contains(program));
    }
}

/// What each thread needs for the reference solver, or for programs with this budget.
pub fn thread_need(budget: u64) -> ThreadNeed {
    let reference = ThreadNeed::default().and("the reference solver", AlphaBeta::bytes());
    reference.or(ThreadNeed::default().and("the cache of a program", SearchCache::most_bytes(budget)))
}

/// Runs programs on problems.
struct ProgramWorker<'a> {
    cases: &'a [FitnessCase],
    known: &'a HashMap<Program, BTreeMap<usize, CaseResult>>,
}

impl Worker<ProgramJob> for ProgramWorker<'_> {
    type Error = RunError;

    fn run(&mut self, job: &ProgramJob, interrupt: &Interrupt<'_>) -> Result<Option<Vec<CaseResult>>, RunError> {
        let program: Program =
            job.solver.parse().map_err(|error| RunError::input(format!("the program of a job:{error}")))?;
        let known = self.known.get(&program);
        let attempt = |&place: &usize| match known.and_then(|known| known.get(&place)) {
            Some(&result) => result,
            None => self.cases[place].evaluate(&program, Framework::Full, &|| interrupt()),
        };
        let results = job.cases.iter().map(attempt).collect();
        Ok((!interrupt()).then_some(results))
    }
}

/// Runs the reference solver. It is one job with one result, but its problems are solved on several threads.
struct ReferenceWorker<'a> {
    cases: &'a [FitnessCase],
    threads: NonZeroUsize,
}

impl Worker<ReferenceJob> for ReferenceWorker<'_> {
    type Error = RunError;

    fn run(&mut self, job: &ReferenceJob, interrupt: &Interrupt<'_>) -> Result<Option<Vec<u64>>, RunError> {
        let ReferenceJob(ProgramJob { cases: places, budget, .. }) = job;
        let mut counts = Vec::new();
        let mut solvers: Vec<AlphaBeta> =
            places.iter().take(self.threads.get()).map(|_| AlphaBeta::default()).collect();
        let all = self.cases;
        let work = |solver: &mut AlphaBeta, index: u64| {
            let FitnessCase { position, moves, .. } = &all[places[index as usize]];
            let query = MateQuery { position, moves: *moves, budget: *budget, interrupt: &|| interrupt() };
            let answer = solver.solve(&query);
            (!interrupt()).then_some(answer.nodes)
        };
        in_order(
            0..places.len() as u64,
            &mut solvers,
            |_, solver, index| work(solver, index),
            |_, nodes| {
                counts.push(nodes);
                ControlFlow::Continue(())
            },
        );
        Ok((counts.len() == places.len()).then_some(counts))
    }
}
