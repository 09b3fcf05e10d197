//! Several processes on one store, and what is stored when one is killed with -9.
//!
//! The other process is this very test binary, started again to run `child` alone; a variable tells it what to do.

use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

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

fn start_child(role: &str, store: &Path) -> Child {
    Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "child", "--nocapture", "--test-threads=1"])
        .env(ROLE, role)
        .env(PATH, store)
        .stdout(Stdio::piped())
        .spawn()
        .unwrap()
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

#[test]
fn kill_9_loses_nothing_that_was_acknowledged() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("plysmith.db");
    let mut random = Random(2005);
    let mut furthest = 0;
    for round in 0..10 {
        let mut child = start_child("endless", &path);
        let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
        // Well into new territory (the events of former rounds are replayed first), and then at an arbitrary moment.
        let mut acknowledged = None;
        for line in lines.by_ref().map_while(Result::ok) {
            acknowledged = ack(&line).or(acknowledged);
            if acknowledged.is_some_and(|seq| seq >= furthest + 3) {
                break;
            }
        }
        let run: RunId = "1".parse().unwrap();
        assert_eq!(Store::open(&path).unwrap().run(run).unwrap().status, Status::Running);
        assert!(matches!(Store::open(&path).unwrap().claim(run), Err(StoreError::RunBusy { .. })));

        std::thread::sleep(random.up_to(Duration::from_millis(20)));
        child.kill().unwrap();
        child.wait().unwrap();
        let acknowledged = lines.map_while(Result::ok).filter_map(|line| ack(&line)).last().or(acknowledged).unwrap();

        let store = Store::open(&path).unwrap();
        assert_eq!(store.run(run).unwrap().status, Status::Interrupted);
        let events = store.events(run).unwrap();
        let in_flight = 1;
        let expected = acknowledged + 1..=acknowledged + 1 + in_flight;
        assert!(expected.contains(&(events.len() as u64)), "round {round}: {} of {acknowledged}", events.len());
        assert!(events.iter().all(|event| event.payload == payload(event.seq)));
        assert!(u64::from(store.result("key").unwrap().unwrap().done) >= acknowledged);
        furthest = events.len() as u64;
    }
    assert_sound(&path);
}

/// At the very start: while the folder, the tables and the first run are made.
#[test]
fn kill_9_while_the_store_is_made() {
    let mut random = Random(7);
    for _ in 0..30 {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("new/plysmith.db");
        let mut child = start_child("endless", &path);
        // Starting a process takes a while that depends on the machine: wait for the first trace of it.
        while !path.exists() && child.try_wait().unwrap().is_none() {
            std::thread::yield_now();
        }
        std::thread::sleep(random.up_to(Duration::from_millis(4)));
        child.kill().unwrap();
        child.wait().unwrap();

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
    let children: Vec<Child> = (0..4).map(|_| start_child("whole", &path)).collect();
    for child in children {
        let output = child.wait_with_output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stdout));
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

/// Seeded moments: the same ones in every test run.
struct Random(u64);

impl Random {
    fn up_to(&mut self, limit: Duration) -> Duration {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        limit.mul_f64((self.0 >> 11) as f64 / (1_u64 << 53) as f64)
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
