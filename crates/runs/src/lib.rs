//! Plysmith's application as a library: start, follow, cancel and resume runs.

pub mod cancel;
pub mod chart;
pub mod context;
pub mod error;
pub mod executor;
pub mod experiment;
pub mod external_engine;
pub mod files;
pub mod finding;
pub mod job;
pub mod kind;
pub mod kinds;
pub mod memo;
pub mod pairing;
pub mod progress;
pub mod runs;
pub mod suite_maker;
pub mod suite_runner;
pub mod suites;
pub mod tally;
mod text_form;
pub mod time;
pub mod view;
