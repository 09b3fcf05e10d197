//! An event as the store describes it.

use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::error::StoreError;

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

/// What is said of an event that the run's count includes.
pub(crate) const MISSING: &str = "it is missing";
