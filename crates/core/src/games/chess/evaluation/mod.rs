//! What a position is worth, in hundredths of a pawn.
//!
//! A linear sum: every term counts how often something is on the board, White's less Black's, and every
//! count has a weight for the middle of the game and one for its end. All weights stand in one table
//! ([`tables`]), which `plysmith fit chess` made from games that the program played against itself.
//! Material and piece squares are kept from move to move ([`Placement`]), and what pawns and kings alone decide is
//! cached, because most moves do not change it ([`structure`]); the rest is computed in every evaluation.
//!
//! | file | what |
//! | --- | --- |
//! | `terms` | the groups of weights, their names and places in the table |
//! | `tapered` | two values in one number, for the middle and the end of a game |
//! | `sum` | adds weights up; a tracer can listen, so that player and tuner share one code path |
//! | `side` | one side's men and what they attack, seen from that side |
//! | `view` | both sides, seen from one of them |
//! | `placement`, `pieces`, `pawns`, `king`, `threats` | the terms |
//! | `tables` | the fitted numbers |
//! | `bounds` | what an evaluation can be at most with some weights |
//! | `structure` | those that pawns and kings alone decide |
//! | `endings` | what the sum cannot know: drawn material, and how to mate a bare king |

pub(super) mod bounds;
mod endings;
mod king;
mod pawns;
mod pieces;
mod placement;
mod side;
mod structure;
pub(super) mod sum;
pub(super) mod tables;
mod tapered;
pub(super) mod terms;
#[cfg(test)]
mod tests;
mod threats;
mod view;

use cozy_chess::{Board, Color};

use crate::eval_terms::EvalTermCache;
use crate::score::Score;
use crate::settings::Heuristic;
use endings::Scale;
pub use placement::{FULL_PHASE, Placement};
use side::{Attacks, Side};
use sum::{Listener, Silent, Sum};
use tables::Tables;
use tapered::Tapered;
use view::View;

/// The names of the evaluation functions.
pub const NAMES: &[&str] = &["material", "tuned", "learned"];
/// Pieces only, by the values that every beginner learns.
pub const MATERIAL: Heuristic = Heuristic::BuiltIn(0);
/// Everything, with the weights that `classic` has. They were fitted to games of early versions of the search, and stay as
/// they are, so that what was measured with `classic` stays comparable.
pub const TUNED: Heuristic = Heuristic::BuiltIn(1);
/// Everything, with the weights that `scripts/fit-chess` learned by self-play.
pub const LEARNED: Heuristic = Heuristic::BuiltIn(2);

/// Limit of evaluations: far from any forced result, and above every material balance that occurs in games.
const LIMIT: i32 = 9_999;

/// The value for the side to move.
pub fn evaluate(board: &Board, placement: &Placement, heuristic: Heuristic, cache: &mut EvalTermCache) -> Score {
    let white = if heuristic == MATERIAL {
        placement.plain()
    } else {
        let placement = placement.with_tables(Tables::of(heuristic), board);
        let verdict = judge(board, &placement, &mut Silent, cache);
        verdict.linear() + verdict.drive
    };
    let units = if board.side_to_move() == Color::White { white } else { -white };
    Score::evaluation(units.clamp(-LIMIT, LIMIT))
}

/// The evaluation before it becomes one number; for White.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct Verdict {
    /// The sum of all weights.
    total: Tapered,
    /// How much of the middle of the game is left, of [`FULL_PHASE`].
    pub phase: i32,
    /// What is left of it where wins are hard.
    pub scale: Scale,
    /// What is added for driving a bare king to where it is mated; the only part without weights.
    pub drive: i32,
}

impl Verdict {
    /// The part that is linear in the weights.
    #[inline]
    fn linear(self) -> i32 {
        let middle = self.total.middle() * self.phase * self.scale.middle;
        let end = self.total.end() * (FULL_PHASE - self.phase) * self.scale.end;
        (middle + end) / (FULL_PHASE * Scale::WHOLE)
    }

    /// The share of the weights for the middle and for the end in [`Verdict::linear`].
    pub fn shares(self) -> [f64; 2] {
        let share = |phase: i32, scale: i32| f64::from(phase * scale) / f64::from(FULL_PHASE * Scale::WHOLE);
        [share(self.phase, self.scale.middle), share(FULL_PHASE - self.phase, self.scale.end)]
    }
}

/// Adds everything up, with the tables of the placement. The listener hears of every weight that counts.
#[inline]
pub fn judge<L: Listener>(
    board: &Board,
    placement: &Placement,
    listener: &mut L,
    cache: &mut EvalTermCache,
) -> Verdict {
    if L::LISTENS {
        placement::report(board, listener);
    }
    let tables = placement.tables();
    let white = Side::of(board, Color::White);
    let black = Side::of(board, Color::Black);
    let (white_seen, black_seen) = (white.flipped(), black.flipped());
    let white_to_move = board.side_to_move() == Color::White;

    let mut ours = Sum::new(Color::White, tables, listener);
    let white_works = pieces::add(&mut ours, &white, &black_seen);
    let ours = ours.total();
    let mut theirs = Sum::new(Color::Black, tables, listener);
    let black_works = pieces::add(&mut theirs, &black, &white_seen);
    let theirs = theirs.total();

    let mut more = Sum::new(Color::White, tables, listener);
    let view = View { us: &white, them: &black_seen, work: &white_works, to_move: white_to_move };
    add_interaction(&mut more, &view, &black_works.attacks.flipped());
    let ours = ours + more.total();
    let mut more = Sum::new(Color::Black, tables, listener);
    let view = View { us: &black, them: &white_seen, work: &black_works, to_move: !white_to_move };
    add_interaction(&mut more, &view, &white_works.attacks.flipped());
    let theirs = theirs + more.total();

    let mut count = || structure::count(tables, [&white, &white_seen], [&black, &black_seen], listener);
    let structure = if L::LISTENS {
        count()
    } else {
        Tapered::from_bits(cache.get_or(structure::key(board) ^ tables.salt, || count().to_bits()))
    };
    let total = placement.tapered() + structure + ours - theirs;
    let (scale, drive) = endings::judge(&white, &black, total);
    Verdict { total, phase: placement.phase(), scale, drive }
}

/// The terms that need to know what both sides attack.
#[inline(always)]
fn add_interaction<L: Listener>(sum: &mut Sum<'_, L>, view: &View<'_>, their_attacks: &Attacks) {
    pawns::add(sum, view, their_attacks);
    king::add_danger(sum, view, their_attacks);
    threats::add(sum, view, their_attacks);
    if view.to_move {
        sum.add(terms::TEMPO, 0);
    }
}
