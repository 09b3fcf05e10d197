//! Reading the events of a run a few at a time.

use std::iter::FusedIterator;

use rusqlite::{Row, params};

use crate::checksum;
use crate::error::StoreError;
use crate::events::{Event, MISSING};
use crate::run_record::MISMATCH;
use crate::runs::RunId;
use crate::store::Store;

/// How many events are read at once.
const BATCH: i64 = 64;

const DOING: &str = "reading the events of a run";

/// The events of a run, in order, a few of them in memory at a time. See [`Store::stream_events`].
#[derive(Debug)]
#[must_use = "events are read only when they are asked for"]
pub struct EventStream<'a> {
    store: &'a Store,
    run: RunId,
    /// Where the next batch begins; `None` if there is no more to read.
    next: Option<i64>,
    batch: std::vec::IntoIter<EventRow>,
    /// The only kind that is returned, if not all are.
    kind: Option<String>,
}

impl<'a> EventStream<'a> {
    pub(crate) fn new(store: &'a Store, run: RunId, seq: u64) -> EventStream<'a> {
        let next = Some(i64::try_from(seq).unwrap_or(i64::MAX));
        EventStream { store, run, next, batch: Vec::new().into_iter(), kind: None }
    }

    /// Only the events of one kind; the payloads of the others are not decoded.
    pub fn of_kind(self, kind: &str) -> EventStream<'a> {
        EventStream { kind: Some(kind.into()), ..self }
    }

    /// Reads the events from `from` on. The connection is free again when this returns.
    fn read_batch(&mut self, from: i64) -> Result<(), StoreError> {
        let (store, run) = (self.store, self.run);
        // The count and the events of one moment, or an event that comes in between would look like one too many.
        let (rows, events) = store.read(DOING, |transaction| {
            let events = store.run_state(transaction, run)?.events;
            let mut select = transaction
                .prepare_cached(
                    "SELECT seq, kind, payload, checksum FROM events
                     WHERE run = ?1 AND seq >= ?2 ORDER BY seq LIMIT ?3",
                )
                .map_err(|error| store.failed(DOING, error))?;
            let rows = select
                .query_map(params![run.0, from, BATCH], EventRow::read)
                .and_then(Iterator::collect::<rusqlite::Result<Vec<_>>>)
                .map_err(|error| store.damaged_or_failed(|| format!("an event of run {run}"), DOING, error))?;
            Ok((rows, events))
        })?;

        let expected = from..events.min(from.saturating_add(BATCH)).max(from);
        let end = expected.end;
        if let Some(missing) = expected.zip(&rows).find_map(|(seq, row)| (seq != row.seq).then_some(seq)) {
            return Err(store.damaged(format!("event {missing} of run {run}"), &MISSING));
        }
        if rows.len() as i64 != end - from {
            let reason = format!("{} of {} are there from number {from} on", rows.len(), end - from);
            return Err(store.damaged(format!("the list of events of run {run}"), &reason));
        }
        self.next = (end < events).then_some(end);
        self.batch = rows.into_iter();
        Ok(())
    }

    fn decode(&self, row: EventRow) -> Result<Event, StoreError> {
        let what = || format!("event {} of run {}", row.seq, self.run);
        let payload = serde_json::from_str(&row.payload).map_err(|error| self.store.damaged(what(), &error))?;
        Ok(Event { seq: row.seq as u64, kind: row.kind, payload })
    }

    /// The next event that is asked for; `None` at the end.
    fn advance(&mut self) -> Result<Option<Event>, StoreError> {
        loop {
            for row in self.batch.by_ref() {
                if checksum::event(self.run.0, row.seq, &row.kind, &row.payload) != row.checksum {
                    return Err(self.store.damaged(format!("event {} of run {}", row.seq, self.run), &MISMATCH));
                }
                if self.kind.as_ref().is_none_or(|kind| *kind == row.kind) {
                    return self.decode(row).map(Some);
                }
            }
            match self.next.take() {
                Some(from) => self.read_batch(from)?,
                None => return Ok(None),
            }
        }
    }
}

impl Iterator for EventStream<'_> {
    type Item = Result<Event, StoreError>;

    fn next(&mut self) -> Option<Self::Item> {
        let event = self.advance();
        if event.is_err() {
            self.next = None;
            self.batch = Vec::new().into_iter();
        }
        event.transpose()
    }
}

impl FusedIterator for EventStream<'_> {}

/// A row of `events`, neither verified nor decoded.
#[derive(Debug)]
struct EventRow {
    seq: i64,
    kind: String,
    payload: String,
    checksum: i64,
}

impl EventRow {
    fn read(row: &Row<'_>) -> rusqlite::Result<EventRow> {
        Ok(EventRow { seq: row.get(0)?, kind: row.get(1)?, payload: row.get(2)?, checksum: row.get(3)? })
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::store::tests::{break_rules, new_run, new_store};

    /// A store with a run of `count` events, of two kinds in turn.
    fn store_with(count: u64) -> (tempfile::TempDir, Store, RunId) {
        let (folder, store) = new_store();
        let run = store.create_run(&new_run()).unwrap().run();
        for seq in 0..count {
            let kind = if seq % 2 == 0 { "even" } else { "odd" };
            store.append_event(run, seq, kind, &json!([seq])).unwrap();
        }
        (folder, store, run)
    }

    fn seqs(events: impl IntoIterator<Item = Event>) -> Vec<u64> {
        events.into_iter().inspect(|event| assert_eq!(event.payload, json!([event.seq]))).map(|e| e.seq).collect()
    }

    #[test]
    fn a_stream_is_the_list_whatever_the_batches() {
        for count in [0, 1, BATCH as u64 - 1, BATCH as u64, BATCH as u64 + 1, 3 * BATCH as u64] {
            let (_folder, store, run) = store_with(count);
            for from in [0, 1, BATCH as u64, count.saturating_sub(1), count, count + 1, u64::MAX] {
                let expected: Vec<u64> = (from..count).collect();
                assert_eq!(seqs(store.events_since(run, from).unwrap()), expected, "{from} of {count}");
                let odd = store.stream_events(run, from).of_kind("odd").map(Result::unwrap);
                assert_eq!(seqs(odd), expected.into_iter().filter(|seq| seq % 2 == 1).collect::<Vec<_>>());
            }
        }
    }

    #[test]
    fn a_run_is_followed_without_reading_it_again() {
        let (_folder, store, run) = store_with(0);
        let mut seen = 0;
        for seq in 0..10 {
            store.append_event(run, seq, "step", &json!([seq])).unwrap();
            if seq % 3 == 0 {
                let new = seqs(store.events_since(run, seen).unwrap());
                assert_eq!(new, (seen..=seq).collect::<Vec<_>>());
                seen = seq + 1;
            }
        }
    }

    #[test]
    fn the_store_can_be_used_between_two_events() {
        let (_folder, store, run) = store_with(2 * BATCH as u64);
        let mut seq = 2 * BATCH as u64;
        let mut count = 0;
        for event in store.stream_events(run, 0) {
            event.unwrap();
            count += 1;
            if count == BATCH {
                store.append_event(run, seq, "step", &json!([seq])).unwrap();
                seq += 1;
            }
        }
        assert_eq!(count, 2 * BATCH + 1, "an event that came while there was more to read is read too");
    }

    #[test]
    fn a_lost_event_is_missed() {
        for (change, named) in [
            ("DELETE FROM events WHERE seq = 1", "event 1 of run 1 is damaged (it is missing)"),
            ("DELETE FROM events WHERE seq = 2", "the list of events of run 1 is damaged (2 of 3"),
            ("DELETE FROM events", "the list of events of run 1 is damaged (0 of 3"),
            ("INSERT INTO events VALUES (1, 3, 'x', '1', 0)", "the list of events of run 1 is damaged (4 of 3"),
            ("DELETE FROM run_states", "the state of run 1 is damaged (it is missing)"),
        ] {
            let (_folder, store, run) = store_with(3);
            break_rules(&store, &format!("DROP TRIGGER events_kept; DROP TRIGGER run_states_kept; {change}"));
            let mut stream = store.stream_events(run, 0);
            let error = stream.find_map(Result::err).expect(change).to_string();
            assert!(error.contains(named), "{error}");
            assert!(stream.next().is_none(), "after an error there is nothing more");
        }
    }
}
