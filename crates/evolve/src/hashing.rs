//! Tables by the keys of positions, which are random numbers already.

use std::hash::{BuildHasherDefault, Hasher};

/// Takes keys as they are.
pub type KeyHashState = BuildHasherDefault<KeyHasher>;

/// A hasher that does nothing.
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
