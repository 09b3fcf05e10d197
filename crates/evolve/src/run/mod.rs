//! Runs programs: the interpreter, and the frame it stands in (mate paper, section 4.1).
//!
//! Positions are copied when a move is made, so there is nothing to undo on any path. A place keeps what is proved of it:
//! whatever a program makes of its values, the interpreter notes mates that were reached on every reply, and a place
//! that is won in time is worth 1000. So a program decides where to look, never what is true.
//!
//! | file | what |
//! | --- | --- |
//! | `lazy_node` | a board on the way, made when it is looked at; the meter |
//! | `memory` | what a hunt learned: answers of the program, and moves to try first |
//! | `moves` | the functions that make moves (Table 5) |
//! | `terminals` | what is asked of a board (Tables 3 and 6) |
//! | `mate_search` | the frame: every move at the root, deeper and deeper |

mod lazy_node;
pub mod mate_search;
mod memory;
mod moves;
mod terminals;

use std::cell::{Cell, RefCell};
use std::collections::HashMap;

use cozy_chess::Move;

use lazy_node::LazyNode;
pub use lazy_node::Meter;
use mate_search::MateSearch;
use memory::{Answer, Memory};
pub use moves::{Moves, legal_moves};

use crate::language::Primitive as P;
use crate::language::program::{Node, Program, Real};

/// What mates were found, by the key of the board with the player to move: how, and within how many moves.
pub type Ledger = HashMap<u64, (Move, u8)>;

/// Told of every element that is evaluated; the interpreter without one costs nothing.
pub trait Tally {
    /// This element is evaluated.
    fn enter(&self, at: usize);
}

/// Counts nothing.
#[derive(Copy, Clone, Debug, Default)]
pub struct NoTally;

/// Counts how often each element is evaluated.
#[derive(Debug, Default)]
pub struct Counts(RefCell<Vec<u64>>);

/// A program at work.
struct Run<'p, 'm, T> {
    program: &'p Program,
    meter: &'m Meter<'m>,
    tally: &'p T,
    memory: RefCell<Memory>,
    /// How mates are done, where that is to be kept.
    ledger: Option<RefCell<Ledger>>,
    /// Where the program was entered last, in plies from the root.
    entered: Cell<u16>,
    /// How often the program may still call itself inside itself.
    calls_left: Cell<usize>,
}

/// Elements that may be under evaluation at once: a program is stopped before the stack is full.
const MOST_NESTED: usize = 3_000;

const TOP: i32 = Real::TOP.0;
const BOTTOM: i32 = Real::BOTTOM.0;
/// What a program that was stopped gives; nobody looks at it.
const NOTHING: i32 = 0;

impl Tally for NoTally {
    #[inline]
    fn enter(&self, _at: usize) {}
}

impl Tally for Counts {
    fn enter(&self, at: usize) {
        if let Some(count) = self.0.borrow_mut().get_mut(at) {
            *count += 1;
        }
    }
}

impl Counts {
    /// For a program of this many elements.
    pub fn new(size: usize) -> Counts {
        Counts(RefCell::new(vec![0; size]))
    }

    /// How often each element was evaluated.
    pub fn into_vec(self) -> Vec<u64> {
        self.0.into_inner()
    }
}

impl<'p, 'm, T: Tally> Run<'p, 'm, T> {
    fn new(search: &MateSearch<'p>, meter: &'m Meter<'m>, tally: &'p T) -> Run<'p, 'm, T> {
        let program = search.program;
        let calls_left = Cell::new(MOST_NESTED / program.depth().max(1));
        let ledger = search.keep.then(|| RefCell::new(Ledger::new()));
        let memory = RefCell::new(Memory::for_program(program, search.remember));
        Run { program, meter, tally, memory, ledger, entered: Cell::new(0), calls_left }
    }

    /// The program on this place.
    fn call(&self, here: &LazyNode<'_>) -> i32 {
        let calls_left = self.calls_left.get();
        if calls_left == 0 {
            self.meter.stop();
            return NOTHING;
        }
        let key = self.memory.borrow().key(here, self.meter);
        if let Some(answer) = key.and_then(|key| self.memory.borrow().recall(key)) {
            if let Some(moves) = answer.proved {
                here.prove(moves);
            }
            return answer.value;
        }
        self.calls_left.set(calls_left - 1);
        let entered = self.entered.replace(here.ply);
        let nodes = self.meter.nodes();
        let value = self.value(0, here);
        self.entered.set(entered);
        self.calls_left.set(calls_left);
        if let Some(key) = key.filter(|_| !self.meter.is_stopped()) {
            self.memory.borrow_mut().keep(key, Answer { value, proved: here.proved() }, self.meter.nodes() - nodes);
        }
        value
    }

    /// What the part that begins at `at` gives here; Booleans are 0 and 1.
    fn value(&self, at: usize, here: &LazyNode<'_>) -> i32 {
        if self.meter.is_stopped() {
            return NOTHING;
        }
        self.tally.enter(at);
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

    fn holds(&self, at: usize, here: &LazyNode<'_>) -> bool {
        self.value(at, here) != 0
    }

    fn arguments(&self, at: usize) -> impl Iterator<Item = usize> + '_ {
        self.program.arguments(at)
    }

    /// The player mates by this move, within so many moves with it.
    fn prove_by(&self, here: &LazyNode<'_>, m: Move, moves: u8) {
        if here.prove(moves)
            && let Some(ledger) = &self.ledger
        {
            let key = here.board(self.meter).hash();
            let mut ledger = ledger.borrow_mut();
            let known = ledger.entry(key).or_insert((m, moves));
            if moves < known.1 {
                *known = (m, moves);
            }
        }
    }
}
