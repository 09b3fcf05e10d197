//! Problems of measurements: the suite arrives as a blob. The engine is the built-in one, or one that this host offers.

use std::sync::Arc;

use plysmith_core::depth::Weight;
use plysmith_core::feature::Vocabulary;
use plysmith_core::problem::{Problem, Suite};
use plysmith_core::search::Interrupt;
use plysmith_engine::driver::{
    BuiltIn, Candidate, Conditions, Driver, ExternalEngineKey, MeasurementJob, Policy, Subject, Weights,
};

use super::hosted::{Hosted, HostedWorker, Premises, Refusal};
use super::texts;
use crate::cancel::CancelToken;
use crate::error::RunError;
use crate::job::Worker;
use crate::memory::ThreadNeed;
use crate::remote::shared::{SUBJECT, SUITE, SentSubject, read_subject, read_suite};
use crate::suite_runner::{AttemptJob, AttemptWorker, Trial};

/// Searches problems of one suite with one engine.
struct HostedAttempts {
    vocabulary: Vocabulary,
    subject: Box<dyn Subject>,
    /// An external engine's command line here.
    command: Option<String>,
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
        let OpenedHere { vocabulary, subject, command } = match &self.measurement.engine {
            None => built_in(&self.measurement, premises)?,
            Some(engine) => external(engine, premises)?,
        };
        premises.check_memory(&ThreadNeed::of_engine("the engine", subject.memory()))?;
        let problems = checked_suite(&premises.blob(SUITE)?, &self.measurement.suite, &*subject)?.problems;
        let driver = subject.driver().map_err(Refusal::refused)?;
        Ok(Box::new(HostedAttempts { vocabulary, subject, command, driver, problems, checked: None }))
    }
}

/// An engine that is ready to be measured here.
struct OpenedHere {
    vocabulary: Vocabulary,
    subject: Box<dyn Subject>,
    command: Option<String>,
}

fn built_in(job: &MeasurementJob, premises: &Premises<'_>) -> Result<OpenedHere, Refusal> {
    let game = texts::game(&job.game)?;
    // As the built-in engine writes its policy.
    let (settings, policy) = match job.settings.split_once(" to solution, ") {
        Some((settings, policy)) => (settings, policy.parse().map_err(Refusal::refused)?),
        None => (job.settings.as_str(), Policy::End),
    };
    let subject = BuiltIn::new(game, texts::settings(game, settings, premises)?, policy);
    Ok(OpenedHere { vocabulary: game.vocabulary, subject: Box::new(subject), command: None })
}

fn external(engine: &ExternalEngineKey, premises: &Premises<'_>) -> Result<OpenedHere, Refusal> {
    let (sent, command) = offered_subject(engine, premises)?;
    let game = sent.game.as_deref().map(texts::game).transpose()?;
    let opened = sent.engine.open(game, sent.policy, &CancelToken::new())?;
    let (vocabulary, _) = opened.features();
    Ok(OpenedHere { vocabulary, subject: opened.into_subject(), command: Some(command) })
}

/// An engine that came as a blob, with the command line of this host, which is returned, too.
pub(super) fn offered_subject(
    engine: &ExternalEngineKey,
    premises: &Premises<'_>,
) -> Result<(SentSubject, String), Refusal> {
    let sent = read_subject(&premises.blob(SUBJECT)?).map_err(Refusal::Refused)?;
    let offered = premises.host.engines.find(&sent.engine.command()?, &engine.content)?;
    offered.check_options(&sent.engine.given_options()?)?;
    let here = sent.engine.started_by(&offered.command)?;
    Ok((SentSubject { engine: here, ..sent }, offered.command.to_string()))
}

/// The measurement as it would be made here, where an external engine has another command line.
pub(super) fn as_here(job: &MeasurementJob, command: Option<&String>) -> MeasurementJob {
    let here = |engine: &ExternalEngineKey| ExternalEngineKey {
        command: command.cloned().unwrap_or_default(),
        ..engine.clone()
    };
    MeasurementJob { engine: job.engine.as_ref().map(here), ..job.clone() }
}

/// Reads the suite with this content key.
fn checked_suite(bytes: &Arc<[u8]>, key: &str, subject: &dyn Subject) -> Result<Suite, Refusal> {
    let suite = read_suite(bytes).map_err(Refusal::Refused)?;
    let found = suite.content_key();
    if found != key {
        return Err(Refusal::refused(format!("the suite {key} arrived as {found}")));
    }
    for problem in &suite.problems {
        subject.check(problem).map_err(|error| Refusal::refused(format!("problem '{}': {error}", problem.id)))?;
    }
    Ok(suite)
}

impl HostedAttempts {
    /// The candidate of a measurement that this program would make.
    fn candidate(&self, job: &MeasurementJob) -> Result<Candidate, Refusal> {
        let candidate = match job.scheme.strip_prefix("weights").filter(|_| job.engine.is_some()) {
            Some(weights) if !weights.trim().is_empty() => {
                Candidate::Weights(weights.trim().parse().map_err(Refusal::refused)?)
            }
            Some(_) => Candidate::Weights(Weights::default()),
            None => {
                Candidate::Scheme(self.vocabulary.parse_scheme(&job.scheme, Weight::ONE).map_err(Refusal::refused)?)
            }
        };
        let conditions = Conditions { suite: job.suite.clone(), nodes: job.nodes, seed: job.seed };
        let ours = self.subject.job(&candidate, &conditions).map_err(Refusal::refused)?;
        Refusal::unless_same(&as_here(job, self.command.as_ref()), &ours)?;
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
