//! Pawn structure, for all pawns at once, and passed pawns one by one. Space, too, is what pawns make.

use cozy_chess::{BitBoard, File, Rank, Square};

use super::side::{Attacks, Side, beside, distance, down, filled_down, filled_up, up};
use super::sum::{Listener, Sum};
use super::terms::{
    BACKWARD, DOUBLED, ISOLATED, PASSED, PASSED_FREE, PASSED_OWN_KING, PASSED_SAFE, PASSED_THEIR_KING, PHALANX,
    ROOK_BEHIND, SPACE, SUPPORTED, UNSTOPPABLE,
};
use super::view::View;

/// Adds the terms that pawns alone decide.
pub fn add_structure<L: Listener>(sum: &mut Sum<'_, L>, us: &Side, them: &Side) {
    let pawns = us.pawns;
    let doubled = pawns & filled_down(down(pawns));
    if !doubled.is_empty() {
        sum.add_times(DOUBLED, 0, doubled.len());
    }
    add_weak(sum, us, them);
    for pawn in pawns & beside(up(pawns)) {
        sum.add(SUPPORTED, pawn.rank() as usize - Rank::Third as usize);
    }
    for pawn in pawns & beside(pawns) {
        sum.add(PHALANX, pawn.rank() as usize - Rank::Second as usize);
    }
    for pawn in passed(us, them) {
        sum.add(PASSED, pawn.rank() as usize - Rank::Second as usize);
    }
}

fn add_weak<L: Listener>(sum: &mut Sum<'_, L>, us: &Side, them: &Side) {
    let pawns = us.pawns;
    let before_theirs = filled_down(down(them.pawns));
    let isolated = pawns & !beside(filled_up(pawns) | filled_down(pawns));
    // Where a neighbour could still come to protect, if it steps forward.
    let within_reach = beside(filled_up(up(pawns)));
    let backward = pawns & down(up(pawns) & beside(down(them.pawns)) & !within_reach) & !isolated;
    for (group, weak) in [(ISOLATED, isolated), (BACKWARD, backward)] {
        if !weak.is_empty() {
            sum.add_times(group, 0, weak.len());
            sum.add_times(group, 1, (weak & !before_theirs).len());
        }
    }
}

/// The foremost pawns that no enemy pawn can stop.
#[inline]
fn passed(us: &Side, them: &Side) -> BitBoard {
    let before_theirs = filled_down(down(them.pawns));
    us.pawns & !(before_theirs | beside(before_theirs) | filled_down(down(us.pawns)))
}

/// Adds the terms of pawns that pieces have a say in.
#[inline(always)]
pub fn add<L: Listener>(sum: &mut Sum<'_, L>, view: &View<'_>, their_attacks: &Attacks) {
    let passed = passed(view.us, view.them);
    for pawn in passed {
        add_passed(sum, view, their_attacks, pawn);
    }
    if view.them.pieces().is_empty() && passed.into_iter().any(|pawn| is_unstoppable(view, pawn)) {
        sum.add(UNSTOPPABLE, 0);
    }
    add_space(sum, view.us.pawns, their_attacks);
}

#[inline(always)]
fn add_passed<L: Listener>(sum: &mut Sum<'_, L>, view: &View<'_>, their_attacks: &Attacks, pawn: Square) {
    let (us, them) = (view.us, view.them);
    let behind = filled_down(down(pawn.bitboard()));
    for (index, rooks) in [us.rooks, them.rooks].into_iter().enumerate() {
        if !behind.is_disjoint(rooks) {
            sum.add(ROOK_BEHIND, index);
        }
    }
    if pawn.rank() < Rank::Fourth {
        return;
    }
    let rank = pawn.rank() as usize - Rank::Fourth as usize;
    let stop = Square::new(pawn.file(), Rank::index(pawn.rank() as usize + 1));
    sum.add(PASSED_OWN_KING, distance(us.king, stop));
    sum.add(PASSED_THEIR_KING, distance(them.king, stop));
    if !(us.all | them.all).has(stop) {
        sum.add(PASSED_FREE, rank);
    }
    if filled_up(stop.bitboard()).is_disjoint(them.all | their_attacks.all) {
        sum.add(PASSED_SAFE, rank);
    }
}

/// Whether a king without any pieces comes too late. The own men may not stand in the way either.
fn is_unstoppable(view: &View<'_>, pawn: Square) -> bool {
    let goal = Square::new(pawn.file(), Rank::Eighth);
    let way = filled_up(up(pawn.bitboard()));
    // From its home, a pawn can begin with two steps.
    let steps = 7 - (pawn.rank() as usize).max(Rank::Third as usize);
    let kings_steps = distance(view.them.king, goal);
    way.is_disjoint(view.us.all | view.them.all) && kings_steps > steps + usize::from(!view.to_move)
}

/// The squares of the own half of the centre that pawns have made safe; those behind a pawn count twice.
#[inline(always)]
fn add_space<L: Listener>(sum: &mut Sum<'_, L>, pawns: BitBoard, their_attacks: &Attacks) {
    let files = File::C.bitboard() | File::D.bitboard() | File::E.bitboard() | File::F.bitboard();
    let ranks = Rank::Second.bitboard() | Rank::Third.bitboard() | Rank::Fourth.bitboard();
    let safe = files & ranks & !pawns & !their_attacks.pawns;
    let behind = down(pawns) | down(down(pawns)) | down(down(down(pawns)));
    // One count for both: the second set goes where the first has no squares.
    let both = safe.0 | (safe & behind & !their_attacks.all).0 << 32;
    sum.add_times(SPACE, 0, both.count_ones());
}
