//! Mate problems, by our solvers.

use plysmith_core::search::Interrupt;

use super::hosted::{Hosted, HostedWorker, Premises, Refusal};
use crate::job::Worker;
use crate::mates::{EngineMateJob, MateJob, Solved, SolverChoice, SolverName, SolverWorker, alpha_beta_behaviour};

/// Solves with our own solvers.
struct HostedMates(SolverWorker);

impl Hosted for MateJob {
    fn worker_key(&self) -> String {
        format!("{}\n{}", self.solver, self.nodes)
    }

    fn worker(&self, premises: &Premises<'_>) -> Result<HostedWorker<MateJob>, Refusal> {
        let solver = SolverChoice::of_job(&self.solver)?;
        premises.check_memory(&solver.need(self.nodes))?;
        Refusal::unless_same(&self.solver, &solver.job_text())?;
        Ok(Box::new(HostedMates(SolverWorker::default())))
    }
}

impl Worker<MateJob> for HostedMates {
    type Error = Refusal;

    fn run(&mut self, job: &MateJob, interrupt: &Interrupt<'_>) -> Result<Option<Solved>, Refusal> {
        let evaluates = job.solver == SolverName::AlphaBeta.as_str();
        let behaviour = if evaluates { alpha_beta_behaviour() } else { String::new() };
        Refusal::unless_same(&job.behaviour, &behaviour)?;
        Ok(self.0.run(job, interrupt)?)
    }
}

impl Hosted for EngineMateJob {
    fn worker_key(&self) -> String {
        String::new()
    }

    fn worker(&self, _: &Premises<'_>) -> Result<HostedWorker<EngineMateJob>, Refusal> {
        Err(Refusal::refused("mates by external engines are solved where the run is"))
    }
}
