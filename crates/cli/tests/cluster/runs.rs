//! Runs on a cluster give what they give on this machine.

use serde_json::Value;

use crate::broker::Broker;
use crate::support::{Home, SMALL_DISCOVERY, SMALL_TUNING};

/// Every run here, with the arguments that name the cluster put behind it.
pub fn with<'a>(words: &[&'a str], more: &[&'a str]) -> Vec<&'a str> {
    [words, more].concat()
}

/// A match of short games.
pub const MATCH: &[&str] =
    &["match", "--a", "classic+RdTt@0.5", "--b", "classic", "--size", "6x8", "--nodes", "1000", "--games", "240"];
/// An evolution of small programs, without refinement.
pub const EVOLVE: &[&str] = &[
    "evolve",
    "--suite",
    "mates.epd",
    "--population",
    "60",
    "--generations",
    "8",
    "--budget",
    "2000",
    "--refine",
    "0",
];

/// Three mates in one and three in two.
pub const MATES: &str = "\
6k1/5ppp/8/8/8/8/5PPP/3R2K1 w - - 0 1 bm d1d8; id \"a\"; dm 1;
7k/6pp/8/8/8/8/8/K2R4 w - - 0 1 bm d1d8; id \"b\"; dm 1;
k7/8/1K6/8/8/8/8/7R w - - 0 1 bm h1h8; id \"c\"; dm 1;
r1bq2r1/b4pk1/p1pp1p2/1p2pP2/1P2P1PB/3P4/1PPQ2P1/R3K2R w KQ - 0 1 bm d2h6; id \"d\"; dm 2;
6k1/5ppp/8/8/8/8/r4PPP/1Q2R1K1 w - - 0 1 bm e1e8 b1b8; id \"e\"; dm 1;
kbK5/pp6/1P6/8/8/8/8/R7 w - - 0 1 bm a1a6; id \"f\"; dm 2;
";

/// The lines of the workers' logs.
pub fn log_lines(home: &Home, names: &[&str]) -> Vec<Value> {
    let read = |name: &&str| std::fs::read_to_string(home.path().join(name)).unwrap_or_default();
    let text: String = names.iter().map(read).collect();
    // A worker that is killed leaves no part of a line: each is written as a whole.
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

#[test]
fn every_kind_of_run_is_the_same_on_a_cluster() {
    let broker = Broker::start();
    let (here, there) = (Home::new(), Home::new());
    let _workers = [broker.worker(&there, "a.log"), broker.worker(&there, "b.log")];
    broker.wait_for_workers(&there, 2);
    let url = broker.url();
    for (run, words) in [SMALL_DISCOVERY, SMALL_TUNING, MATCH, EVOLVE].into_iter().enumerate() {
        for home in [&here, &there] {
            home.file("mates.epd", MATES);
        }
        let before = log_lines(&there, &["a.log", "b.log"]).len();
        here.run(words).ok();
        let ran = there.run(&with(words, &["--cluster", &url])).ok();
        assert!(!ran.stderr.contains("warning"), "{}", ran.stderr);
        assert_eq!(there.exported(run as u32 + 1), here.exported(run as u32 + 1), "{words:?}");
        let done = log_lines(&there, &["a.log", "b.log"]).len() - before;
        assert!(done > 10, "only {done} jobs of {words:?} were done by workers");
    }
    let status = broker.wait_for_workers(&there, 2);
    let delivered = |name: &str| status[name].as_array().unwrap().len();
    assert_eq!((delivered("workers"), delivered("runs")), (2, 4), "{status:#}");
    let text = there.run(&["cluster", "status", "--cluster", &url]).ok().stdout;
    assert!(text.contains("2 workers") && text.contains("Mnodes/s") && text.contains("evolve"), "{text}");
}

#[test]
fn a_worker_that_lies_is_refused_and_named() {
    let broker = Broker::start();
    let (here, there) = (Home::new(), Home::new());
    let liar = broker.worker_at(&there, &broker.url(), "liar.log", "lies");
    let _honest = [broker.worker(&there, "a.log"), broker.worker(&there, "b.log")];
    broker.wait_for_workers(&there, 3);
    let ran = there.run(&with(SMALL_DISCOVERY, &["--cluster", &broker.url()])).ok();
    let ended = liar.end().fails(1, &["this worker was refused", "is wrong: this machine measured it again"]);
    let name = log_lines(&there, &["liar.log"])[0]["worker"].as_str().unwrap().to_string();
    assert!(ran.stderr.contains(&format!("the worker '{name}' is refused")), "{} {}", ran.stderr, ended.stderr);
    here.run(SMALL_DISCOVERY).ok();
    assert_eq!(there.exported(1), here.exported(1));
}

#[test]
fn a_worker_with_other_searches_is_refused_before_it_works() {
    let broker = Broker::start();
    let home = Home::new();
    let other = broker.worker_at(&home, &broker.url(), "other.log", "other");
    let _honest = broker.worker(&home, "a.log");
    broker.wait_for_workers(&home, 2);
    let ran = home.run(&with(SMALL_DISCOVERY, &["--cluster", &broker.url()])).ok();
    assert!(ran.stderr.contains("its searches differ"), "{}", ran.stderr);
    other.end().fails(1, &["refused", "bench signature"]);
    assert_eq!(log_lines(&home, &["other.log"]), Vec::<Value>::new());
}

#[test]
fn a_worker_that_is_asked_to_leave_finishes_first() {
    let broker = Broker::start();
    let home = Home::new();
    let (first, second, third) =
        (broker.worker(&home, "a.log"), broker.worker(&home, "b.log"), broker.worker(&home, "c.log"));
    broker.wait_for_workers(&home, 3);
    first.signal(&["TERM"]);
    assert!(first.end().ok().stdout.contains("did 0 jobs"));
    let status = broker.wait_for_workers(&home, 2);
    let name = status["workers"].as_array().unwrap().iter().find(|worker| worker["is_there"] == true);
    let name = name.unwrap()["worker"].as_str().unwrap().to_string();
    let url = broker.url();
    let drain = ["worker", "--cluster", &url, "--drain"];
    home.run(&with(&drain, &["nobody"])).fails(2, &["'nobody' is not at", &name]);
    home.run(&with(&drain, &[&name])).ok();
    let asked = home.run(&with(&drain, &["--json"])).ok().json();
    assert!(!asked.as_array().unwrap().is_empty(), "{asked}");
    second.end().ok();
    third.end().ok();
}

#[test]
fn a_second_signal_ends_a_worker_at_once_and_its_job_goes_to_another() {
    let broker = Broker::start();
    let home = Home::new();
    // Its first job will not be done before the test is over.
    let slow = broker.worker_at(&home, &broker.url(), "slow.log", "slow=1000000");
    broker.wait_for_workers(&home, 1);
    let run = home.start(&with(SMALL_DISCOVERY, &["--cluster", &broker.url()]));
    let first = |status: &Value| status["workers"][0].clone();
    broker.wait_for(&home, "a job in hand", |status| first(status)["in_hand"] != serde_json::json!([]));
    slow.signal(&["TERM"]);
    broker.wait_for(&home, "a worker that leaves", |status| first(status)["state"] == "draining");
    // Signals that come closer together count as one.
    std::thread::sleep(std::time::Duration::from_secs(1));
    slow.signal(&["TERM"]);
    assert_eq!(slow.end().code, Some(130));
    let _honest = broker.worker(&home, "a.log");
    run.end().ok();
    let here = Home::new();
    here.run(SMALL_DISCOVERY).ok();
    assert_eq!(home.exported(1), here.exported(1));
}

#[test]
fn a_run_without_workers_waits_and_can_be_interrupted_and_resumed_here() {
    let broker = Broker::start();
    let home = Home::new();
    let run = home.start(&with(SMALL_DISCOVERY, &["--cluster", &broker.url()]));
    broker.wait_for(&home, "a run", |status| status["waiting"].as_u64().unwrap() > 0);
    run.signal(&["TERM"]);
    let ran = run.end().fails(130, &["plysmith resume 1"]);
    drop(ran);
    let status = broker.wait_for(&home, "an empty queue", |status| status["waiting"] == 0);
    assert_eq!(status["runs"][0]["is_over"], true, "{status:#}");
    home.run(&["resume", "1"]).ok();
    let here = Home::new();
    here.run(SMALL_DISCOVERY).ok();
    assert_eq!(home.exported(1), here.exported(1));
}
