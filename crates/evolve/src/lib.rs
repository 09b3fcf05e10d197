//! Evolution of search algorithms for mate problems, after *Evolution of an Efficient Search Algorithm for the
//! Mate-In-N Problem in Chess* (below: the mate paper).

pub mod knowledge;
pub mod language;
pub mod problems;
pub mod proof;
pub mod run;
pub mod solvers;
