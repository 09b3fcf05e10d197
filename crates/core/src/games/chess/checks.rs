//! Quiet moves that give check, found without playing them.
//!
//! A piece gives check from the squares that the king would attack as such a piece, or by stepping off the line between
//! the king and a slider behind it. Castling and promotions change more of the board than that; they are rare, and
//! looked at one by one.

use cozy_chess::{
    BitBoard, Board, Color, Piece, PieceMoves, Rank, Square, get_between_rays, get_bishop_moves, get_bishop_rays,
    get_knight_moves, get_line_rays, get_pawn_attacks, get_rook_moves, get_rook_rays,
};

use super::moves::{Castling, Move, generate_quiet_of};
use crate::game::MoveList;

/// Appends the quiet moves that give check.
pub fn generate_quiet_checks(board: &Board, castling: Castling, list: &mut MoveList<Move>) {
    let checks = Checks::of(board);
    let mut found = MoveList::new();
    generate_quiet_of(board, castling, checks.candidates(), |moves| checks.squares(moves), &mut found);
    let is_special = |m: &Move| m.promotion.is_some() || m.is_castling();
    list.extend(found.into_iter().filter(|m| !is_special(m) || gives_check(board, *m)));
}

/// Whether a move gives check: the definition.
fn gives_check(board: &Board, m: Move) -> bool {
    let mut after = board.clone();
    after.play_unchecked(m.for_cozy());
    !after.checkers().is_empty()
}

/// Where the moves of one position give check.
struct Checks<'a> {
    board: &'a Board,
    side: Color,
    /// The king that is to be checked.
    king: Square,
    /// By piece: the squares from which it gives check.
    from: [BitBoard; 5],
    /// The only men between the king and a slider of their own side.
    blockers: BitBoard,
}

impl Checks<'_> {
    fn of(board: &Board) -> Checks<'_> {
        let (side, occupied) = (board.side_to_move(), board.occupied());
        let king = board.king(!side);
        let (straight, diagonal) = (get_rook_moves(king, occupied), get_bishop_moves(king, occupied));
        let from = [get_pawn_attacks(king, !side), get_knight_moves(king), diagonal, straight, straight | diagonal];
        let mut checks = Checks { board, side, king, from, blockers: BitBoard::EMPTY };
        let own = board.colors(side);
        let queens = board.pieces(Piece::Queen);
        let snipers = own
            & (get_rook_rays(king) & (queens | board.pieces(Piece::Rook))
                | get_bishop_rays(king) & (queens | board.pieces(Piece::Bishop)));
        for sniper in snipers {
            let between = get_between_rays(sniper, king) & occupied;
            if between.len() == 1 {
                checks.blockers |= between & own;
            }
        }
        checks
    }

    /// The own men that may have a quiet check, by a quick test.
    fn candidates(&self) -> BitBoard {
        let own = self.board.colors(self.side);
        let [pawns, knights, king] =
            [Piece::Pawn, Piece::Knight, Piece::King].map(|piece| own & self.board.pieces(piece));
        let step = |squares: BitBoard| match self.side {
            Color::White => BitBoard(squares.0 >> 8),
            Color::Black => BitBoard(squares.0 << 8),
        };
        let behind = step(self.from[Piece::Pawn as usize]);
        let seventh = Rank::Seventh.relative_to(self.side).bitboard();
        let idle_pawns = pawns & !(behind | step(behind) | seventh);
        let near = self.from[Piece::Knight as usize];
        let idle_knights = knights.into_iter().filter(|&square| get_knight_moves(square).is_disjoint(near));
        let idle_knights = idle_knights.fold(BitBoard::EMPTY, |idle, square| idle | square.bitboard());
        let rights = self.board.castle_rights(self.side);
        let idle_king = if rights.short.or(rights.long).is_none() { king } else { BitBoard::EMPTY };
        own & !(idle_pawns | idle_knights | idle_king) | self.blockers
    }

    /// Where a man gives check; castling and promotions may be among its moves whether they do or not.
    fn squares(&self, moves: &PieceMoves) -> BitBoard {
        let mut squares = match moves.piece {
            Piece::Pawn => self.from[Piece::Pawn as usize] | Rank::Eighth.relative_to(self.side).bitboard(),
            Piece::King => self.board.colors(self.side),
            piece => self.from[piece as usize],
        };
        if self.blockers.has(moves.from) {
            squares |= !get_line_rays(self.king, moves.from);
        }
        squares
    }
}
