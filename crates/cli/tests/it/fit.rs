//! Fits: weights depend on the command only, whatever happens to the run that finds them, and matches can use them.

use std::fs;
use std::path::PathBuf;

use serde_json::Value;

use crate::halts::Table;
use crate::support::Home;

/// Two rounds on a small board, from the weakest heuristic: weights are easily better.
const BREAKTHROUGH: &str = "fit breakthrough --size 5x5 --from material --rounds 2 --games 400,200 --nodes 100 \
                            --min-count 10 --epochs 6 --gate-games 40 --gate-nodes 50 --seed 2 --output new.weights";
/// A round of chess.
const CHESS: &str =
    "fit chess --rounds 1 --games 40 --nodes 60 --epochs 10 --gate-games 4 --gate-nodes 40 --output new.weights";

fn words(command: &str) -> Vec<&str> {
    command.split_whitespace().collect()
}

/// The weights that a home has.
fn weights(home: &Home) -> Option<Vec<u8>> {
    fs::read(home.path().join("new.weights")).ok()
}

/// What a run has found. Its configuration names a file in its home.
fn outcome(home: &Home) -> [Value; 2] {
    let export = home.exported(1);
    [export["events"].clone(), export["result"].clone()]
}

/// The table of rounds.
fn table(printed: &str) -> &str {
    printed.split("\n\n").next().unwrap()
}

/// Makes a home, runs a command in it to its end, and returns its standard output.
fn fitted(command: &str, threads: &str) -> (Home, String) {
    let home = Home::new();
    let ran = home.run(&[&words(command)[..], &["--threads", threads]].concat()).ok();
    (home, ran.stdout)
}

#[test]
fn weights_are_the_same_on_any_number_of_threads_and_after_kills() {
    for command in [BREAKTHROUGH, CHESS] {
        let (first, printed) = fitted(command, "1");
        let (second, printed_again) = fitted(command, "2");
        assert_eq!(table(&printed), table(&printed_again));
        assert_eq!(outcome(&first), outcome(&second));
        assert_eq!(weights(&first), weights(&second));

        // Killed in the self-play of the first round, in its match, and right before the end.
        let events = first.rows(Table::Events);
        let home = Home::new();
        home.kill_at(&words(command), Table::Results, 1);
        assert_eq!(home.status(1), "interrupted");
        assert_eq!(weights(&home), None);
        for event in [3, events - 1] {
            home.kill_at(&["resume", "1", "--threads", "2"], Table::Events, event);
            assert!(home.run(&["show", "1"]).ok().stdout.contains("rounds so far"));
        }
        home.run(&["resume", "1"]).ok();
        assert_eq!(outcome(&home), outcome(&first));
        assert_eq!(weights(&home), weights(&first));
    }
}

/// The command again, with another file: everything is in the store.
#[test]
fn weights_are_written_without_playing_again() {
    let (home, _) = fitted(BREAKTHROUGH, "2");
    let results = home.rows(Table::Results);
    let again = BREAKTHROUGH.replace("new.weights", "again.weights");
    home.run(&words(&again)).ok();
    assert_eq!(home.rows(Table::Results), results);
    assert_eq!(weights(&home), fs::read(home.path().join("again.weights")).ok());
}

#[test]
fn matches_and_further_fits_use_the_weights() {
    let (home, printed) = fitted(BREAKTHROUGH, "2");
    assert!(printed.contains("heuristic=") && printed.contains("held out"), "{printed}");
    let file = weights(&home).expect("weights of two rounds play better than a count of men");
    let head = String::from_utf8_lossy(&file[..400]).into_owned();
    assert!(head.contains("form patterns 5x5\n") && head.contains("made by plysmith fit breakthrough --size 5x5"));
    let play = "match --size 5x5 --a modern,heuristic=new.weights --b modern --nodes 50 --games 4";
    let printed = home.run(&words(play)).ok().stdout;
    assert!(printed.contains("heuristic=new.weights#"), "{printed}");
    let further = BREAKTHROUGH.replace("--rounds 2", "--rounds 1").replace("--from material", "--from new.weights");
    let further = further.replace("--output new.weights", "--output further.weights");
    home.run(&words(&further)).ok();
    let rows = home.run(&["export", "1", "--format", "csv"]).ok().stdout;
    assert_eq!(rows.lines().count(), 3, "{rows}");
    assert!(rows.starts_with("run,round,games,nodes,positions"), "{rows}");
    assert!(home.run(&["export", "1", "--format", "pgn"]).ok().stdout.contains("[Result "));
}

#[test]
fn wrong_input_is_named() {
    let home = Home::new();
    home.file("text.weights", "not weights");
    let long: PathBuf = home.file("there.weights", "x");
    let cases = [
        ("fit go", 2, "there is no game 'go'"),
        ("fit breakthrough --from text.weights", 2, "text.weights': this is not a weight file"),
        ("fit breakthrough --from none.weights", 2, "'none.weights' is not a heuristic"),
        ("fit breakthrough --player fast", 2, "--player: 'fast' is not a preset"),
        ("fit breakthrough --size 9x9", 2, "no board of 9x9"),
        ("fit breakthrough --pull 1", 2, "--pull has no meaning for breakthrough"),
        ("fit chess --min-count 3", 2, "--min-count has no meaning for chess"),
        ("fit breakthrough --blend 1.5", 2, "1.5 is not a possible share"),
        ("fit breakthrough --rate -1", 2, "-1 is not a possible learning rate"),
        ("fit breakthrough --games 0", 2, "0 is not a possible number of games"),
        ("fit breakthrough --gate-games 3", 2, "try 4"),
        ("fit breakthrough --output there.weights", 2, "there.weights exists"),
    ];
    for (command, code, part) in cases {
        home.run(&words(command)).fails(code, &[part]);
    }
    assert_eq!(fs::read(long).unwrap(), b"x");
    assert!(!home.database().exists() || home.run(&["runs"]).ok().stdout.lines().count() <= 1, "no run is stored");
}
