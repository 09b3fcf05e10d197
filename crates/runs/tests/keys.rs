//! The key of every kind of job. Results are stored under these keys: a change here orphans stored results.

use plysmith_engine::arena::game::GameJob;
use plysmith_runs::job::Job;

fn game() -> GameJob {
    GameJob {
        game: "breakthrough".to_string(),
        position: "pppppp/pppppp/6/6/PPPPPP/PPPPPP w".to_string(),
        white: "classic+RdTt@0.5".to_string(),
        black: "classic".to_string(),
        nodes: 50_000,
        time: None,
        run: None,
        seed: 17_293_822_569_102_704_640,
        adjudicate: true,
        random: "xoshiro".to_string(),
        revision: 3,
    }
}

#[test]
fn a_game_of_built_in_players() {
    assert_eq!(Job::key(&game()).as_str(), "TODO");
}

#[test]
fn a_timed_game_belongs_to_its_run() {
    let time = Some("1+0.01 margin 50ms".to_string());
    let timed = GameJob { nodes: 0, time, run: Some("run 7".to_string()), ..game() };
    assert_eq!(Job::key(&timed).as_str(), "TODO");
    let foreign = GameJob { black: "uci:gnuchess --uci".to_string(), run: Some("run 7".to_string()), ..game() };
    assert_eq!(Job::key(&foreign).as_str(), "TODO");
}
