//! What a game says of its features is true of its moves.

use std::collections::HashSet;

use super::{random_scheme, read};
use crate::depth::{Depth, Weight};
use crate::feature::{Atom, Conjunction, Feature, Scheme, StateAtoms, Vocabulary};
use crate::game::{Game, MoveSet};
use crate::random::Random;
use crate::search::policy::{DepthPolicy, LateMove, MoveContext, Reductions, SchemePolicy};
use crate::settings::Tunables;

pub fn check_vocabulary<G: Game>() {
    let all = G::VOCABULARY;
    let (count, most) = (all.moves.len(), Vocabulary::MOST_MOVE_ATOMS);
    assert!(count <= most, "a game has at most {most} atoms, not {count}");
    let mut names = HashSet::from(["Neutral"]);
    for atom in all.atoms() {
        let facts = all.facts(atom);
        let name = facts.name;
        assert!(names.insert(name), "two features are called {name}");
        assert!(
            !name.is_empty() && !name.contains(['-', ',', '@', '|', '(', ')', '*', ' ']),
            "'{name}' cannot be part of a scheme's text"
        );
        assert!(!facts.meaning.is_empty(), "{name} does not say what it means");
        let mut wider = facts;
        for _ in 0..all.moves.len() {
            let Some(parent) = wider.parent else { break };
            let parent = all.find(parent).unwrap_or_else(|| panic!("{}'s parent {parent} does not exist", wider.name));
            wider = all.facts(parent);
            assert_eq!(wider.group, facts.group, "{name} and {} are not in one group", wider.name);
        }
        assert_eq!(wider.parent, None, "{name} is its own ancestor");
        check_example::<G>(atom);
    }
    let advice = G::GUIDANCE;
    for (text, reason) in advice.blacklist {
        let feature = all.parse(text).unwrap_or_else(|error| panic!("blacklist: {error}"));
        assert!(feature.len() > 1 && all.print(feature) == *text, "'{text}' is not a combination as it is printed");
        assert!(!reason.is_empty(), "the blacklist does not say what is wrong with {text}");
    }
    for (group, _) in advice.overlapping {
        assert!(all.moves.iter().any(|facts| facts.group == *group), "there is no group {group}");
    }
    if let Err(error) = all.matching(advice.base.iter().copied()) {
        panic!("the Base set of learners: {error}");
    }
}

/// Two atoms of one group never hold together, unless one holds wherever the other does, or the game says that
/// the group overlaps. What moves have been seen with is given.
pub fn check_groups<G: Game>(seen: &HashSet<Conjunction>) {
    let all = G::VOCABULARY;
    for one in all.atoms() {
        for other in all.atoms().take_while(|&other| other != one) {
            let group = all.facts(one).group;
            if all.facts(other).group != group || G::GUIDANCE.overlapping.iter().any(|(name, _)| *name == group) {
                continue;
            }
            let [one, other] = [one, other].map(|atom| Conjunction::of([atom]));
            let is_seen = |has_one, has_other| {
                seen.iter().any(|of| one.is_within(*of) == has_one && other.is_within(*of) == has_other)
            };
            let overlap = is_seen(true, true) && is_seen(true, false) && is_seen(false, true);
            let (one, other) = (all.print(one), all.print(other));
            assert!(!overlap, "{other} and {one} are of one group, and moves have both, or either: declare that");
        }
    }
}

/// The last move of the example has the feature.
fn check_example<G: Game>(atom: Atom) {
    let facts = G::VOCABULARY.facts(atom);
    let (text, line) = facts.example;
    let mut position: G = read(text);
    let mut last_has = None;
    for word in line.split_whitespace() {
        let m = position.parse_move(word).unwrap_or_else(|error| panic!("example of {}: {error}", facts.name));
        last_has = Some(position.has(m, atom));
        position = position.play(m);
    }
    assert_eq!(last_has, Some(true), "the last move of the example of {} has it: {text} {line}", facts.name);
}

/// The fast answer is the definition's, for atoms, conjunctions and costs. What each move has is added to `seen`.
pub fn check_features<G: Game>(position: &G, random: &mut Random, seen: &mut HashSet<Conjunction>) {
    let all = G::VOCABULARY;
    let list = position.legal_moves();
    let features_of = |&m| Conjunction::of(all.atoms().filter(|&atom| position.has(m, atom)));
    let defined: Vec<Conjunction> = list.iter().map(features_of).collect();
    for atom in all.atoms() {
        let facts = all.facts(atom);
        let set = position.select(atom);
        let wanted = Conjunction::of([atom]);
        let parent = Conjunction::of(facts.parent.and_then(|name| all.find(name)));
        for (&m, &features) in list.iter().zip(&defined) {
            let has = wanted.is_within(features);
            let name = || format!("{} of '{}' in {position}", facts.name, position.print_move(m));
            assert_eq!(set.contains(m), has, "select and has disagree on {}", name());
            assert!(parent.is_within(features) || !has, "the parent of {} does not hold", name());
        }
    }
    seen.extend(defined);
    let every = position.all_moves();
    assert_eq!(every.is_empty(), list.is_empty(), "the set of all moves is wrong in {position}");
    for &m in &list {
        assert!(every.contains(m), "'{}' is not in the set of all moves of {position}", position.print_move(m));
    }
    let scheme = random_scheme::<G>(random);
    let policy = SchemePolicy::new(&scheme);
    check_policy(position, &policy, &scheme);
    check_policy(position, &Reductions::new(policy, &Tunables::DEFAULT), &scheme);
}

/// A depth policy gives moves the weights of the scheme, and never reduces what is exempt.
fn check_policy<G: Game, P: DepthPolicy<G>>(position: &G, policy: &P, scheme: &Scheme) {
    let mut classes = P::Classes::default();
    policy.classify(position, StateAtoms::NONE, &mut classes);
    for m in position.legal_moves() {
        let what = || {
            let scheme = G::VOCABULARY.print_scheme(scheme);
            format!("the plan of '{}' in {position} by {scheme}", position.print_move(m))
        };
        let coming = MoveContext { state: StateAtoms::NONE, depth: Depth::plies(8), tried: 30, has_alpha: true };
        let plan = policy.plan(&classes, m, &coming);
        assert_eq!(plan.weight, cost_by_definition(position, m, scheme), "{}", what());
        assert_eq!(plan.reduction, Weight::NOTHING, "{}", what());
        assert!(policy.has_exempt_moves(&classes) || !plan.is_exempt, "{}", what());
        let late = LateMove { depth: Depth::plies(8), tried: 30, null_window: true, is_sharp: false, history: -1000 };
        let reduced = policy.reduce(plan, &late);
        assert_eq!((reduced.weight, reduced.fired), (plan.weight, plan.fired), "{}", what());
        assert!(reduced == plan || !plan.is_exempt, "{}", what());
    }
}

/// What a move costs by the definition of features.
pub fn cost_by_definition<G: Game>(position: &G, m: G::Move, scheme: &Scheme) -> Weight {
    let all_of = |conjunction: Conjunction| conjunction.atoms().all(|atom| position.has(m, atom));
    let matches = |feature: &Feature| feature.alternatives().any(all_of);
    let matching = scheme.rules().iter().filter(|rule| matches(&rule.feature));
    matching.filter_map(|rule| rule.cost.weight()).min().unwrap_or(Weight::ONE)
}
