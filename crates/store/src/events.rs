//! Events: what happened in a run, in order, as it happened.

use rusqlite::{Connection, OptionalExtension, params};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::error::StoreError;
use crate::json::{Encoded, around_difference, encode};
use crate::runs::RunId;
use crate::store::Store;

/// One thing that happened in a run.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Event {
    /// Its place in the run: 0, 1, 2, …
    pub seq: u64,
    /// What sort of event.
    pub kind: String,
    /// What happened.
    pub payload: Value,
}

impl Event {
    /// The payload as the type it was made of.
    pub fn decode<T: DeserializeOwned>(&self) -> Result<T, StoreError> {
        T::deserialize(&self.payload).map_err(|error| StoreError::Unexpected {
            what: format!("event {} ('{}')", self.seq, self.kind),
            reason: error.to_string(),
        })
    }
}

impl Store {
    /// Appends an event to a run. When this returns, it is on the disk.
    ///
    /// `seq` counts the run's events from 0. A resumed run replays from the start: an event that is stored already is
    /// compared, and if it differs the answer is [`StoreError::Diverged`]. A replay of a finished run is welcome too;
    /// anything new is [`StoreError::RunFinished`].
    pub fn append_event(&self, run: RunId, seq: u64, kind: &str, payload: &impl Serialize) -> Result<(), StoreError> {
        const DOING: &str = "storing an event";
        let payload = encode(payload, || format!("event {seq} of run {run}"))?;
        self.write(DOING, |transaction| {
            let finished = self.stored_result(transaction, run)?.is_some();
            let expected = self.next_seq(transaction, run)?;
            if seq < expected {
                return self.compare_event(transaction, run, seq, kind, &payload);
            }
            if finished {
                return Err(StoreError::RunFinished { run });
            }
            if seq > expected {
                return Err(StoreError::EventGap { run, seq, expected });
            }
            transaction
                .prepare_cached("INSERT INTO events (run, seq, kind, payload) VALUES (?1, ?2, ?3, ?4)")
                .and_then(|mut insert| insert.execute(params![run.0, seq as i64, kind, payload.text]))
                .map_err(|error| self.failed(DOING, error))?;
            Ok(())
        })
    }

    /// The events of a run, in order.
    pub fn events(&self, run: RunId) -> Result<Vec<Event>, StoreError> {
        self.require_run(run)?;
        let failed = |error| self.failed("reading the events of a run", error);
        let rows: Vec<(i64, String, String)> = {
            let connection = self.connection();
            let mut select = connection
                .prepare_cached("SELECT seq, kind, payload FROM events WHERE run = ?1 ORDER BY seq")
                .map_err(failed)?;
            let rows = select.query_map([run.0], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?))).map_err(failed)?;
            rows.collect::<Result<_, _>>().map_err(failed)?
        };
        let decode = |(seq, kind, payload): (i64, String, String)| {
            let payload = serde_json::from_str(&payload)
                .map_err(|error| self.damaged(format!("event {seq} of run {run}"), &error))?;
            Ok(Event { seq: seq as u64, kind, payload })
        };
        rows.into_iter().map(decode).collect()
    }

    /// The place of the event that comes next.
    fn next_seq(&self, connection: &Connection, run: RunId) -> Result<u64, StoreError> {
        let next: i64 = connection
            .prepare_cached("SELECT coalesce(max(seq) + 1, 0) FROM events WHERE run = ?1")
            .and_then(|mut statement| statement.query_row([run.0], |row| row.get(0)))
            .map_err(|error| self.failed("reading the events of a run", error))?;
        Ok(next as u64)
    }

    fn compare_event(
        &self,
        connection: &Connection,
        run: RunId,
        seq: u64,
        kind: &str,
        payload: &Encoded,
    ) -> Result<(), StoreError> {
        let stored: Option<(String, String)> = connection
            .prepare_cached("SELECT kind, payload FROM events WHERE run = ?1 AND seq = ?2")
            .and_then(|mut statement| {
                statement.query_row([run.0, seq as i64], |row| Ok((row.get(0)?, row.get(1)?))).optional()
            })
            .map_err(|error| self.failed("comparing an event", error))?;
        let Some((stored_kind, stored_payload)) = stored else {
            return Err(self.damaged(format!("event {seq} of run {run}"), &"it is missing, though later ones exist"));
        };
        if stored_kind == kind && payload.same_as(&stored_payload) {
            return Ok(());
        }
        let (stored, new) =
            around_difference(&format!("{stored_kind} {stored_payload}"), &format!("{kind} {}", payload.text));
        Err(StoreError::Diverged { run, seq, stored, new })
    }
}

#[cfg(test)]
mod tests {
    use std::thread;

    use serde::Deserialize;
    use serde_json::json;

    use super::*;
    use crate::store::tests::{break_rules, new_run, new_store};

    #[test]
    fn events_come_back_in_order_after_a_crash() {
        let (_folder, store) = new_store();
        let run = store.create_run(&new_run()).unwrap().run();
        for seq in 0..20 {
            store.append_event(run, seq, "step", &json!({ "seq": seq, "text": "ä\0\"\n" })).unwrap();
        }
        let path = store.path().to_path_buf();
        drop(store); // without finishing

        let events = Store::open(&path).unwrap().events(run).unwrap();
        assert_eq!(events.len(), 20);
        for (seq, event) in (0..).zip(events) {
            let payload = json!({ "seq": seq, "text": "ä\0\"\n" });
            assert_eq!(event, Event { seq, kind: "step".into(), payload });
        }
    }

    #[test]
    fn typed_payloads() {
        #[derive(Serialize, Deserialize, Debug, PartialEq)]
        struct Step {
            weight: f32,
            name: String,
        }
        let (_folder, store) = new_store();
        let run = store.create_run(&new_run()).unwrap().run();
        let step = Step { weight: 0.1, name: "captures".into() };
        store.append_event(run, 0, "step", &step).unwrap();
        store.append_event(run, 0, "step", &step).unwrap();
        let event = &store.events(run).unwrap()[0];
        assert_eq!(event.decode::<Step>().unwrap(), step);
        let error = event.decode::<Vec<u8>>().unwrap_err().to_string();
        assert!(error.contains("event 0 ('step')"), "{error}");
    }

    #[test]
    fn a_replay_must_agree() {
        let (_folder, store) = new_store();
        let run = store.create_run(&new_run()).unwrap().run();
        store.append_event(run, 0, "step", &json!({ "a": 1, "b": 2 })).unwrap();
        store.append_event(run, 0, "step", &json!({ "b": 2, "a": 1 })).unwrap();

        let error = store.append_event(run, 0, "step", &json!({ "a": 1, "b": 3 })).unwrap_err();
        assert!(matches!(error, StoreError::Diverged { seq: 0, .. }));
        let text = error.to_string();
        for part in ["run 1", "event 0", r#"step {"a":1,"b":2}"#, r#"step {"a":1,"b":3}"#, "behaviour has changed"] {
            assert!(text.contains(part), "{part} is not in: {text}");
        }
        assert!(matches!(
            store.append_event(run, 0, "stop", &json!({ "a": 1, "b": 2 })),
            Err(StoreError::Diverged { .. })
        ));
        assert_eq!(store.events(run).unwrap().len(), 1);
    }

    #[test]
    fn events_leave_no_gap() {
        let (_folder, store) = new_store();
        let run = store.create_run(&new_run()).unwrap().run();
        for seq in [1, u64::MAX] {
            let error = store.append_event(run, seq, "step", &1).unwrap_err();
            assert!(matches!(error, StoreError::EventGap { expected: 0, .. }), "{error}");
        }
    }

    #[test]
    fn a_finished_run_takes_replays_but_nothing_new() {
        let (_folder, store) = new_store();
        let run = store.create_run(&new_run()).unwrap().run();
        store.append_event(run, 0, "step", &1).unwrap();
        store.finish_run(run, &json!("done")).unwrap();
        store.append_event(run, 0, "step", &1).unwrap();
        assert!(matches!(store.append_event(run, 1, "step", &2), Err(StoreError::RunFinished { .. })));
        assert!(matches!(store.append_event(run, 0, "step", &2), Err(StoreError::Diverged { .. })));
    }

    #[test]
    fn many_writers_at_once() {
        let (_folder, store) = new_store();
        let runs: Vec<RunId> = (0..4).map(|_| store.create_run(&new_run()).unwrap().run()).collect();
        thread::scope(|scope| {
            for (index, &run) in runs.iter().enumerate() {
                let store = &store;
                scope.spawn(move || {
                    // Half of them share a store, half have their own.
                    let own = (index % 2 == 0).then(|| Store::open(store.path()).unwrap());
                    let store = own.as_ref().unwrap_or(store);
                    for seq in 0..25 {
                        store.append_event(run, seq, "step", &json!([index, seq])).unwrap();
                    }
                });
            }
        });
        for (index, &run) in runs.iter().enumerate() {
            let payloads: Vec<_> = store.events(run).unwrap().into_iter().map(|event| event.payload).collect();
            assert_eq!(payloads, (0..25).map(|seq| json!([index, seq])).collect::<Vec<_>>());
        }
    }

    #[test]
    fn a_damaged_event_is_named() {
        let (_folder, store) = new_store();
        let run = store.create_run(&new_run()).unwrap().run();
        store.append_event(run, 0, "step", &1).unwrap();
        break_rules(&store, "DROP TRIGGER events_fixed; UPDATE events SET payload = '[1,'");
        let error = store.events(run).unwrap_err();
        assert!(matches!(error, StoreError::Damaged { .. }));
        assert!(error.to_string().contains("event 0 of run 1 is damaged"), "{error}");
    }
}
