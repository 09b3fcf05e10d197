//! Runs: what was asked for, and how it ended.

use std::fmt;
use std::str::FromStr;
use std::time::{SystemTime, UNIX_EPOCH};

use rusqlite::{Connection, OptionalExtension, Row, params};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::claim::RunClaim;
use crate::error::StoreError;
use crate::json::{around_difference, encode};
use crate::store::Store;

/// The number of a run in its store: 1, 2, 3, …
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct RunId(pub(crate) i64);

/// A text that is not a run number.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("'{text}' is not a run number; expected something like '7' (`plysmith runs` lists them)")]
pub struct ParseRunIdError {
    text: String,
}

/// What a run is asked to do: everything needed to do it again.
#[derive(Clone, Debug, PartialEq)]
pub struct NewRun {
    /// What sort of run: "discover", "reproduce", …
    pub kind: String,
    /// The name of the game.
    pub game: String,
    /// The full configuration, defaults included.
    pub config: Value,
    /// The seed of all its random numbers.
    pub seed: u64,
    /// The version of the program that began it.
    pub version: String,
    /// The command line that began it, word by word.
    pub command: Vec<String>,
}

/// A run as stored.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Run {
    /// Its number.
    pub id: RunId,
    /// What sort of run: "discover", "reproduce", …
    pub kind: String,
    /// The name of the game.
    pub game: String,
    /// Whether it is finished, being worked on, or neither.
    pub status: Status,
    /// The full configuration, defaults included.
    pub config: Value,
    /// The seed of all its random numbers.
    pub seed: u64,
    /// The version of the program that began it.
    pub version: String,
    /// The command line that began it, word by word.
    pub command: Vec<String>,
    /// When it began, in unix seconds. For people: nothing depends on it.
    pub created_at: u64,
    /// When it finished, in unix seconds.
    pub finished_at: Option<u64>,
    /// What came of it, once finished.
    pub result: Option<Value>,
}

/// How a run stands. Derived from the record and the lock, never stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Status {
    /// A live process is working on it.
    Running,
    /// Not finished, and nobody is working on it: it can be resumed.
    Interrupted,
    /// It has its result.
    Finished,
}

impl Store {
    /// Stores a new run, already claimed: no other process can see it unclaimed.
    pub fn create_run(&self, new: &NewRun) -> Result<RunClaim, StoreError> {
        const DOING: &str = "storing a new run";
        let config = encode(&new.config, || "the configuration of a new run".into())?.text;
        let command = encode(&new.command, || "the command of a new run".into())?.text;
        self.write(DOING, |transaction| {
            transaction
                .execute(
                    "INSERT INTO runs (kind, game, config, seed, version, command, created_at)
                     VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)",
                    params![new.kind, new.game, config, new.seed.to_string(), new.version, command, now()],
                )
                .map_err(|error| self.failed(DOING, error))?;
            self.lock_run(RunId(transaction.last_insert_rowid()))
        })
    }

    /// A run with its status.
    pub fn run(&self, run: RunId) -> Result<Run, StoreError> {
        let record = self.run_record(run)?;
        self.with_status(record)
    }

    /// All runs, the newest first.
    pub fn runs(&self) -> Result<Vec<Run>, StoreError> {
        let doing = |error| self.failed("listing the runs", error);
        let records = {
            let connection = self.connection();
            let mut statement = connection.prepare_cached(&format!("{SELECT_RUN} ORDER BY id DESC")).map_err(doing)?;
            let rows = statement.query_map([], RunRow::read).map_err(doing)?;
            rows.collect::<Result<Vec<_>, _>>().map_err(doing)?
        };
        records.into_iter().map(|row| self.with_status(self.decode_run(row)?)).collect()
    }

    /// Ends a run with its result, once and for all.
    ///
    /// Again with an equal result does nothing; with another one it is [`StoreError::ResultDiffers`].
    pub fn finish_run(&self, run: RunId, result: &impl Serialize) -> Result<(), StoreError> {
        const DOING: &str = "storing the result of a run";
        let failed = |error| self.failed(DOING, error);
        let result = encode(result, || format!("the result of run {run}"))?;
        self.write(DOING, |transaction| match self.stored_result(transaction, run)? {
            None => {
                let finish = "UPDATE runs SET result = ?2, finished_at = ?3 WHERE id = ?1";
                transaction.execute(finish, params![run.0, result.text, now()]).map_err(failed)?;
                Ok(())
            }
            Some(stored) if result.same_as(&stored) => Ok(()),
            Some(stored) => {
                let (stored, new) = around_difference(&stored, &result.text);
                Err(StoreError::ResultDiffers { run, stored, new })
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
        connection
            .prepare_cached("SELECT result FROM runs WHERE id = ?1")
            .and_then(|mut statement| statement.query_row([run.0], |row| row.get(0)).optional())
            .map_err(|error| self.failed("reading a run", error))?
            .ok_or_else(|| self.no_such_run(run))
    }

    fn run_record(&self, run: RunId) -> Result<Run, StoreError> {
        let row = self
            .connection()
            .prepare_cached(&format!("{SELECT_RUN} WHERE id = ?1"))
            .and_then(|mut statement| statement.query_row([run.0], RunRow::read).optional())
            .map_err(|error| self.failed("reading a run", error))?;
        self.decode_run(row.ok_or_else(|| self.no_such_run(run))?)
    }

    /// Adds whether somebody works on it. The lock is looked at without holding the connection.
    fn with_status(&self, record: Run) -> Result<Run, StoreError> {
        if record.status == Status::Finished {
            return Ok(record);
        }
        if self.is_claimed(record.id)? {
            return Ok(Run { status: Status::Running, ..record });
        }
        // It may have finished and been released since the record was read; only a record that is read after the
        // lock was seen free, and still is unfinished, was left behind.
        self.run_record(record.id)
    }

    /// Makes a run of its row; an unfinished one is taken for interrupted until the lock says otherwise.
    fn decode_run(&self, row: RunRow) -> Result<Run, StoreError> {
        let id = RunId(row.id);
        let damaged = |field: &str, reason: &dyn fmt::Display| self.damaged(format!("the {field} of run {id}"), reason);
        let time = |seconds: i64| u64::try_from(seconds).unwrap_or(0);
        Ok(Run {
            id,
            kind: row.kind,
            game: row.game,
            status: if row.result.is_some() { Status::Finished } else { Status::Interrupted },
            config: serde_json::from_str(&row.config).map_err(|error| damaged("configuration", &error))?,
            seed: row.seed.parse().map_err(|error| damaged("seed", &error))?,
            version: row.version,
            command: serde_json::from_str(&row.command).map_err(|error| damaged("command", &error))?,
            created_at: time(row.created_at),
            finished_at: row.finished_at.map(time),
            result: match row.result {
                Some(text) => Some(serde_json::from_str(&text).map_err(|error| damaged("result", &error))?),
                None => None,
            },
        })
    }

    fn no_such_run(&self, run: RunId) -> StoreError {
        StoreError::NoSuchRun { path: self.path().into(), run }
    }
}

impl fmt::Display for RunId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl FromStr for RunId {
    type Err = ParseRunIdError;

    fn from_str(text: &str) -> Result<RunId, ParseRunIdError> {
        match text.parse() {
            Ok(number) if number > 0 => Ok(RunId(number)),
            _ => Err(ParseRunIdError { text: text.into() }),
        }
    }
}

impl fmt::Display for Status {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Status::Running => "running",
            Status::Interrupted => "interrupted",
            Status::Finished => "finished",
        })
    }
}

const SELECT_RUN: &str =
    "SELECT id, kind, game, config, seed, version, command, created_at, finished_at, result FROM runs";

/// A row of `runs`, its texts not yet understood.
struct RunRow {
    id: i64,
    kind: String,
    game: String,
    config: String,
    seed: String,
    version: String,
    command: String,
    created_at: i64,
    finished_at: Option<i64>,
    result: Option<String>,
}

impl RunRow {
    fn read(row: &Row<'_>) -> rusqlite::Result<RunRow> {
        Ok(RunRow {
            id: row.get("id")?,
            kind: row.get("kind")?,
            game: row.get("game")?,
            config: row.get("config")?,
            seed: row.get("seed")?,
            version: row.get("version")?,
            command: row.get("command")?,
            created_at: row.get("created_at")?,
            finished_at: row.get("finished_at")?,
            result: row.get("result")?,
        })
    }
}

/// Unix seconds; 0 on a clock set before 1970.
fn now() -> i64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |elapsed| elapsed.as_secs());
    i64::try_from(since).unwrap_or(i64::MAX)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::store::tests::{break_rules, new_run, new_store};

    #[test]
    fn a_run_comes_back_as_it_was_given() {
        let (_folder, store) = new_store();
        for seed in [0, 1, i64::MAX as u64, i64::MAX as u64 + 1, u64::MAX] {
            let new = NewRun { seed, ..new_run() };
            let claim = store.create_run(&new).unwrap();
            let run = Store::open(store.path()).unwrap().run(claim.run()).unwrap();
            let Run { kind, game, config, seed, version, command, .. } = run.clone();
            assert_eq!(NewRun { kind, game, config, seed, version, command }, new);
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
        assert!(matches!(error, StoreError::ResultDiffers { .. }), "{error}");
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
        let (_folder, store) = new_store();
        let run = store.create_run(&new_run()).unwrap().run();
        break_rules(&store, "DROP TRIGGER runs_as_begun; UPDATE runs SET config = '{broken'");
        let error = store.run(run).unwrap_err().to_string();
        assert!(error.contains("the configuration of run 1 is damaged"), "{error}");
    }
}
