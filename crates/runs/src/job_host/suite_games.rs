//! Games that suites are made from.

use plysmith_core::search::Interrupt;
use plysmith_evolve::problems::MOST_MOVES;

use super::hosted::{Hosted, HostedWorker, Premises, Refusal};
use crate::job::Worker;
use crate::suite_maker::{FoundProblem, ProblemGoal, SuiteGameJob, SuiteSource, SuiteWorker};

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
        if !is_usual(&self.source) {
            return Err(Refusal::refused("no command of plysmith makes such a suite: its wins are too long"));
        }
        premises.check_memory(&self.source.need()?)?;
        Ok(Box::new(HostedSuiteGames(SuiteWorker::open(&self.source, None)?)))
    }
}

/// Whether the wins are of a length that commands ask for: the search for longer ones would not end.
fn is_usual(source: &SuiteSource) -> bool {
    match source {
        SuiteSource::SelfPlay { goal: ProblemGoal::ForcedWin { plies }, .. } => (1..=MOST_PLIES).contains(plies),
        SuiteSource::SelfPlay { .. } => true,
        SuiteSource::Mates { moves, men, .. } => (1..=MOST_MOVES).contains(moves) && *men <= MOST_MEN,
    }
}

/// The longest forced wins and the most men that `suite generate` takes.
const MOST_PLIES: u32 = 21;
const MOST_MEN: u32 = 32;

impl Worker<SuiteGameJob> for HostedSuiteGames {
    type Error = Refusal;

    fn run(&mut self, job: &SuiteGameJob, interrupt: &Interrupt<'_>) -> Result<Option<Option<FoundProblem>>, Refusal> {
        Refusal::unless_same(job, &job.source.job(job.number)?)?;
        Ok(self.0.run(job, interrupt)?)
    }
}
