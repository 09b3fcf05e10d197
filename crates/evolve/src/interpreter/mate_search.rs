//! The frame around a program (mate paper, section 4.1): it makes every move at the root, asks the program about each
//! board, and picks the move with the best answer.
//!
//! Beyond the paper, a program is asked again and again with one more move to hunt with, the best move of the last time
//! first; and the frame stops at the first move that is proved to mate.

use std::cmp::Reverse;

use cozy_chess::{Board, Move};

use super::lazy_node::LazyNode;
use super::node_counter::NodeCounter;
use super::profile::{NoProfiler, Profiler};
use super::proved_mates::ProvedMates;
use super::rules::legal_moves;
use super::run::{BOTTOM, Run, RunOptions, TOP};
use crate::language::{Program, Real};

/// A hunt for a mate.
#[derive(Clone)]
pub struct MateSearch<'a> {
    /// Who hunts.
    pub program: &'a Program,
    /// Within how many of the player's moves.
    pub moves: u8,
    /// How many boards may be reached.
    pub budget: u64,
    /// Whether to keep how the mates are done, for a proof.
    pub record_proof: bool,
    /// Whether to remember what was learned on the way. Values are the same without, but more boards are reached.
    pub use_cache: bool,
    /// Asked now and then whether to stop.
    pub interrupt: &'a (dyn Fn() -> bool + Sync),
}

/// What came of a hunt.
#[derive(Clone, Debug)]
pub struct MateResult {
    /// The move with the best answer; none if there is no move.
    pub best: Option<Move>,
    /// What the program says of it.
    pub score: Real,
    /// Within how many moves it mates, if that is proved: then it is the first such move that was found.
    pub mate: Option<u8>,
    /// Boards reached.
    pub nodes: u64,
    /// Whether the budget or an interrupt ended it.
    pub is_cut: bool,
    /// How mates are done that were found on the way, if they were to be kept.
    pub proved_mates: ProvedMates,
}

/// A move at the root.
#[derive(Copy, Clone)]
struct RootMove {
    /// Its place among the legal moves.
    place: usize,
    m: Move,
    /// What the program said last.
    value: i32,
    /// How many boards that took: what is hard to refute comes first among equals.
    effort: u64,
}

impl RootMove {
    fn new((place, m): (usize, Move)) -> RootMove {
        RootMove { place, m, value: BOTTOM, effort: 0 }
    }
}

impl MateSearch<'_> {
    /// Hunts from this position, the player to move.
    pub fn run(&self, root: &Board) -> MateResult {
        self.run_profiled(root, &NoProfiler)
    }

    /// The same, and tells which elements of the program are evaluated.
    pub fn run_profiled<T: Profiler>(&self, root: &Board, profiler: &T) -> MateResult {
        let counter = NodeCounter::new(self.budget, self.interrupt);
        let options = RunOptions { record_proof: self.record_proof, use_cache: self.use_cache };
        let run = Run::new(self.program, options, &counter, profiler);
        let mut answers: Vec<RootMove> = legal_moves(root).into_iter().enumerate().map(RootMove::new).collect();
        let mut mate = None;
        for moves in 1..=self.moves {
            let here = LazyNode::root(root, moves);
            for answer in &mut answers {
                if counter.is_stopped() {
                    break;
                }
                let nodes = counter.nodes();
                let child = here.after(answer.m);
                let value = run.call(&child);
                if let Some(more) = child.proved() {
                    run.prove_by(&here, answer.m, more + 1);
                }
                if here.is_won() {
                    mate = here.proved();
                    answer.value = TOP.saturating_add(1);
                    break;
                }
                // A move that was cut off in the middle keeps what was said of it before.
                if !counter.is_stopped() {
                    *answer = RootMove { value, effort: counter.nodes() - nodes, ..*answer };
                }
            }
            answers.sort_by_key(|answer| Reverse((answer.value, answer.effort)));
            if mate.is_some() || counter.is_stopped() {
                break;
            }
        }
        // Efforts order the work; the choice among equals is by the order of the rules alone.
        let best = answers.iter().max_by_key(|answer| (answer.value, Reverse(answer.place)));
        MateResult {
            best: best.map(|answer| answer.m),
            score: Real(best.map_or(BOTTOM, |answer| answer.value.min(TOP))),
            mate,
            nodes: counter.nodes(),
            is_cut: counter.is_stopped(),
            proved_mates: run.proved_mates.map(std::cell::RefCell::into_inner).unwrap_or_default(),
        }
    }
}
