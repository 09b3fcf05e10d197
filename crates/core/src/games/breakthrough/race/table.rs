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
/// it, [`MOST_ROWS`] at most, and so many columns on its left and right. The `defenders` are all enemies in its cone.
#[inline]
pub fn gets_home(square: u32, rows: u32, [left, right]: [u32; 2], defenders: u64) -> bool {
    let [left, right] = [left.min(3) as usize, right.min(3) as usize];
    // Bits beyond an edge belong to the other end of a row, where a cone of three rows does not reach: they are 0.
    let first = (defenders >> (square + 8)) as usize & 1;
    let second = (defenders >> (square + 14)) as usize & 0x1f;
    let third = (defenders >> (square + 21)) as usize & 0x7f;
    match rows {
        0 | 1 => true,
        2 => TWO_ROWS[left][right] >> (first | second << 1) & 1 == 1,
        _ => THREE_ROWS[left][right][third] >> (first | second << 1) & 1 == 1,
    }
}

/// By columns on the left and on the right, three standing for more: a bit for each set of defenders in two rows.
static TWO_ROWS: [[u64; 4]; 4] = {
    let mut table = [[0; 4]; 4];
    let mut edges = 0;
    while edges < 16 {
        table[edges / 4][edges % 4] = answers(Place { rows: 2, left: edges / 4, right: edges % 4 }, 0);
        edges += 1;
    }
    table
};

/// By columns on the left and on the right and by the defenders in the third row: a bit for each set of defenders in
/// the first two rows.
static THREE_ROWS: [[[u64; 128]; 4]; 4] = {
    let mut table = [[[0; 128]; 4]; 4];
    let mut edges = 0;
    while edges < 16 {
        let place = Place { rows: 3, left: edges / 4, right: edges % 4 };
        let mut third = 0;
        // No board is narrower than four columns.
        while place.left + place.right >= 3 && third < 128 {
            table[place.left][place.right][third as usize] = answers(place, third);
            third += 1;
        }
        edges += 1;
    }
    table
};

/// Where a runner is: the rows that are ahead of it, and the columns on its left and right, three at most.
#[derive(Copy, Clone)]
struct Place {
    rows: usize,
    left: usize,
    right: usize,
}

/// Squares ahead of a runner: the next row is the lowest byte, the runner's own column bit 3 of each.
type Window = u32;

const NEXT: Window = 0b000_1000;
const BESIDE_NEXT: Window = 0b001_0100;

impl Place {
    /// The squares that are on the board.
    const fn board(self) -> Window {
        let row = (0x7f >> (3 - self.right)) & (0x7f << (3 - self.left)) & 0x7f;
        row | row << 8 | row << 16
    }

    /// The runner's place after a step to the left (0), straight ahead (1) or to the right (2), if it stays on the
    /// board.
    const fn after(self, step: usize) -> Option<Place> {
        if self.left + step == 0 || self.right + 2 - step == 0 {
            return None;
        }
        let (left, right) = (self.left + step - 1, self.right + 1 - step);
        Some(Place {
            rows: self.rows - 1,
            left: if left > 3 { 3 } else { left },
            right: if right > 3 { 3 } else { right },
        })
    }
}

/// The answers for all sets of defenders in the first two rows, with these ones in the third.
const fn answers(place: Place, third: Window) -> u64 {
    let mut answers = 0;
    let mut index = 0;
    while index < 64 {
        let defenders = (index & 1) << 3 | (index >> 1) << 9 | third << 16;
        if defenders & !place.board() == 0 && withstands_all(place, defenders) {
            answers |= 1 << index;
        }
        index += 1;
    }
    answers
}

/// Whether the runner gets home whatever the opponent plays.
const fn withstands_all(place: Place, defenders: Window) -> bool {
    // The opponent moves elsewhere.
    if !has_step(place, defenders) {
        return false;
    }
    let mut rest = defenders;
    while rest != 0 {
        let from = rest & rest.wrapping_neg();
        rest ^= from;
        let mut distance = 7;
        while distance <= 9 {
            // The runner itself is in the way of a man right before it. A man that goes where the window ends does not
            // come back.
            let to = from >> distance & place.board();
            let is_blocked = to & defenders != 0 || from == NEXT && distance == 8;
            if !is_blocked && !has_step(place, defenders ^ from | to) {
                return false;
            }
            distance += 1;
        }
    }
    true
}

/// Whether a step of the runner, who is to move, gets it home.
const fn has_step(place: Place, defenders: Window) -> bool {
    let mut step = 0;
    while step < 3 {
        // The runner leaves the defenders of the next row behind, or captures one.
        let ahead = (defenders >> 8 << 1) >> step;
        let is_blocked = step == 1 && defenders & NEXT != 0;
        if let Some(next) = place.after(step)
            && !is_blocked
            && ahead & BESIDE_NEXT == 0
            && (next.rows == 1
                || TWO_ROWS[next.left][next.right] >> (ahead >> 3 & 1 | (ahead >> 9 & 0x1f) << 1) & 1 == 1)
        {
            return true;
        }
        step += 1;
    }
    false
}
