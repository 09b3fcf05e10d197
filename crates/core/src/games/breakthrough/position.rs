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
///
/// One byte: its low six bits are the destination, the two above say which of the three squares behind that the man comes
/// from. Lists of moves are copied and shuffled in every node, so they are short.
#[derive(Copy, Clone, PartialEq, Eq)]
pub struct Move(u8);

/// How a man steps: how many squares further than a step to the left.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
#[repr(u8)]
pub(super) enum Step {
    Left = 0,
    Straight = 1,
    Right = 2,
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

    /// How many men a move captures.
    #[inline(always)]
    pub(super) fn captures(&self, m: Move) -> i32 {
        (self.them >> m.to() & 1) as i32
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

impl Step {
    /// How far it is, in squares.
    pub(super) const fn distance(self) -> u8 {
        7 + self as u8
    }
}

impl Move {
    /// The step to a square.
    #[inline(always)]
    pub(super) const fn new(step: Step, to: u8) -> Move {
        Move((step as u8) << 6 | to)
    }

    #[inline(always)]
    pub(super) const fn from(self) -> u8 {
        self.to() - self.distance()
    }

    #[inline(always)]
    pub(super) const fn to(self) -> u8 {
        self.0 & 63
    }

    #[inline(always)]
    const fn distance(self) -> u8 {
        7 + (self.0 >> 6)
    }

    /// Which way it goes, as the number of its [`Step`]; below 4 for any code.
    #[inline(always)]
    pub(super) const fn step_index(self) -> usize {
        (self.0 >> 6) as usize
    }

    /// The square that it enters.
    #[inline(always)]
    pub(super) const fn destination(self) -> u64 {
        1 << self.to()
    }

    /// The squares that it leaves and enters.
    #[inline(always)]
    pub(super) const fn squares(self) -> u64 {
        let to = self.destination();
        to | to >> self.distance()
    }
}

impl GameMove for Move {
    const CODES: usize = 1 << 12;

    #[inline]
    fn code(self) -> u16 {
        u16::from(self.from()) << 6 | u16::from(self.to())
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
        write!(f, "{}>{}", self.from(), self.to())
    }
}
