//! Gradual Focus by ∨ against a literal transcription of its rules, on random fitness landscapes.

use std::collections::{BTreeMap, BTreeSet};
use std::convert::Infallible;

use plysmith_core::feature::{AtomFacts, Conjunction, Feature, Vocabulary};
use plysmith_core::random::Random;
use plysmith_learn::focus::alternatives::{Alternatives, AlternativesSettings};
use plysmith_learn::focus::{FocusOutcome, FocusSettings, FocusVerdict, GradualFocus};
use plysmith_learn::pruning::Pruning;
use plysmith_learn::trial::FeatureTrial;
use proptest::prelude::{any, prop_assert, prop_assert_eq, proptest};

/// A set of atoms by name, and a set of those, deliberately unlike [`Conjunction`] and [`Feature`].
type And = BTreeSet<&'static str>;
type Or = BTreeSet<And>;

const fn atom(name: &'static str, group: &'static str, parent: Option<&'static str>) -> AtomFacts {
    AtomFacts { name, group, parent, threshold_safe: true, meaning: "", example: ("", "") }
}

/// Two groups of pieces, one of them with a coarse atom and its parts, and an atom by itself.
const PIECES: Vocabulary = Vocabulary::new(&[
    atom("Cb", "captured", None),
    atom("Cr", "captured", None),
    atom("Cq", "captured", None),
    atom("Lb", "last", None),
    atom("Lr", "last", None),
    atom("Lx", "last", Some("Lb")),
    atom("Rc", "Rc", None),
]);

fn of(feature: Conjunction) -> And {
    feature.atoms().map(|atom| PIECES.facts(atom).name).collect()
}

fn all_of(feature: &Feature) -> Or {
    feature.alternatives().map(of).collect()
}

/// The value of a feature: a random one for each alternative, less where they are many, so that runs come to an end.
fn value(seed: u64, feature: &Or) -> u32 {
    let one = |part: &And| {
        let text: Vec<_> = part.iter().copied().collect();
        Random::for_purpose(seed, &text.join("-")).below(12) as u32
    };
    let noise = Random::for_purpose(seed, &format!("{feature:?}")).below(5) as u32;
    feature.iter().map(one).sum::<u32>() * 2 / (1 + feature.len() as u32) + noise
}

fn conjunctions(seed: u64, epsilon: i32) -> FocusOutcome {
    let mut evaluate = |trial: &FeatureTrial| {
        let feature = Or::from([of(trial.feature)]);
        Ok::<_, Infallible>(trial.exactly(if trial.feature.is_empty() { 6 } else { value(seed, &feature) }))
    };
    let mut focus = GradualFocus::new(PIECES, PIECES.atoms(), FocusSettings::new(Pruning::Groups, epsilon));
    let Ok(outcome) = focus.run(&mut evaluate);
    outcome
}

/// The rules of the module's documentation, one by one.
fn oracle(seed: u64, found: &FocusOutcome, settings: AlternativesSettings) -> Vec<(Or, FocusVerdict)> {
    let facts = |name: &str| PIECES.moves.iter().find(|facts| facts.name == name).unwrap();
    let is_part = |narrow: &str, wide: &str| narrow == wide || facts(narrow).parent == Some(wide);
    let implies = |narrow: &And, wide: &And| wide.iter().all(|wide| narrow.iter().any(|narrow| is_part(narrow, wide)));
    let groups = |part: &And| part.iter().map(|name| facts(name).group).collect::<BTreeSet<_>>();
    let epsilon = i64::from(settings.epsilon);
    let known: BTreeMap<And, i64> = found
        .evaluated
        .iter()
        .map(|evaluated| (of(evaluated.result.trial().feature), i64::from(evaluated.result.value().unwrap())))
        .collect();
    let number = |part: &And| part.iter().map(|name| 1_u64 << PIECES.find(name).unwrap().0).sum::<u64>();
    let mut operands: Vec<(And, i64)> = known.clone().into_iter().filter(|(part, _)| !part.is_empty()).collect();
    operands.retain(|(_, value)| *value >= known[&And::new()] + epsilon);
    operands.sort_by_key(|(part, value)| (-value, number(part)));
    let mut parents: Vec<(Or, i64)> = operands.iter().map(|(part, value)| (Or::from([part.clone()]), *value)).collect();
    let (mut banned, mut evaluated): (Vec<Or>, Vec<(Or, FocusVerdict)>) = (Vec::new(), Vec::new());
    while !parents.is_empty() {
        let mut formed: Vec<(Or, i64)> = Vec::new();
        for (first, value) in &parents {
            for (second, _) in &operands {
                let fits =
                    |known: &And| groups(known) == groups(second) && !implies(known, second) && !implies(second, known);
                let feature: Or = first.iter().chain([second]).cloned().collect();
                let is_new = !formed.iter().any(|(known, _)| *known == feature);
                let is_small = settings.most.is_none_or(|most| feature.len() <= most);
                if is_small && is_new && first.iter().all(fits) {
                    formed.push((feature, value + epsilon));
                }
            }
        }
        parents.clear();
        for (feature, at_least) in formed {
            if banned.iter().any(|banned| banned.is_subset(&feature)) {
                continue;
            }
            let value = i64::from(value(seed, &feature));
            let is_wider = |wide: &And| !wide.is_empty() && feature.iter().all(|narrow| implies(narrow, wide));
            let beats_wider = known.iter().all(|(wide, of)| !is_wider(wide) || value >= of + epsilon);
            let verdict = match (value >= at_least, beats_wider) {
                (false, _) => FocusVerdict::Pruned,
                (true, false) => FocusVerdict::Grows,
                (true, true) => FocusVerdict::Lives,
            };
            evaluated.push((feature.clone(), verdict));
            if verdict == FocusVerdict::Pruned { banned.push(feature) } else { parents.push((feature, value)) }
        }
        let order = |feature: &Or| {
            let mut numbers: Vec<u64> = feature.iter().map(number).collect();
            numbers.sort_unstable();
            numbers
        };
        parents.sort_by_key(|(feature, value)| (-value, order(feature)));
    }
    evaluated
}

fn run(seed: u64, found: &FocusOutcome, settings: AlternativesSettings, early: bool) -> Vec<(Or, FocusVerdict)> {
    let mut alternatives = Alternatives::new(PIECES, found, settings);
    let mut evaluated = Vec::new();
    while let Some(trial) = alternatives.ask().cloned() {
        let feature = all_of(&trial.feature);
        let value = value(seed, &feature);
        let told = Some(value).filter(|value| !early || *value >= trial.at_least);
        evaluated.push((feature, alternatives.tell(told)));
    }
    evaluated
}

proptest! {
    #[test]
    fn it_does_what_the_rules_say(seed in any::<u64>(), epsilon in -1i32..4, most in 1usize..5) {
        let found = conjunctions(seed, epsilon);
        let settings = AlternativesSettings { epsilon, most: Some(most) };
        let expected = oracle(seed, &found, settings);
        prop_assert_eq!(&run(seed, &found, settings, false), &expected);
        prop_assert_eq!(&run(seed, &found, settings, true), &expected, "what is below need not be exact");
        prop_assert!(expected.iter().all(|(feature, _)| (2..=most).contains(&feature.len())));
    }
}

/// Evaluates by name; what is not named solves nothing.
fn found(values: &[(&str, u32)], epsilon: i32) -> Vec<(String, FocusVerdict)> {
    let value = |name: &str| values.iter().find(|(known, _)| *known == name).map_or(0, |(_, value)| *value);
    let mut evaluate = |trial: &FeatureTrial| Ok::<_, Infallible>(trial.exactly(value(&PIECES.print(trial.feature))));
    let mut focus = GradualFocus::new(PIECES, PIECES.atoms(), FocusSettings::new(Pruning::Groups, epsilon));
    let Ok(outcome) = focus.run(&mut evaluate);
    let mut alternatives = Alternatives::new(PIECES, &outcome, AlternativesSettings { epsilon, most: None });
    let mut found = Vec::new();
    while let Some(trial) = alternatives.ask().cloned() {
        let name = PIECES.print_feature(&trial.feature);
        let verdict = alternatives.tell(Some(value(&name)));
        found.push((name, verdict));
    }
    found
}

/// Thesis section 4.2.3: a bishop takes back from a bishop, or a rook from a rook.
#[test]
fn the_hand_made_recapture_is_found() {
    let values = [("Cb", 11), ("Cr", 13), ("Cb-Lb", 14), ("Cr-Lr", 15), ("Cb|Cr", 15), ("(Cb-Lb)|(Cr-Lr)", 21)];
    let found = found(&values, 1);
    assert!(found.contains(&("(Cb-Lb)|(Cr-Lr)".to_string(), FocusVerdict::Lives)), "{found:?}");
    assert!(found.iter().all(|(name, _)| !name.contains("Lb|") || name.starts_with('(')), "{found:?}");
}

/// Thesis, Figure 3.5: recaptures by each piece are worse than all recaptures, those by two of them better.
#[test]
fn parts_that_failed_are_joined_and_must_beat_the_whole() {
    let parts = [("Rc", 20), ("Cb-Rc", 12), ("Cr-Rc", 13), ("Cq-Rc", 2), ("(Cb-Rc)|(Cq-Rc)", 13)];
    let verdict = |value, epsilon| {
        let found = found(&[&parts[..], &[("(Cb-Rc)|(Cr-Rc)", value)]].concat(), epsilon);
        found.into_iter().find(|(name, _)| name == "(Cb-Rc)|(Cr-Rc)").map(|(_, verdict)| verdict)
    };
    assert_eq!(verdict(22, 1), Some(FocusVerdict::Lives));
    assert_eq!(verdict(20, 1), Some(FocusVerdict::Grows));
    assert_eq!(verdict(13, 1), Some(FocusVerdict::Pruned));
}

#[test]
fn what_implies_the_other_is_not_joined() {
    let found = found(&[("Lb", 10), ("Lx", 9), ("Lr", 8), ("Lb|Lr", 12), ("Lr|Lx", 12)], 1);
    let names: Vec<_> = found.into_iter().map(|(name, _)| name).collect();
    assert_eq!(names, ["Lb|Lr", "Lr|Lx"], "Lb|Lx is Lb, and so is a part of Lb|Lr|Lx");
}
