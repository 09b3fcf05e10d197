//! Events: what happened in a run, in order.

use rusqlite::{Connection, OptionalExtension, params};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::checksum;
use crate::error::StoreError;
use crate::event_stream::EventStream;
use crate::json::{Encoded, around_difference, encode};
use crate::run_record::MISMATCH;
use crate::runs::RunId;
use crate::store::Store;

/// One event of a run.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Event {
    /// Its place in the run: 0, 1, 2, …
    pub seq: u64,
    /// The kind of event.
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
    /// compared, and if it differs the answer is [`StoreError::Diverged`]. A finished run can be replayed too;
    /// anything new is [`StoreError::RunFinished`].
    pub fn append_event(&self, run: RunId, seq: u64, kind: &str, payload: &impl Serialize) -> Result<(), StoreError> {
        const DOING: &str = "storing an event";
        let payload = encode(payload, || format!("event {seq} of run {run}"))?;
        self.write(DOING, |transaction| {
            let finished = self.stored_result(transaction, run)?.is_some();
            let state = self.run_state(transaction, run)?;
            let expected = state.events as u64;
            if seq < expected {
                return self.compare_event(transaction, run, seq, kind, &payload);
            }
            if finished {
                return Err(StoreError::RunFinished { run });
            }
            if seq > expected {
                return Err(StoreError::EventGap { run, seq, expected });
            }
            let checksum = checksum::event(run.0, state.events, kind, &payload.text);
            let events = state.events + 1;
            transaction
                .prepare_cached("INSERT INTO events (run, seq, kind, payload, checksum) VALUES (?1, ?2, ?3, ?4, ?5)")
                .and_then(|mut insert| insert.execute(params![run.0, state.events, kind, payload.text, checksum]))
                .and_then(|_| transaction.prepare_cached(SET_EVENTS))
                .and_then(|mut update| {
                    let checksum = checksum::run_state(run.0, events, state.label.as_deref());
                    update.execute(params![run.0, events, checksum])
                })
                .map_err(|error| self.failed(DOING, error))?;
            Ok(())
        })
    }

    /// All events of a run, in order.
    pub fn events(&self, run: RunId) -> Result<Vec<Event>, StoreError> {
        self.events_since(run, 0)
    }

    /// The events of a run from number `seq` on, in order; none if there are not that many yet.
    ///
    /// To follow a run, ask again with the number of events seen so far.
    pub fn events_since(&self, run: RunId, seq: u64) -> Result<Vec<Event>, StoreError> {
        self.stream_events(run, seq).collect()
    }

    /// The events of a run from number `seq` on, read a few at a time.
    ///
    /// For runs with many events: [`events`](Store::events) holds them all in memory. The stream ends where the run
    /// ends when the last of its events is read; after an error it ends too. The store can be used between two events.
    pub fn stream_events(&self, run: RunId, seq: u64) -> EventStream<'_> {
        EventStream::new(self, run, seq)
    }

    fn compare_event(
        &self,
        connection: &Connection,
        run: RunId,
        seq: u64,
        kind: &str,
        payload: &Encoded,
    ) -> Result<(), StoreError> {
        let what = || format!("event {seq} of run {run}");
        let stored: Option<(String, String, i64)> = connection
            .prepare_cached("SELECT kind, payload, checksum FROM events WHERE run = ?1 AND seq = ?2")
            .and_then(|mut select| {
                select.query_row([run.0, seq as i64], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?))).optional()
            })
            .map_err(|error| self.damaged_or_failed(what, "comparing an event", error))?;
        let Some((stored_kind, stored_payload, checksum)) = stored else {
            return Err(self.damaged(what(), &MISSING));
        };
        if checksum::event(run.0, seq as i64, &stored_kind, &stored_payload) != checksum {
            return Err(self.damaged(what(), &MISMATCH));
        }
        if stored_kind == kind && payload.same_as(&stored_payload) {
            return Ok(());
        }
        let (stored, new) =
            around_difference(&format!("{stored_kind} {stored_payload}"), &format!("{kind} {}", payload.text));
        Err(StoreError::Diverged { run, seq, stored, new })
    }
}

const SET_EVENTS: &str = "UPDATE run_states SET events = ?2, checksum = ?3 WHERE run = ?1";

/// What is said of an event that the run's count includes.
pub(crate) const MISSING: &str = "it is missing";

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
        for change in ["payload = '[1,'", "payload = '2'", "kind = 'stop'", "checksum = 1"] {
            let (_folder, store) = new_store();
            let run = store.create_run(&new_run()).unwrap().run();
            store.append_event(run, 0, "step", &1).unwrap();
            break_rules(&store, &format!("DROP TRIGGER events_fixed; UPDATE events SET {change}"));
            for error in [store.events(run).map(drop), store.append_event(run, 0, "step", &1)] {
                let error = error.unwrap_err();
                assert!(matches!(error, StoreError::Damaged { .. }));
                assert!(error.to_string().contains("event 0 of run 1 is damaged"), "{error}");
            }
        }
    }
}
