//! The effect of each single weight. Some engine options have no effect on the given problems, or none at all, and a
//! tuned value of such an option means nothing.

use plysmith_core::parameter::Weights;

use super::score::SuiteScore;

/// The effect of one weight, from pairs of measurements on the same problems in which no other weight differs.
#[derive(Copy, Clone, PartialEq, Debug, Default)]
pub struct Effect {
    /// The number of such pairs.
    pub pairs: u32,
    /// The number of pairs in which at least one problem was searched differently, even by a single node.
    pub changed: u32,
    /// The number of pairs in which the number of solved problems differs.
    pub solved: u32,
    /// The largest relative change of nodes in a pair.
    pub largest: f64,
}

/// The effects of all weights.
#[derive(Clone, PartialEq, Debug)]
pub struct Effects(Vec<Effect>);

/// A smaller relative change of nodes counts as no effect: an extension of pawn endings may cost a dozen nodes of
/// thirty million.
const LEAST: f64 = 1e-4;

impl Effect {
    /// Whether the weight was varied and never had a noticeable effect.
    pub fn is_none(self) -> bool {
        self.pairs > 0 && self.solved == 0 && self.largest < LEAST
    }
}

impl Effects {
    /// No observations yet, for `size` weights.
    pub fn of(size: usize) -> Effects {
        Effects(vec![Effect::default(); size])
    }

    /// Adds the observations of a batch that was measured on the same problems.
    pub fn observe(&mut self, batch: &[Weights], scores: &[SuiteScore]) {
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

    /// The effect of each weight, in the order of the parameters.
    pub fn each(&self) -> &[Effect] {
        &self.0
    }
}

#[cfg(test)]
mod tests {
    use plysmith_core::parameter::Weights;

    use super::Effects;
    use crate::tune::score::SuiteScore;

    #[test]
    fn a_handful_of_nodes_is_no_effect_but_a_solution_is() {
        let batch = [vec![1, 1], vec![2, 1], vec![1, 2]].map(Weights);
        let score = |nodes, solved| SuiteScore { nodes, solved, problems: 100, trace: nodes };
        let seen = |scores: [SuiteScore; 3]| {
            let mut effects = Effects::of(2);
            effects.observe(&batch, &scores);
            (effects.each()[0].pairs, [effects.each()[0].is_none(), effects.each()[1].is_none()])
        };
        assert_eq!(seen([score(30_000_000, 5); 3]), (1, [true, true]), "the second and third differ in both");
        assert_eq!(seen([score(30_000_000, 5), score(30_000_015, 5), score(30_000_000, 6)]), (1, [true, false]));
        assert_eq!(seen([score(30_000_000, 5), score(30_003_100, 5), score(30_000_000, 5)]), (1, [false, true]));
        assert!(!Effects::of(1).each()[0].is_none(), "what was never tried is not known to do nothing");
    }
}
