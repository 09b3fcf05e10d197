//! Jobs: units of work that depend on nothing but their own data.
//!
//! A job owns its data, can be written as JSON and sent elsewhere, and has a key: a hash of everything its result
//! depends on. Equal keys mean equal results on any machine, so a result is stored under its job's key and never
//! computed twice. Large inputs such as suites are named by their content key.
//!
//! Keys are stored. A change to the text that is hashed orphans every stored result of that kind; `tests/keys.rs`
//! pins the key of every kind of job.

use std::fmt;

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use xxhash_rust::xxh3::xxh3_128;

use plysmith_core::search::Interrupt;

/// A unit of work with a storable result.
pub trait Job: Clone + Serialize + DeserializeOwned + Send + Sync + 'static {
    /// The kind's name, as in "game" or "measurement".
    const KIND: &'static str;

    /// Whether any machine can do it: it says all that is needed, or names it by content. Other jobs are done where the
    /// run is.
    const IS_PORTABLE: bool = true;

    /// What the job computes.
    type Result: Serialize + DeserializeOwned + Send + 'static;

    /// The hash of everything the result depends on.
    fn key(&self) -> Key;

    /// How many items of the job a result covers. A result that covers more replaces one that covers fewer; most
    /// jobs are done as a whole.
    fn done(_result: &Self::Result) -> u32 {
        1
    }

    /// Whether this can be the job's result, as far as that shows without computing it: what comes from another machine may
    /// be anything. Says what is wrong.
    fn check(&self, _result: &Self::Result) -> Result<(), String> {
        Ok(())
    }
}

/// Runs jobs one after the other and keeps what is costly to make between them: transposition tables, engine
/// processes. An executor has one worker for each thread.
pub trait Worker<J: Job>: Send {
    /// Why a job could not be run.
    type Error: Send;

    /// Runs a job; `None` if the interrupt was raised before it was done.
    fn run(&mut self, job: &J, interrupt: &Interrupt<'_>) -> Result<Option<J::Result>, Self::Error>;
}

/// The name under which a job's result is stored: 128 bits as 32 hexadecimal digits.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Debug, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Key(String);

impl Key {
    /// The key of a text that spells out everything a result depends on.
    pub fn of(text: &str) -> Key {
        Key(format!("{:032x}", xxh3_128(text.as_bytes())))
    }

    /// A key that was computed elsewhere, such as in the engine crate.
    pub fn from_hex(text: String) -> Key {
        Key(text)
    }

    /// The hexadecimal digits.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}
