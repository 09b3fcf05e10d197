//! Stored runs that are not as this version writes them, by damage or from the future: an error or a poorer view, never a
//! panic.

use std::fs;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;

use plysmith_runs::runs::kind_of;
use plysmith_runs::view;
use plysmith_store::{Run, Store};
use serde_json::{Value, json};

/// Calls `visit` with the value changed at one place, for each place.
fn each_change(root: &Value, visit: &mut dyn FnMut(Value, &str)) {
    let mut places = Vec::new();
    collect(root, String::new(), &mut places);
    for place in places {
        for other in [Value::Null, json!([]), json!({}), json!(""), json!(0), json!(-1), json!(u64::MAX), json!(1e300)]
        {
            let mut changed = root.clone();
            *changed.pointer_mut(&place).unwrap() = other;
            visit(changed, &place);
        }
    }
}

/// The places of all values, of long lists only the first and the last.
fn collect(value: &Value, place: String, places: &mut Vec<String>) {
    match value {
        Value::Array(list) => {
            for index in [0, list.len().saturating_sub(1)].into_iter().filter(|index| *index < list.len()) {
                collect(&list[index], format!("{place}/{index}"), places);
            }
        }
        Value::Object(fields) => {
            for (name, field) in fields {
                collect(field, format!("{place}/{}", name.replace('~', "~0").replace('/', "~1")), places);
            }
        }
        _ => {}
    }
    places.push(place);
}

fn is_calm(what: &str, run: &Run, act: impl FnOnce()) {
    assert!(catch_unwind(AssertUnwindSafe(act)).is_ok(), "{} run {}: {what} panics", run.kind, run.id);
}

#[test]
fn a_changed_result_or_configuration_never_panics() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("plysmith.db");
    let fixture = Path::new(env!("CARGO_MANIFEST_DIR")).join("../store/tests/fixtures/version-1.db");
    fs::copy(fixture, &path).unwrap();
    let store = Store::open(&path).unwrap();
    let mut views = 0;
    for run in store.runs().unwrap() {
        let kind = kind_of(&run).unwrap();
        let result = run.result.clone().unwrap_or(Value::Null);
        each_change(&result, &mut |changed, place| {
            is_calm(&format!("result{place} as {changed}"), &run, || {
                views += usize::from(kind.view(&run, &changed).is_ok_and(|view| !view.to_string().is_empty()));
            });
        });
        each_change(&run.config, &mut |config, place| {
            let run = Run { config, ..run.clone() };
            is_calm(&format!("config{place}"), &run, || {
                let _ = view(&store, &run).map(|view| view.to_string());
                let _ = kind.rows(&run);
            });
        });
    }
    assert!(views > 100, "some changes are harmless, but only {views} were");
}
