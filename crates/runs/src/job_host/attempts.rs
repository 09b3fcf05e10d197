//! Problems of measurements: the suite arrives as a blob, the engine is the built-in one.

use std::sync::Arc;

use plysmith_core::depth::Weight;
use plysmith_core::games::GameInfo;
use plysmith_core::problem::{Problem, Suite};
use plysmith_core::search::Interrupt;
use plysmith_engine::driver::{BuiltIn, Candidate, Conditions, Driver, MeasurementJob, Policy, Subject};

use super::hosted::{Hosted, HostedWorker, Premises, Refusal};
use super::texts;
use crate::error::RunError;
use crate::job::Worker;
use crate::memory::ThreadNeed;
use crate::remote::shared::{SUITE, read_suite};
use crate::suite_runner::{AttemptJob, AttemptWorker, Trial};

/// Searches problems of one suite with the built-in engine.
struct HostedAttempts {
    game: &'static GameInfo,
    subject: BuiltIn,
    driver: Box<dyn Driver>,
    problems: Vec<Problem>,
    /// The last measurement, which was found to be ours, and its candidate.
    checked: Option<(MeasurementJob, Candidate)>,
}

impl Hosted for AttemptJob {
    fn worker_key(&self) -> String {
        let MeasurementJob { game, suite, settings, engine, .. } = &self.measurement;
        format!("{game}\n{suite}\n{settings}\n{engine:?}")
    }

    fn worker(&self, premises: &Premises<'_>) -> Result<HostedWorker<AttemptJob>, Refusal> {
        let MeasurementJob { game, suite, settings, engine, .. } = &self.measurement;
        if engine.is_some() {
            return Err(Refusal::refused("measurements of external engines are done where the run is"));
        }
        let game = texts::game(game)?;
        // As the built-in engine writes its policy.
        let (settings, policy) = match settings.split_once(" to solution, ") {
            Some((settings, policy)) => (settings, policy.parse().map_err(Refusal::refused)?),
            None => (settings.as_str(), Policy::End),
        };
        let subject = BuiltIn::new(game, texts::settings(game, settings, premises)?, policy);
        premises.check_memory(&ThreadNeed::of_engine("the engine", subject.memory()))?;
        let problems = checked_suite(&premises.blob(SUITE)?, suite, &subject)?.problems;
        let driver = subject.driver().map_err(Refusal::refused)?;
        Ok(Box::new(HostedAttempts { game, subject, driver, problems, checked: None }))
    }
}

/// Reads the suite with this content key.
fn checked_suite(bytes: &Arc<[u8]>, key: &str, subject: &dyn Subject) -> Result<Suite, Refusal> {
    let suite = read_suite(bytes).map_err(Refusal::Refused)?;
    match suite.content_key() {
        found if found != key => return Err(Refusal::refused(format!("the suite {key} arrived as {found}"))),
        _ => {}
    }
    for problem in &suite.problems {
        subject.check(problem).map_err(|error| Refusal::refused(format!("problem '{}': {error}", problem.id)))?;
    }
    Ok(suite)
}

impl HostedAttempts {
    /// The candidate of a measurement that this program would make.
    fn candidate(&self, job: &MeasurementJob) -> Result<Candidate, Refusal> {
        let scheme = self.game.vocabulary.parse_scheme(&job.scheme, Weight::ONE).map_err(Refusal::refused)?;
        let candidate = Candidate::Scheme(scheme);
        let conditions = Conditions { suite: job.suite.clone(), nodes: job.nodes, seed: job.seed };
        let ours = self.subject.job(&candidate, &conditions).map_err(Refusal::refused)?;
        Refusal::unless_same(job, &ours)?;
        Ok(candidate)
    }
}

impl Worker<AttemptJob> for HostedAttempts {
    type Error = Refusal;

    fn run(&mut self, job: &AttemptJob, interrupt: &Interrupt<'_>) -> Result<Option<Trial>, Refusal> {
        if job.problem >= self.problems.len() as u64 {
            return Err(Refusal::refused(format!("the suite has no problem {}", job.problem)));
        }
        let known = self.checked.take().filter(|(checked, _)| *checked == job.measurement);
        let (_, candidate) = match known {
            Some(known) => self.checked.insert(known),
            None => {
                let candidate = self.candidate(&job.measurement)?;
                self.checked.insert((job.measurement.clone(), candidate))
            }
        };
        let mut worker = AttemptWorker { driver: &mut self.driver, problems: &self.problems, candidate };
        worker.run(job, interrupt).map_err(|error| RunError::from(error).into())
    }
}
