//! Simultaneous perturbation stochastic approximation (SPSA; Spall 1992), the method with which strong engines are
//! tuned today: it estimates the slope along random directions, at a cost that does not grow with the number of
//! weights.
//!
//! All weights are moved at once, each up or down at random, and then in the opposite direction; the difference of the
//! two scores is the slope along that direction. Here the slope is relative to the number of nodes, so gains mean the
//! same for every suite. An iteration has two such pairs and also measures the current point, which represents the
//! iteration in reports, so the returned weights have always been measured.
//!
//! Gains fall with the powers 5/8 and 1/8 of the iteration, close to Spall's 0.602 and 0.101 and within his conditions.
//! They are computed by repeated square roots, which give equal results on every machine.

use plysmith_core::parameter::Weights;
use plysmith_core::random::Random;

use super::optimiser::{Optimiser, OptimiserStep};
use super::score::SuiteScore;
use super::space::ParameterSpace;

/// Settings of [`Spsa`].
#[derive(Copy, Clone, PartialEq, Debug)]
pub struct SpsaSettings {
    /// The perturbation in the first iteration, in thousandths.
    pub delta: i64,
    /// The initial gain.
    pub mu: f64,
    /// The planned number of iterations: gains stay nearly constant for a tenth of them.
    pub iterations: u32,
    /// The random seed.
    pub seed: u64,
}

/// A run between two batches.
#[derive(Clone, Debug)]
pub struct Spsa {
    space: ParameterSpace,
    settings: SpsaSettings,
    random: Random,
    /// The current point in thousandths, unrounded.
    centre: Vec<f64>,
    /// The rounded current point, then the pairs of perturbed points.
    batch: Vec<Weights>,
    iteration: u32,
}

/// Pairs per iteration.
const PAIRS: usize = 2;

impl Spsa {
    /// Starts a run.
    pub fn new(space: ParameterSpace, settings: SpsaSettings) -> Spsa {
        let centre = space.start().0.into_iter().map(|weight| weight as f64).collect();
        let random = Random::for_purpose(settings.seed, "spsa");
        let mut spsa = Spsa { space, settings, random, centre, batch: Vec::new(), iteration: 0 };
        spsa.prepare();
        spsa
    }

    fn prepare(&mut self) {
        let reach = self.settings.delta as f64 / eighth_root(f64::from(self.iteration + 1));
        self.batch = vec![self.space.snap(&self.centre)];
        for _ in 0..PAIRS {
            let mut ways = [self.centre.clone(), self.centre.clone()];
            for (index, parameter) in self.space.parameters().iter().enumerate() {
                // At least one step; otherwise both points of the pair would be equal.
                let far = reach.max(parameter.step as f64);
                let far = if self.random.below(2) == 0 { far } else { -far };
                ways[0][index] += far;
                ways[1][index] -= far;
            }
            self.batch.extend(ways.iter().map(|way| self.space.snap(way)));
        }
    }

    /// The gain of this iteration; initially mu.
    fn gain(&self) -> f64 {
        let steady = 1.0 + f64::from(self.settings.iterations) / 10.0;
        let fallen = (steady + f64::from(self.iteration)) / steady;
        self.settings.mu / (fallen.sqrt() * eighth_root(fallen))
    }

    /// The mean slope of one weight over the pairs, relative and per ply; zero if rounding left it unmoved.
    fn slope(&self, index: usize, scores: &[SuiteScore]) -> f64 {
        let pairs = self.batch[1..].chunks_exact(2).zip(scores[1..].chunks_exact(2));
        let slopes = pairs.map(|(ways, scores)| {
            let moved = (ways[0].0[index] - ways[1].0[index]) as f64 / 1000.0;
            let change = (scores[0].nodes as f64 - scores[1].nodes as f64) / mean(scores);
            if moved == 0.0 { 0.0 } else { change / moved }
        });
        slopes.sum::<f64>() / PAIRS as f64
    }
}

impl Optimiser for Spsa {
    fn ask(&self) -> &[Weights] {
        &self.batch
    }

    fn tell(&mut self, scores: &[SuiteScore]) -> OptimiserStep {
        assert_eq!(scores.len(), self.batch.len(), "expected one score per candidate");
        let gain = self.gain();
        for (index, parameter) in self.space.parameters().iter().enumerate() {
            // At most twice the perturbation: one lucky direction must not move the point far away.
            let most = 2.0 * self.settings.delta.max(parameter.step) as f64;
            let shift = (1000.0 * gain * self.slope(index, scores)).max(-most).min(most);
            self.centre[index] = parameter.clamp(self.centre[index] - shift);
        }
        self.iteration += 1;
        self.prepare();
        // Another direction may always give new information.
        OptimiserStep { chosen: 0, converged: false }
    }
}

fn eighth_root(number: f64) -> f64 {
    number.sqrt().sqrt().sqrt()
}

fn mean(scores: &[SuiteScore]) -> f64 {
    let sum: f64 = scores.iter().map(|score| score.nodes as f64).sum();
    (sum / scores.len() as f64).max(1.0)
}
