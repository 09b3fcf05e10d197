//! Hash maps keyed by hash keys of positions, which need no further hashing.

use std::hash::{BuildHasherDefault, Hasher};

/// Hash builder that uses keys unchanged.
pub type KeyHashState = BuildHasherDefault<KeyHasher>;

/// Hasher that returns the key unchanged.
#[derive(Default, Debug)]
pub struct KeyHasher(u64);

impl Hasher for KeyHasher {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        bytes.iter().for_each(|&byte| self.0 = self.0.rotate_left(8) ^ u64::from(byte));
    }

    fn write_u64(&mut self, key: u64) {
        self.0 = key;
    }
}
