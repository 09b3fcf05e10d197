//! What each weight alone has changed. Some options of engines do nothing on the problems at hand, or nothing at all,
//! and a tuned value of such an option means nothing.

use plysmith_core::parameter::Weights;

use super::score::Score;

/// What was seen of one weight: pairs of measurements over the same problems in which nothing else differed.
#[derive(Copy, Clone, PartialEq, Debug, Default)]
pub struct Effect {
    /// How many such pairs there were.
    pub pairs: u32,
    /// In how many of them any problem went differently, be it by a single node.
    pub changed: u32,
    /// In how many of them not as many problems were solved.
    pub solved: u32,
    /// The largest change of nodes in any of them, relative.
    pub largest: f64,
}

/// What was seen of every weight.
#[derive(Clone, PartialEq, Debug)]
pub struct Effects(Vec<Effect>);

/// A smaller share of nodes is no effect: an extension of pawn endings may cost a dozen nodes of thirty million.
const LEAST: f64 = 1e-4;

impl Effect {
    /// Whether it was tried, and never made a difference to speak of.
    pub fn is_none(self) -> bool {
        self.pairs > 0 && self.solved == 0 && self.largest < LEAST
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
                    let (effect, before, after) = (&mut self.0[index], &scores[earlier], &scores[later]);
                    effect.pairs += 1;
                    effect.changed += u32::from(after.trace != before.trace);
                    effect.solved += u32::from(after.solved != before.solved);
                    effect.largest = effect.largest.max(after.relative_to(before).abs());
                }
            }
        }
    }

    /// For each weight, what was seen.
    pub fn each(&self) -> &[Effect] {
        &self.0
    }
}

#[cfg(test)]
mod tests {
    use plysmith_core::parameter::Weights;

    use super::Effects;
    use crate::tune::score::Score;

    #[test]
    fn a_handful_of_nodes_is_no_effect_but_a_solution_is() {
        let batch = [vec![1, 1], vec![2, 1], vec![1, 2]].map(Weights);
        let score = |nodes, solved| Score { nodes, solved, problems: 100, trace: nodes };
        let seen = |scores: [Score; 3]| {
            let mut effects = Effects::of(2);
            effects.see(&batch, &scores);
            (effects.each()[0].pairs, [effects.each()[0].is_none(), effects.each()[1].is_none()])
        };
        assert_eq!(seen([score(30_000_000, 5); 3]), (1, [true, true]), "the second and third differ in both");
        assert_eq!(seen([score(30_000_000, 5), score(30_000_015, 5), score(30_000_000, 6)]), (1, [true, false]));
        assert_eq!(seen([score(30_000_000, 5), score(30_003_100, 5), score(30_000_000, 5)]), (1, [false, true]));
        assert!(!Effects::of(1).each()[0].is_none(), "what was never tried is not known to do nothing");
    }
}
