//! Gradual Focus: discovers features by combining atoms, one generation at a time, and keeps only combinations that
//! improve on their first parent (paper section 3, Algorithms 1–3; thesis sections 3.3–3.6, Algorithms 3–5).
//!
//! [`GradualFocus`] has an ask/tell interface: [`ask`](GradualFocus::ask) returns the next feature to evaluate,
//! [`tell`](GradualFocus::tell) takes its value. Interpretation where paper and thesis differ or are silent:
//!
//! - `isCompositionAllowed` follows the paper (the thesis negates it twice): a feature is evaluated if no blacklisted
//!   feature is part of it.
//! - A child is compared with its *first* parent and must be better by at least epsilon to survive. Where features are to
//!   be searched *less* deep, which the papers did not try, it must solve no fewer than the first parent, but for epsilon,
//!   with fewer nodes; see [`Survival`].
//! - Ties are broken by the order of [`Conjunction`]: atoms in vocabulary order, wider before narrower.
//! - Linear tree pruning blacklists the direct children of the second parent, and only after a combination was
//!   evaluated and failed; a blacklisted combination blacklists nothing further. Because the better atom is the first
//!   parent, a failed `a∧c1` blacklists `a∧c2` only if `a` is better than `c1`. If `c2` is better still, `a∧c2` was
//!   evaluated earlier: if it survived, it stays in the Output but is not combined further.
//! - Atoms dropped by threshold pruning are evaluated, but they are neither combined nor part of the Output.
//! - The seeded blacklist forbids combinations; an atom on it is still evaluated by itself.
//! - Combinations here are conjunctions, by ∧. [`alternatives`] combines what they come to by ∨.

pub mod alternatives;

use std::{
    cmp::Reverse,
    collections::{BTreeMap, BTreeSet, VecDeque},
};

use plysmith_core::feature::{Atom, Conjunction, Vocabulary};

pub use crate::survival::Survival;
use crate::{
    pruning::Pruning,
    trial::{Evaluator, FeatureTrial, Parents, TrialResult},
};

/// Settings of a Gradual Focus run.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct FocusSettings {
    /// The pruning methods.
    pub pruning: Pruning,
    /// What a feature needs to survive.
    pub survival: Survival,
    /// Epsilon: the improvement over the first parent that a feature needs to survive; or, where features are to be searched
    /// less deep, what it may be behind. Negative to keep features that are worse than their first parent by up to as much.
    pub epsilon: i32,
    /// Delta: threshold pruning drops atoms with a smaller value. `None` means Neutral's value.
    pub delta: Option<u32>,
    /// Features that must not be part of any combination.
    pub blacklist: Vec<Conjunction>,
    /// Combine at most this many atoms; `None` for no limit. Single atoms are always evaluated.
    pub most_atoms: Option<usize>,
}

/// A Gradual Focus run between two trials.
#[derive(Clone, Debug)]
pub struct GradualFocus {
    vocabulary: Vocabulary,
    settings: FocusSettings,
    blacklist: Vec<Conjunction>,
    /// Neutral's value, once it is known.
    neutral: Option<u32>,
    /// The atoms that are combined.
    base: Vec<FeatureValue>,
    /// The surviving features of the current generation: the parents of the next one.
    work_set: Vec<FeatureValue>,
    /// The remaining trials of the current generation. The front is always allowed.
    queue: VecDeque<FeatureTrial>,
    output: Vec<FeatureValue>,
    evaluated: Vec<EvaluatedFeature>,
    skipped: usize,
    /// The nodes of the features that were kept, where survival depends on them.
    nodes: BTreeMap<Conjunction, u64>,
}

/// A feature with its value.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Hash)]
pub struct FeatureValue {
    /// The feature.
    pub feature: Conjunction,
    /// The number of positions solved with it.
    pub value: u32,
}

/// An evaluated feature and its classification.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Hash)]
pub struct EvaluatedFeature {
    /// The trial and its value; a value of `None` means below the required value.
    pub result: TrialResult,
    /// The classification.
    pub verdict: FocusVerdict,
}

/// The classification of an evaluated feature.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Hash)]
pub enum FocusVerdict {
    /// Neutral, the feature without effect, for comparison.
    Neutral,
    /// An atom of the Base set that is combined.
    Base,
    /// An atom dropped by threshold pruning.
    Dropped,
    /// A combination that improves on its first parent: it survives.
    Lives,
    /// A combination that does not improve on its first parent and is blacklisted.
    Pruned,
    /// A feature of [`alternatives`] that improves on its first parent, but not on a wider conjunction: it is combined
    /// further, but is not part of the Output.
    Grows,
}

/// The result of a Gradual Focus run.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct FocusOutcome {
    /// The Output of the papers: Neutral, the Base set and every surviving combination, best first.
    pub output: Vec<FeatureValue>,
    /// Every evaluated feature, in the order of evaluation.
    pub evaluated: Vec<EvaluatedFeature>,
    /// The number of distinct combinations that were formed but, because of the blacklist, not evaluated.
    pub skipped: usize,
}

impl FocusSettings {
    /// Settings as in the papers: delta is Neutral's value, no seeded blacklist, no limit on the number of atoms.
    pub const fn new(pruning: Pruning, epsilon: i32) -> FocusSettings {
        FocusSettings {
            pruning,
            survival: Survival::Gains,
            epsilon,
            delta: None,
            blacklist: Vec::new(),
            most_atoms: None,
        }
    }
}

impl GradualFocus {
    /// Starts a run with these atoms as Base set. They are evaluated in vocabulary order; duplicates are ignored.
    ///
    /// # Panics
    /// If an atom is not in the vocabulary.
    pub fn new(vocabulary: Vocabulary, base: impl IntoIterator<Item = Atom>, settings: FocusSettings) -> GradualFocus {
        let base: BTreeSet<Atom> = base.into_iter().collect();
        let stranger = base.iter().find(|atom| !vocabulary.contains(**atom));
        assert_eq!(stranger, None, "the Base set has an atom that is not in the vocabulary");
        let atoms = base.into_iter().map(|atom| Conjunction::of([atom]));
        GradualFocus {
            vocabulary,
            blacklist: settings.blacklist.clone(),
            settings,
            neutral: None,
            base: Vec::new(),
            work_set: Vec::new(),
            queue: std::iter::once(Conjunction::NEUTRAL).chain(atoms).map(FeatureTrial::exact).collect(),
            output: Vec::new(),
            evaluated: Vec::new(),
            skipped: 0,
            nodes: BTreeMap::new(),
        }
    }

    /// The next trial, or `None` when the run is finished. Calling it again before [`tell`](GradualFocus::tell) returns
    /// the same trial.
    pub fn ask(&self) -> Option<FeatureTrial> {
        self.queue.front().copied()
    }

    /// The remaining trials of the current generation, the next one first. Later results may remove some of them but
    /// change none, so they can be evaluated ahead of time.
    pub fn pending(&self) -> impl Iterator<Item = FeatureTrial> {
        self.queue.iter().copied().filter(|trial| trial.parents.is_none() || self.is_allowed(trial.feature))
    }

    /// Takes the result of the current trial and classifies the feature.
    ///
    /// # Panics
    /// If the result belongs to another trial than the one that [`ask`](GradualFocus::ask) returns.
    pub fn tell(&mut self, result: TrialResult) -> FocusVerdict {
        assert_eq!(self.queue.pop_front(), Some(*result.trial()), "the result belongs to another trial");
        let verdict = self.judge(result);
        self.evaluated.push(EvaluatedFeature { result, verdict });
        self.skip_banned();
        if self.queue.is_empty() {
            self.next_generation();
        }
        verdict
    }

    /// Asks and tells until the run is finished. If the evaluator fails, the run keeps its state and can be continued.
    pub fn run<V: Evaluator>(&mut self, evaluator: &mut V) -> Result<FocusOutcome, V::Error> {
        while let Some(trial) = self.ask() {
            self.tell(evaluator.evaluate(&trial)?);
        }
        Ok(self.outcome())
    }

    /// The result so far; complete once [`ask`](GradualFocus::ask) returns `None`.
    pub fn outcome(&self) -> FocusOutcome {
        let mut output = self.output.clone();
        sort_desc(&mut output);
        FocusOutcome { output, evaluated: self.evaluated.clone(), skipped: self.skipped }
    }

    /// Algorithm 1, lines 3–16, for Neutral and atoms; Algorithm 3 for combinations.
    fn judge(&mut self, result: TrialResult) -> FocusVerdict {
        let FeatureTrial { feature, parents } = *result.trial();
        let verdict = match (parents, result.value()) {
            (Some(parents), Some(_)) if self.survives(parents, &result) => FocusVerdict::Lives,
            (Some(parents), _) => {
                self.ban(feature, parents);
                FocusVerdict::Pruned
            }
            (None, value) if feature.is_empty() => {
                self.neutral = value;
                FocusVerdict::Neutral
            }
            (None, value) if self.is_dropped(feature, value) => FocusVerdict::Dropped,
            (None, _) => FocusVerdict::Base,
        };
        if let (Some(value), FocusVerdict::Neutral | FocusVerdict::Base | FocusVerdict::Lives) =
            (result.value(), verdict)
        {
            self.keep(FeatureValue { feature, value }, verdict);
            self.nodes.extend(result.nodes().map(|nodes| (feature, nodes)));
        }
        verdict
    }

    /// Whether a combination survives beside its first parent.
    fn survives(&self, parents: Parents, result: &TrialResult) -> bool {
        let reaches = result.value().is_some_and(|value| value >= parents.at_least);
        let saves = || result.nodes().zip(self.nodes.get(&parents.first_parent)).is_some_and(|(own, of)| own < *of);
        reaches && (self.settings.survival == Survival::Gains || saves())
    }

    /// Adds a feature to the sets it belongs to.
    fn keep(&mut self, rated: FeatureValue, verdict: FocusVerdict) {
        self.output.push(rated);
        if verdict == FocusVerdict::Base {
            self.base.push(rated);
        }
        if verdict != FocusVerdict::Neutral {
            self.work_set.push(rated);
        }
    }

    /// Algorithm 1, lines 7–13: threshold pruning. Neutral is evaluated first, so delta is known here.
    fn is_dropped(&self, feature: Conjunction, value: Option<u32>) -> bool {
        // What saves nodes may solve as many fewer as a combination may.
        let slack = if self.settings.survival == Survival::Saves { self.settings.epsilon } else { 0 };
        let delta =
            self.settings.delta.or(self.neutral.map(|neutral| neutral.saturating_add_signed(slack.saturating_neg())));
        value < delta && feature.atoms().all(|atom| self.settings.pruning.may_drop(self.vocabulary, atom))
    }

    /// Algorithm 3, lines 2–8: blacklists a failed feature and, with linear tree pruning, the combinations of its first
    /// parent with the children of its second parent.
    fn ban(&mut self, feature: Conjunction, parents: Parents) {
        self.blacklist.push(feature);
        if self.settings.pruning.uses_linear_tree() {
            let vocabulary = self.vocabulary;
            let parent = Some(vocabulary.facts(parents.second_parent).name);
            let children = vocabulary
                .atoms()
                .chain(vocabulary.state_atoms())
                .filter(|&atom| vocabulary.facts(atom).parent == parent);
            self.blacklist.extend(children.map(|child| parents.first_parent.and(Conjunction::of([child]))));
        }
    }

    /// Algorithm 1, line 21: a result may have blacklisted features of the current generation.
    fn skip_banned(&mut self) {
        while self.queue.front().is_some_and(|next| next.parents.is_some() && !self.is_allowed(next.feature)) {
            self.queue.pop_front();
            self.skipped += 1;
        }
    }

    /// Algorithm 2: forms the next generation from the surviving features and the Base set. (The papers also keep the
    /// failed features in the work set; all their combinations are blacklisted.)
    fn next_generation(&mut self) {
        let mut parents = std::mem::take(&mut self.work_set);
        parents.retain(|parent| self.settings.most_atoms.is_none_or(|most| parent.feature.len() < most));
        // Of two features that solve as many, the one that needs fewer nodes is the better parent.
        let nodes = &self.nodes;
        let rank = |rated: &FeatureValue| (Reverse(rated.value), nodes.get(&rated.feature).copied(), rated.feature);
        parents.sort_by_key(rank);
        self.base.sort_by_key(rank);
        let mut formed = BTreeSet::new();
        for first in &parents {
            for second in self.base.iter().flat_map(|rated| rated.feature.atoms()) {
                if self.settings.pruning.same_group(self.vocabulary, first.feature, second) {
                    continue;
                }
                let feature = first.feature.and(Conjunction::of([second]));
                if !formed.insert(feature) {
                    continue;
                }
                if self.is_allowed(feature) {
                    let at_least = self.settings.survival.at_least(first.value, self.settings.epsilon);
                    let parents = Parents { first_parent: first.feature, second_parent: second, at_least };
                    self.queue.push_back(FeatureTrial { feature, parents: Some(parents) });
                } else {
                    self.skipped += 1;
                }
            }
        }
    }

    /// The papers' `isCompositionAllowed`: no blacklisted feature is part of this one.
    fn is_allowed(&self, feature: Conjunction) -> bool {
        !self.blacklist.iter().any(|banned| banned.is_within(feature))
    }
}

impl FocusVerdict {
    /// The name used in stores and reports.
    pub const fn name(self) -> &'static str {
        match self {
            FocusVerdict::Neutral => "neutral",
            FocusVerdict::Base => "base",
            FocusVerdict::Dropped => "dropped",
            FocusVerdict::Lives => "lives",
            FocusVerdict::Pruned => "pruned",
            FocusVerdict::Grows => "grows",
        }
    }
}

impl FocusOutcome {
    /// The number of evaluated features, including Neutral and atoms, as the papers' tables count it.
    pub fn evaluations(&self) -> usize {
        self.evaluated.len()
    }
}

/// `sortDesc` of the papers: by descending value, ties by the order of the features.
pub(crate) fn sort_desc(features: &mut [FeatureValue]) {
    features.sort_by_key(|rated| (Reverse(rated.value), rated.feature));
}

#[cfg(test)]
mod tests;
