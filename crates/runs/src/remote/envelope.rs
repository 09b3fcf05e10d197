//! Jobs and answers as they travel: JSON with a version, bounded in size, checked before anything is done with them.

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use thiserror::Error;

use super::blob::{Blob, BlobName, NeededEngine};
use crate::job::{Job, Key};

/// A job on its way to a host.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Envelope {
    /// The version of this form.
    pub version: u32,
    /// The job's kind; see [`Job::KIND`].
    pub kind: String,
    /// The job's key, which the host computes again.
    pub key: Key,
    /// The job.
    pub job: Value,
    /// What the job needs besides.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub blobs: Vec<BlobName>,
    /// The external engines that the job needs. A host that does not offer them refuses it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub engines: Vec<NeededEngine>,
}

/// What a host says to an envelope.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Answer {
    /// The version of this form.
    pub version: u32,
    /// The key of the job.
    pub key: Key,
    /// What became of it.
    pub outcome: Outcome,
}

/// What became of a job.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub enum Outcome {
    /// Its result.
    Result(Value),
    /// This host does not do it; another one may.
    Refused(String),
    /// It was tried, and failed.
    Failed(String),
}

/// A message that is not what it should be.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum MessageError {
    /// Too large.
    #[error("a message of {bytes} bytes; no {what} may have more than {most}")]
    TooLarge {
        /// What it should be.
        what: &'static str,
        /// Its size.
        bytes: usize,
        /// The largest size.
        most: usize,
    },
    /// Of another version.
    #[error("a {what} of version {found}; this program has version {VERSION}: use the same plysmith everywhere")]
    Version {
        /// What it should be.
        what: &'static str,
        /// Its version.
        found: u64,
    },
    /// Not of this form.
    #[error("a message that is no {what}: {reason}")]
    Form {
        /// What it should be.
        what: &'static str,
        /// What is wrong.
        reason: String,
    },
    /// An answer to another job.
    #[error("an answer to the job {found} instead of {expected}")]
    OtherJob {
        /// The job that was sent.
        expected: Key,
        /// The job that was answered.
        found: Key,
    },
    /// The host did not do it.
    #[error("{0}")]
    NotDone(String),
    /// The result is impossible.
    #[error("a result that cannot be: {0}")]
    Impossible(String),
}

/// The version of envelopes and answers.
pub const VERSION: u32 = 1;
/// No envelope and no answer is larger: message brokers take no more than a mebibyte unless told otherwise.
pub const MOST_BYTES: usize = 900_000;
/// The most blobs and engines of one job.
const MOST_NAMES: usize = 64;
/// The longest name of a kind or a role.
const MOST_NAME_BYTES: usize = 64;

impl Envelope {
    /// The envelope of a job that needs these blobs and engines.
    pub fn of<J: Job>(job: &J, blobs: &[Blob], engines: &[NeededEngine]) -> Result<Envelope, MessageError> {
        let form = |error: serde_json::Error| MessageError::Form { what: "job", reason: error.to_string() };
        Ok(Envelope {
            version: VERSION,
            kind: J::KIND.to_string(),
            key: job.key(),
            job: serde_json::to_value(job).map_err(form)?,
            blobs: blobs.iter().map(|blob| blob.name().clone()).collect(),
            engines: engines.to_vec(),
        })
    }

    /// The message; an error if it is too large.
    pub fn to_text(&self) -> Result<String, MessageError> {
        to_text("job", self)
    }

    /// Reads a message.
    pub fn parse(bytes: &[u8]) -> Result<Envelope, MessageError> {
        let envelope: Envelope = parse("job", bytes)?;
        let form = |reason: String| MessageError::Form { what: "job", reason };
        let Envelope { kind, key, blobs, engines, .. } = &envelope;
        check_key(key).map_err(form)?;
        check_name("kind", kind).map_err(form)?;
        if blobs.len() > MOST_NAMES || engines.len() > MOST_NAMES {
            return Err(form(format!("it needs more than {MOST_NAMES} blobs or engines")));
        }
        for BlobName { role, key } in blobs {
            check_key(key).and_then(|()| check_name("role", role)).map_err(form)?;
        }
        engines.iter().try_for_each(|engine| check_hex(&engine.content)).map_err(form)?;
        Ok(envelope)
    }
}

impl Answer {
    /// An answer to this job.
    pub fn new(key: &Key, outcome: Outcome) -> Answer {
        Answer { version: VERSION, key: key.clone(), outcome }
    }

    /// The message. An answer that is too large becomes one that says so.
    pub fn to_text(&self) -> String {
        to_text("answer", self).unwrap_or_else(|error| {
            let refused = Answer::new(&self.key, Outcome::Refused(error.to_string()));
            // This has no part that could be too large or that JSON cannot express.
            serde_json::to_string(&refused).unwrap_or_default()
        })
    }

    /// Reads a message.
    pub fn parse(bytes: &[u8]) -> Result<Answer, MessageError> {
        let answer: Answer = parse("answer", bytes)?;
        check_key(&answer.key).map_err(|reason| MessageError::Form { what: "answer", reason })?;
        Ok(answer)
    }

    /// The result of this job, if that is what it is and if it can be one.
    pub fn result_of<J: Job>(self, job: &J) -> Result<J::Result, MessageError> {
        let expected = job.key();
        if self.key != expected {
            return Err(MessageError::OtherJob { expected, found: self.key });
        }
        let result = match self.outcome {
            Outcome::Result(result) => result,
            Outcome::Refused(reason) | Outcome::Failed(reason) => return Err(MessageError::NotDone(reason)),
        };
        let form = |error: serde_json::Error| MessageError::Form { what: "result", reason: error.to_string() };
        let result: J::Result = serde_json::from_value(result).map_err(form)?;
        job.check(&result).map_err(MessageError::Impossible)?;
        Ok(result)
    }
}

fn to_text(what: &'static str, message: &impl Serialize) -> Result<String, MessageError> {
    let text =
        serde_json::to_string(message).map_err(|error| MessageError::Form { what, reason: error.to_string() })?;
    match text.len() {
        bytes if bytes > MOST_BYTES => Err(MessageError::TooLarge { what, bytes, most: MOST_BYTES }),
        _ => Ok(text),
    }
}

fn parse<T: DeserializeOwned>(what: &'static str, bytes: &[u8]) -> Result<T, MessageError> {
    if bytes.len() > MOST_BYTES {
        return Err(MessageError::TooLarge { what, bytes: bytes.len(), most: MOST_BYTES });
    }
    let form = |error: serde_json::Error| MessageError::Form { what, reason: error.to_string() };
    let value: Value = serde_json::from_slice(bytes).map_err(form)?;
    // The version decides whether the other fields mean anything.
    match value.get("version").and_then(Value::as_u64) {
        None => Err(MessageError::Form { what, reason: "it has no version".to_string() }),
        Some(found) if found != u64::from(VERSION) => Err(MessageError::Version { what, found }),
        Some(_) => serde_json::from_value(value).map_err(form),
    }
}

fn check_key(key: &Key) -> Result<(), String> {
    match key.as_str().len() {
        32 => check_hex(key.as_str()),
        length => Err(format!("a key of {length} characters; expected 32 hexadecimal digits")),
    }
}

fn check_hex(text: &str) -> Result<(), String> {
    let is_digit = |byte: u8| matches!(byte, b'0'..=b'9' | b'a'..=b'f');
    if !text.is_empty() && text.len() <= MOST_NAME_BYTES && text.bytes().all(is_digit) {
        return Ok(());
    }
    Err("a key that is not made of hexadecimal digits".to_string())
}

fn check_name(what: &str, name: &str) -> Result<(), String> {
    let is_letter = |byte: u8| matches!(byte, b'a'..=b'z' | b'-' | b' ');
    if !name.is_empty() && name.len() <= MOST_NAME_BYTES && name.bytes().all(is_letter) {
        return Ok(());
    }
    Err(format!("a {what} that is not a short word of small letters"))
}
