//! Positions of chess, and what is remembered of the way to them.

use std::fmt;

use cozy_chess::{Board, Piece, Square};

use super::evaluation::Placement;
use super::evaluation::tables::LEARNED_TABLES;
use super::text;

/// A position, and what is remembered of the way to it.
#[derive(Clone)]
pub struct Position {
    pub(super) board: Board,
    /// The opponent's last move, where it is known.
    pub(super) last: Option<LastMove>,
    /// Material and piece squares, kept up to date from move to move.
    pub(super) placement: Placement,
}

/// The placement follows from the board. It has other values with other weights, which are no matter of the position.
impl PartialEq for Position {
    fn eq(&self, other: &Position) -> bool {
        self.board == other.board && self.last == other.last
    }
}

impl Eq for Position {}

/// What features ask of the move before.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(super) struct LastMove {
    pub(super) piece: Piece,
    pub(super) to: Square,
    pub(super) was_capture: bool,
}

impl From<Board> for Position {
    fn from(board: Board) -> Position {
        let placement = Placement::of(&board, &LEARNED_TABLES);
        Position { board, last: None, placement }
    }
}

impl Position {
    /// The board as cozy-chess has it.
    pub fn board(&self) -> &Board {
        &self.board
    }
}

impl fmt::Display for Position {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        text::print(&self.board, f)
    }
}

impl fmt::Debug for Position {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{self}")
    }
}
