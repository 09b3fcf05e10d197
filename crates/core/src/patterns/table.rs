//! The table of a learned evaluation.

use super::digits::{Digits, Shape, Stack};

/// The scale of evaluations: a difference of one logit in these units.
pub(super) const UNITS_PER_LOGIT: f64 = 100.0;

/// Evaluations are at most this far from zero.
const MOST: i32 = 9_999;

/// An evaluation that adds up one number for every window of the largest size, 3×3 squares.
///
/// There are numbers for the left half and the middle of the board only. Windows of the right half are looked up as a
/// mirror shows them, which halves what has to fit into the processor's cache: 36 lookups in 708 kB on 8×8.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Patterns {
    columns: u32,
    rows: u32,
    /// By column of the window, row of the window and pattern.
    numbers: Box<[i16]>,
}

impl Patterns {
    /// How many numbers the table of a board size has.
    pub fn count(columns: u32, rows: u32) -> usize {
        let shape = Shape::largest(columns, rows);
        let places = (columns - shape.width + 1).div_ceil(2) * (rows - shape.height + 1);
        places as usize * shape.patterns()
    }

    /// The table with these numbers, which [`numbers`](Patterns::numbers) returned; `None` if a board of this size has
    /// another number of them, or there is no such board.
    pub fn from_numbers(columns: u32, rows: u32, numbers: &[i16]) -> Option<Patterns> {
        let is_board = (1..=8).contains(&columns) && (1..=8).contains(&rows);
        (is_board && numbers.len() == Patterns::count(columns, rows))
            .then(|| Patterns::new(columns, rows, numbers.into()))
    }

    pub(super) fn new(columns: u32, rows: u32, numbers: Box<[i16]>) -> Patterns {
        debug_assert_eq!(numbers.len(), Patterns::count(columns, rows));
        Patterns { columns, rows, numbers }
    }

    /// The numbers of the table.
    pub fn numbers(&self) -> &[i16] {
        &self.numbers
    }

    /// Whether the table is for boards of this size.
    #[inline(always)]
    pub fn is_for(&self, columns: u32, rows: u32) -> bool {
        (self.columns, self.rows) == (columns, rows)
    }

    /// Columns and rows of the boards that it evaluates.
    pub fn size(&self) -> (u32, u32) {
        (self.columns, self.rows)
    }

    /// The value for the side to move, in hundredths of a logit, from -9,999 to 9,999.
    ///
    /// The squares are those of a [`Grid`](crate::grid::Grid) of this size.
    #[inline]
    pub fn evaluate(&self, own: u64, enemy: u64) -> i32 {
        let sum = match self.size() {
            // With constants the loops are unrolled: several times as fast.
            (8, 8) => self.sum(8, 8, own, enemy),
            (columns, rows) => self.sum_any_size(columns, rows, own, enemy),
        };
        sum.clamp(-MOST, MOST)
    }

    #[inline(never)]
    fn sum_any_size(&self, columns: u32, rows: u32, own: u64, enemy: u64) -> i32 {
        self.sum(columns, rows, own, enemy)
    }

    #[inline(always)]
    fn sum(&self, columns: u32, rows: u32, own: u64, enemy: u64) -> i32 {
        let shape = Shape::largest(columns, rows);
        let heights = rows - shape.height + 1;
        let size = shape.patterns();
        let digits = Digits::of(own, enemy);
        let mut sum = 0;
        for column in 0..=(columns - shape.width) / 2 {
            let first = (column * heights) as usize * size;
            let number =
                |row: u32, stack: Stack| i32::from(self.numbers[first + row as usize * size + stack.pattern(row)]);
            let left = digits.stack(column, shape);
            sum += (0..heights).map(|row| number(row, left)).sum::<i32>();
            let mirror = columns - shape.width - column;
            if mirror != column {
                let right = digits.mirrored_stack(mirror, shape);
                sum += (0..heights).map(|row| number(row, right)).sum::<i32>();
            }
        }
        sum
    }
}
