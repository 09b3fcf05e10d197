//! Fractional-ply weights by move features: thesis section 2.2.3.
//!
//! The game answers with one set of moves for each feature of the scheme; a move then costs what the cheapest set that
//! contains it says. Moves that the scheme extends are exempt from reductions and futility pruning.
//! This is the policy of plain schemes, which only extend; all others have [`super::ControlPolicy`].

use arrayvec::ArrayVec;

use super::plan::{DepthPolicy, MoveContext, Plan};
use crate::depth::Weight;
use crate::feature::{Conjunction, Rule, Scheme, StateAtoms};
use crate::game::{Game, MoveSet};

/// A scheme prepared for searching.
#[derive(Clone, Debug)]
pub struct SchemePolicy {
    /// By rising weight, so the first that matches is the cheapest. Of each feature this is the first alternative.
    features: ArrayVec<PlainRule, { Scheme::MOST_PLAIN }>,
    /// The other alternatives, each with its feature's place: kept apart, because few features have any, and every node
    /// reads the features.
    alternatives: Vec<(usize, Conjunction)>,
}

/// A feature and what its moves cost.
#[derive(Copy, Clone, Debug)]
struct PlainRule {
    feature: Conjunction,
    weight: Weight,
    is_exempt: bool,
}

/// The moves of one position by feature: for each feature that some move has, the moves and its place in the scheme.
pub struct Classes<S>(ArrayVec<(S, usize), { Scheme::MOST_PLAIN }>);

impl<S> Default for Classes<S> {
    /// No class yet.
    #[inline(always)]
    fn default() -> Classes<S> {
        Classes(ArrayVec::new_const())
    }
}

impl PlainRule {
    fn of(rule: &Rule) -> Option<PlainRule> {
        let weight = rule.cost.weight()?;
        Some(PlainRule { feature: rule.feature.first(), weight, is_exempt: rule.is_exempt })
    }
}

impl SchemePolicy {
    /// Prepares a scheme that is plain ([`Scheme::is_plain`]). Plain schemes never have more features than fit.
    pub fn new(scheme: &Scheme) -> SchemePolicy {
        let rules = scheme.rules().iter();
        let others = rules
            .clone()
            .enumerate()
            .flat_map(|(place, rule)| rule.feature.others().iter().map(move |&alternative| (place, alternative)));
        SchemePolicy { alternatives: others.collect(), features: rules.filter_map(PlainRule::of).collect() }
    }

    /// Unites the moves of features with those of their other alternatives.
    #[inline(never)]
    fn add_alternatives<G: Game>(&self, position: &G, classes: &mut Classes<G::Set>) {
        let all = position.all_moves();
        for &(place, alternative) in &self.alternatives {
            let more = alternative.atoms().fold(all, |set, atom| set & position.select(atom));
            if more.is_empty() {
                continue;
            }
            let at = classes.0.partition_point(|&(_, other)| other < place);
            match classes.0.get_mut(at) {
                Some((set, other)) if *other == place => *set = *set | more,
                _ => classes.0.insert(at, (more, place)),
            }
        }
    }
}

impl<G: Game> DepthPolicy<G> for SchemePolicy {
    const ONLY_EXTENDS: bool = true;

    type Classes = Classes<G::Set>;

    #[inline(always)]
    fn classify(&self, position: &G, _node: StateAtoms, classes: &mut Classes<G::Set>) {
        if self.features.is_empty() {
            return;
        }
        let all = position.all_moves();
        for (place, &PlainRule { feature, .. }) in self.features.iter().enumerate() {
            let set = feature.atoms().fold(all, |set, atom| set & position.select(atom));
            // A feature that no move has need not be tested again for each move.
            if !set.is_empty() {
                classes.0.push((set, place));
            }
        }
        if !self.alternatives.is_empty() {
            self.add_alternatives(position, classes);
        }
    }

    #[inline(always)]
    fn has_exempt_moves(&self, classes: &Classes<G::Set>) -> bool {
        classes.0.iter().any(|&(_, place)| self.features[place].is_exempt)
    }

    #[inline(always)]
    fn plan(&self, classes: &Classes<G::Set>, m: G::Move, _coming: &MoveContext) -> Plan {
        let fired = match classes.0.as_slice() {
            [] => None,
            // Discovery measures one feature at a time, and a loop costs more than the test in it.
            [(set, place)] => set.contains(m).then_some(*place),
            sets => first_with(sets, m),
        };
        match fired {
            Some(place) => Plan::full(self.features[place].weight, fired, self.features[place].is_exempt),
            None => Plan::full(Weight::ONE, None, false),
        }
    }

    /// The features stand by rising weight.
    #[inline(always)]
    fn least_weight(&self, classes: &Classes<G::Set>) -> Weight {
        classes.0.first().map_or(Weight::ONE, |&(_, place)| self.features[place].weight)
    }

    fn counters(&self) -> usize {
        self.features.len()
    }

    fn rules(&self, counter: usize) -> Vec<usize> {
        vec![counter]
    }

    fn fired(&self, counters: &[u64]) -> Vec<u64> {
        counters.to_vec()
    }
}

#[inline(never)]
fn first_with<M: Copy, S: MoveSet<M>>(sets: &[(S, usize)], m: M) -> Option<usize> {
    sets.iter().find(|(set, _)| set.contains(m)).map(|&(_, place)| place)
}
