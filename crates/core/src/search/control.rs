//! Who may spend how much depth: the one place where a move's cost is decided.
//!
//! Moves are classified a node at a time: the game answers with sets of moves, one set for each
//! feature of the scheme, and each move then costs what the cheapest set that contains it says.

use arrayvec::ArrayVec;

use super::depth::Weight;
use crate::feature::{Conjunction, Scheme};
use crate::game::{Game, MoveSet};

/// A scheme made ready for searching.
#[derive(Clone, Debug)]
pub struct Control {
    /// By rising weight, so the first that matches is the cheapest. Of each feature this is the first alternative.
    features: ArrayVec<(Conjunction, Weight), { Scheme::MOST_FEATURES }>,
    /// The other alternatives, each with its feature's place: apart, because few features have any, and every node
    /// looks at the features.
    alternatives: Vec<(usize, Conjunction)>,
}

/// The moves of one position sorted into the features of a scheme: the features that some move has, each with
/// its place in the scheme.
pub struct Classes<S>(ArrayVec<(S, usize), { Scheme::MOST_FEATURES }>);

/// What a move costs, and the feature that made it so.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct Cost {
    /// Depth used up by the move.
    pub weight: Weight,
    /// The feature's place in the scheme, or none for an ordinary move.
    pub fired: Option<usize>,
}

impl<S> Default for Classes<S> {
    /// No class yet.
    #[inline(always)]
    fn default() -> Classes<S> {
        Classes(ArrayVec::new_const())
    }
}

impl Control {
    /// Makes a scheme ready. Schemes never have more features than fit.
    pub fn new(scheme: &Scheme) -> Control {
        let features = scheme.features().iter();
        let others = features
            .clone()
            .enumerate()
            .flat_map(|(place, (feature, _))| feature.others().iter().map(move |&alternative| (place, alternative)));
        Control {
            alternatives: others.collect(),
            features: features.map(|(feature, weight)| (feature.first(), *weight)).collect(),
        }
    }

    /// Sorts the moves of a position. The classes are filled in place: they are too large to hand around.
    #[inline(always)]
    pub fn classify<G: Game>(&self, position: &G, classes: &mut Classes<G::Set>) {
        if self.features.is_empty() {
            return;
        }
        let all = position.all_moves();
        for (place, &(feature, _)) in self.features.iter().enumerate() {
            let set = feature.atoms().fold(all, |set, atom| set & position.select(atom));
            // A feature that no move has need not be looked at again, move by move.
            if !set.is_empty() {
                classes.0.push((set, place));
            }
        }
        if !self.alternatives.is_empty() {
            self.add_alternatives(position, classes);
        }
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

    /// What this move costs: the lowest weight among the features that match, one ply otherwise.
    #[inline(always)]
    pub fn cost<M: Copy, S: MoveSet<M>>(&self, classes: &Classes<S>, m: M) -> Cost {
        let fired = match classes.0.as_slice() {
            [] => None,
            // Discovery measures one feature at a time, and a loop costs more than the test in it.
            [(set, place)] => set.contains(m).then_some(*place),
            sets => first_with(sets, m),
        };
        match fired {
            Some(feature) => Cost { weight: self.features[feature].1, fired },
            None => Cost { weight: Weight::ONE, fired },
        }
    }
}

#[inline(never)]
fn first_with<M: Copy, S: MoveSet<M>>(sets: &[(S, usize)], m: M) -> Option<usize> {
    sets.iter().find(|(set, _)| set.contains(m)).map(|&(_, place)| place)
}
