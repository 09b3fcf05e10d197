//! The executor: numbered jobs on all cores or on other machines, none done twice, results handed over in order.
//!
//! Each job is first looked up in the result cache. New results are stored when they arrive, in any order, together
//! with those that arrived while others were being stored, so a killed process loses little more than the jobs in
//! flight. Results and errors reach the receiver by rising number, so its decisions, such as to stop after result 17,
//! do not depend on the number of threads and machines.

mod dispatch;

use std::ops::{ControlFlow, Range};

use plysmith_core::search::Interrupt;
use plysmith_engine::parallel::in_order_noting;
use plysmith_store::StoreError;
use thiserror::Error;

use crate::error::RunError;
use crate::job::{Job, Worker};
use crate::memo::Memo;
use crate::remote::{Blob, NeededEngine, RemoteError, RemoteQueue};

/// Runs jobs on the threads of this machine, or on other machines.
#[derive(Copy, Clone)]
pub struct Executor<'a> {
    /// Where results are looked up and kept.
    pub memo: Memo<'a>,
    /// Polled often; when it is raised, jobs in flight are abandoned.
    pub interrupt: &'a Interrupt<'a>,
    /// Where jobs are sent; none for the threads of this machine.
    pub remote: Option<Remote<'a>>,
}

/// A way to other machines, and what the jobs of a batch need there.
#[derive(Copy, Clone)]
pub struct Remote<'a> {
    /// The way.
    pub queue: &'a dyn RemoteQueue,
    /// What all jobs need besides themselves.
    pub blobs: &'a [Blob],
    /// The external engines that all jobs need.
    pub engines: &'a [NeededEngine],
}

/// A job with its result.
#[derive(Clone, Debug)]
pub struct Completed<J: Job> {
    /// The job's number.
    pub number: u64,
    /// The job.
    pub job: J,
    /// Its result.
    pub result: J::Result,
    /// Whether it was computed just now, not read from the cache.
    pub is_new: bool,
}

/// How a batch of jobs ended.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Ending {
    /// All jobs are done.
    Complete,
    /// The receiver had enough.
    Stopped,
    /// The interrupt was raised.
    Interrupted,
}

/// Why a batch of jobs failed.
#[derive(Debug, Error)]
pub enum ExecutorError<E> {
    /// The result cache could not be read or written.
    #[error(transparent)]
    Memo(#[from] StoreError),
    /// The way to other machines failed.
    #[error(transparent)]
    Remote(#[from] RemoteError),
    /// A worker could not run a job.
    #[error("{0}")]
    Worker(E),
}

impl<'a> Executor<'a> {
    /// Runs jobs on the threads of this machine.
    pub fn local(memo: Memo<'a>, interrupt: &'a Interrupt<'a>) -> Executor<'a> {
        Executor { memo, interrupt, remote: None }
    }

    /// Adds what all jobs need on other machines.
    #[must_use]
    pub fn with_blobs(self, blobs: &'a [Blob], engines: &'a [NeededEngine]) -> Executor<'a> {
        Executor { remote: self.remote.map(|remote| Remote { blobs, engines, ..remote }), ..self }
    }
}

impl Executor<'_> {
    /// Runs the jobs with these numbers until `receive` breaks: on one thread for each worker, or on other machines.
    ///
    /// `job` makes the job of a number. It is called on worker threads.
    pub fn run<J: Job, W: Worker<J>>(
        &self,
        numbers: Range<u64>,
        job: impl Fn(u64) -> J + Sync,
        workers: &mut [W],
        mut receive: impl FnMut(Completed<J>) -> ControlFlow<()>,
    ) -> Result<Ending, ExecutorError<W::Error>> {
        if let (Some(remote), true, Some(worker)) = (self.remote, J::IS_PORTABLE, workers.first_mut()) {
            return self.run_remote(remote, numbers, job, worker, receive);
        }
        let (mut due, end) = (numbers.start, numbers.end);
        let (mut is_stopped, mut failure) = (false, None);
        let mut memo_failure = None;
        in_order_noting(
            numbers,
            workers,
            |pool, worker, number| {
                let interrupt = || pool.is_halted() || (self.interrupt)();
                self.recall_or_run(number, job(number), worker, &interrupt).transpose()
            },
            |arrived| {
                let done = arrived.iter().filter_map(|(_, outcome)| outcome.as_ref().ok());
                let new = done.filter(|done| done.is_new).map(|done| (&done.job, &done.result));
                match self.memo.keep_all(new) {
                    Ok(()) => ControlFlow::Continue(()),
                    Err(error) => {
                        memo_failure = Some(error);
                        ControlFlow::Break(())
                    }
                }
            },
            |number, outcome| match outcome {
                Ok(done) => {
                    due = number + 1;
                    let flow = receive(done);
                    is_stopped = flow.is_break();
                    flow
                }
                Err(error) => {
                    failure = Some(error);
                    ControlFlow::Break(())
                }
            },
        );
        match (memo_failure, failure) {
            (Some(error), _) => Err(ExecutorError::Memo(error)),
            (None, Some(error)) => Err(error),
            (None, None) if is_stopped => Ok(Ending::Stopped),
            (None, None) if due >= end => Ok(Ending::Complete),
            (None, None) => Ok(Ending::Interrupted),
        }
    }

    /// Runs all of these jobs. The results are in order. Fails if the interrupt was raised before all were done.
    ///
    /// `progress` is called with the number of jobs done.
    pub fn run_all<J: Job, W: Worker<J, Error: Into<RunError>>>(
        &self,
        jobs: &[J],
        workers: &mut [W],
        progress: &dyn Fn(usize),
    ) -> Result<Vec<J::Result>, RunError> {
        // Known results are read before the work begins: a worker that looks one up waits while others are stored.
        let mut results = jobs.iter().map(|job| self.memo.recall(job)).collect::<Result<Vec<_>, _>>()?;
        let open: Vec<usize> = (0..jobs.len()).filter(|&index| results[index].is_none()).collect();
        let mut done = jobs.len() - open.len();
        progress(done);
        let worker_only = Executor { memo: self.memo.without_recall(), ..*self };
        let job = |number: u64| jobs[open[number as usize]].clone();
        let ending = worker_only.run(0..open.len() as u64, job, workers, |completed| {
            results[open[completed.number as usize]] = Some(completed.result);
            done += 1;
            progress(done);
            ControlFlow::Continue(())
        })?;
        if ending == Ending::Complete {
            Ok(results.into_iter().flatten().collect())
        } else {
            Err(RunError::Cancelled(None))
        }
    }

    fn recall_or_run<J: Job, W: Worker<J>>(
        &self,
        number: u64,
        job: J,
        worker: &mut W,
        interrupt: &Interrupt<'_>,
    ) -> Result<Option<Completed<J>>, ExecutorError<W::Error>> {
        if let Some(result) = self.memo.recall(&job)? {
            return Ok(Some(Completed { number, job, result, is_new: false }));
        }
        let result = worker.run(&job, interrupt).map_err(ExecutorError::Worker)?;
        Ok(result.map(|result| Completed { number, job, result, is_new: true }))
    }
}

impl<E: Into<RunError>> From<ExecutorError<E>> for RunError {
    fn from(error: ExecutorError<E>) -> RunError {
        match error {
            ExecutorError::Memo(error) => RunError::Store(error),
            ExecutorError::Remote(error) => RunError::failed(error),
            ExecutorError::Worker(error) => error.into(),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;
    use std::convert::Infallible;
    use std::sync::Mutex;

    use plysmith_store::{Home, Store};
    use serde::{Deserialize, Serialize};

    use super::*;
    use crate::job::Key;

    #[derive(Clone, Serialize, Deserialize)]
    struct Square(u64);

    impl Job for Square {
        const KIND: &'static str = "square";
        type Result = u64;

        fn key(&self) -> Key {
            Key::of(&format!("square {}", self.0))
        }
    }

    #[derive(Default)]
    struct Squarer<'a> {
        seen: Option<&'a Mutex<BTreeSet<u64>>>,
    }

    impl Worker<Square> for Squarer<'_> {
        type Error = String;

        fn run(&mut self, job: &Square, _: &Interrupt<'_>) -> Result<Option<u64>, String> {
            if let Some(seen) = self.seen {
                assert!(seen.lock().unwrap().insert(job.0), "{} was computed twice", job.0);
            }
            if job.0 == 70 { Err("70 is too large".to_string()) } else { Ok(Some(job.0 * job.0)) }
        }
    }

    fn run(memo: Memo<'_>, threads: usize, most: u64, seen: &Mutex<BTreeSet<u64>>) -> (Vec<u64>, String) {
        let executor = Executor::local(memo, &|| false);
        let mut workers: Vec<_> = (0..threads).map(|_| Squarer { seen: Some(seen) }).collect();
        let mut results = Vec::new();
        let ending = executor.run(3..100, Square, &mut workers, |done| {
            results.push(done.result);
            if done.number == most { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        });
        (results, format!("{ending:?}"))
    }

    #[test]
    fn the_end_does_not_depend_on_the_number_of_threads() {
        for threads in [1, 2, 7] {
            let (results, ending) = run(Memo::Disabled, threads, 50, &Mutex::default());
            assert_eq!(results, (3..=50).map(|n| n * n).collect::<Vec<_>>());
            assert_eq!(ending, "Ok(Stopped)");
            let (results, ending) = run(Memo::Disabled, threads, 1000, &Mutex::default());
            assert_eq!(results.len(), 67, "what comes before the error is handed over");
            assert_eq!(ending, r#"Err(Worker("70 is too large"))"#);
        }
    }

    #[test]
    fn nothing_is_computed_twice() {
        let folder = tempfile::tempdir().unwrap();
        let store = Store::open(&Home::at(folder.path()).store_path()).unwrap();
        let seen = Mutex::default();
        for end in [10, 30, 60] {
            let executor = Executor::local(Memo::Store(&store), &|| false);
            let mut workers = [Squarer { seen: Some(&seen) }, Squarer { seen: Some(&seen) }];
            let mut fresh = 0;
            let ending = executor.run(0..end, Square, &mut workers, |done| {
                assert_eq!(done.result, done.number * done.number);
                fresh += u64::from(done.is_new);
                ControlFlow::Continue(())
            });
            assert!(matches!(ending, Ok(Ending::Complete)));
            assert_eq!(fresh, [10, 20, 30][end as usize / 30]);
        }
        assert_eq!(*seen.lock().unwrap(), (0..60).collect());
    }

    #[test]
    fn an_interrupt_ends_it_and_says_so() {
        struct Idle;
        impl Worker<Square> for Idle {
            type Error = Infallible;

            fn run(&mut self, _: &Square, interrupt: &Interrupt<'_>) -> Result<Option<u64>, Infallible> {
                assert!(interrupt());
                Ok(None)
            }
        }
        let executor = Executor::local(Memo::Disabled, &|| true);
        let ending = executor.run(0..9, Square, &mut [Idle, Idle], |_| ControlFlow::Continue(()));
        assert!(matches!(ending, Ok(Ending::Interrupted)));
    }
}
