//! Configurations that were changed in the store, with a correct checksum: `resume` refuses them or works, as it would
//! with such arguments. It never panics.

use std::fs;
use std::num::NonZeroUsize;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::sync::Arc;
use std::thread;
use std::time::Duration;

use plysmith_runs::basis::VERSION;
use plysmith_runs::{CancelToken, Services, resume};
use plysmith_store::{NewRun, Run, Store};
use serde_json::{Value, json};

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

#[test]
fn a_changed_configuration_never_panics() {
    let folder = tempfile::tempdir_in("/dev/shm").or_else(|_| tempfile::tempdir()).unwrap();
    let path = folder.path().join("plysmith.db");
    let fixture = Path::new(env!("CARGO_MANIFEST_DIR")).join("../store/tests/fixtures/version-1.db");
    fs::copy(fixture, &path).unwrap();
    let store = Arc::new(Store::open(&path).unwrap());
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
                if try_resume(&store, &run, config).is_err() {
                    panics.push(format!("{} run {}: {place} = {other}", run.kind, run.id));
                }
            }
        }
    }
    assert!(panics.is_empty(), "{} of {tried} panic:\n{}", panics.len(), panics.join("\n"));
    assert!(tried > 500, "{tried}");
}
