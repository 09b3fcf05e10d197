//! Several processes on one store, and what is stored when one is killed with -9.
//!
//! The other process is this very test binary, started again to run `child` alone; a variable tells it what to do.

use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use plysmith_store::{NewRun, RunId, Status, Store, StoreError};
use serde_json::{Value, json};

const ROLE: &str = "PLYSMITH_STORE_TEST_CHILD";
const PATH: &str = "PLYSMITH_STORE_TEST_PATH";

fn new_run() -> NewRun {
    NewRun {
        kind: "discover".into(),
        game: "breakthrough".into(),
        config: json!({ "depth": 4 }),
        seed: 2005,
        version: "0.1.0".into(),
        command: vec!["plysmith".into(), "discover".into()],
        parent: None,
    }
}

/// Events of very different sizes, so that some span many pages.
fn payload(seq: u64) -> Value {
    json!({ "seq": seq, "text": "x".repeat((seq as usize * 7919) % 20_000) })
}

/// A process that does not outlive its test.
struct Running(Child);

impl Drop for Running {
    fn drop(&mut self) {
        // It may have ended.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

fn start_child(role: &str, store: &Path) -> Running {
    let child = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "child", "--nocapture", "--test-threads=1"])
        .env(ROLE, role)
        .env(PATH, store)
        .stdout(Stdio::piped())
        .spawn();
    Running(child.unwrap())
}

/// Does nothing in an ordinary test run.
#[test]
fn child() {
    let Ok(role) = std::env::var(ROLE) else { return };
    let store = Store::open(Path::new(&std::env::var_os(PATH).unwrap())).unwrap();
    let mut stdout = std::io::stdout();
    match role.as_str() {
        // Begins a run, or takes up the newest one, and writes until killed.
        "endless" => {
            let claim = match store.runs().unwrap().first() {
                Some(run) => store.claim(run.id).unwrap(),
                None => store.create_run(&new_run()).unwrap(),
            };
            for seq in 0.. {
                store.append_event(claim.run(), seq, "step", &payload(seq)).unwrap();
                store.put_result("key", seq as u32, &json!("job"), &payload(seq)).unwrap();
                writeln!(stdout, "ack {seq}").unwrap();
            }
        }
        // A whole run.
        "whole" => {
            let claim = store.create_run(&new_run()).unwrap();
            for seq in 0..20 {
                store.append_event(claim.run(), seq, "step", &payload(seq)).unwrap();
            }
            store.finish_run(claim.run(), &json!(20)).unwrap();
        }
        other => panic!("unknown role {other}"),
    }
}

/// Where a process is killed.
#[derive(Clone, Copy, Debug)]
enum Moment {
    /// It has acknowledged an event, and works on.
    Acknowledged,
    /// It has inserted an event, and its transaction is open.
    InEvent,
    /// It has inserted a result, and its transaction is open.
    InResult,
}

#[test]
fn kill_9_loses_nothing_that_was_acknowledged() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("plysmith.db");
    Store::open(&path).map(drop).unwrap();
    let mut furthest = 0;
    for round in 0..12_u64 {
        let moment = [Moment::Acknowledged, Moment::InEvent, Moment::InResult][round as usize % 3];
        // Well into new territory: the events of former rounds are replayed first.
        let last = furthest + 3 + round * 5 % 7;
        halt(&path, moment, last + 1);
        let mut child = start_child("endless", &path);
        let mut lines = BufReader::new(child.0.stdout.take().unwrap()).lines();
        let mut acks = lines.by_ref().map_while(Result::ok).filter_map(|line| ack(&line));
        assert!(acks.any(|seq| seq == last), "round {round}: it ended before it came to {last}");
        match moment {
            Moment::Acknowledged => {}
            Moment::InEvent => wait_until(|| is_locked(&path)),
            Moment::InResult => wait_until(|| events_of(&path) == last + 2 && is_locked(&path)),
        }
        let run: RunId = "1".parse().unwrap();
        assert_eq!(Store::open(&path).unwrap().run(run).unwrap().status, Status::Running);
        assert!(matches!(Store::open(&path).unwrap().claim(run), Err(StoreError::RunBusy { .. })));

        child.0.kill().unwrap();
        child.0.wait().unwrap();
        let acknowledged = lines.map_while(Result::ok).filter_map(|line| ack(&line)).last().unwrap_or(last);

        let store = Store::open(&path).unwrap();
        assert_eq!(store.run(run).unwrap().status, Status::Interrupted);
        let events = store.events(run).unwrap();
        let (stored, result) = (events.len() as u64, u64::from(store.result("key").unwrap().unwrap().done));
        match moment {
            Moment::Acknowledged => {
                let in_flight = 1;
                let expected = acknowledged + 1..=acknowledged + 1 + in_flight;
                assert!(expected.contains(&stored), "round {round}: {stored} of {acknowledged}");
                assert!(result >= acknowledged, "round {round}: {result} of {acknowledged}");
            }
            // What was not committed is not there.
            Moment::InEvent => assert_eq!((acknowledged, stored, result), (last, last + 1, last), "round {round}"),
            Moment::InResult => assert_eq!((acknowledged, stored, result), (last, last + 2, last), "round {round}"),
        }
        assert!(events.iter().all(|event| event.payload == payload(event.seq)));
        furthest = stored;
    }
    assert_sound(&path);
}

/// From now on whoever inserts this event or its result stops there for ever.
fn halt(path: &Path, moment: Moment, seq: u64) {
    let connection = rusqlite::Connection::open(path).unwrap();
    connection.execute_batch("DROP TRIGGER IF EXISTS halt").unwrap();
    let row = match moment {
        Moment::Acknowledged => return,
        Moment::InEvent => format!("events WHEN NEW.seq = {seq}"),
        Moment::InResult => format!("results WHEN NEW.done = {seq}"),
    };
    let endless = "WITH RECURSIVE steps (step) AS (SELECT 1 UNION ALL SELECT step + 1 FROM steps) SELECT * FROM steps";
    let trigger = format!("CREATE TRIGGER halt AFTER INSERT ON {row} BEGIN SELECT count(*) FROM ({endless}); END");
    connection.execute_batch(&trigger).unwrap();
}

/// Whether a process has a transaction open that writes.
fn is_locked(path: &Path) -> bool {
    let connection = rusqlite::Connection::open(path).unwrap();
    connection.busy_timeout(Duration::ZERO).unwrap();
    connection.execute_batch("BEGIN IMMEDIATE").is_err()
}

fn events_of(path: &Path) -> u64 {
    let connection = rusqlite::Connection::open(path).unwrap();
    connection.query_row("SELECT count(*) FROM events", [], |row| row.get::<_, i64>(0)).unwrap() as u64
}

/// At the very start: while the folder, the tables and the first run are made, as seen by the size of the write-ahead log.
#[test]
fn kill_9_while_the_store_is_made() {
    const KILLS: u64 = 30;
    let log_size = |path: &Path| fs::metadata(path.with_file_name("plysmith.db-wal")).map_or(0, |file| file.len());
    let whole = {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("plysmith.db");
        let store = Store::open(&path).unwrap();
        store.create_run(&new_run()).map(drop).unwrap();
        log_size(&path)
    };
    for kill in 0..KILLS {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("new/plysmith.db");
        let mut child = start_child("endless", &path);
        // It writes more than this: it never ends.
        wait_until(|| path.exists() && log_size(&path) >= whole * kill / KILLS);
        child.0.kill().unwrap();
        child.0.wait().unwrap();

        let store = Store::open(&path).unwrap();
        for run in store.runs().unwrap() {
            assert_eq!(run.status, Status::Interrupted);
            assert!(store.events(run.id).unwrap().iter().all(|event| event.payload == payload(event.seq)));
            store.claim(run.id).map(drop).unwrap();
        }
        store.create_run(&new_run()).map(drop).unwrap();
        assert_sound(&path);
    }
}

#[test]
fn processes_create_and_fill_one_store_together() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("plysmith.db");
    let children: Vec<Running> = (0..4).map(|_| start_child("whole", &path)).collect();
    for mut child in children {
        let said = std::io::read_to_string(child.0.stdout.take().unwrap()).unwrap();
        assert!(child.0.wait().unwrap().success(), "{said}");
    }
    let store = Store::open(&path).unwrap();
    let runs = store.runs().unwrap();
    assert_eq!(runs.len(), 4);
    for run in runs {
        assert_eq!((run.status, run.result), (Status::Finished, Some(json!(20))));
        assert_eq!(store.events(run.id).unwrap().len(), 20);
    }
    assert_sound(&path);
}

/// Waits for something that must come to be; a loaded machine may take its time.
#[track_caller]
fn wait_until(mut is_so: impl FnMut() -> bool) {
    let deadline = Instant::now() + Duration::from_secs(120);
    while !is_so() {
        assert!(Instant::now() < deadline, "it never comes to be");
        std::thread::yield_now();
    }
}

/// "ack 17", also when the test harness has put its own words on the same line.
fn ack(line: &str) -> Option<u64> {
    line.rsplit_once("ack ")?.1.parse().ok()
}

fn assert_sound(path: &Path) {
    let connection = rusqlite::Connection::open(path).unwrap();
    let verdict: String = connection.query_row("PRAGMA integrity_check", [], |row| row.get(0)).unwrap();
    assert_eq!(verdict, "ok");
}
