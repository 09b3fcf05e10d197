//! What to search, how, and when to stop.

use std::fmt;

use crate::feature::Scheme;
use crate::score::Score;
use crate::settings::Settings;

/// No line is searched further than this from the root, whatever its moves cost.
pub const MAX_HEIGHT: usize = 128;

/// Nodes between two looks at the interrupt: a millisecond or two.
pub const STRETCH: u64 = 1 << 11;

/// Everything a search depends on but the position.
#[derive(Clone)]
pub struct Task<'a> {
    /// How to search.
    pub settings: Settings,
    /// Which moves to search deeper or shallower.
    pub scheme: &'a Scheme,
    /// When to stop.
    pub limit: Limit,
    /// The random seed.
    pub seed: u64,
    /// Asked regularly whether to stop early.
    pub interrupt: &'a Interrupt<'a>,
    /// Options of the root.
    pub root: Root<'a>,
}

/// Options of the root of a search; by default none.
#[derive(Copy, Clone, Default, Debug)]
pub struct Root<'a> {
    /// The keys of the positions that stood on the board before, the oldest first.
    pub past: &'a [u64],
    /// The only moves to be searched; empty for all. Moves that are not legal are ignored.
    pub only: &'a [String],
    /// Lines to search besides the best, each with a different first move (UCI's MultiPV less one).
    pub more_lines: usize,
    /// Iterations to skip at the beginning, so that parallel searches differ.
    pub skip: u32,
    /// Told what is best at the root, during iterations.
    pub watch: Option<Watch<'a>>,
}

/// A callback for every new best move at the root whose score is exact. The [`Interrupt`] is asked right after it.
#[derive(Copy, Clone)]
pub struct Watch<'a>(pub &'a (dyn Fn(&Sight) + Sync));

/// The best move at the root at some moment of a search.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Sight {
    /// The move.
    pub best: String,
    /// Its value for the side to move.
    pub score: Score,
    /// Nodes searched so far.
    pub nodes: u64,
}

/// Whether a search should stop before its limit: a key was pressed, a clock ran out.
///
/// It is asked before the first node, then every [`STRETCH`] nodes, and after every observed iteration.
pub type Interrupt<'a> = dyn Fn() -> bool + Sync + 'a;

/// When a search stops, unless it proves a result first.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct Limit {
    /// Never more than this many nodes.
    pub nodes: u64,
    /// Never deeper than this many nominal plies.
    pub depth: u32,
    /// A forced win within this many plies is enough.
    pub win: u32,
}

impl Limit {
    /// The deepest iteration there is.
    pub const DEEPEST: u32 = MAX_HEIGHT as u32 - 1;

    /// A limit of nodes, at any depth.
    pub const fn nodes(nodes: u64) -> Limit {
        Limit { nodes, depth: Limit::DEEPEST, win: u32::MAX }
    }

    /// A limit of nominal plies, whatever they take.
    pub const fn depth(depth: u32) -> Limit {
        Limit { nodes: u64::MAX, depth, win: u32::MAX }
    }
}

impl fmt::Debug for Watch<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Watch")
    }
}
