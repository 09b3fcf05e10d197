//! The rows of a run, read and verified.

use rusqlite::Row;

use crate::checksum::{self, RunFields};
use crate::error::StoreError;
use crate::run::{Run, RunId, Status};
use crate::store::Store;

/// Selects what [`RunRow::read`] reads.
pub(crate) const SELECT_RUN: &str =
    "SELECT runs.*, run_states.run, events, label, run_states.checksum AS state_checksum
    FROM runs LEFT JOIN run_states ON run_states.run = runs.id";

/// A row of `runs` with its row of `run_states`, not yet verified.
pub(crate) struct RunRow {
    id: i64,
    kind: String,
    game: String,
    config: String,
    seed: String,
    version: String,
    command: String,
    created_at: i64,
    parent: Option<i64>,
    format: i64,
    checksum: i64,
    /// How it ended, all three or none.
    pub finished_at: Option<i64>,
    pub result: Option<String>,
    pub result_checksum: Option<i64>,
    /// Whether any of the three is there.
    pub was_finished: bool,
    /// `None` if the row is missing.
    pub state: Option<RunState>,
}

/// A row of `run_states`: what may change in a run.
#[derive(Clone)]
pub(crate) struct RunState {
    run: i64,
    /// The number of events.
    pub events: i64,
    /// The name that the user gave the run.
    pub label: Option<String>,
    checksum: i64,
}

impl RunRow {
    pub(crate) fn read(row: &Row<'_>) -> rusqlite::Result<RunRow> {
        let state = match row.get::<_, Option<i64>>("run")? {
            Some(run) => Some(RunState {
                run,
                events: row.get("events")?,
                label: row.get("label")?,
                checksum: row.get("state_checksum")?,
            }),
            None => None,
        };
        let (finished_at, result): (Option<i64>, Option<String>) = (row.get("finished_at")?, row.get("result")?);
        let result_checksum: Option<i64> = row.get("result_checksum")?;
        let was_finished = finished_at.is_some() || result.is_some() || result_checksum.is_some();
        Ok(RunRow {
            id: row.get("id")?,
            kind: row.get("kind")?,
            game: row.get("game")?,
            config: row.get("config")?,
            seed: row.get("seed")?,
            version: row.get("version")?,
            command: row.get("command")?,
            created_at: row.get("created_at")?,
            parent: row.get("parent")?,
            format: row.get("format")?,
            checksum: row.get("checksum")?,
            finished_at,
            result,
            result_checksum,
            was_finished,
            state,
        })
    }

    /// Its number, as far as it is known.
    pub(crate) fn run(&self) -> RunId {
        RunId(self.id)
    }

    pub(crate) fn fields(&self) -> RunFields<'_> {
        RunFields {
            id: self.id,
            kind: &self.kind,
            game: &self.game,
            config: &self.config,
            seed: &self.seed,
            version: &self.version,
            command: &self.command,
            created_at: self.created_at,
            parent: self.parent,
            format: self.format,
        }
    }
}

impl RunState {
    /// The run that it is of.
    pub(crate) fn run(&self) -> RunId {
        RunId(self.run)
    }

    pub(crate) fn read(row: &Row<'_>) -> rusqlite::Result<RunState> {
        RunState::read_from(row, 0)
    }

    /// Reads the columns from this one on.
    pub(crate) fn read_from(row: &Row<'_>, first: usize) -> rusqlite::Result<RunState> {
        Ok(RunState {
            run: row.get(first)?,
            events: row.get(first + 1)?,
            label: row.get(first + 2)?,
            checksum: row.get(first + 3)?,
        })
    }
}

/// What is said of a record whose fields are not those that were stored.
pub(crate) const MISMATCH: &str = "its checksum does not match";

impl Store {
    /// Verifies what a run began with.
    pub(crate) fn check_run(&self, row: &RunRow) -> Result<(), StoreError> {
        if checksum::run(&row.fields()) != row.checksum {
            return Err(self.damaged(format!("run {}", row.id), &MISMATCH));
        }
        Ok(())
    }

    /// Makes a run of its rows; an unfinished one is taken for interrupted until the lock says otherwise.
    pub(crate) fn decode_run(&self, row: RunRow) -> Result<Run, StoreError> {
        let id = RunId(row.id);
        self.check_run(&row)?;
        self.check_result(id, row.finished_at, row.result.as_deref(), row.result_checksum)?;
        let Some(state) = row.state else {
            return Err(self.damaged(format!("the state of run {id}"), &"it is missing"));
        };
        let state = self.check_state(state)?;

        let damaged =
            |field: &str, reason: &dyn std::fmt::Display| self.damaged(format!("the {field} of run {id}"), reason);
        let time = |seconds: i64| u64::try_from(seconds).unwrap_or(0);
        Ok(Run {
            id,
            kind: row.kind,
            game: row.game,
            status: if row.result.is_some() { Status::Finished } else { Status::Interrupted },
            config: serde_json::from_str(&row.config).map_err(|error| damaged("configuration", &error))?,
            seed: row.seed.parse().map_err(|error| damaged("seed", &error))?,
            revisions: row.version.split_once('+').map(|(_, revisions)| revisions.to_string()),
            version: row.version.split('+').next().unwrap_or_default().to_string(),
            command: serde_json::from_str(&row.command).map_err(|error| damaged("command", &error))?,
            parent: row.parent.map(RunId),
            format: row.format.try_into().map_err(|error| damaged("format", &error))?,
            label: state.label,
            created_at: time(row.created_at),
            finished_at: row.finished_at.map(time),
            result: match row.result {
                Some(text) => Some(serde_json::from_str(&text).map_err(|error| damaged("result", &error))?),
                None => None,
            },
        })
    }

    /// Verifies how a run ended; all three fields are empty while it has not.
    pub(crate) fn check_result(
        &self,
        run: RunId,
        finished_at: Option<i64>,
        result: Option<&str>,
        stored: Option<i64>,
    ) -> Result<(), StoreError> {
        match (finished_at, result, stored) {
            (None, None, None) => Ok(()),
            (Some(finished_at), Some(result), Some(stored))
                if checksum::run_result(run.0, finished_at, result) == stored =>
            {
                Ok(())
            }
            _ => Err(self.damaged(format!("the result of run {run}"), &MISMATCH)),
        }
    }

    /// Verifies what may change in a run.
    pub(crate) fn check_state(&self, state: RunState) -> Result<RunState, StoreError> {
        if checksum::run_state(state.run, state.events, state.label.as_deref()) != state.checksum {
            return Err(self.damaged(format!("the state of run {}", state.run), &MISMATCH));
        }
        Ok(state)
    }
}
