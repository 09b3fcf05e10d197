//! The executor's loop over a queue: a bounded number of jobs in flight, results handed over in order.

use std::collections::BTreeMap;
use std::ops::{ControlFlow, Range};
use std::time::Duration;

use super::{Completed, Ending, Executor, ExecutorError, Remote};
use crate::job::{Job, Worker};
use crate::remote::{Answer, Envelope, RemoteBatch};

/// How long to wait for answers before the interrupt is looked at again.
const WAIT: Duration = Duration::from_millis(50);
/// How many times as many results as jobs in flight may wait for one with a smaller number.
const MOST_WAITING: usize = 64;

type Done<J, W> = Result<Completed<J>, ExecutorError<<W as Worker<J>>::Error>>;

/// A batch at work.
struct Dispatch<'a, J: Job, W: Worker<J>> {
    executor: &'a Executor<'a>,
    remote: Remote<'a>,
    /// Does what nobody else has done.
    worker: &'a mut W,
    batch: Box<dyn RemoteBatch + 'a>,
    in_flight: BTreeMap<u64, J>,
    /// What waits for results with smaller numbers.
    early: BTreeMap<u64, Done<J, W>>,
}

impl Executor<'_> {
    /// Runs the jobs with these numbers on other machines, until `receive` breaks.
    pub(super) fn run_remote<J: Job, W: Worker<J>>(
        &self,
        remote: Remote<'_>,
        numbers: Range<u64>,
        job: impl Fn(u64) -> J,
        worker: &mut W,
        mut receive: impl FnMut(Completed<J>) -> ControlFlow<()>,
    ) -> Result<Ending, ExecutorError<W::Error>> {
        let (in_flight, early) = (BTreeMap::new(), BTreeMap::new());
        let batch = remote.queue.begin(remote.blobs)?;
        let mut dispatch = Dispatch { executor: self, remote, worker, batch, in_flight, early };
        let (mut due, mut next) = (numbers.start, numbers.start);
        while due < numbers.end {
            while next < numbers.end && dispatch.has_room() {
                if (self.interrupt)() || !dispatch.send(next, job(next))? {
                    return Ok(Ending::Interrupted);
                }
                next += 1;
            }
            while let Some(done) = dispatch.early.remove(&due) {
                if receive(done?).is_break() {
                    return Ok(Ending::Stopped);
                }
                due += 1;
            }
            if !dispatch.in_flight.is_empty() && ((self.interrupt)() || !dispatch.take_answers()?) {
                return Ok(Ending::Interrupted);
            }
        }
        Ok(Ending::Complete)
    }
}

impl<J: Job, W: Worker<J>> Dispatch<'_, J, W> {
    /// Whether another job may be sent before an answer has arrived.
    fn has_room(&self) -> bool {
        let window = self.remote.queue.window().max(1);
        self.in_flight.len() < window && self.early.len() < window.saturating_mul(MOST_WAITING)
    }

    /// Sends a job, unless its result is known. A job that cannot be sent is done here. False if it was interrupted.
    fn send(&mut self, number: u64, job: J) -> Result<bool, ExecutorError<W::Error>> {
        if let Some(result) = self.executor.memo.recall(&job)? {
            self.early.insert(number, Ok(Completed { number, job, result, is_new: false }));
            return Ok(true);
        }
        let sendable = Envelope::of(&job, self.remote.blobs, self.remote.engines);
        match sendable.and_then(|envelope| envelope.to_text().map(|_| envelope)) {
            Ok(envelope) => {
                self.batch.submit(number, envelope)?;
                self.in_flight.insert(number, job);
                Ok(true)
            }
            Err(_) => {
                let Some(done) = self.run_here(number, job) else { return Ok(false) };
                self.keep(vec![(number, done)])?;
                Ok(true)
            }
        }
    }

    /// Waits for answers and stores them. What no host has done is done here. False if that was interrupted.
    fn take_answers(&mut self) -> Result<bool, ExecutorError<W::Error>> {
        let (mut new, mut open) = (Vec::new(), Vec::new());
        for (number, answer) in self.batch.receive(WAIT)? {
            let Some(job) = self.in_flight.remove(&number) else { continue };
            match Answer::result_of(answer, &job) {
                Ok(result) => new.push((number, Ok(Completed { number, job, result, is_new: true }))),
                Err(_) => open.push((number, job)),
            }
        }
        self.keep(new)?;
        for (number, job) in open {
            let Some(done) = self.run_here(number, job) else { return Ok(false) };
            self.keep(vec![(number, done)])?;
        }
        Ok(true)
    }

    fn run_here(&mut self, number: u64, job: J) -> Option<Done<J, W>> {
        match self.worker.run(&job, self.executor.interrupt) {
            Ok(result) => result.map(|result| Ok(Completed { number, job, result, is_new: true })),
            Err(error) => Some(Err(ExecutorError::Worker(error))),
        }
    }

    fn keep(&mut self, new: Vec<(u64, Done<J, W>)>) -> Result<(), ExecutorError<W::Error>> {
        let results = new.iter().filter_map(|(_, done)| done.as_ref().ok()).map(|done| (&done.job, &done.result));
        self.executor.memo.keep_all(results)?;
        self.early.extend(new);
        Ok(())
    }
}
