//! The queue inside this process: hosts on threads of their own, every message passed as text.
//!
//! It is what a cluster is without a network, for tests and as the model of a transport.

use std::collections::VecDeque;
use std::num::NonZeroUsize;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use super::{HostSetup, JobHost};
use crate::remote::{Answer, Blob, BlobMap, Envelope, MessageError, RemoteBatch, RemoteError, RemoteQueue};

/// Hosts on threads.
pub struct LocalQueue {
    shared: Arc<Shared>,
    blobs: Arc<BlobMap>,
    threads: Vec<JoinHandle<()>>,
}

#[derive(Default)]
struct Shared {
    waiting: Mutex<VecDeque<Parcel>>,
    arrived: Condvar,
    is_closed: AtomicBool,
}

/// A job for any of the hosts.
struct Parcel {
    number: u64,
    text: String,
    /// Whether its batch has been dropped.
    is_abandoned: Arc<AtomicBool>,
    answers: Sender<(u64, String)>,
}

struct LocalBatch<'a> {
    queue: &'a LocalQueue,
    is_abandoned: Arc<AtomicBool>,
    sender: Sender<(u64, String)>,
    answers: Receiver<(u64, String)>,
}

impl LocalQueue {
    /// Starts this many hosts.
    pub fn start(threads: NonZeroUsize) -> LocalQueue {
        LocalQueue::start_with(threads, |setup| setup)
    }

    /// Starts this many hosts, with a setup that the caller changes.
    pub fn start_with(threads: NonZeroUsize, change: impl FnOnce(HostSetup) -> HostSetup) -> LocalQueue {
        let blobs = Arc::new(BlobMap::default());
        let setup = Arc::new(change(HostSetup::new(blobs.clone(), threads)));
        let shared = Arc::new(Shared::default());
        let spawn = |_| {
            let (shared, mut host) = (shared.clone(), JobHost::new(setup.clone()));
            thread::spawn(move || shared.serve(&mut host))
        };
        let threads = (0..threads.get()).map(spawn).collect();
        LocalQueue { shared, blobs, threads }
    }
}

impl Drop for LocalQueue {
    fn drop(&mut self) {
        self.shared.is_closed.store(true, Ordering::Relaxed);
        {
            // Under the lock, so that no thread misses it between its look at the flag and its wait.
            let mut waiting = self.shared.waiting.lock().unwrap_or_else(PoisonError::into_inner);
            waiting.clear();
            self.shared.arrived.notify_all();
        }
        for thread in self.threads.drain(..) {
            let _ = thread.join();
        }
    }
}

impl Shared {
    fn serve(&self, host: &mut JobHost) {
        while let Some(parcel) = self.next() {
            let interrupt = || self.is_closed.load(Ordering::Relaxed) || parcel.is_abandoned.load(Ordering::Relaxed);
            if interrupt() {
                continue;
            }
            let answer = match Envelope::parse(parcel.text.as_bytes()) {
                Ok(envelope) => host.run(&envelope, &interrupt),
                // Our own messages are well-formed.
                Err(_) => None,
            };
            let _ = answer.map(|answer| parcel.answers.send((parcel.number, answer.to_text())));
        }
    }

    fn next(&self) -> Option<Parcel> {
        let mut waiting = self.waiting.lock().unwrap_or_else(PoisonError::into_inner);
        loop {
            if self.is_closed.load(Ordering::Relaxed) {
                return None;
            }
            if let Some(parcel) = waiting.pop_front() {
                return Some(parcel);
            }
            waiting = self.arrived.wait(waiting).unwrap_or_else(PoisonError::into_inner);
        }
    }
}

impl RemoteQueue for LocalQueue {
    fn window(&self) -> usize {
        2 * self.threads.len()
    }

    fn begin(&self, blobs: &[Blob]) -> Result<Box<dyn RemoteBatch + '_>, RemoteError> {
        blobs.iter().for_each(|blob| self.blobs.insert(blob));
        let (sender, answers) = channel();
        Ok(Box::new(LocalBatch { queue: self, is_abandoned: Arc::default(), sender, answers }))
    }
}

impl RemoteBatch for LocalBatch<'_> {
    fn submit(&mut self, number: u64, envelope: Envelope) -> Result<(), RemoteError> {
        let text = envelope.to_text().map_err(RemoteError::new)?;
        let (is_abandoned, answers) = (self.is_abandoned.clone(), self.sender.clone());
        let mut waiting = self.queue.shared.waiting.lock().unwrap_or_else(PoisonError::into_inner);
        waiting.push_back(Parcel { number, text, is_abandoned, answers });
        self.queue.shared.arrived.notify_one();
        Ok(())
    }

    fn receive(&mut self, wait: Duration) -> Result<Vec<(u64, Answer)>, RemoteError> {
        let first = match self.answers.recv_timeout(wait) {
            Ok(first) => first,
            Err(RecvTimeoutError::Timeout | RecvTimeoutError::Disconnected) => return Ok(Vec::new()),
        };
        let read = |(number, text): (u64, String)| Ok((number, Answer::parse(text.as_bytes())?));
        let answers: Result<_, MessageError> =
            std::iter::once(first).chain(self.answers.try_iter()).map(read).collect();
        answers.map_err(RemoteError::new)
    }
}

impl Drop for LocalBatch<'_> {
    fn drop(&mut self) {
        self.is_abandoned.store(true, Ordering::Relaxed);
    }
}
