//! Who may spend how much depth: the one place where a move's cost is decided.
//!
//! Moves are classified a node at a time: the game answers with sets of moves, one set for each
//! feature of the scheme, and each move then costs what the cheapest set that contains it says.

use arrayvec::ArrayVec;

use crate::depth::{Depth, Weight};
use crate::feature::{Conjunction, Scheme};
use crate::game::{Game, MoveSet};

/// A scheme made ready for searching.
#[derive(Clone, Debug)]
pub struct Control {
    /// By depth in plies and number of moves tried: what late moves are doubted by, in thousandths of a ply.
    doubts: Box<[[i32; MOST_DOUBT]; MOST_DOUBT]>,
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
    /// Depth that a first, sceptical look saves in addition; nothing if the move is taken seriously at once.
    pub doubt: Weight,
}

/// How a move came up, for those that are doubted.
#[derive(Copy, Clone, Debug)]
pub struct Doubt {
    /// Depth left before the move.
    pub depth: Depth,
    /// How many moves of the position were searched before it.
    pub tried: usize,
    /// Whether the score is only compared with a bound.
    pub null_window: bool,
    /// Whether it has refuted a sibling, or gives check.
    pub is_sharp: bool,
    /// How well it has done elsewhere in the tree, from -1000 to 1000.
    pub history: i32,
}

impl<S> Default for Classes<S> {
    /// No class yet.
    #[inline(always)]
    fn default() -> Classes<S> {
        Classes(ArrayVec::new_const())
    }
}

impl<S> Classes<S> {
    /// Whether no move has a feature of the scheme.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
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
            doubts: doubts(),
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
        let weight = match fired {
            Some(feature) => self.features[feature].1,
            None => Weight::ONE,
        };
        Cost { weight, fired, doubt: Weight::NOTHING }
    }

    /// The same for a late, quiet move, which is searched less deep at first. Features of the scheme are beyond doubt.
    pub fn doubted(&self, cost: Cost, doubt: &Doubt) -> Cost {
        let plies = doubt.depth.whole_plies() as usize;
        if cost.fired.is_some() || plies < 3 || doubt.tried < if doubt.null_window { 3 } else { 5 } {
            return cost;
        }
        let table = &self.doubts[plies.min(MOST_DOUBT - 1)];
        let mut units = table[doubt.tried.min(MOST_DOUBT - 1)];
        units -= if doubt.null_window { 0 } else { 700 };
        units -= if doubt.is_sharp { 1000 } else { 0 };
        units -= doubt.history;
        // What is left is at least a ply: a move is never judged by its looks alone.
        let most = doubt.depth.units() - 2000;
        Cost { doubt: Weight::of_units(units.min(most).max(0)), ..cost }
    }

    /// The depth at which to search the opponent's replies to a pass.
    pub fn after_pass(&self, depth: Depth, advantage: i32) -> Depth {
        let units = 3000 + depth.units() / 4 + (advantage * 4).clamp(0, 2500);
        depth.less(units)
    }
}

#[inline(never)]
fn first_with<M: Copy, S: MoveSet<M>>(sets: &[(S, usize)], m: M) -> Option<usize> {
    sets.iter().find(|(set, _)| set.contains(m)).map(|&(_, place)| place)
}

/// Beyond so many plies or moves, doubt does not grow.
const MOST_DOUBT: usize = 64;

/// Doubt grows with the logarithms of depth and number.
fn doubts() -> Box<[[i32; MOST_DOUBT]; MOST_DOUBT]> {
    let mut table = Box::new([[0; MOST_DOUBT]; MOST_DOUBT]);
    for (plies, row) in table.iter_mut().enumerate().skip(1) {
        for (tried, units) in row.iter_mut().enumerate().skip(1) {
            let product = u64::from(log2(plies as u32)) * u64::from(log2(tried as u32));
            *units = 300 + (product * 225 / (1 << 20)) as i32;
        }
    }
    table
}

/// The logarithm to base 2 in 1/1024, by integers alone: squaring a number doubles its logarithm.
fn log2(number: u32) -> u32 {
    let whole = number.max(1).ilog2();
    let mut fraction = 0;
    let mut rest = u64::from(number.max(1)) << (32 - whole);
    for bit in (0..10).rev() {
        rest = ((rest >> 1) * (rest >> 1)) >> 30;
        if rest >= 2 << 32 {
            rest >>= 1;
            fraction |= 1 << bit;
        }
    }
    whole << 10 | fraction
}

#[cfg(test)]
mod tests {
    use super::{Control, Cost, Doubt, log2};
    use crate::depth::{Depth, Weight};
    use crate::feature::Scheme;

    #[test]
    fn logarithms_are_right() {
        for number in 1..5000_u32 {
            let exact = f64::from(number).log2() * 1024.0;
            assert!((f64::from(log2(number)) - exact).abs() <= 1.01, "{number}: {} {exact}", log2(number));
        }
    }

    #[test]
    fn the_later_a_move_the_more_it_is_doubted_and_some_depth_is_always_left() {
        let control = Control::new(&Scheme::neutral());
        let cost = Cost { weight: Weight::ONE, fired: None, doubt: Weight::NOTHING };
        for plies in 0..100 {
            let depth = Depth::plies(plies);
            let mut before = Weight::NOTHING;
            for tried in 0..230 {
                let doubt = Doubt { depth, tried, null_window: true, is_sharp: false, history: 0 };
                let reduced = control.doubted(cost, &doubt).doubt;
                assert!(reduced >= before);
                before = reduced;
                let left = depth.after(Weight::ONE).after(reduced);
                assert!(
                    plies < 3 && reduced == Weight::NOTHING || left >= Depth::plies(1),
                    "{plies} {tried}: {left:?}"
                );
                let seriously = control.doubted(Cost { fired: Some(0), ..cost }, &doubt);
                assert_eq!(seriously.doubt, Weight::NOTHING, "what the scheme has an opinion on is not doubted");
            }
        }
    }
}
