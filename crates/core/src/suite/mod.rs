//! Suites: positions with known best moves, on which features are measured.

pub mod check;
pub mod generate;
pub mod problem;
mod tactics;
pub mod text;
