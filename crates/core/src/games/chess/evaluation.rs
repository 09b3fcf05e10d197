//! What a position is worth. Placeholder for material only.

use cozy_chess::{Board, Color, Piece};

use super::Move;
use crate::game::Heuristic;
use crate::search::score::Score;

/// The names of the evaluation functions.
pub const NAMES: &[&str] = &["material", "tuned"];
/// Pieces only.
pub const MATERIAL: Heuristic = Heuristic(0);
/// Everything.
pub const TUNED: Heuristic = Heuristic(1);

/// Material and piece squares, White's minus Black's.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct Placement {
    material: i32,
}

impl Placement {
    /// Counts a whole board.
    pub fn of(board: &Board) -> Placement {
        let side =
            |color| Piece::ALL.iter().map(|&p| value(p) * board.colored_pieces(color, p).len() as i32).sum::<i32>();
        Placement { material: side(Color::White) - side(Color::Black) }
    }

    /// The same after a move of this side.
    #[must_use]
    pub fn after(self, side: Color, m: Move) -> Placement {
        let gain = m.captured.map_or(0, value) + m.promotion.map_or(0, |p| value(p) - value(Piece::Pawn));
        Placement { material: self.material + if side == Color::White { gain } else { -gain } }
    }
}

fn value(piece: Piece) -> i32 {
    [100, 320, 330, 500, 950, 0][piece as usize]
}

/// The value for the side to move.
pub fn evaluate(board: &Board, placement: &Placement, _heuristic: Heuristic) -> Score {
    let white = placement.material;
    Score::evaluation(if board.side_to_move() == Color::White { white } else { -white })
}
