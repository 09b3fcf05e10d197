//! A store that is deleted, replaced or emptied, while it is open or before: an error, never a new store in its place.

use std::fs::{self, File};
use std::path::{Path, PathBuf};

use plysmith_store::{NewRun, Store, StoreError};
use serde_json::json;

fn new_run() -> NewRun {
    NewRun {
        kind: "measure".into(),
        game: "chess".into(),
        config: json!({}),
        seed: 1,
        version: "0.1.0".into(),
        command: vec!["plysmith".into()],
        parent: None,
    }
}

fn wal(path: &Path) -> PathBuf {
    path.with_file_name("plysmith.db-wal")
}

/// What is said, and how the store is taken away.
type Case = (&'static str, fn(&Path));

/// Every call says so, reads as well as writes.
#[test]
fn a_store_that_is_taken_away_is_missed() {
    let cases: [Case; 5] = [
        ("was deleted", |path| fs::remove_file(path).unwrap()),
        ("was replaced by another file", |path| {
            let other = path.with_file_name("other.db");
            drop(Store::open(&other).unwrap());
            fs::rename(other, path).unwrap();
        }),
        ("was replaced by another file", |path| {
            // A copy of itself is another file too: what is written from now on would be missing in it.
            let other = path.with_file_name("other.db");
            fs::copy(path, &other).unwrap();
            fs::rename(other, path).unwrap();
        }),
        ("was truncated to nothing", |path| File::options().write(true).open(path).unwrap().set_len(0).unwrap()),
        ("was deleted", |path| {
            fs::rename(path.parent().unwrap(), path.parent().unwrap().with_extension("old")).unwrap();
        }),
    ];
    for (saying, take_away) in cases {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("home/plysmith.db");
        let store = Store::open(&path).unwrap();
        let claim = store.create_run(&new_run()).unwrap();
        store.append_event(claim.run(), 0, "step", &1).unwrap();
        take_away(&path);
        let errors = [
            store.append_event(claim.run(), 1, "step", &1).unwrap_err(),
            store.put_result("k", 1, &1, &1).unwrap_err(),
            store.finish_run(claim.run(), &1).unwrap_err(),
            store.result("k").unwrap_err(),
            store.run(claim.run()).unwrap_err(),
            store.events(claim.run()).unwrap_err(),
            store.runs().unwrap_err(),
            store.create_run(&new_run()).unwrap_err(),
        ];
        for error in errors {
            assert!(matches!(error, StoreError::Gone { .. }), "{saying}: {error}");
            assert!(error.to_string().contains(saying) && error.to_string().contains("resume"), "{saying}: {error}");
        }
    }
}

#[test]
fn a_lost_log_is_missed_by_the_next_write() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("plysmith.db");
    let store = Store::open(&path).unwrap();
    let claim = store.create_run(&new_run()).unwrap();
    fs::remove_file(wal(&path)).unwrap();
    let error = store.append_event(claim.run(), 0, "step", &1).unwrap_err();
    assert!(error.to_string().contains("write-ahead log"), "{error}");
}

#[test]
fn an_emptied_store_is_not_begun_anew() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("plysmith.db");
    let store = Store::open(&path).unwrap();
    for _ in 0..2 {
        drop(store.create_run(&new_run()).unwrap());
    }
    drop(store);
    fs::write(&path, "").unwrap();
    for open in [Store::open, Store::open_to_read] {
        let error = open(&path).unwrap_err();
        assert!(matches!(error, StoreError::Emptied { .. }), "{error}");
        assert!(error.to_string().contains("2 runs were stored in it"), "{error}");
        assert!(error.to_string().contains("delete it to begin a new store"), "{error}");
    }
    assert_eq!(fs::metadata(&path).unwrap().len(), 0);
    // Who deletes it means it.
    fs::remove_file(&path).unwrap();
    assert!(Store::open(&path).unwrap().runs().unwrap().is_empty());
}

/// SQLite would delete the log, and with it the last runs.
#[test]
fn a_log_without_its_store_is_kept() {
    for take_away in [|path: &Path| fs::remove_file(path).unwrap(), |path: &Path| fs::write(path, "").unwrap()] {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("plysmith.db");
        let store = Store::open(&path).unwrap();
        drop(store.create_run(&new_run()).unwrap());
        let log = fs::read(wal(&path)).unwrap();
        drop(store);
        take_away(&path);
        fs::write(wal(&path), &log).unwrap();
        let error = Store::open(&path).unwrap_err();
        assert!(matches!(error, StoreError::Emptied { .. }), "{error}");
        assert!(error.to_string().contains("plysmith.db-wal too"), "{error}");
        assert_eq!(fs::read(wal(&path)).unwrap(), log);
    }
}

/// Every length of a shortened store: what can be read is as it was.
#[test]
fn a_shortened_store_never_gives_other_data() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("plysmith.db");
    let store = Store::open(&path).unwrap();
    let run = store.create_run(&new_run()).unwrap().run();
    for seq in 0..200 {
        store.append_event(run, seq, "step", &"x".repeat(100)).unwrap();
    }
    let (sound, events) = (store.run(run).unwrap(), store.events(run).unwrap());
    drop(store);
    let bytes = fs::read(&path).unwrap();
    for length in (1..bytes.len()).step_by(1021) {
        let home = folder.path().join(length.to_string());
        fs::create_dir(&home).unwrap();
        let short = home.join("plysmith.db");
        fs::write(&short, &bytes[..length]).unwrap();
        if let Ok(store) = Store::open(&short) {
            assert!(store.run(run).is_err() || store.run(run).unwrap() == sound, "{length}");
            assert!(store.events(run).is_err() || store.events(run).unwrap() == events, "{length}");
            assert!(store.check().is_err() || !store.check().unwrap().damaged.is_empty(), "{length}");
        }
    }
}
