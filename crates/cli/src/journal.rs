//! The journal of a run: its row in the store, and what happens, in order.
//!
//! A run begins as a row with its whole configuration, and everything is stored as it lands. To resume is
//! to do the same again: what is known is recalled instead of computed, and every event must come out
//! as it is stored.

use std::cell::Cell;

use plysmith_store::{Home, NewRun, RunClaim, RunId, Store};
use serde::Serialize;

use crate::failure::Failure;
use crate::interrupt;

/// A run in progress.
pub struct Journal {
    store: Store,
    claim: RunClaim,
    next_event: Cell<u64>,
}

/// Opens the store of this user.
pub fn open_store() -> Result<Store, Failure> {
    Ok(Store::open(&Home::from_env()?.store_path())?)
}

impl Journal {
    /// Begins a new run of this kind; `config` is all that is needed to do it again.
    pub fn begin(kind: &str, game: &str, seed: u64, config: &impl Serialize) -> Result<Journal, Failure> {
        let store = open_store()?;
        let claim = store.create_run(&NewRun {
            kind: kind.to_string(),
            game: game.to_string(),
            config: serde_json::to_value(config).map_err(|error| Failure::Failed(error.into()))?,
            seed,
            version: env!("CARGO_PKG_VERSION").to_string(),
            command: std::env::args_os().map(|word| word.to_string_lossy().into_owned()).collect(),
            parent: None,
        })?;
        Ok(Journal::resume(store, claim))
    }

    /// Goes on with a run.
    pub fn resume(store: Store, claim: RunClaim) -> Journal {
        interrupt::listen();
        Journal { store, claim, next_event: Cell::new(0) }
    }

    /// The run's number.
    pub fn run(&self) -> RunId {
        self.claim.run()
    }

    /// Where everything is kept.
    pub fn store(&self) -> &Store {
        &self.store
    }

    /// Stores what happened.
    pub fn record(&self, kind: &str, event: &impl Serialize) -> Result<(), Failure> {
        self.store.append_event(self.claim.run(), self.next_event.get(), kind, event)?;
        self.next_event.set(self.next_event.get() + 1);
        Ok(())
    }

    /// Stores the result: the run is over.
    pub fn finish(self, result: &impl Serialize) -> Result<(), Failure> {
        Ok(self.store.finish_run(self.claim.run(), result)?)
    }
}
