//! What is sent besides envelopes and answers: versioned, bounded, and checked before it is believed.

use std::collections::BTreeMap;

use plysmith_runs::Key;
use plysmith_runs::remote::{Answer, Envelope, MessageError};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// The version of all messages here.
pub const VERSION: u32 = 1;
/// No message is larger. An envelope or answer has at most 900,000 bytes; a mebibyte is what brokers take by default.
pub const MOST_BYTES: usize = 1 << 20;
/// The longest text of a member about itself.
const LONGEST_TEXT: usize = 400;
/// The most entries of a member's lists.
const MOST_ENTRIES: usize = 10_000;

/// A job on its way to a worker.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct JobMessage {
    /// The version of this message.
    pub version: u32,
    /// What the coordinator's searches do; a worker whose searches do something else leaves the job alone.
    pub signature: String,
    /// The job.
    pub envelope: Envelope,
}

/// A worker's answer.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct AnswerMessage {
    /// The version of this message.
    pub version: u32,
    /// Who answers.
    pub worker: String,
    /// What its searches do.
    pub signature: String,
    /// How long it took, in microseconds.
    pub micros: u64,
    /// The answer.
    pub answer: Answer,
}

/// What a worker says about itself, every few seconds.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct WorkerReport {
    /// The version of this message.
    pub version: u32,
    /// The worker.
    pub worker: String,
    /// Its program's version.
    pub program: String,
    /// What its searches do.
    pub signature: String,
    /// The cores of its machine.
    pub cores: u64,
    /// How many jobs it does at a time.
    pub threads: u64,
    /// Nodes a second of one thread in the bench searches.
    pub speed: u64,
    /// External engines that it offers: content keys by name.
    #[serde(default)]
    pub engines: BTreeMap<String, String>,
    /// The jobs that it works on or has taken.
    #[serde(default)]
    pub in_hand: Vec<Key>,
    /// How many jobs it has done.
    pub done: u64,
    /// How it stands.
    pub state: WorkerState,
}

/// How a worker stands.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum WorkerState {
    /// It takes jobs.
    #[default]
    Working,
    /// It finishes what it has.
    Draining,
    /// It has left.
    Left,
    /// It was refused.
    Refused,
}

/// What a coordinator says about itself, every few seconds.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct CoordinatorReport {
    /// The version of this message.
    pub version: u32,
    /// The coordinator.
    pub coordinator: String,
    /// What it was started with, in words.
    pub command: String,
    /// Jobs that were sent and have no result.
    pub open: u64,
    /// Results that wait for the check of a sample.
    pub provisional: u64,
    /// Results that count.
    pub done: u64,
    /// Jobs that were measured a second time, to check a worker.
    pub checks: u64,
    /// Jobs that were sent again because nothing was heard of them.
    pub sent_again: u64,
    /// Jobs a second, over the last minute.
    pub rate: f64,
    /// The seconds that the jobs which were sent will take.
    pub eta: Option<f64>,
    /// How many results each worker delivered.
    #[serde(default)]
    pub delivered: BTreeMap<String, u64>,
    /// Workers that were refused, and why.
    #[serde(default)]
    pub refused: BTreeMap<String, String>,
    /// Whether it has ended.
    pub is_over: bool,
}

/// Jobs that are no longer needed.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Withdrawal {
    /// The version of this message.
    pub version: u32,
    /// The jobs.
    pub keys: Vec<Key>,
}

/// A question for a piece of a blob.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct BlobQuestion {
    /// The version of this message.
    pub version: u32,
    /// From this byte on.
    pub offset: u64,
}

/// Why a worker was refused.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Refusal {
    /// The version of this message.
    pub version: u32,
    /// In words.
    pub reason: String,
}

/// A message of this module.
pub trait Message: Serialize + DeserializeOwned {
    /// What it is, in words.
    const WHAT: &'static str;

    /// Whether its parts are possible; says what is wrong.
    fn check(&self) -> Result<(), String>;

    /// As it is sent.
    fn to_bytes(&self) -> Vec<u8> {
        // Maps with text as keys, numbers and text: JSON can express all of it.
        serde_json::to_vec(self).unwrap_or_default()
    }

    /// Reads a message.
    fn parse(bytes: &[u8]) -> Result<Self, MessageError> {
        let what = Self::WHAT;
        if bytes.len() > MOST_BYTES {
            return Err(MessageError::TooLarge { what, bytes: bytes.len(), most: MOST_BYTES });
        }
        let form = |reason: String| MessageError::Form { what, reason };
        let value: Value = serde_json::from_slice(bytes).map_err(|error| form(error.to_string()))?;
        match value.get("version").and_then(Value::as_u64) {
            None => return Err(form("it has no version".to_string())),
            Some(found) if found != u64::from(VERSION) => return Err(MessageError::Version { what, found }),
            Some(_) => {}
        }
        let message: Self = serde_json::from_value(value).map_err(|error| form(error.to_string()))?;
        message.check().map_err(form)?;
        Ok(message)
    }
}

impl Message for JobMessage {
    const WHAT: &'static str = "job";

    fn check(&self) -> Result<(), String> {
        check_text(&self.signature)?;
        // An envelope checks itself when it is read from text.
        let text = self.envelope.to_text().map_err(|error| error.to_string())?;
        Envelope::parse(text.as_bytes()).map(|_| ()).map_err(|error| error.to_string())
    }
}

impl Message for AnswerMessage {
    const WHAT: &'static str = "answer";

    fn check(&self) -> Result<(), String> {
        check_id(&self.worker)?;
        check_text(&self.signature)?;
        check_key(&self.answer.key)
    }
}

impl Message for WorkerReport {
    const WHAT: &'static str = "report of a worker";

    fn check(&self) -> Result<(), String> {
        check_id(&self.worker)?;
        check_text(&self.program)?;
        check_text(&self.signature)?;
        if self.engines.len() > MOST_ENTRIES || self.in_hand.len() > MOST_ENTRIES {
            return Err("it has too many entries".to_string());
        }
        self.engines.iter().try_for_each(|(name, key)| check_text(name).and_then(|()| check_text(key)))
    }
}

impl Message for CoordinatorReport {
    const WHAT: &'static str = "report of a coordinator";

    fn check(&self) -> Result<(), String> {
        check_id(&self.coordinator)?;
        check_text(&self.command)?;
        if self.delivered.len() > MOST_ENTRIES || self.refused.len() > MOST_ENTRIES {
            return Err("it has too many entries".to_string());
        }
        self.refused.values().try_for_each(|reason| check_text(reason))
    }
}

impl Message for Withdrawal {
    const WHAT: &'static str = "withdrawal";

    fn check(&self) -> Result<(), String> {
        self.keys.iter().try_for_each(check_key)
    }
}

impl Message for BlobQuestion {
    const WHAT: &'static str = "question for a blob";

    fn check(&self) -> Result<(), String> {
        Ok(())
    }
}

impl Message for Refusal {
    const WHAT: &'static str = "refusal";

    fn check(&self) -> Result<(), String> {
        check_text(&self.reason)
    }
}

/// Cuts a text so that a message may carry it.
pub fn short(text: &str) -> String {
    text.chars().take(LONGEST_TEXT / 4).collect()
}

fn check_text(text: &str) -> Result<(), String> {
    if text.len() <= LONGEST_TEXT { Ok(()) } else { Err(format!("a text of {} bytes", text.len())) }
}

fn check_id(id: &str) -> Result<(), String> {
    let is_letter = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'-';
    let is_good = !id.is_empty() && id.len() <= 64 && id.bytes().all(is_letter);
    if is_good { Ok(()) } else { Err("an id that is not made of letters, digits and '-'".to_string()) }
}

fn check_key(key: &Key) -> Result<(), String> {
    let is_digit = |byte: u8| matches!(byte, b'0'..=b'9' | b'a'..=b'f');
    let is_good = key.as_str().len() == 32 && key.as_str().bytes().all(is_digit);
    if is_good { Ok(()) } else { Err("a key that is not made of 32 hexadecimal digits".to_string()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reports_are_checked() {
        let report = WorkerReport { version: VERSION, worker: "a-1".to_string(), ..WorkerReport::default() };
        assert_eq!(WorkerReport::parse(&report.to_bytes()).unwrap(), report);
        let refused = |report: &WorkerReport, said: &str| {
            let error = WorkerReport::parse(&report.to_bytes()).unwrap_err().to_string();
            assert!(error.contains(said), "{error}");
        };
        refused(&WorkerReport { version: 9, ..report.clone() }, "version 9");
        refused(&WorkerReport { worker: "a.*.>".to_string(), ..report.clone() }, "an id");
        refused(&WorkerReport { program: "x".repeat(9999), ..report.clone() }, "9999 bytes");
        let huge = WorkerReport::parse(&vec![b'['; MOST_BYTES + 1]).unwrap_err().to_string();
        assert!(huge.contains("no report of a worker may have more than"), "{huge}");
        assert!(WorkerReport::parse(b"\xff").is_err() && WorkerReport::parse(b"{}").is_err());
    }
}
