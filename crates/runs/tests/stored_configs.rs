//! Configurations that were changed in the store, with a correct checksum: `resume` refuses them or works, as it would
//! with such arguments. It never panics.

use std::fs;
use std::num::NonZeroUsize;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::sync::Arc;
use std::thread;
use std::time::Duration;

use plysmith_core::games;
use plysmith_core::suite::graded;
use plysmith_runs::basis::VERSION;
use plysmith_runs::experiment::Experiment;
use plysmith_runs::fitness::{FitnessChoice, GradedFitness};
use plysmith_runs::kinds::follow_up::FollowUp;
use plysmith_runs::kinds::tune::{self, LearningOptions, feature_parameters};
use plysmith_runs::kinds::{discover, measure};
use plysmith_runs::{CancelToken, Services, resume};
use plysmith_store::{NewRun, Run, Store};
use serde_json::{Value, json};
use tempfile::TempDir;

/// The places of all values, of long lists only the first and the last.
fn places(value: &Value, place: String, found: &mut Vec<String>) {
    match value {
        Value::Array(list) => {
            for index in [0, list.len().saturating_sub(1)].into_iter().filter(|index| *index < list.len()) {
                places(&list[index], format!("{place}/{index}"), found);
            }
        }
        Value::Object(fields) => {
            for (name, field) in fields {
                places(field, format!("{place}/{}", name.replace('~', "~0").replace('/', "~1")), found);
            }
        }
        _ => {}
    }
    found.push(place);
}

/// What a value may be changed into, most of it of the same type.
fn others(value: &Value) -> Vec<Value> {
    match value {
        Value::Number(number) if number.is_f64() => {
            [0.0, -1.0, 1e-300, 1e300].map(Value::from).into_iter().chain([json!(null)]).collect()
        }
        Value::Number(_) => {
            vec![json!(0), json!(1), json!(3), json!(-1), json!(u32::MAX), json!(u64::MAX), json!(1e300)]
        }
        Value::String(_) => ["", " ", "\u{1b}[2J", "x", "0", "-1", "classic", "NaN"].map(Value::from).to_vec(),
        Value::Array(_) => vec![json!([]), json!([null]), json!(null)],
        Value::Object(_) => vec![json!({}), json!(null)],
        Value::Bool(truth) => vec![json!(!truth), json!(null)],
        Value::Null => vec![json!(0), json!(1), json!(u32::MAX), json!([]), json!({}), json!("x")],
    }
}

/// Resumes a run with this configuration for a moment.
fn try_resume(store: &Arc<Store>, like: &Run, config: Value) -> Result<bool, ()> {
    let Run { kind, game, seed, command, .. } = like.clone();
    // A version without revisions counts as this one.
    let new = NewRun { kind, game, config, seed, version: VERSION.to_string(), command, parent: None };
    let run = store.create_run(&new).unwrap().run();
    let cancel = CancelToken::new();
    let services = Services { cancel: cancel.clone(), threads: NonZeroUsize::MIN, ..Services::new(Arc::clone(store)) };
    thread::scope(|scope| {
        let (done, wait) = std::sync::mpsc::channel::<()>();
        scope.spawn(move || {
            let _ = wait.recv_timeout(Duration::from_millis(15));
            cancel.cancel();
        });
        let outcome = catch_unwind(AssertUnwindSafe(|| resume(run, &services).is_ok()));
        drop(done);
        outcome.map_err(drop)
    })
}

/// Stores runs that are rated by a fitness; version 1 had none.
fn store_rated_runs(store: &Store) {
    let game = games::find("breakthrough").unwrap();
    let mut experiment = Experiment { nodes: 20, ..Experiment::bundled(game).unwrap() };
    experiment.suite.problems.truncate(2);
    let position =
        "pppp/4/4/PPPP w id \"one\"; before \"pppp/4/4/PPPP w\"; judge \"modern 50\"; values \"a1a2=0.5\";\n";
    let text = format!("{position}{}", position.replace("one", "two"));
    let suite = graded::parse(game, "small", &text).unwrap();
    let graded = Some(GradedFitness::new(&suite, 20));
    let fitness: Option<FitnessChoice> = Some("regret+frequency=0.1".parse().unwrap());
    let follow_up = Some(FollowUp { best: 1, tune: Some(1), prove: Some((2, 10)), build: true, head_to_head: true });
    let features = game.into();
    let discover = discover::Config {
        base: vec!["Ud".to_string()],
        fitness: fitness.clone(),
        graded: graded.clone(),
        follow_up,
        ..discover::Config::new(experiment.clone(), &features).unwrap()
    };
    let schemes = vec!["Neutral".to_string(), "Ud@0.5".to_string()];
    let measure = measure::Config {
        experiment: experiment.clone(),
        schemes,
        fitness: fitness.clone(),
        graded: graded.clone(),
        seeds: Some(2),
    };
    let options = LearningOptions { fitness, graded, iterations: 1, ..LearningOptions::default() };
    let tune = tune::Config::new(experiment, feature_parameters(game, "Ud").unwrap(), &options).unwrap();
    let configs = [
        ("discover", serde_json::to_value(discover).unwrap()),
        ("measure", serde_json::to_value(measure).unwrap()),
        ("tune", serde_json::to_value(tune).unwrap()),
    ];
    for (kind, config) in configs {
        let (kind, game, version) = (kind.to_string(), "breakthrough".to_string(), VERSION.to_string());
        let claim = store
            .create_run(&NewRun { kind, game, config, seed: 1, version, command: Vec::new(), parent: None })
            .unwrap();
        drop(claim);
    }
}

/// Changes every value of every stored configuration; returns how many were tried.
fn change_everything(store: &Arc<Store>) -> usize {
    let (mut tried, mut panics) = (0, Vec::new());
    for run in store.runs().unwrap() {
        let mut found = Vec::new();
        places(&run.config, String::new(), &mut found);
        for place in found {
            for other in others(run.config.pointer(&place).unwrap()) {
                let mut config = run.config.clone();
                *config.pointer_mut(&place).unwrap() = other.clone();
                // No file is to be written anywhere.
                if place.contains("/files") || place.ends_with("/output") {
                    continue;
                }
                tried += 1;
                if try_resume(store, &run, config).is_err() {
                    panics.push(format!("{} run {}: {place} = {other}", run.kind, run.id));
                }
            }
        }
    }
    assert!(panics.is_empty(), "{} of {tried} panic:\n{}", panics.len(), panics.join("\n"));
    tried
}

/// A folder for a store, in memory if possible.
fn folder() -> TempDir {
    tempfile::tempdir_in("/dev/shm").or_else(|_| tempfile::tempdir()).unwrap()
}

#[test]
fn a_changed_configuration_never_panics() {
    let folder = folder();
    let path = folder.path().join("plysmith.db");
    let fixture = Path::new(env!("CARGO_MANIFEST_DIR")).join("../store/tests/fixtures/version-1.db");
    fs::copy(fixture, &path).unwrap();
    let tried = change_everything(&Arc::new(Store::open(&path).unwrap()));
    assert!(tried > 500, "{tried}");
}

#[test]
fn a_changed_configuration_of_a_rated_run_never_panics() {
    let folder = folder();
    let store = Arc::new(Store::open(&folder.path().join("plysmith.db")).unwrap());
    store_rated_runs(&store);
    let tried = change_everything(&store);
    assert!(tried > 300, "{tried}");
}
