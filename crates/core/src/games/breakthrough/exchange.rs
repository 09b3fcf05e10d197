//! Tactical moves and checks, and what a series of captures on one square wins.
//!
//! All men are worth the same, so whoever can capture back does, and the side with more men around the square comes out
//! ahead. Two rows are special: a man one step from its goal wins the game, unless it is captured at once.

use super::board::{Board, NOT_A, NOT_H};
use super::moves;
use super::position::{Move, Position};
use crate::game::MoveList;

/// What a man is worth: margins of the search are in hundredths of a man.
const MAN: i32 = 100;
/// What the game is worth; more than any number of men.
const GAME: i32 = 10_000;

/// Appends the captures and the steps to the goal row that win at least this much.
#[inline]
pub fn generate_tactical<B: Board>(position: &Position<B>, least: i32, list: &mut MoveList<Move>) {
    let goal = position.board.goal();
    let wins = if least > MAN && !has_one_man(position.them) { goal } else { position.them | goal };
    moves::generate(position, wins, list);
}

/// Appends all other moves.
#[inline]
pub fn generate_quiet<B: Board>(position: &Position<B>, list: &mut MoveList<Move>) {
    moves::generate(position, !(position.them | position.board.goal()), list);
}

/// Appends the quiet moves after which a man is one step from the goal.
#[inline]
pub fn generate_quiet_checks<B: Board>(position: &Position<B>, list: &mut MoveList<Move>) {
    let row = last_step(position.board);
    // A man that is there already makes every move a check.
    let squares = if position.us & row == 0 { row } else { !0 };
    moves::generate(position, squares & !(position.them | position.board.goal()), list);
}

/// Whether a move captures, or wins at once.
#[inline]
pub fn is_tactical<B: Board>(position: &Position<B>, m: Move) -> bool {
    (position.them | position.board.goal()) >> m.to() & 1 == 1
}

/// Whether the opponent has a man one step from its goal that this move does not capture. A move that wins ignores nothing.
#[inline]
pub fn ignores_check<B: Board>(position: &Position<B>, m: Move) -> bool {
    position.them & position.board.row(1) & !(1 << m.to()) != 0 && position.board.goal() >> m.to() & 1 == 0
}

/// What a move wins before anything is captured back.
#[inline]
pub fn gain<B: Board>(position: &Position<B>, m: Move) -> i32 {
    let captures = position.them >> m.to() & 1 == 1;
    let ends_game = position.board.goal() >> m.to() & 1 == 1 || captures && has_one_man(position.them);
    if ends_game { GAME } else { i32::from(captures) * MAN }
}

/// The goal first; then captures that are not lost again; of these the enemies that have come furthest.
#[inline]
pub fn capture_order<B: Board>(position: &Position<B>, m: Move) -> u16 {
    let row = u16::from(m.to() / 8);
    if u32::from(row) == position.board.rows() - 1 {
        return 32;
    }
    let is_kept = !is_outnumbered(position, m);
    16 * u16::from(is_kept) + 8 - row
}

/// What a move wins when both sides keep capturing on its square as long as that pays.
#[inline]
pub fn exchange<B: Board>(position: &Position<B>, m: Move) -> i32 {
    let gain = gain(position, m);
    let (board, to) = (position.board, 1 << m.to());
    match is_outnumbered(position, m) {
        _ if gain == GAME => GAME,
        // The enemy that captures last is one step from its goal, or has captured everything.
        true if to & board.row(1) != 0 || has_one_man(position.us) => -GAME,
        true => gain - MAN,
        false if to & last_step(board) != 0 => GAME,
        false => gain,
    }
}

/// Whether more enemies can capture on the destination of a move than own men can capture back.
#[inline]
fn is_outnumbered<B: Board>(position: &Position<B>, m: Move) -> bool {
    let to: u64 = 1 << m.to();
    let [left, right] = [to << 7 & NOT_H, to << 9 & NOT_A].map(|square| u8::from(position.them & square != 0));
    let own = position.us & !(1 << m.from());
    let [own_left, own_right] = [to >> 9 & NOT_H, to >> 7 & NOT_A].map(|square| u8::from(own & square != 0));
    left + right > own_left + own_right
}

/// The row from which it is one step to the goal.
#[inline(always)]
fn last_step<B: Board>(board: B) -> u64 {
    board.row(board.rows() - 2)
}

#[inline(always)]
fn has_one_man(men: u64) -> bool {
    men & men.wrapping_sub(1) == 0
}

#[cfg(test)]
mod tests {
    use super::super::board::{AnySize, Board};
    use super::super::position::{Move, Position};
    use super::{GAME, MAN, exchange, gain};
    use crate::game::Game;
    use crate::random::Random;

    /// What a move wins, by playing all captures on its square. A man is worth nothing beside the game.
    fn exchange_by_playing(position: &Position<AnySize>, m: Move) -> i32 {
        let next = position.play(m);
        let reply = if next.terminal_result().is_some() { -GAME } else { best_reply(&next, turned(position, m.to())) };
        decided(gain(position, m) - reply)
    }

    /// What the side to move wins if it captures the enemy on this square, or leaves it alone.
    fn best_reply(position: &Position<AnySize>, square: u8) -> i32 {
        let leave_it = if square / 8 == 1 { -GAME } else { 0 };
        let captures = position.legal_moves().into_iter().filter(|m| m.to() == square);
        captures.map(|m| exchange_by_playing(position, m)).fold(leave_it, i32::max)
    }

    fn turned(position: &Position<AnySize>, square: u8) -> u8 {
        position.board.flip(1 << square).trailing_zeros() as u8
    }

    fn decided(value: i32) -> i32 {
        if value.abs() > GAME / 2 { GAME * value.signum() } else { value }
    }

    #[test]
    fn exchanges_are_what_playing_them_wins() {
        let mut random = Random::for_purpose(1, "exchanges");
        let mut found = std::collections::BTreeMap::new();
        for start in ["pppp/pppp/PPPP/PPPP w", "ppppp/ppppp/5/PPPPP/PPPPP w", "ppppp/ppppp/5/5/PPPPP/PPPPP w"] {
            for _ in 0..300 {
                let mut position = Position::<AnySize>::parse(start).unwrap();
                while position.terminal_result().is_none() {
                    let list = position.legal_moves();
                    for &m in &list {
                        let value = exchange(&position, m);
                        assert_eq!(value, exchange_by_playing(&position, m), "{m:?} in {position}");
                        *found.entry(value).or_insert(0) += 1;
                        let is_tactical = position.is_tactical(m);
                        assert_eq!(is_tactical, gain(&position, m) != 0, "{m:?} in {position}");
                    }
                    position = position.play(list[random.below(list.len())]);
                }
            }
        }
        let values: Vec<i32> = found.keys().copied().collect();
        assert_eq!(values, [-GAME, -MAN, 0, MAN, GAME], "{found:?}");
        assert!(found.values().all(|count| *count > 100), "{found:?}");
    }
}
