//! The paper's gradient descent (section 3.1, Algorithm 1): every weight in turn is moved a little, and all are
//! adjusted by what that did to the number of nodes.
//!
//! Where the paper leaves room or does not fit an engine:
//!
//! - The printed update, line 23, does not divide by delta, so it is a sixth of the gradient's slope in size. Both are
//!   here; [`Update::Divided`] gets to the same place in a fraction of the iterations. As slopes can be steep, no weight
//!   then moves further at once than twice delta, and half as far whenever it turns round.
//! - Where an option is an integer, 0.15 rounds to the same setting and the difference is exactly zero. A weight is
//!   moved by at least one step of its own.
//! - At the upper end of its range, where many weights start, a weight is moved down instead of up. So it is in the next
//!   iteration if moving it up has changed nothing at all: in a search whose lines go on as long as any depth is left, a
//!   weight of 1.15 does at first what 1 does, and 0.99 what 0.5 does.
//! - Decrease(mu), line 25, is not said; here mu falls as 1/(8 + iterations).

use plysmith_core::parameter::{Side, Weights};

use super::score::Score;
use super::space::Space;
use super::{Optimiser, Step};

/// How a weight is adjusted by the relative change of nodes that moving it made.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Update {
    /// By mu times the change, as line 23 has it.
    Printed,
    /// By mu times the change, divided by how far the weight was moved: the slope.
    Divided,
}

/// Whether steps grow shorter.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Rate {
    /// The same mu throughout, as in the paper's experiment.
    Fixed,
    /// Less from iteration to iteration, which forces convergence.
    Decreasing,
}

/// What can be chosen about it.
#[derive(Copy, Clone, PartialEq, Debug)]
pub struct Settings {
    /// How far a weight is moved to see what it does, in thousandths.
    pub delta: i64,
    /// The learning rate.
    pub mu: f64,
    /// Whether it decreases.
    pub rate: Rate,
    /// What an adjustment is made of.
    pub update: Update,
}

/// Coordinate gradient descent between two batches.
#[derive(Clone, Debug)]
pub struct Gradient {
    space: Space,
    settings: Settings,
    /// Where it stands, in thousandths, unrounded: small adjustments add up until they make a step.
    centre: Vec<f64>,
    /// Where each weight is moved.
    sides: Vec<Side>,
    /// How far each weight may go at once, in thousandths; and where it went last.
    reach: Vec<f64>,
    heading: Vec<f64>,
    /// How many times in a row moving each weight has changed nothing.
    silent: Vec<u32>,
    /// The rounded centre, then for each weight the centre with that one moved.
    batch: Vec<Weights>,
    iteration: u32,
}

impl Gradient {
    /// Descent at its start.
    pub fn new(space: Space, settings: Settings) -> Gradient {
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
            Rate::Fixed => self.settings.mu,
            Rate::Decreasing => self.settings.mu * 8.0 / (8.0 + f64::from(self.iteration)),
        }
    }
}

impl Optimiser for Gradient {
    fn ask(&self) -> &[Weights] {
        &self.batch
    }

    fn tell(&mut self, scores: &[Score]) -> Step {
        assert_eq!(scores.len(), self.batch.len(), "one score for each of the batch");
        let (mu, mut furthest) = (self.mu(), 0.0_f64);
        for (index, parameter) in self.space.parameters().iter().enumerate() {
            let moved = (self.batch[index + 1].0[index] - self.batch[0].0[index]) as f64 / 1000.0;
            let change = scores[index + 1].relative_to(&scores[0]);
            let shift = match self.settings.update {
                Update::Printed => -1000.0 * mu * change * moved.signum(),
                Update::Divided => {
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
        // Where less than half a thousandth is moved, it will never add up to anything; but both sides must have been
        // looked at.
        Step { chosen: 0, converged: furthest < 0.5 && self.silent.iter().all(|&times| times != 1) }
    }
}

/// A shift no longer than may be; one that turns round halves that.
fn held_back(reach: &mut f64, heading: &mut f64, shift: f64) -> f64 {
    if *heading * shift < 0.0 {
        *reach /= 2.0;
    }
    *heading = if shift == 0.0 { *heading } else { shift };
    shift.max(-*reach).min(*reach)
}
