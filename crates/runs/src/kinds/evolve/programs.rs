//! Programs on problems: jobs, workers, and what is known of each program.

use std::cell::RefCell;
use std::collections::{BTreeMap, HashMap};
use std::num::NonZeroUsize;

use plysmith_core::search;
use plysmith_core::search::Interrupt;
use plysmith_evolve::fitness::{CaseResult, FitnessCase};
use plysmith_evolve::interpreter::{Framework, SearchCache};
use plysmith_evolve::language::{Dialect, Program};
use serde::{Deserialize, Serialize};

use super::Config;
use crate::error::RunError;
use crate::job::{Job, Key, Worker};
use crate::mates::{Budgets, Reference};
use crate::memory::ThreadNeed;
use crate::progress::Progress;
use crate::remote::{Blob, shared};
use crate::services::Services;

/// A program on some problems of a suite.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct ProgramJob {
    /// The program's text.
    pub solver: String,
    /// The content key of the suite.
    pub suite: String,
    /// Places in the suite.
    pub cases: Vec<usize>,
    /// The most boards for each problem, or nodes of the reference solver.
    pub budget: u64,
    /// The fitness measure, the reference solver and the framework, by which budgets are set.
    pub measure: String,
    /// The revision of the search.
    pub search_revision: u32,
    /// The revision of the interpreter.
    pub revision: u32,
    /// What the reference solver is and does, by which budgets are set. Empty in jobs of earlier versions.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub behaviour: String,
}

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

    fn check(&self, results: &Vec<CaseResult>) -> Result<(), String> {
        match results.len() == self.cases.len() {
            true => Ok(()),
            false => Err(format!("{} results of {} problems", results.len(), self.cases.len())),
        }
    }
}

/// What programs do on the problems of a suite. No program is measured twice on a problem.
pub struct ProgramCache {
    services: Services,
    threads: NonZeroUsize,
    framework: Framework,
    /// A job without program and problems.
    blank: ProgramJob,
    /// The problems.
    pub cases: Vec<FitnessCase>,
    /// The problems as other machines get them; none if there are no other machines.
    sent: Vec<Blob>,
    /// What is known of each program, by the place of the problem.
    known: RefCell<Known>,
}

impl ProgramCache {
    /// Lets the reference solver solve all problems, and sets the programs' budgets by that.
    pub fn new(
        config: &Config,
        mut cases: Vec<FitnessCase>,
        services: Services,
        progress: &Progress,
    ) -> Result<ProgramCache, RunError> {
        let reference = Reference::open(&config.reference, &services)?;
        let need = reference.need(config.budget).or(program_need(config.budget));
        let threads = services.workers(u64::MAX, &need)?;
        let framework = config.framework();
        let blank = ProgramJob {
            solver: String::new(),
            suite: config.suite.0.content_key(),
            cases: Vec::new(),
            budget: config.budget,
            measure: format!("{} by {} in {framework:?}", config.fitness, config.reference),
            search_revision: search::REVISION,
            revision: plysmith_evolve::REVISION,
            behaviour: reference.identity(config.budget)?,
        };
        let budgets = Budgets { fitness: config.fitness, framework, limit: config.budget };
        budgets.set(&mut cases, &reference, threads, &services, progress)?;
        let sent = services.remote.iter().map(|_| shared::cases(&cases, framework)).collect();
        Ok(ProgramCache { services, threads, framework, blank, cases, sent, known: RefCell::default() })
    }

    /// Measures programs on these problems, as far as they are not known there.
    pub fn measure(&self, programs: &[Program], cases: &[usize], progress: &dyn Fn(usize)) -> Result<(), RunError> {
        let job =
            |program: &Program| ProgramJob { solver: program.to_string(), cases: cases.to_vec(), ..self.blank.clone() };
        let jobs: Vec<ProgramJob> = programs.iter().map(job).collect();
        let known = self.known.borrow();
        let worker = || ProgramWorker { cases: &self.cases, framework: self.framework, known: &known };
        let mut workers: Vec<_> = jobs.iter().take(self.threads.get()).map(|_| worker()).collect();
        let services = &self.services;
        let cancel = || services.cancel.is_cancelled();
        let executor = services.executor(&cancel).with_blobs(&self.sent, &[]);
        let results = executor.run_all(&jobs, &mut workers, progress)?;
        drop(workers);
        drop(known);
        let mut known = self.known.borrow_mut();
        for (program, results) in programs.iter().zip(results) {
            known.entry(program.clone()).or_default().extend(cases.iter().copied().zip(results));
        }
        Ok(())
    }

    /// The results of a program on those of these problems on which it has been measured.
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

impl Config {
    /// What programs are embedded in.
    pub(super) fn framework(&self) -> Framework {
        match self.dialect {
            Dialect::Paper => Framework::Paper,
            _ => Framework::Full,
        }
    }
}

/// What each thread needs for programs with this budget.
pub fn program_need(budget: u64) -> ThreadNeed {
    ThreadNeed::default().and("the cache of a program", SearchCache::most_bytes(budget))
}

/// Runs programs on problems.
pub(crate) struct ProgramWorker<'a> {
    /// The problems.
    pub cases: &'a [FitnessCase],
    /// What programs are embedded in.
    pub framework: Framework,
    /// What need not be computed again.
    pub known: &'a Known,
}

/// What is known of each program, by the place of the problem.
pub(crate) type Known = HashMap<Program, BTreeMap<usize, CaseResult>>;

impl Worker<ProgramJob> for ProgramWorker<'_> {
    type Error = RunError;

    fn run(&mut self, job: &ProgramJob, interrupt: &Interrupt<'_>) -> Result<Option<Vec<CaseResult>>, RunError> {
        let program: Program =
            job.solver.parse().map_err(|error| RunError::input(format!("the program of a job:{error}")))?;
        let known = self.known.get(&program);
        let attempt = |&place: &usize| match known.and_then(|known| known.get(&place)) {
            Some(&result) => result,
            None => self.cases[place].evaluate(&program, self.framework, &|| interrupt()),
        };
        let results = job.cases.iter().map(attempt).collect();
        Ok((!interrupt()).then_some(results))
    }
}
