//! King safety: pawns in front of the king, and attacks on it.
//!
//! Danger grows faster than the number of attackers. So attackers are counted in units, and every number of units
//! has a weight of its own: the evaluation stays linear in its weights, and the curve is found by fitting.

use cozy_chess::{BitBoard, File, Square, get_bishop_moves, get_knight_moves, get_rook_moves};

use super::side::{Attacks, Side};
use super::sum::{Listener, Sum};
use super::terms::{KING_DANGER, SAFE_CHECK, SHIELD, STORM, STORM_BLOCKED};
use super::view::View;

/// What the chance of a safe check adds to the attack units: knight, bishop, rook, queen.
const CHECK_UNITS: [usize; 4] = [3, 2, 4, 3];

/// Adds the own pawns before the king and the enemy's that run against it, on its file and both beside it.
#[inline(always)]
pub fn add_shelter<L: Listener>(sum: &mut Sum<'_, L>, us: &Side, them: &Side) {
    let ahead = BitBoard(!0 << (8 * us.king.rank() as usize));
    let (own, theirs) = (us.pawns & ahead, them.pawns & ahead);
    let middle = (us.king.file() as usize).clamp(File::B as usize, File::G as usize);
    for file in middle - 1..=middle + 1 {
        let edge = file.min(7 - file);
        let own_rank = first_rank(own, file);
        let their_rank = first_rank(theirs, file);
        sum.add(SHIELD, 8 * edge + own_rank);
        if own_rank > 0 && their_rank == own_rank + 1 {
            sum.add(STORM_BLOCKED, their_rank);
        } else {
            sum.add(STORM, 8 * edge + their_rank);
        }
    }
}

/// The rank of the lowest pawn on this file, 0 if there is none: no pawn is on the first rank.
#[inline]
fn first_rank(pawns: BitBoard, file: usize) -> usize {
    let on_file = pawns.0 >> file & File::A.bitboard().0;
    // Without a pawn there are 64 zeros, and 8 becomes 0.
    (on_file.trailing_zeros() / 8) as usize & 7
}

/// Adds what our pieces can do to their king.
#[inline(always)]
pub fn add_danger<L: Listener>(sum: &mut Sum<'_, L>, view: &View<'_>, theirs: &Attacks) {
    let (us, them, ours) = (view.us, view.them, &view.work.attacks);
    let guarded = theirs.pawns | theirs.knights | theirs.bishops | theirs.rooks | theirs.queens;
    let weak = view.work.ring & ours.all & !guarded;
    // A check is safe where the piece cannot be captured, or only by the king and the square is covered.
    let safe = !us.all & !guarded & (!theirs.king | ours.twice);
    let occupied = us.all | them.all;
    let checks = checks(them.king, occupied, ours);
    let mut units = view.work.units + weak.len() as usize;
    for (index, squares) in checks.into_iter().enumerate() {
        if !safe.is_disjoint(squares) {
            units += CHECK_UNITS[index];
            sum.add(SAFE_CHECK, index);
        }
    }
    sum.add(KING_DANGER, units.min(KING_DANGER.count - 1));
}

/// From where knights, bishops, rooks and queens could give check.
#[inline(always)]
fn checks(king: Square, occupied: BitBoard, ours: &Attacks) -> [BitBoard; 4] {
    let diagonals = get_bishop_moves(king, occupied);
    let straight = get_rook_moves(king, occupied);
    [
        get_knight_moves(king) & ours.knights,
        diagonals & ours.bishops,
        straight & ours.rooks,
        (diagonals | straight) & ours.queens,
    ]
}
