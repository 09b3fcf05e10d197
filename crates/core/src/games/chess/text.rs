//! FEN, and boards drawn with letters.

use std::fmt;

use cozy_chess::{Board, Color, File, Rank, Square};

use super::{Move, Position, can_capture_en_passant};
use crate::game::{Game, MoveError, PositionError};

/// Reads a FEN; the two counters may be missing, as in EPD.
pub fn parse(text: &str) -> Result<Board, PositionError> {
    let words: Vec<&str> = text.split_whitespace().collect();
    let fen = match words.len() {
        4 => format!("{} 0 1", words.join(" ")),
        _ => words.join(" "),
    };
    Board::from_fen(&fen, false)
        .map_err(|error| PositionError { offset: 0, reason: format!("'{text}' is not a chess position: {error}") })
}

/// Writes a FEN; the en-passant square only where it can be used, so that equal positions have equal texts.
pub fn print(board: &Board, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    let fen = board.to_string();
    if board.en_passant().is_none() || can_capture_en_passant(board) {
        return f.write_str(&fen);
    }
    let mut words: Vec<&str> = fen.split(' ').collect();
    words[3] = "-";
    f.write_str(&words.join(" "))
}

/// Reads a move.
pub fn parse_move(position: &Position, text: &str) -> Result<Move, MoveError> {
    let list = position.legal_moves();
    list.iter()
        .copied()
        .find(|m| m.to_string() == text)
        .ok_or_else(|| MoveError { text: text.to_string(), legal: list.iter().map(ToString::to_string).collect() })
}

/// The board seen from White; a move is shown by `*` where it begins and brackets where it ends.
pub fn draw(board: &Board, m: Option<Move>) -> String {
    let mut text = String::new();
    for &rank in Rank::ALL.iter().rev() {
        text += &format!("{} ", rank as usize + 1);
        for file in File::ALL {
            let square = Square::new(file, rank);
            let letter = match (board.piece_on(square), board.color_on(square)) {
                (Some(piece), Some(Color::White)) => char::from(piece).to_ascii_uppercase(),
                (Some(piece), _) => char::from(piece),
                _ => '.',
            };
            let cell = match m {
                Some(m) if m.from == square => format!("*{letter} "),
                Some(m) if m.to == square => format!("[{letter}]"),
                _ => format!(" {letter} "),
            };
            text += &cell;
        }
        text += "\n";
    }
    text + "   a  b  c  d  e  f  g  h\n"
}
