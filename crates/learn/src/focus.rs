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
    /// less deep, what it may be behind.
    pub epsilon: u32,
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
    pub const fn new(pruning: Pruning, epsilon: u32) -> FocusSettings {
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
        let delta = self.settings.delta.or(self.neutral.map(|neutral| neutral.saturating_sub(slack)));
        value < delta && feature.atoms().all(|atom| self.settings.pruning.may_drop(self.vocabulary, atom))
    }

    /// Algorithm 3, lines 2–8: blacklists a failed feature and, with linear tree pruning, the combinations of its first
    /// parent with the children of its second parent.
    fn ban(&mut self, feature: Conjunction, parents: Parents) {
        self.blacklist.push(feature);
        if self.settings.pruning >= Pruning::LinearTree {
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
mod tests {
    use std::convert::Infallible;

    use plysmith_core::feature::{AtomFacts, Conjunction, Vocabulary};

    use super::{FocusOutcome, FocusSettings, FocusVerdict, GradualFocus};
    use crate::{pruning::Pruning, trial::FeatureTrial};

    const fn atom(name: &'static str, group: &'static str, parent: Option<&'static str>) -> AtomFacts {
        AtomFacts { name, group, parent, threshold_safe: true, meaning: "", example: ("", "") }
    }

    const LETTERS: Vocabulary =
        Vocabulary::new(&[atom("a", "a", None), atom("b", "b", None), atom("c", "c", None), atom("d", "d", None)]);

    /// The hierarchy of the paper's Figure 3, one level deeper: c4 is a part of c2.
    const TREE: Vocabulary = Vocabulary::new(&[
        atom("a", "a", None),
        atom("c1", "c", None),
        atom("c2", "c", Some("c1")),
        atom("c3", "c", Some("c1")),
        atom("c4", "c", Some("c2")),
    ]);

    /// Runs on values given by name; features that are not named have the value 0. Returns the evaluated combinations
    /// in order, and the outcome.
    fn run(vocabulary: Vocabulary, settings: FocusSettings, values: &[(&str, u32)]) -> (Vec<String>, FocusOutcome) {
        let mut asked = Vec::new();
        let mut evaluator = |trial: &FeatureTrial| {
            let name = vocabulary.print(trial.feature);
            let value = values.iter().find(|(known, _)| *known == name).map_or(0, |&(_, value)| value);
            if trial.generation() > 1 {
                asked.push(name);
            }
            Ok::<_, Infallible>(trial.exactly(value))
        };
        let Ok(outcome) = GradualFocus::new(vocabulary, vocabulary.atoms(), settings).run(&mut evaluator);
        (asked, outcome)
    }

    fn output(vocabulary: Vocabulary, outcome: &FocusOutcome) -> Vec<String> {
        outcome.output.iter().map(|rated| vocabulary.print(rated.feature)).collect()
    }

    #[test]
    fn a_failed_pair_is_part_of_no_triple() {
        // Paper, Figure 2: of four triples, the two with b∧c are never formed, nor is a quadruple.
        let pairs = ["a-b", "a-c", "a-d", "b-d", "c-d"].map(|name| (name, 20));
        let values = [("a", 14), ("b", 13), ("c", 12), ("d", 11), ("b-c", 12), ("a-b-d", 30), ("a-c-d", 30)];
        let (asked, outcome) = run(LETTERS, FocusSettings::new(Pruning::Groups, 0), &[&pairs[..], &values].concat());
        assert_eq!(asked, ["a-b", "a-c", "a-d", "b-c", "b-d", "c-d", "a-b-d", "a-c-d"]);
        assert_eq!(
            output(LETTERS, &outcome),
            ["a-b-d", "a-c-d", "a-b", "a-c", "a-d", "b-d", "c-d", "a", "b", "c", "d", "Neutral"]
        );
        assert_eq!(outcome.evaluations(), 1 + 4 + 8);
        // a-b-c and b-c-d in the third generation, a-b-c-d in the fourth.
        assert_eq!(outcome.skipped, 3);
    }

    #[test]
    fn the_better_parent_comes_first_and_ties_keep_vocabulary_order() {
        let values = [("a", 5), ("b", 9), ("c", 9), ("d", 5)];
        let (asked, outcome) = run(LETTERS, FocusSettings::new(Pruning::Groups, 3), &values);
        assert_eq!(asked, ["b-c", "a-b", "b-d", "a-c", "c-d", "a-d"]);
        let first_parents: Vec<_> =
            outcome.evaluated.iter().filter_map(|evaluated| evaluated.result.trial().parents).collect();
        let names = first_parents.iter().map(|parents| LETTERS.print(parents.first_parent));
        assert_eq!(names.collect::<String>(), "bbbcca");
        assert_eq!(first_parents.iter().map(|parents| parents.at_least).collect::<Vec<_>>(), [12, 12, 12, 12, 12, 8]);
    }

    #[test]
    fn a_child_lives_if_it_is_better_by_just_epsilon() {
        let values = [("a", 10), ("b", 4), ("c", 4), ("a-b", 13), ("a-c", 12)];
        let (_, outcome) = run(LETTERS, FocusSettings::new(Pruning::Groups, 3), &values);
        let verdict = |name| {
            let feature = LETTERS.parse(name).unwrap();
            outcome.evaluated.iter().find(|evaluated| evaluated.result.trial().feature == feature).unwrap().verdict
        };
        assert_eq!((verdict("a-b"), verdict("a-c")), (FocusVerdict::Lives, FocusVerdict::Pruned));
    }

    #[test]
    fn what_fails_with_an_atom_is_not_tried_with_its_children() {
        // Paper, Figure 3. The grandchild c4 is no child of c1, and a∧c2 was blacklisted, not evaluated.
        let values = [("a", 20), ("c1", 15), ("c2", 10), ("c3", 9), ("c4", 8)];
        let (asked, outcome) = run(TREE, FocusSettings::new(Pruning::LinearTree, 0), &values);
        assert_eq!((asked, outcome.skipped), (vec!["a-c1".to_string(), "a-c4".to_string()], 2));
        let (asked, _) = run(TREE, FocusSettings::new(Pruning::Groups, 0), &values);
        assert_eq!(asked, ["a-c1", "a-c2", "a-c3", "a-c4"]);
        // With c1 as first parent, a is the second parent, and it has no children.
        let (asked, _) = run(TREE, FocusSettings::new(Pruning::LinearTree, 0), &[("a", 20), ("c1", 25), ("c2", 10)]);
        assert_eq!(asked, ["a-c1", "a-c2", "a-c3"]);
    }

    #[test]
    fn what_lives_already_is_kept_but_grows_no_further_once_banned() {
        const WITH_E: Vocabulary = Vocabulary::new(&[
            atom("a", "a", None),
            atom("c1", "c", None),
            atom("c2", "c", Some("c1")),
            atom("e", "e", None),
        ]);
        let values = [("c2", 30), ("a", 20), ("c1", 15), ("a-c2", 40), ("c2-e", 40), ("a-e", 40)];
        let (asked, outcome) = run(WITH_E, FocusSettings::new(Pruning::LinearTree, 0), &values);
        assert_eq!(asked, ["a-c2", "c2-e", "a-c1", "a-e", "c1-e"], "no a-c2-e");
        assert_eq!(output(WITH_E, &outcome)[..3], ["a-c2", "a-e", "c2-e"]);
    }

    #[test]
    fn atoms_below_the_threshold_leave() {
        let values = [("Neutral", 5), ("a", 9), ("b", 5), ("c", 4), ("d", 3)];
        let settings = FocusSettings::new(Pruning::Threshold, 0);
        let (asked, outcome) = run(LETTERS, settings.clone(), &values);
        assert_eq!(asked, ["a-b"]);
        assert_eq!(output(LETTERS, &outcome), ["a", "Neutral", "b"]);
        assert_eq!(outcome.evaluations(), 6, "what is dropped was evaluated too");
        let (asked, _) = run(LETTERS, FocusSettings { delta: Some(4), ..settings }, &values);
        assert_eq!(asked, ["a-b", "a-c", "b-c"]);
    }

    #[test]
    fn knowledge_keeps_marked_atoms() {
        const MARKED: Vocabulary = Vocabulary::new(&[
            atom("a", "a", None),
            AtomFacts { threshold_safe: false, ..atom("b", "b", None) },
            atom("c", "c", None),
        ]);
        let values = [("Neutral", 5), ("a", 9), ("b", 2), ("c", 2)];
        assert_eq!(run(MARKED, FocusSettings::new(Pruning::Knowledge, 0), &values).0, ["a-b"]);
        assert!(run(MARKED, FocusSettings::new(Pruning::Threshold, 0), &values).0.is_empty());
    }

    #[test]
    fn a_seeded_blacklist_forbids_combinations_not_atoms() {
        let blacklist = ["a-b", "d"].map(|name| LETTERS.parse(name).unwrap()).to_vec();
        let settings = FocusSettings { blacklist, ..FocusSettings::new(Pruning::Groups, 0) };
        let (asked, outcome) = run(LETTERS, settings, &[("d", 1)]);
        assert_eq!(asked, ["a-c", "b-c"]);
        assert_eq!(outcome.output[0].feature, LETTERS.parse("d").unwrap());
        assert_eq!(outcome.skipped, 4 + 3, "a-b, all with d; then a-b-c, a-c-d, b-c-d");
    }

    #[test]
    fn a_limit_ends_the_run_early() {
        let settings = FocusSettings { most_atoms: Some(2), ..FocusSettings::new(Pruning::Groups, 0) };
        assert_eq!(run(LETTERS, settings, &[]).0.len(), 6);
        assert_eq!(run(LETTERS, FocusSettings::new(Pruning::Groups, 0), &[]).0.len(), 6 + 4 + 1);
    }

    #[test]
    fn pending_counts_down_and_asking_changes_nothing() {
        let mut focus = GradualFocus::new(LETTERS, LETTERS.atoms(), FocusSettings::new(Pruning::Groups, 1));
        let mut counts = Vec::new();
        while let Some(trial) = focus.ask() {
            assert_eq!(focus.pending().next(), focus.ask());
            counts.push(focus.pending().count());
            focus.tell(trial.exactly(0));
        }
        assert_eq!(counts, [5, 4, 3, 2, 1, 6, 5, 4, 3, 2, 1]);
        assert_eq!(focus.pending().count(), 0);
    }

    #[test]
    fn an_evaluator_that_fails_can_be_asked_again() {
        let mut focus = GradualFocus::new(LETTERS, LETTERS.atoms(), FocusSettings::new(Pruning::Groups, 1));
        let mut failing = |_: &FeatureTrial| Err("engine gone");
        assert_eq!(focus.run(&mut failing), Err("engine gone"));
        let mut working = |trial: &FeatureTrial| Ok::<_, Infallible>(trial.exactly(0));
        assert_eq!(focus.run(&mut working).unwrap().evaluations(), 1 + 4 + 6);
    }

    #[test]
    fn an_empty_base_set_leaves_neutral() {
        let mut focus = GradualFocus::new(LETTERS, [], FocusSettings::new(Pruning::Knowledge, 0));
        assert_eq!(focus.tell(focus.ask().unwrap().exactly(3)), FocusVerdict::Neutral);
        assert_eq!((focus.ask(), focus.outcome().output[0].feature), (None, Conjunction::NEUTRAL));
    }
}
