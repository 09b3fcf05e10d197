//! Material and piece squares, kept from move to move.

use cozy_chess::{Board, Color, File, Piece, Square};

use super::super::moves::Move;
use super::sum::{Listener, TAPERED};
use super::tapered::Tapered;
use super::terms::{PIECES, SQUARES};

/// The phase of a board with all its pieces; see [`Placement::phase`].
pub const FULL_PHASE: i32 = 24;

/// What each piece adds to the phase: roughly its part in an attack.
const PHASES: [u8; Piece::NUM] = [0, 1, 1, 2, 4, 0];

/// The values of the heuristic `material`, in hundredths of a pawn.
const PLAIN: [i16; Piece::NUM] = [100, 300, 300, 500, 900, 0];

/// Material and piece squares, White's less Black's.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct Placement {
    tapered: Tapered,
    plain: i16,
    phase: u8,
}

impl Placement {
    const NOTHING: Placement = Placement { tapered: Tapered::ZERO, plain: 0, phase: 0 };

    /// Counts a whole board.
    pub fn of(board: &Board) -> Placement {
        let mut placement = Placement::NOTHING;
        for color in Color::ALL {
            for piece in Piece::ALL {
                for square in board.colored_pieces(color, piece) {
                    placement.put(color, piece, square);
                }
            }
        }
        placement
    }

    /// The same after a move on this board.
    #[must_use]
    #[inline]
    pub fn after(mut self, board: &Board, m: Move) -> Placement {
        let side = board.side_to_move();
        self.take(side, m.piece, m.from);
        self.put(side, m.arrives(), m.to);
        if let Some(captured) = m.captured {
            // A capture of nothing is one en passant: the pawn stands beside the one that takes it.
            let is_on_target = board.colors(!side).has(m.to);
            let square = if is_on_target { m.to } else { Square::new(m.to.file(), m.from.rank()) };
            self.take(!side, captured, square);
        }
        if m.is_castling() {
            let rank = m.to.rank();
            let (from, to) = if m.to.file() == File::G { (File::H, File::F) } else { (File::A, File::D) };
            self.take(side, Piece::Rook, Square::new(from, rank));
            self.put(side, Piece::Rook, Square::new(to, rank));
        }
        self
    }

    /// What it is worth to White.
    #[inline]
    pub fn tapered(&self) -> Tapered {
        self.tapered
    }

    /// What White's pieces are worth more than Black's, by plain values.
    #[inline]
    pub fn plain(&self) -> i32 {
        i32::from(self.plain)
    }

    /// How many pieces are left to attack with, from [`FULL_PHASE`] at the beginning to 0 with kings and pawns.
    #[inline]
    pub fn phase(&self) -> i32 {
        i32::from(self.phase).min(FULL_PHASE)
    }

    #[inline]
    fn put(&mut self, side: Color, piece: Piece, square: Square) {
        self.tapered += PLACED[side as usize][piece as usize][square as usize];
        self.plain += if side == Color::White { PLAIN[piece as usize] } else { -PLAIN[piece as usize] };
        self.phase += PHASES[piece as usize];
    }

    #[inline]
    fn take(&mut self, side: Color, piece: Piece, square: Square) {
        self.tapered -= PLACED[side as usize][piece as usize][square as usize];
        self.plain -= if side == Color::White { PLAIN[piece as usize] } else { -PLAIN[piece as usize] };
        self.phase -= PHASES[piece as usize];
    }
}

/// Tells a listener of every piece.
pub fn report<L: Listener>(board: &Board, listener: &mut L) {
    for color in Color::ALL {
        for piece in Piece::ALL {
            for square in board.colored_pieces(color, piece) {
                if piece != Piece::King {
                    listener.hear(color, PIECES.first + piece as usize, 1);
                }
                listener.hear(color, weight_of(piece, square.relative_to(color)), 1);
            }
        }
    }
}

const fn weight_of(piece: Piece, square: Square) -> usize {
    SQUARES.first + 64 * piece as usize + square as usize
}

/// What each piece of each side is worth to White on each square.
static PLACED: [[[Tapered; Square::NUM]; Piece::NUM]; Color::NUM] = {
    let mut placed = [[[Tapered::ZERO; Square::NUM]; Piece::NUM]; Color::NUM];
    let mut piece = 0;
    while piece < Piece::NUM {
        let mut square = 0;
        while square < Square::NUM {
            let on_square = Square::index_const(square);
            let kind = Piece::index_const(piece);
            let piece_value = if piece < PIECES.count { TAPERED[PIECES.first + piece] } else { Tapered::ZERO };
            let value = piece_value.plus(TAPERED[weight_of(kind, on_square)]);
            placed[Color::White as usize][piece][square] = value;
            placed[Color::Black as usize][piece][on_square.flip_rank() as usize] = value.negated();
            square += 1;
        }
        piece += 1;
    }
    placed
};
