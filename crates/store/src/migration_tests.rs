//! Migration, made to fail at every point.

use std::fs;
use std::path::PathBuf;

use rusqlite::OpenFlags;

use super::*;
use crate::Store;

fn fixture(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures").join(name)
}

/// All rows of the tables of version 1, as SQL.
fn rows_of(path: &Path) -> Vec<String> {
    let connection = Connection::open_with_flags(path, OpenFlags::SQLITE_OPEN_READ_ONLY).unwrap();
    let mut rows = vec![schema::version(&connection).unwrap().to_string()];
    for (table, columns) in [
        ("runs", "id, kind, game, config, seed, version, command, created_at, finished_at, result"),
        ("events", "run, seq, kind, payload"),
        ("measurements", "key, done, job, body"),
    ] {
        let columns: Vec<_> = columns.split(", ").map(|column| format!("quote({column})")).collect();
        let sql = format!("SELECT {} FROM {table} ORDER BY 1", columns.join(" || ',' || "));
        let mut select = connection.prepare(&sql).unwrap();
        rows.extend(select.query_map([], |row| row.get::<_, String>(0)).unwrap().map(Result::unwrap));
    }
    rows
}

/// The disk is full after one page more, two pages more, and so on, until the migration succeeds.
#[test]
fn a_migration_that_fails_anywhere_leaves_the_store_as_it_was() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("plysmith.db");
    fs::copy(fixture("version-1.db"), &path).unwrap();
    let before = rows_of(&path);
    let mut failures = 0;
    loop {
        let connection = Connection::open(&path).unwrap();
        connection.pragma_update(None, "foreign_keys", false).unwrap();
        let pages: i64 = connection.pragma_query_value(None, "page_count", |row| row.get(0)).unwrap();
        connection
            .pragma_update_and_check(None, "max_page_count", pages + failures, |row| row.get::<_, i64>(0))
            .unwrap();
        match migrate(&path, &connection) {
            Ok(()) => break,
            Err(error) => assert!(matches!(error, StoreError::DiskFull { .. }), "{error}"),
        }
        drop(connection);
        assert_eq!(rows_of(&path), before);
        failures += 1;
    }
    assert!(failures > 50, "the migration failed at {failures} points only");
    assert!(!Store::open(&path).unwrap().runs().unwrap().is_empty());
}

/// What is damaged already gets no checksum that says it is sound.
#[test]
fn a_damaged_old_record_stops_the_migration_and_is_named() {
    for (trigger, change, named) in [
        ("events_fixed", "UPDATE events SET payload = '[1,' WHERE run = 3 AND seq = 1", "event 1 of run 3"),
        ("measurements_fixed", "UPDATE measurements SET body = '{' WHERE done = 1", "result "),
        ("runs_finished", "DROP TRIGGER runs_as_begun; UPDATE runs SET config = '' WHERE id = 2", "run 2"),
        ("runs_finished", "UPDATE runs SET result = NULL WHERE id = 2", "run 2"),
    ] {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("plysmith.db");
        fs::copy(fixture("version-1.db"), &path).unwrap();
        let connection = Connection::open(&path).unwrap();
        connection.pragma_update(None, "ignore_check_constraints", true).unwrap();
        connection.execute_batch(&format!("DROP TRIGGER {trigger}; {change}")).unwrap();
        drop(connection);
        let before = rows_of(&path);
        let error = Store::open(&path).unwrap_err();
        assert!(matches!(&error, StoreError::Damaged { what, .. } if what.starts_with(named)), "{change}: {error}");
        assert_eq!(rows_of(&path), before);
    }
}

#[test]
fn a_store_that_an_older_program_works_on_is_left_alone() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("plysmith.db");
    fs::copy(fixture("version-1.db"), &path).unwrap();
    let before = rows_of(&path);
    let locks = Locks::of(&path).unwrap();
    let [finished, unfinished] = [RunId(3), RunId(13)];
    let (_finished, held) = (locks.lock(finished).unwrap(), locks.lock(unfinished).unwrap());
    let error = Store::open(&path).unwrap_err();
    assert!(matches!(error, StoreError::InUse { run, .. } if run == unfinished), "{error}");
    assert!(error.to_string().contains(&format!("process {}", std::process::id())), "{error}");
    assert_eq!(rows_of(&path), before);
    drop(held);
    Store::open(&path).map(drop).unwrap();
}
