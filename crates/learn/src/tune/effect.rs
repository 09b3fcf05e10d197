//! What each weight alone has changed. Some options of engines do nothing on the problems at hand, or nothing at all,
//! and a tuned value of such an option means nothing.

use plysmith_core::parameter::Weights;

use super::score::Score;

/// What was seen of one weight: pairs of measurements over the same problems in which nothing else differed.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Default)]
pub struct Effect {
    /// How many such pairs there were.
    pub pairs: u32,
    /// In how many of them any problem went differently.
    pub changed: u32,
}

/// What was seen of every weight.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Effects(Vec<Effect>);

impl Effect {
    /// Whether it was tried, and never made a difference.
    pub fn is_none(self) -> bool {
        self.pairs > 0 && self.changed == 0
    }
}

impl Effects {
    /// Nothing seen yet of so many weights.
    pub fn of(size: usize) -> Effects {
        Effects(vec![Effect::default(); size])
    }

    /// Looks at a batch that was measured on the same problems.
    pub fn see(&mut self, batch: &[Weights], scores: &[Score]) {
        for (later, one) in batch.iter().enumerate() {
            for (earlier, other) in batch[..later].iter().enumerate() {
                if let Some(index) = one.only_difference(other) {
                    self.0[index].pairs += 1;
                    self.0[index].changed += u32::from(scores[later].trace != scores[earlier].trace);
                }
            }
        }
    }

    /// For each weight, what was seen.
    pub fn each(&self) -> &[Effect] {
        &self.0
    }
}
