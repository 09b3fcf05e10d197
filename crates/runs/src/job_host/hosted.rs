//! How a kind of job is hosted: by a worker that is made from the job, and kept for jobs like it.

use plysmith_core::search::Interrupt;
use plysmith_engine::arena::game::GameJob;
use serde_json::Value;

use super::HostSetup;
use crate::choice::ChoiceJob;
use crate::error::RunError;
use crate::job::{Job, Worker};
use crate::kinds::evolve::ProgramJob;
use crate::mates::{EngineMateJob, MateJob};
use crate::memory::ThreadNeed;
use crate::remote::Envelope;
use crate::self_play::SelfPlayJob;
use crate::suite_maker::SuiteGameJob;
use crate::suite_runner::AttemptJob;

/// A kind of job that a host can do.
pub(super) trait Hosted: Job {
    /// What its worker depends on: jobs with equal texts share a worker. Should not be everything, and may be nothing.
    fn worker_key(&self) -> String;

    /// A worker for this job and those like it.
    fn worker(&self, premises: &Premises<'_>) -> Result<HostedWorker<Self>, Refusal>;
}

/// Does the jobs of a kind. It checks that a job is one that this program would make.
pub(super) type HostedWorker<J> = Box<dyn Worker<J, Error = Refusal>>;

/// Why there is no result.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Refusal {
    /// This host does not do it; another one may.
    Refused(String),
    /// It was tried, and failed.
    Failed(String),
    /// It was interrupted.
    Interrupted,
}

/// What a worker is made with.
pub(super) struct Premises<'a> {
    /// The host.
    pub host: &'a HostSetup,
    /// The envelope of the first job.
    pub envelope: &'a Envelope,
}

/// The last worker of each kind.
#[derive(Default)]
pub(super) struct Kept {
    attempts: Slot<AttemptJob>,
    games: Slot<GameJob>,
    self_play: Slot<SelfPlayJob>,
    choices: Slot<ChoiceJob>,
    mates: Slot<MateJob>,
    engine_mates: Slot<EngineMateJob>,
    programs: Slot<ProgramJob>,
    suite_games: Slot<SuiteGameJob>,
}

/// A worker with the text of what it depends on.
struct Slot<J: Hosted>(Option<(String, HostedWorker<J>)>);

impl Kept {
    /// Does a job of any kind.
    pub fn run(&mut self, envelope: &Envelope, host: &HostSetup, interrupt: &Interrupt<'_>) -> Result<Value, Refusal> {
        let premises = Premises { host, envelope };
        match envelope.kind.as_str() {
            AttemptJob::KIND => self.attempts.run(&premises, interrupt),
            GameJob::KIND => self.games.run(&premises, interrupt),
            SelfPlayJob::KIND => self.self_play.run(&premises, interrupt),
            ChoiceJob::KIND => self.choices.run(&premises, interrupt),
            MateJob::KIND => self.mates.run(&premises, interrupt),
            EngineMateJob::KIND => self.engine_mates.run(&premises, interrupt),
            ProgramJob::KIND => self.programs.run(&premises, interrupt),
            SuiteGameJob::KIND => self.suite_games.run(&premises, interrupt),
            other => Err(Refusal::Refused(format!("jobs of the kind '{other}' are not done by hosts"))),
        }
    }
}

impl<J: Hosted> Slot<J> {
    fn run(&mut self, premises: &Premises<'_>, interrupt: &Interrupt<'_>) -> Result<Value, Refusal> {
        let Envelope { kind, key, job, blobs, .. } = premises.envelope;
        let job: J = serde_json::from_value(job.clone())
            .map_err(|error| Refusal::Refused(format!("this is no job of the kind '{kind}': {error}")))?;
        let found = job.key();
        if found != *key {
            return Err(Refusal::Refused(format!(
                "the job was sent as {key}, but its key is {found} here; use the same plysmith everywhere"
            )));
        }
        let named: Vec<&str> = blobs.iter().map(|blob| blob.key.as_str()).collect();
        let worker_key = format!("{}\n{}", named.join(" "), job.worker_key());
        let mut worker = match self.0.take().filter(|(kept, _)| *kept == worker_key) {
            Some((_, worker)) => worker,
            None => job.worker(premises)?,
        };
        let result = worker.run(&job, interrupt)?.ok_or(Refusal::Interrupted)?;
        self.0 = Some((worker_key, worker));
        serde_json::to_value(result).map_err(|error| Refusal::Failed(error.to_string()))
    }
}

impl<J: Hosted> Default for Slot<J> {
    fn default() -> Slot<J> {
        Slot(None)
    }
}

impl Premises<'_> {
    /// Fails if there is no memory for a worker that needs this on each thread.
    pub fn check_memory(&self, need: &ThreadNeed) -> Result<(), Refusal> {
        let HostSetup { memory, threads, .. } = self.host;
        memory.allot(*threads, u64::MAX, need).map(|_| ()).map_err(Refusal::refused)
    }

    /// The blobs in this role.
    pub fn blobs(&self, role: &str) -> Result<Vec<std::sync::Arc<[u8]>>, Refusal> {
        let named = self.envelope.blobs.iter().filter(|blob| blob.role == role);
        named.map(|blob| blob.fetch(&*self.host.blobs).map_err(Refusal::Refused)).collect()
    }

    /// The only blob in this role.
    pub fn blob(&self, role: &str) -> Result<std::sync::Arc<[u8]>, Refusal> {
        let mut blobs = self.blobs(role)?;
        match (blobs.pop(), blobs.is_empty()) {
            (Some(blob), true) => Ok(blob),
            _ => Err(Refusal::Refused(format!("the job must name one {role}"))),
        }
    }
}

impl Refusal {
    /// Refused for this reason.
    pub fn refused(reason: impl std::fmt::Display) -> Refusal {
        Refusal::Refused(reason.to_string())
    }

    /// Fails if the job is not the one that this program would make.
    pub fn unless_same<T: PartialEq>(sent: &T, ours: &T) -> Result<(), Refusal> {
        if sent == ours {
            return Ok(());
        }
        Err(Refusal::refused(
            "this program would compute something else: its revisions, features or evaluations differ, or the job is \
             not in its canonical form; use the same plysmith everywhere",
        ))
    }
}

impl From<RunError> for Refusal {
    fn from(error: RunError) -> Refusal {
        match error {
            RunError::Cancelled(_) => Refusal::Interrupted,
            RunError::Input(reason) => Refusal::Refused(reason),
            other => Refusal::Failed(other.to_string()),
        }
    }
}
