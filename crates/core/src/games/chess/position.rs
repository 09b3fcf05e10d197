//! Positions of chess, and what is remembered of the way to them.

use std::fmt;

use cozy_chess::{Board, Color, File, Piece, Square};

use super::evaluation::Placement;
use super::evaluation::tables::LEARNED_TABLES;
use super::moves::Castling;
use super::text;

/// A position, and what is remembered of the way to it.
#[derive(Clone)]
pub struct Position {
    pub(super) board: Board,
    /// The opponent's last move, where it is known.
    pub(super) last: Option<LastMove>,
    /// Material and piece squares, kept up to date from move to move.
    pub(super) placement: Placement,
    /// How castling is written: the only thing that tells Chess960 from chess. Standard if nobody may castle any more.
    pub(super) castling: Castling,
}

/// The placement follows from the board. It has other values with other weights, which are no matter of the position.
impl PartialEq for Position {
    fn eq(&self, other: &Position) -> bool {
        self.board == other.board && self.last == other.last && self.castling == other.castling
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
        Position::with_castling(board, Castling::Standard)
    }
}

impl Position {
    /// A position whose castling is written like this; where it cannot be written as the king's step, as in Chess960.
    pub(super) fn with_castling(board: Board, castling: Castling) -> Position {
        let castling = match castling {
            _ if !may_castle(&board) => Castling::Standard,
            Castling::Standard if has_usual_rights(&board) => Castling::Standard,
            _ => Castling::Chess960,
        };
        Position { placement: Placement::of(&board, &LEARNED_TABLES), board, last: None, castling }
    }

    /// Whether it is a position of Chess960 in which somebody may still castle.
    pub fn is_chess960(&self) -> bool {
        self.castling == Castling::Chess960
    }

    /// The board as cozy-chess has it.
    pub fn board(&self) -> &Board {
        &self.board
    }
}

impl fmt::Display for Position {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        text::print(&self.board, self.castling, f)
    }
}

impl fmt::Debug for Position {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{self}")
    }
}

/// Whether a side may castle, now or later.
pub(super) fn may_castle(board: &Board) -> bool {
    Color::ALL.iter().any(|&side| board.castle_rights(side).short.or(board.castle_rights(side).long).is_some())
}

/// Whether those who may castle have king and rooks where they are in chess.
fn has_usual_rights(board: &Board) -> bool {
    Color::ALL.iter().all(|&side| {
        let rights = board.castle_rights(side);
        let is_usual =
            rights.short.is_none_or(|file| file == File::H) && rights.long.is_none_or(|file| file == File::A);
        is_usual && (rights.short.or(rights.long).is_none() || board.king(side).file() == File::E)
    })
}
