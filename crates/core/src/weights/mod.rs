//! Weights of evaluations as data: files that `plysmith fit` writes, and what is loaded from them.
//!
//! What a program was built with are heuristics with names. Further weights are loaded at run time; each becomes a
//! [`LoadedWeights`], a small handle that settings carry around. Handles are kept for the life of the process, so
//! settings stay plain values. The content of weights is part of every key that depends on them: the text of settings
//! contains it.

pub mod file;

use std::any::Any;
use std::fmt;
use std::hash::{Hash, Hasher};
use std::sync::{Mutex, PoisonError};

/// Weights that were loaded at run time.
#[derive(Copy, Clone)]
pub struct LoadedWeights(&'static Entry);

struct Entry {
    game: &'static str,
    label: String,
    key: u64,
    tables: Box<dyn Any + Send + Sync>,
}

/// All weights that were loaded so far.
static LOADED: Mutex<Vec<&'static Entry>> = Mutex::new(Vec::new());

impl LoadedWeights {
    /// The handle of these tables, under the name of the file that they are from, or under no name. Equal weights that
    /// were loaded before are not kept twice.
    pub fn intern<T: Any + Send + Sync>(
        game: &'static str,
        label: &str,
        key: u64,
        tables: impl FnOnce() -> T,
    ) -> LoadedWeights {
        let mut loaded = LOADED.lock().unwrap_or_else(PoisonError::into_inner);
        let known = loaded.iter().find(|entry| entry.game == game && entry.key == key && entry.label == label);
        if let Some(entry) = known {
            return LoadedWeights(entry);
        }
        let entry: &'static Entry =
            Box::leak(Box::new(Entry { game, label: label.to_string(), key, tables: Box::new(tables()) }));
        loaded.push(entry);
        LoadedWeights(entry)
    }

    /// The weights that were loaded for a game and are written so: `LABEL#KEY`.
    pub fn find(game: &str, text: &str) -> Option<LoadedWeights> {
        let loaded = LOADED.lock().unwrap_or_else(PoisonError::into_inner);
        let matches = |entry: &&&'static Entry| entry.game == game && LoadedWeights(entry).to_string() == text;
        loaded.iter().find(matches).map(|entry| LoadedWeights(entry))
    }

    /// A number that stands for their content.
    pub fn key(self) -> u64 {
        self.0.key
    }

    /// The tables, if they are of this type.
    #[inline]
    pub fn tables<T: Any>(self) -> Option<&'static T> {
        self.0.tables.downcast_ref()
    }
}

impl PartialEq for LoadedWeights {
    fn eq(&self, other: &LoadedWeights) -> bool {
        std::ptr::eq(self.0, other.0)
    }
}

impl Eq for LoadedWeights {}

impl Hash for LoadedWeights {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.0.key.hash(state);
    }
}

impl fmt::Display for LoadedWeights {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}#{:016x}", self.0.label, self.0.key)
    }
}

impl fmt::Debug for LoadedWeights {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{self}")
    }
}
