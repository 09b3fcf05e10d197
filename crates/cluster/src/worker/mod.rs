//! A worker: it takes jobs from the broker, does them on its threads, and sends the results.
//!
//! Jobs are done by `plysmith_runs::job_host`, which trusts no message. A worker that is asked to leave finishes what it
//! is doing, gives back what it has taken besides, and says good-bye.

mod config;
mod task;
mod threads;

use std::fs::{File, OpenOptions};
use std::io::Write;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex, PoisonError};

use plysmith_engine::parallel::all_cores;
use plysmith_runs::CancelToken;
use plysmith_runs::job_host::HostSetup;
use plysmith_runs::job_host::engines::OfferedEngines;
use plysmith_runs::memory::MemoryRule;
use serde::Serialize;

use crate::address::{Address, Security};
use crate::blobs::RemoteBlobs;
use crate::broker::Broker;
use crate::error::ClusterError;
use crate::message::{VERSION, WorkerReport};
use crate::names::subject_token;
use crate::signature::BenchSignature;
pub use config::{WorkerConfig, drain};
use task::Task;
use threads::Threads;

/// How a worker is started.
pub struct WorkerOptions {
    /// The cluster.
    pub address: Address,
    /// How the connection is secured.
    pub security: Security,
    /// How many jobs it does at a time.
    pub threads: NonZeroUsize,
    /// The external engines that jobs may use.
    pub engines: OfferedEngines,
    /// A file to which a line is added for each job that was done.
    pub log: Option<PathBuf>,
    /// Raised to make it leave.
    pub cancel: CancelToken,
    /// Where notes go.
    pub note: Arc<dyn Fn(&str) + Send + Sync>,
    /// What a test wants it to do wrong.
    pub misbehaviour: Misbehaviour,
}

/// What a worker of a test does wrong.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Default)]
pub enum Misbehaviour {
    /// Nothing.
    #[default]
    None,
    /// Its results are wrong.
    Lies,
    /// Each job takes this many times as long.
    Slow(u32),
    /// Its searches seem to be those of another program.
    OtherSignature,
}

/// What a worker did.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct WorkerSummary {
    /// Its name.
    pub worker: String,
    /// How many jobs it did.
    pub done: u64,
}

/// Works until it is cancelled, or refused.
pub fn work(options: WorkerOptions) -> Result<WorkerSummary, ClusterError> {
    let WorkerOptions { address, security, threads, engines, log, cancel, note, misbehaviour } = options;
    let id = worker_id();
    let log = log.as_deref().map(JobLog::open).transpose()?;
    let Broker { runtime, link, events } = Broker::connect(&address, &security, &id)?;
    let mut signature = BenchSignature::measure()?;
    if misbehaviour == Misbehaviour::OtherSignature {
        signature.text += "-other";
    }
    let report = WorkerReport {
        version: VERSION,
        worker: id.clone(),
        program: env!("CARGO_PKG_VERSION").to_string(),
        signature: signature.text,
        cores: all_cores().get() as u64,
        threads: threads.get() as u64,
        speed: signature.speed,
        engines: engines.all().iter().map(|engine| (engine.name.clone(), engine.content.clone())).collect(),
        ..WorkerReport::default()
    };
    let is_over = Arc::new(AtomicBool::new(false));
    let blobs = Arc::new(RemoteBlobs::new(runtime.handle().clone(), &link, is_over.clone()));
    // What was asked for is the user's word; what does not fit is refused job by job.
    let memory = MemoryRule::default();
    let setup = Arc::new(HostSetup { engines, blobs, memory, threads });
    let (pool, outcomes) = Threads::start(&setup, threads, is_over, misbehaviour);
    note(&format!("worker '{id}' with {threads} threads is at {address}"));
    let task = Task::new(link, report, pool, log, note.clone());
    let ended = runtime.block_on(task.run(outcomes, events, cancel));
    runtime.shutdown_background();
    ended
}

/// The machine's name, as far as it may be part of a subject.
fn host_name() -> String {
    let host = std::fs::read_to_string("/proc/sys/kernel/hostname")
        .or_else(|_| std::env::var("HOSTNAME").or_else(|_| std::env::var("COMPUTERNAME")))
        .unwrap_or_default();
    let host = subject_token(host.trim().split('.').next().unwrap_or_default());
    if host.is_empty() { "worker".to_string() } else { host.chars().take(20).collect() }
}

/// The machine's name, the process's number and a few digits that no other worker has.
fn worker_id() -> String {
    let unique = std::hash::BuildHasher::hash_one(&std::collections::hash_map::RandomState::new(), 0);
    format!("{}-{}-{:04x}", host_name(), std::process::id(), unique & 0xffff)
}

/// A file with a line for each job that was done.
pub(crate) struct JobLog {
    file: Mutex<File>,
}

impl JobLog {
    fn open(path: &Path) -> Result<JobLog, ClusterError> {
        let opened = OpenOptions::new().append(true).create(true).open(path);
        let file =
            opened.map_err(|error| ClusterError::Input(format!("cannot write to '{}': {error}", path.display())))?;
        Ok(JobLog { file: Mutex::new(file) })
    }

    /// Adds a line, as a whole.
    pub fn add(&self, line: &serde_json::Value) {
        let mut file = self.file.lock().unwrap_or_else(PoisonError::into_inner);
        // A log that cannot be written does not stop the work.
        let _ = file.write_all(format!("{line}\n").as_bytes());
    }
}
