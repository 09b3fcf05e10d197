//! Where the threads of a search are.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::hashing::KeyHashState;

/// The number of threads below each node.
#[derive(Default)]
pub(super) struct Busy([Mutex<HashMap<u64, u32, KeyHashState>>; 16]);

impl Busy {
    pub fn enter(&self, key: u64) {
        *self.part(key).entry(key).or_insert(0) += 1;
    }

    pub fn leave(&self, key: u64) {
        let mut part = self.part(key);
        if let Some(threads) = part.get_mut(&key) {
            *threads -= 1;
            if *threads == 0 {
                part.remove(&key);
            }
        }
    }

    /// How many threads are below a node.
    pub fn threads(&self, key: u64) -> u32 {
        self.part(key).get(&key).copied().unwrap_or(0)
    }

    fn part(&self, key: u64) -> MutexGuard<'_, HashMap<u64, u32, KeyHashState>> {
        let index = (key >> 32) as usize % self.0.len();
        self.0[index].lock().unwrap_or_else(PoisonError::into_inner)
    }
}
