//! Games that suites are made from.

use plysmith_core::search::Interrupt;

use super::hosted::{Hosted, HostedWorker, Premises, Refusal};
use crate::job::Worker;
use crate::suite_maker::{FoundProblem, SuiteGameJob, SuiteWorker};

/// Plays the games of a source.
struct HostedSuiteGames(SuiteWorker);

impl Hosted for SuiteGameJob {
    fn worker_key(&self) -> String {
        format!("{:?}", self.source)
    }

    fn worker(&self, premises: &Premises<'_>) -> Result<HostedWorker<SuiteGameJob>, Refusal> {
        if self.source.needs_engine() {
            return Err(Refusal::refused("suites with an external reference solver are made where the run is"));
        }
        premises.check_memory(&self.source.need()?)?;
        Ok(Box::new(HostedSuiteGames(SuiteWorker::open(&self.source, None)?)))
    }
}

impl Worker<SuiteGameJob> for HostedSuiteGames {
    type Error = Refusal;

    fn run(&mut self, job: &SuiteGameJob, interrupt: &Interrupt<'_>) -> Result<Option<Option<FoundProblem>>, Refusal> {
        Refusal::unless_same(job, &job.source.job(job.number)?)?;
        Ok(self.0.run(job, interrupt)?)
    }
}
