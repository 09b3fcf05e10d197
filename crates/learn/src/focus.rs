//! Gradual Focus: discovers features by combining atoms, one generation at a time, keeping only what
//! improves on its first parent (paper section 3, Algorithms 1–3; thesis sections 3.3–3.6,
//! Algorithms 3–5).
//!
//! [`GradualFocus`] is the algorithm turned inside out: [`ask`](GradualFocus::ask) gives the next feature
//! to evaluate, [`tell`](GradualFocus::tell) takes its value. Where the texts differ or leave room:
//!
//! - `isCompositionAllowed` is read as the paper has it (the thesis negates it twice): a feature is
//!   evaluated if no blacklisted feature is part of it.
//! - A child is compared with its *first* parent, and must be better by at least epsilon to live.
//! - Ties are broken by the order of [`Conjunction`]: atoms in vocabulary order, wider before narrower.
//! - Linear tree pruning bans the direct children of the second parent, and only when a combination
//!   was evaluated and failed; a banned combination bans nothing in turn. As the better atom is the
//!   first parent, a failed `a∧c1` bans `a∧c2` only where `a` is better than `c1`. Where `c2` is better
//!   still, `a∧c2` had its turn before: if it lives it stays in the Output, but grows no further.
//! - Atoms that threshold pruning drops are evaluated, but neither combined nor part of the Output.
//! - The seeded blacklist forbids combinations; an atom on it is still evaluated on its own.

use std::{
    cmp::Reverse,
    collections::{BTreeSet, VecDeque},
};

use plysmith_core::feature::{Atom, Conjunction, Vocabulary};

use crate::{
    evaluator::{Answer, Descent, Evaluator, Question},
    pruning::Pruning,
};

/// What can be chosen about a run.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Settings {
    /// The pruning methods.
    pub pruning: Pruning,
    /// By how much a feature must be better than its first parent to live.
    pub epsilon: u32,
    /// Threshold pruning drops atoms with less than this; none stands for Neutral's value.
    pub delta: Option<u32>,
    /// Features that must not be part of any combination.
    pub blacklist: Vec<Conjunction>,
    /// Combine at most this many atoms; none for no limit. Single atoms are evaluated in any case.
    pub most_atoms: Option<usize>,
}

/// The state of a run between two questions.
#[derive(Clone, Debug)]
pub struct GradualFocus {
    vocabulary: Vocabulary,
    settings: Settings,
    blacklist: Vec<Conjunction>,
    /// Neutral's value, once it is known.
    neutral: Option<u32>,
    /// The atoms that take part in combining.
    base: Vec<Rated>,
    /// The features of the current generation that live: what the next one grows from.
    work_set: Vec<Rated>,
    /// The current generation's questions still to ask. Its front is always allowed.
    queue: VecDeque<Question>,
    output: Vec<Rated>,
    judged: Vec<Judged>,
    skipped: usize,
}

/// A feature with its value.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Hash)]
pub struct Rated {
    /// The feature.
    pub feature: Conjunction,
    /// How many positions are solved with it.
    pub value: u32,
}

/// What became of one evaluated feature.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Hash)]
pub struct Judged {
    /// The feature, its parents, and what was known; a value of none is one below what was needed.
    pub answer: Answer,
    /// The judgement.
    pub verdict: Verdict,
}

/// How Gradual Focus judges a feature.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Hash)]
pub enum Verdict {
    /// The feature without effect, for comparison.
    Neutral,
    /// An atom that takes part in combining.
    Base,
    /// An atom dropped by threshold pruning.
    Dropped,
    /// A combination that improves on its first parent.
    Lives,
    /// A combination that does not, and is blacklisted.
    Pruned,
}

/// What Gradual Focus found.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Outcome {
    /// The papers' Output: Neutral, the Base set and every combination that lives, best first.
    pub output: Vec<Rated>,
    /// Every evaluated feature, in the order of evaluation.
    pub judged: Vec<Judged>,
    /// How many different combinations were formed but not evaluated, because of the blacklist.
    pub skipped: usize,
}

impl Settings {
    /// These two, and for the rest what the papers did: delta is Neutral's value, no seeded blacklist,
    /// no limit.
    pub const fn new(pruning: Pruning, epsilon: u32) -> Settings {
        Settings { pruning, epsilon, delta: None, blacklist: Vec::new(), most_atoms: None }
    }
}

impl GradualFocus {
    /// A run at its start, with these atoms as Base set. They are evaluated in vocabulary order; naming
    /// one twice changes nothing.
    ///
    /// # Panics
    /// If an atom is not in the vocabulary.
    pub fn new(vocabulary: Vocabulary, base: impl IntoIterator<Item = Atom>, settings: Settings) -> GradualFocus {
        let base: BTreeSet<Atom> = base.into_iter().collect();
        let stranger = base.iter().find(|atom| usize::from(atom.0) >= vocabulary.0.len());
        assert_eq!(stranger, None, "the Base set has an atom that is not in the vocabulary");
        let atoms = base.into_iter().map(|atom| Conjunction::of([atom]));
        GradualFocus {
            vocabulary,
            blacklist: settings.blacklist.clone(),
            settings,
            neutral: None,
            base: Vec::new(),
            work_set: Vec::new(),
            queue: std::iter::once(Conjunction::NEUTRAL).chain(atoms).map(Question::exact).collect(),
            output: Vec::new(),
            judged: Vec::new(),
            skipped: 0,
        }
    }

    /// The next question, or none when all promising combinations have been explored. Asking again
    /// without telling gives the same question.
    pub fn ask(&self) -> Option<Question> {
        self.queue.front().copied()
    }

    /// The questions left in the current generation, the next one first. Answers to come may strike
    /// some of them off but change none, so they can be worked on ahead of their turn.
    pub fn pending(&self) -> impl Iterator<Item = Question> {
        self.queue.iter().copied().filter(|question| question.descent.is_none() || self.is_allowed(question.feature))
    }

    /// Takes the answer to the current question and judges the feature.
    ///
    /// # Panics
    /// If it answers another question than the one that [`ask`](GradualFocus::ask) gives.
    pub fn tell(&mut self, answer: Answer) -> Verdict {
        assert_eq!(self.queue.pop_front(), Some(*answer.question()), "this is not what was asked");
        let verdict = self.judge(answer);
        self.judged.push(Judged { answer, verdict });
        self.skip_banned();
        if self.queue.is_empty() {
            self.evolve();
        }
        verdict
    }

    /// Asks and tells until the end. If the evaluator fails, the run stands where it was and can be
    /// taken up again.
    pub fn run<V: Evaluator>(&mut self, evaluator: &mut V) -> Result<Outcome, V::Error> {
        while let Some(question) = self.ask() {
            self.tell(evaluator.evaluate(&question)?);
        }
        Ok(self.outcome())
    }

    /// What was found so far; all of it once there is nothing left to ask.
    pub fn outcome(&self) -> Outcome {
        let mut output = self.output.clone();
        sort_desc(&mut output);
        Outcome { output, judged: self.judged.clone(), skipped: self.skipped }
    }

    /// Algorithm 1, lines 3–16, for Neutral and atoms; Algorithm 3 for combinations.
    fn judge(&mut self, answer: Answer) -> Verdict {
        let Question { feature, descent } = *answer.question();
        let verdict = match (descent, answer.value()) {
            (Some(descent), Some(value)) if value >= descent.at_least => Verdict::Lives,
            (Some(descent), _) => {
                self.ban(feature, descent);
                Verdict::Pruned
            }
            (None, value) if feature.is_empty() => {
                self.neutral = value;
                Verdict::Neutral
            }
            (None, value) if self.is_dropped(feature, value) => Verdict::Dropped,
            (None, _) => Verdict::Base,
        };
        if let (Some(value), Verdict::Neutral | Verdict::Base | Verdict::Lives) = (answer.value(), verdict) {
            self.keep(Rated { feature, value }, verdict);
        }
        verdict
    }

    /// Gives a feature its place in the sets it belongs to.
    fn keep(&mut self, rated: Rated, verdict: Verdict) {
        self.output.push(rated);
        if verdict == Verdict::Base {
            self.base.push(rated);
        }
        if verdict != Verdict::Neutral {
            self.work_set.push(rated);
        }
    }

    /// Algorithm 1, lines 7–13: threshold pruning. Neutral comes first, so delta is known by now.
    fn is_dropped(&self, feature: Conjunction, value: Option<u32>) -> bool {
        let delta = self.settings.delta.or(self.neutral);
        value < delta && feature.atoms().all(|atom| self.settings.pruning.may_drop(self.vocabulary, atom))
    }

    /// Algorithm 3, lines 2–8: blacklists a feature that failed and, with linear tree pruning, what its
    /// first parent and the children of its second would form.
    fn ban(&mut self, feature: Conjunction, descent: Descent) {
        self.blacklist.push(feature);
        if self.settings.pruning >= Pruning::LinearTree {
            let vocabulary = self.vocabulary;
            let parent = Some(vocabulary.facts(descent.second_parent).name);
            let children = vocabulary.atoms().filter(|&atom| vocabulary.facts(atom).parent == parent);
            self.blacklist.extend(children.map(|child| descent.first_parent.and(Conjunction::of([child]))));
        }
    }

    /// Algorithm 1, line 21: an answer may have banned features of the same generation.
    fn skip_banned(&mut self) {
        while self.queue.front().is_some_and(|next| next.descent.is_some() && !self.is_allowed(next.feature)) {
            self.queue.pop_front();
            self.skipped += 1;
        }
    }

    /// Algorithm 2: the next generation, from the features that live and the Base set. (The papers keep
    /// the failed ones in the work set too; all they would form is blacklisted.)
    fn evolve(&mut self) {
        let mut parents = std::mem::take(&mut self.work_set);
        parents.retain(|parent| self.settings.most_atoms.is_none_or(|most| parent.feature.len() < most));
        sort_desc(&mut parents);
        sort_desc(&mut self.base);
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
                    let at_least = first.value.saturating_add(self.settings.epsilon);
                    let descent = Descent { first_parent: first.feature, second_parent: second, at_least };
                    self.queue.push_back(Question { feature, descent: Some(descent) });
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

impl Verdict {
    /// Its one name, in stores and reports.
    pub const fn name(self) -> &'static str {
        match self {
            Verdict::Neutral => "neutral",
            Verdict::Base => "base",
            Verdict::Dropped => "dropped",
            Verdict::Lives => "lives",
            Verdict::Pruned => "pruned",
        }
    }
}

impl Outcome {
    /// How many features were evaluated, Neutral and atoms included: what the papers' tables count.
    pub fn evaluations(&self) -> usize {
        self.judged.len()
    }
}

/// The papers' `sortDesc`: by falling value, ties by the order of the features.
pub(crate) fn sort_desc(features: &mut [Rated]) {
    features.sort_by_key(|rated| (Reverse(rated.value), rated.feature));
}

#[cfg(test)]
mod tests {
    use std::convert::Infallible;

    use plysmith_core::feature::{AtomFacts, Conjunction, Vocabulary};

    use super::{GradualFocus, Outcome, Settings, Verdict};
    use crate::{evaluator::Question, pruning::Pruning};

    const fn atom(name: &'static str, group: &'static str, parent: Option<&'static str>) -> AtomFacts {
        AtomFacts { name, group, parent, threshold_safe: true, meaning: "", example: ("", "") }
    }

    const LETTERS: Vocabulary =
        Vocabulary(&[atom("a", "a", None), atom("b", "b", None), atom("c", "c", None), atom("d", "d", None)]);

    /// The hierarchy of the paper's Figure 3, one level deeper: c4 is a part of c2.
    const TREE: Vocabulary = Vocabulary(&[
        atom("a", "a", None),
        atom("c1", "c", None),
        atom("c2", "c", Some("c1")),
        atom("c3", "c", Some("c1")),
        atom("c4", "c", Some("c2")),
    ]);

    /// Runs on values given by name; what is not named has the value 0. Gives the combinations that
    /// were asked for, in order, and the outcome.
    fn run(vocabulary: Vocabulary, settings: Settings, values: &[(&str, u32)]) -> (Vec<String>, Outcome) {
        let mut asked = Vec::new();
        let mut evaluator = |question: &Question| {
            let name = vocabulary.print(question.feature);
            let value = values.iter().find(|(known, _)| *known == name).map_or(0, |&(_, value)| value);
            if question.generation() > 1 {
                asked.push(name);
            }
            Ok::<_, Infallible>(question.exactly(value))
        };
        let Ok(outcome) = GradualFocus::new(vocabulary, vocabulary.atoms(), settings).run(&mut evaluator);
        (asked, outcome)
    }

    fn output(vocabulary: Vocabulary, outcome: &Outcome) -> Vec<String> {
        outcome.output.iter().map(|rated| vocabulary.print(rated.feature)).collect()
    }

    #[test]
    fn a_failed_pair_is_part_of_no_triple() {
        // Paper, Figure 2: of four triples, the two with b∧c are never formed, nor is a quadruple.
        let pairs = ["a-b", "a-c", "a-d", "b-d", "c-d"].map(|name| (name, 20));
        let values = [("a", 14), ("b", 13), ("c", 12), ("d", 11), ("b-c", 12), ("a-b-d", 30), ("a-c-d", 30)];
        let (asked, outcome) = run(LETTERS, Settings::new(Pruning::Groups, 0), &[&pairs[..], &values].concat());
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
        let (asked, outcome) = run(LETTERS, Settings::new(Pruning::Groups, 3), &values);
        assert_eq!(asked, ["b-c", "a-b", "b-d", "a-c", "c-d", "a-d"]);
        let first_parents: Vec<_> =
            outcome.judged.iter().filter_map(|judged| judged.answer.question().descent).collect();
        let names = first_parents.iter().map(|descent| LETTERS.print(descent.first_parent));
        assert_eq!(names.collect::<String>(), "bbbcca");
        assert_eq!(first_parents.iter().map(|descent| descent.at_least).collect::<Vec<_>>(), [12, 12, 12, 12, 12, 8]);
    }

    #[test]
    fn a_child_lives_if_it_is_better_by_just_epsilon() {
        let values = [("a", 10), ("b", 4), ("c", 4), ("a-b", 13), ("a-c", 12)];
        let (_, outcome) = run(LETTERS, Settings::new(Pruning::Groups, 3), &values);
        let verdict = |name| {
            let feature = LETTERS.parse(name).unwrap();
            outcome.judged.iter().find(|judged| judged.answer.question().feature == feature).unwrap().verdict
        };
        assert_eq!((verdict("a-b"), verdict("a-c")), (Verdict::Lives, Verdict::Pruned));
    }

    #[test]
    fn what_fails_with_an_atom_is_not_tried_with_its_children() {
        // Paper, Figure 3. The grandchild c4 is no child of c1, and a∧c2 was banned, not tried.
        let values = [("a", 20), ("c1", 15), ("c2", 10), ("c3", 9), ("c4", 8)];
        let (asked, outcome) = run(TREE, Settings::new(Pruning::LinearTree, 0), &values);
        assert_eq!((asked, outcome.skipped), (vec!["a-c1".to_string(), "a-c4".to_string()], 2));
        let (asked, _) = run(TREE, Settings::new(Pruning::Groups, 0), &values);
        assert_eq!(asked, ["a-c1", "a-c2", "a-c3", "a-c4"]);
        // With c1 as first parent it is a that failed, and a has no children.
        let (asked, _) = run(TREE, Settings::new(Pruning::LinearTree, 0), &[("a", 20), ("c1", 25), ("c2", 10)]);
        assert_eq!(asked, ["a-c1", "a-c2", "a-c3"]);
    }

    #[test]
    fn what_lives_already_is_kept_but_grows_no_further_once_banned() {
        const WITH_E: Vocabulary = Vocabulary(&[
            atom("a", "a", None),
            atom("c1", "c", None),
            atom("c2", "c", Some("c1")),
            atom("e", "e", None),
        ]);
        let values = [("c2", 30), ("a", 20), ("c1", 15), ("a-c2", 40), ("c2-e", 40), ("a-e", 40)];
        let (asked, outcome) = run(WITH_E, Settings::new(Pruning::LinearTree, 0), &values);
        assert_eq!(asked, ["a-c2", "c2-e", "a-c1", "a-e", "c1-e"], "no a-c2-e");
        assert_eq!(output(WITH_E, &outcome)[..3], ["a-c2", "a-e", "c2-e"]);
    }

    #[test]
    fn atoms_below_the_threshold_leave() {
        let values = [("Neutral", 5), ("a", 9), ("b", 5), ("c", 4), ("d", 3)];
        let settings = Settings::new(Pruning::Threshold, 0);
        let (asked, outcome) = run(LETTERS, settings.clone(), &values);
        assert_eq!(asked, ["a-b"]);
        assert_eq!(output(LETTERS, &outcome), ["a", "Neutral", "b"]);
        assert_eq!(outcome.evaluations(), 6, "what is dropped was evaluated too");
        let (asked, _) = run(LETTERS, Settings { delta: Some(4), ..settings }, &values);
        assert_eq!(asked, ["a-b", "a-c", "b-c"]);
    }

    #[test]
    fn knowledge_keeps_marked_atoms() {
        const MARKED: Vocabulary = Vocabulary(&[
            atom("a", "a", None),
            AtomFacts { threshold_safe: false, ..atom("b", "b", None) },
            atom("c", "c", None),
        ]);
        let values = [("Neutral", 5), ("a", 9), ("b", 2), ("c", 2)];
        assert_eq!(run(MARKED, Settings::new(Pruning::Knowledge, 0), &values).0, ["a-b"]);
        assert!(run(MARKED, Settings::new(Pruning::Threshold, 0), &values).0.is_empty());
    }

    #[test]
    fn a_seeded_blacklist_forbids_combinations_not_atoms() {
        let blacklist = ["a-b", "d"].map(|name| LETTERS.parse(name).unwrap()).to_vec();
        let settings = Settings { blacklist, ..Settings::new(Pruning::Groups, 0) };
        let (asked, outcome) = run(LETTERS, settings, &[("d", 1)]);
        assert_eq!(asked, ["a-c", "b-c"]);
        assert_eq!(outcome.output[0].feature, LETTERS.parse("d").unwrap());
        assert_eq!(outcome.skipped, 4 + 3, "a-b, all with d; then a-b-c, a-c-d, b-c-d");
    }

    #[test]
    fn a_limit_ends_the_run_early() {
        let settings = Settings { most_atoms: Some(2), ..Settings::new(Pruning::Groups, 0) };
        assert_eq!(run(LETTERS, settings, &[]).0.len(), 6);
        assert_eq!(run(LETTERS, Settings::new(Pruning::Groups, 0), &[]).0.len(), 6 + 4 + 1);
    }

    #[test]
    fn pending_counts_down_and_asking_changes_nothing() {
        let mut focus = GradualFocus::new(LETTERS, LETTERS.atoms(), Settings::new(Pruning::Groups, 1));
        let mut counts = Vec::new();
        while let Some(question) = focus.ask() {
            assert_eq!(focus.pending().next(), focus.ask());
            counts.push(focus.pending().count());
            focus.tell(question.exactly(0));
        }
        assert_eq!(counts, [5, 4, 3, 2, 1, 6, 5, 4, 3, 2, 1]);
        assert_eq!(focus.pending().count(), 0);
    }

    #[test]
    fn an_evaluator_that_fails_can_be_asked_again() {
        let mut focus = GradualFocus::new(LETTERS, LETTERS.atoms(), Settings::new(Pruning::Groups, 1));
        let mut failing = |_: &Question| Err("engine gone");
        assert_eq!(focus.run(&mut failing), Err("engine gone"));
        let mut working = |question: &Question| Ok::<_, Infallible>(question.exactly(0));
        assert_eq!(focus.run(&mut working).unwrap().evaluations(), 1 + 4 + 6);
    }

    #[test]
    fn an_empty_base_set_leaves_neutral() {
        let mut focus = GradualFocus::new(LETTERS, [], Settings::new(Pruning::Knowledge, 0));
        assert_eq!(focus.tell(focus.ask().unwrap().exactly(3)), Verdict::Neutral);
        assert_eq!((focus.ask(), focus.outcome().output[0].feature), (None, Conjunction::NEUTRAL));
    }
}
