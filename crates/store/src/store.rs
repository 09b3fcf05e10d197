//! The store itself: opening it, and the transactions that all reads and writes use.

use std::fmt::Display;
use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf, absolute};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread::sleep;
use std::time::{Duration, Instant};

use rusqlite::config::DbConfig;
use rusqlite::{Connection, MAIN_DB, Transaction, TransactionBehavior};

use crate::error::{StoreError, is_wrong_value};
use crate::inspect::{check_version, inspect, is_busy};
use crate::locks::Locks;
use crate::read_only::{self, Copy};
use crate::run::RunId;
use crate::schema::{self, SCHEMA_VERSION};
use crate::watch::Watch;

/// How long to wait for other processes that are writing.
pub(crate) const PATIENCE: Duration = Duration::from_secs(10);

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

/// What is said of a store that cannot be written.
const READ_ONLY: &str = "it is read-only";

/// Opens a file that passed the inspection, and brings it up to date. Says also whether it has a write-ahead log.
pub(crate) fn open_checked(path: &Path) -> Result<(Connection, bool), StoreError> {
    let failed = |error| StoreError::from_sqlite(path, "opening the store", error);
    let connection = Connection::open(path).map_err(failed)?;
    connection.busy_timeout(PATIENCE).map_err(failed)?;
    if connection.is_readonly(MAIN_DB).map_err(failed)? {
        return Err(StoreError::Inaccessible { path: path.into(), reason: READ_ONLY.into() });
    }

    // Until we know that the schema is not newer, closing must not copy the WAL into the file.
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, true).map_err(failed)?;
    let found = schema::version(&connection).map_err(failed)?;
    check_version(path, found)?;
    if found < SCHEMA_VERSION {
        // Tables are replaced. Inside the transaction this setting could not be changed any more.
        connection.pragma_update(None, "foreign_keys", false).map_err(failed)?;
        migrate(path, &connection)?;
    }
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, false).map_err(failed)?;

    // Only now, so that the application id is in the main file, where `inspect` looks for it.
    let has_log = enter_wal(&connection).map_err(failed)?;
    connection.pragma_update(None, "synchronous", "FULL").map_err(failed)?;
    connection.pragma_update(None, "foreign_keys", true).map_err(failed)?;
    connection.pragma_update(None, "cell_size_check", true).map_err(failed)?;
    Ok((connection, has_log))
}

/// Migrates to the newest schema. Of several processes that try at once, the first does it; the others then find it
/// done.
fn migrate(path: &Path, connection: &Connection) -> Result<(), StoreError> {
    let failed = |error| StoreError::from_sqlite(path, "preparing the store", error);
    let transaction = Transaction::new_unchecked(connection, TransactionBehavior::Immediate).map_err(failed)?;
    let found = schema::version(&transaction).map_err(failed)?;
    check_version(path, found)?;
    if found < SCHEMA_VERSION {
        if found > 0 {
            check_unused(path, &transaction)?;
        }
        schema::migrate(&transaction, path, found)?;
    }
    transaction.commit().map_err(failed)
}

/// Refuses to migrate under a program that works on a run: it does not know the new tables, and would fail.
fn check_unused(path: &Path, connection: &Connection) -> Result<(), StoreError> {
    let failed = |error| StoreError::from_sqlite(path, "preparing the store", error);
    let locks = Locks::of(path)?;
    let mut select = connection.prepare("SELECT id FROM runs WHERE finished_at IS NULL").map_err(failed)?;
    let unfinished = select.query_map([], |row| row.get(0).map(RunId)).map_err(failed)?;
    for run in unfinished {
        let run = run.map_err(failed)?;
        if locks.is_held(run)? {
            return Err(StoreError::InUse { path: path.into(), run, holder: locks.holder(run) });
        }
    }
    Ok(())
}

/// Switches to write-ahead logging: readers do not wait for the writer.
///
/// A file system that cannot do it (no shared memory) keeps the rollback journal, which is as safe but lets readers
/// and the writer wait for each other. True if there is a log now.
fn enter_wal(connection: &Connection) -> rusqlite::Result<bool> {
    let deadline = Instant::now() + PATIENCE;
    loop {
        // SQLite does not wait by itself here when another connection is switching too.
        match connection.pragma_update_and_check(None, "journal_mode", "WAL", |row| row.get::<_, String>(0)) {
            Err(error) if is_busy(&error) && Instant::now() < deadline => sleep(Duration::from_millis(5)),
            outcome => return outcome.map(|mode| mode.eq_ignore_ascii_case("wal")),
        }
    }
}

#[cfg(test)]
#[path = "store_tests.rs"]
pub(crate) mod tests;

#[cfg(test)]
#[path = "migration_tests.rs"]
mod migration_tests;
