//! A program with its fitness.

use std::cmp::Ordering;

use crate::language::Program;

/// A program and its fitness.
#[derive(Clone, PartialEq, Debug)]
pub struct Individual {
    /// The program.
    pub program: Program,
    /// Its fitness on the generation's sample.
    pub fitness: f64,
    /// How many problems of the sample it solved.
    pub solved: usize,
    /// Its score on each problem that it was measured on, without the problem's weight.
    pub scores: Vec<f64>,
    /// Whether a program before it has exactly the same fitness.
    pub is_duplicate: bool,
}

impl Individual {
    /// Sorts by how far it was measured, by descending fitness, then by size.
    pub(super) fn rank(&self, other: &Individual) -> Ordering {
        let by_size = || self.program.size().cmp(&other.program.size());
        let by_stage = other.scores.len().cmp(&self.scores.len());
        by_stage
            .then(other.fitness.total_cmp(&self.fitness))
            .then_with(by_size)
            .then_with(|| self.program.cmp(&other.program))
    }
}
