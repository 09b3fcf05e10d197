//! Coordinate gradient descent (section 3.1, Algorithm 1 of the paper): each weight in turn is moved by delta, and all
//! are adjusted by the resulting change of nodes.
//!
//! Differences from the paper, and interpretation where it is silent:
//!
//! - The printed update, line 23, does not divide by delta, so it is smaller than the slope by a factor of about six.
//!   Both are available; [`GradientUpdate::Divided`] needs a fraction of the iterations. Because slopes can be steep,
//!   no weight then moves further than twice delta in one iteration, and the limit halves each time the direction
//!   reverses.
//! - For an integer option, a delta of 0.15 rounds to the same setting and the difference is exactly zero. A weight is
//!   always moved by at least one of its own steps.
//! - At the upper end of its range, where many weights start, a weight is moved down instead of up. It is also moved
//!   down in the next iteration if moving it up changed nothing at all: in a search that continues a line as long as
//!   any depth is left, a weight of 1.15 first behaves like 1, and 0.99 like 0.5.
//! - The paper does not define Decrease(mu), line 25; here mu falls as 1/(8 + iterations).

use plysmith_core::parameter::{Side, Weights};

use super::optimiser::{Optimiser, OptimiserStep};
use super::score::SuiteScore;
use super::space::ParameterSpace;

/// How a weight is adjusted by the relative change of nodes.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum GradientUpdate {
    /// By mu times the change, as printed in line 23.
    Printed,
    /// By mu times the slope: the change divided by the distance that the weight was moved.
    Divided,
}

/// The schedule of the learning rate.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum RateSchedule {
    /// A constant mu, as in the paper's experiment.
    Fixed,
    /// A decreasing mu, which forces convergence.
    Decreasing,
}

/// Settings of [`Gradient`].
#[derive(Copy, Clone, PartialEq, Debug)]
pub struct GradientSettings {
    /// How far a weight is moved to measure its effect, in thousandths.
    pub delta: i64,
    /// The learning rate mu.
    pub mu: f64,
    /// The schedule of the learning rate.
    pub rate: RateSchedule,
    /// The update rule.
    pub update: GradientUpdate,
}

/// Coordinate gradient descent, between two batches.
#[derive(Clone, Debug)]
pub struct Gradient {
    space: ParameterSpace,
    settings: GradientSettings,
    /// The current point in thousandths, unrounded: small adjustments add up until they make a step.
    centre: Vec<f64>,
    /// The direction in which each weight is moved.
    sides: Vec<Side>,
    /// The largest adjustment of each weight, in thousandths, and its last adjustment.
    reach: Vec<f64>,
    heading: Vec<f64>,
    /// For each weight, how many times in a row moving it changed nothing.
    silent: Vec<u32>,
    /// The rounded current point, then for each weight the point with that weight moved.
    batch: Vec<Weights>,
    iteration: u32,
}

impl Gradient {
    /// Starts a descent.
    pub fn new(space: ParameterSpace, settings: GradientSettings) -> Gradient {
        let centre = space.start().0.into_iter().map(|weight| weight as f64).collect();
        let size = space.size();
        let reach = space.parameters().iter().map(|one| 2.0 * settings.delta.max(one.step) as f64).collect();
        let mut gradient = Gradient {
            space,
            settings,
            centre,
            sides: vec![Side::Above; size],
            reach,
            heading: vec![0.0; size],
            silent: vec![0; size],
            batch: Vec::new(),
            iteration: 0,
        };
        gradient.prepare();
        gradient
    }

    fn prepare(&mut self) {
        let centre = self.space.snap(&self.centre);
        let moved = self.space.parameters().iter().enumerate().map(|(index, parameter)| {
            centre.with(index, parameter.neighbour(centre.0[index], self.settings.delta, self.sides[index]))
        });
        self.batch = moved.collect();
        self.batch.insert(0, centre);
    }

    fn mu(&self) -> f64 {
        match self.settings.rate {
            RateSchedule::Fixed => self.settings.mu,
            RateSchedule::Decreasing => self.settings.mu * 8.0 / (8.0 + f64::from(self.iteration)),
        }
    }
}

impl Optimiser for Gradient {
    fn ask(&self) -> &[Weights] {
        &self.batch
    }

    fn tell(&mut self, scores: &[SuiteScore]) -> OptimiserStep {
        assert_eq!(scores.len(), self.batch.len(), "expected one score per candidate");
        let (mu, mut furthest) = (self.mu(), 0.0_f64);
        for (index, parameter) in self.space.parameters().iter().enumerate() {
            let moved = (self.batch[index + 1].0[index] - self.batch[0].0[index]) as f64 / 1000.0;
            let change = scores[index + 1].relative_to(&scores[0]);
            let shift = match self.settings.update {
                GradientUpdate::Printed => -1000.0 * mu * change * moved.signum(),
                GradientUpdate::Divided => {
                    held_back(&mut self.reach[index], &mut self.heading[index], -1000.0 * mu * change / moved)
                }
            };
            let before = self.centre[index];
            self.centre[index] = parameter.clamp(before + shift);
            furthest = furthest.max((self.centre[index] - before).abs());
            if scores[index + 1].trace == scores[0].trace {
                self.silent[index] += 1;
                self.sides[index] = if self.sides[index] == Side::Above { Side::Below } else { Side::Above };
            } else {
                self.silent[index] = 0;
            }
        }
        self.iteration += 1;
        self.prepare();
        // Adjustments below half a thousandth never add up to a step; but both directions must have been tried.
        OptimiserStep { chosen: 0, converged: furthest < 0.5 && self.silent.iter().all(|&times| times != 1) }
    }
}

/// Limits an adjustment; a reversal of direction halves the limit.
fn held_back(reach: &mut f64, heading: &mut f64, shift: f64) -> f64 {
    if *heading * shift < 0.0 {
        *reach /= 2.0;
    }
    *heading = if shift == 0.0 { *heading } else { shift };
    shift.max(-*reach).min(*reach)
}
