//! Weights of evaluations as data: files that `plysmith fit` writes, and what is loaded from them.
//!
//! | file | what |
//! | --- | --- |
//! | [`file`](mod@file) | the form of weight files |
//!
//! What a program was built with are heuristics with names. Further weights are loaded at run time; each becomes a
//! [`LoadedWeights`], a small handle that settings carry around. Handles are kept for the life of the process, so
//! settings stay plain values. The content of weights is part of every key that depends on them: the text of settings
//! contains it.

pub mod file;

use std::any::Any;
use std::fmt;
use std::hash::{Hash, Hasher};
use std::sync::{Mutex, OnceLock, PoisonError};

pub use file::{WeightFile, WeightFileError};

/// Weights that were loaded at run time.
#[derive(Copy, Clone)]
pub struct LoadedWeights(&'static Entry);

/// What a game evaluates with: the numbers of a weight file in the form that its evaluation uses.
pub struct Tables(Box<dyn Any + Send + Sync>);

struct Entry {
    game: &'static str,
    label: String,
    key: u64,
    /// Empty if only the name is known so far.
    tables: OnceLock<Tables>,
    /// What the tables were made of, if it was a file: other machines may need it.
    file: OnceLock<WeightFile>,
    /// See [`LoadedWeights::fingerprint`].
    fingerprint: OnceLock<u64>,
}

/// All weights that were named or loaded so far.
static KNOWN: Mutex<Vec<&'static Entry>> = Mutex::new(Vec::new());

impl Tables {
    /// Tables of any type; the game's evaluation asks for the same one.
    pub fn new(tables: impl Any + Send + Sync) -> Tables {
        Tables(Box::new(tables))
    }
}

impl LoadedWeights {
    /// The handle of these tables, under the name of the file that they are from, or under no name. Equal weights that
    /// were loaded before are not kept twice.
    pub fn intern(game: &'static str, label: &str, key: u64, tables: impl FnOnce() -> Tables) -> LoadedWeights {
        let weights = LoadedWeights::named(game, label, key);
        weights.0.tables.get_or_init(tables);
        weights
    }

    /// A handle for weights that need not be loaded yet: what a stored run says of its settings can be shown without
    /// their files. Nothing may be searched with it before [`LoadedWeights::intern`] has added the tables.
    pub fn named(game: &'static str, label: &str, key: u64) -> LoadedWeights {
        let mut known = KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
        let is_same = |entry: &&&'static Entry| entry.game == game && entry.key == key && entry.label == label;
        if let Some(entry) = known.iter().find(is_same) {
            return LoadedWeights(entry);
        }
        let (tables, file, fingerprint) = (OnceLock::new(), OnceLock::new(), OnceLock::new());
        let label = label.to_string();
        let entry: &'static Entry = Box::leak(Box::new(Entry { game, label, key, tables, file, fingerprint }));
        known.push(entry);
        LoadedWeights(entry)
    }

    /// The weights that were loaded for a game and are written so: `LABEL#KEY`.
    pub fn find(game: &str, text: &str) -> Option<LoadedWeights> {
        let known = KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
        let mut of_game = known.iter().filter(|entry| entry.game == game).map(|entry| LoadedWeights(entry));
        of_game.find(|weights| weights.is_loaded() && weights.to_string() == text)
    }

    /// Remembers what the tables were made of.
    pub(crate) fn remember_file(self, file: &WeightFile) {
        self.0.file.get_or_init(|| file.clone());
    }

    /// What the tables were made of, if it was a file.
    pub fn file(self) -> Option<&'static WeightFile> {
        self.0.file.get()
    }

    /// Whether there are tables.
    pub fn is_loaded(self) -> bool {
        self.0.tables.get().is_some()
    }

    /// The name of the file that they are from.
    pub fn label(self) -> &'static str {
        &self.0.label
    }

    /// What an evaluation with them does, as a number; computed once. See [`crate::fingerprint`].
    pub fn fingerprint(self, compute: impl FnOnce() -> u64) -> u64 {
        *self.0.fingerprint.get_or_init(compute)
    }

    /// A number that stands for their content.
    pub fn key(self) -> u64 {
        self.0.key
    }

    /// The tables, if they are of this type.
    #[inline]
    pub fn tables<T: Any>(self) -> Option<&'static T> {
        self.0.tables.get()?.0.downcast_ref()
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

impl fmt::Debug for Tables {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Tables")
    }
}
