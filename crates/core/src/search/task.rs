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
    /// What the order of moves is drawn from.
    pub seed: u64,
    /// Asked now and then whether to stop early.
    pub interrupt: &'a Interrupt<'a>,
    /// What is special about the root.
    pub root: Root<'a>,
}

/// What is special about the root of a search; by default nothing.
#[derive(Copy, Clone, Default, Debug)]
pub struct Root<'a> {
    /// The keys of the positions that stood on the board before, the oldest first.
    pub past: &'a [u64],
    /// The only moves to be searched; none stands for all. What is not a legal move is passed over.
    pub only: &'a [String],
    /// How many more lines to search than the best, each begun with another move.
    pub more_lines: usize,
    /// How many of the first iterations to leave out, so that searches at the same time do not all do the same.
    pub skip: u32,
    /// Who is told what is best at the root, while iterations are still under way.
    pub watch: Option<Watch<'a>>,
}

/// Is told of every move that turns out to be the best so far at the root, once its score is more than a bound. The
/// [`Interrupt`] is asked right after it.
#[derive(Copy, Clone)]
pub struct Watch<'a>(pub &'a (dyn Fn(&Sight) + Sync));

/// What is best at the root at some moment of a search.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Sight {
    /// The move.
    pub best: String,
    /// Its value for the side to move.
    pub score: Score,
    /// Nodes searched so far.
    pub nodes: u64,
}

/// Whether a search should stop although its limit is not reached: a key was pressed, a clock ran out.
///
/// It is asked before the first node, then every [`STRETCH`] nodes, and after every observed iteration.
pub type Interrupt<'a> = dyn Fn() -> bool + Sync + 'a;

/// When a search stops if it has not proved a result before.
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

    /// So many nodes, at any depth.
    pub const fn nodes(nodes: u64) -> Limit {
        Limit { nodes, depth: Limit::DEEPEST, win: u32::MAX }
    }

    /// So many nominal plies, whatever they take.
    pub const fn depth(depth: u32) -> Limit {
        Limit { nodes: u64::MAX, depth, win: u32::MAX }
    }
}

impl fmt::Debug for Watch<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Watch")
    }
}
