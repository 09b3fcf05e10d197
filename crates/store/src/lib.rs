//! Plysmith's run store: one SQLite file with every run, its events, and the results of jobs.
//!
//! | What | Type | Written by | Read by |
//! | --- | --- | --- | --- |
//! | the folder of the store | [`Home`] | | [`Home::from_env`] |
//! | the store | [`Store`] | [`Store::open`] | [`Store::open_to_read`] |
//! | a run: configuration, then result | [`NewRun`], [`Run`] | [`Store::create_run`], [`Store::finish_run`] | [`Store::run`], [`Store::runs`] |
//! | the right to work on a run | [`RunClaim`] | [`Store::create_run`], [`Store::claim`] | [`Run::status`](Run) |
//! | what happened in a run, in order | [`Event`] | [`Store::append_event`] | [`Store::events`], [`Store::events_since`], [`Store::stream_events`] |
//! | results of jobs, shared by all runs | [`StoredResult`] | [`Store::put_result`] | [`Store::result`] |
//! | labels, deletion | | [`Store::set_label`], [`Store::delete_runs`] | |
//! | how far a run is | [`Activity`] | [`Store::set_activity`] | [`Store::activity`] |
//! | JSON and CSV for other programs | [`RunExport`] | | [`Store::export_json`], [`Store::export_csv`] |
//! | damage on the disk | [`StoreCheck`], [`Salvage`] | [`Store::salvage`] | [`Store::check`] |
//! | what changed since | [`RunStamp`] | | [`Store::stamps`], [`Store::data_version`] |
//! | everything that can go wrong | [`StoreError`] | | |
//!
//! The store knows nothing of games or learners: configurations, payloads and results are JSON.
//!
//! # Contract
//! - When a call returns `Ok`, its data is on the disk: `kill -9` or a power cut loses at most the call in flight.
//! - Finished runs, events and results never change; triggers in the database enforce it, whoever writes.
//! - Every record has a checksum, and every read verifies it. A record that is not as it was written is
//!   [`StoreError::Damaged`], never wrong data.
//! - Writing the same thing twice is harmless; writing something *different* in its place is an error. So a resumed
//!   run simply replays from the start, and a program whose behaviour changed is caught at the first difference.
//! - Several threads may share a [`Store`], and several processes may open the same file.
//! - A store that is deleted, replaced or truncated while it is open is [`StoreError::Gone`] at the next call.
//! - An older store is migrated when it is opened, completely or not at all. A database that is not ours, or is newer
//!   than this program, is refused without touching a byte of it.
//!
//! # Example
//! A run is stored, and another user of the store follows it:
//!
//! ```
//! use plysmith_store::{Home, NewRun, Status, Store};
//! use serde_json::json;
//!
//! # let folder = tempfile::tempdir().unwrap();
//! let home = Home::at(folder.path());
//! let store = Store::open(&home.store_path())?;
//! let claim = store.create_run(&NewRun {
//!     kind: "discover".into(),
//!     game: "breakthrough".into(),
//!     config: json!({ "depth": 4 }),
//!     seed: 2005,
//!     version: "0.1.0".into(),
//!     command: vec!["plysmith".into(), "discover".into()],
//!     parent: None,
//! })?;
//! let run = claim.run();
//! store.append_event(run, 0, "candidate", &json!({ "name": "captures", "score": 0.5 }))?;
//!
//! // Another process, or the same one: read what is there, then only what is new.
//! let reader = Store::open(&home.store_path())?;
//! let mut seen = reader.events(run)?.len() as u64;
//! store.append_event(run, 1, "candidate", &json!({ "name": "checks", "score": 0.75 }))?;
//! for event in reader.events_since(run, seen)? {
//!     assert_eq!(event.payload["name"], "checks");
//!     seen = event.seq + 1;
//! }
//! assert!(reader.events_since(run, seen)?.is_empty());
//!
//! store.finish_run(run, &json!({ "best": "checks" }))?;
//! assert_eq!(reader.run(run)?.status, Status::Finished);
//! # Ok::<(), plysmith_store::StoreError>(())
//! ```

mod activity;
mod check;
mod checksum;
mod claim;
mod connection;
mod error;
mod event;
mod event_stream;
mod events;
mod export;
mod home;
mod inspect;
mod json;
mod locks;
mod manage;
mod read_only;
mod results;
mod run;
mod run_record;
mod runs;
mod salvage;
mod schema;
mod stamps;
mod store;
mod watch;

pub use activity::Activity;
pub use check::{DamagedRecord, RecordKind, StoreCheck};
pub use error::StoreError;
pub use event::Event;
pub use event_stream::EventStream;
pub use export::{Resolve, RunExport};
pub use home::Home;
pub use locks::RunClaim;
pub use results::{NewResult, StoredResult};
pub use run::{EVENT_FORMAT, NewRun, ParseRunIdError, Run, RunId, Status};
pub use salvage::Salvage;
pub use schema::{APPLICATION_ID, SCHEMA_VERSION};
pub use stamps::{DataVersion, RunStamp};
pub use store::Store;
