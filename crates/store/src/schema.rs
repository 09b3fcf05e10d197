//! The tables, and every step that led to them.
//!
//! A migration, once released, is never edited: a change is a new entry at the end of [`MIGRATIONS`]. The schema
//! version is the length of that list. All steps that a database needs run in one transaction.
//!
//! The triggers say "finished records never change" in the database itself, so that it holds for every program that
//! opens the file. The `_once` ones look redundant beside the keys, but `INSERT OR REPLACE` deletes the old row
//! without asking the delete triggers.

mod first;
mod second;

use std::path::Path;

use rusqlite::{Connection, Result};

use crate::error::StoreError;

/// Marks our databases (`PRAGMA application_id`): "PLYS" in ASCII.
pub const APPLICATION_ID: i32 = 0x504c_5953;

/// The newest schema (`PRAGMA user_version`) that this program knows.
pub const SCHEMA_VERSION: i32 = MIGRATIONS.len() as i32;

/// One step from a schema version to the next.
type Migration = fn(&Connection, &Path) -> Result<(), StoreError>;

/// The steps from an empty database to the current schema, in order.
const MIGRATIONS: &[Migration] = &[first::migrate, second::migrate];

const DOING: &str = "preparing the store";

/// The schema version that a database has; 0 if it is new.
pub(crate) fn version(connection: &Connection) -> Result<i32> {
    connection.pragma_query_value(None, "user_version", |row| row.get(0))
}

/// Takes the database at `path` from schema `from` to the newest.
///
/// Call it inside a transaction, on a connection that does not enforce foreign keys: tables are replaced.
pub(crate) fn migrate(connection: &Connection, path: &Path, from: i32) -> Result<(), StoreError> {
    let already_done = usize::try_from(from).unwrap_or(0);
    for migration in MIGRATIONS.iter().skip(already_done) {
        migration(connection, path)?;
    }
    connection
        .pragma_update(None, "application_id", APPLICATION_ID)
        .and_then(|()| connection.pragma_update(None, "user_version", SCHEMA_VERSION))
        .map_err(|error| StoreError::from_sqlite(path, DOING, error))
}
