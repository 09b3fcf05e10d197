//! The coordinator: a [`RemoteQueue`] over the broker. The run store is the only truth; the broker may lose everything.
//!
//! The executor's calls become commands to a task that owns the `Ledger`; the answers that may be
//! believed come back through a channel for each batch.

mod arbiter;
mod task;

use std::collections::hash_map::RandomState;
use std::hash::BuildHasher;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::Duration;

use plysmith_runs::progress::{ProgressSink, Update};
use plysmith_runs::remote::{Answer, Blob, BlobMap, Envelope, RemoteBatch, RemoteError, RemoteQueue};
use tokio::runtime::Runtime;
use tokio::sync::mpsc::{UnboundedSender, unbounded_channel};

use crate::address::{Address, Security};
use crate::blobs;
use crate::broker::Broker;
use crate::error::ClusterError;
use crate::signature::BenchSignature;
use task::Task;

/// How long the end of the coordinator may take: what is left in the broker harms nobody.
const FAREWELL: Duration = Duration::from_secs(3);
/// The window before any worker is known.
const FIRST_WINDOW: usize = 16;

/// A way to the workers of a cluster.
pub struct Coordinator {
    commands: UnboundedSender<Command>,
    shared: Arc<Shared>,
    blobs: Arc<BlobMap>,
    next_batch: Mutex<u64>,
    runtime: Option<Runtime>,
    arbiter: Option<JoinHandle<()>>,
}

/// What the task tells the executor's side.
pub(crate) struct Shared {
    /// How many jobs may be in flight.
    pub window: AtomicUsize,
    /// Why the cluster cannot be used any more.
    pub failure: Mutex<Option<String>>,
}

/// What the executor wants of the task.
pub(crate) enum Command {
    /// A batch begins; its answers go here.
    Begin(u64, Sender<(u64, Answer)>),
    /// A job of a batch.
    Submit(u64, u64, Box<Envelope>),
    /// A batch is over.
    Drop(u64),
    /// The arbiter has measured a job.
    Measured(Answer),
    /// The coordinator ends.
    Stop,
}

/// How a coordinator is started.
pub struct CoordinatorOptions<'a> {
    /// The cluster.
    pub address: &'a Address,
    /// How the connection is secured.
    pub security: &'a Security,
    /// What it is for, in words, for `cluster status`.
    pub command: String,
    /// Where notes go.
    pub progress: Arc<dyn ProgressSink>,
}

impl Coordinator {
    /// Connects to the broker.
    pub fn connect(options: CoordinatorOptions<'_>) -> Result<Coordinator, ClusterError> {
        let CoordinatorOptions { address, security, command, progress } = options;
        let Broker { runtime, link, events } = Broker::connect(address, security, "coordinator")?;
        let signature = BenchSignature::measure()?;
        let blobs = Arc::new(BlobMap::default());
        let shared = Arc::new(Shared { window: AtomicUsize::new(FIRST_WINDOW), failure: Mutex::new(None) });
        let (commands, receiver) = unbounded_channel();
        let (arbiter, cases) = arbiter::start(blobs.clone(), commands.clone());
        let note: Arc<dyn Fn(&str) + Send + Sync> = Arc::new(move |text| progress.update(Update::Note(text)));
        let salt = RandomState::new().hash_one(std::process::id());
        let id = format!("c-{:012x}", salt >> 16);
        let task = Task::new(link.clone(), shared.clone(), cases, note.clone(), &signature.text, salt, id, &command);
        runtime.spawn(task.run(receiver, events));
        let served = blobs.clone();
        runtime.spawn(async move {
            if let Err(error) = blobs::serve(link, served).await {
                note(&format!("warning: workers cannot get suites and weights from here: {error}"));
            }
        });
        let (next_batch, runtime, arbiter) = (Mutex::new(0), Some(runtime), Some(arbiter));
        Ok(Coordinator { commands, shared, blobs, next_batch, runtime, arbiter })
    }

    fn check(&self) -> Result<(), RemoteError> {
        let failure = self.shared.failure.lock().unwrap_or_else(PoisonError::into_inner);
        failure.as_ref().map_or(Ok(()), |reason| Err(RemoteError::new(reason)))
    }

    fn send(&self, command: Command) -> Result<(), RemoteError> {
        self.commands.send(command).map_err(|_| RemoteError::new("the connection to the cluster has ended"))
    }
}

impl RemoteQueue for Coordinator {
    fn window(&self) -> usize {
        self.shared.window.load(Ordering::Relaxed)
    }

    fn begin(&self, blobs: &[Blob]) -> Result<Box<dyn RemoteBatch + '_>, RemoteError> {
        blobs.iter().for_each(|blob| self.blobs.insert(blob));
        let id = {
            let mut next = self.next_batch.lock().unwrap_or_else(PoisonError::into_inner);
            *next += 1;
            *next
        };
        let (sender, answers) = channel();
        self.send(Command::Begin(id, sender))?;
        Ok(Box::new(Batch { coordinator: self, id, answers }))
    }
}

impl Drop for Coordinator {
    fn drop(&mut self) {
        let _ = self.commands.send(Command::Stop);
        // The task says good-bye: it withdraws what is left in the queue.
        self.runtime.take().into_iter().for_each(|runtime| {
            let done = runtime.block_on(async { tokio::time::timeout(FAREWELL, self.commands.closed()).await });
            // Without a broker there is nobody to say it to.
            let _ = done;
            runtime.shutdown_background();
        });
        // The arbiter is let go of: it may be measuring a long job that nobody needs.
        drop(self.arbiter.take());
    }
}

/// A batch of the executor.
struct Batch<'a> {
    coordinator: &'a Coordinator,
    id: u64,
    answers: Receiver<(u64, Answer)>,
}

impl RemoteBatch for Batch<'_> {
    fn submit(&mut self, number: u64, envelope: Envelope) -> Result<(), RemoteError> {
        self.coordinator.check()?;
        self.coordinator.send(Command::Submit(self.id, number, Box::new(envelope)))
    }

    fn receive(&mut self, wait: Duration) -> Result<Vec<(u64, Answer)>, RemoteError> {
        self.coordinator.check()?;
        match self.answers.recv_timeout(wait) {
            Ok(first) => Ok(std::iter::once(first).chain(self.answers.try_iter()).collect()),
            Err(RecvTimeoutError::Timeout) => Ok(Vec::new()),
            Err(RecvTimeoutError::Disconnected) => Err(RemoteError::new("the connection to the cluster has ended")),
        }
    }
}

impl Drop for Batch<'_> {
    fn drop(&mut self) {
        let _ = self.coordinator.commands.send(Command::Drop(self.id));
    }
}
