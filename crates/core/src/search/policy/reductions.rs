//! Late-move reductions: quiet moves that come late in the order are first searched less deep.

use super::logarithm::log2;
use super::plan::{DepthPolicy, LateMove, MoveContext, Plan};
use crate::depth::Weight;
use crate::feature::StateAtoms;
use crate::game::Game;
use crate::settings::Tunables;

/// A layer that reduces late moves, on top of another policy.
#[derive(Clone, Debug)]
pub struct Reductions<'a, P> {
    inner: P,
    tunables: &'a Tunables,
    /// By depth in plies and number of moves tried: the reduction in thousandths of a ply.
    table: Box<[[i32; SIZE]; SIZE]>,
}

/// From this many plies or moves on, reductions do not grow.
const SIZE: usize = 64;

impl<'a, P> Reductions<'a, P> {
    /// Adds late-move reductions to a policy.
    pub fn new(inner: P, tunables: &'a Tunables) -> Reductions<'a, P> {
        Reductions { inner, tunables, table: table(tunables) }
    }
}

impl<G: Game, P: DepthPolicy<G>> DepthPolicy<G> for Reductions<'_, P> {
    type Classes = P::Classes;

    #[inline(always)]
    fn state_atoms(&self) -> StateAtoms {
        self.inner.state_atoms()
    }

    #[inline(always)]
    fn classify(&self, position: &G, node: StateAtoms, classes: &mut P::Classes) {
        self.inner.classify(position, node, classes);
    }

    #[inline(always)]
    fn has_exempt_moves(&self, classes: &P::Classes) -> bool {
        self.inner.has_exempt_moves(classes)
    }

    #[inline(always)]
    fn plan(&self, classes: &P::Classes, m: G::Move, coming: &MoveContext) -> Plan {
        self.inner.plan(classes, m, coming)
    }

    fn counters(&self) -> usize {
        self.inner.counters()
    }

    fn rules(&self, counter: usize) -> Vec<usize> {
        self.inner.rules(counter)
    }

    fn fired(&self, counters: &[u64]) -> Vec<u64> {
        self.inner.fired(counters)
    }

    fn reduce(&self, plan: Plan, late: &LateMove) -> Plan {
        let t = self.tunables;
        let plies = late.depth.whole_plies() as usize;
        let min_moves = if late.null_window { t.lmr_min_moves } else { t.lmr_min_moves_pv };
        if plan.is_exempt || plies < t.lmr_min_depth as usize || late.tried < min_moves as usize {
            return plan;
        }
        let mut units = self.table[plies.min(SIZE - 1)][late.tried.min(SIZE - 1)];
        units -= if late.null_window { 0 } else { t.lmr_pv };
        units -= if late.is_sharp { t.lmr_sharp } else { 0 };
        units -= late.history * t.lmr_history / 1000;
        // What is left is at least a ply: no move is judged by a search without depth.
        let most = late.depth.units() - t.lmr_keep;
        let late = Weight::of_units(units.min(most).max(0));
        // A scheme may have reduced the move already.
        Plan { reduction: late.max(plan.reduction), ..plan }
    }
}

/// Reductions grow with the logarithms of depth and move number.
fn table(tunables: &Tunables) -> Box<[[i32; SIZE]; SIZE]> {
    let logarithms: [u32; SIZE] = std::array::from_fn(|number| log2(number.max(1) as u64, 1) >> 6);
    let mut table = Box::new([[0; SIZE]; SIZE]);
    for (plies, row) in table.iter_mut().enumerate().skip(1) {
        for (tried, units) in row.iter_mut().enumerate().skip(1) {
            let product = u64::from(logarithms[plies]) * u64::from(logarithms[tried]);
            *units = tunables.lmr_base + (product * tunables.lmr_factor as u64 / (1 << 20)) as i32;
        }
    }
    table
}

#[cfg(test)]
mod tests {
    use super::super::plan::{DepthPolicy, LateMove, Plan};
    use super::super::scheme::SchemePolicy;
    use super::Reductions;
    use crate::depth::{Depth, Weight};
    use crate::feature::Scheme;
    use crate::games::chess::Position;
    use crate::settings::Tunables;

    fn reduction(tunables: &Tunables, plan: Plan, late: &LateMove) -> Weight {
        let policy = Reductions::new(SchemePolicy::new(&Scheme::neutral()), tunables);
        DepthPolicy::<Position>::reduce(&policy, plan, late).reduction
    }

    #[test]
    fn later_moves_are_reduced_more_and_a_ply_is_always_left() {
        let plan = Plan::full(Weight::ONE, None, false);
        for plies in (0..100).step_by(3) {
            let depth = Depth::plies(plies);
            let mut before = Weight::NOTHING;
            for tried in (0..230).step_by(7) {
                let late = LateMove { depth, tried, null_window: true, is_sharp: false, history: 0 };
                let reduced = reduction(&Tunables::DEFAULT, plan, &late);
                assert!(reduced >= before);
                before = reduced;
                let left = depth.after(Weight::ONE).after(reduced);
                assert!(
                    plies < 3 && reduced == Weight::NOTHING || left >= Depth::plies(1),
                    "{plies} {tried}: {left:?}"
                );
                let exempt = reduction(&Tunables::DEFAULT, Plan { is_exempt: true, ..plan }, &late);
                assert_eq!(exempt, Weight::NOTHING, "exempt moves are not reduced");
            }
        }
    }

    #[test]
    fn tunables_change_reductions() {
        let late = LateMove { depth: Depth::plies(9), tried: 9, null_window: true, is_sharp: false, history: 0 };
        let plan = Plan::full(Weight::ONE, None, false);
        let with_base = |lmr_base| reduction(&Tunables { lmr_base, ..Tunables::DEFAULT }, plan, &late).units();
        assert_eq!(with_base(350), with_base(300) + 50);
        let late_only = Tunables { lmr_min_moves: 10, ..Tunables::DEFAULT };
        assert_eq!(reduction(&late_only, plan, &late), Weight::NOTHING);
    }
}
