//! Runs that cannot be set up, and runs that are cancelled meanwhile.

use std::sync::Arc;

use plysmith_core::games;
use plysmith_runs::experiment::{EngineChoice, Experiment, Features};
use plysmith_runs::external_engine::ExternalEngine;
use plysmith_runs::kinds::discover::{Config, Discover};
use plysmith_runs::{RunError, Services, runs};
use plysmith_store::{Home, NewRun, Store};
use tempfile::TempDir;

fn services(folder: &TempDir) -> Services {
    Services::new(Arc::new(Store::open(&Home::at(folder.path()).store_path()).unwrap()))
}

/// A discovery with an engine that cannot be started.
fn config() -> Config {
    let game = games::find("breakthrough").unwrap();
    let engine = ExternalEngine::new("uci:/nowhere/engine", None, None).unwrap();
    let experiment = Experiment { engine: EngineChoice::External(engine), ..Experiment::bundled(game).unwrap() };
    Config::new(experiment, &Features::from(game)).unwrap()
}

#[test]
fn a_run_that_cannot_be_set_up_is_not_stored() {
    let folder = tempfile::tempdir().unwrap();
    let services = services(&folder);
    assert!(matches!(runs::run::<Discover>(&config(), Vec::new(), &services), Err(RunError::Engine(_))));
    assert!(matches!(runs::start::<Discover>(config(), &services), Err(RunError::Engine(_))));
    assert!(services.store.runs().unwrap().is_empty());
}

#[test]
fn an_engine_that_fails_after_a_cancellation_was_cancelled() {
    let folder = tempfile::tempdir().unwrap();
    let services = services(&folder);
    let stored = NewRun {
        kind: "discover".to_string(),
        game: "breakthrough".to_string(),
        config: serde_json::to_value(config()).unwrap(),
        seed: 1,
        version: env!("CARGO_PKG_VERSION").to_string(),
        command: Vec::new(),
        parent: None,
    };
    let run = services.store.create_run(&stored).unwrap().run();
    assert!(matches!(runs::resume(run, &services), Err(RunError::Engine(_))));
    services.cancel.cancel();
    assert!(matches!(runs::resume(run, &services), Err(RunError::Cancelled(Some(cancelled))) if cancelled == run));
    assert!(matches!(runs::run::<Discover>(&config(), Vec::new(), &services), Err(RunError::Cancelled(None))));
}
