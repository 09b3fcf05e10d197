//! Positions and moves of Breakthrough.

use std::fmt;

use super::board::{Board, NOT_A, NOT_H};
use crate::game::Move as GameMove;

/// A position, seen from the side to move.
#[derive(Copy, Clone, PartialEq, Eq)]
pub struct Position<B> {
    pub(super) board: B,
    /// The men of the side to move, which play upward.
    pub(super) us: u64,
    /// The opponent's men.
    pub(super) them: u64,
    /// Where the opponent's last move went; nowhere if that is not known.
    pub(super) last: u64,
    /// Men of the side to move minus men of the opponent. It follows from the men, but counting them again in every
    /// evaluation would cost a tenth of a search.
    pub(super) surplus: i32,
    pub(super) side: Side,
}

/// A move from a square to one of the three ahead of it, as its side sees the board.
#[derive(Copy, Clone, PartialEq, Eq)]
pub struct Move {
    pub(super) from: u8,
    pub(super) to: u8,
}

/// Who moves. White begins at the bottom of the board as it is drawn.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Side {
    /// Plays upward.
    White,
    /// Plays downward.
    Black,
}

impl<B: Board> Position<B> {
    pub(super) fn new(board: B, us: u64, them: u64, side: Side) -> Position<B> {
        let surplus = us.count_ones() as i32 - them.count_ones() as i32;
        Position { board, us, them, last: 0, surplus, side }
    }

    /// Squares where the opponent could capture.
    #[inline]
    pub(super) fn threatened(&self) -> u64 {
        (self.them >> 9 & NOT_H) | (self.them >> 7 & NOT_A)
    }

    /// Squares where the side to move could capture.
    #[inline]
    pub(super) fn attacked(&self) -> u64 {
        (self.us << 7 & NOT_H) | (self.us << 9 & NOT_A)
    }
}

impl GameMove for Move {
    const CODES: usize = 1 << 12;

    #[inline]
    fn code(self) -> u16 {
        u16::from(self.from) << 6 | u16::from(self.to)
    }
}

impl Side {
    /// The opponent.
    #[inline]
    pub fn other(self) -> Side {
        match self {
            Side::White => Side::Black,
            Side::Black => Side::White,
        }
    }
}

impl<B: Board> fmt::Debug for Position<B> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{self}")
    }
}

impl fmt::Debug for Move {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}>{}", self.from, self.to)
    }
}
