//! What a depth policy decides about a move, and the trait of all policies.

use crate::depth::{Depth, Weight};
use crate::feature::StateAtoms;
use crate::game::Game;

/// Decides how deep each move of a node is searched: the only part of the search that decides over depth.
///
/// A node's moves are classified once, all together; then each move is planned. Policies can be layered: a layer passes
/// on what it does not decide. The search is compiled for each policy, so nothing here is dispatched at run time.
pub trait DepthPolicy<G: Game> {
    /// Whether every move is searched once, in full, at a cost of at most one ply that depends on nothing but the move.
    const ONLY_EXTENDS: bool = false;

    /// What is known about the moves of one node. It is filled in place, because it is too large to move around.
    type Classes: Default;

    /// The atoms of the search state that its plans depend on. Where there are none, nothing is computed for them.
    #[inline(always)]
    fn state_atoms(&self) -> StateAtoms {
        StateAtoms::NONE
    }

    /// Classifies the moves of a position. `node` has the atoms that hold for all of them.
    fn classify(&self, position: &G, node: StateAtoms, classes: &mut Self::Classes);

    /// Whether some move of the node may be exempt from pruning; then all its moves must be generated.
    fn has_exempt_moves(&self, classes: &Self::Classes) -> bool;

    /// Plans a move by its class and by how it comes up.
    fn plan(&self, classes: &Self::Classes, m: G::Move, coming: &MoveContext) -> Plan;

    /// No move of the node costs less than this.
    #[inline(always)]
    fn least_weight(&self, _classes: &Self::Classes) -> Weight {
        Weight::NOTHING
    }

    /// Adds to the plan of a late, quiet move that it is first searched to a lower depth. Policies without reductions
    /// leave the plan as it is.
    #[inline(always)]
    fn reduce(&self, plan: Plan, _late: &LateMove) -> Plan {
        plan
    }

    /// How many counters [`Plan::fired`] needs.
    fn counters(&self) -> usize;

    /// The rules of the scheme, by their places, that decided on the moves under this counter.
    fn rules(&self, counter: usize) -> Vec<usize>;

    /// For each rule of the scheme, how many moves it decided on, from those counters.
    fn fired(&self, counters: &[u64]) -> Vec<u64>;
}

/// How deep a move is searched: the first search, and which searches follow if that one fails high.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct Plan {
    /// Depth that the move uses up when it is searched in full.
    pub weight: Weight,
    /// The counter of the rules that decided, for [`DepthPolicy::fired`]; none for an ordinary move.
    pub fired: Option<usize>,
    /// Whether the move is exempt from reductions and from futility pruning.
    pub is_exempt: bool,
    /// Depth that the first search, with a null window, saves. If nothing, the first search is the full one.
    pub reduction: Weight,
    /// Depth that a second search saves, which comes between a first search that failed high and the full one. If
    /// nothing, there is none.
    pub second_reduction: Weight,
    /// What amounts add to the reduction, in thousandths of a ply; see [`Plan::settled`].
    pub amount: i32,
}

/// How a move comes up, for its plan.
#[derive(Copy, Clone, Debug)]
pub struct MoveContext {
    /// The atoms of the search state that hold for the move, of those that the policy asked for.
    pub state: StateAtoms,
    /// Depth left before the move.
    pub depth: Depth,
    /// How many moves of the position were searched before it.
    pub tried: usize,
    /// Whether there is an alpha that a search with a null window can fail to reach.
    pub has_alpha: bool,
}

/// How a move came up that may be reduced.
#[derive(Copy, Clone, Debug)]
pub struct LateMove {
    /// Depth left before the move.
    pub depth: Depth,
    /// How many moves of the position were searched before it.
    pub tried: usize,
    /// Whether the node has a null window.
    pub null_window: bool,
    /// Whether it is a killer or gives check.
    pub is_sharp: bool,
    /// How well it has done elsewhere in the tree, from -1000 to 1000.
    pub history: i32,
}

impl Plan {
    /// A move of this weight that is searched once, in full.
    #[inline(always)]
    pub const fn full(weight: Weight, fired: Option<usize>, is_exempt: bool) -> Plan {
        Plan { weight, fired, is_exempt, reduction: Weight::NOTHING, second_reduction: Weight::NOTHING, amount: 0 }
    }

    /// The plan of a move that is searched this much deeper, in thousandths of a ply.
    #[inline(always)]
    pub const fn extended(self, units: i32) -> Plan {
        Plan { amount: self.amount - units, ..self }
    }

    /// The plan with its amount added to the reduction. What is left of the depth is at least `keep`, in thousandths of a
    /// ply. A sum below zero extends the move.
    #[inline(always)]
    pub fn settled(self, depth: Depth, keep: i32) -> Plan {
        if self.amount == 0 {
            return self;
        }
        let reduction = i32::from(self.reduction.units());
        let total = reduction + self.amount;
        if total < 0 {
            let weight = Weight::of_units((i32::from(self.weight.units()) + total).max(0));
            return Plan { weight, reduction: Weight::NOTHING, second_reduction: Weight::NOTHING, amount: 0, ..self };
        }
        let most = (depth.units() - keep).max(reduction);
        Plan { reduction: Weight::of_units(total.min(most)), amount: 0, ..self }
    }
}
