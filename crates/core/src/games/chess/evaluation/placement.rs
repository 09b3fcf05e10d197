//! Material and piece squares, kept from move to move.

use std::ptr;

use cozy_chess::{Board, Color, File, Piece, Square};

use super::super::moves::Move;
use super::sum::Listener;
use super::tables::{Tables, weight_of};
use super::tapered::Tapered;
use super::terms::PIECES;

/// The phase of a board with all its pieces; see [`Placement::phase`].
pub const FULL_PHASE: i32 = 24;

/// What each piece adds to the phase: roughly its part in an attack.
const PHASES: [u8; Piece::NUM] = [0, 1, 1, 2, 4, 0];

/// The values of the heuristic `material`, in hundredths of a pawn.
const PLAIN: [i16; Piece::NUM] = [100, 300, 300, 500, 900, 0];

/// Material and piece squares, White's less Black's.
#[derive(Copy, Clone, Debug)]
pub struct Placement {
    tables: &'static Tables,
    tapered: Tapered,
    plain: i16,
    phase: u8,
}

impl PartialEq for Placement {
    fn eq(&self, other: &Placement) -> bool {
        let values = |placement: &Placement| (placement.tapered, placement.plain, placement.phase);
        ptr::eq(self.tables, other.tables) && values(self) == values(other)
    }
}

impl Placement {
    /// Counts a whole board with these tables.
    pub fn of(board: &Board, tables: &'static Tables) -> Placement {
        let mut placement = Placement { tables, tapered: Tapered::ZERO, plain: 0, phase: 0 };
        for color in Color::ALL {
            for piece in Piece::ALL {
                for square in board.colored_pieces(color, piece) {
                    placement.put(color, piece, square);
                }
            }
        }
        placement
    }

    /// The placement of this board with these tables; counted only if it was counted with others before.
    #[must_use]
    #[inline]
    pub fn with_tables(&self, tables: &'static Tables, board: &Board) -> Placement {
        if ptr::eq(self.tables, tables) { *self } else { Placement::of(board, tables) }
    }

    /// The tables that it was counted with.
    #[inline]
    pub fn tables(&self) -> &'static Tables {
        self.tables
    }

    /// The placement after a move on this board.
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
            // In Chess960 the king was put on the rook's square.
            self.take(side, Piece::King, m.to);
            self.put(side, Piece::King, m.lands());
            let to = if m.castles_short() { File::F } else { File::D };
            self.take(side, Piece::Rook, m.for_cozy().to);
            self.put(side, Piece::Rook, Square::new(to, m.to.rank()));
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
        self.tapered += self.tables.placed(side, piece, square);
        self.plain += if side == Color::White { PLAIN[piece as usize] } else { -PLAIN[piece as usize] };
        self.phase += PHASES[piece as usize];
    }

    #[inline]
    fn take(&mut self, side: Color, piece: Piece, square: Square) {
        self.tapered -= self.tables.placed(side, piece, square);
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
