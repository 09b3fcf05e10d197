//! Evolved programs on mate problems: the problems arrive as a blob, with the budgets that the reference solver set.

use plysmith_core::search::{self, Interrupt};
use plysmith_evolve::fitness::{CaseResult, FitnessCase};
use plysmith_evolve::interpreter::Framework;
use plysmith_evolve::language::Program;

use super::hosted::{Hosted, HostedWorker, Premises, Refusal};
use crate::job::Worker;
use crate::kinds::evolve::{Known, ProgramJob, ProgramWorker, program_need};
use crate::remote::shared::{CASES, read_cases};

/// Runs programs on the problems of one suite.
struct HostedPrograms {
    cases: Vec<FitnessCase>,
    framework: Framework,
}

impl Hosted for ProgramJob {
    fn worker_key(&self) -> String {
        let ProgramJob { suite, budget, measure, behaviour, .. } = self;
        format!("{suite}\n{budget}\n{measure}\n{behaviour}")
    }

    fn worker(&self, premises: &Premises<'_>) -> Result<HostedWorker<ProgramJob>, Refusal> {
        premises.check_memory(&program_need(self.budget))?;
        let (cases, framework) = read_cases(&premises.blob(CASES)?).map_err(Refusal::Refused)?;
        Ok(Box::new(HostedPrograms { cases, framework }))
    }
}

impl Worker<ProgramJob> for HostedPrograms {
    type Error = Refusal;

    fn run(&mut self, job: &ProgramJob, interrupt: &Interrupt<'_>) -> Result<Option<Vec<CaseResult>>, Refusal> {
        Refusal::unless_same(&(job.search_revision, job.revision), &(search::REVISION, plysmith_evolve::REVISION))?;
        if let Some(place) = job.cases.iter().find(|&&place| place >= self.cases.len()) {
            return Err(Refusal::refused(format!("there is no problem {place}")));
        }
        if let Some(case) = self.cases.iter().find(|case| case.budget > job.budget.saturating_mul(2).max(MOST_BUDGET)) {
            return Err(Refusal::refused(format!("problem '{}' has a budget of {} boards", case.id, case.budget)));
        }
        let program: Program = job.solver.parse().map_err(|error| Refusal::refused(format!("the program:{error}")))?;
        Refusal::unless_same(&job.solver, &program.to_string())?;
        let known = Known::default();
        let mut worker = ProgramWorker { cases: &self.cases, framework: self.framework, known: &known };
        Ok(worker.run(job, interrupt)?)
    }
}

/// Budgets up to this are allowed even if the job's own is smaller: the paper's fitness sets a least budget.
const MOST_BUDGET: u64 = 10_000;
