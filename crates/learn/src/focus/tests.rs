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
