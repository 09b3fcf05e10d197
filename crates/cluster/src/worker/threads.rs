//! The threads that do jobs: one job host each, fed from one queue.

use std::collections::VecDeque;
use std::num::NonZeroUsize;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use plysmith_runs::job_host::{HostSetup, JobHost};
use plysmith_runs::remote::{Answer, Envelope, Outcome};
use serde_json::Value;
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};

use super::Misbehaviour;

/// A job that was taken.
pub struct Parcel {
    /// The job.
    pub envelope: Envelope,
    /// Raised when nobody needs it any more.
    pub is_withdrawn: Arc<AtomicBool>,
}

/// What became of a job.
pub struct Done {
    /// The job.
    pub envelope: Envelope,
    /// The answer; none if it was withdrawn.
    pub answer: Option<Answer>,
    /// How long it took.
    pub time: Duration,
}

/// The queue to the threads.
pub struct Threads {
    shared: Arc<Shared>,
    count: NonZeroUsize,
}

struct Shared {
    queue: Mutex<VecDeque<Parcel>>,
    arrived: Condvar,
    is_over: Arc<AtomicBool>,
}

impl Threads {
    /// Starts this many threads.
    pub fn start(
        setup: &Arc<HostSetup>,
        count: NonZeroUsize,
        is_over: Arc<AtomicBool>,
        misbehaviour: Misbehaviour,
    ) -> (Threads, UnboundedReceiver<Done>) {
        let (queue, arrived) = (Mutex::default(), Condvar::new());
        let shared = Arc::new(Shared { queue, arrived, is_over });
        let (sender, outcomes) = unbounded_channel();
        for _ in 0..count.get() {
            let (shared, setup, sender) = (shared.clone(), setup.clone(), sender.clone());
            thread::spawn(move || shared.serve(&mut JobHost::new(setup), &sender, misbehaviour));
        }
        (Threads { shared, count }, outcomes)
    }

    /// How many threads there are.
    pub fn count(&self) -> usize {
        self.count.get()
    }

    /// Adds a job to the end of the queue, or to its front.
    pub fn add(&self, parcel: Parcel, is_urgent: bool) {
        let mut queue = self.shared.queue.lock().unwrap_or_else(PoisonError::into_inner);
        if is_urgent {
            queue.push_front(parcel);
        } else {
            queue.push_back(parcel);
        }
        self.shared.arrived.notify_one();
    }

    /// Takes back all jobs that no thread has begun.
    pub fn take_back(&self) -> Vec<Parcel> {
        let mut queue = self.shared.queue.lock().unwrap_or_else(PoisonError::into_inner);
        queue.drain(..).collect()
    }
}

impl Drop for Threads {
    fn drop(&mut self) {
        self.shared.is_over.store(true, Ordering::Relaxed);
        self.shared.arrived.notify_all();
    }
}

impl Shared {
    fn serve(&self, host: &mut JobHost, outcomes: &UnboundedSender<Done>, misbehaviour: Misbehaviour) {
        while let Some(Parcel { envelope, is_withdrawn }) = self.next() {
            let begun = Instant::now();
            let interrupt = || self.is_over.load(Ordering::Relaxed) || is_withdrawn.load(Ordering::Relaxed);
            let mut answer = if interrupt() { None } else { host.run(&envelope, &interrupt) };
            match misbehaviour {
                Misbehaviour::Lies => answer = answer.map(falsify),
                Misbehaviour::Slow(times) => thread::sleep(begun.elapsed() * times.saturating_sub(1)),
                Misbehaviour::None | Misbehaviour::OtherSignature => {}
            }
            if outcomes.send(Done { envelope, answer, time: begun.elapsed() }).is_err() {
                break;
            }
        }
    }

    fn next(&self) -> Option<Parcel> {
        let mut queue = self.queue.lock().unwrap_or_else(PoisonError::into_inner);
        loop {
            if self.is_over.load(Ordering::Relaxed) {
                return None;
            }
            if let Some(parcel) = queue.pop_front() {
                return Some(parcel);
            }
            queue = self.arrived.wait(queue).unwrap_or_else(PoisonError::into_inner);
        }
    }
}

/// A result of the right form with wrong numbers.
fn falsify(answer: Answer) -> Answer {
    fn change(value: &mut Value) {
        match value {
            Value::Number(number) => {
                if let Some(whole) = number.as_u64().filter(|whole| *whole > 1) {
                    *value = Value::from(whole - 1);
                }
            }
            Value::Array(items) => items.iter_mut().for_each(change),
            Value::Object(fields) => fields.values_mut().for_each(change),
            _ => {}
        }
    }
    let Outcome::Result(mut result) = answer.outcome else { return answer };
    change(&mut result);
    Answer { outcome: Outcome::Result(result), ..answer }
}
