//! Legal moves of the boards that the interpreter and the solvers search.

use arrayvec::ArrayVec;
use cozy_chess::{Board, Move, Piece};

/// The legal moves of one board.
pub type Moves = ArrayVec<Move, 256>;

/// The legal moves, in generator order, which is deterministic.
pub fn legal_moves(board: &Board) -> Moves {
    let mut moves = Moves::new();
    board.generate_moves(|list| {
        moves.extend(list);
        false
    });
    moves
}

/// Whether the side to move can move only its king.
pub fn king_must_move(board: &Board) -> bool {
    let others = board.colors(board.side_to_move()) & !board.pieces(Piece::King);
    !board.generate_moves_for(others, |_| true) && board.generate_moves(|_| true)
}
