//! The policy of any scheme as one type, for searches that are recorded: their speed does not matter, and one type means
//! that they are compiled once for each game.

use super::control::{self, ControlPolicy};
use super::plan::{DepthPolicy, LateMove, MoveContext, Plan};
use super::scheme::{self, SchemePolicy};
use crate::feature::StateAtoms;
use crate::game::Game;

/// The policy that an ordinary search of the scheme has.
#[derive(Clone, Debug)]
pub enum AnyPolicy {
    /// Of a plain scheme.
    Scheme(Box<SchemePolicy>),
    /// Of any other.
    Control(ControlPolicy),
}

/// The classes of either policy; those of the other stay empty.
pub struct Classes<S> {
    scheme: scheme::Classes<S>,
    control: control::Classes<S>,
}

impl<S> Default for Classes<S> {
    fn default() -> Classes<S> {
        Classes { scheme: scheme::Classes::default(), control: control::Classes::default() }
    }
}

impl<G: Game> DepthPolicy<G> for AnyPolicy {
    type Classes = Classes<G::Set>;

    fn state_atoms(&self) -> StateAtoms {
        match self {
            AnyPolicy::Scheme(policy) => DepthPolicy::<G>::state_atoms(&**policy),
            AnyPolicy::Control(policy) => DepthPolicy::<G>::state_atoms(policy),
        }
    }

    fn classify(&self, position: &G, node: StateAtoms, classes: &mut Classes<G::Set>) {
        match self {
            AnyPolicy::Scheme(policy) => policy.classify(position, node, &mut classes.scheme),
            AnyPolicy::Control(policy) => policy.classify(position, node, &mut classes.control),
        }
    }

    fn has_exempt_moves(&self, classes: &Classes<G::Set>) -> bool {
        match self {
            AnyPolicy::Scheme(policy) => DepthPolicy::<G>::has_exempt_moves(&**policy, &classes.scheme),
            AnyPolicy::Control(policy) => DepthPolicy::<G>::has_exempt_moves(policy, &classes.control),
        }
    }

    fn plan(&self, classes: &Classes<G::Set>, m: G::Move, coming: &MoveContext) -> Plan {
        match self {
            AnyPolicy::Scheme(policy) => DepthPolicy::<G>::plan(&**policy, &classes.scheme, m, coming),
            AnyPolicy::Control(policy) => DepthPolicy::<G>::plan(policy, &classes.control, m, coming),
        }
    }

    fn reduce(&self, plan: Plan, late: &LateMove) -> Plan {
        match self {
            AnyPolicy::Scheme(policy) => DepthPolicy::<G>::reduce(&**policy, plan, late),
            AnyPolicy::Control(policy) => DepthPolicy::<G>::reduce(policy, plan, late),
        }
    }

    fn counters(&self) -> usize {
        match self {
            AnyPolicy::Scheme(policy) => DepthPolicy::<G>::counters(&**policy),
            AnyPolicy::Control(policy) => DepthPolicy::<G>::counters(policy),
        }
    }

    fn rules(&self, counter: usize) -> Vec<usize> {
        match self {
            AnyPolicy::Scheme(policy) => DepthPolicy::<G>::rules(&**policy, counter),
            AnyPolicy::Control(policy) => DepthPolicy::<G>::rules(policy, counter),
        }
    }

    fn fired(&self, counters: &[u64]) -> Vec<u64> {
        match self {
            AnyPolicy::Scheme(policy) => DepthPolicy::<G>::fired(&**policy, counters),
            AnyPolicy::Control(policy) => DepthPolicy::<G>::fired(policy, counters),
        }
    }
}
