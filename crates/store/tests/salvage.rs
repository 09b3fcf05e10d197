//! What is sound of a damaged store is found, listed and copied into a new one.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use plysmith_store::{NewRun, RecordKind, RunId, Salvage, Status, Store, StoreCheck};
use rusqlite::Connection;
use serde_json::json;

const EVENTS: u64 = 40;

fn id(number: u32) -> RunId {
    number.to_string().parse().unwrap()
}

fn key(number: u32) -> String {
    format!("{:032x}", 7919 * u64::from(number))
}

/// Three runs, the second unfinished, and some results; a fourth run was deleted.
fn make(folder: &Path) -> PathBuf {
    let path = folder.join("plysmith.db");
    let store = Store::open(&path).unwrap();
    for number in 1..=4 {
        let new = NewRun {
            kind: "measure".into(),
            game: "chess".into(),
            config: json!({ "nodes": number }),
            seed: number,
            version: "0.1.0".into(),
            command: vec!["plysmith".into()],
            parent: None,
        };
        let run = store.create_run(&new).unwrap().run();
        for seq in 0..EVENTS {
            store.append_event(run, seq, "step", &json!({ "seq": seq, "text": "x".repeat(50) })).unwrap();
        }
        if number != 2 {
            store.finish_run(run, &json!({ "best": number })).unwrap();
        }
        store.set_label(run, Some(&format!("label {number}"))).unwrap();
    }
    store.delete_run(id(4)).unwrap();
    for number in 0..30 {
        store.put_result(&key(number), number, &json!({ "job": number }), &json!({ "text": "y".repeat(60) })).unwrap();
    }
    drop(store);
    let connection = Connection::open(&path).unwrap();
    connection.execute_batch("PRAGMA journal_mode = DELETE; PRAGMA page_size = 512; VACUUM").unwrap();
    path
}

/// Changes the store as no program should.
fn break_rules(path: &Path, sql: &str) {
    let connection = Connection::open(path).unwrap();
    let triggers = "SELECT 'DROP TRIGGER ' || name FROM sqlite_schema WHERE type = 'trigger'";
    let drops: Vec<String> =
        connection.prepare(triggers).unwrap().query_map([], |row| row.get(0)).unwrap().map(Result::unwrap).collect();
    connection.execute_batch("PRAGMA foreign_keys = OFF; PRAGMA ignore_check_constraints = ON").unwrap();
    connection.execute_batch(&drops.join(";")).unwrap();
    connection.execute_batch(sql).unwrap();
}

fn salvage(path: &Path) -> (Salvage, Store) {
    let target = path.with_file_name("rescued").join("plysmith.db");
    let salvage = Store::open(path).unwrap().salvage(&target).unwrap();
    (salvage, Store::open(&target).unwrap())
}

/// A damaged record: its kind, its run and which it is.
type Listed<'a> = (RecordKind, Option<RunId>, &'a str);

fn listed(check: &StoreCheck) -> Vec<Listed<'_>> {
    check.damaged.iter().map(|record| (record.kind, record.run, record.id.as_str())).collect()
}

#[test]
fn a_sound_store_is_copied_whole() {
    let folder = tempfile::tempdir().unwrap();
    let path = make(folder.path());
    let (salvage, new) = salvage(&path);
    let old = Store::open(&path).unwrap();
    assert_eq!(salvage.check, old.check().unwrap());
    assert_eq!(salvage.check, new.check().unwrap());
    assert_eq!(salvage.check.damaged, []);
    assert_eq!((salvage.check.runs.len(), salvage.check.events, salvage.check.results), (3, 3 * EVENTS, 30));
    assert_eq!(salvage.changed, [""; 0]);
    assert_eq!(old.runs().unwrap(), new.runs().unwrap());
    for number in 1..=3 {
        assert_eq!(old.events(id(number)).unwrap(), new.events(id(number)).unwrap());
    }
    for number in 0..30 {
        assert_eq!(old.result(&key(number)).unwrap(), new.result(&key(number)).unwrap());
    }
    // The number of the deleted run is not used again here either, and the rules hold.
    let again = NewRun {
        kind: "x".into(),
        game: "x".into(),
        config: json!(1),
        seed: 1,
        version: "1".into(),
        command: vec![],
        parent: None,
    };
    assert_eq!(new.create_run(&again).unwrap().run(), id(5));
    Connection::open(new.path()).unwrap().execute("DELETE FROM events", []).expect_err("events are kept");
}

#[test]
fn only_a_new_store_is_written() {
    let folder = tempfile::tempdir().unwrap();
    let path = make(folder.path());
    let store = Store::open(&path).unwrap();
    let before = fs::read(&path).unwrap();
    assert!(store.salvage(&path).unwrap_err().to_string().contains("exists"));
    assert_eq!(fs::read(&path).unwrap(), before);
}

#[test]
fn each_kind_of_damage_is_listed_and_the_rest_is_saved() {
    use RecordKind::{Event, Result, Run, RunResult, RunState};
    let third = key(3);
    let broken = format!("{third} (3 done)");
    let cases: [(&str, Vec<Listed<'_>>, &[&str]); 8] = [
        ("UPDATE runs SET config = '{\"nodes\":9}' WHERE id = 1", vec![(Run, Some(id(1)), "1")], &[]),
        (
            "UPDATE runs SET result = '{\"best\":9}' WHERE id = 3",
            vec![(RunResult, Some(id(3)), "3")],
            &["run 3: its result is lost; continue it with `plysmith resume 3`"],
        ),
        (
            "UPDATE run_states SET label = 'other' WHERE run = 1",
            vec![(RunState, Some(id(1)), "1")],
            &["run 1: its label is lost if it had one, and it is taken to have 40 events"],
        ),
        (
            "DELETE FROM run_states WHERE run = 1",
            vec![(RunState, Some(id(1)), "1")],
            &["run 1: its label is lost if it had one, and it is taken to have 40 events"],
        ),
        (
            "UPDATE events SET payload = '1' WHERE run = 1 AND seq = 7",
            vec![(Event, Some(id(1)), "7")],
            &["run 1: one of its events is lost: it can be shown, but not exported"],
        ),
        (
            "DELETE FROM events WHERE run = 2 AND seq IN (7, 9)",
            vec![(Event, Some(id(2)), "7"), (Event, Some(id(2)), "9")],
            &["run 2: 7 of 40 events are kept; continue it with `plysmith resume 2`"],
        ),
        ("DELETE FROM runs WHERE id = 3", vec![(Run, Some(id(3)), "3")], &[]),
        ("UPDATE results SET body = '2' WHERE done = 3", vec![(Result, None, &broken)], &[]),
    ];
    for (sql, damaged, changed) in cases {
        let folder = tempfile::tempdir().unwrap();
        let path = make(folder.path());
        break_rules(&path, sql);
        let (salvage, new) = salvage(&path);
        assert_eq!(listed(&salvage.check), damaged, "{sql}");
        assert_eq!(salvage.changed, changed, "{sql}");
        let lost: BTreeSet<_> =
            damaged.iter().filter(|(kind, ..)| *kind == Run).map(|(_, run, _)| run.unwrap()).collect();
        for number in (1..=3).map(id) {
            assert_eq!(new.run(number).is_ok(), !lost.contains(&number), "{sql}: run {number}");
        }
        for number in 0..30 {
            let is_lost = damaged[0].0 == Result && number == 3;
            assert_eq!(new.result(&key(number)).unwrap().is_none(), is_lost, "{sql}: result {number}");
        }
        // Everything that can be read is as it was; the only damage left is an event that cannot be brought back.
        let left = new.check().unwrap().damaged;
        assert_eq!(left.len(), usize::from(damaged[0] == (Event, Some(id(1)), "7")), "{sql}: {left:?}");
        for run in new.runs().unwrap() {
            if run.status == Status::Finished {
                assert_eq!(run.result, Some(json!({ "best": run.seed })), "{sql}");
            } else {
                new.append_event(run.id, new.events(run.id).unwrap().len() as u64, "step", &json!("more")).unwrap();
            }
        }
    }
}

/// Whatever happens to a page: nothing that is copied differs from what was stored, and most of it is copied.
#[test]
fn behind_a_lost_page_the_rest_is_found() {
    let folder = tempfile::tempdir_in("/dev/shm").or_else(|_| tempfile::tempdir()).unwrap();
    let path = make(folder.path());
    let sound = Store::open(&path).unwrap();
    let (runs, bytes) = (sound.runs().unwrap(), fs::read(&path).unwrap());
    let pages = bytes.len() / 512;
    let (mut saved, mut openable) = (0, 0);
    for page in 1..pages {
        let mut changed = bytes.clone();
        changed[512 * page..512 * (page + 1)].fill(0xa5);
        let home = folder.path().join(page.to_string());
        fs::create_dir(&home).unwrap();
        let damaged = home.join("plysmith.db");
        fs::write(&damaged, changed).unwrap();
        let Ok(store) = Store::open(&damaged) else { continue };
        let Ok(check) = store.check() else { continue };
        openable += 1;
        let target = home.join("rescued/plysmith.db");
        let salvage = store.salvage(&target).unwrap();
        assert_eq!(salvage.check, check);
        let new = Store::open(&target).unwrap();
        for run in new.runs().unwrap() {
            let old = runs.iter().find(|old| old.id == run.id).unwrap();
            assert_eq!((&run.config, run.seed), (&old.config, old.seed), "page {page}");
            assert!(run.result.is_none() || run.result == old.result, "page {page}");
            let events = sound.events(run.id).unwrap();
            for event in new.stream_events(run.id, 0).map_while(Result::ok) {
                assert_eq!(event, events[event.seq as usize], "page {page}");
                saved += 1;
            }
        }
        for number in 0..30 {
            let result = new.result(&key(number)).unwrap();
            assert!(result.is_none() || result == sound.result(&key(number)).unwrap(), "page {page}");
        }
        fs::remove_dir_all(&home).unwrap();
    }
    let all = openable * 3 * EVENTS as usize;
    assert!(openable > pages / 2, "{openable} of {pages} pages leave a store that can be opened");
    assert!(saved > all * 8 / 10, "{saved} of {all} events were saved");
}
