//! Pruning: when the evaluation, a pass or a shallow search decides that a move or a position need not be searched.
//!
//! All margins are in units of the evaluation, for games whose unit is a hundredth of a man; see
//! [`crate::settings::Tunables`]. The thesis lists the methods in section 2.2.1. Heinz's AEL pruning is `null-move` with
//! `adaptive-null-move`, `futility`, and `limited-razoring`; extended futility pruning is that of `futility` beyond the last
//! ply.

use super::context::{Again, Node, NodeKind, Reached, Search, Stopped};
use super::policy::{DepthPolicy, null_move_depth, razored_depth, verification_depth};
use super::trace::{Reason, Step, Tracer};
use crate::depth::Depth;
use crate::game::Game;
use crate::score::Score;
use crate::settings::{Techniques, Tunables};

/// Whether pruning of nodes asks for their evaluation.
#[inline(always)]
pub fn evaluates<T: Techniques>(techniques: T) -> bool {
    techniques.futility() || techniques.null_move() || techniques.razoring() || techniques.limited_razoring()
}

/// Reverse futility pruning: whether the evaluation is so far above beta that no reply brings it back within this depth.
fn is_far_above(tunables: &Tunables, eval: Score, beta: Score, depth: Depth) -> bool {
    depth.units() <= tunables.futility_depth
        && eval.units() - depth.units() * tunables.reverse_futility_margin / 1000 >= beta.units()
}

/// Razoring: whether the evaluation is so far below alpha that hardly a move within this depth lifts it there.
fn is_far_below(tunables: &Tunables, eval: Score, alpha: Score, depth: Depth) -> bool {
    depth.units() <= tunables.razor_depth
        && eval.units() + depth.units() * tunables.razor_margin / 1000 <= alpha.units()
}

/// Delta pruning: the material a capture must win to lift the evaluation above alpha.
pub fn least_gain(tunables: &Tunables, eval: Score, alpha: Score) -> i32 {
    alpha.units() - eval.units() - tunables.delta_margin
}

impl<G: Game, T: Techniques, P: DepthPolicy<G>, X: Tracer<G::Move>> Search<'_, G, T, P, X> {
    /// The score of a position that is so far outside the window that its moves need not be searched.
    #[inline(always)]
    pub(super) fn prune_node(&mut self, position: &G, node: Node, eval: Score) -> Result<Option<Score>, Stopped> {
        let Node { depth, window, height, .. } = node;
        if height == 0 || !window.is_null() || window.beta.is_forced() {
            return Ok(None);
        }

        // Step 6a. Reverse futility pruning.
        if self.techniques.futility() && is_far_above(self.tunables, eval, window.beta, depth) {
            self.tracer.decide(Reason::ReverseFutility);
            return Ok(Some(eval));
        }

        // Step 6b. Razoring: if quiescence search does not lift the score above alpha, nothing will.
        if self.techniques.razoring() && is_far_below(self.tunables, eval, window.alpha, depth) {
            let score = self.razor(position, node, eval)?;
            if score <= window.alpha {
                self.tracer.decide(Reason::Razoring);
                return Ok(Some(score));
            }
            self.tracer.decide(Reason::Exact);
        }

        // Step 6c. Limited razoring: the node is searched a ply less deep.
        if self.techniques.limited_razoring()
            && eval.units() + self.tunables.limited_razor_margin <= window.alpha.units()
            && let Some(depth) = razored_depth(self.tunables, depth)
        {
            self.tracer.decide(Reason::LimitedRazoring);
            self.tracer.announce(Step::Razored);
            return self.expand_again(position, Node { depth, ..node }).map(Some);
        }

        // Step 6d. Null-move pruning.
        self.prune_by_pass(position, node, eval)
    }

    /// The score of quiescence search, where it is on.
    #[inline(never)]
    fn razor(&mut self, position: &G, node: Node, eval: Score) -> Result<Score, Stopped> {
        if !G::TACTICAL || !self.techniques.quiescence() {
            return Ok(eval);
        }
        let score = self.quiesce(position, Node { depth: Depth::plies(0), ..node })?;
        self.lines[node.height as usize].clear();
        Ok(score)
    }

    /// Null-move pruning: the score if even a pass fails high.
    #[inline(always)]
    fn prune_by_pass(&mut self, position: &G, node: Node, eval: Score) -> Result<Option<Score>, Stopped> {
        let Node { depth, window, height, reached, .. } = node;
        let may_pass = self.techniques.null_move()
            && reached != Reached::ByPass
            && eval >= window.beta
            && depth.units() >= self.tunables.null_move_min_depth;
        if may_pass && let Some(passed) = position.pass() {
            let advantage = eval.units() - window.beta.units();
            let child = Node {
                depth: null_move_depth(self.techniques, self.tunables, position, depth, advantage),
                window: window.flipped(),
                height: height + 1,
                on_previous: false,
                reached: Reached::ByPass,
                kind: NodeKind::All,
            };
            self.lines[height as usize + 1].clear();
            self.tracer.announce(Step::Pass);
            let score = -self.visit(&passed, child)?;
            if score >= window.beta && (!self.techniques.verification() || self.is_verified(position, node)?) {
                self.tracer.decide(Reason::NullMove);
                // A forced win that relies on passing is not one.
                return Ok(Some(if score.is_forced() { window.beta } else { score }));
            }
        }
        Ok(None)
    }

    /// Verified null-move pruning: whether a search of the position's moves confirms that it fails high. Where it is not
    /// zugzwang that the pass has hidden, it hardly ever disagrees.
    #[inline(never)]
    fn is_verified(&mut self, position: &G, node: Node) -> Result<bool, Stopped> {
        let Some(depth) = verification_depth(self.tunables, node.depth, position.has_few_pieces()) else {
            return Ok(true);
        };
        self.tracer.announce(Step::Verification);
        let score = self.look_again(position, Node { depth, ..node }, Again::Unpruned)?;
        Ok(score >= node.window.beta)
    }
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

    /// Why quiet moves are skipped.
    pub fn quiet_reason(&self) -> Reason {
        if self.quiet { Reason::Futility } else { Reason::LateMove }
    }

    /// Whether this move is skipped because it loses too much material.
    #[inline]
    pub fn skips_exchange<G: Game>(&self, position: &G, m: G::Move) -> bool {
        self.least_exchange.is_some_and(|least| !position.wins_exchange(m, least))
    }
}
