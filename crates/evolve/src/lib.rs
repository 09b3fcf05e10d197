//! Evolution of search algorithms for mate problems, after *Evolution of an Efficient Search Algorithm for the
//! Mate-In-N Problem in Chess* (below: the mate paper).

pub mod breed;
pub mod fitness;
pub mod knowledge;
pub mod language;
pub mod problems;
pub mod proof;
pub mod pseudo;
pub mod run;
pub mod simplify;
pub mod solvers;
mod table;

/// Counts the changes of what a program does for the same position and budget. Stored measurements carry it, so results of
/// different revisions never mix.
pub const REVISION: u32 = 1;
