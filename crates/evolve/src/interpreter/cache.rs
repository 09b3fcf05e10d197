//! What a hunt learned on its way. It saves boards and changes no value: a program is a function of the board, of the one
//! before if it asks about the last move, and of the moves left; and the best of several moves is the same in any order.

use std::collections::HashMap;

use cozy_chess::Move;

use super::lazy_node::LazyNode;
use super::node_counter::NodeCounter;
use crate::hashing::KeyHashState;
use crate::language::Primitive as P;
use crate::language::{Node, Program};

/// What the program said of a board.
#[derive(Copy, Clone, Debug)]
pub struct CachedValue {
    pub value: i32,
    /// Within how many moves the player was seen to mate.
    pub proved: Option<u8>,
}

/// The memory of one hunt.
#[derive(Default)]
pub struct SearchCache {
    is_on: bool,
    values: HashMap<u64, CachedValue, KeyHashState>,
    /// The move that decided a board last.
    cutoff_moves: HashMap<u64, Move, KeyHashState>,
    /// The move that decided some board this far from the root last.
    killers: Vec<Option<Move>>,
    /// Whether the program asks about the last move before it makes one.
    looks_back: bool,
    /// Whether the first thing it asks is answered without making the board: then no key of the board is at hand.
    peeks_first: bool,
}

/// Answers that took fewer boards are quicker found again than remembered.
const LEAST_NODES: u64 = 4;
/// The memory is emptied before it has more entries.
const MOST_ENTRIES: usize = 1 << 22;

impl SearchCache {
    /// For hunts of this program, or one that remembers nothing.
    pub fn for_program(program: &Program, remember: bool) -> SearchCache {
        let (looks_back, peeks_first) = (looks_back(program, 0), peeks_first(program));
        SearchCache { is_on: remember, looks_back, peeks_first, ..SearchCache::default() }
    }

    /// The name of a question to the program, if answers are remembered.
    pub fn key(&self, here: &LazyNode<'_>, counter: &NodeCounter<'_>) -> Option<u64> {
        if !self.is_on {
            return None;
        }
        let place = match here.way_here(counter) {
            Some((before, m)) if self.peeks_first => {
                let promotion = m.promotion.map_or(7, |piece| piece as u64);
                let code = promotion << 12 | (m.from as u64) << 6 | m.to as u64;
                before.rotate_left(32) ^ (code + 1).wrapping_mul(0xd6e8_feb8_6659_fd93)
            }
            Some((before, _)) if self.looks_back => here.key(counter) ^ before.rotate_left(32),
            _ => here.key(counter),
        };
        Some(place ^ (u64::from(here.left) + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15))
    }

    /// The answer, if it is known.
    pub fn recall(&self, key: u64) -> Option<CachedValue> {
        self.values.get(&key).copied()
    }

    /// Keeps an answer that took so many boards.
    pub fn keep(&mut self, key: u64, value: CachedValue, nodes: u64) {
        if nodes >= LEAST_NODES {
            if self.values.len() >= MOST_ENTRIES {
                self.values.clear();
            }
            self.values.insert(key, value);
        }
    }

    /// Moves to try first.
    pub fn preferred(&self, here: &LazyNode<'_>, counter: &NodeCounter<'_>) -> [Option<Move>; 2] {
        if !self.is_on {
            return [None, None];
        }
        let cutoff = self.cutoff_moves.get(&here.key(counter)).copied();
        [cutoff, self.killers.get(usize::from(here.ply)).copied().flatten()]
    }

    /// This move decided the board: it mates, or refutes.
    pub fn record_cutoff(&mut self, here: &LazyNode<'_>, m: Move, counter: &NodeCounter<'_>) {
        if !self.is_on {
            return;
        }
        if self.cutoff_moves.len() >= MOST_ENTRIES {
            self.cutoff_moves.clear();
        }
        self.cutoff_moves.insert(here.key(counter), m);
        let ply = usize::from(here.ply);
        if self.killers.len() <= ply {
            self.killers.resize(ply + 1, None);
        }
        self.killers[ply] = Some(m);
    }
}

/// Whether the part that begins here asks about the last move on the board where it begins.
fn looks_back(program: &Program, at: usize) -> bool {
    let Node::Call(primitive) = program.nodes()[at] else { return false };
    match primitive {
        P::DidNumAttackingKingIncrease
        | P::IsDiscoveredCheck
        | P::IsDiscoveredProtectedCheck
        | P::NumNotMovesOppBigger
        | P::IsMaterialChange => true,
        // What follows a move asks about that move; only the last argument is for the board as it stands.
        P::MakeBestMove => false,
        _ if primitive.makes_moves() => program.arguments(at).last().is_some_and(|last| looks_back(program, last)),
        _ => program.arguments(at).any(|argument| looks_back(program, argument)),
    }
}

/// Whether the first question of the program is one that the last move answers.
fn peeks_first(program: &Program) -> bool {
    let mut at = 0;
    loop {
        match program.nodes()[at] {
            Node::Call(P::IsCheck | P::IsMaterialChange) => return true,
            Node::Call(P::If3 | P::And2 | P::And3 | P::Or2 | P::Or3 | P::Not) => at += 1,
            _ => return false,
        }
    }
}
