//! Checks a file before it is opened as a store: is it new, a store, or something else?
//!
//! Two simpler ways are wrong. An ordinary read-only connection leaves `-wal` and `-shm` files beside a foreign
//! database in WAL mode. And reading the header with `File` is dangerous: when *any* descriptor of the file is closed,
//! POSIX drops the locks of *all* connections that this process has to it (see "How To Corrupt An SQLite Database
//! File", 2.2). So SQLite reads it with `immutable`, which takes no locks and makes no files.
//!
//! The WAL is not read then. That is enough here: a store gets its application id in the main file,
//! before it is switched to WAL. [`Store::open`](crate::Store::open) asks for the schema version again, with the WAL.

use std::fs;
use std::io::ErrorKind;
use std::path::Path;
use std::thread::sleep;
use std::time::{Duration, Instant};

use rusqlite::config::DbConfig;
use rusqlite::{Connection, ErrorCode, OpenFlags};

use crate::error::StoreError;
use crate::locks::Locks;
use crate::schema::{self, APPLICATION_ID, SCHEMA_VERSION};
use crate::watch::beside;

/// One page of the smallest size there is.
const SMALLEST_DATABASE: u64 = 512;

/// Passes if the file is one of our stores, or if a new store may be made there. Changes nothing.
///
/// `path` must be absolute.
pub(crate) fn inspect(path: &Path) -> Result<(), StoreError> {
    match fs::metadata(path) {
        Err(error) if error.kind() == ErrorKind::NotFound => return may_be_new(path, false),
        Err(error) => return Err(StoreError::from_io(path, "looking at the store", &error)),
        Ok(meta) if !meta.is_file() => {
            let reason = if meta.is_dir() { "it is a folder, not a file" } else { "it is not a regular file" };
            return Err(StoreError::Inaccessible { path: path.into(), reason: reason.into() });
        }
        Ok(meta) if meta.len() == 0 => return may_be_new(path, true),
        // Asked here, as SQLite takes a file of one byte for an empty one.
        Ok(meta) if meta.len() < SMALLEST_DATABASE => return Err(StoreError::NotADatabase { path: path.into() }),
        Ok(_) => {}
    }

    let failed = |error| StoreError::from_sqlite(path, "looking at the store", error);
    let connection = open_immutable(path).map_err(failed)?;
    let application_id: i32 =
        connection.pragma_query_value(None, "application_id", |row| row.get(0)).map_err(failed)?;
    if application_id == APPLICATION_ID {
        return check_version(path, schema::version(&connection).map_err(failed)?);
    }
    if application_id == 0 && is_empty(path, &connection) {
        return Ok(());
    }
    Err(StoreError::Foreign { path: path.into(), application_id })
}

/// Passes if there was no store in a place where there is none now, or only an empty file.
///
/// SQLite would make a new database there, and delete a log that belongs to the old one.
fn may_be_new(path: &Path, exists: bool) -> Result<(), StoreError> {
    let log = beside(path, "-wal");
    if fs::metadata(&log).is_ok_and(|meta| meta.len() > 0) {
        let state = if exists { "empty, but its log has data" } else { "gone, but its log is there" };
        let remedy = format!("delete {} too to begin a new store", log.display());
        return Err(StoreError::Emptied { path: path.into(), state: state.into(), remedy });
    }
    if !exists {
        return Ok(());
    }
    // A process that is just making the store has an empty file for a moment.
    let deadline = Instant::now() + Duration::from_secs(1);
    while fs::metadata(path).is_ok_and(|meta| meta.len() == 0) {
        let runs = Locks::of(path)?.count();
        if runs == 0 {
            return Ok(());
        }
        if Instant::now() > deadline {
            let state = format!("an empty file, but {runs} runs were stored in it");
            let remedy = "delete it to begin a new store".to_string();
            return Err(StoreError::Emptied { path: path.into(), state, remedy });
        }
        sleep(Duration::from_millis(10));
    }
    Ok(())
}

/// Refuses a schema that this program does not know.
pub(crate) fn check_version(path: &Path, found: i32) -> Result<(), StoreError> {
    if found > SCHEMA_VERSION {
        return Err(StoreError::Newer { path: path.into(), found, known: SCHEMA_VERSION });
    }
    Ok(())
}

fn open_immutable(path: &Path) -> rusqlite::Result<Connection> {
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_URI | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let connection = Connection::open_with_flags(immutable_uri(path), flags)?;
    // If another process is copying its WAL into the file just now (or died while it did), the header already counts
    // pages that are not there yet. SQLite calls that corrupt, except when it is asked to be lenient like this.
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_WRITABLE_SCHEMA, true)?;
    Ok(connection)
}

/// A database without a single table, and without a WAL or journal in which there might be some.
fn is_empty(path: &Path, connection: &Connection) -> bool {
    let tables = connection.query_row("SELECT count(*) FROM sqlite_schema", [], |row| row.get::<_, i64>(0));
    let side_file = |suffix: &str| fs::metadata(beside(path, suffix)).is_ok_and(|meta| meta.len() > 0);
    let untouched = matches!(tables, Ok(0)) && !side_file("-wal") && !side_file("-journal");
    untouched && matches!(schema::version(connection), Ok(0))
}

/// The path as the URI that SQLite understands, whatever characters it has.
pub(crate) fn immutable_uri(path: &Path) -> String {
    let mut uri = String::from(if cfg!(windows) { "file:///" } else { "file://" });
    for &byte in path.as_os_str().as_encoded_bytes() {
        match byte {
            b'\\' if cfg!(windows) => uri.push('/'),
            b'/' | b'-' | b'_' | b'.' | b':' => uri.push(char::from(byte)),
            _ if byte.is_ascii_alphanumeric() => uri.push(char::from(byte)),
            _ => uri.push_str(&format!("%{byte:02X}")),
        }
    }
    uri + "?mode=ro&immutable=1"
}

/// Whether an SQLite error only says that another connection holds a lock.
pub(crate) fn is_busy(error: &rusqlite::Error) -> bool {
    matches!(error.sqlite_error_code(), Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked))
}
