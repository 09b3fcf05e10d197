//! What could be captured next.

use cozy_chess::{BitBoard, Rank};

use super::side::{Attacks, beside, up};
use super::sum::{Listener, Sum};
use super::terms::{Group, HANGING, KING_HITS, MINOR_HITS, PAWN_HITS, PUSH_HITS, ROOK_HITS};
use super::view::View;

/// Adds what our men attack.
#[inline(always)]
pub fn add<L: Listener>(sum: &mut Sum<'_, L>, view: &View<'_>, theirs: &Attacks) {
    let (them, ours) = (view.them, &view.work.attacks);
    let targets = them.all & ours.all;
    let pieces = them.pieces();
    // Not protected by a pawn, and not better protected than attacked.
    let weak = targets & !theirs.pawns & (!theirs.all | (ours.twice & !theirs.twice));
    if !pieces.is_disjoint(ours.pawns) {
        add_hits(sum, PAWN_HITS, ours.pawns, &[them.minors(), them.rooks, them.queens]);
    }
    let by_minors = (weak | them.rooks | them.queens) & (ours.knights | ours.bishops);
    if !by_minors.is_empty() {
        add_hits(sum, MINOR_HITS, by_minors, &[them.pawns, them.minors(), them.rooks, them.queens]);
    }
    let by_rooks = (weak | them.queens) & ours.rooks;
    if !by_rooks.is_empty() {
        add_hits(sum, ROOK_HITS, by_rooks, &[them.pawns, them.minors(), them.rooks, them.queens]);
    }
    if !weak.is_disjoint(ours.king) {
        sum.add(KING_HITS, 0);
    }
    let hanging = targets & !theirs.all;
    if !hanging.is_empty() {
        add_hits(sum, HANGING, hanging, &[them.pawns, pieces]);
    }
    add_pushes(sum, view, theirs);
}

/// Adds each target that is hit, by kind. Most kinds are not hit at all, and counting costs more than asking.
#[inline(always)]
fn add_hits<L: Listener>(sum: &mut Sum<'_, L>, group: Group, hits: BitBoard, kinds: &[BitBoard]) {
    for (index, &kind) in kinds.iter().enumerate() {
        if !kind.is_disjoint(hits) {
            sum.add_times(group, index, (kind & hits).len());
        }
    }
}

/// Adds the pieces that a pawn could attack by a step to where it is not lost at once.
#[inline(always)]
fn add_pushes<L: Listener>(sum: &mut Sum<'_, L>, view: &View<'_>, theirs: &Attacks) {
    let (us, them, ours) = (view.us, view.them, &view.work.attacks);
    let free = !(us.all | them.all);
    let steps = up(us.pawns) & free;
    let steps = steps | (up(steps & Rank::Third.bitboard()) & free);
    let safe = steps & !theirs.pawns & (ours.all | !theirs.all);
    let hits = beside(up(safe)) & them.pieces() & !ours.pawns;
    if !hits.is_empty() {
        sum.add_times(PUSH_HITS, 0, hits.len());
    }
}
