//! Which atoms of the search state hold, for depth policies that ask for them; see [`crate::feature::state`].

use super::context::{Node, NodeKind, Search};
use crate::depth::Depth;
use crate::feature::StateAtoms as Atoms;
use crate::game::{Game, Move};
use crate::settings::Techniques;

/// Atoms that need the evaluations of the current path.
pub const TREND: Atoms = Atoms::union(&[Atoms::IMPROVING, Atoms::WORSENING]);

/// History values beyond this in either direction are high or low; the limit is a thousand.
const NOTABLE_HISTORY: i32 = 100;

impl<G: Game, T: Techniques, P, X> Search<'_, G, T, P, X> {
    /// The atoms that hold for all moves of a node, of those that are wanted. `hint` is the code of the table's move.
    pub(super) fn node_state(&self, position: &G, node: Node, hint: Option<u16>, wanted: Atoms) -> Atoms {
        let kind = match node.kind {
            NodeKind::Pv => Atoms::PV,
            NodeKind::Cut => Atoms::CUT,
            NodeKind::All => Atoms::ALL_NODE,
        };
        let depth = match node.depth {
            depth if depth < Depth::plies(3) => Atoms::SHALLOW,
            depth if depth < Depth::plies(6) => Atoms::MIDDLE,
            _ => Atoms::DEEP,
        };
        let table = match hint {
            None => Atoms::NO_TABLE_HIT,
            Some(code) => {
                let is_capture = wanted.intersects(Atoms::TABLE_CAPTURE)
                    && position.recall(code).is_some_and(|m| position.is_tactical(m));
                Atoms::TABLE_HIT | Atoms::TABLE_CAPTURE.when(is_capture)
            }
        };
        let checked = wanted.intersects(Atoms::IN_CHECK) && position.in_check();
        (kind | depth | table | self.trend(node.height, wanted) | Atoms::IN_CHECK.when(checked)).and(wanted)
    }

    /// Whether the evaluation of the side to move is rising. In check neither answer holds.
    fn trend(&self, height: u32, wanted: Atoms) -> Atoms {
        if !wanted.intersects(TREND) {
            return Atoms::NONE;
        }
        let Some(now) = self.evals[height as usize] else { return Atoms::NONE };
        let before = height.checked_sub(2).and_then(|height| self.evals[height as usize]);
        if before.is_some_and(|before| now > before) { Atoms::IMPROVING } else { Atoms::WORSENING }
    }

    /// The atoms that hold for a move that was just picked, of those that are wanted.
    pub(super) fn move_state(
        &self,
        position: &G,
        m: G::Move,
        node: Node,
        hint: Option<u16>,
        tried: usize,
        wanted: Atoms,
    ) -> Atoms {
        let number = match tried {
            0 => Atoms::FIRST_MOVE,
            1..=3 => Atoms::EARLY,
            4..=11 => Atoms::LATE,
            _ => Atoms::LATE | Atoms::VERY_LATE,
        };
        let is_tactical = G::TACTICAL && position.is_tactical(m);
        let stage = match is_tactical {
            _ if hint == Some(m.code()) => Atoms::TABLE_MOVE,
            true if !wanted.intersects(CAPTURES) => Atoms::NONE,
            true if position.wins_exchange(m, 0) => Atoms::GOOD_CAPTURE,
            true => Atoms::BAD_CAPTURE,
            false if self.techniques.killers() && self.refutations.is_killer(m, node.height) => Atoms::KILLER,
            false => Atoms::QUIET,
        };
        let history = match is_tactical || !self.techniques.history() {
            true => 0,
            false => self.refutations.history(m, self.tunables),
        };
        let history =
            Atoms::HISTORY_HIGH.when(history > NOTABLE_HISTORY) | Atoms::HISTORY_LOW.when(history < -NOTABLE_HISTORY);
        let gives_check = wanted.intersects(Atoms::CHECK) && position.play(m).in_check();
        (number | stage | history | Atoms::CHECK.when(gives_check)).and(wanted)
    }
}

/// Atoms that need to know what a capture wins.
const CAPTURES: Atoms = Atoms::union(&[Atoms::GOOD_CAPTURE, Atoms::BAD_CAPTURE]);
