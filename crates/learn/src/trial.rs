//! Trials of Gradual Focus: a feature to evaluate, and its result.
//!
//! A learner hands out trials; an [`Evaluator`] returns results. The value of a feature is the number of suite
//! positions that are solved with it (paper section 3.6). Most candidates fail, and a candidate has certainly failed
//! once the remaining positions cannot lift it to the required value. So a result may say "below the required value"
//! instead of the exact value. A [`TrialResult`] can only be made from its [`FeatureTrial`], which rules out "below"
//! for trials that need the exact value.

use plysmith_core::feature::{Atom, Conjunction};

/// A feature whose value Gradual Focus needs next.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Hash)]
pub struct FeatureTrial {
    /// The feature to evaluate.
    pub feature: Conjunction,
    /// Its parents and the value it must reach. `None` for Neutral and the atoms of the Base set, whose exact values
    /// are always needed.
    pub parents: Option<Parents>,
}

/// The parents of a combined feature, and the value it must reach.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Hash)]
pub struct Parents {
    /// The better parent, from the previous generation.
    pub first_parent: Conjunction,
    /// The atom that was added to the first parent.
    pub second_parent: Atom,
    /// The smallest value with which the feature survives: the value of the first parent plus epsilon; or minus epsilon, if
    /// it must also need fewer nodes.
    pub at_least: u32,
}

/// The result of a [`FeatureTrial`]: the exact value, or that the value is too low.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Hash)]
pub struct TrialResult {
    trial: FeatureTrial,
    value: Option<u32>,
    nodes: Option<u64>,
}

/// Evaluates features. Closures of this signature implement it.
pub trait Evaluator {
    /// The error of an evaluation that could not be made.
    type Error;

    /// Evaluates a feature, exactly or only until the result is [decided](FeatureTrial::decided).
    fn evaluate(&mut self, trial: &FeatureTrial) -> Result<TrialResult, Self::Error>;
}

impl<F, E> Evaluator for F
where
    F: FnMut(&FeatureTrial) -> Result<TrialResult, E>,
{
    type Error = E;

    fn evaluate(&mut self, trial: &FeatureTrial) -> Result<TrialResult, E> {
        self(trial)
    }
}

impl FeatureTrial {
    /// A trial that needs the exact value.
    pub(crate) const fn exact(feature: Conjunction) -> FeatureTrial {
        FeatureTrial { feature, parents: None }
    }

    /// The generation of the feature: 0 for Neutral, 1 for the Base set, otherwise the number of combined atoms.
    pub const fn generation(&self) -> usize {
        self.feature.len()
    }

    /// The smallest value with which the feature survives, if it has parents.
    pub fn at_least(&self) -> Option<u32> {
        self.parents.map(|parents| parents.at_least)
    }

    /// The result "the value is exactly `value`".
    pub const fn exactly(&self, value: u32) -> TrialResult {
        TrialResult { trial: *self, value: Some(value), nodes: None }
    }

    /// The result "the value is below [`at_least`](FeatureTrial::at_least)". `None` if the exact value is needed, or if
    /// no value could be below.
    pub fn below(&self) -> Option<TrialResult> {
        self.at_least().filter(|&least| least > 0).map(|_| TrialResult { trial: *self, value: None, nodes: None })
    }

    /// The result if it is already certain with `solved` positions solved and `open` positions not yet searched.
    pub fn decided(&self, solved: u32, open: u32) -> Option<TrialResult> {
        if open == 0 {
            return Some(self.exactly(solved));
        }
        let best = solved.saturating_add(open);
        self.below().filter(|_| self.at_least().is_some_and(|least| best < least))
    }
}

impl TrialResult {
    /// The trial that this is the result of.
    pub const fn trial(&self) -> &FeatureTrial {
        &self.trial
    }

    /// The result with the nodes that the measurement took, for [`Survival::Saves`](crate::survival::Survival::Saves).
    #[must_use]
    pub const fn with_nodes(self, nodes: u64) -> TrialResult {
        TrialResult { nodes: Some(nodes), ..self }
    }

    /// The nodes of the measurement, if they were told.
    pub const fn nodes(&self) -> Option<u64> {
        self.nodes
    }

    /// The exact value, or `None` if it is only known to be too low.
    pub const fn value(&self) -> Option<u32> {
        self.value
    }
}

#[cfg(test)]
mod tests {
    use plysmith_core::feature::{Atom, Conjunction};

    use super::{FeatureTrial, Parents};

    fn candidate(at_least: u32) -> FeatureTrial {
        let (first_parent, second_parent) = (Conjunction::of([Atom(0)]), Atom(1));
        let feature = Conjunction::of([Atom(0), Atom(1)]);
        FeatureTrial { feature, parents: Some(Parents { first_parent, second_parent, at_least }) }
    }

    #[test]
    fn a_candidate_is_settled_once_it_cannot_live() {
        let trial = candidate(10);
        assert_eq!(trial.decided(4, 6), None, "may still reach 10");
        assert_eq!(trial.decided(4, 5), trial.below());
        assert_eq!(trial.decided(12, 5), None, "lives, but its children need the value");
        assert_eq!(trial.decided(4, 0), Some(trial.exactly(4)), "exact where that costs nothing");
    }

    #[test]
    fn below_cannot_be_said_where_it_means_nothing() {
        let exact = FeatureTrial::exact(Conjunction::NEUTRAL);
        assert_eq!((exact.below(), exact.decided(0, 1)), (None, None));
        assert_eq!(exact.decided(7, 0), Some(exact.exactly(7)));
        assert_eq!((candidate(0).below(), candidate(0).decided(0, 1)), (None, None));
    }
}
