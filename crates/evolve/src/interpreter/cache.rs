//! The cache of one search: values of the program by board, and moves to try first. It saves nodes and changes no
//! value: a program is a function of the board, of the previous board if it uses the last move, and of the moves left;
//! and the best of several moves does not depend on their order.

use std::collections::HashMap;

use cozy_chess::Move;

use super::lazy_node::LazyNode;
use super::node_counter::NodeCounter;
use crate::hashing::KeyHashState;
use crate::language::Primitive as P;
use crate::language::{Node, Program};

/// The cached value of the program on a board.
#[derive(Copy, Clone, Debug)]
pub struct CachedValue {
    pub value: i32,
    /// The number of moves within which the player was proved to mate.
    pub proved: Option<u8>,
}

/// The cache of one search.
#[derive(Default)]
pub struct SearchCache {
    is_enabled: bool,
    values: HashMap<u64, CachedValue, KeyHashState>,
    /// The last move that caused a cutoff, by board.
    cutoff_moves: HashMap<u64, Move, KeyHashState>,
    /// Killer moves: the last move that caused a cutoff, by ply.
    killers: Vec<Option<Move>>,
    /// Whether the program uses the last move before it makes one.
    looks_back: bool,
    /// Whether the program uses the number of quiet moves on the way to the board.
    counts_quiet_moves: bool,
    /// The number of the attempt, if the program uses it.
    attempt: u8,
    /// Whether the first primitive is evaluated without making the board; then the key of the board is not available.
    peeks_first: bool,
}

/// Values that took fewer nodes are cheaper to compute again than to cache.
const LEAST_NODES: u64 = 4;
/// The cache is cleared when it has this many entries.
const MOST_ENTRIES: usize = 1 << 22;

impl SearchCache {
    /// About the most bytes of the cache of a search with this many nodes: two tables, each with 17 bytes for a place,
    /// which is held twice when a table grows.
    pub fn most_bytes(nodes: u64) -> u64 {
        (nodes / LEAST_NODES).min(MOST_ENTRIES as u64) * 2 * 3 * 17 * 8 / 7
    }

    /// A cache for searches with this program; with `enabled` false it stays empty.
    pub fn for_program(program: &Program, enabled: bool) -> SearchCache {
        let (looks_back, peeks_first) = (looks_back(program, 0), peeks_first(program));
        let counts_quiet_moves = program.uses(P::NumQuietMoves);
        SearchCache { is_enabled: enabled, looks_back, peeks_first, counts_quiet_moves, ..SearchCache::default() }
    }

    /// From here on, values are of this attempt.
    pub fn begin_attempt(&mut self, attempt: u8) {
        self.attempt = attempt;
    }

    /// The key of a call of the program, or `None` if the cache is off.
    pub fn key(&self, here: &LazyNode<'_>, counter: &NodeCounter<'_>) -> Option<u64> {
        if !self.is_enabled {
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
        let quiet = if self.counts_quiet_moves { u64::from(here.quiet_moves(counter)) } else { 0 };
        let state = u64::from(here.left) + 1 + (quiet << 8) + (u64::from(self.attempt) << 16);
        Some(place ^ state.wrapping_mul(0x9e37_79b9_7f4a_7c15))
    }

    /// The cached value, if there is one.
    pub fn get(&self, key: u64) -> Option<CachedValue> {
        self.values.get(&key).copied()
    }

    /// Caches a value that took `nodes` nodes.
    pub fn insert(&mut self, key: u64, value: CachedValue, nodes: u64) {
        if nodes >= LEAST_NODES {
            if self.values.len() >= MOST_ENTRIES {
                self.values.clear();
            }
            self.values.insert(key, value);
        }
    }

    /// The moves to try first: the cutoff move of the board, then the killer move of the ply.
    pub fn preferred(&self, here: &LazyNode<'_>, counter: &NodeCounter<'_>) -> [Option<Move>; 2] {
        if !self.is_enabled {
            return [None, None];
        }
        let cutoff = self.cutoff_moves.get(&here.key(counter)).copied();
        [cutoff, self.killers.get(usize::from(here.ply)).copied().flatten()]
    }

    /// Records a move that caused a cutoff: it mates, or refutes.
    pub fn record_cutoff(&mut self, here: &LazyNode<'_>, m: Move, counter: &NodeCounter<'_>) {
        if !self.is_enabled {
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

/// Whether the subtree at `at` uses the last move on the board where it starts.
fn looks_back(program: &Program, at: usize) -> bool {
    let Node::Call(primitive) = program.nodes()[at] else { return false };
    match primitive {
        P::DidNumAttackingKingIncrease
        | P::IsDiscoveredCheck
        | P::IsDiscoveredProtectedCheck
        | P::NumNotMovesOppBigger
        | P::IsMaterialChange
        | P::LastMoveDistance
        | P::IsLastMoveAttacking
        | P::IsLastMoveCapturable => true,
        // The subtrees after a move use that move; only the last argument is evaluated on the current board.
        _ if primitive.always_moves() => false,
        _ if primitive.makes_moves() => program.arguments(at).last().is_some_and(|last| looks_back(program, last)),
        _ => program.arguments(at).any(|argument| looks_back(program, argument)),
    }
}

/// Whether the first primitive that the program evaluates can be decided from the last move alone.
fn peeks_first(program: &Program) -> bool {
    let mut at = 0;
    loop {
        match program.nodes()[at] {
            Node::Call(P::IsCheck | P::IsMaterialChange) => return true,
            Node::Call(P::IsLastMoveAttacking | P::IsLastMoveCapturable) => return true,
            Node::Call(P::Smaller) => return compares_without_board(program, at),
            Node::Call(P::If3 | P::And2 | P::And3 | P::Or2 | P::Or3 | P::Not) => at += 1,
            _ => return false,
        }
    }
}

/// Whether this comparison needs no board, and is not one of constants.
fn compares_without_board(program: &Program, at: usize) -> bool {
    let is_known = |place: usize| {
        let node = program.nodes()[place];
        matches!(node, Node::Call(P::MovesLeft | P::Attempt | P::NumQuietMoves | P::LastMoveDistance))
    };
    let is_constant = |place: usize| matches!(program.nodes()[place], Node::Number(_));
    program.arguments(at).all(|place| is_known(place) || is_constant(place)) && program.arguments(at).any(is_known)
}
