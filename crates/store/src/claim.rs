//! Which process works on a run: each run has a lock file, and the process that works on it holds the lock.
//!
//! The operating system releases the lock when the process ends, however it ends. So the status of a run is always
//! right, unlike a row that says "running" or a heartbeat that may be late.
//!
//! A *claim* takes the lock exclusively. A *probe*, which asks whether there is a claim, takes it shared for a moment.
//! A claim that finds the lock taken therefore tries the shared lock: if it is granted, there was only a probe, and
//! the claim tries again; if it is refused, there is another claim. Lock files are never deleted: one process could
//! hold the lock of the deleted file while the next one locks a new file of that name.

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{ErrorKind, Write};
use std::path::{Path, PathBuf};
use std::thread::sleep;
use std::time::{Duration, Instant};

use crate::error::StoreError;
use crate::runs::RunId;
use crate::store::Store;

/// How long a claim tries again while only probes hold the lock.
const PATIENCE: Duration = Duration::from_secs(5);

/// The exclusive right to work on a run, until it is dropped or the process ends.
#[derive(Debug)]
#[must_use = "the run is released as soon as the claim is dropped"]
pub struct RunClaim {
    run: RunId,
    /// Held for its lock only, which ends with the descriptor.
    _lock: File,
}

/// The lock files of a store. They stand beside the real file, so that all its users agree even if some come by a link.
#[derive(Debug)]
pub(crate) struct Locks {
    folder: PathBuf,
    /// The name of the real file: two stores may share a folder.
    file_name: String,
}

impl RunClaim {
    /// The run that is claimed.
    pub fn run(&self) -> RunId {
        self.run
    }
}

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

impl Locks {
    /// The locks of the store at `path`, which must exist.
    pub(crate) fn of(path: &Path) -> Result<Locks, StoreError> {
        let real = fs::canonicalize(path).map_err(|error| StoreError::from_io(path, "opening the store", &error))?;
        let file_name = real.file_name().unwrap_or_default().to_string_lossy().into_owned();
        Ok(Locks { folder: real.with_file_name("locks"), file_name })
    }

    pub(crate) fn lock(&self, run: RunId) -> Result<RunClaim, StoreError> {
        let path = self.path(run);
        let failed = |path: &Path, error| StoreError::from_io(path, "claiming the run", &error);
        fs::create_dir_all(&self.folder).map_err(|error| failed(&self.folder, error))?;
        let lock = OpenOptions::new().read(true).write(true).create(true).truncate(false).open(&path);
        let mut lock = lock.map_err(|error| failed(&path, error))?;

        let deadline = Instant::now() + PATIENCE;
        while !granted(lock.try_lock()).map_err(|error| failed(&path, error))? {
            let only_probed = granted(lock.try_lock_shared()).map_err(|error| failed(&path, error))?;
            if !only_probed || Instant::now() > deadline {
                return Err(StoreError::RunBusy { run, holder: self.holder(run) });
            }
            lock.unlock().map_err(|error| failed(&path, error))?;
            sleep(Duration::from_millis(1));
        }

        // Only for the message of `RunBusy`, so it may fail.
        let _ = lock.set_len(0).and_then(|()| write!(lock, "process {}", std::process::id()));
        Ok(RunClaim { run, _lock: lock })
    }

    /// Whether a live process holds the lock of a run.
    pub(crate) fn is_held(&self, run: RunId) -> Result<bool, StoreError> {
        let path = self.path(run);
        let failed = |error| StoreError::from_io(&path, "asking for the run's lock", &error);
        match File::open(&path) {
            Ok(lock) => Ok(!granted(lock.try_lock_shared()).map_err(failed)?),
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(false),
            Err(error) => Err(failed(error)),
        }
    }

    /// What the holder wrote into its lock file, if it can be read.
    pub(crate) fn holder(&self, run: RunId) -> String {
        let text = fs::read_to_string(self.path(run)).unwrap_or_default();
        if text.starts_with("process ") { text } else { "another process".into() }
    }

    /// The file, like `locks/plysmith.db-run-7.lock`.
    fn path(&self, run: RunId) -> PathBuf {
        self.folder.join(format!("{}-run-{run}.lock", self.file_name))
    }
}

/// Tells a lock that is held elsewhere from a real error.
fn granted(outcome: Result<(), TryLockError>) -> std::io::Result<bool> {
    match outcome {
        Ok(()) => Ok(true),
        Err(TryLockError::WouldBlock) => Ok(false),
        Err(TryLockError::Error(error)) => Err(error),
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
    use std::thread;

    use serde_json::json;

    use super::*;
    use crate::runs::Status;
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
        assert!(!store.locks.folder.exists());
    }

    #[test]
    fn all_ways_to_the_file_lead_to_the_same_locks() {
        let (folder, store) = new_store();
        let claim = store.create_run(&new_run()).unwrap();
        #[cfg(unix)]
        {
            let elsewhere = folder.path().join("elsewhere");
            fs::create_dir(&elsewhere).unwrap();
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
