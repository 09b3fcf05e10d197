//! Evaluates the expressions of a program on a node.

use std::cell::{Cell, RefCell};

use cozy_chess::Move;

use super::cache::{CachedValue, SearchCache};
use super::framework::Framework;
use super::lazy_node::LazyNode;
use super::node_counter::NodeCounter;
use super::profile::Profiler;
use super::proved_mates::ProvedMates;
use crate::language::{Node, Primitive as P, Program, Real};

/// Options of a run.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(super) struct RunOptions {
    /// Whether to record the mating moves, for a proof.
    pub record_proof: bool,
    /// Whether to cache values and killer moves.
    pub use_cache: bool,
    /// What the program is embedded in.
    pub framework: Framework,
}

/// A program being evaluated.
pub(super) struct Run<'p, 'm, T> {
    program: &'p Program,
    pub(super) counter: &'m NodeCounter<'m>,
    profiler: &'p T,
    pub(super) cache: RefCell<SearchCache>,
    /// The proved mates, if they are recorded.
    pub(super) proved_mates: Option<RefCell<ProvedMates>>,
    /// The number of the attempt.
    pub(super) attempt: u8,
    /// Whether the program is embedded in the paper's framework.
    pub(super) is_bare: bool,
    /// The ply at which the program was last entered.
    entered: Cell<u16>,
    /// How many more recursive calls are allowed.
    calls_left: Cell<usize>,
}

/// The largest number of nested elements under evaluation, which bounds the stack.
const MOST_NESTED: usize = 3_000;

pub(super) const TOP: i32 = Real::TOP.0;
pub(super) const BOTTOM: i32 = Real::BOTTOM.0;
/// The value after the search was stopped; it is never used.
pub(super) const NOTHING: i32 = 0;

impl<'p, 'm, T: Profiler> Run<'p, 'm, T> {
    pub(super) fn new(
        program: &'p Program,
        options: RunOptions,
        counter: &'m NodeCounter<'m>,
        profiler: &'p T,
    ) -> Run<'p, 'm, T> {
        let calls_left = Cell::new(MOST_NESTED / program.depth().max(1));
        let proved_mates = options.record_proof.then(|| RefCell::new(ProvedMates::new()));
        let is_bare = options.framework == Framework::Paper;
        let cache = RefCell::new(SearchCache::for_program(program, options.use_cache && !is_bare));
        let entered = Cell::new(0);
        Run { program, counter, profiler, cache, proved_mates, attempt: 0, is_bare, entered, calls_left }
    }

    /// From here on, the program is asked for the attempt with this number.
    pub(super) fn begin_attempt(&mut self, attempt: u8) {
        self.attempt = attempt;
        self.cache.borrow_mut().begin_attempt(attempt);
    }

    /// Makes the board after a move, if boards are made when moves are.
    pub(super) fn make(&self, child: &LazyNode<'_>) {
        if self.is_bare {
            child.board(self.counter);
        }
    }

    /// Calls the program on this node.
    pub(super) fn call(&self, here: &LazyNode<'_>) -> i32 {
        let calls_left = self.calls_left.get();
        if calls_left == 0 {
            self.counter.stop();
            return NOTHING;
        }
        let key = self.cache.borrow().key(here, self.counter);
        if let Some(cached) = key.and_then(|key| self.cache.borrow().get(key)) {
            if let Some(moves) = cached.proved {
                here.prove(moves);
            }
            return cached.value;
        }
        self.calls_left.set(calls_left - 1);
        let entered = self.entered.replace(here.ply);
        let nodes = self.counter.nodes();
        let value = self.value(0, here);
        self.entered.set(entered);
        self.calls_left.set(calls_left);
        if let Some(key) = key.filter(|_| !self.counter.is_stopped()) {
            self.cache.borrow_mut().insert(
                key,
                CachedValue { value, proved: here.proved() },
                self.counter.nodes() - nodes,
            );
        }
        value
    }

    /// The value of the subtree at `at`; Booleans are 0 and 1.
    pub(super) fn value(&self, at: usize, here: &LazyNode<'_>) -> i32 {
        if self.counter.is_stopped() && !self.is_bare {
            return NOTHING;
        }
        self.profiler.enter(at);
        let primitive = match self.program.nodes()[at] {
            Node::Number(number) => return number.0,
            Node::Truth(truth) => return i32::from(truth),
            Node::Call(primitive) => primitive,
        };
        let first = at + 1;
        let next = |argument: usize| self.program.end(argument);
        match primitive {
            P::If3 => {
                let then = next(first);
                self.value(if self.holds(first, here) { then } else { next(then) }, here)
            }
            P::And2 => i32::from(self.holds(first, here) && self.holds(next(first), here)),
            P::Or2 => i32::from(self.holds(first, here) || self.holds(next(first), here)),
            P::And3 => i32::from(self.arguments(at).all(|argument| self.holds(argument, here))),
            P::Or3 => i32::from(self.arguments(at).any(|argument| self.holds(argument, here))),
            P::Not => i32::from(!self.holds(first, here)),
            P::Smaller => i32::from(self.value(first, here) < self.value(next(first), here)),
            P::Again if here.ply == self.entered.get() => Real::whole(0).0,
            P::Again => self.call(here),
            _ if first < self.program.end(at) => self.make_moves(primitive, at, here),
            _ => self.terminal(primitive, here),
        }
    }

    pub(super) fn holds(&self, at: usize, here: &LazyNode<'_>) -> bool {
        self.value(at, here) != 0
    }

    pub(super) fn arguments(&self, at: usize) -> impl Iterator<Item = usize> + '_ {
        self.program.arguments(at)
    }

    /// Records that this move mates within `moves` moves, itself included.
    pub(super) fn prove_by(&self, here: &LazyNode<'_>, m: Move, moves: u8) {
        if here.prove(moves)
            && let Some(proved_mates) = &self.proved_mates
        {
            let key = here.board(self.counter).hash();
            let mut proved_mates = proved_mates.borrow_mut();
            let known = proved_mates.entry(key).or_insert((m, moves));
            if moves < known.1 {
                *known = (m, moves);
            }
        }
    }
}
