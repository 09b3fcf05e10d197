//! Kill -9 at any moment, Ctrl-C, and going on: the result is the one of an undisturbed run, and nothing is lost.

use std::sync::LazyLock;

use plysmith_core::random::Random;
use serde_json::Value;

use crate::halts::Table;
use crate::support::{Home, PLYSMITH, Running, SMALL_DISCOVERY, wait_until_at_work};

/// Work with many events.
const LONG_DISCOVERY: &[&str] = &["discover", "breakthrough", "--suite", "long.suite", "--nodes", "10000"];
const LONG_TABLE: &[&str] = &["reproduce", "table2", "--suite", "long.suite", "--nodes", "3000"];

/// A home with a suite of forty problems.
fn long_home() -> Home {
    let home = Home::new();
    let made = "suite generate breakthrough --count 40 --plies 5 --seed 5 --size 6x6 --output long.suite";
    home.run(&made.split(' ').collect::<Vec<_>>()).ok();
    home
}

/// The long discovery left in peace; done once for all tests.
fn undisturbed_discovery() -> &'static Value {
    static EXPORT: LazyLock<Value> = LazyLock::new(|| undisturbed(LONG_DISCOVERY));
    &EXPORT
}

/// Some work left in peace.
fn undisturbed(work: &[&str]) -> Value {
    let home = long_home();
    home.run(work).ok();
    home.exported(1)
}

/// The stored events, of which there must be at least as many as before, and all as they should be.
fn check_prefix(home: &Home, expected: &Value, before: usize) -> usize {
    let export = home.exported(1);
    let (found, all) = (export["events"].as_array().unwrap(), expected["events"].as_array().unwrap());
    assert!(found.len() >= before, "{} events, but {before} were stored before", found.len());
    assert!(all.starts_with(found), "what is stored is no prefix of the undisturbed run's {} events", all.len());
    assert_eq!(export["config"], expected["config"]);
    found.len()
}

/// Does some work that is killed this many times, at events and results that the seed chooses, and resumed in between.
///
/// After each kill what is stored must be the beginning of `expected`; the last part is left in peace.
pub fn work_with_kills(home: &Home, work: &[&str], expected: &Value, kills: usize, seed: u64) {
    let mut random = Random::for_purpose(seed, "kills");
    let total = expected["events"].as_array().unwrap().len();
    let mut events = 0;
    for kill in 0..kills {
        let threads = ["1", "2"][random.below(2)];
        let arguments = if kill == 0 { work } else { &["resume", "1"] };
        let arguments = [arguments, &["--threads", threads]].concat();
        // The first is at an event, so that there is a run to resume. Results are chosen only in the first half, because
        // later work may find all results that it needs. No kill is in the last fifth.
        if kill % 2 == 0 || kill > kills / 2 {
            let (least, most) = (total * 4 / 5 * kill / kills, total * 4 / 5 * (kill + 1) / kills);
            let event = (least + random.below((most - least).max(1))).max(events).max(1);
            home.kill_at(&arguments, Table::Events, event);
            assert_eq!(check_prefix(home, expected, events), event);
            events = event;
        } else {
            home.kill_at(&arguments, Table::Results, home.rows(Table::Results) + random.below(3));
            events = check_prefix(home, expected, events);
        }
        assert_eq!(home.status(1), "interrupted");
    }
    home.run(&["resume", "1"]).ok();
    assert_eq!(home.status(1), "finished");
}

#[test]
fn a_discovery_survives_ten_kills() {
    let expected = undisturbed_discovery();
    let home = long_home();
    work_with_kills(&home, LONG_DISCOVERY, expected, 10, 2005);
    assert_eq!(home.exported(1), *expected);
    assert_eq!(
        home.run(&["runs", "--json"]).ok().json().as_array().unwrap().len(),
        1,
        "one run, however often resumed"
    );
}

#[test]
fn a_reproduction_survives_kills() {
    let expected = undisturbed(LONG_TABLE);
    let home = long_home();
    work_with_kills(&home, LONG_TABLE, &expected, 4, 7);
    assert_eq!(home.exported(1), expected);
    assert_eq!(expected["result"]["rows"].as_array().unwrap().len(), 5, "five ways of pruning");
}

#[test]
fn a_polite_signal_stops_cleanly_and_says_how_to_go_on() {
    let expected = undisturbed_discovery();
    for signal in ["INT", "TERM", "HUP"] {
        let home = long_home();
        home.slow_down_from(Table::Events, 3);
        let mut running = home.start(LONG_DISCOVERY);
        home.wait_for_rows(&mut running, Table::Events, 3);
        running.signal(&[signal]);
        let stopped = running.end();
        home.release();
        stopped.fails(130, &["interrupted", "results so far are stored", "`plysmith resume 1`"]);
        assert_eq!(home.status(1), "interrupted");
        check_prefix(&home, expected, 3);

        let overview = home.run(&[]).ok().stdout;
        assert!(overview.contains("1 run is interrupted: continue it with `plysmith resume`"), "{overview}");
        let shown = home.run(&["show", "1"]).ok().stdout;
        assert!(shown.contains("measurements so far") && shown.contains("`plysmith resume 1`"), "{shown}");
        let resumed = home.run(&["resume", "--json"]).ok();
        assert_eq!(resumed.json(), expected["result"]);
        assert_eq!(home.exported(1), *expected);
    }
}

/// `nohup` ignores SIGHUP, and a shell that is not interactive ignores SIGINT for what it starts with `&`.
#[cfg(target_os = "linux")]
#[test]
fn a_signal_that_is_ignored_at_the_start_stays_ignored() {
    let expected = undisturbed_discovery();
    let home = long_home();
    home.slow_down_from(Table::Events, 3);
    let words = [&["-c", r#"trap '' HUP INT; exec "$0" "$@""#, PLYSMITH], LONG_DISCOVERY].concat();
    let mut running = Running::spawn(home.command("sh", &words));
    home.wait_for_rows(&mut running, Table::Events, 3);
    // Twice and more than half a second apart, they would end the program at once.
    running.signal(&["HUP", "INT"]);
    home.wait_for_rows(&mut running, Table::Events, 5);
    running.signal(&["HUP", "INT"]);
    home.wait_for_rows(&mut running, Table::Events, 6);
    // The others are not ignored.
    running.signal(&["TERM"]);
    running.end().fails(130, &["`plysmith resume 1`"]);
    home.release();
    assert_eq!(home.run(&["resume", "--json"]).ok().json(), expected["result"]);
}

/// `timeout plysmith …` sends its signal twice within a millisecond: to its child, and to the whole group.
#[test]
fn two_signals_at_once_are_one_wish_to_stop() {
    let home = long_home();
    home.slow_down_from(Table::Events, 1);
    let mut running = home.start(LONG_DISCOVERY);
    home.wait_for_rows(&mut running, Table::Events, 1);
    // Both are there when it goes on, however long the machine takes to send them.
    running.signal(&["STOP", "INT", "TERM", "CONT"]);
    running.end().fails(130, &["`plysmith resume 1`"]);
}

#[test]
fn a_run_that_is_worked_on_cannot_be_resumed() {
    let expected = undisturbed_discovery();
    let home = long_home();
    home.halt_at(Table::Events, 1);
    let mut running = home.start(&[LONG_DISCOVERY, &["--threads", "1"]].concat());
    home.wait_for_rows(&mut running, Table::Events, 1);
    let holder = format!("process {}", running.id());
    let refused = home.run(&["resume", "1"]);
    let nothing = home.run(&["resume"]);
    let status = home.status(1);
    refused.fails(1, &["run 1 is being worked on by", &holder, "`plysmith resume 1`"]);
    nothing.fails(2, &["there is no interrupted run", "`plysmith runs`"]);
    assert_eq!(status, "running");
    assert_eq!(running.kill().code, None);
    home.release();
    home.run(&["resume"]).ok();
    assert_eq!(home.exported(1), *expected, "being refused changed nothing");
}

#[test]
fn what_cannot_be_resumed_is_said() {
    let home = Home::new();
    home.run(&["resume"]).fails(2, &["there is no interrupted run", "`plysmith runs`"]);
    home.run(&["resume", "7"]).fails(2, &["there is no run 7", "`plysmith runs`"]);
    for text in ["abc", "0", "-1", "1.5", "99999999999999999999"] {
        home.run(&["resume", "--", text]).fails(2, &[&format!("there is no run '{text}'"), "`plysmith runs`"]);
    }
    home.run(SMALL_DISCOVERY).ok();
    let before = home.exported(1);
    home.run(&["resume", "1"]).fails(2, &["run 1 is finished", "start a new run"]);
    home.run(&["resume"]).fails(2, &["there is no interrupted run"]);
    assert_eq!(home.exported(1), before);
}

#[test]
fn a_measurement_can_be_resumed_too() {
    let work = &["measure", "breakthrough", "Neutral", "RdTt", "Ud-RdTt", "--problems", "40", "--nodes", "15000"];
    let whole = Home::new();
    whole.run(work).ok();
    let home = Home::new();
    home.kill_at(work, Table::Events, 1);
    assert_eq!(home.status(1), "interrupted");
    home.run(&["resume"]).ok();
    assert_eq!(home.exported(1), whole.exported(1));
}

/// Each game is searched for as long as the user asked; to stop is possible all the same.
#[test]
fn making_a_suite_can_be_interrupted_inside_a_game() {
    let home = Home::new();
    let running = home.start(&["suite", "generate", "breakthrough", "--nodes", "18446744073709551615"]);
    wait_until_at_work(running.id());
    running.signal(&["INT"]);
    running.end().fails(130, &["interrupted"]);
}
