//! Boards of every size as 64 bits: square `8 * row + column`, row 0 nearest to the side to move.
//!
//! A board smaller than 8×8 uses the lower left corner of the 64 squares. The size is a type, so that
//! the standard board's masks are constants; every other size carries its two numbers along.

use std::fmt::Debug;

/// The squares of one column, the leftmost.
const FIRST_COLUMN: u64 = 0x0101_0101_0101_0101;
/// Every square but those of column a: what a step to the right can reach without wrapping around.
pub const NOT_A: u64 = !FIRST_COLUMN;
/// Every square but those of column h: what a step to the left can reach without wrapping around.
pub const NOT_H: u64 = !(FIRST_COLUMN << 7);

/// The size of a board, and the masks that follow from it.
pub trait Board: Copy + Eq + Debug + Send + Sync + 'static {
    /// How many columns, 4 to 8.
    fn columns(self) -> u32;
    /// How many rows, 4 to 8.
    fn rows(self) -> u32;

    /// All squares.
    #[inline(always)]
    fn squares(self) -> u64 {
        self.rows_below(self.rows()) & self.columns_below(self.columns())
    }

    /// The row where the side to move wins.
    #[inline(always)]
    fn goal(self) -> u64 {
        self.row(self.rows() - 1)
    }

    /// The board seen from the other side.
    #[inline(always)]
    fn flip(self, squares: u64) -> u64 {
        squares.swap_bytes() >> (8 * (8 - self.rows()))
    }

    /// One row.
    #[inline(always)]
    fn row(self, row: u32) -> u64 {
        0xff << (8 * row)
    }

    /// How many rows are in the own half. The middle row of an odd number is in it.
    #[inline(always)]
    fn half(self) -> u32 {
        self.rows().div_ceil(2)
    }

    /// The rows from the first to before the second.
    #[inline(always)]
    fn rows_in(self, rows: std::ops::Range<u32>) -> u64 {
        self.rows_below(rows.end) & !self.rows_below(rows.start)
    }

    /// The outer columns: a quarter of the width on each side.
    #[inline(always)]
    fn edges(self) -> u64 {
        let width = self.columns() / 4;
        self.columns_below(width) | (self.columns_below(self.columns()) & !self.columns_below(self.columns() - width))
    }

    /// Squares on the rim: these have five neighbours, or three where two rims meet.
    #[inline(always)]
    fn rims(self) -> (u64, u64) {
        let vertical = self.columns_below(1) | (FIRST_COLUMN << (self.columns() - 1));
        let horizontal = self.row(0) | self.goal();
        (vertical, horizontal)
    }

    /// The lowest `rows` rows.
    #[inline(always)]
    fn rows_below(self, rows: u32) -> u64 {
        if rows >= 8 { !0 } else { (1 << (8 * rows)) - 1 }
    }

    /// The leftmost `columns` columns.
    #[inline(always)]
    fn columns_below(self, columns: u32) -> u64 {
        FIRST_COLUMN * ((1 << columns) - 1)
    }
}

/// The board of 8×8 squares.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct Standard;

impl Board for Standard {
    #[inline(always)]
    fn columns(self) -> u32 {
        8
    }

    #[inline(always)]
    fn rows(self) -> u32 {
        8
    }
}

/// A board of any size from 4×4 to 8×8.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct AnySize {
    columns: u8,
    rows: u8,
}

impl AnySize {
    /// A board of this size, if there is one.
    pub fn new(columns: usize, rows: usize) -> Option<AnySize> {
        let sizes = 4..=8;
        (sizes.contains(&columns) && sizes.contains(&rows))
            .then_some(AnySize { columns: columns as u8, rows: rows as u8 })
    }
}

impl Board for AnySize {
    #[inline]
    fn columns(self) -> u32 {
        u32::from(self.columns)
    }

    #[inline]
    fn rows(self) -> u32 {
        u32::from(self.rows)
    }
}

/// A board whose size follows from a position's text.
pub trait FromSize: Board {
    /// The board of this size, if this type has one.
    fn from_size(size: AnySize) -> Option<Self>;
}

impl FromSize for Standard {
    fn from_size(size: AnySize) -> Option<Standard> {
        (size.columns == 8 && size.rows == 8).then_some(Standard)
    }
}

impl FromSize for AnySize {
    fn from_size(size: AnySize) -> Option<AnySize> {
        Some(size)
    }
}

#[cfg(test)]
mod tests {
    use super::{AnySize, Board, Standard};

    #[test]
    fn the_standard_board_is_the_general_one_of_its_size() {
        let general = AnySize::new(8, 8).unwrap();
        assert_eq!(general.squares(), Standard.squares());
        assert_eq!(general.rims(), Standard.rims());
        assert_eq!(general.edges(), Standard.edges());
        assert_eq!(Standard.edges(), 0xc3c3_c3c3_c3c3_c3c3);
        assert_eq!((general.half(), Standard.half()), (4, 4));
        assert_eq!(Standard.rows_in(4..6), 0xffff << 32);
        assert_eq!(general.rows_in(6..8), Standard.rows_in(6..8));
    }

    #[test]
    fn flipping_twice_changes_nothing() {
        for rows in 4..=8 {
            let board = AnySize::new(5, rows).unwrap();
            assert_eq!(board.flip(board.goal()), board.row(0));
            assert_eq!(board.flip(board.flip(board.squares())), board.squares());
        }
    }
}
