//! The move type, and the bridge to cozy-chess.
//!
//! cozy-chess writes castling as king takes own rook; here, as in UCI, it is the king's step of two files.

use std::fmt;

use cozy_chess::{BitBoard, Board, File, Piece, Rank, Square};

use crate::game::{Move as GameMove, MoveList};

/// A legal move of some position, with what every part of the search would otherwise look up again.
#[derive(Copy, Clone, PartialEq, Eq)]
pub struct Move {
    /// Where the piece stands.
    pub from: Square,
    /// Where it goes; castling is written as the king's move.
    pub to: Square,
    /// What moves.
    pub piece: Piece,
    /// What it captures, also en passant.
    pub captured: Option<Piece>,
    /// What a pawn becomes.
    pub promotion: Option<Piece>,
    /// The place of `from` among the squares of the moving side, counted from a1: sets of moves are sorted by it.
    pub(super) origin: u8,
}

/// Appends the legal moves that go to these squares. Castling goes to the square of its own rook.
pub fn generate(board: &Board, targets: BitBoard, list: &mut MoveList<Move>) {
    let own = board.colors(board.side_to_move());
    let enemies = board.colors(!board.side_to_move());
    board.generate_moves(|mut moves| {
        moves.to &= targets;
        let origin = (own & BitBoard(moves.from.bitboard().0 - 1)).len() as u8;
        for m in moves {
            let piece = moves.piece;
            let (to, captured) = if enemies.has(m.to) {
                (m.to, board.piece_on(m.to))
            } else if piece == Piece::Pawn && m.from.file() != m.to.file() {
                (m.to, Some(Piece::Pawn))
            } else if piece == Piece::King && own.has(m.to) {
                let file = if m.to.file() > m.from.file() { File::G } else { File::C };
                (Square::new(file, m.from.rank()), None)
            } else {
                (m.to, None)
            };
            list.push(Move { from: m.from, to, piece, captured, promotion: m.promotion, origin });
        }
        false
    });
}

/// Appends the legal captures and promotions to a queen.
pub fn generate_loud(board: &Board, list: &mut MoveList<Move>) {
    let own = board.colors(board.side_to_move());
    let enemies = board.colors(!board.side_to_move());
    let far_rank = Rank::Eighth.relative_to(board.side_to_move()).bitboard();
    board.generate_moves(|mut moves| {
        let piece = moves.piece;
        if piece == Piece::Pawn {
            let sideways = !moves.from.file().bitboard();
            moves.to &= enemies | far_rank | sideways;
        } else {
            moves.to &= enemies;
        }
        let origin = (own & BitBoard(moves.from.bitboard().0 - 1)).len() as u8;
        for to in moves.to {
            let captured = match board.piece_on(to) {
                None if piece == Piece::Pawn && !far_rank.has(to) => Some(Piece::Pawn),
                captured => captured,
            };
            let promotes = piece == Piece::Pawn && far_rank.has(to);
            let list_one = |promotion| Move { from: moves.from, to, piece, captured, promotion, origin };
            if !promotes {
                list.push(list_one(None));
            } else if captured.is_none() {
                list.push(list_one(Some(Piece::Queen)));
            } else {
                let all = [Piece::Queen, Piece::Knight, Piece::Rook, Piece::Bishop];
                list.extend(all.map(|promotion| list_one(Some(promotion))));
            }
        }
        false
    });
}

/// The legal move with this code.
pub fn recall(board: &Board, code: u16) -> Option<Move> {
    let (from, to) = (Square::index(usize::from(code >> 6 & 63)), Square::index(usize::from(code & 63)));
    let promotion = match code >> 12 {
        0 => None,
        piece => Some(Piece::try_index(usize::from(piece))?),
    };
    let side = board.side_to_move();
    let own = board.colors(side);
    let piece = board.piece_on(from).filter(|_| own.has(from))?;
    let captured = match board.piece_on(to) {
        None if piece == Piece::Pawn && from.file() != to.file() => Some(Piece::Pawn),
        captured => captured,
    };
    let origin = (own & BitBoard(from.bitboard().0 - 1)).len() as u8;
    let m = Move { from, to, piece, captured, promotion, origin };
    // A king's step of two files is castling only from its home square; and what cozy-chess takes for castling, a king
    // that goes to its own rook, has another code here.
    let home = Square::E1.relative_to(side);
    let is_possible = !own.has(to) && (!m.is_castling() || from == home && from.rank() == to.rank());
    (is_possible && board.is_legal(m.for_cozy())).then_some(m)
}

impl Move {
    /// Whether the king castles.
    pub fn is_castling(self) -> bool {
        self.piece == Piece::King && (self.from.file() as i8 - self.to.file() as i8).abs() == 2
    }

    /// The same move as cozy-chess writes it.
    pub fn for_cozy(self) -> cozy_chess::Move {
        let to = match self.is_castling() {
            true if self.to.file() == File::G => Square::new(File::H, self.to.rank()),
            true => Square::new(File::A, self.to.rank()),
            false => self.to,
        };
        cozy_chess::Move { from: self.from, to, promotion: self.promotion }
    }

    /// The piece that stands on the destination afterwards.
    pub fn arrives(self) -> Piece {
        self.promotion.unwrap_or(self.piece)
    }
}

impl GameMove for Move {
    const CODES: usize = 6 << 12;

    #[inline]
    fn code(self) -> u16 {
        let promotion = match self.promotion {
            None => 0,
            Some(piece) => piece as u16,
        };
        promotion << 12 | (self.from as u16) << 6 | self.to as u16
    }

    #[inline]
    fn place(self) -> usize {
        (self.piece as usize) << 12 | (self.from as usize) << 6 | self.to as usize
    }
}

impl fmt::Display for Move {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", self.from, self.to)?;
        self.promotion.map_or(Ok(()), |piece| write!(f, "{piece}"))
    }
}

impl fmt::Debug for Move {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{self}")
    }
}
