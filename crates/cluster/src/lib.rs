//! One run over many machines, through NATS JetStream.
//!
//! The jobs of `plysmith_runs` go through a message broker to workers on other machines. The broker is a dispatcher that
//! may lose everything; the run store is the only truth. Leases, redelivery and flow control are the broker's.
//!
//! | file | what |
//! | --- | --- |
//! | `coordinator` | the executor's way to the workers: [`Coordinator`] is a `RemoteQueue` |
//! | `ledger` | what the coordinator knows of jobs and workers, whom it trusts, and what it does next; no network |
//! | `worker` | takes jobs, does them, sends results |
//! | `broker`, `names`, `message`, `blobs` | the connection, subjects, messages, and suites and weights on their way |
//! | `bench`, `broker_rate` | workers against threads |
//! | `status` | the state of a cluster as a view |
//! | `address`, `signature`, `error` | where the broker is and how it is secured; what our searches do; what can go wrong |
//!
//! Everything asynchronous stays in this crate: its public functions block.

pub mod address;
pub mod bench;
mod blobs;
mod broker;
mod broker_rate;
pub mod coordinator;
pub mod error;
mod ledger;
pub mod message;
mod names;
pub mod signature;
pub mod status;
pub mod worker;

pub use address::{Address, Security};
pub use coordinator::{Coordinator, CoordinatorOptions};
pub use error::ClusterError;
pub use status::ClusterStatus;
pub use worker::{Misbehaviour, WorkerOptions, WorkerSummary, work};
