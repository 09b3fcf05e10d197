//! Version 2: checksums, labels, parents, deletion of runs; `measurements` become `results`.
//!
//! The tables are made anew and filled row by row, because the checksums are computed here and not in SQL, and because
//! a table cannot be given AUTOINCREMENT later. Texts are copied as they are.

use std::path::Path;

use rusqlite::types::FromSql;
use rusqlite::{Connection, Row, params};
use serde::de::IgnoredAny;

use crate::checksum::{self, RunFields};
use crate::error::StoreError;

/// The format of the events of all runs that were begun under version 1.
const FIRST_FORMAT: i64 = 1;

/// Sets the old tables aside. Their triggers go first, so that their names are free.
const SET_ASIDE: &str = "
    DROP TRIGGER IF EXISTS runs_once;
    DROP TRIGGER IF EXISTS runs_kept;
    DROP TRIGGER IF EXISTS runs_finished;
    DROP TRIGGER IF EXISTS runs_as_begun;
    DROP TRIGGER IF EXISTS events_once;
    DROP TRIGGER IF EXISTS events_of_unfinished;
    DROP TRIGGER IF EXISTS events_kept;
    DROP TRIGGER IF EXISTS events_fixed;
    DROP TRIGGER IF EXISTS measurements_once;
    DROP TRIGGER IF EXISTS measurements_kept;
    DROP TRIGGER IF EXISTS measurements_fixed;
    ALTER TABLE runs RENAME TO old_runs;
    ALTER TABLE events RENAME TO old_events;
";

const TABLES: &str = "
    CREATE TABLE runs (
        id              INTEGER PRIMARY KEY AUTOINCREMENT CHECK (id > 0), -- a number is never used again
        kind            TEXT    NOT NULL,
        game            TEXT    NOT NULL,
        config          TEXT    NOT NULL CHECK (json_valid(config)),
        seed            TEXT    NOT NULL, -- decimal: SQLite's integers are signed and end at 2^63
        version         TEXT    NOT NULL,
        command         TEXT    NOT NULL CHECK (json_valid(command)),
        created_at      INTEGER NOT NULL, -- unix seconds
        parent          INTEGER REFERENCES runs (id),
        format          INTEGER NOT NULL, -- of its events
        checksum        INTEGER NOT NULL, -- of all columns above
        finished_at     INTEGER,
        result          TEXT CHECK (result IS NULL OR json_valid(result)),
        result_checksum INTEGER,
        CHECK ((finished_at IS NULL) = (result IS NULL) AND (result IS NULL) = (result_checksum IS NULL))
    ) STRICT;

    -- What changes while a run goes on, or later. Small, because it is written with every event.
    CREATE TABLE run_states (
        run      INTEGER PRIMARY KEY REFERENCES runs (id),
        events   INTEGER NOT NULL CHECK (events >= 0), -- how many; so a lost one is noticed
        label    TEXT,
        checksum INTEGER NOT NULL
    ) STRICT;

    CREATE TABLE events (
        run      INTEGER NOT NULL REFERENCES runs (id),
        seq      INTEGER NOT NULL CHECK (seq >= 0),
        kind     TEXT    NOT NULL,
        payload  TEXT    NOT NULL CHECK (json_valid(payload)),
        checksum INTEGER NOT NULL,
        PRIMARY KEY (run, seq)
    ) STRICT;

    CREATE TABLE results (
        key      TEXT    NOT NULL,
        done     INTEGER NOT NULL CHECK (done >= 0),
        job      TEXT    NOT NULL CHECK (json_valid(job)),
        body     TEXT    NOT NULL CHECK (json_valid(body)),
        key_hash INTEGER NOT NULL,
        checksum INTEGER NOT NULL,
        PRIMARY KEY (key, done)
    ) STRICT;

    -- A second way to every result: a damaged index cannot hide one unnoticed.
    CREATE INDEX results_by_hash ON results (key_hash, done);

    -- The runs that may be deleted. A row lives only inside the transaction that deletes its run.
    CREATE TABLE deletions (
        run INTEGER PRIMARY KEY
    ) STRICT;
";

const TRIGGERS: &str = "
    CREATE TRIGGER runs_once BEFORE INSERT ON runs
        WHEN EXISTS (SELECT 1 FROM runs WHERE id = NEW.id)
        BEGIN SELECT RAISE(ABORT, 'runs are never replaced'); END;
    CREATE TRIGGER runs_kept BEFORE DELETE ON runs
        WHEN NOT EXISTS (SELECT 1 FROM deletions WHERE run = OLD.id)
        BEGIN SELECT RAISE(ABORT, 'runs are deleted only by plysmith'); END;
    CREATE TRIGGER runs_finished BEFORE UPDATE ON runs
        WHEN OLD.finished_at IS NOT NULL
        BEGIN SELECT RAISE(ABORT, 'finished runs never change'); END;
    CREATE TRIGGER runs_as_begun BEFORE UPDATE OF
        id, kind, game, config, seed, version, command, created_at, parent, format, checksum ON runs
        BEGIN SELECT RAISE(ABORT, 'what a run began with never changes'); END;

    CREATE TRIGGER run_states_once BEFORE INSERT ON run_states
        WHEN EXISTS (SELECT 1 FROM run_states WHERE run = NEW.run)
        BEGIN SELECT RAISE(ABORT, 'run states are never replaced'); END;
    CREATE TRIGGER run_states_kept BEFORE DELETE ON run_states
        WHEN NOT EXISTS (SELECT 1 FROM deletions WHERE run = OLD.run)
        BEGIN SELECT RAISE(ABORT, 'runs are deleted only by plysmith'); END;
    CREATE TRIGGER run_states_count BEFORE UPDATE ON run_states
        WHEN NEW.run <> OLD.run OR NEW.events NOT IN (OLD.events, OLD.events + 1) OR NEW.checksum = OLD.checksum
        BEGIN SELECT RAISE(ABORT, 'run states are changed only by plysmith'); END;

    CREATE TRIGGER events_once BEFORE INSERT ON events
        WHEN EXISTS (SELECT 1 FROM events WHERE run = NEW.run AND seq = NEW.seq)
        BEGIN SELECT RAISE(ABORT, 'events are never replaced'); END;
    CREATE TRIGGER events_of_unfinished BEFORE INSERT ON events
        WHEN EXISTS (SELECT 1 FROM runs WHERE id = NEW.run AND finished_at IS NOT NULL)
        BEGIN SELECT RAISE(ABORT, 'finished runs never change'); END;
    CREATE TRIGGER events_kept BEFORE DELETE ON events
        WHEN NOT EXISTS (SELECT 1 FROM deletions WHERE run = OLD.run)
        BEGIN SELECT RAISE(ABORT, 'events are deleted only by plysmith, with their run'); END;
    CREATE TRIGGER events_fixed BEFORE UPDATE ON events
        BEGIN SELECT RAISE(ABORT, 'events never change'); END;

    CREATE TRIGGER results_once BEFORE INSERT ON results
        WHEN EXISTS (SELECT 1 FROM results WHERE key = NEW.key AND done = NEW.done)
        BEGIN SELECT RAISE(ABORT, 'results are never replaced'); END;
    CREATE TRIGGER results_kept BEFORE DELETE ON results
        BEGIN SELECT RAISE(ABORT, 'results are never deleted'); END;
    CREATE TRIGGER results_fixed BEFORE UPDATE ON results
        BEGIN SELECT RAISE(ABORT, 'results never change'); END;
";

const DROP_OLD: &str = "DROP TABLE old_events; DROP TABLE old_runs; DROP TABLE measurements;";

/// Replaces the tables of version 1 by those of version 2, with all their rows.
pub(super) fn migrate(connection: &Connection, path: &Path) -> Result<(), StoreError> {
    let step = Step { connection, path };
    step.batch(SET_ASIDE)?;
    step.batch(TABLES)?;
    step.copy_runs()?;
    step.copy_events()?;
    step.copy_results()?;
    step.batch(DROP_OLD)?;
    // Last, so that the copying need not pass them.
    step.batch(TRIGGERS)
}

struct Step<'a> {
    connection: &'a Connection,
    path: &'a Path,
}

impl Step<'_> {
    fn copy_runs(&self) -> Result<(), StoreError> {
        let insert = "INSERT INTO runs (id, kind, game, config, seed, version, command, created_at, parent, format,
                      checksum, finished_at, result, result_checksum)
                      VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, NULL, ?9, ?10, ?11, ?12, ?13)";
        let insert_state = "INSERT INTO run_states (run, events, label, checksum)
                            SELECT ?1, count(*), NULL, 0 FROM old_events WHERE run = ?1 RETURNING events";
        self.for_each("SELECT * FROM old_runs ORDER BY id", |row| {
            let id: i64 = self.get(row, "id", "a run")?;
            let what = format!("run {id}");
            let text = |column| self.get::<String>(row, column, &what);
            let (config, command) = (self.json(&text("config")?, &what)?, self.json(&text("command")?, &what)?);
            let (kind, game, seed, version) = (text("kind")?, text("game")?, text("seed")?, text("version")?);
            let created_at = self.get(row, "created_at", &what)?;
            let fields = RunFields {
                id,
                kind: &kind,
                game: &game,
                config: &config,
                seed: &seed,
                version: &version,
                command: &command,
                created_at,
                parent: None,
                format: FIRST_FORMAT,
            };
            let finished_at: Option<i64> = self.get(row, "finished_at", &what)?;
            let result: Option<String> = self.get(row, "result", &what)?;
            let result = result.map(|text| self.json(&text, &what)).transpose()?;
            let result_checksum = match (finished_at, &result) {
                (Some(finished_at), Some(result)) => Some(checksum::run_result(id, finished_at, result)),
                (None, None) => None,
                _ => return Err(self.damaged(&what, "it is finished without a result, or has one unfinished")),
            };
            let checksum = checksum::run(&fields);
            let row = params![
                id,
                kind,
                game,
                config,
                seed,
                version,
                command,
                created_at,
                FIRST_FORMAT,
                checksum,
                finished_at,
                result,
                result_checksum
            ];
            self.execute(insert, row)?;
            let events: i64 = self.connection.query_row(insert_state, [id], |row| row.get(0)).map_err(self.failed())?;
            let checksum = checksum::run_state(id, events, None);
            self.execute("UPDATE run_states SET checksum = ?2 WHERE run = ?1", params![id, checksum])
        })
    }

    fn copy_events(&self) -> Result<(), StoreError> {
        let insert = "INSERT INTO events (run, seq, kind, payload, checksum) VALUES (?1, ?2, ?3, ?4, ?5)";
        self.for_each("SELECT run, seq, kind, payload FROM old_events ORDER BY run, seq", |row| {
            let run: i64 = self.get(row, "run", "an event")?;
            let seq: i64 = self.get(row, "seq", "an event")?;
            let what = format!("event {seq} of run {run}");
            let kind: String = self.get(row, "kind", &what)?;
            let payload = self.json(&self.get::<String>(row, "payload", &what)?, &what)?;
            let checksum = checksum::event(run, seq, &kind, &payload);
            self.execute(insert, params![run, seq, kind, payload, checksum])
        })
    }

    fn copy_results(&self) -> Result<(), StoreError> {
        let insert = "INSERT INTO results (key, done, job, body, key_hash, checksum) VALUES (?1, ?2, ?3, ?4, ?5, ?6)";
        self.for_each("SELECT key, done, job, body FROM measurements ORDER BY rowid", |row| {
            let key: String = self.get(row, "key", "a result")?;
            let done: i64 = self.get(row, "done", "a result")?;
            let what = format!("result {key} ({done} done)");
            let job = self.json(&self.get::<String>(row, "job", &what)?, &what)?;
            let body = self.json(&self.get::<String>(row, "body", &what)?, &what)?;
            let checksum = checksum::result(&key, done, &job, &body);
            self.execute(insert, params![key, done, job, body, checksum::key_hash(&key), checksum])
        })
    }

    fn batch(&self, sql: &str) -> Result<(), StoreError> {
        self.connection.execute_batch(sql).map_err(self.failed())
    }

    fn execute(&self, sql: &str, row: impl rusqlite::Params) -> Result<(), StoreError> {
        self.connection.prepare_cached(sql).and_then(|mut insert| insert.execute(row)).map_err(self.failed())?;
        Ok(())
    }

    /// Calls `work` for each row, without holding them all in memory.
    fn for_each(&self, sql: &str, work: impl Fn(&Row<'_>) -> Result<(), StoreError>) -> Result<(), StoreError> {
        let mut select = self.connection.prepare(sql).map_err(self.failed())?;
        let mut rows = select.query([]).map_err(self.failed())?;
        while let Some(row) = rows.next().map_err(self.failed())? {
            work(row)?;
        }
        Ok(())
    }

    fn get<T: FromSql>(&self, row: &Row<'_>, column: &str, what: &str) -> Result<T, StoreError> {
        row.get(column).map_err(|error| self.damaged(what, &error.to_string()))
    }

    /// The text, if it is JSON. What is damaged already must not be given a checksum that says it is sound.
    fn json(&self, text: &str, what: &str) -> Result<String, StoreError> {
        serde_json::from_str::<IgnoredAny>(text).map_err(|error| self.damaged(what, &error.to_string()))?;
        Ok(text.into())
    }

    fn damaged(&self, what: &str, reason: &str) -> StoreError {
        StoreError::Damaged { path: self.path.into(), what: what.into(), reason: reason.into() }
    }

    fn failed(&self) -> impl Fn(rusqlite::Error) -> StoreError + '_ {
        |error| StoreError::from_sqlite(self.path, super::DOING, error)
    }
}
