//! Move generation.

use super::board::{Board, NOT_A, NOT_H};
use super::position::{Move, Position};
use crate::game::MoveList;

/// Appends the moves to these squares: straight ones first, then those to the left and to the right.
#[inline(always)]
pub fn generate<B: Board>(position: &Position<B>, squares: u64, list: &mut MoveList<Move>) {
    for (destinations, distance) in destinations(position) {
        let mut rest = destinations & squares;
        while rest != 0 {
            let to = rest.trailing_zeros() as u8;
            list.push(Move { from: to - distance, to });
            rest &= rest - 1;
        }
    }
}

/// Where men can go straight, left and right, and how far that is in squares.
#[inline(always)]
pub fn destinations<B: Board>(position: &Position<B>) -> [(u64, u8); 3] {
    let &Position { board, us, them, .. } = position;
    let squares = board.squares();
    let straight = (us << 8) & !(us | them) & squares;
    let left = (us << 7) & NOT_H & !us & squares;
    let right = (us << 9) & NOT_A & !us & squares;
    [(straight, 8), (left, 7), (right, 9)]
}

/// The legal move with this code.
#[inline]
pub fn recall<B: Board>(position: &Position<B>, code: u16) -> Option<Move> {
    let (from, to) = ((code >> 6) as u8, (code & 63) as u8);
    let is_legal = |(destinations, distance): (u64, u8)| from + distance == to && destinations >> to & 1 == 1;
    (code < 1 << 12 && destinations(position).into_iter().any(is_legal)).then_some(Move { from, to })
}
