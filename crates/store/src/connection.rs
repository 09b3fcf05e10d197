//! Connections to the database: opened, checked, brought to the newest schema.

use std::path::Path;
use std::thread::sleep;
use std::time::{Duration, Instant};

use rusqlite::config::DbConfig;
use rusqlite::{Connection, MAIN_DB, Transaction, TransactionBehavior};

use crate::error::StoreError;
use crate::inspect::{check_version, is_busy};
use crate::locks::Locks;
use crate::run::RunId;
use crate::schema::{self, SCHEMA_VERSION};

/// How long to wait for other processes that are writing.
pub(crate) const PATIENCE: Duration = Duration::from_secs(10);

/// What is said of a store that cannot be written.
pub(crate) const READ_ONLY: &str = "it is read-only";

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
#[path = "migration_tests.rs"]
mod migration_tests;
