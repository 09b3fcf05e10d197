//! Copies what is sound of a damaged store into a new one.
//!
//! Runs keep their numbers, and every record that is copied keeps its checksum. What a run lost decides what becomes of
//! it: see [`Salvage`].

use std::collections::BTreeMap;
use std::path::Path;

use rusqlite::{Connection, params};
use serde::Serialize;

use crate::check::{RawEvent, RawResult, StoreCheck, Visitor};
use crate::checksum;
use crate::error::StoreError;
use crate::run::RunId;
use crate::run_record::RunRow;
use crate::runs::insert_run;
use crate::store::Store;

const DOING: &str = "copying into the new store";

/// What was copied and what was not.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Salvage {
    /// What is damaged in the old store.
    pub check: StoreCheck,
    /// Runs that were copied, sound or not.
    pub runs: u64,
    /// Results that were copied.
    pub results: u64,
    /// What became of the runs that lost something, one line for each.
    pub changed: Vec<String>,
}

impl Store {
    /// Copies every sound record into a new store at `target`, which must not exist.
    ///
    /// - A run whose beginning is damaged is lost, with its events.
    /// - A finished run whose result is damaged is unfinished in the new store, and can be resumed.
    /// - An unfinished run keeps its events up to the first that is lost, and can be resumed from there.
    /// - A finished run with a sound result keeps it. An event that is lost stays missing: to read it is an error.
    /// - Where the count of its events is lost, a run has those that are there.
    pub fn salvage(&self, target: &Path) -> Result<Salvage, StoreError> {
        if target.exists() {
            let reason = "it exists, and a salvaged store must be a new one".into();
            return Err(StoreError::Inaccessible { path: target.into(), reason });
        }
        let new = Store::open(target)?;
        new.connection().pragma_update(None, "foreign_keys", false).map_err(|error| new.failed(DOING, error))?;
        let salvage = new.write(DOING, |transaction| {
            let mut copying = Copying { new: &new, connection: transaction, runs: BTreeMap::new(), results: 0 };
            let check = self.visit(&mut copying)?;
            let last_number = self.last_number();
            let Copying { runs, results, .. } = copying;
            let mut changed = Vec::new();
            for (id, run) in &runs {
                changed.extend(run.complete(*id, transaction).map_err(|error| new.failed(DOING, error))?);
            }
            // Numbers of runs that are lost are not used again either.
            let highest = runs.keys().copied().max().unwrap_or(0).max(last_number);
            transaction
                .execute("DELETE FROM sqlite_sequence WHERE name = 'runs'", [])
                .and_then(|_| {
                    transaction.execute("INSERT INTO sqlite_sequence (name, seq) VALUES ('runs', ?1)", [highest])
                })
                .map_err(|error| new.failed(DOING, error))?;
            Ok(Salvage { check, runs: runs.len() as u64, results, changed })
        })?;
        for run in new.runs()? {
            if let Some(activity) = self.activity(run.id) {
                new.set_activity(run.id, &activity)?;
            }
        }
        Ok(salvage)
    }

    /// The highest number that a run was ever given, as far as it can be read.
    fn last_number(&self) -> i64 {
        let last = "SELECT seq FROM sqlite_sequence WHERE name = 'runs'";
        self.connection().query_row(last, [], |row| row.get(0)).unwrap_or(0)
    }
}

/// Copies record after record.
struct Copying<'a> {
    new: &'a Store,
    connection: &'a Connection,
    runs: BTreeMap<i64, CopiedRun>,
    results: u64,
}

/// A run whose beginning is in the new store.
struct CopiedRun {
    /// Its result, when it was stored, and the checksum.
    result: Option<(String, i64, i64)>,
    was_finished: bool,
    /// The number of events and the label, if they are known.
    state: Option<(i64, Option<String>)>,
    /// The events that were copied.
    events: Vec<i64>,
}

impl Visitor for Copying<'_> {
    fn run(&mut self, row: &RunRow) -> Result<(), StoreError> {
        insert_run(self.connection, &row.fields()).map_err(|error| self.new.failed(DOING, error))?;
        let result = match (&row.result, row.finished_at, row.result_checksum) {
            (Some(result), Some(at), Some(checksum)) => Some((result.clone(), at, checksum)),
            _ => None,
        };
        let state = row.state.as_ref().map(|state| (state.events, state.label.clone()));
        let copied = CopiedRun { was_finished: row.was_finished, result, state, events: Vec::new() };
        self.runs.insert(row.fields().id, copied);
        Ok(())
    }

    fn event(&mut self, event: &RawEvent) -> Result<(), StoreError> {
        let RawEvent { run, seq, kind, payload, checksum } = event;
        if let Some(copied) = self.runs.get_mut(run) {
            self.connection
                .prepare_cached("INSERT INTO events (run, seq, kind, payload, checksum) VALUES (?1, ?2, ?3, ?4, ?5)")
                .and_then(|mut insert| insert.execute(params![run, seq, kind, payload, checksum]))
                .map_err(|error| self.new.failed(DOING, error))?;
            copied.events.push(*seq);
        }
        Ok(())
    }

    fn result(&mut self, result: &RawResult) -> Result<(), StoreError> {
        let RawResult { key, done, job, body, key_hash, checksum } = result;
        self.connection
            .prepare_cached(
                "INSERT INTO results (key, done, job, body, key_hash, checksum) VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
            )
            .and_then(|mut insert| insert.execute(params![key, done, job, body, key_hash, checksum]))
            .map_err(|error| self.new.failed(DOING, error))?;
        self.results += 1;
        Ok(())
    }
}

impl CopiedRun {
    /// Stores what can be known only behind the events. Says what became of the run, if it is not as it was.
    fn complete(&self, id: i64, connection: &Connection) -> rusqlite::Result<Option<String>> {
        let mut events = self.events.clone();
        events.sort_unstable();
        let prefix = (0..).zip(&events).take_while(|(expected, seq)| expected == *seq).count() as i64;
        let label = self.state.as_ref().and_then(|(_, label)| label.clone());
        let expected = self.state.as_ref().map_or(events.len() as i64, |(events, _)| *events);
        let is_whole = prefix == expected && events.len() as i64 == expected;

        let count = if self.result.is_some() { expected } else { prefix };
        if self.result.is_none() && events.len() as i64 > prefix {
            // The triggers let pass only what is announced in `deletions`.
            connection.execute("INSERT INTO deletions (run) VALUES (?1)", [id])?;
            connection.execute("DELETE FROM events WHERE run = ?1 AND seq >= ?2", [id, prefix])?;
            connection.execute("DELETE FROM deletions WHERE run = ?1", [id])?;
        }
        connection.execute(
            "INSERT INTO run_states (run, events, label, checksum) VALUES (?1, ?2, ?3, ?4)",
            params![id, count, label, checksum::run_state(id, count, label.as_deref())],
        )?;
        if let Some((result, finished_at, checksum)) = &self.result {
            let finish = "UPDATE runs SET result = ?2, finished_at = ?3, result_checksum = ?4 WHERE id = ?1";
            connection.execute(finish, params![id, result, finished_at, checksum])?;
        }

        let mut lost = Vec::new();
        if self.state.is_none() {
            lost.push(format!("its label is lost if it had one, and it is taken to have {count} events"));
        }
        if self.was_finished && self.result.is_none() {
            lost.push("its result is lost".to_string());
        }
        if !is_whole {
            let number = expected - events.len() as i64;
            lost.push(match (&self.result, number) {
                (Some(_), 1) => "one of its events is lost: it can be shown, but not exported".to_string(),
                (Some(_), number) => format!("{number} of its events are lost: it can be shown, but not exported"),
                (None, _) => format!("{prefix} of {expected} events are kept"),
            });
        }
        if !lost.is_empty() && self.result.is_none() {
            lost.push(format!("continue it with `plysmith resume {id}`"));
        }
        Ok((!lost.is_empty()).then(|| format!("run {}: {}", RunId(id), lost.join("; "))))
    }
}
