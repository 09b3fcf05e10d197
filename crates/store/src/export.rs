//! Runs as JSON and CSV, for other programs.

use std::collections::BTreeSet;
use std::io::Write;

use serde::Serialize;
use serde_json::Value;

use crate::error::StoreError;
use crate::events::Event;
use crate::runs::{Run, RunId};
use crate::store::Store;

impl Store {
    /// A whole run as one JSON object: the fields of [`Run`], and its events.
    pub fn export_json(&self, run: RunId) -> Result<Value, StoreError> {
        #[derive(Serialize)]
        struct Export {
            #[serde(flatten)]
            run: Run,
            events: Vec<Event>,
        }
        let export = Export { run: self.run(run)?, events: self.events(run)? };
        serde_json::to_value(export)
            .map_err(|error| StoreError::Unexpected { what: format!("run {run}"), reason: error.to_string() })
    }

    /// Writes a run's events of one kind as CSV: a header, then a line an event. Returns the number of events.
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
        let mut events = self.events(run)?;
        events.retain(|event| event.kind == kind);
        check_columns(run, kind, columns, &events)?;

        let failed = |error: csv::Error| StoreError::Export(error.into());
        let mut csv = csv::Writer::from_writer(writer);
        csv.write_record(columns).map_err(failed)?;
        for event in &events {
            csv.write_record(columns.iter().map(|column| cell(event.payload.get(column)))).map_err(failed)?;
        }
        csv.flush().map_err(StoreError::Export)?;
        Ok(events.len())
    }
}

/// Refuses a column that no event has: most likely a slip of the pen, which an empty column would hide.
fn check_columns(run: RunId, kind: &str, columns: &[&str], events: &[Event]) -> Result<(), StoreError> {
    let fields = events.iter().filter_map(|event| event.payload.as_object()).flat_map(|object| object.keys());
    let known: BTreeSet<&str> = fields.map(String::as_str).collect();
    match columns.iter().find(|column| !known.contains(**column)) {
        Some(column) if !events.is_empty() => Err(StoreError::NoSuchColumn {
            run,
            kind: kind.into(),
            column: (*column).into(),
            known: known.into_iter().collect::<Vec<_>>().join(", "),
        }),
        _ => Ok(()),
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
        let export = store.export_json(run).unwrap();
        assert_eq!(export["id"], 1);
        assert_eq!(export["status"], "finished");
        assert_eq!(export["seed"], json!(new_run().seed));
        assert_eq!(export["config"], new_run().config);
        assert_eq!(export["result"], json!({ "best": "plain" }));
        assert_eq!(export["events"][3], json!({ "seq": 3, "kind": "stop", "payload": "budget" }));
    }
}
