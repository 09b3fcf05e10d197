//! The patterns of many windows at once, as base-3 numbers.
//!
//! A square is a digit: 0 empty, 1 own, 2 enemy. The eight rows of a column are the eight bytes of one word, so a few
//! additions make the numbers of all windows that stand above each other. Reading square by square would take ten times
//! as long.

/// The lowest bit of every byte: one column of a board.
const FIRST_COLUMN: u64 = 0x0101_0101_0101_0101;
/// The bytes of rows 0, 2, 4 and 6. Each has the byte above it as room for larger numbers.
const EVERY_OTHER_ROW: u64 = 0x00ff_00ff_00ff_00ff;

/// The size of a window, at most 3×3: larger patterns do not fit into 16 bits.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(super) struct Shape {
    pub width: u32,
    pub height: u32,
}

/// The digits of a board: one word for each column, one byte for each row.
pub(super) struct Digits([u64; 8]);

/// The patterns of the windows that stand above each other, by the lowest row of the window.
#[derive(Copy, Clone)]
pub(super) struct Stack {
    /// Windows that begin in rows 0, 2, 4 and 6, 16 bits each.
    even: u64,
    /// Windows that begin in rows 1, 3, 5 and 7.
    odd: u64,
}

impl Shape {
    /// The largest window on a board of this size.
    pub const fn largest(columns: u32, rows: u32) -> Shape {
        Shape { width: if columns < 3 { columns } else { 3 }, height: if rows < 3 { rows } else { 3 } }
    }

    /// The number of patterns in such a window.
    pub const fn patterns(self) -> usize {
        3_usize.pow(self.width * self.height)
    }

    /// The pattern mirrored left to right.
    pub fn mirrored(self, pattern: usize) -> usize {
        let digit = |column: u32, row: u32| pattern / 3_usize.pow(row * self.width + column) % 3;
        self.pattern_of(|column, row| digit(self.width - 1 - column, row))
    }

    /// The pattern of a smaller window inside this one, whose lower left square is in `column` and `row` of this one.
    pub fn cut(self, pattern: usize, smaller: Shape, column: u32, row: u32) -> usize {
        let digit = |column: u32, row: u32| pattern / 3_usize.pow(row * self.width + column) % 3;
        smaller.pattern_of(|x, y| digit(column + x, row + y))
    }

    /// The pattern with these digits; the lower left square is the lowest digit, its right neighbour the next.
    fn pattern_of(self, digit: impl Fn(u32, u32) -> usize) -> usize {
        let squares = (0..self.height).rev().flat_map(|row| (0..self.width).rev().map(move |column| (column, row)));
        squares.fold(0, |number, (column, row)| 3 * number + digit(column, row))
    }
}

impl Digits {
    /// The digits of a board. A square that both sides hold counts as own.
    #[inline(always)]
    pub fn of(own: u64, enemy: u64) -> Digits {
        let enemy = enemy & !own;
        Digits(std::array::from_fn(|column| (own >> column & FIRST_COLUMN) + 2 * (enemy >> column & FIRST_COLUMN)))
    }

    /// The patterns of the windows whose leftmost column is this one.
    #[inline(always)]
    pub fn stack(&self, column: u32, shape: Shape) -> Stack {
        let columns = (column..column + shape.width).rev();
        Stack::of(self.row_numbers(columns), shape)
    }

    /// The patterns of the same windows on the board mirrored left to right.
    #[inline(always)]
    pub fn mirrored_stack(&self, column: u32, shape: Shape) -> Stack {
        Stack::of(self.row_numbers(column..column + shape.width), shape)
    }

    /// The base-3 number of each row of a window, the highest digit first. At most 26, so it fits into a byte.
    #[inline(always)]
    fn row_numbers(&self, columns: impl Iterator<Item = u32>) -> u64 {
        columns.fold(0, |numbers, column| 3 * numbers + self.0[column as usize])
    }
}

impl Stack {
    #[inline(always)]
    fn of(row_numbers: u64, shape: Shape) -> Stack {
        let factor = 3_u64.pow(shape.width);
        let from_row = |first: u32| {
            let rows = (first..first + shape.height).rev();
            rows.fold(0, |patterns, row| factor * patterns + (row_numbers >> (8 * row) & EVERY_OTHER_ROW))
        };
        Stack { even: from_row(0), odd: from_row(1) }
    }

    /// The pattern of the window whose lowest row is this one.
    #[inline(always)]
    pub fn pattern(self, row: u32) -> usize {
        let patterns = if row.is_multiple_of(2) { self.even } else { self.odd };
        (patterns >> (16 * (row / 2)) & 0xffff) as usize
    }
}
