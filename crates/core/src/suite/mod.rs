//! Suites: positions with known best moves, on which features are measured.

pub mod check;
pub mod graded;
mod operations;
pub mod text;
