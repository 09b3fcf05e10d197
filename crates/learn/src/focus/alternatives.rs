//! Combining by ∨: features of several alternatives, from what Gradual Focus found by ∧ (thesis sections 2.3 and 4.2.3).
//!
//! The papers combine by ∧ alone and presume atoms that exclude each other and are as coarse as they have to be. Where the
//! Base set has "a bishop" and "a rook" but not "a bishop or a rook", they cannot reach what holds for both, like the thesis's
//! hand-made `(CcB-LcB)|(CcR-LcR)`. [`Alternatives`] is Gradual Focus for this operator, with these rules:
//!
//! - **Operands** are the conjunctions that solve at least epsilon more than Neutral, whether or not they survived ∧: a part
//!   of a good feature may be worse than its wider parent (thesis, Figure 3.5). Dropped atoms are none.
//! - **Alternatives have the same groups**: ∧ combines atoms of different groups, ∨ features that differ within groups. They
//!   exclude each other, as the method presumes, unless one implies the other by the atoms' parents; such pairs are not
//!   formed. Any other two features are two rules of a scheme, and need no operator. As alternatives exclude each other, ⊗
//!   would be the same as ∨.
//! - **More focused** cannot mean fewer moves here: `A∨B` holds for more moves than `A`. It is more focused than its parts if
//!   it is worth more than the better one, its first parent, by epsilon: then it is combined further. It holds for fewer moves
//!   than each conjunction that all its alternatives imply (`(Rc∧B)∨(Rc∧R)` is a part of `Rc`), and is in the Output only if it
//!   is also worth more than these by epsilon, as a conjunction is more than its first parent.
//! - What fails is part of no other feature, as in `isCompositionAllowed`. Parents are tried best first, ties in the order of
//!   [`Feature`].

use std::cmp::Reverse;
use std::collections::{BTreeSet, VecDeque};

use plysmith_core::feature::{Atom, Conjunction, Feature, Vocabulary};

use super::{FocusOutcome, FocusVerdict};

/// Gradual Focus by ∨ between two trials.
#[derive(Clone, Debug)]
pub struct Alternatives {
    vocabulary: Vocabulary,
    settings: AlternativesSettings,
    /// Every conjunction with its value.
    known: Vec<(Conjunction, u32)>,
    /// The conjunctions that are combined, best first.
    operands: Vec<Conjunction>,
    /// The features to combine further.
    work_set: Vec<(Feature, u32)>,
    /// The remaining trials of the current generation. The front is always allowed.
    queue: VecDeque<AlternativesTrial>,
    blacklist: Vec<Feature>,
    skipped: usize,
}

/// Settings of [`Alternatives`].
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct AlternativesSettings {
    /// The improvement that a feature needs.
    pub epsilon: i32,
    /// Combine at most this many conjunctions; `None` for no limit.
    pub most: Option<usize>,
}

/// A feature of several alternatives whose value is needed next.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct AlternativesTrial {
    /// The feature to evaluate.
    pub feature: Feature,
    /// The better part of it.
    pub first_parent: Feature,
    /// The alternative that was added.
    pub second_parent: Conjunction,
    /// The smallest value with which it is combined further; the exact value is needed from there on.
    pub at_least: u32,
}

impl Alternatives {
    /// Starts with what Gradual Focus evaluated. Conjunctions without an exact value are left out.
    pub fn new(vocabulary: Vocabulary, found: &FocusOutcome, settings: AlternativesSettings) -> Alternatives {
        let mut neutral = 0;
        let (mut known, mut operands) = (Vec::new(), Vec::new());
        for evaluated in &found.evaluated {
            let feature = evaluated.result.trial().feature;
            match (evaluated.result.value(), evaluated.verdict) {
                (Some(value), FocusVerdict::Neutral) => neutral = value,
                (Some(value), FocusVerdict::Dropped) => known.push((feature, value)),
                (Some(value), _) => {
                    known.push((feature, value));
                    operands.push((feature, value));
                }
                (None, _) => {}
            }
        }
        let enough = neutral.saturating_add_signed(settings.epsilon);
        operands.retain(|(_, value)| *value >= enough);
        operands.sort_by_key(|(feature, value)| (Reverse(*value), *feature));
        let mut alternatives = Alternatives {
            vocabulary,
            settings,
            known,
            work_set: operands.iter().map(|(feature, value)| (Feature::from(*feature), *value)).collect(),
            operands: operands.into_iter().map(|(feature, _)| feature).collect(),
            queue: VecDeque::new(),
            blacklist: Vec::new(),
            skipped: 0,
        };
        alternatives.next_generation();
        alternatives
    }

    /// The next trial, or `None` when all is done.
    pub fn ask(&self) -> Option<&AlternativesTrial> {
        self.queue.front()
    }

    /// The number of remaining trials of the current generation, at most.
    pub fn pending(&self) -> usize {
        self.queue.len()
    }

    /// The number of features that were formed but, because a part of them had failed, not evaluated.
    pub fn skipped(&self) -> usize {
        self.skipped
    }

    /// Takes the value of the current trial, or `None` if it is below [`AlternativesTrial::at_least`], and classifies the
    /// feature.
    ///
    /// # Panics
    /// If there is no trial.
    pub fn tell(&mut self, value: Option<u32>) -> FocusVerdict {
        let trial = self.queue.pop_front().expect("there is a trial");
        let verdict = match value.filter(|value| *value >= trial.at_least) {
            None => {
                self.blacklist.push(trial.feature);
                FocusVerdict::Pruned
            }
            Some(value) => {
                let lives = self.wider(&trial.feature).all(|wider| value >= self.beyond(wider));
                self.work_set.push((trial.feature, value));
                if lives { FocusVerdict::Lives } else { FocusVerdict::Grows }
            }
        };
        while self.queue.front().is_some_and(|next| !self.is_allowed(&next.feature)) {
            self.queue.pop_front();
            self.skipped += 1;
        }
        if self.queue.is_empty() {
            self.next_generation();
        }
        verdict
    }

    /// The value that is epsilon better.
    fn beyond(&self, value: u32) -> u32 {
        value.saturating_add_signed(self.settings.epsilon)
    }

    /// The values of the conjunctions that every alternative implies.
    fn wider(&self, feature: &Feature) -> impl Iterator<Item = u32> {
        let is_wider = |wide: Conjunction| feature.alternatives().all(|narrow| self.implies(narrow, wide));
        self.known.iter().filter(move |(wide, _)| is_wider(*wide)).map(|(_, value)| *value)
    }

    /// Algorithm 2 with ∨: forms the next generation from the features that are combined further and the operands.
    fn next_generation(&mut self) {
        let mut parents = std::mem::take(&mut self.work_set);
        parents.retain(|(parent, _)| self.settings.most.is_none_or(|most| parent.alternatives().count() < most));
        parents.sort_by(|one, other| (Reverse(one.1), &one.0).cmp(&(Reverse(other.1), &other.0)));
        let mut formed = BTreeSet::new();
        for (first, value) in &parents {
            for &second in &self.operands {
                if !first.alternatives().all(|known| self.can_join(known, second)) {
                    continue;
                }
                let feature = Feature::any_of(first.alternatives().chain([second]));
                if !formed.insert(feature.clone()) {
                    continue;
                }
                if self.is_allowed(&feature) {
                    let at_least = self.beyond(*value);
                    let first_parent = first.clone();
                    self.queue.push_back(AlternativesTrial { feature, first_parent, second_parent: second, at_least });
                } else {
                    self.skipped += 1;
                }
            }
        }
    }

    /// Whether no failed feature is part of this one.
    fn is_allowed(&self, feature: &Feature) -> bool {
        let is_part = |banned: &Feature| banned.alternatives().all(|one| feature.alternatives().any(|own| own == one));
        !self.blacklist.iter().any(is_part)
    }

    /// Whether two conjunctions have the same groups, and neither implies the other.
    fn can_join(&self, one: Conjunction, other: Conjunction) -> bool {
        self.groups(one) == self.groups(other) && !self.implies(one, other) && !self.implies(other, one)
    }

    fn groups(&self, feature: Conjunction) -> Vec<&'static str> {
        let mut groups: Vec<_> = feature.atoms().map(|atom| self.vocabulary.facts(atom).group).collect();
        groups.sort_unstable();
        groups
    }

    /// Whether every move with the first has the second, as far as the atoms' parents say.
    fn implies(&self, narrow: Conjunction, wide: Conjunction) -> bool {
        wide.atoms().all(|wide| narrow.atoms().any(|narrow| self.is_part(narrow, wide)))
    }

    fn is_part(&self, narrow: Atom, wide: Atom) -> bool {
        let mut atom = Some(narrow);
        // A game's parents form trees; an engine's may not, so the way up is no longer than there are atoms.
        for _ in 0..64 {
            match atom {
                None => return false,
                Some(atom) if atom == wide => return true,
                Some(narrow) => atom = self.vocabulary.facts(narrow).parent.and_then(|name| self.vocabulary.find(name)),
            }
        }
        false
    }
}
