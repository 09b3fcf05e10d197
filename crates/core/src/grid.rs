//! What is on the squares of a board: all that a learned evaluation needs to know about a game.

/// The squares of a position as the side to move sees them: its own men play upward.
///
/// The square in column `c` and row `r`, both counted from 0, is bit `8 * r + c`. Boards have at most 8×8 squares.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct Grid {
    /// Columns, 1 to 8.
    pub columns: u32,
    /// Rows, 1 to 8.
    pub rows: u32,
    /// Squares with a man of the side to move.
    pub own: u64,
    /// Squares with a man of the opponent.
    pub enemy: u64,
}
