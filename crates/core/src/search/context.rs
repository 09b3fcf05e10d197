//! The state of a search in progress, and what all its nodes need.

use arrayvec::ArrayVec;

use super::order::Refutations;
use super::table::{EvalCache, Table};
use super::task::{Interrupt, MAX_HEIGHT, STRETCH, Sight, Watch};
use crate::depth::Depth;
use crate::eval_terms::EvalTermCache;
use crate::game::Game;
use crate::random::Random;
use crate::score::{Score, Window};
use crate::settings::{Heuristic, Techniques, Tunables};

/// A line of moves.
pub type Line<M> = ArrayVec<M, MAX_HEIGHT>;

/// A search in progress.
pub struct Search<'a, G: Game, T, P, X> {
    /// Decides how deep each move is searched.
    pub policy: &'a P,
    /// The techniques that are on.
    pub techniques: T,
    /// The constants of the techniques.
    pub tunables: &'a Tunables,
    pub heuristic: Heuristic,
    pub random: Random,
    pub table: &'a Table,
    pub refutations: &'a mut Refutations,
    pub eval_cache: &'a mut EvalCache,
    pub eval_terms: &'a mut EvalTermCache,
    /// The node limit.
    pub limit: u64,
    pub interrupt: &'a Interrupt<'a>,
    /// Calls of the search function so far, which is what a node is.
    pub nodes: u64,
    /// The node count at which to check the limits next.
    pub pause: u64,
    /// The greatest distance from the root that a line has reached.
    pub height: u32,
    /// How often each counter of the depth policy fired.
    pub fired: Vec<u64>,
    /// The evaluation at each height of the current path, where the depth policy asks for its trend; none in check.
    pub evals: Vec<Option<Score>>,
    /// The best line of the iteration before.
    pub previous: Line<G::Move>,
    /// The best line found in each node of the current path.
    pub lines: Vec<Line<G::Move>>,
    /// Why the node that is expanded next is expanded once more.
    pub again: Option<Again>,
    /// The nominal plies of this iteration.
    pub iteration: u32,
    /// The root's score in this iteration, as soon as one move is finished.
    pub root_score: Option<Score>,
    /// The keys of the positions that led here: those of the game before the root, then those of the current path.
    pub path: Vec<u64>,
    /// How many of them were before the root.
    pub past: usize,
    /// Moves that are not searched at the root, by their codes.
    pub left_out: Vec<u16>,
    /// Told about every new best move at the root.
    pub watch: Option<Watch<'a>>,
    /// Is told about every node.
    pub tracer: X,
}

/// The search ended early.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Stopped {
    /// The node limit is used up.
    Nodes,
    /// The caller raised the interrupt.
    Interrupted,
}

/// A call of the search function.
#[derive(Copy, Clone)]
pub struct Node {
    pub depth: Depth,
    pub window: Window,
    /// Plies from the root.
    pub height: u32,
    /// Whether all moves that led here are those of the previous iteration's best line.
    pub on_previous: bool,
    /// How it was reached.
    pub reached: Reached,
    /// What is expected of it.
    pub kind: NodeKind,
}

/// How a node was reached.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Reached {
    /// By a move of the search.
    ByMove,
    /// By a pass; two in a row would prove nothing.
    ByPass,
    /// By a move of quiescence search.
    InQuiescence,
}

/// Why a node is expanded once more, with less depth, before its own search goes on. It is not pruned as a whole then.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Again {
    /// To see whether it fails high without pruning.
    Unpruned,
    /// To see what it is worth without the move that has this code.
    Without(u16),
}

impl Again {
    /// The code of the move that is left out.
    #[inline(always)]
    pub const fn excluded(self) -> Option<u16> {
        match self {
            Again::Unpruned => None,
            Again::Without(code) => Some(code),
        }
    }
}

/// What is expected of a node.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum NodeKind {
    /// An open window: a score.
    Pv,
    /// A null window that the score should be above.
    Cut,
    /// A null window that the score should be below.
    All,
}

impl NodeKind {
    /// What is expected of the node after a move, when it is searched with the window of this one.
    #[inline(always)]
    pub const fn after_move(self) -> NodeKind {
        match self {
            NodeKind::Pv => NodeKind::Pv,
            NodeKind::Cut => NodeKind::All,
            NodeKind::All => NodeKind::Cut,
        }
    }

    /// What is expected of it, when it is searched with a null window.
    #[inline(always)]
    pub const fn with_null_window(self) -> NodeKind {
        match self {
            NodeKind::Pv => NodeKind::Cut,
            kind => kind,
        }
    }
}

impl<G: Game, T: Techniques, P, X> Search<'_, G, T, P, X> {
    /// The evaluation; with a transposition table, evaluations are cached too.
    #[inline]
    pub fn evaluate(&mut self, position: &G, key: u64) -> Score {
        if !self.techniques.table() {
            return position.evaluate_with(self.heuristic, self.eval_terms);
        }
        self.eval_cache.get_or(key, || position.evaluate_with(self.heuristic, self.eval_terms))
    }

    /// Whether the move with this code may be searched at this height.
    #[inline]
    pub fn allows(&self, code: u16, height: u32) -> bool {
        height > 0 || !self.left_out.contains(&code)
    }

    /// Whether tactical moves are told from quiet ones, to be tried first.
    #[inline(always)]
    pub fn has_tactical_moves(&self) -> bool {
        G::TACTICAL && self.techniques.captures()
    }

    /// Whether the keys of the current path are kept, to recognise repetitions.
    #[inline(always)]
    pub fn keeps_path(&self) -> bool {
        G::DRAWS && self.techniques.repetition()
    }

    /// Cuts the path to the positions above this height: what a sibling's subtree left behind is not on it.
    ///
    /// Captures in quiescence leave gaps, filled with zeros: no position before a capture can be repeated after it.
    #[inline(always)]
    pub fn cut_path(&mut self, height: u32) {
        self.path.resize(self.past + height as usize, 0);
    }

    /// Whether this position is a repetition: once on the path from the root, or twice in the game. The path ends with
    /// the position before this one.
    pub fn is_repetition(&self, position: &G) -> bool {
        let reach = (position.reversible_plies() as usize).min(self.path.len());
        if reach < 4 {
            return false;
        }
        let key = position.key();
        let mut before_root = 0;
        // The last position of the path is the one the opponent moved in, the one before it was ours.
        for place in (self.path.len() - reach..self.path.len() - 3).rev() {
            if (self.path.len() - place).is_multiple_of(2) && self.path[place] == key {
                before_root += u32::from(place < self.past);
                if place >= self.past || before_root == 2 {
                    return true;
                }
            }
        }
        false
    }

    /// Keeps the line that begins with this move as the best so far at this height.
    pub fn keep_line(&mut self, m: G::Move, height: u32) {
        let (upper, lower) = self.lines.split_at_mut(height as usize + 1);
        let line = &mut upper[height as usize];
        line.clear();
        line.push(m);
        line.extend(lower[0].iter().copied().take(MAX_HEIGHT - 1));
    }

    /// Tells the watch that this move is the best so far, unless its score is only a bound.
    pub fn show_root(&mut self, position: &G, m: G::Move, score: Score, window: Window) {
        if let Some(Watch(tell)) = self.watch
            && score < window.beta
        {
            tell(&Sight { best: position.print_move(m), score, nodes: self.nodes });
            // The caller may want no more, so the interrupt is asked before anything else is searched.
            self.pause = self.nodes;
        }
    }

    /// Whether to continue: asked every [`STRETCH`] nodes.
    #[cold]
    pub fn check_limits(&mut self) -> Result<(), Stopped> {
        if self.nodes >= self.limit {
            return Err(Stopped::Nodes);
        }
        if (self.interrupt)() {
            return Err(Stopped::Interrupted);
        }
        self.pause = self.limit.min(self.nodes + STRETCH);
        Ok(())
    }
}
