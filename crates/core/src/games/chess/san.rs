//! SAN, and all its dialects that can mean only one move.
//!
//! Read are, besides SAN itself: UCI (`e7e8q`), castling as `0-0`, as the king's move `e1g1` or as king takes rook
//! `e1h1`; long algebraic (`e2-e4`, `Ng1xf3`); captures without `x`, or with one that captures nothing; promotion as
//! `e8=Q`, `e8Q`, `e8/Q` or `e8(Q)`; more disambiguation than needed; and `+ # ! ? e.p.` behind a move, which
//! say nothing about which move it is. What is left is matched against the legal moves; what fits several is an error
//! that lists them.

use cozy_chess::util::display_san_move;
use cozy_chess::{Board, File, Piece, Rank, Square};

use super::moves::Move;
use super::position::Position;
use crate::game::{Game, MoveError};

/// The move in SAN, with as much disambiguation as it needs. The move is legal.
pub fn print(board: &Board, m: Move) -> String {
    display_san_move(board, m.for_cozy()).to_string()
}

/// Reads a move in UCI or SAN.
pub fn parse(position: &Position, text: &str) -> Result<Move, MoveError> {
    let list = position.legal_moves();
    let word = without_marks(text);
    let exact = list.iter().find(|m| is_uci(**m, word));
    if let Some(m) = exact.or_else(|| list.iter().find(|m| is_castling_elsewhere(**m, word))) {
        return Ok(*m);
    }
    let wanted = Wanted::read(word);
    let fitting: Vec<Move> = list.iter().copied().filter(|m| wanted.is_some_and(|wanted| wanted.fits(*m))).collect();
    let both = |m: &Move| format!("{} ({m})", print(&position.board, *m));
    match fitting[..] {
        [m] => Ok(m),
        _ => Err(MoveError {
            text: text.to_string(),
            legal: list.iter().map(ToString::to_string).collect(),
            candidates: fitting.iter().map(both).collect(),
        }),
    }
}

/// The move without check, mate and annotation marks.
fn without_marks(text: &str) -> &str {
    let marks = ['+', '#', '!', '?'];
    let word = text.trim().trim_end_matches(marks);
    let word = word.strip_suffix("e.p.").or_else(|| word.strip_suffix("ep")).unwrap_or(word);
    word.trim_end().trim_end_matches(marks)
}

fn is_uci(m: Move, word: &str) -> bool {
    let (squares, promotion) = word.split_at_checked(4).unwrap_or((word, ""));
    let text = m.to_string();
    text.get(..4) == Some(squares) && text[4..].eq_ignore_ascii_case(promotion)
}

/// Castling as the other kind of chess writes it: king takes rook, or the king's step where no king's move looks like it.
fn is_castling_elsewhere(m: Move, word: &str) -> bool {
    m.is_castling() && (m.for_cozy().to_string() == word || format!("{}{}", m.from, m.lands()) == word)
}

/// What a text says about the move that is meant.
#[derive(Copy, Clone)]
enum Wanted {
    /// To which file the king castles.
    Castling(File),
    Other {
        /// None where both squares are given, as in `g1-f3`.
        piece: Option<Piece>,
        file: Option<File>,
        rank: Option<Rank>,
        to: Square,
        promotion: Option<Piece>,
    },
}

impl Wanted {
    /// None if it does not even look like a move.
    fn read(word: &str) -> Option<Wanted> {
        match word.replace(['0', 'o'], "O").as_str() {
            "O-O" => return Some(Wanted::Castling(File::G)),
            "O-O-O" => return Some(Wanted::Castling(File::C)),
            _ => {}
        }
        let mut letters: Vec<char> = word.chars().filter(|letter| !"x:-=/()".contains(*letter)).collect();
        let promotion = letters.pop_if(|last| last.is_ascii_alphabetic()).map(piece_of_letter);
        let promotion = match promotion {
            Some(None | Some(Piece::Pawn | Piece::King)) => return None,
            Some(piece) => piece,
            None => None,
        };
        let named = letters.first().filter(|letter| letter.is_ascii_uppercase()).copied();
        let named = match named {
            Some(letter) => Some(piece_of_letter(letter)?),
            None => None,
        };
        let mut squares = letters.into_iter().skip(usize::from(named.is_some())).rev();
        let to_rank = Rank::try_from(squares.next()?).ok()?;
        let to_file = File::try_from(squares.next()?).ok()?;
        let before: Vec<char> = squares.collect();
        let (file, rank) = match before[..] {
            [] => (None, None),
            [one] => (File::try_from(one).ok(), Rank::try_from(one).ok()),
            [rank, file] => (Some(File::try_from(file).ok()?), Some(Rank::try_from(rank).ok()?)),
            _ => return None,
        };
        if before.len() == 1 && file.is_none() && rank.is_none() {
            return None;
        }
        let is_full = file.is_some() && rank.is_some();
        let piece = named.or((!is_full).then_some(Piece::Pawn));
        Some(Wanted::Other { piece, file, rank, to: Square::new(to_file, to_rank), promotion })
    }

    fn fits(self, m: Move) -> bool {
        match self {
            Wanted::Castling(file) => m.is_castling() && m.castles_short() == (file == File::G),
            Wanted::Other { piece, file, rank, to, promotion } => {
                m.to == to
                    && piece.is_none_or(|piece| piece == m.piece)
                    && file.is_none_or(|file| file == m.from.file())
                    && rank.is_none_or(|rank| rank == m.from.rank())
                    // A promotion that does not say to what may be any of four.
                    && (promotion.is_none() || promotion == m.promotion)
                    // 'Kg1' is a step; castling says so.
                    && (!m.is_castling() || rank.is_some() && file.is_some())
            }
        }
    }
}

fn piece_of_letter(letter: char) -> Option<Piece> {
    Piece::try_from(letter.to_ascii_lowercase()).ok()
}
