//! Runs: what was asked for, and how it ended.
//!
//! A run is two records. The row in `runs` is written once, and once more when the run finishes. The row in
//! `run_states` holds what changes: the number of events, and the label.

use std::time::{SystemTime, UNIX_EPOCH};

use rusqlite::{Connection, OptionalExtension, params};
use serde::Serialize;

use crate::checksum::{self, RunFields};
use crate::error::StoreError;
use crate::json::{around_difference, encode};
use crate::locks::RunClaim;
use crate::run::{EVENT_FORMAT, NewRun, Run, RunId, Status};
use crate::run_record::{RunRow, RunState, SELECT_RUN};
use crate::store::Store;

impl Store {
    /// Stores a new run, already claimed: no other process can see it unclaimed.
    ///
    /// A parent that is not in the store is [`StoreError::NoSuchRun`].
    pub fn create_run(&self, new: &NewRun) -> Result<RunClaim, StoreError> {
        self.create_labelled_run(new, None)
    }

    /// Stores a new run as [`create_run`](Store::create_run) does, with a label from the start.
    pub fn create_labelled_run(&self, new: &NewRun, label: Option<&str>) -> Result<RunClaim, StoreError> {
        const DOING: &str = "storing a new run";
        let failed = |error| self.failed(DOING, error);
        let config = encode(&new.config, || "the configuration of a new run".into())?.text;
        let command = encode(&new.command, || "the command of a new run".into())?.text;
        let (seed, parent) = (new.seed.to_string(), new.parent.map(|run| run.0));
        self.write(DOING, |transaction| {
            if let Some(parent) = new.parent {
                self.stored_result(transaction, parent)?;
            }
            let id = self.next_run(transaction)?;
            let fields = RunFields {
                id,
                kind: &new.kind,
                game: &new.game,
                config: &config,
                seed: &seed,
                version: &new.version,
                command: &command,
                created_at: now(),
                parent,
                format: i64::from(EVENT_FORMAT),
            };
            create_rows(transaction, &fields, label).map_err(failed)?;
            self.lock_run(RunId(id))
        })
    }

    /// A run with its status.
    pub fn run(&self, run: RunId) -> Result<Run, StoreError> {
        let record = self.run_record(run)?;
        self.with_status(record)
    }

    /// All runs, the newest first.
    pub fn runs(&self) -> Result<Vec<Run>, StoreError> {
        const DOING: &str = "listing the runs";
        let failed = |error| self.failed(DOING, error);
        let (records, states) = self.read(DOING, |transaction| {
            let mut select =
                transaction.prepare_cached(&format!("{SELECT_RUN} ORDER BY runs.id DESC")).map_err(failed)?;
            let mut rows = select.query([]).map_err(failed)?;
            let mut records = Vec::new();
            while let Some(row) = rows.next().map_err(failed)? {
                records.push(RunRow::read(row).map_err(failed)?);
            }
            let states = transaction.query_row("SELECT count(*) FROM run_states", [], |row| row.get::<_, i64>(0));
            Ok((records, states.map_err(failed)?))
        })?;
        if usize::try_from(states) != Ok(records.len()) {
            let reason = format!("{} runs, but the states of {states}", records.len());
            return Err(self.damaged("the list of runs".into(), &reason));
        }
        let mut runs = Vec::with_capacity(records.len());
        for row in records {
            match self.with_status(self.decode_run(row)?) {
                Ok(run) => runs.push(run),
                // Deleted since the rows were read.
                Err(StoreError::NoSuchRun { .. }) => {}
                Err(error) => return Err(error),
            }
        }
        Ok(runs)
    }

    /// Finishes a run with its result. A finished run never changes.
    ///
    /// To finish it again with an equal result does nothing; another result is [`StoreError::RunResultDiffers`].
    pub fn finish_run(&self, run: RunId, result: &impl Serialize) -> Result<(), StoreError> {
        const DOING: &str = "storing the result of a run";
        let failed = |error| self.failed(DOING, error);
        let result = encode(result, || format!("the result of run {run}"))?;
        self.write(DOING, |transaction| match self.stored_result(transaction, run)? {
            None => {
                let finish = "UPDATE runs SET result = ?2, finished_at = ?3, result_checksum = ?4 WHERE id = ?1";
                let finished_at = now();
                let checksum = checksum::run_result(run.0, finished_at, &result.text);
                transaction.execute(finish, params![run.0, result.text, finished_at, checksum]).map_err(failed)?;
                Ok(())
            }
            Some(stored) if result.same_as(&stored) => Ok(()),
            Some(stored) => {
                let (stored, new) = around_difference(&stored, &result.text);
                Err(StoreError::RunResultDiffers { run, stored, new })
            }
        })
    }

    pub(crate) fn is_finished(&self, run: RunId) -> Result<bool, StoreError> {
        Ok(self.stored_result(&self.connection(), run)?.is_some())
    }

    pub(crate) fn require_run(&self, run: RunId) -> Result<(), StoreError> {
        self.is_finished(run).map(drop)
    }

    /// The text of a run's result, `None` while it is unfinished; an error if there is no such run.
    pub(crate) fn stored_result(&self, connection: &Connection, run: RunId) -> Result<Option<String>, StoreError> {
        let (finished_at, result, checksum): (Option<i64>, Option<String>, Option<i64>) = connection
            .prepare_cached("SELECT finished_at, result, result_checksum FROM runs WHERE id = ?1")
            .and_then(|mut select| {
                select.query_row([run.0], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?))).optional()
            })
            .map_err(|error| self.damaged_or_failed(|| format!("run {run}"), "reading a run", error))?
            .ok_or_else(|| self.no_such_run(connection, run))?;
        self.check_result(run, finished_at, result.as_deref(), checksum)?;
        Ok(result)
    }

    /// What may change in a run; an error if there is no such run.
    pub(crate) fn run_state(&self, connection: &Connection, run: RunId) -> Result<RunState, StoreError> {
        let state = connection
            .prepare_cached("SELECT run, events, label, checksum FROM run_states WHERE run = ?1")
            .and_then(|mut select| select.query_row([run.0], RunState::read).optional())
            .map_err(|error| self.damaged_or_failed(|| format!("the state of run {run}"), "reading a run", error))?;
        match state {
            Some(state) => self.check_state(state),
            None => {
                self.stored_result(connection, run)?;
                Err(self.damaged(format!("the state of run {run}"), &"it is missing"))
            }
        }
    }

    fn run_record(&self, run: RunId) -> Result<Run, StoreError> {
        const DOING: &str = "reading a run";
        let row = self.read(DOING, |transaction| {
            transaction
                .prepare_cached(&format!("{SELECT_RUN} WHERE runs.id = ?1"))
                .and_then(|mut select| select.query_row([run.0], RunRow::read).optional())
                .map_err(|error| self.damaged_or_failed(|| format!("run {run}"), DOING, error))?
                .ok_or_else(|| self.no_such_run(transaction, run))
        })?;
        self.decode_run(row)
    }

    /// Adds whether a process works on it. The lock is tested without holding the connection.
    fn with_status(&self, record: Run) -> Result<Run, StoreError> {
        if record.status == Status::Finished {
            return Ok(record);
        }
        if self.is_claimed(record.id)? {
            return Ok(Run { status: Status::Running, ..record });
        }
        // The run may have finished since the record was read. It is interrupted only if it is still unfinished in
        // a record that is read after the lock was seen free.
        self.run_record(record.id)
    }

    /// The number of the next run. The checksum of a run covers its number, so it must be known before the row exists.
    fn next_run(&self, connection: &Connection) -> Result<i64, StoreError> {
        // AUTOINCREMENT keeps the highest number that was ever used, also of deleted runs.
        let last = "SELECT max(coalesce((SELECT seq FROM sqlite_sequence WHERE name = 'runs'), 0),
                               coalesce((SELECT max(id) FROM runs), 0))";
        let last: i64 = connection
            .query_row(last, [], |row| row.get(0))
            .map_err(|error| self.failed("storing a new run", error))?;
        last.checked_add(1).ok_or_else(|| self.damaged("the list of runs".into(), &"its numbers are used up"))
    }

    /// The error for a run that was not found: damage, if its other record is there.
    fn no_such_run(&self, connection: &Connection, run: RunId) -> StoreError {
        let state = connection
            .prepare_cached("SELECT 1 FROM run_states WHERE run = ?1")
            .and_then(|mut select| select.exists([run.0]));
        match state {
            Ok(false) => StoreError::NoSuchRun { path: self.path().into(), run },
            Ok(true) => self.damaged(format!("run {run}"), &"it is missing"),
            Err(error) => self.failed("reading a run", error),
        }
    }
}

/// Stores a run that has neither events nor a result.
fn create_rows(connection: &Connection, run: &RunFields<'_>, label: Option<&str>) -> rusqlite::Result<()> {
    insert_run(connection, run)?;
    connection.execute(
        "INSERT INTO run_states (run, events, label, checksum) VALUES (?1, 0, ?2, ?3)",
        params![run.id, label, checksum::run_state(run.id, 0, label)],
    )?;
    Ok(())
}

/// Stores what a run begins with.
pub(crate) fn insert_run(connection: &Connection, run: &RunFields<'_>) -> rusqlite::Result<()> {
    connection.execute(
        "INSERT INTO runs (id, kind, game, config, seed, version, command, created_at, parent, format, checksum)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11)",
        params![
            run.id,
            run.kind,
            run.game,
            run.config,
            run.seed,
            run.version,
            run.command,
            run.created_at,
            run.parent,
            run.format,
            checksum::run(run)
        ],
    )?;
    Ok(())
}

/// Unix seconds; 0 on a clock set before 1970.
fn now() -> i64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |elapsed| elapsed.as_secs());
    i64::try_from(since).unwrap_or(i64::MAX)
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;
    use crate::store::tests::{break_rules, new_run, new_store};

    #[test]
    fn a_run_comes_back_as_it_was_given() {
        let (_folder, store) = new_store();
        for seed in [0, 1, i64::MAX as u64, i64::MAX as u64 + 1, u64::MAX] {
            let new = NewRun { seed, ..new_run() };
            let claim = store.create_labelled_run(&new, Some("mine")).unwrap();
            let run = Store::open(store.path()).unwrap().run(claim.run()).unwrap();
            let Run { kind, game, config, seed, version, command, parent, .. } = run.clone();
            assert_eq!(NewRun { kind, game, config, seed, version, command, parent }, new);
            assert_eq!((run.format, run.label), (EVENT_FORMAT, Some("mine".to_string())));
            assert_eq!((run.status, run.finished_at, run.result), (Status::Running, None, None));
            assert!(run.created_at > 1_600_000_000);
        }
    }

    #[test]
    fn runs_are_listed_newest_first_with_their_status() {
        let (_folder, store) = new_store();
        let finished = store.create_run(&new_run()).unwrap();
        store.finish_run(finished.run(), &json!({ "best": null })).unwrap();
        store.create_run(&new_run()).map(drop).unwrap();
        let _running = store.create_run(&new_run()).unwrap();

        let listed: Vec<_> = store.runs().unwrap().iter().map(|run| (run.id.0, run.status)).collect();
        assert_eq!(listed, [(3, Status::Running), (2, Status::Interrupted), (1, Status::Finished)]);
    }

    #[test]
    fn a_run_is_finished_once() {
        let (_folder, store) = new_store();
        let run = store.create_run(&new_run()).unwrap().run();
        store.finish_run(run, &json!({ "best": "a", "score": 0.1 })).unwrap();
        let first = store.run(run).unwrap();
        store.finish_run(run, &json!({ "score": 0.1, "best": "a" })).unwrap();
        assert_eq!(store.run(run).unwrap(), first);

        let error = store.finish_run(run, &json!({ "best": "b", "score": 0.1 })).unwrap_err();
        assert!(matches!(error, StoreError::RunResultDiffers { .. }), "{error}");
        assert_eq!(store.run(run).unwrap(), first);
    }

    /// A result may be JSON's null; that is not the same as having none.
    #[test]
    fn nothing_is_a_result_too() {
        let (_folder, store) = new_store();
        let run = store.create_run(&new_run()).unwrap().run();
        store.finish_run(run, &Value::Null).unwrap();
        let run = store.run(run).unwrap();
        assert_eq!((run.status, run.result), (Status::Finished, Some(Value::Null)));
    }

    #[test]
    fn run_numbers_are_positive_integers() {
        assert_eq!("7".parse::<RunId>().unwrap().to_string(), "7");
        for text in ["", "0", "-1", "x7", "7.0", "99999999999999999999"] {
            assert!(text.parse::<RunId>().unwrap_err().to_string().contains(&format!("'{text}'")));
        }
    }

    #[test]
    fn unknown_runs_are_named() {
        let (_folder, store) = new_store();
        let errors = [
            store.run(RunId(3)).unwrap_err(),
            store.finish_run(RunId(3), &1).unwrap_err(),
            store.events(RunId(3)).unwrap_err(),
            store.append_event(RunId(3), 0, "x", &1).unwrap_err(),
        ];
        for error in errors {
            assert!(matches!(error, StoreError::NoSuchRun { run: RunId(3), .. }), "{error}");
        }
    }

    #[test]
    fn a_damaged_run_is_named() {
        for (column, value) in [
            ("config", "'{broken'"),
            ("config", "'{}'"),
            ("seed", "'7'"),
            ("created_at", "7"),
            ("format", "1"),
            ("parent", "1"),
            ("checksum", "1"),
        ] {
            let (_folder, store) = new_store();
            let run = store.create_run(&new_run()).unwrap().run();
            break_rules(&store, &format!("DROP TRIGGER runs_as_begun; UPDATE runs SET {column} = {value}"));
            for error in [store.run(run).map(drop).unwrap_err(), store.runs().map(drop).unwrap_err()] {
                assert!(matches!(error, StoreError::Damaged { .. }), "{column}: {error}");
                assert!(error.to_string().contains("run 1 is damaged"), "{column}: {error}");
            }
        }
    }

    #[test]
    fn a_run_that_lost_one_of_its_records_is_damaged() {
        for table in ["runs", "run_states"] {
            let (_folder, store) = new_store();
            for _ in 0..2 {
                store.create_run(&new_run()).map(drop).unwrap();
            }
            let lose =
                format!("DROP TRIGGER {table}_kept; PRAGMA foreign_keys = OFF; DELETE FROM {table} WHERE rowid = 2");
            break_rules(&store, &lose);
            let error = store.run(RunId(2)).unwrap_err().to_string();
            assert!(error.contains("run 2 is damaged (it is missing)"), "{error}");
            assert!(matches!(store.runs(), Err(StoreError::Damaged { .. })));
        }
    }

    #[test]
    fn a_damaged_result_of_a_run_is_named() {
        for change in ["result = '2'", "finished_at = 7", "result_checksum = 7", "result_checksum = NULL"] {
            let (_folder, store) = new_store();
            let run = store.create_run(&new_run()).unwrap().run();
            store.finish_run(run, &1).unwrap();
            break_rules(&store, &format!("DROP TRIGGER runs_finished; UPDATE runs SET {change}"));
            let errors = [store.run(run).map(drop), store.finish_run(run, &1), store.append_event(run, 0, "step", &1)];
            for error in errors.map(Result::unwrap_err) {
                assert!(error.to_string().contains("the result of run 1 is damaged"), "{change}: {error}");
            }
        }
    }

    #[test]
    fn a_parent_must_exist() {
        let (_folder, store) = new_store();
        let parent = store.create_run(&new_run()).unwrap().run();
        let child = store.create_run(&NewRun { parent: Some(parent), ..new_run() }).unwrap().run();
        assert_eq!(store.run(child).unwrap().parent, Some(parent));
        let orphan = NewRun { parent: Some(RunId(9)), ..new_run() };
        assert!(matches!(store.create_run(&orphan), Err(StoreError::NoSuchRun { run: RunId(9), .. })));
        assert_eq!(store.runs().unwrap().len(), 2);
    }
}
