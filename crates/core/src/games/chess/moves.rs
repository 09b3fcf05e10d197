//! The move type, and the bridge to cozy-chess.
//!
//! cozy-chess writes castling as king takes own rook. Here, as in UCI, it is the king's step of two files; in Chess960 it is
//! king takes own rook too, and the move is marked, because the king may come from anywhere.

use std::fmt;

use cozy_chess::{BitBoard, Board, Color, File, Piece, PieceMoves, Rank, Square, get_king_moves, get_pawn_attacks};

use crate::game::{Move as GameMove, MoveList};

/// A legal move of some position, with what every part of the search would otherwise look up again.
#[derive(Copy, Clone, PartialEq, Eq)]
pub struct Move {
    /// Where the piece stands.
    pub from: Square,
    /// Where it goes; castling is written as the king's move, and in Chess960 as king takes own rook.
    pub to: Square,
    /// What moves.
    pub piece: Piece,
    /// What it captures, also en passant.
    pub captured: Option<Piece>,
    /// What a pawn becomes.
    pub promotion: Option<Piece>,
    /// The place of `from` among the squares of the moving side, counted from a1, and a mark of castling in Chess960.
    origin: u8,
}

/// How castling is written.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Castling {
    /// As the king's step of two files.
    Standard,
    /// As king takes own rook.
    Chess960,
}

/// The mark in `origin`; places are smaller.
const TAKES_OWN_ROOK: u8 = 0x80;

/// Appends the legal moves.
pub fn generate(board: &Board, castling: Castling, list: &mut MoveList<Move>) {
    generate_tactical(board, board.colors(!board.side_to_move()), list);
    generate_quiet(board, castling, list);
}

/// Appends the legal captures of these enemies, those en passant, and promotions to a queen; of promotions that capture,
/// all.
pub fn generate_tactical(board: &Board, victims: BitBoard, list: &mut MoveList<Move>) {
    let side = board.side_to_move();
    let far_rank = Rank::Eighth.relative_to(side).bitboard();
    let enemies = board.colors(!side);
    board.generate_moves_for(able_to_capture(board, victims), |mut moves| {
        let piece = moves.piece;
        if piece == Piece::Pawn {
            // What goes sideways without capturing an enemy there is en passant.
            let sideways = !moves.from.file().bitboard() & !enemies;
            moves.to &= victims | far_rank | sideways;
        } else {
            moves.to &= victims;
        }
        let unpromoted = Move::from(board, &moves);
        for to in moves.to {
            let captured = match board.piece_on(to) {
                None if piece == Piece::Pawn && !far_rank.has(to) => Some(Piece::Pawn),
                captured => captured,
            };
            let promotes = piece == Piece::Pawn && far_rank.has(to);
            if !promotes {
                list.push(Move { to, captured, ..unpromoted });
            } else if captured.is_none() {
                list.push(Move { to, promotion: Some(Piece::Queen), ..unpromoted });
            } else {
                let all = [Piece::Queen, Piece::Knight, Piece::Rook, Piece::Bishop];
                list.extend(all.map(|promotion| Move { to, captured, promotion: Some(promotion), ..unpromoted }));
            }
        }
        false
    });
}

/// The own men without pawns and a king that cannot have a tactical move, which is quick to test.
#[inline]
fn able_to_capture(board: &Board, victims: BitBoard) -> BitBoard {
    let side = board.side_to_move();
    let (king, pawns) = (board.king(side), board.pieces(Piece::Pawn));
    let seventh = Rank::Seventh.relative_to(side).bitboard();
    let en_passant = board.en_passant().map_or(BitBoard::EMPTY, |file| file.bitboard());
    let targets = victims | (en_passant & Rank::Sixth.relative_to(side).bitboard());
    let ahead = if side == Color::White { BitBoard(targets.0 >> 8) } else { BitBoard(targets.0 << 8) };
    let beside = ((ahead & !File::A.bitboard()).0 >> 1) | ((ahead & !File::H.bitboard()).0 << 1);
    let idle_pawns = pawns & !(BitBoard(beside) | seventh);
    let idle_king = if get_king_moves(king).is_disjoint(victims) { king.bitboard() } else { BitBoard::EMPTY };
    board.colors(side) & !(idle_pawns | idle_king)
}

/// Appends the other legal moves.
pub fn generate_quiet(board: &Board, castling: Castling, list: &mut MoveList<Move>) {
    generate_quiet_of(board, castling, BitBoard::FULL, |_| BitBoard::FULL, list);
}

/// Appends the quiet moves of these men to the squares that are `allowed` for each. Castling goes to the rook's square.
#[inline(always)]
pub fn generate_quiet_of(
    board: &Board,
    castling: Castling,
    men: BitBoard,
    allowed: impl Fn(&PieceMoves) -> BitBoard,
    list: &mut MoveList<Move>,
) {
    let side = board.side_to_move();
    let (own, empty) = (board.colors(side), !board.occupied());
    let far_rank = Rank::Eighth.relative_to(side).bitboard();
    board.generate_moves_for(men, |mut moves| {
        moves.to &= allowed(&moves);
        let m = Move::from(board, &moves);
        match moves.piece {
            Piece::Pawn => {
                moves.to &= moves.from.file().bitboard();
                for to in moves.to & !far_rank {
                    list.push(Move { to, ..m });
                }
                for to in moves.to & far_rank {
                    let all = [Piece::Knight, Piece::Rook, Piece::Bishop];
                    list.extend(all.map(|promotion| Move { to, promotion: Some(promotion), ..m }));
                }
            }
            Piece::King => {
                for to in moves.to & empty {
                    list.push(Move { to, ..m });
                }
                // What goes to an own man is castling.
                for rook in moves.to & own {
                    list.push(m.castling_with(rook, castling));
                }
            }
            _ => {
                for to in moves.to & empty {
                    list.push(Move { to, ..m });
                }
            }
        }
        false
    });
}

/// The legal move with this code.
pub fn recall(board: &Board, castling: Castling, code: u16) -> Option<Move> {
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
    if castling == Castling::Chess960 && piece == Piece::King {
        return recall_960(board, own, m);
    }
    // A king's step of two files is castling only from its home square; and what cozy-chess takes for castling, a king
    // that goes to its own rook, has another code here.
    let home = Square::E1.relative_to(side);
    let is_possible = !own.has(to) && (!m.is_castling() || from == home && from.rank() == to.rank());
    (is_possible && board.is_legal(m.for_cozy())).then_some(m)
}

/// A king's move in Chess960, if it is legal: castling if it goes to an own man. A step of two files is no move.
fn recall_960(board: &Board, own: BitBoard, m: Move) -> Option<Move> {
    let castles = own.has(m.to);
    let m = if castles { Move { captured: None, origin: m.origin | TAKES_OWN_ROOK, ..m } } else { m };
    let is_possible = m.promotion.is_none() && (castles || !m.is_castling());
    (is_possible && board.is_legal(m.for_cozy())).then_some(m)
}

impl Move {
    /// A quiet move of this piece to nowhere yet.
    #[inline]
    fn from(board: &Board, moves: &PieceMoves) -> Move {
        let own = board.colors(board.side_to_move());
        let origin = (own & BitBoard(moves.from.bitboard().0 - 1)).len() as u8;
        Move { from: moves.from, to: moves.from, piece: moves.piece, captured: None, promotion: None, origin }
    }

    /// The king's move that castles with this rook.
    #[inline]
    fn castling_with(self, rook: Square, castling: Castling) -> Move {
        match castling {
            Castling::Standard => {
                let file = if rook.file() > self.from.file() { File::G } else { File::C };
                Move { to: Square::new(file, self.from.rank()), ..self }
            }
            Castling::Chess960 => Move { to: rook, origin: self.origin | TAKES_OWN_ROOK, ..self },
        }
    }

    /// The place of `from` among the squares of the moving side, counted from a1: sets of moves are sorted by it.
    #[inline]
    pub(super) fn origin(self) -> usize {
        usize::from(self.origin & !TAKES_OWN_ROOK)
    }

    /// Whether it is castling that is written as king takes own rook.
    #[inline]
    fn takes_own_rook(self) -> bool {
        self.origin & TAKES_OWN_ROOK != 0
    }

    /// Whether the king castles.
    #[inline]
    pub fn is_castling(self) -> bool {
        self.piece == Piece::King
            && ((self.from.file() as i8 - self.to.file() as i8).abs() == 2 || self.takes_own_rook())
    }

    /// Whether castling goes to the side of the h file.
    #[inline]
    pub(super) fn castles_short(self) -> bool {
        self.to.file() > self.from.file()
    }

    /// Where the moving piece stands afterwards.
    #[inline]
    pub(super) fn lands(self) -> Square {
        match self.takes_own_rook() {
            true => Square::new(if self.castles_short() { File::G } else { File::C }, self.to.rank()),
            false => self.to,
        }
    }

    /// The move as cozy-chess writes it.
    #[inline]
    pub fn for_cozy(self) -> cozy_chess::Move {
        let to = match self.is_castling() && !self.takes_own_rook() {
            true if self.to.file() == File::G => Square::new(File::H, self.to.rank()),
            true => Square::new(File::A, self.to.rank()),
            false => self.to,
        };
        cozy_chess::Move { from: self.from, to, promotion: self.promotion }
    }

    /// The piece that stands on the destination afterwards.
    #[inline]
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

/// Whether an en-passant capture is a legal move.
pub fn can_capture_en_passant(board: &Board) -> bool {
    let Some(file) = board.en_passant() else { return false };
    let side = board.side_to_move();
    let to = Square::new(file, Rank::Sixth.relative_to(side));
    let pawns = get_pawn_attacks(to, !side) & board.colored_pieces(side, Piece::Pawn);
    pawns.into_iter().any(|from| board.is_legal(cozy_chess::Move { from, to, promotion: None }))
}
