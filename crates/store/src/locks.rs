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
use crate::run::RunId;

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

impl RunClaim {
    /// The run that is claimed.
    pub fn run(&self) -> RunId {
        self.run
    }
}

/// The lock files of a store. They stand beside the real file, so that all its users agree even if some come by a link.
#[derive(Debug)]
pub(crate) struct Locks {
    folder: PathBuf,
    /// The name of the real file: two stores may share a folder.
    file_name: String,
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

    /// How many runs have ever been claimed here: lock files stay.
    pub(crate) fn count(&self) -> usize {
        let beginning = format!("{}-run-", self.file_name);
        let names = fs::read_dir(&self.folder).into_iter().flatten().flatten().map(|entry| entry.file_name());
        names.filter(|name| name.to_string_lossy().starts_with(&beginning)).count()
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

    /// Where it is said how far a run is, like `progress/plysmith.db-run-7.json`.
    pub(crate) fn activity_path(&self, run: RunId) -> PathBuf {
        self.folder.with_file_name("progress").join(format!("{}-run-{run}.json", self.file_name))
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
