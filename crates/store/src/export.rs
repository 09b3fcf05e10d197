//! Runs as JSON and CSV, for other programs. Events are read as they are written: a run need not fit into memory.

use std::collections::BTreeSet;
use std::io::Write;

use serde::ser::{Error, SerializeMap, SerializeSeq};
use serde::{Serialize, Serializer};
use serde_json::{Map, Value};

use crate::error::StoreError;
use crate::runs::RunId;
use crate::store::Store;

/// A whole run, to be serialised: the fields of [`Run`](crate::Run), and its events.
///
/// Events are read while it is serialised. An error of the store then becomes an error of the serialiser with the
/// same text.
#[derive(Debug)]
pub struct RunExport<'a> {
    store: &'a Store,
    run: RunId,
    fields: Map<String, Value>,
}

const EVENTS: &str = "events";

impl Store {
    /// A whole run, to be written as one JSON object, for instance with `serde_json::to_writer`.
    pub fn export_json(&self, run: RunId) -> Result<RunExport<'_>, StoreError> {
        let fields = serde_json::to_value(self.run(run)?);
        let Ok(Value::Object(mut fields)) = fields else {
            return Err(StoreError::Unexpected { what: format!("run {run}"), reason: "it is no object".into() });
        };
        // Holds the place of the events in the order of the fields.
        fields.insert(EVENTS.into(), Value::Null);
        Ok(RunExport { store: self, run, fields })
    }

    /// Writes a run's events of one kind as CSV: a header, then one line per event. Returns the number of events.
    ///
    /// The columns are top-level fields of the payload. Texts are written as they are, numbers and truth values as in
    /// JSON, a missing field or null as nothing, lists and objects as JSON. A column that none of the events has is
    /// [`StoreError::NoSuchColumn`], and nothing is written.
    pub fn export_csv(
        &self,
        run: RunId,
        kind: &str,
        columns: &[&str],
        writer: impl Write,
    ) -> Result<usize, StoreError> {
        self.check_columns(run, kind, columns)?;
        let failed = |error: csv::Error| StoreError::Export(error.into());
        let mut csv = csv::Writer::from_writer(writer);
        csv.write_record(columns).map_err(failed)?;
        let mut rows = 0;
        for event in self.stream_events(run, 0).of_kind(kind) {
            let payload = event?.payload;
            csv.write_record(columns.iter().map(|column| cell(payload.get(column)))).map_err(failed)?;
            rows += 1;
        }
        csv.flush().map_err(StoreError::Export)?;
        Ok(rows)
    }

    /// Refuses a column that no event has: most likely a typing error, which an empty column would hide.
    ///
    /// Most often the first event has all columns, and no other is read.
    fn check_columns(&self, run: RunId, kind: &str, columns: &[&str]) -> Result<(), StoreError> {
        let mut known = BTreeSet::new();
        let mut unknown = None;
        for event in self.stream_events(run, 0).of_kind(kind) {
            if let Value::Object(payload) = event?.payload {
                known.extend(payload.into_iter().map(|(field, _)| field));
            }
            unknown = columns.iter().find(|column| !known.contains(**column));
            if unknown.is_none() {
                break;
            }
        }
        match unknown {
            Some(column) => Err(StoreError::NoSuchColumn {
                run,
                kind: kind.into(),
                column: (*column).into(),
                known: known.into_iter().collect::<Vec<_>>().join(", "),
            }),
            None => Ok(()),
        }
    }
}

impl Serialize for RunExport<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(self.fields.len()))?;
        for (name, value) in &self.fields {
            if name == EVENTS {
                map.serialize_entry(name, &Events(self))?;
            } else {
                map.serialize_entry(name, value)?;
            }
        }
        map.end()
    }
}

/// The events of an export, read while they are serialised.
struct Events<'a>(&'a RunExport<'a>);

impl Serialize for Events<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut list = serializer.serialize_seq(None)?;
        for event in self.0.store.stream_events(self.0.run, 0) {
            // By way of `Value`, for its order of fields.
            let event = event.map_err(S::Error::custom)?;
            list.serialize_element(&serde_json::to_value(event).map_err(S::Error::custom)?)?;
        }
        list.end()
    }
}

fn cell(value: Option<&Value>) -> String {
    match value {
        None | Some(Value::Null) => String::new(),
        Some(Value::String(text)) => text.clone(),
        Some(other) => other.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use std::io;

    use serde_json::json;

    use super::*;
    use crate::store::tests::{new_run, new_store};

    fn store_with_events() -> (tempfile::TempDir, Store, RunId) {
        let (folder, store) = new_store();
        let run = store.create_run(&new_run()).unwrap().run();
        let payloads = [
            json!({ "name": "plain", "score": 0.25, "tags": [1, "x"] }),
            json!({ "name": "comma, \"quote\"\nline", "score": null }),
            json!({ "name": " ä ", "score": u64::MAX, "ok": true }),
        ];
        for (seq, payload) in (0..).zip(&payloads) {
            store.append_event(run, seq, "candidate", payload).unwrap();
        }
        store.append_event(run, 3, "stop", &json!("budget")).unwrap();
        (folder, store, run)
    }

    #[test]
    fn csv_is_quoted_and_complete() {
        let (_folder, store, run) = store_with_events();
        let mut text = Vec::new();
        let rows = store.export_csv(run, "candidate", &["name", "score", "ok", "tags"], &mut text).unwrap();
        assert_eq!(rows, 3);
        let expected = "name,score,ok,tags\n\
                        plain,0.25,,\"[1,\"\"x\"\"]\"\n\
                        \"comma, \"\"quote\"\"\nline\",,,\n \
                        ä ,18446744073709551615,true,\n";
        assert_eq!(String::from_utf8(text).unwrap(), expected);
    }

    #[test]
    fn csv_knows_its_columns() {
        let (_folder, store, run) = store_with_events();
        let mut text = Vec::new();
        let error = store.export_csv(run, "candidate", &["name", "scroe"], &mut text).unwrap_err().to_string();
        assert!(error.contains("'scroe'") && error.contains("name, ok, score, tags"), "{error}");
        assert!(text.is_empty());
        assert_eq!(store.export_csv(run, "unheard-of", &["a", "b"], &mut text).unwrap(), 0);
        assert_eq!(text, b"a,b\n");
    }

    #[test]
    fn a_failing_writer_is_reported() {
        struct Full;
        impl Write for Full {
            fn write(&mut self, _: &[u8]) -> io::Result<usize> {
                Err(io::ErrorKind::StorageFull.into())
            }
            fn flush(&mut self) -> io::Result<()> {
                Ok(())
            }
        }
        let (_folder, store, run) = store_with_events();
        assert!(matches!(store.export_csv(run, "candidate", &["name"], Full), Err(StoreError::Export(_))));
    }

    #[test]
    fn json_has_everything() {
        let (_folder, store, run) = store_with_events();
        store.finish_run(run, &json!({ "best": "plain" })).unwrap();
        let export = serde_json::to_value(store.export_json(run).unwrap()).unwrap();
        assert_eq!(export["id"], 1);
        assert_eq!(export["status"], "finished");
        assert_eq!(export["seed"], json!(new_run().seed));
        assert_eq!(export["config"], new_run().config);
        assert_eq!(export["result"], json!({ "best": "plain" }));
        assert_eq!(export["events"][3], json!({ "seq": 3, "kind": "stop", "payload": "budget" }));
    }
}
