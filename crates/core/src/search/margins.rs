//! How far outside the window is far: when the evaluation alone settles a matter.
//!
//! All margins are in units of the evaluation, for games whose unit is a hundredth of a man.

use super::alphabeta::Node;
use crate::depth::Depth;
use crate::game::Game;
use crate::score::Score;
use crate::settings::Parts;

/// Beyond this depth the evaluation settles nothing.
const DEEPEST: Depth = Depth::plies(7);

/// Whether the opponent will hardly bring a position below beta again within this depth.
pub fn is_far_above(guess: Score, beta: Score, depth: Depth) -> bool {
    depth <= DEEPEST && guess.units() - depth.units() * 80 / 1000 >= beta.units()
}

/// What a capture must win at first sight to lift the evaluation above alpha.
pub fn least_gain(guess: Score, alpha: Score) -> i32 {
    alpha.units() - guess.units() - 149
}

/// Which moves of a position need not be searched, because they will hardly raise its score.
pub struct Hopeless {
    /// Whether a quiet move can be expected to raise alpha.
    quiet: bool,
    /// After so many moves, quiet ones are given up.
    most: usize,
    /// Captures that lose more than this are given up.
    least_exchange: Option<i32>,
}

impl Hopeless {
    /// What is hopeless at this node, whose evaluation is known unless it is in check.
    pub fn new<P: Parts>(parts: P, guess: Option<Score>, node: Node) -> Hopeless {
        let Node { depth, window, height, .. } = node;
        let nothing = Hopeless { quiet: false, most: usize::MAX, least_exchange: None };
        let Some(guess) = guess else { return nothing };
        if !parts.futility() || height == 0 || depth > DEEPEST || !window.is_null() || window.alpha.is_forced() {
            return nothing;
        }
        let plies = depth.units() / 1000;
        Hopeless {
            quiet: guess.units() + 100 + depth.units() * 90 / 1000 <= window.alpha.units(),
            most: if depth <= Depth::plies(5) { 4 + (plies * plies) as usize } else { usize::MAX },
            least_exchange: parts.exchange().then_some(-depth.units() * 100 / 1000),
        }
    }

    /// Whether all quiet moves are.
    pub fn are_quiet_moves(&self) -> bool {
        self.quiet
    }

    /// Whether this move is, of which `searched` others were searched before it.
    pub fn has<G: Game>(&self, position: &G, m: G::Move, is_quiet: bool, searched: usize) -> bool {
        if is_quiet && (self.quiet || searched >= self.most) {
            return true;
        }
        self.least_exchange.is_some_and(|least| !position.wins_exchange(m, least))
    }
}
