//! Claiming runs: the exclusive right to work on one. See `locks` for how.

use crate::error::StoreError;
use crate::locks::RunClaim;
use crate::run::RunId;
use crate::store::Store;

impl Store {
    /// Claims an unfinished run for this process, to resume it.
    ///
    /// [`StoreError::RunBusy`] if a live process has claimed it (this one included), [`StoreError::RunFinished`] if
    /// there is nothing left to do.
    pub fn claim(&self, run: RunId) -> Result<RunClaim, StoreError> {
        self.require_run(run)?;
        let claim = self.lock_run(run)?;
        // Asked while the lock is held: its former holder may have finished the run meanwhile.
        if self.is_finished(run)? {
            return Err(StoreError::RunFinished { run });
        }
        Ok(claim)
    }

    /// Takes the lock of a run, whether or not the run exists.
    pub(crate) fn lock_run(&self, run: RunId) -> Result<RunClaim, StoreError> {
        self.locks.lock(run)
    }

    /// Whether a live process has claimed the run.
    pub(crate) fn is_claimed(&self, run: RunId) -> Result<bool, StoreError> {
        self.locks.is_held(run)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
    use std::thread;

    use serde_json::json;

    use super::*;
    use crate::run::Status;
    use crate::store::tests::{new_run, new_store};

    #[test]
    fn a_run_has_one_worker_at_a_time() {
        let (_folder, store) = new_store();
        let claim = store.create_run(&new_run()).unwrap();
        let run = claim.run();
        let other = Store::open(store.path()).unwrap();

        assert_eq!(other.run(run).unwrap().status, Status::Running);
        let error = other.claim(run).unwrap_err();
        assert!(matches!(error, StoreError::RunBusy { .. }));
        assert!(error.to_string().contains(&format!("process {}", std::process::id())), "{error}");

        drop(claim);
        assert_eq!(other.run(run).unwrap().status, Status::Interrupted);
        let claim = other.claim(run).unwrap();
        assert_eq!(store.run(run).unwrap().status, Status::Running);

        store.finish_run(run, &json!(1)).unwrap();
        assert_eq!(store.run(run).unwrap().status, Status::Finished);
        drop(claim);
        assert!(matches!(store.claim(run), Err(StoreError::RunFinished { .. })));
    }

    #[test]
    fn claiming_what_is_not_there_makes_no_lock_file() {
        let (_folder, store) = new_store();
        let nobody: RunId = "9".parse().unwrap();
        assert!(matches!(store.claim(nobody), Err(StoreError::NoSuchRun { .. })));
        assert!(!store.path().with_file_name("locks").exists());
    }

    #[test]
    fn all_ways_to_the_file_lead_to_the_same_locks() {
        let (folder, store) = new_store();
        let claim = store.create_run(&new_run()).unwrap();
        #[cfg(unix)]
        {
            let elsewhere = folder.path().join("elsewhere");
            std::fs::create_dir(&elsewhere).unwrap();
            std::os::unix::fs::symlink(store.path(), elsewhere.join("link.db")).unwrap();
            let linked = Store::open(&elsewhere.join("link.db")).unwrap();
            assert!(matches!(linked.claim(claim.run()), Err(StoreError::RunBusy { .. })));
        }
        // A second store in the same folder has its own.
        let second = Store::open(&folder.path().join("second.db")).unwrap();
        let second_claim = second.create_run(&new_run()).unwrap();
        assert_eq!(second_claim.run(), claim.run());
    }

    /// A dashboard that asks all the time must neither turn a claim away nor see a free run as claimed.
    #[test]
    fn probes_never_disturb_claims() {
        let (_folder, store) = new_store();
        let run = store.create_run(&new_run()).unwrap().run();
        let done = AtomicBool::new(false);
        thread::scope(|scope| {
            for _ in 0..3 {
                scope.spawn(|| {
                    while !done.load(Ordering::Relaxed) {
                        store.is_claimed(run).unwrap();
                    }
                });
            }
            let claims: Vec<_> = (0..200).map(|_| store.lock_run(run).map(drop)).collect();
            done.store(true, Ordering::Relaxed);
            assert!(claims.iter().all(Result::is_ok), "{:?}", claims.iter().find(|claim| claim.is_err()));
        });
    }

    #[test]
    fn of_many_simultaneous_claims_one_is_granted() {
        let (_folder, store) = new_store();
        let run = store.create_run(&new_run()).unwrap().run();
        for _ in 0..20 {
            let granted = AtomicUsize::new(0);
            let barrier = std::sync::Barrier::new(4);
            thread::scope(|scope| {
                for _ in 0..4 {
                    scope.spawn(|| {
                        barrier.wait();
                        let claim = store.claim(run);
                        granted.fetch_add(usize::from(claim.is_ok()), Ordering::Relaxed);
                        barrier.wait();
                        drop(claim);
                    });
                }
            });
            assert_eq!(granted.load(Ordering::Relaxed), 1);
        }
    }
}
