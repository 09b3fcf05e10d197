//! Everything in a store, read and verified: what is damaged, and what is not.
//!
//! A damaged page hides the records on it, and SQLite gives up a scan when it meets one. So tables are read by row number,
//! and reading goes on behind the damage.

use std::collections::BTreeMap;
use std::fmt;

use rusqlite::{Connection, OptionalExtension, Row};
use serde::Serialize;
use serde::de::IgnoredAny;

use crate::checksum;
use crate::error::StoreError;
use crate::event::MISSING;
use crate::run::RunId;
use crate::run_record::{MISMATCH, RunRow, RunState};
use crate::store::Store;

/// What a check found. Nothing is damaged if the list is empty.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct StoreCheck {
    /// Runs that are sound, with their results and all their events.
    pub runs: Vec<RunId>,
    /// Events that are sound.
    pub events: u64,
    /// Stored results that are sound.
    pub results: u64,
    /// What is not sound.
    pub damaged: Vec<DamagedRecord>,
}

/// A record that cannot be read back as it was written.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct DamagedRecord {
    /// What it is.
    pub kind: RecordKind,
    /// The run that it belongs to, if it belongs to one and it is known.
    pub run: Option<RunId>,
    /// Which of them: the number of an event, the key of a result, the name of a table.
    pub id: String,
    /// What is wrong with it.
    pub reason: String,
}

/// The kinds of records.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum RecordKind {
    /// The database itself: a page, an index, a table.
    Database,
    /// A run's configuration, seed, version and command.
    Run,
    /// A run's result.
    RunResult,
    /// A run's label and number of events.
    RunState,
    /// An event of a run.
    Event,
    /// The stored result of a job.
    Result,
}

impl fmt::Display for RecordKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            RecordKind::Database => "database",
            RecordKind::Run => "run",
            RecordKind::RunResult => "result of a run",
            RecordKind::RunState => "state of a run",
            RecordKind::Event => "event",
            RecordKind::Result => "result of a job",
        })
    }
}

impl fmt::Display for DamagedRecord {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let DamagedRecord { kind, run, id, reason } = self;
        let run = run.map_or("?".to_string(), |run| run.to_string());
        match kind {
            RecordKind::Database => write!(f, "the database ({id}): {reason}"),
            RecordKind::Run => write!(f, "run {run}: {reason}"),
            RecordKind::RunResult => write!(f, "the result of run {run}: {reason}"),
            RecordKind::RunState => write!(f, "the state of run {run}: {reason}"),
            RecordKind::Event => write!(f, "event {id} of run {run}: {reason}"),
            RecordKind::Result => write!(f, "result {id}: {reason}"),
        }
    }
}

impl StoreCheck {
    pub(crate) fn add(&mut self, kind: RecordKind, run: Option<RunId>, id: &dyn ToString, reason: &dyn ToString) {
        self.damaged.push(DamagedRecord { kind, run, id: id.to_string(), reason: reason.to_string() });
    }
}

/// A row of `events`, verified or not.
pub(crate) struct RawEvent {
    pub run: i64,
    pub seq: i64,
    pub kind: String,
    pub payload: String,
    pub checksum: i64,
}

/// A row of `results`, verified or not.
pub(crate) struct RawResult {
    pub key: String,
    pub done: i64,
    pub job: String,
    pub body: String,
    pub key_hash: i64,
    pub checksum: i64,
}

/// Who gets the sound records of a store, one after the other.
pub(crate) trait Visitor {
    /// A run whose beginning is sound. Its result is left out if it is damaged, and so is its state.
    fn run(&mut self, _: &RunRow) -> Result<(), StoreError> {
        Ok(())
    }

    /// A sound event, of any run.
    fn event(&mut self, _: &RawEvent) -> Result<(), StoreError> {
        Ok(())
    }

    /// A sound result.
    fn result(&mut self, _: &RawResult) -> Result<(), StoreError> {
        Ok(())
    }
}

struct Nobody;
impl Visitor for Nobody {}

impl Store {
    /// Reads and verifies everything. Damage is in the answer; an error is only what keeps the store from being read at
    /// all.
    pub fn check(&self) -> Result<StoreCheck, StoreError> {
        self.visit(&mut Nobody)
    }

    /// Shows every sound record to the visitor: first runs, then events, then results.
    pub(crate) fn visit(&self, visitor: &mut dyn Visitor) -> Result<StoreCheck, StoreError> {
        self.read("checking the store", |transaction| {
            let mut check = StoreCheck::default();
            check_structure(transaction, &mut check);
            let runs = self.visit_runs(transaction, visitor, &mut check)?;
            let events = self.visit_events(transaction, visitor, &mut check)?;
            check_missing(&runs, &events, &mut check);
            self.visit_results(transaction, visitor, &mut check)?;
            let is_damaged = |run: &i64| check.damaged.iter().any(|record| record.run == Some(RunId(*run)));
            let sound = runs.keys().filter(|run| !is_damaged(run)).map(|run| RunId(*run)).collect();
            check.runs = sound;
            Ok(check)
        })
    }

    /// The numbers of events by run; `None` where that is not known.
    fn visit_runs(
        &self,
        connection: &Connection,
        visitor: &mut dyn Visitor,
        check: &mut StoreCheck,
    ) -> Result<BTreeMap<i64, Option<i64>>, StoreError> {
        let mut runs = BTreeMap::new();
        let states = self.states(connection, check)?;
        let sql = "SELECT runs.id AS row_number, runs.*, NULL AS run FROM runs";
        each_row(connection, check, &Table { name: "runs", sql, number: "id" }, RunRow::read, |check, id, row| {
            let run = Some(RunId(id));
            let mut row = match row {
                Ok(row) if row.run() == RunId(id) => row,
                Ok(_) => return Ok(()),
                Err(error) => {
                    check.add(RecordKind::Run, run, &id, &error);
                    return Ok(());
                }
            };
            row.state = states.get(&id).cloned();
            runs.insert(id, row.state.as_ref().map(|state| state.events));
            if self.check_run(&row).is_err() || [row.fields().config, row.fields().command].into_iter().any(is_no_json)
            {
                check.add(RecordKind::Run, run, &id, &MISMATCH);
                return Ok(());
            }
            if row.state.is_none() && !check.damaged.iter().any(|record| is_state_of(record, run)) {
                check.add(RecordKind::RunState, run, &id, &MISSING);
            }
            if self.check_result(RunId(id), row.finished_at, row.result.as_deref(), row.result_checksum).is_err()
                || row.result.as_deref().is_some_and(is_no_json)
            {
                check.add(RecordKind::RunResult, run, &id, &MISMATCH);
                (row.finished_at, row.result, row.result_checksum) = (None, None, None);
            }
            visitor.run(&row)
        })?;
        for run in states.keys().filter(|run| !runs.contains_key(run)) {
            check.add(RecordKind::Run, Some(RunId(*run)), &run, &MISSING);
        }
        Ok(runs)
    }

    /// The sound states by run.
    fn states(&self, connection: &Connection, check: &mut StoreCheck) -> Result<BTreeMap<i64, RunState>, StoreError> {
        let mut states = BTreeMap::new();
        let sql = "SELECT run AS row_number, run, events, label, checksum FROM run_states";
        let read = |row: &Row<'_>| RunState::read_from(row, 1);
        each_row(connection, check, &Table { name: "run_states", sql, number: "run" }, read, |check, id, state| {
            match state
                .map_err(|error| error.to_string())
                .and_then(|state| self.check_state(state).map_err(|_| MISMATCH.into()))
            {
                Ok(state) => drop(states.insert(id, state)),
                Err(reason) => check.add(RecordKind::RunState, Some(RunId(id)), &id, &reason),
            }
            Ok(())
        })?;
        Ok(states)
    }

    /// The numbers of the sound events by run.
    fn visit_events(
        &self,
        connection: &Connection,
        visitor: &mut dyn Visitor,
        check: &mut StoreCheck,
    ) -> Result<BTreeMap<i64, Vec<i64>>, StoreError> {
        let mut events: BTreeMap<i64, Vec<i64>> = BTreeMap::new();
        let sql = "SELECT rowid AS row_number, run, seq, kind, payload, checksum FROM events";
        each_row(
            connection,
            check,
            &Table { name: "events", sql, number: "rowid" },
            RawEvent::read,
            |check, row, event| {
                let event = match event {
                    Ok(event) => event,
                    Err(error) => {
                        check.add(RecordKind::Event, None, &format!("in row {row}"), &error);
                        return Ok(());
                    }
                };
                let RawEvent { run, seq, kind, payload, checksum } = &event;
                if checksum::event(*run, *seq, kind, payload) != *checksum || is_no_json(payload) {
                    check.add(RecordKind::Event, Some(RunId(*run)), &seq, &MISMATCH);
                    return Ok(());
                }
                check.events += 1;
                events.entry(*run).or_default().push(*seq);
                visitor.event(&event)
            },
        )?;
        Ok(events)
    }

    fn visit_results(
        &self,
        connection: &Connection,
        visitor: &mut dyn Visitor,
        check: &mut StoreCheck,
    ) -> Result<(), StoreError> {
        let sql = "SELECT rowid AS row_number, key, done, job, body, key_hash, checksum FROM results";
        each_row(
            connection,
            check,
            &Table { name: "results", sql, number: "rowid" },
            RawResult::read,
            |check, row, found| {
                let found = match found {
                    Ok(found) => found,
                    Err(error) => {
                        check.add(RecordKind::Result, None, &format!("in row {row}"), &error);
                        return Ok(());
                    }
                };
                let RawResult { key, done, job, body, key_hash, checksum } = &found;
                let is_sound = checksum::result(key, *done, job, body) == *checksum
                    && checksum::key_hash(key) == *key_hash
                    && ![job, body].into_iter().any(|text| is_no_json(text));
                if !is_sound {
                    check.add(RecordKind::Result, None, &format!("{key} ({done} done)"), &MISMATCH);
                    return Ok(());
                }
                check.results += 1;
                visitor.result(&found)
            },
        )
    }
}

fn is_state_of(record: &DamagedRecord, run: Option<RunId>) -> bool {
    record.kind == RecordKind::RunState && record.run == run
}

fn is_no_json(text: &str) -> bool {
    serde_json::from_str::<IgnoredAny>(text).is_err()
}

/// What SQLite itself finds wrong: pages, indexes, constraints.
fn check_structure(connection: &Connection, check: &mut StoreCheck) {
    let lines = connection
        .prepare("PRAGMA integrity_check")
        .and_then(|mut select| select.query_map([], |row| row.get::<_, String>(0))?.collect::<Result<Vec<_>, _>>());
    match lines {
        Ok(lines) => {
            for line in lines.iter().filter(|line| *line != "ok") {
                check.add(RecordKind::Database, None, &"structure", &line.trim());
            }
        }
        Err(error) => check.add(RecordKind::Database, None, &"structure", &error),
    }
}

/// Names the events that a run should have and does not, if they are not known to be damaged, and those of no run.
fn check_missing(runs: &BTreeMap<i64, Option<i64>>, events: &BTreeMap<i64, Vec<i64>>, check: &mut StoreCheck) {
    for (&run, &count) in runs {
        let mut found = events.get(&run).cloned().unwrap_or_default();
        found.sort_unstable();
        let id = Some(RunId(run));
        let known: Vec<String> = check
            .damaged
            .iter()
            .filter(|record| record.run == id && record.kind == RecordKind::Event)
            .map(|record| record.id.clone())
            .collect();
        for seq in 0..count.unwrap_or(0) {
            if found.binary_search(&seq).is_err() && !known.contains(&seq.to_string()) {
                check.add(RecordKind::Event, id, &seq, &MISSING);
            }
        }
        if let (Some(count), Some(last)) = (count, found.last())
            && *last >= count
        {
            check.add(RecordKind::RunState, id, &run, &format!("it says {count} events, but there is number {last}"));
        }
    }
    for (&run, found) in events.iter().filter(|(run, _)| !runs.contains_key(run)) {
        let reason = format!("{} of its events are there, but it is not", found.len());
        if !check.damaged.iter().any(|record| record.run == Some(RunId(run)) && record.kind == RecordKind::Run) {
            check.add(RecordKind::Run, Some(RunId(run)), &run, &reason);
        }
    }
}

/// A table whose rows are read by number.
struct Table {
    name: &'static str,
    /// Selects the number as the first column, then what is read.
    sql: &'static str,
    /// The column of the number.
    number: &'static str,
}

/// How far apart rows behind a damaged page are looked for.
const FARTHEST: i64 = 1 << 40;
/// How many row numbers at a damaged page are tried one by one.
const MOST_TRIED: i64 = 100_000;

/// Calls `visit` for each row that can be reached, by rising number. What cannot be read is added to the check.
fn each_row<T>(
    connection: &Connection,
    check: &mut StoreCheck,
    table: &Table,
    read: impl Fn(&Row<'_>) -> rusqlite::Result<T>,
    mut visit: impl FnMut(&mut StoreCheck, i64, rusqlite::Result<T>) -> Result<(), StoreError>,
) -> Result<(), StoreError> {
    let Table { name, sql, number } = table;
    let mut next = i64::MIN;
    loop {
        let from = format!("{sql} WHERE {number} >= ?1 ORDER BY {number}");
        let mut select = match connection.prepare(&from) {
            Ok(select) => select,
            Err(error) => {
                check.add(RecordKind::Database, None, name, &error);
                return Ok(());
            }
        };
        let mut rows = select.query([next]).map_err(|error| error.to_string());
        let failure = loop {
            match rows
                .as_mut()
                .map_err(|error| error.clone())
                .and_then(|rows| rows.next().map_err(|error| error.to_string()))
            {
                Ok(Some(row)) => {
                    let Ok(at) = row.get::<_, i64>(0) else { break "a row without a number".to_string() };
                    // Rows out of order would be read for ever.
                    if at < next {
                        break "its rows are not in order".to_string();
                    }
                    visit(check, at, read(row))?;
                    match at.checked_add(1) {
                        Some(behind) => next = behind,
                        None => return Ok(()),
                    }
                }
                Ok(None) => return Ok(()),
                Err(error) => break error,
            }
        };
        check.add(
            RecordKind::Database,
            None,
            &name,
            &format!("rows from number {} on cannot be read: {failure}", next.max(0)),
        );
        match behind_damage(connection, table, next.max(0)) {
            Some(found) => {
                // Single rows may be reached where a scan fails.
                for at in (next.max(0)..found).take(MOST_TRIED as usize) {
                    let one = format!("{sql} WHERE {number} = ?1");
                    let row = connection.query_row(&one, [at], |row| Ok(read(row))).optional();
                    if let Ok(Some(row)) = row {
                        visit(check, at, row)?;
                    }
                }
                next = found;
            }
            None => return Ok(()),
        }
    }
}

/// The number of the first row behind a damaged page that a scan can begin with.
fn behind_damage(connection: &Connection, table: &Table, next: i64) -> Option<i64> {
    let Table { sql, number, .. } = table;
    let from = format!("{sql} WHERE {number} >= ?1 ORDER BY {number} LIMIT 1");
    let mut step = 1;
    while step < FARTHEST {
        let start = next.checked_add(step)?;
        match connection.query_row(&from, [start], |row| row.get::<_, i64>(0)).optional() {
            Ok(Some(found)) if found >= start => return Some(found),
            Ok(_) => return None,
            Err(_) => step *= 2,
        }
    }
    None
}

impl RawEvent {
    fn read(row: &Row<'_>) -> rusqlite::Result<RawEvent> {
        Ok(RawEvent {
            run: row.get(1)?,
            seq: row.get(2)?,
            kind: row.get(3)?,
            payload: row.get(4)?,
            checksum: row.get(5)?,
        })
    }
}

impl RawResult {
    fn read(row: &Row<'_>) -> rusqlite::Result<RawResult> {
        Ok(RawResult {
            key: row.get(1)?,
            done: row.get(2)?,
            job: row.get(3)?,
            body: row.get(4)?,
            key_hash: row.get(5)?,
            checksum: row.get(6)?,
        })
    }
}
