//! What a sum of weights cannot know: when an advantage wins nothing, and how a bare king is mated.

use cozy_chess::{BitBoard, File, Rank, Square};

use super::side::{Side, distance};
use super::tapered::Tapered;

/// What is left of the values for the middle and for the end of the game, each of [`Scale::WHOLE`].
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct Scale {
    pub middle: i32,
    pub end: i32,
}

impl Scale {
    /// What nothing is taken off.
    pub const WHOLE: i32 = 64;

    const FULL: Scale = Scale::both(Scale::WHOLE);
    const NOTHING: Scale = Scale::both(0);
    /// An advantage that hardly ever wins.
    const HARDLY: Scale = Scale::both(8);
    /// The opponent can give a minor piece for the last pawn.
    const ONE_PAWN: Scale = Scale::both(32);
    /// Bishops of opposite colours, and no other pieces.
    const OPPOSITE_BISHOPS: Scale = Scale { middle: Scale::WHOLE, end: 32 };
    /// Bishops of opposite colours among others.
    const OPPOSITE_BISHOPS_AND_MORE: Scale = Scale { middle: Scale::WHOLE, end: 52 };

    const fn both(scale: i32) -> Scale {
        Scale { middle: scale, end: scale }
    }
}

/// What is left of White's advantage or Black's, and what is added to it; for White.
///
/// Both sides are seen by themselves. The stronger side is the one with the better value for the end of the game, and where that is
/// nothing, by the one in its middle.
#[inline]
pub fn judge(white: &Side, black: &Side, total: Tapered) -> (Scale, i32) {
    let lead = if total.end() != 0 { total.end() } else { total.middle() };
    let (strong, weak, sign) = if lead >= 0 { (white, black, 1) } else { (black, white, -1) };
    let scale = scale(strong, weak);
    let weak_is_bare = weak.all == weak.king.bitboard();
    let drive = if weak_is_bare && scale.end > 0 && !strong.pieces().is_empty() { drive(strong, weak) } else { 0 };
    (scale, sign * drive)
}

#[inline]
fn scale(strong: &Side, weak: &Side) -> Scale {
    let has_few_pawns = strong.pawns.0 & strong.pawns.0.wrapping_sub(1) == 0;
    if has_few_pawns {
        let scale = scale_of_few_pawns(strong, weak);
        if scale != Scale::FULL {
            return scale;
        }
    }
    let on_the_edge = |file: File| strong.pawns.is_subset(file.bitboard());
    if !strong.pawns.is_empty() && (on_the_edge(File::A) || on_the_edge(File::H)) && is_wrong_corner(strong, weak) {
        return Scale::NOTHING;
    }
    scale_of_bishops(strong, weak)
}

/// Without pawns, or with one that can be had for a piece, more is needed than a small advantage.
fn scale_of_few_pawns(strong: &Side, weak: &Side) -> Scale {
    let (ours, theirs) = (points(strong), points(weak));
    let only_knights = strong.pieces() == strong.knights;
    if strong.pawns.is_empty() {
        let cannot_mate = ours <= 3 || (only_knights && ours == 6 && weak.pawns.is_empty());
        return match () {
            () if cannot_mate => Scale::NOTHING,
            () if ours - theirs <= 3 => Scale::HARDLY,
            () => Scale::FULL,
        };
    }
    let after_the_sacrifice = ours - (theirs - 3);
    let can_be_sacrificed = !weak.minors().is_empty();
    let then_hardly = ours <= 3 || (only_knights && ours == 6) || after_the_sacrifice <= 3;
    if can_be_sacrificed && then_hardly { Scale::ONE_PAWN } else { Scale::FULL }
}

/// Rook pawns whose corner is held by the king, and no bishop that could drive it out.
fn is_wrong_corner(strong: &Side, weak: &Side) -> bool {
    let file = if strong.pawns.is_subset(File::A.bitboard()) { File::A } else { File::H };
    let corner = Square::new(file, Rank::Eighth);
    // The weak side sees its king from the other end.
    let is_held = distance(weak.king.flip_rank(), corner) <= 1;
    let same_colour =
        if BitBoard::LIGHT_SQUARES.has(corner) { BitBoard::LIGHT_SQUARES } else { BitBoard::DARK_SQUARES };
    let only_wrong_bishops = strong.pieces() == strong.bishops && strong.bishops.is_disjoint(same_colour);
    is_held && only_wrong_bishops
}

#[inline]
fn scale_of_bishops(strong: &Side, weak: &Side) -> Scale {
    let is_one = |set: BitBoard| set.0 != 0 && set.0 & (set.0 - 1) == 0;
    if !is_one(strong.bishops) || !is_one(weak.bishops) {
        return Scale::FULL;
    }
    // Each side sees the board upside down, which changes the colour of every square.
    let on_light = |side: &Side| !side.bishops.is_disjoint(BitBoard::LIGHT_SQUARES);
    if on_light(strong) != on_light(weak) {
        return Scale::FULL;
    }
    let only_bishops = strong.pieces() == strong.bishops && weak.pieces() == weak.bishops;
    if only_bishops { Scale::OPPOSITE_BISHOPS } else { Scale::OPPOSITE_BISHOPS_AND_MORE }
}

/// The pieces in the points that beginners learn.
fn points(side: &Side) -> i32 {
    (3 * side.minors().len() + 5 * side.rooks.len() + 9 * side.queens.len()) as i32
}

/// The further the bare king is from the centre and the nearer the other, the sooner it is mate. With bishop and
/// knight, only the corners of the bishop's colour count.
fn drive(strong: &Side, weak: &Side) -> i32 {
    const SAFE_WIN: i32 = 200;
    let king = weak.king.flip_rank();
    let near = 7 - distance(strong.king, king) as i32;
    let only_minors = strong.pawns.is_empty() && strong.rooks.is_empty() && strong.queens.is_empty();
    let place = if only_minors && strong.bishops.len() == 1 && strong.knights.len() == 1 {
        let is_light = !strong.bishops.is_disjoint(BitBoard::LIGHT_SQUARES);
        let corners = if is_light { [Square::A8, Square::H1] } else { [Square::A1, Square::H8] };
        let away = corners.map(|corner| steps(king, corner)).into_iter().min().unwrap_or(0);
        2 * (7 - away)
    } else {
        let from_centre = |place: i32| (place - 3).max(4 - place);
        from_centre(king.file() as i32) + from_centre(king.rank() as i32)
    };
    SAFE_WIN + 20 * place + 10 * near
}

/// How many steps to the side and up.
fn steps(a: Square, b: Square) -> i32 {
    (a.file() as i32 - b.file() as i32).abs() + (a.rank() as i32 - b.rank() as i32).abs()
}
