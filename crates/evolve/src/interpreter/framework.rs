//! What a program is embedded in: ours, or the paper's.

/// What a program is embedded in.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Default)]
pub enum Framework {
    /// Ours: deepening, proofs, memory, move ordering, a limited number of moves, and only checks with the last move.
    #[default]
    Full,
    /// The paper's: none of these. A board is made, and counted, when its move is made, those at the root first. When
    /// the budget is spent, no further move is made, and the values are used all the same.
    Paper,
}
