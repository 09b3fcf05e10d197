//! Gradual Focus against a literal transcription of the papers' pseudo-code, on random fitness landscapes.

use std::{
    collections::{BTreeMap, BTreeSet},
    convert::Infallible,
};

use plysmith_core::feature::{Atom, AtomFacts, Conjunction, Vocabulary};
use plysmith_core::random::Random;
use plysmith_learn::{
    exhaustive::{combinations, interesting},
    focus::{FeatureValue, FocusOutcome, FocusSettings, FocusVerdict, GradualFocus, Survival},
    pruning::Pruning,
    trial::FeatureTrial,
};
use proptest::prelude::{Just, Strategy, any, prop_assert, prop_assert_eq, proptest};

const NAMES: [&str; MOST_ATOMS] = ["a", "b", "c", "d", "e", "f", "g"];
const MOST_ATOMS: usize = 7;

/// A set of atoms, deliberately unlike [`Conjunction`].
type Set = BTreeSet<usize>;

/// A made-up game: its atoms, and the value of each set of atoms, indexed by bits.
#[derive(Debug, Clone)]
struct Landscape {
    vocabulary: Vocabulary,
    values: Vec<u32>,
}

proptest! {
    #[test]
    fn it_does_what_the_pseudo_code_says(landscape in landscapes(), settings in settings()) {
        for pruning in Pruning::ALL {
            let settings = FocusSettings { pruning, ..settings.clone() };
            let (asked, outcome) = landscape.run(settings.clone(), false);
            let oracle = Oracle::feature_learner(&landscape, settings);
            prop_assert_eq!(&asked, &oracle.evaluated);
            let output: Vec<_> = outcome.output.iter().map(|rated| set(rated.feature)).collect();
            prop_assert_eq!(output, oracle.output);
            prop_assert_eq!(outcome.evaluations(), asked.len());
            prop_assert_eq!(outcome.skipped, oracle.forbidden.difference(&asked.into_iter().collect()).count());
        }
    }

    /// What may be searched less: a combination survives exactly if it solves no fewer than its first parent, but for
    /// epsilon, with fewer nodes; and the first parent solves as many as the second, or more.
    #[test]
    fn what_saves_nodes_survives(landscape in landscapes(), settings in settings(), seed in any::<u64>()) {
        let nodes = |feature: Conjunction| 1 + Random::for_purpose(seed, &landscape.vocabulary.print(feature)).below(20) as u64;
        for pruning in Pruning::ALL {
            let settings = FocusSettings {
                pruning,
                survival: Survival::Saves,
                epsilon: settings.epsilon.abs(),
                ..settings.clone()
            };
            let epsilon = settings.epsilon.unsigned_abs();
            let mut focus = GradualFocus::new(landscape.vocabulary, landscape.vocabulary.atoms(), settings);
            let mut survived = BTreeSet::new();
            while let Some(trial) = focus.ask() {
                let value = landscape.value(trial.feature);
                let verdict = focus.tell(trial.exactly(value).with_nodes(nodes(trial.feature)));
                let Some(parents) = trial.parents else { continue };
                let parent = parents.first_parent;
                prop_assert!(parent.len() == 1 || survived.contains(&parent), "what did not survive has no children");
                let lives = value + epsilon >= landscape.value(parent) && nodes(trial.feature) < nodes(parent);
                prop_assert_eq!(verdict, if lives { FocusVerdict::Lives } else { FocusVerdict::Pruned });
                if lives {
                    survived.insert(trial.feature);
                }
            }
            let output: BTreeSet<_> = focus.outcome().output.iter().map(|rated| rated.feature).filter(|one| one.len() > 1).collect();
            prop_assert_eq!(output, survived);
        }
    }

    #[test]
    fn nodes_change_nothing_where_features_must_gain(landscape in landscapes(), settings in settings()) {
        let mut focus = GradualFocus::new(landscape.vocabulary, landscape.vocabulary.atoms(), settings.clone());
        let mut count = 0;
        while let Some(trial) = focus.ask() {
            count += 1;
            focus.tell(trial.exactly(landscape.value(trial.feature)).with_nodes(count));
        }
        prop_assert_eq!(focus.outcome().output, landscape.run(settings, false).1.output);
    }

    #[test]
    fn below_says_as_much_as_the_value(landscape in landscapes(), settings in settings()) {
        for pruning in Pruning::ALL {
            let settings = FocusSettings { pruning, ..settings.clone() };
            let (asked, exact) = landscape.run(settings.clone(), false);
            let (asked_early, early) = landscape.run(settings, true);
            prop_assert_eq!(asked, asked_early);
            let verdicts = |outcome: &FocusOutcome| outcome.evaluated.iter().map(|evaluated| evaluated.verdict).collect::<Vec<_>>();
            prop_assert_eq!(verdicts(&exact), verdicts(&early));
            prop_assert_eq!((exact.output, exact.skipped), (early.output, early.skipped));
            let inexact = early.evaluated.iter().filter(|evaluated| evaluated.result.value().is_none());
            prop_assert!(inexact.into_iter().all(|evaluated| evaluated.verdict == FocusVerdict::Pruned));
        }
    }

    #[test]
    fn pending_questions_keep_until_their_turn(landscape in landscapes(), settings in settings()) {
        let mut focus = landscape.focus(settings);
        let mut ahead: Vec<FeatureTrial> = Vec::new();
        while let Some(trial) = focus.ask() {
            prop_assert!(ahead.is_empty() || ahead.contains(&trial));
            ahead = focus.pending().skip(1).collect();
            focus.tell(trial.exactly(landscape.value(trial.feature)));
        }
        prop_assert!(ahead.is_empty());
    }

    #[test]
    fn without_speculative_pruning_all_that_is_found_is_interesting(landscape in landscapes(), epsilon in 0i32..4) {
        for pruning in [Pruning::None, Pruning::Groups] {
            let (_, outcome) = landscape.run(FocusSettings::new(pruning, epsilon), false);
            let vocabulary = landscape.vocabulary;
            let all = combinations(vocabulary, vocabulary.atoms(), pruning, usize::MAX);
            let measured: Vec<_> = all.iter().map(|&feature| FeatureValue { feature, value: landscape.value(feature) }).collect();
            let interesting = interesting(&measured, epsilon.unsigned_abs());
            let found: Vec<_> = outcome.output.into_iter().filter(|rated| !rated.feature.is_empty()).collect();
            prop_assert!(found.iter().all(|rated| interesting.contains(rated)));
            // A missed feature has a redundant part, which was never extended.
            for overlooked in interesting.iter().filter(|rated| !found.contains(rated)) {
                let is_part = |part: &&FeatureValue| part.feature.is_within(overlooked.feature);
                prop_assert!(measured.iter().filter(is_part).any(|part| !interesting.contains(part)));
            }
        }
    }
}

impl Landscape {
    fn focus(&self, settings: FocusSettings) -> GradualFocus {
        GradualFocus::new(self.vocabulary, self.vocabulary.atoms(), settings)
    }

    /// The evaluated features and the outcome; with `early`, results are only as exact as necessary.
    fn run(&self, settings: FocusSettings, early: bool) -> (Vec<Set>, FocusOutcome) {
        let mut asked = Vec::new();
        let mut evaluator = |trial: &FeatureTrial| {
            asked.push(set(trial.feature));
            let value = self.value(trial.feature);
            let fails = trial.at_least().is_some_and(|least| value < least);
            let below = trial.below().filter(|_| early && fails);
            Ok::<_, Infallible>(below.unwrap_or(trial.exactly(value)))
        };
        let Ok(outcome) = self.focus(settings).run(&mut evaluator);
        (asked, outcome)
    }

    fn value(&self, feature: Conjunction) -> u32 {
        self.values[feature.atoms().map(|atom| 1 << atom.0).sum::<usize>()]
    }
}

/// Algorithms 1–3 of the papers, line by line, with their variables.
struct Oracle<'a> {
    landscape: &'a Landscape,
    settings: FocusSettings,
    black_list: Vec<Set>,
    /// The results of `evaluateFitness`, and the features it was called for, in order.
    value: BTreeMap<Set, u32>,
    evaluated: Vec<Set>,
    first_parent: BTreeMap<Set, Set>,
    second_parent: BTreeMap<Set, usize>,
    /// Everything that `isCompositionAllowed` rejected, formed from a surviving feature.
    forbidden: BTreeSet<Set>,
    output: Vec<Set>,
}

impl Oracle<'_> {
    fn feature_learner(landscape: &Landscape, settings: FocusSettings) -> Oracle<'_> {
        let mut oracle = Oracle {
            landscape,
            black_list: settings.blacklist.iter().map(|&feature| set(feature)).collect(),
            settings,
            value: BTreeMap::new(),
            evaluated: Vec::new(),
            first_parent: BTreeMap::new(),
            second_parent: BTreeMap::new(),
            forbidden: BTreeSet::new(),
            output: Vec::new(),
        };
        oracle.evaluate_fitness(&Set::new());
        let mut base: Vec<Set> = (0..landscape.vocabulary.moves.len()).map(|atom| Set::from([atom])).collect();
        for b in &base {
            oracle.evaluate_fitness(b);
        }
        let pruning = oracle.settings.pruning;
        if !matches!(pruning, Pruning::None | Pruning::Groups | Pruning::LinearTree) {
            let delta = oracle.settings.delta.unwrap_or(oracle.value[&Set::new()]);
            let marked = |b: &Set| b.iter().any(|&atom| !landscape.vocabulary.moves[atom].threshold_safe);
            let knows = matches!(pruning, Pruning::Knowledge | Pruning::GroupsKnowledge);
            base.retain(|b| oracle.value[b] >= delta || knows && marked(b));
        }
        oracle.sort_desc(&mut base);
        let mut output = [&[Set::new()], &base[..]].concat();
        let mut work_set = base.clone();
        while !work_set.is_empty() {
            oracle.sort_desc(&mut work_set);
            work_set = oracle.evolve_features(&work_set, &base);
            for f in &work_set {
                if oracle.is_composition_allowed(f) {
                    oracle.evaluate_fitness(f);
                    output.extend(oracle.filter_feature(f));
                } else {
                    oracle.forbidden.insert(f.clone());
                }
            }
        }
        oracle.sort_desc(&mut output);
        oracle.output = output;
        oracle
    }

    fn evolve_features(&mut self, a_set: &[Set], b_set: &[Set]) -> Vec<Set> {
        let mut new = Vec::new();
        for a in a_set {
            for b in b_set {
                let limited = self.settings.most_atoms.is_some_and(|most| a.len() >= most);
                if !limited && !self.belong_to_same_group(a, b) {
                    let c: Set = a | b;
                    if self.is_composition_allowed(&c) && !new.contains(&c) {
                        self.first_parent.insert(c.clone(), a.clone());
                        self.second_parent.insert(c.clone(), *b.first().unwrap());
                        new.push(c);
                    } else if a.len() == 1 || self.value.contains_key(a) && self.improves(a) {
                        self.forbidden.insert(c);
                    }
                }
            }
        }
        new
    }

    fn filter_feature(&mut self, new_feature: &Set) -> Option<Set> {
        let first_parent = &self.first_parent[new_feature];
        if !self.improves(new_feature) {
            self.black_list.push(new_feature.clone());
            if matches!(self.settings.pruning, Pruning::LinearTree | Pruning::Threshold | Pruning::Knowledge) {
                let atoms = self.landscape.vocabulary.moves;
                let second_parent = atoms[self.second_parent[new_feature]].name;
                for child in (0..atoms.len()).filter(|&atom| atoms[atom].parent == Some(second_parent)) {
                    self.black_list.push(first_parent | &Set::from([child]));
                }
            }
            None
        } else {
            Some(new_feature.clone())
        }
    }

    fn improves(&self, feature: &Set) -> bool {
        let parent = self.value[&self.first_parent[feature]];
        i64::from(self.value[feature]) >= i64::from(parent) + i64::from(self.settings.epsilon)
    }

    fn evaluate_fitness(&mut self, feature: &Set) {
        let value = self.landscape.values[number(feature)];
        self.value.insert(feature.clone(), value);
        self.evaluated.push(feature.clone());
    }

    /// Blacklisted features were never evaluated and come last.
    fn sort_desc(&self, features: &mut [Set]) {
        features
            .sort_by_key(|feature| (-self.value.get(feature).map_or(-1, |&value| i64::from(value)), number(feature)));
    }

    fn is_composition_allowed(&self, feature: &Set) -> bool {
        !self.black_list.iter().any(|banned| banned.is_subset(feature))
    }

    fn belong_to_same_group(&self, a: &Set, b: &Set) -> bool {
        let group = |atom: usize| match self.settings.pruning {
            Pruning::None => NAMES[atom],
            _ => self.landscape.vocabulary.moves[atom].group,
        };
        a.iter().any(|&one| b.iter().any(|&other| group(one) == group(other)))
    }
}

fn set(feature: Conjunction) -> Set {
    feature.atoms().map(|atom| usize::from(atom.0)).collect()
}

fn number(set: &Set) -> usize {
    set.iter().map(|&atom| 1 << atom).sum()
}

/// Values are a sum over the atoms plus noise, so that runs last for several generations.
fn landscapes() -> impl Strategy<Value = Landscape> {
    let atoms = proptest::collection::vec(
        (0usize..4, any::<proptest::sample::Index>(), any::<bool>(), 0u32..12),
        1..=MOST_ATOMS,
    );
    let noise = proptest::collection::vec(0u32..8, 1 << MOST_ATOMS);
    (atoms, noise, any::<bool>()).prop_map(|(atoms, noise, grouped)| {
        let group = |atom: usize| if grouped { ["w", "x", "y", "z"][atoms[atom].0] } else { NAMES[atom] };
        let facts = (0..atoms.len()).map(|atom| {
            let wider: Vec<_> = (0..atom).filter(|&other| group(other) == group(atom)).collect();
            // About one atom per group has no parent.
            let parent = wider.get(atoms[atom].1.index(wider.len() + 1)).map(|&parent| NAMES[parent]);
            let (name, group, threshold_safe) = (NAMES[atom], group(atom), atoms[atom].2);
            AtomFacts { name, group, parent, threshold_safe, meaning: "", example: ("", "") }
        });
        let value =
            |bits: usize| (0..atoms.len()).filter(|atom| bits >> atom & 1 == 1).map(|atom| atoms[atom].3).sum::<u32>();
        let values = (0..1 << atoms.len()).map(|bits| value(bits) + noise[bits]).collect();
        Landscape { vocabulary: Vocabulary::new(Box::leak(facts.collect())), values }
    })
}

/// Any settings, with blacklisted features of one to three atoms.
fn settings() -> impl Strategy<Value = FocusSettings> {
    let atom = || (0..MOST_ATOMS as u8).prop_map(Atom);
    let banned = proptest::collection::vec(atom(), 1..4).prop_map(Conjunction::of);
    let blacklist = proptest::collection::vec(banned, 0..3);
    let delta = proptest::option::of(0u32..15);
    let most_atoms = proptest::option::weighted(0.2, 1usize..4);
    (Just(Pruning::Groups), -3i32..5, delta, blacklist, most_atoms).prop_map(
        |(pruning, epsilon, delta, blacklist, most_atoms)| FocusSettings {
            pruning,
            survival: Survival::Gains,
            epsilon,
            delta,
            blacklist,
            most_atoms,
        },
    )
}
