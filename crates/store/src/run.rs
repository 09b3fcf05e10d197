//! A run as the store describes it: its number, what was asked for, its status and its result.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};
use serde_json::Value;

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

/// The format of the events of new runs. Runs of version-1 stores have format 1.
///
/// The store does not look into events. The number tells their readers how to read them: in format 1 a `game` event
/// holds the whole game, in format 2 it refers to a stored result by its key.
pub const EVENT_FORMAT: u32 = 2;

/// What a run is asked to do: everything needed to do it again.
#[derive(Clone, Debug, PartialEq)]
pub struct NewRun {
    /// The kind of run: "discover", "reproduce", …
    pub kind: String,
    /// The name of the game.
    pub game: String,
    /// The full configuration, defaults included.
    pub config: Value,
    /// The seed of all its random numbers.
    pub seed: u64,
    /// The version of the program that creates it. Behind a plus sign it may have the revisions of parts of the program
    /// that the run depends on, as semantic versioning has it: `0.2.0+search.5`.
    pub version: String,
    /// The command line that created it, word by word.
    pub command: Vec<String>,
    /// The run that this one follows from, if any; it must be in the store.
    pub parent: Option<RunId>,
}

/// A run as stored.
///
/// As JSON, a run without label or parent has no such fields, and the format of its events is left out.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Run {
    /// Its number.
    pub id: RunId,
    /// The kind of run: "discover", "reproduce", …
    pub kind: String,
    /// The name of the game.
    pub game: String,
    /// Whether it is finished, running or interrupted.
    pub status: Status,
    /// The full configuration, defaults included.
    pub config: Value,
    /// The seed of all its random numbers.
    pub seed: u64,
    /// The version of the program that created it, without what follows a plus sign.
    pub version: String,
    /// What follows the plus sign in the version it was created with: which revisions of which parts it depends on.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub revisions: Option<String>,
    /// The command line that created it, word by word.
    pub command: Vec<String>,
    /// The run that this one follows from.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub parent: Option<RunId>,
    /// The format of its events: 1 in runs of version-1 stores, else [`EVENT_FORMAT`].
    #[serde(skip)]
    pub format: u32,
    /// A name that the user gave it; see [`Store::set_label`](crate::Store::set_label).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub label: Option<String>,
    /// When it was created, in unix seconds. Nothing depends on it.
    pub created_at: u64,
    /// When it finished, in unix seconds.
    pub finished_at: Option<u64>,
    /// Its result, once finished.
    pub result: Option<Value>,
}

/// The status of a run. Derived from the record and the lock, never stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Status {
    /// A live process is working on it.
    Running,
    /// Not finished, and no process is working on it: it can be resumed.
    Interrupted,
    /// It has its result.
    Finished,
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
