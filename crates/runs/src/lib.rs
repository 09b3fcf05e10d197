//! Plysmith's experiments as a library: start, follow, cancel and resume runs.
//!
//! A *run* is one experiment: a discovery, a tuning, a match. It has a typed configuration, stores every event as it
//! happens, and ends with a typed output. A run that was cancelled or killed can be resumed: results that are in the
//! cache are not computed again.
//!
//! | to | use |
//! | --- | --- |
//! | start, resume, follow or show a run | [`start`], [`run`], [`resume`], [`view()`] |
//! | say what a run should do | the `Config` of its kind in [`kinds`], [`Experiment`] |
//! | give a run its store, threads, progress and cancel token | [`Services`] |
//! | add a kind of run | [`RunKind`] and [`kinds::KINDS`] |
//! | run jobs on all cores, with a result cache | [`Job`], [`Executor`], [`Memo`] |
//! | run jobs on other machines | [`remote`], [`job_host`], [`Services::remote`]; without a network, [`shards`] |
//! | measure a candidate on a suite | [`SuiteRunner`] |
//! | rate candidates by a fitness, with intervals | [`fitness`] |
//! | play many games between two players | [`Pairing`] |
//! | make suites | [`suite_maker`] |
//! | list, find, delete or compare stored runs | [`listing`], [`compare`](mod@compare) |
//! | print or lay out a result | [`View`] |
//!
//! # Example
//! Start a discovery, follow it, cancel it and resume it:
//!
//! ```
//! use std::sync::Arc;
//!
//! use plysmith_core::games;
//! use plysmith_runs::kinds::discover::{Config, Discover};
//! use plysmith_runs::{Experiment, RunError, Services, resume, start};
//! use plysmith_store::{Home, Store};
//!
//! # let folder = tempfile::tempdir().unwrap();
//! let store = Store::open(&Home::at(folder.path()).store_path())?;
//! let services = Services::new(Arc::new(store));
//!
//! let game = games::find("breakthrough")?;
//! let mut experiment = Experiment { nodes: 1_000, ..Experiment::bundled(game)? };
//! experiment.suite.problems.truncate(10);
//! let config = Config { base: vec!["Ud".into(), "RdTt".into()], ..Config::new(experiment, &game.into())? };
//!
//! let mut handle = start::<Discover>(config, &services)?;
//! while handle.new_events()?.is_empty() && !handle.is_over() {
//!     std::thread::yield_now();
//! }
//! handle.cancel();
//! let run = handle.run();
//! if let Err(RunError::Cancelled(_)) = handle.join() {
//!     println!("{}", resume(run, &services)?.view);
//! }
//! # Ok::<(), RunError>(())
//! ```

mod activity;
pub mod basis;
pub mod bench;
pub mod calibration;
pub mod cancel;
pub mod chart;
pub mod choice;
pub mod compare;
pub mod consistency;
pub mod contestants;
pub mod error;
pub mod estimates;
pub mod evaluation_notes;
pub mod events;
pub mod examiner;
pub mod executor;
pub mod experiment;
pub mod explain;
pub mod export;
pub mod extension;
pub mod external_engine;
pub mod fairness;
pub mod files;
pub mod finding;
pub mod finding_charts;
pub mod fitness;
pub mod game_file;
pub mod generated_openings;
pub mod graded_maker;
pub mod headline;
pub mod job;
pub mod job_host;
pub mod kind;
pub mod kinds;
pub mod listing;
pub mod match_report;
pub mod mates;
pub mod memo;
pub mod memory;
mod number_words;
pub mod opening_book;
pub mod origin;
mod output_file;
pub mod pairing;
pub mod pairing_runner;
pub mod perft_suite;
pub mod pgn;
pub mod play;
pub mod progress;
pub mod registry;
pub mod remote;
pub mod rows;
pub mod runs;
pub mod screening;
pub mod self_play;
pub mod sequential_test;
pub mod services;
pub mod shards;
pub mod solution_policy;
pub mod suite_maker;
pub mod suite_runner;
pub mod suite_select;
pub mod suites;
pub mod summary;
pub mod tally;
mod text_form;
pub mod time;
pub mod view;

pub use cancel::CancelToken;
pub use error::RunError;
pub use executor::{Completed, Ending, Executor, ExecutorError};
pub use experiment::{EngineChoice, Experiment, Features, Session};
pub use headline::Headline;
pub use job::{Job, Key, Worker};
pub use kind::{Context, Rows, RunKind};
pub use memo::Memo;
pub use origin::Origin;
pub use pairing::{Pairing, PlayedGame};
pub use progress::{Progress, ProgressSink, ReportInterval, Silent, Update};
pub use registry::{AnyKind, FinishedRun};
pub use runs::{
    Finished, RunHandle, kind_of, newest_interrupted, page, render, resume, run, run_prepared, start, start_from, view,
};
pub use services::{Host, Services};
pub use solution_policy::SolutionPolicy;
pub use suite_runner::{MeasureOptions, SuiteRunner};
pub use view::{Block, Cell, Column, Table, View};
