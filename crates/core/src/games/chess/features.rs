//! The base features of thesis Table 4.6, and more from the literature.

use std::ops::BitAnd;

use cozy_chess::{BitBoard, Piece, Rank};

use super::{Move, Position};
use crate::feature::{Atom, AtomFacts, Vocabulary};
use crate::game::MoveSet;

/// Placeholder.
pub const VOCABULARY: Vocabulary = Vocabulary(&[AtomFacts {
    name: "RdTt",
    group: "Vertically",
    parent: None,
    threshold_safe: false,
    meaning: "The destination is on the seventh or eighth rank.",
    example: ("4k3/8/8/8/8/8/R7/4K3 w - - 0 1", "a2a7"),
}]);

/// A set of moves, sorted by where they begin; see [`Move::origin`].
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct Moves {
    /// Destinations of the moves that are not promotions, by origin.
    to: [BitBoard; 16],
    /// Promotions: bit `24 * piece + 3 * file + direction`, the piece from knight to queen, the file where the pawn
    /// stands, the direction to the left, straight or right.
    promotions: u128,
}

impl Moves {
    /// Every move.
    pub fn all() -> Moves {
        Moves { to: [!BitBoard::EMPTY; 16], promotions: u128::MAX }
    }
}

impl MoveSet<Move> for Moves {
    fn contains(&self, m: Move) -> bool {
        match m.promotion {
            None => self.to[usize::from(m.origin)].has(m.to),
            Some(piece) => {
                let direction = 1 + m.to.file() as i32 - m.from.file() as i32;
                let bit = 24 * (piece as i32 - Piece::Knight as i32) + 3 * m.from.file() as i32 + direction;
                self.promotions >> bit & 1 == 1
            }
        }
    }

    fn is_empty(&self) -> bool {
        self.promotions == 0 && self.to.iter().all(|to| to.is_empty())
    }
}

impl BitAnd for Moves {
    type Output = Moves;

    fn bitand(self, other: Moves) -> Moves {
        let mut to = self.to;
        to.iter_mut().zip(other.to).for_each(|(mine, others)| *mine &= others);
        Moves { to, promotions: self.promotions & other.promotions }
    }
}

/// All moves with this feature.
pub fn select(position: &Position, _atom: Atom) -> Moves {
    let side = position.board.side_to_move();
    let far = Rank::Seventh.relative_to(side).bitboard() | Rank::Eighth.relative_to(side).bitboard();
    Moves { to: [far; 16], promotions: u128::MAX }
}

/// Whether the move has this feature.
pub fn has(position: &Position, m: Move, _atom: Atom) -> bool {
    m.to.rank().relative_to(position.board.side_to_move()) as usize >= 6
}
