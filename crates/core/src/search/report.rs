//! What a search found.

use crate::score::Score;

/// What a search found, and what it cost.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Report<M> {
    /// The best line, from the last iteration in which at least one move was searched; any legal move
    /// if there was none.
    pub line: Vec<M>,
    /// The value of that line for the side to move at the root.
    pub score: Score,
    /// Calls of the search function: every made move, and the root once an iteration.
    pub nodes: u64,
    /// Of these, made moves.
    pub moves: u64,
    /// The deepest iteration that was finished, in nominal plies.
    pub depth: u32,
    /// The greatest distance from the root.
    pub height: u32,
    /// For each feature of the scheme, how many moves it gave their weight.
    pub fired: Vec<u64>,
    /// Why it ended.
    pub end: End,
    /// The rank of this line, 0 for the best; see [`super::Root::more_lines`].
    pub rank: usize,
    /// How much of the transposition table is in use, of a thousand.
    pub fullness: u32,
}

/// Is given a report after every finished iteration.
pub type Observer<'a, M> = &'a mut dyn FnMut(Report<M>);

/// Why a search ended.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum End {
    /// A win or loss is proved.
    Proved,
    /// The depth limit was reached.
    Depth,
    /// The node limit was reached.
    Nodes,
    /// It was interrupted.
    Interrupted,
}

impl<M> Report<M> {
    /// The best move: the first of the best line.
    pub fn best(&self) -> Option<&M> {
        self.line.first()
    }

    /// Converts the moves of the line, from the first on.
    pub fn with_line<N>(self, write: impl FnMut(M) -> N) -> Report<N> {
        let Report { line, score, nodes, moves, depth, height, fired, end, rank, fullness } = self;
        let line = line.into_iter().map(write).collect();
        Report { line, score, nodes, moves, depth, height, fired, end, rank, fullness }
    }
}
