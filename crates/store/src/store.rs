//! The store itself: opening it, and the transactions that all reads and writes use.

use std::fmt::Display;
use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf, absolute};
use std::sync::{Mutex, MutexGuard, PoisonError};

use rusqlite::{Connection, Transaction, TransactionBehavior};

use crate::connection::{READ_ONLY, open_checked};
use crate::error::{StoreError, is_wrong_value};
use crate::inspect::inspect;
use crate::locks::Locks;
use crate::read_only::{self, Copy};
use crate::watch::Watch;

/// An open store. Threads may share it; processes may open the same file.
#[derive(Debug)]
pub struct Store {
    path: PathBuf,
    pub(crate) locks: Locks,
    connection: Mutex<Connection>,
    watch: Watch,
    is_read_only: bool,
    /// What is read instead of a store that may not be written; deleted after the connection is closed.
    _copy: Option<Copy>,
}

impl Store {
    /// Opens the store at `path`; makes it, and its folders, if there is none.
    ///
    /// A store of an older schema is migrated, in one transaction; while an older program works on one of its runs,
    /// that is [`StoreError::InUse`]. A file that is not a store, or that a newer program made, is refused and left
    /// exactly as it was. An empty file counts as none.
    pub fn open(path: &Path) -> Result<Store, StoreError> {
        // Absolute also because SQLite would take a relative path like "file:x" for a URI.
        let path = absolute(path).map_err(|error| StoreError::from_io(path, "opening the store", &error))?;
        if let Some(folder) = path.parent() {
            make_folder(folder)?;
        }
        inspect(&path)?;

        let (connection, has_log) = open_checked(&path)?;
        let (locks, watch) = (Locks::of(&path)?, Watch::begin(&path, has_log)?);
        Ok(Store { path, locks, connection: Mutex::new(connection), watch, is_read_only: false, _copy: None })
    }

    /// Opens the store at `path` as [`open`](Store::open) does; one that may not be written is opened to be read, and
    /// every write is [`StoreError::Inaccessible`].
    pub fn open_to_read(path: &Path) -> Result<Store, StoreError> {
        match Store::open(path) {
            Err(StoreError::Inaccessible { .. }) if path.is_file() => Store::open_read_only(path),
            opened => opened,
        }
    }

    fn open_read_only(path: &Path) -> Result<Store, StoreError> {
        let path = absolute(path).map_err(|error| StoreError::from_io(path, "opening the store", &error))?;
        inspect(&path)?;
        let (connection, copy) = read_only::connect(&path)?;
        let (locks, watch) = (Locks::of(&path)?, Watch::begin(&path, false)?);
        Ok(Store { path, locks, connection: Mutex::new(connection), watch, is_read_only: true, _copy: copy })
    }

    /// Whether it can only be read.
    pub fn is_read_only(&self) -> bool {
        self.is_read_only
    }

    /// The file of this store.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The connection, for as long as the guard lives.
    pub(crate) fn connection(&self) -> MutexGuard<'_, Connection> {
        // A thread that panicked while it held the lock has rolled its transaction back: the connection is sound.
        self.connection.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Runs `work` in one write transaction: everything is stored, durably, or nothing.
    pub(crate) fn write<T>(
        &self,
        doing: &'static str,
        work: impl FnOnce(&Transaction<'_>) -> Result<T, StoreError>,
    ) -> Result<T, StoreError> {
        if self.is_read_only {
            return Err(StoreError::Inaccessible { path: self.path.clone(), reason: READ_ONLY.into() });
        }
        let connection = self.connection();
        self.watch.check()?;
        // Immediate: what `work` reads cannot change before it writes, and there is no lock to upgrade half-way.
        let transaction = Transaction::new_unchecked(&connection, TransactionBehavior::Immediate)
            .map_err(|error| self.failed(doing, error))?;
        let value = work(&transaction)?;
        transaction.commit().map_err(|error| self.failed(doing, error))?;
        self.watch.check_written()?;
        Ok(value)
    }

    /// Runs `work` on one consistent state of the store, whatever others write meanwhile.
    pub(crate) fn read<T>(
        &self,
        doing: &'static str,
        work: impl FnOnce(&Transaction<'_>) -> Result<T, StoreError>,
    ) -> Result<T, StoreError> {
        let connection = self.connection();
        self.watch.check()?;
        let transaction = Transaction::new_unchecked(&connection, TransactionBehavior::Deferred)
            .map_err(|error| self.failed(doing, error))?;
        work(&transaction)
    }

    /// Translates an SQLite error for this store.
    pub(crate) fn failed(&self, doing: &'static str, error: rusqlite::Error) -> StoreError {
        // A file that was taken away fails in many ways.
        if let Err(gone @ StoreError::Gone { .. }) = self.watch.check() {
            return gone;
        }
        StoreError::from_sqlite(&self.path, doing, error)
    }

    /// Translates an SQLite error that occurred while a record was read: a value of the wrong type is damage to it.
    pub(crate) fn damaged_or_failed(
        &self,
        what: impl FnOnce() -> String,
        doing: &'static str,
        error: rusqlite::Error,
    ) -> StoreError {
        if is_wrong_value(&error) { self.damaged(what(), &error) } else { self.failed(doing, error) }
    }

    /// The error for a record that cannot be read back.
    pub(crate) fn damaged(&self, what: String, reason: &dyn Display) -> StoreError {
        StoreError::Damaged { path: self.path.clone(), what, reason: reason.to_string() }
    }
}

/// Makes the folder of the store, if there is none.
fn make_folder(folder: &Path) -> Result<(), StoreError> {
    let Err(error) = fs::create_dir_all(folder) else { return Ok(()) };
    let is_link = fs::symlink_metadata(folder).is_ok_and(|facts| facts.is_symlink());
    let reason = match fs::metadata(folder) {
        Ok(facts) if !facts.is_dir() => "it is a file".to_string(),
        Err(missing) if missing.kind() == ErrorKind::NotFound && is_link => {
            "it is a symbolic link to something that does not exist".to_string()
        }
        Err(looped) if is_link => looped.to_string(),
        _ => match error.kind() {
            ErrorKind::PermissionDenied
            | ErrorKind::ReadOnlyFilesystem
            | ErrorKind::StorageFull
            | ErrorKind::QuotaExceeded => return Err(StoreError::from_io(folder, "making the folder", &error)),
            _ => error.to_string(),
        },
    };
    Err(StoreError::NoFolder { path: folder.into(), reason })
}

#[cfg(test)]
#[path = "store_tests.rs"]
pub(crate) mod tests;
