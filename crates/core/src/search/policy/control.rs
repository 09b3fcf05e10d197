//! The policy of any scheme: extensions and reductions by conjunctions of move features and search state.
//!
//! It is Algorithm 2 of the thesis (realization-probability search, section 2.2.4) with weights from any source: written
//! by hand, computed from transition probabilities, or summed up from amounts. A move that costs more than the threshold
//! is first searched with a null window at the reduced depth; if it raises alpha all the same, it is searched again at the
//! threshold's. Enhanced realization-probability search (section 2.2.5) spares early moves and confirms large reductions
//! at an intermediate depth.
//!
//! All atoms of the scheme together give each move a number; what the move costs is looked up under it.

use std::sync::Arc;

use arrayvec::ArrayVec;

use super::logarithm::log2;
use super::plan::{DepthPolicy, MoveContext, Plan};
use crate::depth::Weight;
use crate::feature::{Amount, Atom, Conjunction, Cost, Probability, Scheme, StateAtoms};
use crate::game::{Game, MoveSet};
use crate::settings::{Settings, Tunables};

/// A scheme with its table.
#[derive(Clone, Debug)]
pub struct ControlPolicy {
    table: Arc<ControlTable>,
}

/// What moves cost, by which of the scheme's atoms they have.
#[derive(Debug)]
pub struct ControlTable {
    scheme: Scheme,
    constants: Constants,
    /// Bit by bit of the number: the atoms of moves, then those of the search state.
    moves: ArrayVec<Atom, { Scheme::MOST_ATOMS }>,
    state: ArrayVec<StateAtoms, { Scheme::MOST_ATOMS }>,
    /// All atoms of the search state.
    all_state: StateAtoms,
    /// For each rule, which bits its alternatives need.
    needs: Vec<Vec<usize>>,
    /// The weight of each rule; none for amounts.
    weights: Vec<Option<Weight>>,
    /// The bits of move atoms that rules with exempt moves need.
    exempt: Vec<usize>,
    entries: Box<[Entry]>,
}

/// What moves with one set of atoms cost.
#[derive(Copy, Clone, Debug)]
struct Entry {
    weight: Weight,
    reduction: Weight,
    second_reduction: Weight,
    amount: Amount,
    is_exempt: bool,
}

/// The tunables that the table depends on.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
struct Constants {
    is_enhanced: bool,
    rps_constant: i32,
    rps_least: i32,
    rps_most: i32,
    threshold: i32,
    early_moves: i32,
    intermediate: i32,
}

/// The moves of one position by atom, and the atoms of the node.
pub struct Classes<S> {
    sets: ArrayVec<S, { Scheme::MOST_ATOMS }>,
    node: usize,
    has_exempt: bool,
}

impl<S> Default for Classes<S> {
    #[inline(always)]
    fn default() -> Classes<S> {
        Classes { sets: ArrayVec::new_const(), node: 0, has_exempt: false }
    }
}

impl Constants {
    fn of(settings: &Settings) -> Constants {
        let t = &settings.tunables;
        let is_enhanced = settings.switches.erps;
        Constants {
            is_enhanced,
            rps_constant: t.rps_constant,
            rps_least: t.rps_least,
            rps_most: t.rps_most.max(t.rps_least),
            threshold: t.rps_threshold,
            early_moves: if is_enhanced { t.erps_early_moves } else { 0 },
            intermediate: t.erps_intermediate,
        }
    }
}

/// The fractional-ply weight of a move that is played with this probability: formula 2.2 of the thesis, within the bounds
/// that the tunables set.
pub fn weight_of(probability: Probability, tunables: &Tunables) -> Weight {
    let by_formula = 1000 * u64::from(log2(1_000_000, probability.millionths().into()))
        / u64::from(log2(1000, tunables.rps_constant as u64).max(1));
    Weight::of_units((by_formula as i32).clamp(tunables.rps_least, tunables.rps_most.max(tunables.rps_least)))
}

/// The weight of a cost; none for amounts.
fn weight_by(cost: Cost, tunables: &Tunables) -> Option<Weight> {
    match cost {
        Cost::Weight(weight) => Some(weight),
        Cost::Probability(probability) => Some(weight_of(probability, tunables)),
        Cost::Amount(_) => None,
    }
}

impl ControlTable {
    /// Prepares a scheme.
    pub fn new(scheme: &Scheme, settings: &Settings) -> ControlTable {
        let constants = Constants::of(settings);
        let (state, moves): (Vec<_>, Vec<_>) =
            scheme.used().atoms().partition(|atom| !StateAtoms::of([*atom]).is_empty());
        let bit_of = |atom: Atom| moves.iter().chain(&state).position(|other| *other == atom);
        let bits =
            |conjunction: Conjunction| conjunction.atoms().filter_map(bit_of).fold(0, |bits, bit| bits | 1 << bit);
        let needs: Vec<Vec<usize>> =
            scheme.rules().iter().map(|rule| rule.feature.alternatives().map(bits).collect()).collect();
        let of_moves = (1 << moves.len()) - 1;
        let exempt = scheme.rules().iter().zip(&needs).filter(|(rule, _)| rule.is_exempt);
        let exempt = exempt.flat_map(|(_, needs)| needs.iter().map(|need| need & of_moves)).collect();
        let mut table = ControlTable {
            constants,
            weights: scheme.rules().iter().map(|rule| weight_by(rule.cost, &settings.tunables)).collect(),
            all_state: StateAtoms::of(state.iter().copied()),
            state: state.iter().map(|atom| StateAtoms::of([*atom])).collect(),
            moves: moves.iter().copied().collect(),
            scheme: scheme.clone(),
            needs,
            exempt,
            entries: Box::default(),
        };
        table.entries = (0..1 << (moves.len() + state.len())).map(|has| table.entry(has, &settings.tunables)).collect();
        table
    }

    /// Whether it is the table of this scheme and these settings.
    pub fn is_for(&self, scheme: &Scheme, settings: &Settings) -> bool {
        self.constants == Constants::of(settings) && self.scheme == *scheme
    }

    /// Whether a rule holds for moves with these atoms.
    fn holds(&self, rule: usize, has: usize) -> bool {
        let is_partition = self.scheme.is_partition();
        self.needs[rule].iter().any(|need| if is_partition { *need == has } else { need & has == *need })
    }

    /// What moves with these atoms cost.
    fn entry(&self, has: usize, tunables: &Tunables) -> Entry {
        let decided = self.deciding(has).and_then(|rule| self.weights[rule]);
        let weight = decided.or_else(|| weight_by(self.scheme.other()?, tunables)).unwrap_or(Weight::ONE);
        let holding = self.holding(has).map(|rule| &self.scheme.rules()[rule]);
        let amounts = holding.clone().map(|rule| match rule.cost {
            Cost::Amount(amount) => amount.units(),
            _ => 0,
        });
        let amount = Amount::of_units(amounts.sum());
        Entry { amount, is_exempt: holding.clone().any(|rule| rule.is_exempt), ..self.reduced(weight) }
    }

    /// The rules that hold for moves with these atoms.
    fn holding(&self, has: usize) -> impl Iterator<Item = usize> + Clone {
        (0..self.needs.len()).filter(move |rule| self.holds(*rule, has))
    }

    /// The rule that decides on the weight of moves with these atoms: the one with the lowest.
    fn deciding(&self, has: usize) -> Option<usize> {
        self.holding(has).filter(|rule| self.weights[*rule].is_some()).min_by_key(|rule| self.weights[*rule])
    }

    /// Splits what a move costs into what it costs in the end and how much its first searches are reduced.
    fn reduced(&self, weight: Weight) -> Entry {
        let Constants { threshold, intermediate, is_enhanced, .. } = self.constants;
        let cost = i32::from(weight.units());
        let entry = |weight, reduction, second_reduction| Entry {
            weight,
            reduction: Weight::of_units(reduction),
            second_reduction: Weight::of_units(second_reduction),
            amount: Amount::of_units(0),
            is_exempt: false,
        };
        if cost <= threshold {
            return entry(weight, 0, 0);
        }
        let middle = (cost + 1000) / 2;
        let second = if is_enhanced && middle > intermediate { (middle - threshold).max(0) } else { 0 };
        entry(Weight::of_units(threshold), cost - threshold, second)
    }

    /// The number of a set of atoms of the search state.
    #[inline]
    fn number(&self, state: StateAtoms) -> usize {
        let first = self.moves.len();
        self.state
            .iter()
            .enumerate()
            .fold(0, |bits, (place, atom)| bits | usize::from(state.intersects(*atom)) << (first + place))
    }
}

impl ControlPolicy {
    /// The policy of a prepared scheme.
    pub fn new(table: Arc<ControlTable>) -> ControlPolicy {
        ControlPolicy { table }
    }
}

impl<G: Game> DepthPolicy<G> for ControlPolicy {
    type Classes = Classes<G::Set>;

    #[inline(always)]
    fn state_atoms(&self) -> StateAtoms {
        self.table.all_state
    }

    fn classify(&self, position: &G, node: StateAtoms, classes: &mut Classes<G::Set>) {
        let table = &*self.table;
        classes.sets.extend(table.moves.iter().map(|&atom| position.select(atom)));
        classes.node = table.number(node);
        let all = position.all_moves();
        let some_move_has = |need: &usize| {
            let sets = classes.sets.iter().enumerate().filter(|(place, _)| need >> place & 1 == 1);
            !sets.fold(all, |set, (_, other)| set & *other).is_empty()
        };
        classes.has_exempt = table.exempt.iter().any(some_move_has);
    }

    #[inline(always)]
    fn has_exempt_moves(&self, classes: &Classes<G::Set>) -> bool {
        classes.has_exempt
    }

    #[inline]
    fn plan(&self, classes: &Classes<G::Set>, m: G::Move, coming: &MoveContext) -> Plan {
        let table = &*self.table;
        let of_move = classes.sets.iter().enumerate();
        let of_move = of_move.fold(0, |bits, (place, set)| bits | usize::from(set.contains(m)) << place);
        let number = of_move | classes.node | table.number(coming.state);
        let Entry { weight, reduction, second_reduction, amount, is_exempt } = table.entries[number];
        let mut plan =
            Plan { weight, fired: Some(number), is_exempt, reduction, second_reduction, amount: amount.units() };
        // A first search must be able to fail low, and the full one must be deeper than it.
        let may_reduce = coming.has_alpha && !coming.depth.after(weight).is_spent();
        if !may_reduce || coming.tried < table.constants.early_moves as usize {
            (plan.reduction, plan.second_reduction) = (Weight::NOTHING, Weight::NOTHING);
        }
        if !may_reduce || coming.tried == 0 {
            plan.amount = plan.amount.min(0);
        }
        plan
    }

    fn counters(&self) -> usize {
        self.table.entries.len()
    }

    /// A rule with an amount decides on every move that it holds for; of the others the one with the lowest weight does.
    fn rules(&self, counter: usize) -> Vec<usize> {
        let table = &*self.table;
        let adding = table.holding(counter).filter(|rule| table.weights[*rule].is_none());
        table.deciding(counter).into_iter().chain(adding).collect()
    }

    fn fired(&self, counters: &[u64]) -> Vec<u64> {
        let mut fired = vec![0; self.table.needs.len()];
        for (has, count) in counters.iter().enumerate().filter(|(_, count)| **count > 0) {
            DepthPolicy::<G>::rules(self, has).into_iter().for_each(|rule| fired[rule] += count);
        }
        fired
    }
}
