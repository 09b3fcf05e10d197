//! A store that plysmith 0.1.0 left (schema 1, thirteen runs of all kinds): every run shows and exports what 0.1.0 showed
//! and exported. The search has changed since, so the three interrupted ones must be finished by that version.

use std::fs;
use std::path::{Path, PathBuf};

use plysmith_core::search;
use plysmith_store::{NewRun, Store};

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

/// Every word with a digit in it, without punctuation at its end: what a text says, whatever its wording.
fn figures(text: &str) -> Vec<&str> {
    let words = text.split_whitespace().map(|word| word.trim_end_matches(['.', ',', ';', ':']));
    words.filter(|word| word.chars().any(|letter| letter.is_ascii_digit())).collect()
}

/// Every column that 0.1.0 wrote is there with the same values, except for lists, which have a column for each number now.
fn assert_has_columns(rows: &str, old: &str, run: u32) {
    let table = |text: &str| {
        let mut reader = csv::Reader::from_reader(text.as_bytes());
        let names: Vec<String> = reader.headers().unwrap().iter().map(str::to_string).collect();
        let rows: Vec<csv::StringRecord> = reader.records().map(Result::unwrap).collect();
        (names, rows)
    };
    let ((names, rows), (old_names, old_rows)) = (table(rows), table(old));
    assert_eq!(rows.len(), old_rows.len(), "run {run}");
    let renamed = |name: &str| match name {
        "contest" => "pairing".to_string(),
        "number" if old_names.contains(&"stage".to_string()) => "generation".to_string(),
        name => name.to_string(),
    };
    for (column, name) in old_names.iter().enumerate() {
        if ["frequencies", "weights"].contains(&name.as_str()) {
            continue;
        }
        let place =
            names.iter().position(|known| *known == renamed(name)).unwrap_or_else(|| panic!("{name}: {names:?}"));
        for (row, old) in rows.iter().zip(&old_rows) {
            assert_eq!(row[place], old[column], "{name} of run {run}");
        }
    }
}

/// The words of games without their comments, whose form is another one since.
fn without_comments(games: &str) -> Vec<&str> {
    let parts = games.split('{').map(|part| part.split_once('}').map_or(part, |(_, after)| after));
    parts.flat_map(str::split_whitespace).collect()
}

#[test]
fn every_run_of_an_old_store_exports_as_it_did() {
    let home = home();
    for run in 1..=RUNS {
        assert_eq!(Some(printed(&home, &format!("export {run}"))), golden(&format!("show-{run}.json")));
        assert_eq!(Some(printed(&home, &format!("show {run} --json"))), golden(&format!("show-{run}.json")));
        let rows = printed(&home, &format!("export {run} --format csv"));
        assert_has_columns(&rows, &golden(&format!("export-{run}.csv")).unwrap(), run);
        if let Some(games) = golden(&format!("export-{run}.pgn")) {
            let exported = printed(&home, &format!("export {run} --format pgn"));
            assert_eq!(without_comments(&exported), without_comments(&games));
        }
    }
}

#[test]
fn every_run_of_an_old_store_shows_the_same_figures() {
    let home = home();
    for run in 1..=RUNS {
        let expected = golden(&format!("show-{run}.txt")).unwrap();
        let shown = printed(&home, &format!("show {run}"));
        // 0.1.0 did not say when a run was begun.
        let (header, rest) = shown.split_once("\nbegun ").unwrap();
        let shown = format!("{header}\n{}", rest.split_once('\n').unwrap().1);
        // How to go on, with a command in backquotes, is another matter.
        let mut expected = figures(&expected);
        expected.retain(|word| !word.contains('`'));
        let mut shown = figures(shown.split("\nNote: ").next().unwrap());
        // A match in progress only had the number of its games.
        if INTERRUPTED.contains(&run) {
            shown.truncate(expected.len());
        }
        assert_eq!(shown, expected, "run {run}");
    }
}

/// The search has changed since, so another version must finish them; which one is said.
#[test]
fn interrupted_runs_of_an_old_store_name_the_version_that_can_finish_them() {
    let home = home();
    let before: Vec<String> = INTERRUPTED.iter().map(|run| printed(&home, &format!("export {run}"))).collect();
    for run in INTERRUPTED {
        let saying = [
            &format!("run {run} was started by plysmith 0.1.0 ("),
            "search revision 3) and cannot be continued",
            "finish it with plysmith 0.1.0 (git checkout c4ed5f9",
            "or start it anew: plysmith ",
        ];
        home.run(&["resume", &run.to_string()]).fails(2, &saying);
        assert!(printed(&home, &format!("show {run}")).contains("finish it with plysmith 0.1.0"));
        assert_eq!(home.status(run), "interrupted");
    }
    home.run(&["resume"]).fails(2, &["run 13 was started by plysmith 0.1.0"]);
    for (run, before) in INTERRUPTED.iter().zip(before) {
        assert_eq!(printed(&home, &format!("export {run}")), before, "nothing was changed");
    }
}

/// Of several interrupted runs, the newest that can be continued is.
#[test]
fn resume_without_a_number_takes_what_it_can_continue() {
    let home = home();
    let new = ["measure", "breakthrough", "Neutral", "Ud", "--suite", "small.suite", "--nodes", "300"];
    home.run(&new).ok();
    let mut export = home.run(&["export", "14"]).ok().json();
    // The same run again, begun by an older and by this version, in this order.
    let store = Store::open(&home.database()).unwrap();
    for version in [format!("{}+search.{}", export["version"].as_str().unwrap(), search::REVISION), "0.1.0".into()] {
        let run = NewRun {
            kind: "measure".into(),
            game: "breakthrough".into(),
            config: export["config"].take(),
            seed: 1,
            version,
            command: new.map(String::from).to_vec(),
            parent: None,
        };
        export["config"] = run.config.clone();
        drop(store.create_run(&run).unwrap());
    }
    drop(store);
    home.run(&["resume"]).ok();
    assert_eq!((home.status(15), home.status(16)), ("finished".to_string(), "interrupted".to_string()));
    assert_eq!(home.exported(15)["result"], home.exported(14)["result"]);
}
