//! Sets of moves: what [`super::select`] answers with.

use std::ops::{BitAnd, BitOr};

use cozy_chess::{BitBoard, Piece, Square};

use super::super::moves::Move;
use crate::game::MoveSet;

/// A set of moves, sorted by where they begin; see `Move::origin`.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct Moves {
    /// Destinations of the moves that are not promotions, by origin.
    pub(super) to: [BitBoard; 16],
    /// Promotions: bit `24 * piece + 3 * file + direction`, the piece from knight to queen, the file where the pawn
    /// stands, the direction to the left, straight or right.
    pub(super) promotions: u128,
}

impl Moves {
    /// No move.
    pub(super) const NONE: Moves = Moves { to: [BitBoard::EMPTY; 16], promotions: 0 };
    /// Every move, legal or not.
    pub(super) const EVERY: Moves = Moves { to: [BitBoard::FULL; 16], promotions: u128::MAX };
}

/// The bit of a promotion.
#[inline]
pub(super) fn promotion_bit(from: Square, to: Square, piece: Piece) -> u128 {
    let direction = 1 + to.file() as u32 - from.file() as u32;
    1 << (24 * (piece as u32 - Piece::Knight as u32) + 3 * from.file() as u32 + direction)
}

impl MoveSet<Move> for Moves {
    #[inline]
    fn contains(&self, m: Move) -> bool {
        match m.promotion {
            None => self.to[m.origin()].has(m.to),
            Some(piece) => self.promotions & promotion_bit(m.from, m.to, piece) != 0,
        }
    }

    #[inline]
    fn is_empty(&self) -> bool {
        self.promotions == 0 && self.to.iter().fold(BitBoard::EMPTY, |all, &to| all | to).is_empty()
    }
}

impl BitAnd for Moves {
    type Output = Moves;

    #[inline]
    fn bitand(mut self, other: Moves) -> Moves {
        self.to.iter_mut().zip(other.to).for_each(|(mine, others)| *mine &= others);
        self.promotions &= other.promotions;
        self
    }
}

impl BitOr for Moves {
    type Output = Moves;

    #[inline]
    fn bitor(mut self, other: Moves) -> Moves {
        self.to.iter_mut().zip(other.to).for_each(|(mine, others)| *mine |= others);
        self.promotions |= other.promotions;
        self
    }
}
