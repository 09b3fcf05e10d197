//! A store whose bytes have changed on the disk: what a user sees of it is what was stored, or an error.
//!
//! The tests of the store read records. These print runs as `show`, `export` and `resume` do.

use std::collections::BTreeMap;
use std::fs;
use std::num::NonZeroUsize;
use std::path::Path;
use std::sync::Arc;

use plysmith_core::games;
use plysmith_runs::kinds::match_::Match;
use plysmith_runs::kinds::measure::{Config, Measure};
use plysmith_runs::{Experiment, RunKind, Services, export, pgn, resume, runs, view};
use plysmith_store::{NewRun, Run, RunId, Store};
use rusqlite::Connection;
use serde_json::{Value, json};

const PAGE: usize = 1024;

/// What each command prints: its output, or nothing if it fails.
type Printed = BTreeMap<String, Option<String>>;

fn services(store: Store) -> Services {
    Services { threads: NonZeroUsize::MIN, ..Services::new(Arc::new(store)) }
}

fn id(number: u32) -> RunId {
    number.to_string().parse().unwrap()
}

/// A finished measurement, a finished match, and the measurement again, interrupted in the middle.
fn make_store(path: &Path) {
    let services = services(Store::open(path).unwrap());
    let game = games::find("breakthrough").unwrap();
    let mut experiment = Experiment { nodes: 60, ..Experiment::bundled(game).unwrap() };
    experiment.suite.problems.truncate(2);
    let opened = experiment.open(&services.cancel).unwrap();
    let config = Config::new(experiment, &["Neutral".to_string(), "Ud@0.5".to_string()], &opened).unwrap();
    runs::run::<Measure>(&config, words("measure"), &services).unwrap();
    let games = json!({
        "a": "classic", "b": "classic+Ud@0.5", "test": null,
        "play": { "game": "breakthrough", "nodes": 20, "games": 2, "seed": 1, "adjudicate": false,
                  "openings": { "start": "ppppp/5/5/5/PPPPP w", "plies": 0, "seed": 1 } },
    });
    let games: <Match as RunKind>::Config = serde_json::from_value(games).unwrap();
    runs::run::<Match>(&games, words("match"), &services).unwrap();

    let first = services.store.run(id(1)).unwrap();
    let version = format!("{}+{}", first.version, first.revisions.unwrap());
    let (kind, game, config, command) = (first.kind, first.game, first.config, first.command);
    let again = NewRun { kind, game, config, seed: first.seed, version, command, parent: None };
    let interrupted = services.store.create_run(&again).unwrap().run();
    let event = &services.store.events(id(1)).unwrap()[0];
    services.store.append_event(interrupted, 0, &event.kind, &event.payload).unwrap();
    drop(services);
    let connection = Connection::open(path).unwrap();
    let small = format!("PRAGMA journal_mode = DELETE; PRAGMA page_size = {PAGE}; VACUUM; PRAGMA journal_mode = WAL");
    connection.execute_batch(&small).unwrap();
}

fn words(command: &str) -> Vec<String> {
    vec!["plysmith".to_string(), command.to_string()]
}

/// Shows and exports every run, resumes the interrupted one, and shows and exports it again.
fn print(path: &Path) -> Printed {
    let mut printed = Printed::new();
    let Ok(store) = Store::open(path) else { return printed };
    let services = services(store);
    let store = &services.store;
    let list =
        store.runs().map(|runs| format!("{:?}", runs.iter().map(|run| (run.id, run.status)).collect::<Vec<_>>()));
    printed.insert("runs".to_string(), list.ok());
    let show_all = |when: &str, printed: &mut Printed| {
        for number in 1..=3 {
            let run = store.run(id(number));
            let mut add = |what: &str, text: Option<String>| printed.insert(format!("{when}: {what} {number}"), text);
            add("show", run.as_ref().ok().and_then(|run| Some(view(store, run).ok()?.to_string())));
            add(
                "export",
                run.as_ref().ok().and_then(|run| {
                    let mut value: Value = serde_json::to_value(export::json(store, run).ok()?).ok()?;
                    // The only thing that differs between two runs of this test.
                    let is_finished = !value["finished_at"].is_null();
                    value["finished_at"] = is_finished.into();
                    Some(value.to_string())
                }),
            );
            add(
                "csv",
                run.as_ref().ok().and_then(|run| {
                    let mut text = Vec::new();
                    export::csv(store, run, &mut text).ok()?;
                    String::from_utf8(text).ok()
                }),
            );
            add("pgn", run.as_ref().ok().and_then(|run| games(store, run)));
        }
    };
    show_all("before", &mut printed);
    printed.insert(
        "resume".to_string(),
        resume(id(3), &services).ok().map(|done| format!("{}\n{}", done.json, done.view)),
    );
    show_all("after", &mut printed);
    printed
}

/// Changes one byte after the other and looks what is printed each time. Returns how many changes made a command fail.
fn flip(changes: impl Iterator<Item = (usize, u8)>) -> (usize, usize) {
    let folder = tempfile::tempdir_in("/dev/shm").or_else(|_| tempfile::tempdir()).unwrap();
    let original = folder.path().join("original.db");
    make_store(&original);
    let bytes = fs::read(&original).unwrap();
    let sound = print(&original);
    let missing: Vec<_> = sound.iter().filter(|(_, text)| text.is_none()).map(|(what, _)| what.as_str()).collect();
    assert_eq!(missing, ["after: pgn 1", "after: pgn 3", "before: pgn 1", "before: pgn 3"], "these have no games");

    let (mut tried, mut noticed, mut silent) = (0, 0, Vec::new());
    for (offset, bits) in changes.take_while(|(offset, _)| *offset < bytes.len()) {
        let mut changed = bytes.clone();
        changed[offset] ^= bits;
        let home = folder.path().join(offset.to_string());
        fs::create_dir(&home).unwrap();
        fs::write(home.join("plysmith.db"), changed).unwrap();
        let printed = print(&home.join("plysmith.db"));
        fs::remove_dir_all(&home).unwrap();
        tried += 1;
        noticed += usize::from(
            printed.len() < sound.len() || printed.iter().any(|(what, text)| text.is_none() && sound[what].is_some()),
        );
        let place = format!("byte {offset} (page {}, {}) ^ {bits:#x}", offset / PAGE + 1, offset % PAGE);
        // A run that could not be resumed is still interrupted afterwards, as the error said.
        let is_resumed = printed.get("resume").is_some_and(Option::is_some);
        let is_compared = |what: &str| is_resumed || !(what.starts_with("after") && what.ends_with('3'));
        let wrong = printed.iter().filter(|(what, text)| text.is_some() && is_compared(what) && **text != sound[*what]);
        silent.extend(wrong.map(|(what, text)| format!("{place}: {what} printed {text:?}")));
    }
    assert!(silent.is_empty(), "{} of {tried} silent:\n{}", silent.len(), silent.join("\n"));
    (noticed, tried)
}

/// Bits of byte after byte, seeded: the same ones in every test run.
fn seeded(seed: u64, step: usize) -> impl Iterator<Item = (usize, u8)> {
    let mut random = seed;
    (0..).step_by(step).map(move |offset| {
        random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (offset + (random >> 40) as usize % step, 1 << ((random >> 33) % 8))
    })
}

#[test]
fn a_flipped_bit_never_changes_what_is_printed() {
    let (noticed, tried) = flip(seeded(24, 61));
    assert!(tried > 300 && noticed > tried / 5, "{noticed} of {tried}");
}

#[test]
#[ignore = "takes some minutes"]
fn no_flipped_byte_changes_what_is_printed() {
    let (noticed, tried) = flip(seeded(1, 1));
    eprintln!("{noticed} of {tried} noticed");
}

/// The games of a run as PGN.
fn games(store: &Store, run: &Run) -> Option<String> {
    let mut text = Vec::new();
    pgn::write(store, run, &pgn::PgnStyle::default(), &mut text).ok()?;
    String::from_utf8(text).ok()
}
