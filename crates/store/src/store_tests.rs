//! Opening: what is refused and left alone, what is made, what happens when the disk is full.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::sync::Barrier;
use std::thread;
use std::time::Duration;

use rusqlite::config::DbConfig;
use serde_json::json;
use tempfile::TempDir;

use super::*;
use crate::run::{NewRun, Status};
use crate::schema::{APPLICATION_ID, SCHEMA_VERSION};
use skipped::skipped;

#[path = "../../core/tests/skipped/mod.rs"]
mod skipped;

/// A fresh store in a folder that goes away with the first value.
pub(crate) fn new_store() -> (TempDir, Store) {
    let folder = tempfile::tempdir().unwrap();
    let store = Store::open(&folder.path().join("plysmith.db")).unwrap();
    (folder, store)
}

pub(crate) fn new_run() -> NewRun {
    NewRun {
        kind: "discover".into(),
        game: "breakthrough".into(),
        config: json!({ "depth": 4, "weights": [0.1, 1e-9], "name": "ä\"\n" }),
        seed: u64::MAX - 1,
        version: "0.1.0".into(),
        command: vec!["plysmith".into(), "discover".into(), "--name=a b".into()],
        parent: None,
    }
}

/// Changes the store in ways that its triggers and checks forbid.
pub(crate) fn break_rules(store: &Store, sql: &str) {
    let connection = Connection::open(store.path()).unwrap();
    connection.pragma_update(None, "ignore_check_constraints", true).unwrap();
    connection.execute_batch(sql).unwrap();
}

/// Every file of a folder with its bytes.
fn snapshot(folder: &Path) -> BTreeMap<OsString, Vec<u8>> {
    let files = fs::read_dir(folder).unwrap().map(Result::unwrap).filter(|entry| entry.path().is_file());
    files.map(|entry| (entry.file_name(), fs::read(entry.path()).unwrap())).collect()
}

/// Prepares a file, checks that opening it fails and changes nothing at all, and returns the error.
fn refused(prepare: impl FnOnce(&Path)) -> StoreError {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("plysmith.db");
    prepare(&path);
    let before = snapshot(folder.path());
    let error = Store::open(&path).unwrap_err();
    assert_eq!(snapshot(folder.path()), before, "changed by: {error}");
    assert!(error.to_string().contains(path.to_str().unwrap()), "no path in: {error}");
    assert!(error.to_string().contains("PLYSMITH_HOME"), "no remedy in: {error}");
    error
}

fn sqlite(path: &Path, sql: &str) {
    Connection::open(path).unwrap().execute_batch(sql).unwrap();
}

#[test]
fn a_new_store_has_our_marks_and_settings() {
    let folder = tempfile::tempdir().unwrap();
    let store = Store::open(&folder.path().join("several/new/folders/plysmith.db")).unwrap();
    let connection = store.connection();
    let pragma = |name: &str| connection.pragma_query_value(None, name, |row| row.get::<_, i64>(0)).unwrap();
    assert_eq!(pragma("application_id"), i64::from(APPLICATION_ID));
    assert_eq!(pragma("user_version"), i64::from(SCHEMA_VERSION));
    assert_eq!((pragma("synchronous"), pragma("foreign_keys"), pragma("busy_timeout")), (2, 1, 10_000));
    let mode: String = connection.pragma_query_value(None, "journal_mode", |row| row.get(0)).unwrap();
    assert_eq!(mode, "wal");
}

#[test]
fn threads_may_share_a_store() {
    fn shareable<T: Send + Sync>() {}
    shareable::<Store>();
}

#[test]
fn odd_names_are_only_names() {
    let folder = tempfile::tempdir().unwrap();
    for name in ["a b?mode=memory", "50%41#x", "file:x", "ä&immutable=1", "'\";--"] {
        let path = folder.path().join(name);
        for _ in 0..2 {
            Store::open(&path).unwrap().create_run(&new_run()).map(drop).unwrap();
        }
        assert_eq!(Store::open(&path).unwrap().runs().unwrap().len(), 2, "{name}");
        assert!(path.is_file());
    }
}

#[test]
fn an_empty_file_and_an_empty_database_count_as_new() {
    let folder = tempfile::tempdir().unwrap();
    let (empty_file, empty_database) = (folder.path().join("file"), folder.path().join("database"));
    fs::write(&empty_file, "").unwrap();
    sqlite(&empty_database, "VACUUM");
    sqlite(&empty_database, "CREATE TABLE t (x); DROP TABLE t");
    for path in [empty_file, empty_database] {
        Store::open(&path).unwrap().create_run(&new_run()).map(drop).unwrap();
    }
}

#[test]
fn what_is_no_database_is_left_alone() {
    let noise: Vec<u8> = (0_u32..20_000).map(|index| (index.wrapping_mul(2_654_435_761) >> 24) as u8).collect();
    let header_only = b"SQLite format 3\0";
    for bytes in [&noise[..], &noise[..50], b"x", b"a text file\n", &[0; 4096], header_only] {
        let error = refused(|path| fs::write(path, bytes).unwrap());
        assert!(matches!(error, StoreError::NotADatabase { .. }), "{error}");
    }
}

#[test]
fn another_programs_database_is_left_alone() {
    for setup in [
        "CREATE TABLE theirs (x); INSERT INTO theirs VALUES (1)",
        "PRAGMA journal_mode = WAL; CREATE TABLE theirs (x)",
        "PRAGMA application_id = 99; CREATE TABLE theirs (x)",
        "PRAGMA application_id = 99",
        "PRAGMA user_version = 3; PRAGMA journal_mode = WAL",
        "CREATE VIEW theirs AS SELECT 1",
    ] {
        let error = refused(|path| sqlite(path, setup));
        assert!(matches!(error, StoreError::Foreign { .. }), "{setup}: {error}");
    }
}

#[test]
fn another_programs_unfinished_wal_is_left_alone() {
    let error = refused(|path| {
        let theirs = Connection::open(path).unwrap();
        theirs.set_db_config(DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, true).unwrap();
        theirs.execute_batch("PRAGMA journal_mode = WAL; CREATE TABLE theirs (x)").unwrap();
    });
    assert!(matches!(error, StoreError::Foreign { application_id: 0, .. }), "{error}");
}

#[test]
fn a_newer_store_is_left_alone() {
    let error = refused(|path| {
        Store::open(path).map(drop).unwrap();
        sqlite(path, "PRAGMA user_version = 7");
    });
    let text = error.to_string();
    assert!(text.contains("newer plysmith (schema 7, this program knows 2") && text.contains("update"), "{text}");
}

/// The version is in the WAL only, as when a newer program was killed right after its migration.
#[test]
fn a_newer_store_that_crashed_is_left_alone() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("plysmith.db");
    Store::open(&path).map(drop).unwrap();
    let newer = Connection::open(&path).unwrap();
    newer.set_db_config(DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, true).unwrap();
    newer.pragma_update(None, "user_version", 7).unwrap();
    drop(newer);
    // The -shm file is an index that every reader may write; the others hold the data.
    let data = || {
        let mut files = snapshot(folder.path());
        files.retain(|name, _| !name.to_string_lossy().ends_with("-shm"));
        files
    };
    let before = data();
    assert_eq!(before.len(), 2, "a database and its WAL");
    assert!(matches!(Store::open(&path), Err(StoreError::Newer { found: 7, .. })));
    assert_eq!(data(), before);
}

#[test]
fn a_folder_is_not_a_store() {
    let error = refused(|path| fs::create_dir(path).unwrap());
    assert!(error.to_string().contains("it is a folder"), "{error}");

    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("file"), "x").unwrap();
    let error = Store::open(&folder.path().join("file/plysmith.db")).unwrap_err();
    assert!(matches!(error, StoreError::NoFolder { .. }), "{error}");
}

#[test]
#[cfg(unix)]
fn a_home_that_cannot_be_a_folder_is_said() {
    use std::os::unix::fs::symlink;
    let folder = tempfile::tempdir().unwrap();
    let home = folder.path().join("home");
    let cases: [(&str, &dyn Fn()); 3] = [
        ("it is a file", &|| fs::write(&home, "").unwrap()),
        ("something that does not exist", &|| symlink("nowhere", &home).unwrap()),
        ("symbolic links", &|| symlink("home", &home).unwrap()),
    ];
    for (reason, make) in cases {
        make();
        for path in [home.join("plysmith.db"), home.join("below/plysmith.db")] {
            let error = Store::open(&path).unwrap_err();
            assert!(matches!(error, StoreError::NoFolder { .. }), "{reason}: {error}");
            assert!(error.to_string().contains("set PLYSMITH_HOME to a folder"), "{error}");
            assert!(path.parent() != Some(&home) || error.to_string().contains(reason), "{reason}: {error}");
        }
        fs::remove_file(&home).unwrap();
    }
}

#[test]
#[cfg(unix)]
fn what_may_not_be_written_is_said() {
    use std::os::unix::fs::PermissionsExt;

    let folder = tempfile::tempdir().unwrap();
    let mode = |path: &Path, mode| fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
    let path = folder.path().join("plysmith.db");
    Store::open(&path).map(drop).unwrap();
    mode(&path, 0o444);
    if fs::OpenOptions::new().write(true).open(&path).is_ok() {
        return skipped("what_may_not_be_written_is_said", "permissions do not bind this user (root)");
    }
    assert!(matches!(Store::open(&path), Err(StoreError::Inaccessible { .. })));
    mode(&path, 0o000);
    assert!(matches!(Store::open(&path), Err(StoreError::Inaccessible { .. })));
    mode(&path, 0o644);
    mode(folder.path(), 0o555);
    let existing = Store::open(&path).map(drop);
    let new = Store::open(&folder.path().join("new.db")).map(drop);
    mode(folder.path(), 0o755);
    assert!(matches!(existing, Err(StoreError::Inaccessible { .. })), "{existing:?}");
    assert!(matches!(new, Err(StoreError::Inaccessible { .. })), "{new:?}");
}

#[test]
fn many_may_create_the_same_store_at_once() {
    for _ in 0..10 {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("new/plysmith.db");
        let barrier = Barrier::new(6);
        thread::scope(|scope| {
            for _ in 0..6 {
                scope.spawn(|| {
                    barrier.wait();
                    Store::open(&path).unwrap().create_run(&new_run()).map(drop).unwrap();
                });
            }
        });
        assert_eq!(Store::open(&path).unwrap().runs().unwrap().len(), 6);
    }
}

/// The POSIX locks this process holds on a file, as the kernel lists them under each of its descriptors.
///
/// Not `/proc/locks`: that is read in pieces, and while others lock and unlock a lock may be in two of them or in none.
#[cfg(target_os = "linux")]
fn locks_held_on(path: &Path) -> usize {
    let mut locks = 0;
    for descriptor in fs::read_dir("/proc/self/fd").unwrap().flatten() {
        if fs::read_link(descriptor.path()).is_ok_and(|target| target == path) {
            let info = Path::new("/proc/self/fdinfo").join(descriptor.file_name());
            let info = fs::read_to_string(info).unwrap_or_default();
            locks += info.lines().filter(|line| line.starts_with("lock:")).count();
        }
    }
    locks
}

/// Closing a descriptor of the file drops all POSIX locks that this process has on it, unless SQLite does the closing.
#[test]
#[cfg(target_os = "linux")]
fn looking_at_a_store_keeps_the_locks_of_its_other_users() {
    let (_folder, store) = new_store();
    let path = fs::canonicalize(store.path()).unwrap();
    store.connection().execute_batch("BEGIN; SELECT * FROM runs").unwrap();
    let before = locks_held_on(&path);
    if before == 0 {
        let reason = "/proc does not show the locks of this process";
        return skipped("looking_at_a_store_keeps_the_locks_of_its_other_users", reason);
    }
    Store::open(store.path()).map(drop).unwrap();
    assert_eq!(locks_held_on(&path), before);
    fs::read(store.path()).map(drop).unwrap();
    assert_eq!(locks_held_on(&path), 0, "the trap is real: this is what an inspection by hand would do");
}

#[test]
fn a_full_disk_loses_nothing() {
    let (_folder, store) = new_store();
    let run = store.create_run(&new_run()).unwrap().run();
    store.append_event(run, 0, "step", &json!("kept")).unwrap();
    let limit = |pages: i64| {
        store.connection().pragma_update_and_check(None, "max_page_count", pages, |row| row.get::<_, i64>(0)).unwrap()
    };
    limit(1); // SQLite raises it to the pages in use

    let big = "x".repeat(100_000);
    let error = store.append_event(run, 1, "step", &big).unwrap_err();
    assert!(matches!(error, StoreError::DiskFull { .. }), "{error}");
    let text = error.to_string();
    assert!(text.contains("nothing that was stored is lost") && text.contains("plysmith resume"), "{text}");
    assert!(matches!(store.put_result("k", 1, &1, &big), Err(StoreError::DiskFull { .. })));
    assert!(matches!(store.finish_run(run, &big), Err(StoreError::DiskFull { .. })));
    assert_eq!(store.events(run).unwrap().len(), 1);
    assert_eq!(store.run(run).unwrap().status, Status::Interrupted);

    limit(1_000_000);
    store.append_event(run, 1, "step", &big).unwrap();
    store.finish_run(run, &json!("done")).unwrap();
    assert_eq!(store.events(run).unwrap().len(), 2);
}

#[test]
fn a_locked_store_is_busy_not_broken() {
    let (_folder, store) = new_store();
    let run = store.create_run(&new_run()).unwrap().run();
    let other = Connection::open(store.path()).unwrap();
    other.execute_batch("BEGIN IMMEDIATE").unwrap();
    store.connection().busy_timeout(Duration::from_millis(20)).unwrap();
    let error = store.append_event(run, 0, "step", &1).unwrap_err();
    assert!(matches!(error, StoreError::Busy { .. }), "{error}");
    assert_eq!(store.events(run).unwrap(), [], "readers do not wait");
    other.execute_batch("ROLLBACK").unwrap();
    store.append_event(run, 0, "step", &1).unwrap();
}

#[test]
fn finished_records_cannot_be_changed_by_anyone() {
    let (_folder, store) = new_store();
    let (finished, open) = (store.create_run(&new_run()).unwrap().run(), store.create_run(&new_run()).unwrap().run());
    store.append_event(finished, 0, "step", &1).unwrap();
    store.append_event(open, 0, "step", &1).unwrap();
    store.put_result("k", 1, &1, &1).unwrap();
    store.finish_run(finished, &1).unwrap();

    let anyone = Connection::open(store.path()).unwrap();
    for sql in [
        "UPDATE runs SET result = '2' WHERE id = 1",
        "UPDATE runs SET result = NULL, finished_at = NULL WHERE id = 1",
        "UPDATE runs SET seed = '1' WHERE id = 2",
        "UPDATE runs SET result = '2' WHERE id = 2",
        "DELETE FROM runs",
        "UPDATE runs SET parent = 1 WHERE id = 2",
        "UPDATE runs SET format = 1, checksum = 7 WHERE id = 2",
        "INSERT OR REPLACE INTO runs (id, kind, game, config, seed, version, command, created_at, format, checksum)
         VALUES (1, '', '', '{}', '', '', '[]', 0, 2, 0)",
        "INSERT INTO runs (kind, game, config, seed, version, command, created_at, format)
         VALUES ('', '', '{}', '', '', '[]', 0, 2)",
        "UPDATE run_states SET label = 'x'",
        "UPDATE run_states SET events = 7, checksum = 7",
        "UPDATE run_states SET events = 0, checksum = 7",
        "UPDATE run_states SET run = 7, checksum = 7 WHERE run = 2",
        "DELETE FROM run_states",
        "INSERT OR REPLACE INTO run_states VALUES (1, 1, NULL, 0)",
        "UPDATE events SET payload = '2'",
        "UPDATE events SET checksum = 2",
        "DELETE FROM events",
        "DELETE FROM events WHERE run = 2",
        "INSERT OR REPLACE INTO events VALUES (2, 0, 'step', '2', 0)",
        "INSERT INTO events VALUES (1, 1, 'step', '2', 0)",
        "INSERT INTO events VALUES (2, 1, 'step', 'no json', 0)",
        "INSERT INTO events VALUES (77, 0, 'step', '2', 0)",
        "INSERT INTO events (run, seq, kind, payload) VALUES (2, 1, 'step', '2')", // as version 1 did
        "UPDATE results SET body = '2'",
        "DELETE FROM results",
        "INSERT OR REPLACE INTO results VALUES ('k', 1, '1', '2', 0, 0)",
    ] {
        let error = anyone.execute(sql, []).expect_err(sql);
        assert_eq!(error.sqlite_error_code(), Some(rusqlite::ErrorCode::ConstraintViolation), "{sql}: {error}");
    }
    // That the list above fails for its own reasons: with all fields in order this is accepted, though not believed.
    anyone.execute("INSERT INTO events VALUES (2, 1, 'step', '2', 0)", []).unwrap();
    assert!(matches!(store.events(open), Err(StoreError::Damaged { .. })));
}
