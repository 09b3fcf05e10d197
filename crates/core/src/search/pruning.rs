//! Futility pruning: when the evaluation alone decides that a move or a position need not be searched.
//!
//! All margins are in units of the evaluation, for games whose unit is a hundredth of a man; see
//! [`crate::settings::Tunables`].

use super::context::Node;
use crate::depth::Depth;
use crate::game::Game;
use crate::score::Score;
use crate::settings::{Techniques, Tunables};

/// Reverse futility pruning: whether the evaluation is so far above beta that no reply brings it back within this depth.
pub fn is_far_above(tunables: &Tunables, eval: Score, beta: Score, depth: Depth) -> bool {
    depth.units() <= tunables.futility_depth
        && eval.units() - depth.units() * tunables.reverse_futility_margin / 1000 >= beta.units()
}

/// Delta pruning: the material a capture must win to lift the evaluation above alpha.
pub fn least_gain(tunables: &Tunables, eval: Score, alpha: Score) -> i32 {
    alpha.units() - eval.units() - tunables.delta_margin
}

/// Which moves of a node are skipped, because they will hardly raise its score.
pub struct MovePruning {
    /// Whether all quiet moves are skipped.
    quiet: bool,
    /// After this many searched moves, quiet ones are skipped.
    most: usize,
    /// Captures that win less than this are skipped.
    least_exchange: Option<i32>,
}

impl MovePruning {
    /// What can be skipped at this node, whose evaluation is known unless it is in check.
    pub fn new<T: Techniques>(techniques: T, tunables: &Tunables, eval: Option<Score>, node: Node) -> MovePruning {
        let t = tunables;
        let Node { depth, window, height, .. } = node;
        let nothing = MovePruning { quiet: false, most: usize::MAX, least_exchange: None };
        let Some(eval) = eval else { return nothing };
        if !techniques.futility()
            || height == 0
            || depth.units() > t.futility_depth
            || !window.is_null()
            || window.alpha.is_forced()
        {
            return nothing;
        }
        let plies = depth.units() / 1000;
        let most = (t.late_move_base + plies * plies * t.late_move_factor / 100) as usize;
        MovePruning {
            quiet: eval.units() + t.futility_base + depth.units() * t.futility_margin / 1000 <= window.alpha.units(),
            most: if depth.units() <= t.late_move_depth { most } else { usize::MAX },
            least_exchange: techniques.exchange().then_some(-depth.units() * t.exchange_margin / 1000),
        }
    }

    /// Whether all quiet moves are skipped.
    pub fn skips_all_quiet_moves(&self) -> bool {
        self.quiet
    }

    /// Whether quiet moves are skipped once `searched` moves were searched.
    #[inline]
    pub fn skips_quiet_moves(&self, searched: usize) -> bool {
        self.quiet || searched >= self.most
    }

    /// Whether this move is skipped because it loses too much material.
    #[inline]
    pub fn skips_exchange<G: Game>(&self, position: &G, m: G::Move) -> bool {
        self.least_exchange.is_some_and(|least| !position.wins_exchange(m, least))
    }
}
