//! Simultaneous perturbation stochastic approximation (Spall): the slope along random directions, at a cost that
//! does not grow with the number of weights. What strong engines are tuned with today.
//!
//! All weights are moved at once, each up or down by chance, and then the opposite way; the difference of the two is the
//! slope along that line. Here it is relative to the number of nodes, so that gains mean the same for every suite,
//! two such pairs make an iteration, and the centre is measured with them: it stands for the iteration in reports, and
//! what is returned in the end has been measured.
//!
//! Gains fall with the powers 5/8 and 1/8 of the iteration, near Spall's 0.602 and 0.101 and within his conditions: they
//! are square roots of square roots, which every machine computes alike.

use plysmith_core::parameter::Weights;
use plysmith_core::random::Random;

use super::score::Score;
use super::space::Space;
use super::{Optimiser, Step};

/// What can be chosen about it.
#[derive(Copy, Clone, PartialEq, Debug)]
pub struct Settings {
    /// How far weights are moved in the first iteration, in thousandths.
    pub delta: i64,
    /// The first gain.
    pub mu: f64,
    /// How many iterations it is meant to have: gains are steady for a tenth of them.
    pub iterations: u32,
    /// Where the directions come from.
    pub seed: u64,
}

/// The state of a run between two batches.
#[derive(Clone, Debug)]
pub struct Spsa {
    space: Space,
    settings: Settings,
    random: Random,
    /// Where it stands, in thousandths, unrounded.
    centre: Vec<f64>,
    /// The rounded centre, then pairs: one way and the opposite way.
    batch: Vec<Weights>,
    iteration: u32,
}

/// Pairs an iteration.
const PAIRS: usize = 2;

impl Spsa {
    /// A run at its start.
    pub fn new(space: Space, settings: Settings) -> Spsa {
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
                // A step at least, or the two ways would be the same setting.
                let far = reach.max(parameter.step as f64);
                let far = if self.random.below(2) == 0 { far } else { -far };
                ways[0][index] += far;
                ways[1][index] -= far;
            }
            self.batch.extend(ways.iter().map(|way| self.space.snap(way)));
        }
    }

    /// The gain of this iteration: mu at first.
    fn gain(&self) -> f64 {
        let steady = 1.0 + f64::from(self.settings.iterations) / 10.0;
        let fallen = (steady + f64::from(self.iteration)) / steady;
        self.settings.mu / (fallen.sqrt() * eighth_root(fallen))
    }

    /// The mean slope of the pairs for one weight, relative and per ply; nothing where it was not moved.
    fn slope(&self, index: usize, scores: &[Score]) -> f64 {
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

    fn tell(&mut self, scores: &[Score]) -> Step {
        assert_eq!(scores.len(), self.batch.len(), "one score for each of the batch");
        let gain = self.gain();
        for (index, parameter) in self.space.parameters().iter().enumerate() {
            // No further than twice what was looked at: one lucky direction must not throw everything over.
            let most = 2.0 * self.settings.delta.max(parameter.step) as f64;
            let shift = (1000.0 * gain * self.slope(index, scores)).max(-most).min(most);
            self.centre[index] = parameter.clamp(self.centre[index] - shift);
        }
        self.iteration += 1;
        self.prepare();
        // Another direction may always tell something new.
        Step { chosen: 0, converged: false }
    }
}

fn eighth_root(number: f64) -> f64 {
    number.sqrt().sqrt().sqrt()
}

fn mean(scores: &[Score]) -> f64 {
    let sum: f64 = scores.iter().map(|score| score.nodes as f64).sum();
    (sum / scores.len() as f64).max(1.0)
}
