//! The terms that pawns and kings alone decide: pawn structure, and the pawns around the king.

use cozy_chess::{Board, Color, Piece};

use super::side::Side;
use super::sum::{Listener, Sum};
use super::tables::Tables;
use super::tapered::Tapered;
use super::{king, pawns};

/// Equal for boards whose pawns and kings stand alike, and hardly ever equal otherwise.
#[inline]
pub fn key(board: &Board) -> u64 {
    let (pawns, kings) = (board.pieces(Piece::Pawn).0, board.pieces(Piece::King).0);
    let white = board.colors(Color::White).0;
    // Odd numbers without a pattern: digits of the golden ratio and of pi.
    let mixed = (pawns ^ kings.rotate_left(1)).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    let whites = ((pawns | kings) & white).wrapping_mul(0x243f_6a88_85a3_08d3);
    let both = (mixed ^ mixed >> 29) ^ (whites ^ whites >> 32).rotate_left(17);
    let key = both.wrapping_mul(0xa409_3822_299f_31d1) ^ kings;
    key ^ key >> 32
}

/// Counts it. Each side is given as both see it.
pub fn count<L: Listener>(tables: &Tables, white: [&Side; 2], black: [&Side; 2], listener: &mut L) -> Tapered {
    let mut side = |color, us: &Side, them: &Side| {
        let mut sum = Sum::new(color, tables, listener);
        pawns::add_structure(&mut sum, us, them);
        king::add_shelter(&mut sum, us, them);
        sum.total()
    };
    side(Color::White, white[0], black[1]) - side(Color::Black, black[0], white[1])
}
