//! Mate problems, by our solvers or by external engines that this host offers.

use plysmith_core::search::Interrupt;
use plysmith_engine::uci::client::MateDriver;

use super::attempts::{as_here, offered_subject};
use super::hosted::{Hosted, HostedWorker, Premises, Refusal};
use crate::cancel::CancelToken;
use crate::job::Worker;
use crate::mates::{
    EngineMateJob, EngineSolver, MateJob, MateTrial, Solved, SolverChoice, SolverName, SolverWorker,
    alpha_beta_behaviour,
};

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
        format!("{:?}\n{}\n{}", self.measurement.engine, self.measurement.settings, self.measurement.nodes)
    }

    fn worker(&self, premises: &Premises<'_>) -> Result<HostedWorker<EngineMateJob>, Refusal> {
        let Some(engine) = &self.measurement.engine else {
            return Err(Refusal::refused("a mate by an external engine must name it"));
        };
        let (sent, command) = offered_subject(engine, premises)?;
        let solver = EngineSolver::open_sent(sent, &CancelToken::new())?;
        premises.check_memory(&solver.need())?;
        let driver = solver.driver();
        Ok(Box::new(HostedEngineMates { solver, command, driver }))
    }
}

/// Solves with one external engine.
struct HostedEngineMates {
    solver: EngineSolver,
    /// Its command line here.
    command: String,
    driver: MateDriver,
}

impl Worker<EngineMateJob> for HostedEngineMates {
    type Error = Refusal;

    fn run(&mut self, job: &EngineMateJob, interrupt: &Interrupt<'_>) -> Result<Option<MateTrial>, Refusal> {
        let ours = self.solver.measurement(job.measurement.nodes)?;
        Refusal::unless_same(&as_here(&job.measurement, Some(&self.command)), &ours)?;
        Ok(self.driver.run(job, interrupt)?)
    }
}
