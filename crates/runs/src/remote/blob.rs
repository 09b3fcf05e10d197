//! Blobs: what many jobs share and what is too large for each of them, such as a suite. Sent once, checked by content.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use plysmith_engine::process::EngineCommand;
use serde::{Deserialize, Serialize};
use xxhash_rust::xxh3::xxh3_128;

use crate::job::Key;

/// Bytes that jobs name by their content key.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Blob {
    name: BlobName,
    bytes: Arc<[u8]>,
}

/// What a blob is for, and the key of its content.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BlobName {
    /// What the job needs it for, as in "suite" or "weights".
    pub role: String,
    /// The key of its bytes.
    pub key: Key,
}

/// What jobs need besides themselves.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Needs {
    /// Suites, weights and the like.
    pub blobs: Vec<Blob>,
    /// External engines.
    pub engines: Vec<NeededEngine>,
}

/// An external engine that a job names.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NeededEngine {
    /// Its command line where the run is. Hosts start engines by their own command lines.
    pub command: String,
    /// The content key of its program and of the files that its arguments name.
    pub content: String,
}

/// Where hosts get blobs from.
pub trait BlobSource: Send + Sync {
    /// The bytes with this content key, or why there are none. Whoever asks checks their key.
    fn fetch(&self, key: &Key) -> Result<Arc<[u8]>, String>;
}

/// Blobs in memory.
#[derive(Debug, Default)]
pub struct BlobMap(Mutex<HashMap<Key, Arc<[u8]>>>);

/// No blob is larger: the longest weight files and suites are.
pub const MOST_BYTES: usize = 64 << 20;

impl Blob {
    /// These bytes in this role.
    pub fn new(role: &str, bytes: Vec<u8>) -> Blob {
        Blob { name: BlobName { role: role.to_string(), key: content_key(&bytes) }, bytes: bytes.into() }
    }

    /// What it is for, and its key.
    pub fn name(&self) -> &BlobName {
        &self.name
    }

    /// The content.
    pub fn bytes(&self) -> &Arc<[u8]> {
        &self.bytes
    }
}

impl NeededEngine {
    /// The engine of a command line. Its program is read.
    pub fn of(command: &EngineCommand) -> Result<NeededEngine, String> {
        let unreadable = |error| format!("cannot read the program of '{command}': {error}");
        let content = plysmith_engine::driver::content_key(command).map_err(unreadable)?;
        Ok(NeededEngine { command: command.to_string(), content })
    }
}

impl From<Vec<Blob>> for Needs {
    fn from(blobs: Vec<Blob>) -> Needs {
        Needs { blobs, engines: Vec::new() }
    }
}

impl BlobName {
    /// Gets the bytes and checks that they are the ones that are meant.
    pub fn fetch(&self, source: &dyn BlobSource) -> Result<Arc<[u8]>, String> {
        let BlobName { role, key } = self;
        let bytes = source.fetch(key).map_err(|reason| format!("the {role} {key} cannot be had: {reason}"))?;
        if bytes.len() > MOST_BYTES {
            return Err(format!("the {role} {key} is larger than {} MiB", MOST_BYTES >> 20));
        }
        match content_key(&bytes) {
            found if found == *key => Ok(bytes),
            found => Err(format!("the {role} {key} arrived with the content {found}")),
        }
    }
}

/// The key under which bytes are sent: of their content, whatever they are for.
pub fn content_key(bytes: &[u8]) -> Key {
    Key::from_hex(format!("{:032x}", xxh3_128(bytes)))
}

impl BlobMap {
    /// Adds a blob.
    pub fn insert(&self, blob: &Blob) {
        let mut blobs = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        blobs.entry(blob.name.key.clone()).or_insert_with(|| blob.bytes.clone());
    }
}

impl BlobSource for BlobMap {
    fn fetch(&self, key: &Key) -> Result<Arc<[u8]>, String> {
        let blobs = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        blobs.get(key).cloned().ok_or_else(|| "nobody has sent it".to_string())
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::{Blob, BlobMap, BlobSource};
    use crate::job::Key;

    #[test]
    fn the_content_is_checked() {
        let (blobs, blob) = (BlobMap::default(), Blob::new("suite", b"problems".to_vec()));
        let missing = blob.name().fetch(&blobs).unwrap_err();
        assert!(missing.contains("suite") && missing.contains("nobody has sent it"), "{missing}");
        blobs.insert(&blob);
        assert_eq!(&*blob.name().fetch(&blobs).unwrap(), b"problems");

        struct Liar;
        impl BlobSource for Liar {
            fn fetch(&self, _: &Key) -> Result<Arc<[u8]>, String> {
                Ok(b"other problems".as_slice().into())
            }
        }
        let wrong = blob.name().fetch(&Liar).unwrap_err();
        assert!(wrong.contains("arrived with the content"), "{wrong}");
    }
}
