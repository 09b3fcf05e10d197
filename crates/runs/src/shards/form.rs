//! What the lines of shards and of results say.
//!
//! A shard begins with a [`ShardHeader`], then come [`ShardLine`]s: blobs before the jobs that need them, and the number of
//! jobs at the end. A file of results begins with a [`ResultsHeader`], then comes a [`ResultLine`] for each job.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::error::RunError;
use crate::job::Key;
use crate::remote::{Blob, BlobName, Envelope};

/// The version of both forms.
pub const VERSION: u32 = 1;

/// The first line of a shard.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ShardHeader {
    /// The version of the form.
    #[serde(rename = "plysmith-shard")]
    pub version: u32,
    /// The run, if the jobs are those of a run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub run: Option<String>,
    /// What the jobs are for.
    pub kind: String,
    /// Which shard this is, counted from 1.
    pub shard: u32,
    /// How many there are.
    pub of: u32,
    /// The version of plysmith.
    pub program: String,
}

/// A further line of a shard.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase", deny_unknown_fields)]
pub enum ShardLine {
    /// What jobs need.
    Blob(SentBlob),
    /// A job.
    Job(Envelope),
    /// The number of jobs, in the last line.
    End(u64),
}

/// A blob with its bytes in hexadecimal digits.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SentBlob {
    name: BlobName,
    bytes: String,
}

/// The first line of a file of results.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ResultsHeader {
    /// The version of the form.
    #[serde(rename = "plysmith-results")]
    pub version: u32,
    /// The key of the shard's content.
    pub content: String,
    /// How many jobs the shard has.
    pub jobs: u64,
    /// The version of plysmith.
    pub program: String,
}

/// The result of a job.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ResultLine {
    /// The job's kind.
    pub kind: String,
    /// The job's key.
    pub key: Key,
    /// The job.
    pub job: Value,
    /// Its result.
    pub result: Value,
}

impl SentBlob {
    /// A blob to be written.
    pub fn new(blob: &Blob) -> SentBlob {
        let bytes = blob.bytes().iter().fold(String::new(), |mut text, byte| {
            text.push(char::from_digit(u32::from(byte >> 4), 16).unwrap_or('0'));
            text.push(char::from_digit(u32::from(byte & 15), 16).unwrap_or('0'));
            text
        });
        SentBlob { name: blob.name().clone(), bytes }
    }

    /// The blob that was read, if it has the content that its name says.
    pub fn read(&self) -> Result<Blob, RunError> {
        let pairs = self.bytes.as_bytes().chunks(2);
        let byte = |pair: &[u8]| u8::from_str_radix(std::str::from_utf8(pair).ok()?, 16).ok();
        let bytes = pairs.map(byte).collect::<Option<Vec<u8>>>();
        let blob = bytes.map(|bytes| Blob::new(&self.name.role, bytes)).filter(|blob| *blob.name() == self.name);
        blob.ok_or_else(|| RunError::input(format!("the {} is not the one that its key names", self.name.role)))
    }
}
