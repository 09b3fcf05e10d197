//! Evolution and the mate table as a library: stored forms, determinism, cancelling.

use std::num::NonZeroUsize;
use std::sync::Arc;

use plysmith_runs::kinds::evolve::{self, Evolve};
use plysmith_runs::kinds::mate_table::{self, MateTable};
use plysmith_runs::mates::{bundled_program, read_program};
use plysmith_runs::{CancelToken, RunError, RunKind, Services, runs};
use plysmith_store::{Home, NewRun, Store};
use serde_json::{Value, json};
use tempfile::TempDir;

/// A suite as a run stores it: a mate in one and a mate in two.
const SUITE: &str = "\
6k1/5ppp/8/8/8/8/5PPP/3R2K1 w - - 0 1 bm d1d8; id \"a\"; solve proven; distance 1;
kbK5/pp6/1P6/8/8/8/8/R7 w - - 0 1 bm a1a6; id \"f\"; solve proven; distance 3;
";

/// As version 0.1 stored it.
fn evolution() -> Value {
    json!({
        "budget": 2000,
        "dialect": "recursive",
        "fitness": "plain",
        "force": false,
        "founder_files": ["mine.gp"],
        "founders": ["(MakeBestMove Again)"],
        "generations": 3,
        "islands": 2,
        "lengths": "1-2",
        "migration": 1,
        "output": "best.gp",
        "population": 6,
        "sample": 1,
        "seed": 5,
        "size": 150,
        "suite": SUITE,
        "suite_name": "mates.epd",
        "tournament": 4,
    })
}

fn evolution_config() -> evolve::Config {
    evolve::Config { output: None, ..serde_json::from_value(evolution()).unwrap() }
}

fn table_config() -> mate_table::Config {
    let program = bundled_program().unwrap().to_string();
    serde_json::from_value(json!({
        "engines": [],
        "exhaustive_nodes": 2000,
        "nodes": 2000,
        "program": program,
        "rules": "limit-counts",
        "suite": SUITE,
        "suite_name": "mates.epd",
    }))
    .unwrap()
}

fn services(folder: &TempDir, threads: usize) -> Services {
    let store = Store::open(&Home::at(folder.path()).store_path()).unwrap();
    Services { threads: NonZeroUsize::new(threads).unwrap(), ..Services::new(Arc::new(store)) }
}

/// Runs in a store of its own; the result and the events as JSON.
fn run<K: RunKind>(config: &K::Config, threads: usize) -> (Value, Value) {
    let folder = tempfile::tempdir().unwrap();
    let services = services(&folder, threads);
    let finished = runs::run::<K>(config, Vec::new(), &services).unwrap();
    let events = services.store.events(finished.run).unwrap();
    let events = events.into_iter().map(|event| json!([event.kind, event.payload])).collect();
    (serde_json::to_value(&finished.output).unwrap(), events)
}

#[test]
fn configurations_are_stored_as_in_version_0_1() {
    let config: evolve::Config = serde_json::from_value(evolution()).unwrap();
    assert_eq!(serde_json::to_value(&config).unwrap(), evolution());
    let stored = serde_json::to_value(table_config()).unwrap();
    assert_eq!(serde_json::from_value::<mate_table::Config>(stored).unwrap(), table_config());
    for (field, wrong) in [("dialect", "none"), ("fitness", "best"), ("lengths", "9-1"), ("suite", "no position")] {
        let mut stored = evolution();
        stored[field] = wrong.into();
        assert!(serde_json::from_value::<evolve::Config>(stored).is_err(), "{field}");
    }
}

#[test]
fn results_do_not_depend_on_the_number_of_threads() {
    let (result, events) = run::<Evolve>(&evolution_config(), 1);
    assert_eq!(run::<Evolve>(&evolution_config(), 3), (result, events.clone()));
    assert_eq!(events.as_array().unwrap().len(), 3);
    let (result, events) = run::<MateTable>(&table_config(), 1);
    assert_eq!(run::<MateTable>(&table_config(), 3), (result, events.clone()));
    assert_eq!(events.as_array().unwrap().len(), 5 * 2, "each solver on each problem");
}

/// Tables of earlier versions had a row less, and did not hold engines to the limit.
#[test]
fn a_table_that_was_begun_by_other_rules_is_shown_but_not_finished() {
    let folder = tempfile::tempdir().unwrap();
    let services = services(&folder, 1);
    let mut config = serde_json::to_value(table_config()).unwrap();
    config.as_object_mut().unwrap().remove("rules");
    let stored = NewRun {
        kind: MateTable::NAME.to_string(),
        game: "chess".to_string(),
        config,
        seed: 0,
        version: "0.1.0".to_string(),
        command: Vec::new(),
        parent: None,
    };
    let run = services.store.create_run(&stored).unwrap().run();
    let error = runs::resume(run, &services).unwrap_err();
    assert!(matches!(&error, RunError::Input(text) if text.contains("0.1.0")), "{error}");
    let shown = runs::view(&services.store, &services.store.run(run).unwrap()).unwrap().to_string();
    assert_eq!(shown, "0 problems tried so far\n");
}

#[test]
fn a_second_run_computes_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let services = services(&folder, 2);
    let evolved = runs::run::<Evolve>(&evolution_config(), Vec::new(), &services).unwrap();
    let table = runs::run::<MateTable>(&table_config(), Vec::new(), &services).unwrap();
    // Workers give up at once now, so what succeeds comes from the cache.
    services.cancel.cancel();
    assert_eq!(runs::run::<Evolve>(&evolution_config(), Vec::new(), &services).unwrap().output, evolved.output);
    assert_eq!(runs::run::<MateTable>(&table_config(), Vec::new(), &services).unwrap().output, table.output);
    let other = evolve::Config { seed: 6, ..evolution_config() };
    assert!(matches!(runs::run::<Evolve>(&other, Vec::new(), &services), Err(RunError::Cancelled(Some(_)))));
}

#[test]
fn a_cancelled_run_can_be_resumed() {
    let folder = tempfile::tempdir().unwrap();
    let mut services = services(&folder, 2);
    services.cancel.cancel();
    let error = runs::run::<Evolve>(&evolution_config(), Vec::new(), &services).err().unwrap();
    let RunError::Cancelled(Some(run)) = error else { panic!("{error}") };
    services.cancel = CancelToken::new();
    let resumed = runs::resume(run, &services).unwrap();
    let (expected, _) = self::run::<Evolve>(&evolution_config(), 1);
    assert_eq!(serde_json::from_str::<Value>(&resumed.json).unwrap(), expected);
}

#[test]
fn the_best_program_is_written_and_can_be_read_again() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("best.gp");
    let config = evolve::Config { output: Some(path.clone()), ..evolution_config() };
    let services = services(&folder, 2);
    let finished = runs::run::<Evolve>(&config, Vec::new(), &services).unwrap();
    assert_eq!(runs::render::<Evolve>(&config, &finished.output).unwrap().files, std::slice::from_ref(&path));
    let program = read_program(&path).unwrap();
    assert_eq!(program.to_string(), finished.output.program);
    let error = runs::run::<Evolve>(&config, Vec::new(), &services).err().unwrap();
    assert!(error.to_string().contains("exists"), "{error}");
}
