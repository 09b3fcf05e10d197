//! Which defenders stop a runner two or three rows before its goal, however many there are.
//!
//! The opponent is to move. Nobody outside the cone can come into it, so its squares are all that matters. For every
//! set of defenders on them the answer is found at compile time by playing out all moves: a defender moves, or the
//! opponent moves elsewhere; then the runner takes a step, to where the answer is known for one row less. A defender
//! that could capture the runner at once stands on one of two squares. Such runners are not looked up, so these
//! squares need no bits.

/// The most rows before the goal that a runner can be looked up for.
pub const MOST_ROWS: u32 = 3;

/// Whether a runner gets home that the opponent, who is to move, cannot capture at once. It has `rows` rows ahead of
/// it, [`MOST_ROWS`] at most, and `left` and `right` columns beside it. The `defenders` are all enemies in its cone.
#[inline]
pub fn gets_home(square: u32, rows: u32, [left, right]: [u32; 2], defenders: u64) -> bool {
    let [left, right] = [left.min(3) as usize, right.min(3) as usize];
    // Bits beyond an edge belong to the other end of a row, where a cone of three rows does not reach: they are 0.
    let near = || (defenders >> (square + 8) & 1) | (defenders >> (square + 14) & 0x1f) << 1;
    let third = || (defenders >> (square + 21) & 0x7f) as usize;
    match rows {
        0 | 1 => true,
        2 => TWO_ROWS[left][right] >> near() & 1 == 1,
        _ => THREE_ROWS[left][right][third()] >> near() & 1 == 1,
    }
}

/// Sets of defenders in the first two rows, those against which a runner gets home. A set is the number of a bit; its
/// own bit 0 is the man right before the runner, bits 1 to 5 are the second row of the cone from left to right.
type Sets = u64;

/// By columns on the left and on the right, three standing for more.
static TWO_ROWS: [[Sets; 4]; 4] = {
    let mut table = [[0; 4]; 4];
    let mut edges = 0;
    while edges < 16 {
        table[edges / 4][edges % 4] = withstood(Place { rows: 2, left: edges / 4, right: edges % 4 }, 0);
        edges += 1;
    }
    table
};

/// By columns on the left and on the right, and by the defenders in the third row, from left to right.
static THREE_ROWS: [[[Sets; 128]; 4]; 4] = {
    let mut table = [[[0; 128]; 4]; 4];
    let mut edges = 0;
    while edges < 16 {
        let place = Place { rows: 3, left: edges / 4, right: edges % 4 };
        let mut third = 0;
        // No board is narrower than four columns.
        while place.left + place.right >= 3 && third < 128 {
            table[place.left][place.right][third] = withstood(place, third);
            third += 1;
        }
        edges += 1;
    }
    table
};

/// Where a runner is: the rows ahead of it, and the columns on its left and right, three at most.
#[derive(Copy, Clone)]
struct Place {
    rows: usize,
    left: usize,
    right: usize,
}

/// By defender: all sets with it.
const WITH: [Sets; 6] = [
    0xaaaa_aaaa_aaaa_aaaa,
    0xcccc_cccc_cccc_cccc,
    0xf0f0_f0f0_f0f0_f0f0,
    0xff00_ff00_ff00_ff00,
    0xffff_0000_ffff_0000,
    0xffff_ffff_0000_0000,
];

/// The sets against which the runner gets home whatever the opponent, who is to move, plays. Each kind of move is made
/// in all sets at once: where a defender comes or goes, the number of the set changes by the same power of two.
const fn withstood(place: Place, third: usize) -> Sets {
    // The opponent moves elsewhere.
    let passed = outrun(place, third);
    // The man before the runner goes past it.
    let mut sets = passed & (passed << 1 | !WITH[0]);
    // A man of the second row goes past the runner's next row or, from the three columns in the middle, before it.
    let mut man = 1;
    while man <= 5 {
        sets &= passed << (1 << man) | !WITH[man];
        if 2 <= man && man <= 4 {
            sets &= passed << ((1 << man) - 1) | !WITH[man] | WITH[0];
        }
        man += 1;
    }
    // A man of the third row enters the second, or leaves the cone at its side.
    let mut column = 0;
    while column < 7 {
        if third >> column & 1 == 1 {
            let moved = outrun(place, third ^ 1 << column);
            let mut man = if column == 0 { 0 } else { column - 1 };
            while man <= column + 1 {
                if man == 0 || man > 5 {
                    sets &= moved;
                } else if 3 <= man + place.left && man <= 3 + place.right {
                    sets &= moved >> (1 << man) | WITH[man];
                }
                man += 1;
            }
        }
        column += 1;
    }
    sets
}

/// The sets against which the runner, who is to move, gets home.
const fn outrun(place: Place, third: usize) -> Sets {
    let mut sets = 0;
    // To the left, straight ahead and to the right: the middle column of the next cone is 2, 3 or 4.
    let mut column = 2;
    while column <= 4 {
        if 3 <= column + place.left && column <= 3 + place.right {
            let blocked = if column == 3 { WITH[0] } else { 0 };
            let captured = WITH[column - 1] | WITH[column + 1];
            let (before, clear) = if place.rows == 2 {
                (true, true)
            } else {
                let (left, right) = (place.left + column - 3, place.right + 3 - column);
                let next = TWO_ROWS[if left > 3 { 3 } else { left }][if right > 3 { 3 } else { right }];
                let second = (third >> (column - 2) & 0x1f) << 1;
                (next >> (second | 1) & 1 == 1, next >> second & 1 == 1)
            };
            let home = if before { WITH[column] } else { 0 } | if clear { !WITH[column] } else { 0 };
            sets |= home & !blocked & !captured;
        }
        column += 1;
    }
    sets
}
