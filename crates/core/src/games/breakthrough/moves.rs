//! Move generation.

use super::board::{Board, NOT_A, NOT_H};
use super::position::{Move, Position, Step};
use crate::game::MoveList;

/// Appends the moves to these squares: straight ones first, then those to the left and to the right.
#[inline(always)]
pub fn generate<B: Board>(position: &Position<B>, squares: u64, list: &mut MoveList<Move>) {
    for (destinations, step) in destinations(position) {
        list.extend(Squares(destinations & squares).map(|to| Move::new(step, to)));
    }
}

/// Where men can go straight, left and right.
#[inline(always)]
pub fn destinations<B: Board>(position: &Position<B>) -> [(u64, Step); 3] {
    let &Position { board, us, them, .. } = position;
    let squares = board.squares();
    let straight = (us << 8) & !(us | them) & squares;
    let left = (us << 7) & NOT_H & !us & squares;
    let right = (us << 9) & NOT_A & !us & squares;
    [(straight, Step::Straight), (left, Step::Left), (right, Step::Right)]
}

/// The legal move with this code.
#[inline]
pub fn recall<B: Board>(position: &Position<B>, code: u16) -> Option<Move> {
    let (from, to) = ((code >> 6) as u8, (code & 63) as u8);
    let is_legal = |(destinations, step): &(u64, Step)| from + step.distance() == to && destinations >> to & 1 == 1;
    let steps = if code < 1 << 12 { destinations(position) } else { return None };
    steps.into_iter().find(is_legal).map(|(_, step)| Move::new(step, to))
}

/// The squares of a set, the lowest first.
struct Squares(u64);

impl Iterator for Squares {
    type Item = u8;

    #[inline(always)]
    fn next(&mut self) -> Option<u8> {
        if self.0 == 0 {
            return None;
        }
        let square = self.0.trailing_zeros() as u8;
        self.0 &= self.0 - 1;
        Some(square)
    }
}
