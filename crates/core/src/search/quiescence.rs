//! Quiescence search: tactical moves are played out, so that no position is evaluated in the middle of an exchange.
//!
//! The transposition table is not used here: waiting for its memory would take longer than most of these searches.

use super::context::{Node, Reached, Search, Stopped};
use super::order::Picker;
use super::policy::DepthPolicy;
use super::pruning;
use super::task::MAX_HEIGHT;
use super::trace::{Chosen, Reason, Step, Tracer};
use crate::game::Game;
use crate::score::Score;
use crate::settings::Techniques;

impl<G: Game, T: Techniques, P: DepthPolicy<G>, X: Tracer<G::Move>> Search<'_, G, T, P, X> {
    /// The score of a position in which only tactical moves are searched.
    pub(super) fn quiesce(&mut self, position: &G, node: Node) -> Result<Score, Stopped> {
        let Node { mut window, height, .. } = node;
        let key = if self.techniques.table() || self.keeps_path() { position.key() } else { 0 };
        if height as usize >= MAX_HEIGHT - 1 {
            return Ok(self.evaluate(position, key));
        }

        // Step 1. Stand pat: the side to move need not capture, so the evaluation is a floor; in check it may be
        // worthless.
        let evades = self.techniques.evasions() && position.in_check();
        let floor = if evades { Score::LOWEST } else { self.evaluate(position, key) };
        if floor >= window.beta {
            self.tracer.decide(Reason::StandPat);
            return Ok(floor);
        }
        window.alpha = window.alpha.max(floor);
        // Evasions and quiet checks can repeat positions, captures cannot.
        let checks = !evades && self.techniques.quiescence_checks() && node.reached != Reached::InQuiescence;
        if (evades || checks) && self.keeps_path() {
            self.path.push(key);
        }

        // Step 2. Delta pruning: captures that win too little are not even generated.
        let least = if self.techniques.exchange() && self.techniques.futility() {
            pruning::least_gain(self.tunables, floor, window.alpha)
        } else {
            i32::MIN
        };

        // Step 3. Tactical moves, or all evasions; no evasion is mate. On the first ply quiet checks, where they are on.
        let mut picker = Picker::new(None);
        picker.fill(|list| if evades { position.moves(list) } else { position.tactical_moves(least, list) });
        if checks {
            picker.fill(|list| position.quiet_checks(list));
        }
        if evades && picker.is_empty() {
            self.tracer.decide(Reason::NoMoves);
            return Ok(Score::of(position.no_moves_result(), height));
        }
        picker.rank(&mut self.random, |m| position.capture_order(m));

        // Step 4. Search each of them.
        let mut best = floor;
        while let Some(m) = picker.pick(&mut self.random) {
            if evades && best > Score::LOWEST && position.ignores_check(m) {
                continue;
            }
            if !evades && self.techniques.exchange() && !self.is_worth_it(position, m, floor, window.alpha) {
                continue;
            }
            let child = Node {
                window: window.flipped(),
                height: height + 1,
                on_previous: false,
                reached: Reached::InQuiescence,
                ..node
            };
            self.lines[height as usize + 1].clear();
            self.tracer.choose(Chosen { m, fired: None, is_late: false, is_singular: false });
            self.tracer.announce(Step::Quiescence);
            let score = -self.visit(&position.play(m), child)?;
            if score <= best {
                continue;
            }
            best = score;
            if score > window.alpha {
                window.alpha = score;
                self.keep_line(m, height);
                if score >= window.beta {
                    break;
                }
            }
        }
        Ok(best)
    }

    /// Whether a capture can lift the score above alpha, and whether the move loses no material.
    fn is_worth_it(&self, position: &G, m: G::Move, floor: Score, alpha: Score) -> bool {
        let in_reach = !self.techniques.futility()
            || self.techniques.quiescence_checks() && !position.is_tactical(m)
            || position.gain(m) >= pruning::least_gain(self.tunables, floor, alpha);
        in_reach && position.wins_exchange(m, 0)
    }
}
