//! Numbered jobs on all cores, their results handed over in order.
//!
//! Workers take jobs by rising number, and the one receiver sees results in exactly that order,
//! whoever was quicker. So whatever the receiver decides, such as to stop after result 17, does not
//! depend on the number of threads.

use std::collections::BTreeMap;
use std::iter;
use std::num::NonZeroUsize;
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError, mpsc};
use std::thread;

/// As many threads as there are cores.
pub fn all_cores() -> NonZeroUsize {
    thread::available_parallelism().unwrap_or(NonZeroUsize::MIN)
}

/// What a worker needs to know of the others.
pub struct Pool {
    halted: AtomicBool,
}

impl Pool {
    /// Whether nobody waits for results any more.
    pub fn is_halted(&self) -> bool {
        self.halted.load(Ordering::Relaxed)
    }
}

/// Works on jobs `first`, `first + 1`, … before `end`, one worker to each element of `tools`.
///
/// `work` may give up by returning nothing; then nothing from that job on is handed over. `receive`
/// gets the results in order and may end it all.
pub fn in_order<T: Send, R: Send>(
    jobs: std::ops::Range<u64>,
    tools: &mut [T],
    work: impl Fn(&Pool, &mut T, u64) -> Option<R> + Sync,
    receive: impl FnMut(u64, R) -> ControlFlow<()>,
) {
    in_order_noting(jobs, tools, work, |_| ControlFlow::Continue(()), receive);
}

/// Like [`in_order`]; besides, `note` sees results when they arrive, whatever their numbers, to store them without delaying
/// the worker's next job. It gets all that have arrived at once, because storing may take longer than computing.
pub fn in_order_noting<T: Send, R: Send>(
    jobs: std::ops::Range<u64>,
    tools: &mut [T],
    work: impl Fn(&Pool, &mut T, u64) -> Option<R> + Sync,
    mut note: impl FnMut(&[(u64, R)]) -> ControlFlow<()>,
    mut receive: impl FnMut(u64, R) -> ControlFlow<()>,
) {
    let pool = Pool { halted: AtomicBool::new(false) };
    let next = AtomicU64::new(jobs.start);
    let (sender, results) = mpsc::channel();
    let workers = tools.len();
    let tools = Mutex::new(tools.iter_mut().collect::<Vec<_>>());
    let worker = |sender: mpsc::Sender<(u64, R)>| {
        let Some(tool) = tools.lock().unwrap_or_else(PoisonError::into_inner).pop() else { return };
        while !pool.is_halted() {
            let job = next.fetch_add(1, Ordering::Relaxed);
            if job >= jobs.end {
                break;
            }
            let Some(result) = work(&pool, tool, job) else { break };
            if sender.send((job, result)).is_err() {
                break;
            }
        }
    };
    thread::scope(|scope| {
        let spawn = |_: &u64| {
            let (sender, worker) = (sender.clone(), &worker);
            thread::Builder::new().spawn_scoped(scope, move || worker(sender)).is_ok()
        };
        // A machine that has no room for all threads does the work with fewer; in the end with this one.
        let spawned = jobs.clone().take(workers).take_while(spawn).count();
        drop(sender);
        if spawned == 0 {
            let tool = tools.lock().unwrap_or_else(PoisonError::into_inner).pop();
            let _ = tool.and_then(|tool| {
                jobs.clone().try_for_each(|job| {
                    let arrived = [(job, work(&pool, tool, job)?)];
                    note(&arrived).continue_value()?;
                    let [(job, result)] = arrived;
                    receive(job, result).continue_value()
                })
            });
            return;
        }
        let mut early = BTreeMap::new();
        let mut due = jobs.start;
        while let Ok(first) = results.recv() {
            let arrived: Vec<_> = iter::once(first).chain(results.try_iter()).collect();
            if note(&arrived).is_break() {
                pool.halted.store(true, Ordering::Relaxed);
                return;
            }
            early.extend(arrived);
            while let Some(result) = early.remove(&due) {
                if receive(due, result).is_break() {
                    pool.halted.store(true, Ordering::Relaxed);
                    return;
                }
                due += 1;
            }
        }
    });
}

#[cfg(test)]
mod tests {
    use std::ops::ControlFlow;

    use super::in_order;

    #[test]
    fn results_come_in_order_and_end_at_the_same_place_with_any_number_of_workers() {
        for workers in 1..=8 {
            let mut seen = Vec::new();
            in_order(
                3..1000,
                &mut vec![(); workers],
                |_, (), job| Some(job * job),
                |job, result| {
                    seen.push((job, result));
                    if job == 500 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
                },
            );
            assert_eq!(seen, (3..=500).map(|job| (job, job * job)).collect::<Vec<_>>());
        }
    }

    #[test]
    fn nothing_comes_after_a_job_that_was_given_up() {
        let mut seen = Vec::new();
        in_order(
            0..100,
            &mut [(), ()],
            |_, (), job| (job != 20).then_some(()),
            |job, ()| {
                seen.push(job);
                ControlFlow::Continue(())
            },
        );
        assert_eq!(seen, (0..20).collect::<Vec<_>>());
    }
}
