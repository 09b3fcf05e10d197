//! A store of every schema version, as a program of that version left it, still opens and reads back the same.
//!
//! `fixtures/version-N.db` is the store, `fixtures/version-N.jsonl` what is in it, one record a line.
//! `fixtures/README.md` says how they were made.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command};
use std::sync::Barrier;
use std::thread;

use plysmith_store::{NewRun, RunId, SCHEMA_VERSION, Store, StoreError};
use rusqlite::{Connection, OpenFlags};
use serde_json::{Value, json};
use tempfile::TempDir;

const PATH: &str = "PLYSMITH_STORE_FIXTURE_PATH";

fn fixture(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures").join(name)
}

/// A copy of the store of a schema version, to be opened and migrated.
fn copy_of(version: i32) -> (TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("plysmith.db");
    fs::copy(fixture(&format!("version-{version}.db")), &path).unwrap();
    (folder, path)
}

fn golden(version: i32) -> Vec<Value> {
    let text = fs::read_to_string(fixture(&format!("version-{version}.jsonl"))).unwrap();
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// Everything in a store, in the form of the golden files. Results are those whose keys the golden file has.
fn contents(store: &Store, keys: &[String]) -> Vec<Value> {
    let mut lines = Vec::new();
    let mut runs = store.runs().unwrap();
    runs.reverse();
    for run in runs {
        assert_eq!(store.run(run.id).unwrap(), run);
        let mut value = serde_json::to_value(&run).unwrap();
        value["format"] = json!(run.format);
        value["label"] = json!(run.label);
        value["parent"] = json!(run.parent);
        lines.push(json!({ "run": value }));
        for event in store.events(run.id).unwrap() {
            lines.push(json!({ "event": {
                "run": run.id, "seq": event.seq, "kind": event.kind, "payload": event.payload
            } }));
        }
    }
    for key in keys {
        let found = store.result(key).unwrap().unwrap_or_else(|| panic!("no result {key}"));
        lines.push(json!({ "result": { "key": key, "done": found.done, "body": found.body } }));
    }
    lines
}

fn keys_of(golden: &[Value]) -> Vec<String> {
    golden.iter().filter_map(|line| line["result"]["key"].as_str()).map(str::to_string).collect()
}

#[track_caller]
fn assert_reads_back(store: &Store, version: i32) {
    let golden = golden(version);
    let found = contents(store, &keys_of(&golden));
    for (found, golden) in found.iter().zip(&golden) {
        assert_eq!(found, golden);
    }
    assert_eq!(found.len(), golden.len());
    let count: i64 = raw(store.path(), "SELECT count(DISTINCT key) FROM results");
    assert_eq!(count, keys_of(&golden).len() as i64);
}

/// One value of a store, asked for without the code under test.
fn raw<T: rusqlite::types::FromSql>(path: &Path, sql: &str) -> T {
    let connection = Connection::open_with_flags(path, OpenFlags::SQLITE_OPEN_READ_ONLY).unwrap();
    connection.query_row(sql, [], |row| row.get(0)).unwrap()
}

/// All tables, indexes and triggers with their definitions.
fn schema_of(path: &Path) -> Vec<(String, Option<String>)> {
    let connection = Connection::open(path).unwrap();
    let mut select = connection.prepare("SELECT name, sql FROM sqlite_schema ORDER BY name").unwrap();
    let rows = select.query_map([], |row| Ok((row.get(0)?, row.get(1)?))).unwrap();
    rows.map(Result::unwrap).collect()
}

#[test]
fn there_is_a_fixture_of_every_version() {
    for version in 1..=SCHEMA_VERSION {
        let path = fixture(&format!("version-{version}.db"));
        assert!(fs::metadata(&path).unwrap().len() < 200_000, "{}", path.display());
        let (_folder, copy) = copy_of(version);
        assert_eq!(raw::<i32>(&copy, "PRAGMA user_version"), version);
        assert!(golden(version).len() > 10);
    }
}

#[test]
fn every_version_reads_back_and_once_migrated_stays_so() {
    for version in 1..=SCHEMA_VERSION {
        let (_folder, path) = copy_of(version);
        for _ in 0..3 {
            assert_reads_back(&Store::open(&path).unwrap(), version);
            assert_eq!(raw::<i32>(&path, "PRAGMA user_version"), SCHEMA_VERSION);
            assert_eq!(raw::<String>(&path, "PRAGMA integrity_check"), "ok");
            let orphans = Connection::open(&path).unwrap();
            assert!(!orphans.prepare("PRAGMA foreign_key_check").unwrap().exists([]).unwrap());
        }
    }
}

/// A second opening changes nothing at all, not even a free page.
#[test]
fn a_migrated_store_is_not_migrated_again() {
    let (_folder, path) = copy_of(1);
    Store::open(&path).map(drop).unwrap();
    let once = fs::read(&path).unwrap();
    Store::open(&path).map(drop).unwrap();
    assert!(fs::read(&path).unwrap() == once);
}

#[test]
fn a_migrated_store_has_the_schema_of_a_new_one() {
    let folder = tempfile::tempdir().unwrap();
    let new = folder.path().join("new.db");
    Store::open(&new).map(drop).unwrap();
    for version in 1..=SCHEMA_VERSION {
        let (_folder, path) = copy_of(version);
        Store::open(&path).map(drop).unwrap();
        assert_eq!(schema_of(&path), schema_of(&new), "version {version}");
    }
}

/// What was interrupted under version 1 goes on under version 2, in the format it has; new runs have the new one.
#[test]
fn an_old_run_can_be_resumed() {
    let (_folder, path) = copy_of(1);
    let store = Store::open(&path).unwrap();
    let last = store.runs().unwrap()[0].clone();
    let claim = store.claim(last.id).unwrap();
    let events = store.events(last.id).unwrap();
    for event in &events {
        store.append_event(last.id, event.seq, &event.kind, &event.payload).unwrap();
    }
    let error = store.append_event(last.id, 0, &events[0].kind, &json!("other")).unwrap_err();
    assert!(matches!(error, StoreError::Diverged { seq: 0, .. }), "{error}");
    store.append_event(last.id, events.len() as u64, "game", &json!("new")).unwrap();
    store.finish_run(last.id, &json!("done")).unwrap();
    drop(claim);
    let run = store.run(last.id).unwrap();
    assert_eq!((run.format, store.events(run.id).unwrap().len()), (1, events.len() + 1));

    let child = store.create_run(&NewRun { parent: Some(run.id), ..new_run("after") }).unwrap().run();
    assert_eq!(child.to_string(), (golden_runs(1) + 1).to_string());
    assert_eq!(store.run(child).unwrap().format, 2);
}

fn golden_runs(version: i32) -> usize {
    golden(version).iter().filter(|line| line.get("run").is_some()).count()
}

#[test]
fn many_may_migrate_the_same_store_at_once() {
    for _ in 0..5 {
        let (_folder, path) = copy_of(1);
        let processes: Vec<Child> = (0..2).map(|_| start_child(&path)).collect();
        let barrier = Barrier::new(4);
        thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| {
                    barrier.wait();
                    assert_reads_back(&Store::open(&path).unwrap(), 1);
                });
            }
        });
        for mut process in processes {
            assert!(process.wait().unwrap().success());
        }
        assert_reads_back(&Store::open(&path).unwrap(), 1);
    }
}

/// A migration that is killed leaves version 1, or version 2, and nothing in between. The size of the write-ahead log
/// tells how far it has come.
#[test]
fn kill_9_while_the_store_is_migrated() {
    const KILLS: u64 = 30;
    let log_size = |path: &Path| fs::metadata(path.with_file_name("plysmith.db-wal")).ok().map(|file| file.len());
    let whole = {
        let (_folder, path) = copy_of(1);
        let _store = Store::open(&path).unwrap();
        log_size(&path).unwrap()
    };
    for kill in 0..KILLS {
        let (_folder, path) = copy_of(1);
        let mut child = start_child(&path);
        // A child that is done has deleted the log.
        let is_there = || log_size(&path).is_some_and(|size| size >= whole * kill / KILLS);
        while !is_there() && child.try_wait().unwrap().is_none() {
            thread::yield_now();
        }
        // It may have ended.
        let _ = child.kill();
        child.wait().unwrap();

        let version: i32 = {
            let connection = Connection::open(&path).unwrap();
            let table = |name| connection.table_exists(None, name).unwrap();
            assert_ne!(table("measurements"), table("results"));
            assert!(!table("old_runs") && !table("old_events"));
            connection.pragma_query_value(None, "user_version", |row| row.get(0)).unwrap()
        };
        assert!([1, 2].contains(&version));
        assert_reads_back(&Store::open(&path).unwrap(), 1);
    }
}

/// This test binary, started again to run `child` alone.
fn start_child(store: &Path) -> Child {
    Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "child", "--test-threads=1", "--quiet"])
        .env(PATH, store)
        .stdout(std::process::Stdio::null())
        .spawn()
        .unwrap()
}

/// Does nothing in an ordinary test run.
#[test]
fn child() {
    let Some(path) = std::env::var_os(PATH) else { return };
    assert_reads_back(&Store::open(Path::new(&path)).unwrap(), 1);
}

/// Makes the fixture of the current version anew. Only for a version that is not released yet.
#[test]
#[ignore = "writes fixtures/version-2.db and .jsonl"]
fn make_the_fixture() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("plysmith.db");
    fs::copy(fixture("version-1.db"), &path).unwrap();
    // A few of the migrated runs and results, so that the file stays small.
    let mut keys: Vec<String> = keys_of(&golden(1)).into_iter().step_by(20).collect();
    let old = Connection::open(&path).unwrap();
    old.execute_batch(&format!(
        "DROP TRIGGER measurements_kept;
         DELETE FROM measurements WHERE key NOT IN ('{}');
         CREATE TRIGGER measurements_kept BEFORE DELETE ON measurements BEGIN SELECT 1; END;",
        keys.join("', '")
    ))
    .unwrap();
    drop(old);
    let store = Store::open(&path).unwrap();
    for run in store.runs().unwrap() {
        if ![2, 3, 13].map(run_id).contains(&run.id) {
            store.delete_run(run.id).unwrap();
        }
    }
    store.set_label(run_id(2), Some("two schemes, \"quoted\" ä")).unwrap();

    let parent = store.create_run(&new_run("discover")).unwrap().run();
    for seq in 0..70 {
        store.append_event(parent, seq, "evaluation", &json!({ "feature": format!("F{seq}"), "solved": seq })).unwrap();
    }
    store.finish_run(parent, &json!({ "best": "F69", "score": 0.1 + 0.2 })).unwrap();
    for (label, finished) in [(Some("follow-up"), true), (None, false)] {
        let child = NewRun { parent: Some(parent), seed: u64::MAX, ..new_run("match") };
        let child = store.create_run(&child).unwrap().run();
        store.set_label(child, label).unwrap();
        store.append_event(child, 0, "game", &json!({ "key": "k1", "text": "ä\0\"\n" })).unwrap();
        if finished {
            store.finish_run(child, &Value::Null).unwrap();
        }
    }
    let deleted = store.create_run(&new_run("deleted")).unwrap().run();
    store.delete_run(deleted).unwrap();
    for (key, done) in [("k1", 1), ("k2", 3), ("k2", 40), ("k2", 7)] {
        store.put_result(key, done, &json!({ "job": key }), &json!([done, key, 1e-9])).unwrap();
    }
    keys.extend(["k1".into(), "k2".into()]);

    let lines: Vec<String> = contents(&store, &keys).iter().map(|line| line.to_string() + "\n").collect();
    fs::write(fixture(&format!("version-{SCHEMA_VERSION}.jsonl")), lines.concat()).unwrap();
    drop(store);
    let connection = Connection::open(&path).unwrap();
    connection.execute_batch("PRAGMA journal_mode = DELETE; VACUUM; PRAGMA journal_mode = WAL").unwrap();
    drop(connection);
    fs::copy(&path, fixture(&format!("version-{SCHEMA_VERSION}.db"))).unwrap();
}

fn run_id(number: u32) -> RunId {
    number.to_string().parse().unwrap()
}

fn new_run(kind: &str) -> NewRun {
    NewRun {
        kind: kind.into(),
        game: "breakthrough".into(),
        config: json!({ "depth": 4, "weights": [0.1, 1e-9], "name": "ä\"\n" }),
        seed: 2005,
        version: "0.1.0".into(),
        command: vec!["plysmith".into(), kind.into(), "--name=a b".into()],
        parent: None,
    }
}
