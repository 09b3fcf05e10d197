//! Evolution of search algorithms for mate problems, after *Evolution of an Efficient Search Algorithm for the
//! Mate-In-N Problem in Chess* (below: the mate paper).

pub mod breeding;
pub mod fitness;
mod hashing;
pub mod interpreter;
pub mod knowledge;
pub mod language;
pub mod problems;
pub mod proof;
pub mod pseudocode;
pub mod simplify;
pub mod solvers;

/// VisitCounts the changes of what a program does for the same position and budget. Stored measurements carry it, so results of
/// different revisions never mix.
pub const REVISION: u32 = 1;
