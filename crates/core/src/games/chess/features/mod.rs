//! The base features of thesis Table 4.6, and more from the literature.
//!
//! | file | what |
//! | --- | --- |
//! | `vocabulary` | the atoms, what they mean, and what learners should know of them |
//! | `select` | the fast answer: all moves with a feature, at once |
//! | `set` | the sets of moves it answers with |
//!
//! [`has`] in here is the definition: it plays the move and looks.

mod select;
mod set;
mod vocabulary;

use cozy_chess::{BitBoard, Board, Color, Piece, Square};

pub use select::select;
pub use set::Moves;
pub use vocabulary::{GUIDANCE, VOCABULARY};

use self::select::{attacks_from, worth};
use self::vocabulary::{Kind, kind};
use super::moves::Move;
use super::position::Position;
use crate::feature::Atom;
use crate::game::Game;

/// A set with all legal moves in it.
pub fn all_moves() -> Moves {
    Moves::EVERY
}

/// Whether the move has this feature.
pub fn has(position: &Position, m: Move, atom: Atom) -> bool {
    let before = &position.board;
    let side = before.side_to_move();
    let Some(kind) = kind(atom) else { return false };
    match kind {
        Kind::Moves(piece) => m.piece == *piece,
        Kind::Attacks(Piece::King) => !after(position, m).checkers().is_empty(),
        Kind::Attacks(piece) => {
            let after = after(position, m);
            let attacked = attacks_from(m.arrives(), m.lands(), side, after.occupied());
            !(attacked & after.colored_pieces(!side, *piece)).is_empty()
        }
        Kind::Recaptures => position.last.is_some_and(|last| last.was_capture && last.to == m.to),
        Kind::Arrives(ranks) => ranks.contains(&(m.to.rank().relative_to(side) as usize)),
        Kind::Captures(piece) => m.captured == Some(*piece),
        Kind::Answers(piece) => position.last.is_some_and(|last| last.piece == *piece),
        Kind::IsForced => !before.checkers().is_empty() && position.legal_moves().len() == 1,
        Kind::PushesPassed => m.piece == Piece::Pawn && m.captured.is_none() && is_passed(before, m.to, side),
        Kind::Promotes => m.promotion.is_some(),
        // Both pieces of castling have moved, also where one goes to the other's square.
        Kind::Discovers if m.is_castling() => false,
        Kind::Discovers => {
            let stayed = before.colors(side) & after(position, m).colors(side);
            !(after(position, m).checkers() & stayed).is_empty()
        }
        Kind::StepsBeforeLesser => {
            let after = after(position, m);
            let lesser = Piece::ALL.into_iter().filter(|&piece| worth(piece) < worth(m.arrives()));
            let can_capture = |piece: Piece| {
                let enemies = after.colored_pieces(!side, piece);
                enemies.into_iter().any(|from| attacks_from(piece, from, !side, after.occupied()).has(m.lands()))
            };
            lesser.into_iter().any(can_capture)
        }
    }
}

fn after(position: &Position, m: Move) -> Board {
    let mut board = position.board.clone();
    board.play_unchecked(m.for_cozy());
    board
}

/// Whether no enemy pawn is ahead of this square, on its file or beside it.
fn is_passed(board: &Board, square: Square, side: Color) -> bool {
    let rank = |square: Square| square.rank().relative_to(side) as i32;
    let is_ahead = |pawn: Square| {
        let files = pawn.file() as i32 - square.file() as i32;
        files.abs() <= 1 && rank(pawn) > rank(square)
    };
    let pawns: BitBoard = board.colored_pieces(!side, Piece::Pawn);
    !pawns.into_iter().any(is_ahead)
}
