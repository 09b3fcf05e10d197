//! The key of every kind of job, pinned. Stored results are found under these keys: a test that fails here means that
//! old stores would be computed anew.

use plysmith_engine::arena::game::GameJob;
use plysmith_engine::driver::{ForeignJob, MeasurementJob};
use plysmith_runs::job::Job;
use plysmith_runs::suite_runner::AttemptJob;

fn measurement() -> MeasurementJob {
    MeasurementJob {
        game: "breakthrough".to_string(),
        suite: "00ff".to_string(),
        scheme: "Ud-RdTt@0.5".to_string(),
        settings: "classic".to_string(),
        nodes: 500_000,
        seed: 1,
        random: "xoshiro256++".to_string(),
        revision: 2,
        engine: None,
    }
}

/// As version 0.1 named and stored this job, before there were external engines.
const MEASUREMENT: &str = "790f5530e6bc8d4dd592448f21fa643f";

fn key(job: &impl Job) -> String {
    job.key().as_str().to_string()
}

#[test]
fn measurement_of_a_built_in_engine() {
    assert_eq!(key(&measurement()), MEASUREMENT);
}

#[test]
fn measurement_to_the_solution() {
    let settings = |policy: &str| MeasurementJob { settings: format!("modern to solution, {policy}"), ..measurement() };
    let keys = ["first", "iteration", "stable"].map(|policy| key(&settings(policy)));
    assert_eq!(keys, ["FIRST", "ITERATION", "STABLE"]);
}

#[test]
fn measurement_of_an_external_engine() {
    let job = MeasurementJob {
        game: "chess".to_string(),
        scheme: "1 0.5".to_string(),
        settings: String::new(),
        engine: Some(ForeignJob {
            command: "glaurung".to_string(),
            name: "Glaurung 2.2".to_string(),
            content: "01ab".to_string(),
        }),
        ..measurement()
    };
    assert_eq!(key(&job), "EXTERNAL");
}

#[test]
fn attempt() {
    assert_eq!(key(&AttemptJob { measurement: measurement(), problem: 17 }), "ATTEMPT");
}

/// A game as plysmith 0.1.0 played it.
fn game() -> GameJob {
    GameJob {
        game: "breakthrough".to_string(),
        position: "ppppp/p1pp1/2pp1/3P1/PPPPP/PPP1P w".to_string(),
        white: "classic+RdTt@0.5".to_string(),
        black: "classic".to_string(),
        nodes: 200,
        time: None,
        run: None,
        seed: 2_525_895_056_388_782_889,
        adjudicate: true,
        random: "xoshiro256++".to_string(),
        revision: 3,
    }
}

#[test]
fn game_of_built_in_players() {
    assert_eq!(key(&game()), "77968852be25df80f0ae46adeb203ea1");
}

/// The key of a game that cannot be repeated names its run.
#[test]
fn game_with_a_clock() {
    let time = Some("1+0.01 margin 50ms".to_string());
    let timed = GameJob { nodes: 0, time, run: Some("run 2".to_string()), adjudicate: false, ..game() };
    assert_eq!(key(&timed), "f94dc1b38aeb08c67e0c6f4c2d4ffcf4");
}

#[test]
fn game_of_an_external_engine() {
    let external = GameJob {
        game: "chess".to_string(),
        position: "r1bqkb1r/pppppppp/n4n2/8/5P2/2P5/PP1PP1PP/RNBQKBNR w KQkq - 1 3".to_string(),
        white: "modern".to_string(),
        black: "uci:/tmp/old-plysmith engine chess".to_string(),
        nodes: 10,
        run: Some("run 3".to_string()),
        adjudicate: false,
        ..game()
    };
    assert_eq!(key(&external), "2205bf6d9bd9d611a88bf1ee5d3db7c3");
}
