//! The run store: what was asked, what happened, what was measured, in one SQLite file.
//!
//! Every run is a row with its whole configuration; every event of a run is appended as it lands; measurements are
//! kept under the content key of their job and shared between runs. The store knows nothing of games or learners:
//! configurations, payloads and results are JSON.
//!
//! # Contract
//! - What a call returned `Ok` for is on the disk: `kill -9` or a power cut lose at most the call in flight.
//! - Finished runs, events and measurements never change; triggers in the database enforce it, whoever writes.
//! - Writing the same thing twice is harmless, writing something *different* in its place is an error. So a resumed
//!   run simply replays from the start, and a program whose behaviour changed is caught at the first difference.
//! - Several threads may share a [`Store`], and several processes may open the same file.
//! - A database that is not ours, or is newer than this program, is refused without touching a byte of it.
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
//! })?;
//! store.append_event(claim.run(), 0, "candidate", &json!({ "name": "captures", "score": 0.5 }))?;
//! store.finish_run(claim.run(), &json!({ "best": "captures" }))?;
//! assert_eq!(store.run(claim.run())?.status, Status::Finished);
//! # Ok::<(), plysmith_store::StoreError>(())
//! ```

mod claim;
mod error;
mod events;
mod export;
mod home;
mod inspect;
mod json;
mod measurements;
mod runs;
mod schema;
mod store;

pub use claim::RunClaim;
pub use error::StoreError;
pub use events::Event;
pub use home::Home;
pub use measurements::Measurement;
pub use runs::{NewRun, ParseRunIdError, Run, RunId, Status};
pub use schema::{APPLICATION_ID, SCHEMA_VERSION};
pub use store::Store;
