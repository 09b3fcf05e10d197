//! A store that plysmith 0.1.0 left (schema 1, thirteen runs of all kinds): every run shows and exports what 0.1.0 showed
//! and exported, and the three interrupted ones resume to the results that 0.1.0 came to.

use std::fs;
use std::path::{Path, PathBuf};

use crate::support::Home;

const RUNS: u32 = 13;
const INTERRUPTED: [u32; 3] = [11, 12, 13];

fn golden(name: &str) -> Option<String> {
    fs::read_to_string(fixtures().join(name)).ok()
}

fn fixtures() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/store-v1")
}

fn home() -> Home {
    let home = Home::new();
    fs::copy(fixtures().join("../../../../store/tests/fixtures/version-1.db"), home.database()).unwrap();
    home
}

fn printed(home: &Home, command: &str) -> String {
    home.run(&command.split(' ').collect::<Vec<_>>()).ok().stdout
}

/// Every word with a digit in it: what a text says, whatever its wording.
fn figures(text: &str) -> Vec<&str> {
    text.split_whitespace().filter(|word| word.chars().any(|letter| letter.is_ascii_digit())).collect()
}

#[test]
fn every_run_of_an_old_store_exports_as_it_did() {
    let home = home();
    for run in 1..=RUNS {
        assert_eq!(Some(printed(&home, &format!("export {run}"))), golden(&format!("show-{run}.json")));
        assert_eq!(Some(printed(&home, &format!("show {run} --json"))), golden(&format!("show-{run}.json")));
        assert_eq!(Some(printed(&home, &format!("export {run} --format csv"))), golden(&format!("export-{run}.csv")));
        if let Some(games) = golden(&format!("export-{run}.pgn")) {
            assert_eq!(printed(&home, &format!("export {run} --format pgn")), games);
        }
    }
}

#[test]
fn every_run_of_an_old_store_shows_the_same_figures() {
    let home = home();
    for run in 1..=RUNS {
        let expected = golden(&format!("show-{run}.txt")).unwrap();
        assert_eq!(figures(&printed(&home, &format!("show {run}"))), figures(&expected), "run {run}");
    }
}

#[test]
fn interrupted_runs_of_an_old_store_resume_to_the_same_results() {
    let home = home();
    for run in INTERRUPTED {
        home.run(&["resume", &run.to_string()]).ok();
        let expected = golden(&format!("resumed-{run}.txt")).unwrap();
        assert_eq!(figures(&printed(&home, &format!("show {run}"))), figures(&expected), "run {run}");
    }
    assert_eq!(Some(printed(&home, "export 13 --format pgn")), golden("resumed-13.pgn"));
}
