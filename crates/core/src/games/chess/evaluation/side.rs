//! One side's men and what they attack, seen from that side: it always plays up the board.
//!
//! Black's view is White's upside down. So every term is written once, and a position and its mirror image are
//! worth the same by construction.

use cozy_chess::{BitBoard, Board, Color, File, Piece, Square};

/// The men of one side.
#[derive(Copy, Clone, Debug)]
pub struct Side {
    pub pawns: BitBoard,
    pub knights: BitBoard,
    pub bishops: BitBoard,
    pub rooks: BitBoard,
    pub queens: BitBoard,
    pub king: Square,
    pub all: BitBoard,
}

/// The squares that the men of one side attack.
#[derive(Copy, Clone, Debug)]
pub struct Attacks {
    pub pawns: BitBoard,
    pub knights: BitBoard,
    pub bishops: BitBoard,
    pub rooks: BitBoard,
    pub queens: BitBoard,
    pub king: BitBoard,
    pub all: BitBoard,
    /// Attacked by two men or more.
    pub twice: BitBoard,
}

impl Side {
    /// The men of this colour, as it sees them itself.
    #[inline]
    pub fn of(board: &Board, color: Color) -> Side {
        let all = board.colors(color);
        let men = |piece| board.pieces(piece) & all;
        let side = Side {
            pawns: men(Piece::Pawn),
            knights: men(Piece::Knight),
            bishops: men(Piece::Bishop),
            rooks: men(Piece::Rook),
            queens: men(Piece::Queen),
            king: board.king(color),
            all,
        };
        if color == Color::White { side } else { side.flipped() }
    }

    /// These men from the opponent's point of view.
    #[inline(always)]
    pub fn flipped(&self) -> Side {
        Side {
            pawns: self.pawns.flip_ranks(),
            knights: self.knights.flip_ranks(),
            bishops: self.bishops.flip_ranks(),
            rooks: self.rooks.flip_ranks(),
            queens: self.queens.flip_ranks(),
            king: self.king.flip_rank(),
            all: self.all.flip_ranks(),
        }
    }

    /// Knights and bishops.
    #[inline]
    pub fn minors(&self) -> BitBoard {
        self.knights | self.bishops
    }

    /// All but pawns and king.
    #[inline]
    pub fn pieces(&self) -> BitBoard {
        self.knights | self.bishops | self.rooks | self.queens
    }
}

impl Attacks {
    /// These attacks from the opponent's point of view.
    #[inline(always)]
    pub fn flipped(&self) -> Attacks {
        Attacks {
            pawns: self.pawns.flip_ranks(),
            knights: self.knights.flip_ranks(),
            bishops: self.bishops.flip_ranks(),
            rooks: self.rooks.flip_ranks(),
            queens: self.queens.flip_ranks(),
            king: self.king.flip_ranks(),
            all: self.all.flip_ranks(),
            twice: self.twice.flip_ranks(),
        }
    }
}

/// One rank further up.
#[inline]
pub fn up(squares: BitBoard) -> BitBoard {
    BitBoard(squares.0 << 8)
}

/// One rank further down.
#[inline]
pub fn down(squares: BitBoard) -> BitBoard {
    BitBoard(squares.0 >> 8)
}

/// One file further left.
#[inline]
pub fn left(squares: BitBoard) -> BitBoard {
    BitBoard((squares & !File::A.bitboard()).0 >> 1)
}

/// One file further right.
#[inline]
pub fn right(squares: BitBoard) -> BitBoard {
    BitBoard((squares & !File::H.bitboard()).0 << 1)
}

/// The neighbours on both sides.
#[inline]
pub fn beside(squares: BitBoard) -> BitBoard {
    left(squares) | right(squares)
}

/// These squares and all above them.
#[inline]
pub fn filled_up(squares: BitBoard) -> BitBoard {
    let mut bits = squares.0;
    bits |= bits << 8;
    bits |= bits << 16;
    bits |= bits << 32;
    BitBoard(bits)
}

/// These squares and all below them.
#[inline]
pub fn filled_down(squares: BitBoard) -> BitBoard {
    let mut bits = squares.0;
    bits |= bits >> 8;
    bits |= bits >> 16;
    bits |= bits >> 32;
    BitBoard(bits)
}

/// How many king's moves apart.
#[inline]
pub fn distance(a: Square, b: Square) -> usize {
    let files = (a.file() as i8 - b.file() as i8).unsigned_abs();
    let ranks = (a.rank() as i8 - b.rank() as i8).unsigned_abs();
    usize::from(files.max(ranks))
}
