//! The search around a program (mate paper, section 4.1): makes every move at the root, calls the program on each
//! board, and picks the move with the best value.
//!
//! Beyond the paper, it uses iterative deepening: the program is called for mates in one, in two, and so on, with the
//! moves ordered by their last value; and it stops at the first move that is proved to mate. A program that uses
//! [`Primitive::Attempt`] is called again for all lengths, with the number of the attempt, so that it can search more
//! widely if its first attempt finds nothing.
//!
//! [`Framework::Paper`] leaves all of this out: each move at the root is made and given to the program once.

use std::cmp::Reverse;

use cozy_chess::{Board, Move};

use super::framework::Framework;
use super::lazy_node::LazyNode;
use super::node_counter::NodeCounter;
use super::profile::{NoProfiler, Profiler};
use super::proved_mates::ProvedMates;
use super::rules::legal_moves;
use super::run::{BOTTOM, Run, RunOptions, TOP};
use crate::language::{Primitive, Program, Real};

/// How often a program that uses [`Primitive::Attempt`] is run for all lengths.
const ATTEMPTS: u8 = 4;

/// A search for a mate by running a program.
#[derive(Clone)]
pub struct MateSearch<'a> {
    /// The program.
    pub program: &'a Program,
    /// The number of the player's moves within which to mate.
    pub moves: u8,
    /// The node budget.
    pub budget: u64,
    /// Whether to record the mating moves, for a proof.
    pub record_proof: bool,
    /// Whether to cache values and killer moves. Values do not depend on it, but without it more nodes are needed.
    pub use_cache: bool,
    /// What the program is embedded in.
    pub framework: Framework,
    /// Polled regularly; the search stops when it returns `true`.
    pub interrupt: &'a (dyn Fn() -> bool + Sync),
}

/// The result of a [`MateSearch`].
#[derive(Clone, Debug)]
pub struct MateResult {
    /// The move with the best value; `None` if there is no legal move.
    pub best: Option<Move>,
    /// The value of that move.
    pub score: Real,
    /// The number of moves within which it mates, if that is proved. The move is then the first proved one.
    pub mate: Option<u8>,
    /// Nodes searched.
    pub nodes: u64,
    /// Whether the node budget or an interrupt stopped the search.
    pub is_cut: bool,
    /// The mates proved during the search, if they were recorded.
    pub proved_mates: ProvedMates,
}

/// A move at the root.
#[derive(Copy, Clone)]
struct RootMove {
    /// Its index in the list of legal moves.
    place: usize,
    m: Move,
    /// Its last value.
    value: i32,
    /// The nodes that took: among equal values, moves that are hard to refute come first.
    effort: u64,
}

impl RootMove {
    fn new((place, m): (usize, Move)) -> RootMove {
        RootMove { place, m, value: BOTTOM, effort: 0 }
    }
}

impl MateSearch<'_> {
    /// Searches from this position, with the player to move.
    pub fn run(&self, root: &Board) -> MateResult {
        self.run_profiled(root, &NoProfiler)
    }

    /// Searches from this position and reports every evaluated element of the program to `profiler`.
    pub fn run_profiled<T: Profiler>(&self, root: &Board, profiler: &T) -> MateResult {
        let counter = NodeCounter::new(self.budget, self.interrupt);
        let options =
            RunOptions { record_proof: self.record_proof, use_cache: self.use_cache, framework: self.framework };
        let mut run = Run::new(self.program, options, &counter, profiler);
        let mut root_moves: Vec<RootMove> = legal_moves(root).into_iter().enumerate().map(RootMove::new).collect();
        let mate = match self.framework {
            Framework::Full => self.deepen(root, &mut run, &mut root_moves),
            Framework::Paper => {
                rate_once(root, &run, &mut root_moves);
                None
            }
        };
        // Node counts only order the work; among equal values the first legal move is chosen.
        let best = root_moves.iter().max_by_key(|root_move| (root_move.value, Reverse(root_move.place)));
        MateResult {
            best: best.map(|root_move| root_move.m),
            score: Real(best.map_or(BOTTOM, |root_move| root_move.value.min(TOP))),
            mate,
            nodes: counter.nodes(),
            is_cut: counter.is_stopped(),
            proved_mates: run.proved_mates.map(std::cell::RefCell::into_inner).unwrap_or_default(),
        }
    }

    /// Searches for a mate in one, in two, and so on, and does so again if the program can do better then. Returns the
    /// length of the mate that is proved.
    fn deepen<T: Profiler>(&self, root: &Board, run: &mut Run<'_, '_, T>, root_moves: &mut [RootMove]) -> Option<u8> {
        let attempts = if self.program.uses(Primitive::Attempt) { ATTEMPTS } else { 1 };
        for attempt in 0..attempts {
            run.begin_attempt(attempt);
            for moves in 1..=self.moves {
                let mate = search_root(&LazyNode::root(root, moves), run, root_moves);
                root_moves.sort_by_key(|root_move| Reverse((root_move.value, root_move.effort)));
                if mate.is_some() || run.counter.is_stopped() {
                    return mate;
                }
            }
        }
        None
    }
}

/// Calls the program after each move; returns the length of the mate at the first that is proved to mate.
fn search_root<T: Profiler>(here: &LazyNode<'_>, run: &Run<'_, '_, T>, root_moves: &mut [RootMove]) -> Option<u8> {
    for root_move in root_moves {
        if run.counter.is_stopped() {
            break;
        }
        let nodes = run.counter.nodes();
        let child = here.after(root_move.m);
        let value = run.call(&child);
        if let Some(more) = child.proved() {
            run.prove_by(here, root_move.m, more + 1);
        }
        if here.is_won() {
            root_move.value = TOP.saturating_add(1);
            return here.proved();
        }
        // A move that was interrupted keeps its previous value.
        if !run.counter.is_stopped() {
            *root_move = RootMove { value, effort: run.counter.nodes() - nodes, ..*root_move };
        }
    }
    None
}

/// Makes each move at the root, as the paper's first module does, and then calls the program on each board.
fn rate_once<T: Profiler>(root: &Board, run: &Run<'_, '_, T>, root_moves: &mut [RootMove]) {
    let here = LazyNode::free_root(root);
    let children: Vec<LazyNode<'_>> = root_moves.iter().map(|root_move| here.after(root_move.m)).collect();
    children.iter().for_each(|child| run.make(child));
    for (root_move, child) in root_moves.iter_mut().zip(&children) {
        root_move.value = run.call(child);
    }
}
