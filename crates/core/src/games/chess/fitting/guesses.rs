//! Where fitting began: values that every beginner learns, and formulas made up here. None is from a program.

use super::super::evaluation::terms::{
    BACKWARD, BEHIND_PAWN, BISHOP_MOBILITY, BISHOP_PAIR, BISHOP_PAWNS, DOUBLED, GROUPS, Group, HANGING, ISOLATED,
    KING_DANGER, KING_HITS, KNIGHT_MOBILITY, MINOR_HITS, OUTPOST, PASSED, PASSED_FREE, PASSED_OWN_KING, PASSED_SAFE,
    PASSED_THEIR_KING, PAWN_HITS, PHALANX, PIECES, PUSH_HITS, Pair, QUEEN_MOBILITY, ROOK_BEHIND, ROOK_FILE, ROOK_HITS,
    ROOK_MOBILITY, ROOK_SEVENTH, SAFE_CHECK, SHIELD, SPACE, SQUARES, STORM, STORM_BLOCKED, SUPPORTED, TEMPO,
    UNSTOPPABLE,
};

/// The guesses, in the order of the table.
pub fn guesses() -> Vec<Pair> {
    GROUPS.iter().flat_map(|&group| (0..group.count).map(move |index| guess(group, index))).collect()
}

fn guess(group: Group, index: usize) -> Pair {
    let i = index as i16;
    match group {
        PIECES => [(100, 100), (300, 300), (300, 300), (500, 500), (900, 900)][index],
        SQUARES => square(index / 64, index % 64),
        KNIGHT_MOBILITY => (4 * (i - 4), 4 * (i - 4)),
        BISHOP_MOBILITY => (4 * (i - 6), 4 * (i - 6)),
        ROOK_MOBILITY => (2 * (i - 7), 4 * (i - 7)),
        QUEEN_MOBILITY => (i - 13, 2 * (i - 13)),
        SHIELD => shield(index / 8, i % 8),
        STORM => storm(i % 8),
        KING_DANGER => (i * i / 3, i),
        PASSED => (3 * i * i, 5 * i * i),
        PASSED_FREE | PASSED_SAFE => (4 * i, 10 * (i + 1)),
        PASSED_OWN_KING => (0, 3 * (4 - i)),
        PASSED_THEIR_KING => (0, 6 * (i - 3)),
        SUPPORTED => (5 + 4 * i, 4 + 4 * i),
        PHALANX => (3 + 3 * i, 2 + 3 * i),
        _ => single(group)[index],
    }
}

/// Groups that have only a few weights.
fn single(group: Group) -> &'static [Pair] {
    match group {
        BISHOP_PAIR => &[(30, 50)],
        BISHOP_PAWNS => &[(-3, -5)],
        OUTPOST => &[(25, 15), (15, 10)],
        BEHIND_PAWN => &[(6, 2)],
        ROOK_FILE => &[(12, 8), (25, 12)],
        ROOK_SEVENTH => &[(10, 25)],
        DOUBLED => &[(-8, -16)],
        ISOLATED => &[(-8, -10), (-8, -6)],
        BACKWARD => &[(-6, -8), (-8, -6)],
        ROOK_BEHIND => &[(5, 20), (-5, -20)],
        UNSTOPPABLE => &[(0, 400)],
        STORM_BLOCKED => &[(0, 0); 8],
        SAFE_CHECK => &[(25, 5), (15, 5), (30, 5), (25, 10)],
        PAWN_HITS => &[(45, 35), (55, 30), (55, 30)],
        MINOR_HITS => &[(5, 10), (20, 20), (35, 25), (35, 25)],
        ROOK_HITS => &[(5, 10), (20, 20), (15, 15), (35, 30)],
        KING_HITS => &[(10, 25)],
        HANGING => &[(8, 10), (30, 20)],
        PUSH_HITS => &[(12, 10)],
        SPACE => &[(2, 0)],
        TEMPO => &[(15, 10)],
        _ => &[],
    }
}

/// How far from the centre, from 0 to 3, along a file or a rank.
fn outward(place: i16) -> i16 {
    (place - 4).max(3 - place)
}

fn square(piece: usize, square: usize) -> Pair {
    let (file, rank) = (square as i16 % 8, square as i16 / 8);
    let away = outward(file) + outward(rank);
    match piece {
        0 if rank == 0 || rank == 7 => (0, 0),
        0 => (if rank > 1 { 6 * (2 - outward(file)) + 2 * (rank - 1) } else { 0 }, 6 * (rank - 1)),
        1 => (24 - 10 * away, 20 - 8 * away),
        2 => (12 - 5 * away, 10 - 4 * away),
        3 => (6 - 4 * outward(file), 0),
        4 => (4 - 2 * away, 12 - 5 * away),
        // The king hides in the middle of the game, and helps at its end.
        _ => (10 * outward(file) - 15 * rank.min(4), 24 - 10 * away),
    }
}

fn shield(edge: usize, rank: i16) -> Pair {
    let full = [24, 30, 24, 12][edge];
    // A pawn that has not moved is best; none at all, counted as rank 0, is worst.
    (if rank == 0 { -10 } else { full - 7 * (rank - 1) }, 0)
}

fn storm(rank: i16) -> Pair {
    (if rank == 0 { -6 } else { -6 * (5 - rank).max(0) }, 0)
}
