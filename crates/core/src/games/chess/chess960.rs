//! Chess960: its 960 start positions, and positions of chess read as its.
//!
//! A position of Chess960 is one whose castling rights are written as the files of rooks (Shredder-FEN: `HAha`). Chess itself
//! is start position 518, and differs only in how castling is written.

use cozy_chess::Board;

use super::moves::Castling;
use super::position::Position;
use super::text;
use crate::game::PositionError;

/// How many start positions there are.
pub const STARTS: u32 = 960;

/// The text of a start position, by its number from 0 to 959 in Scharnagl's order.
pub fn start(number: u32) -> String {
    Position::with_castling(Board::chess960_startpos(number % STARTS), Castling::Chess960).to_string()
}

/// The text of a position as one of Chess960, whichever way its castling rights are written.
pub fn canonical(text: &str) -> Result<String, PositionError> {
    text::parse(text).map(|(board, _)| Position::with_castling(board, Castling::Chess960).to_string())
}

/// Whether a text is a position of Chess960: its third word has files of rooks.
pub fn is_chess960(text: &str) -> bool {
    let is_file = |letter: char| matches!(letter.to_ascii_lowercase(), 'a'..='h');
    text.split_whitespace().nth(2).is_some_and(|rights| rights.contains(is_file))
}
