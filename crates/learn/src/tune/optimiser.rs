//! The interface of all optimisers: ask for a batch of weights, tell the scores.

use plysmith_core::parameter::Weights;

use super::score::SuiteScore;

/// Chooses which weights to measure next.
pub trait Optimiser: std::fmt::Debug {
    /// The batch of candidates to measure, never empty. Calling it again before [`tell`](Optimiser::tell) returns the
    /// same batch.
    fn ask(&self) -> &[Weights];

    /// Takes one score for each candidate of the batch, all measured on the same problems, and prepares the next batch.
    ///
    /// # Panics
    /// If the number of scores differs from the size of the batch.
    fn tell(&mut self, scores: &[SuiteScore]) -> OptimiserStep;
}

/// The result of one [`Optimiser::tell`].
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct OptimiserStep {
    /// Index of the candidate that represents this iteration in reports. In the first iteration it is always the start.
    pub chosen: usize,
    /// Whether the next batch would repeat measurements that are already known.
    pub converged: bool,
}
