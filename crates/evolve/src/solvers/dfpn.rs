//! Depth-first proof-number search (df-pn; Nagai 2002) with a hash table, the strongest reference solver.
//!
//! It proves or disproves a position for a number of moves left. The number decreases along every path, so there are no
//! cycles. The initial proof number of an opponent's node is the number of replies; with one move left only checks are
//! tried. The threshold of a child exceeds its best sibling by a quarter (the 1 + ε trick), so that the search does not switch between
//! children at every step.

use std::collections::HashMap;

use cozy_chess::{Board, Color, Move};

use super::solver::{MateAnswer, MateQuery, Solver};
use crate::hashing::KeyHashState;
use crate::interpreter::{NodeCounter, ProvedMates, legal_moves};
use crate::knowledge::BoardView;
use crate::proof::Proof;

/// Solves by depth-first proof-number search.
#[derive(Copy, Clone, Debug, Default)]
pub struct DfPn;

/// Proof and disproof number of a node.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
struct ProofNumbers {
    proof: u32,
    disproof: u32,
}

/// The infinite proof number.
const INFINITE: u32 = 1 << 30;
/// The table is cleared when it has this many entries, which keeps it below a gigabyte.
const MOST_ENTRIES: usize = 1 << 24;

/// The outcome of a search for a mate.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Decision {
    /// The player mates within the moves left.
    Mate,
    /// The player does not mate within the moves left.
    NoMate,
    /// Undecided: the budget is used up, or the search was interrupted.
    Open,
}

/// A df-pn search that decides several positions with one hash table.
pub struct DfPnSearch<'a>(Search<'a>);

struct Search<'a> {
    player: Color,
    counter: &'a NodeCounter<'a>,
    table: HashMap<u64, ProofNumbers, KeyHashState>,
    proved_mates: ProvedMates,
}

/// A move, the board after it, and its numbers.
struct Child {
    m: Move,
    board: Board,
    numbers: ProofNumbers,
}

/// A node of the search.
#[derive(Copy, Clone)]
struct SearchNode<'b> {
    board: &'b Board,
    is_players_turn: bool,
    left: u8,
}

impl DfPn {
    /// The most bytes of the table of a search with this many nodes. A table has 17 bytes for each place, at most seven
    /// eighths of which are filled; when it grows, the old and the new one, of twice the size, exist at once.
    pub fn most_bytes(nodes: u64) -> u64 {
        nodes.min(MOST_ENTRIES as u64) * 3 * 17 * 8 / 7
    }
}

impl Solver for DfPn {
    fn name(&self) -> String {
        "df-pn".to_string()
    }

    fn solve(&mut self, query: &MateQuery<'_>) -> MateAnswer {
        let position = query.position;
        let counter = NodeCounter::new(query.budget, query.interrupt);
        let player = position.board().side_to_move();
        let mut search =
            Search { player, counter: &counter, table: HashMap::default(), proved_mates: ProvedMates::new() };
        let root = SearchNode { board: position.board(), is_players_turn: true, left: query.moves };
        let numbers = search.expand(root, ProofNumbers { proof: INFINITE, disproof: INFINITE });
        let proof = if numbers.proof == 0 {
            Proof::from_proved_mates(position, query.moves.into(), &search.proved_mates)
        } else {
            None
        };
        let key = position.board().hash();
        MateAnswer {
            best: proof.as_ref().map(|proof| proof.attack.m),
            mate: proof.as_ref().and_then(|_| search.proved_mates.get(&key)).map(|&(_, moves)| moves),
            nodes: counter.nodes(),
            is_cut: counter.is_stopped() && numbers.proof > 0 && numbers.disproof > 0,
            proof,
        }
    }
}

impl<'a> DfPnSearch<'a> {
    /// A search for mates by `player`.
    pub fn new(player: Color, counter: &'a NodeCounter<'a>) -> DfPnSearch<'a> {
        DfPnSearch(Search { player, counter, table: HashMap::default(), proved_mates: ProvedMates::new() })
    }

    /// Whether the player mates within `left` of his moves, whoever is to move.
    pub fn decide(&mut self, board: &Board, left: u8) -> Decision {
        let node = SearchNode { board, is_players_turn: board.side_to_move() == self.0.player, left };
        let numbers = match self.0.known_numbers(node) {
            numbers if numbers.is_decided() => numbers,
            _ => self.0.expand(node, ProofNumbers { proof: INFINITE, disproof: INFINITE }),
        };
        match numbers {
            ProofNumbers { proof: 0, .. } => Decision::Mate,
            ProofNumbers { disproof: 0, .. } if !self.0.counter.is_stopped() => Decision::NoMate,
            _ => Decision::Open,
        }
    }
}

impl ProofNumbers {
    const PROVED: ProofNumbers = ProofNumbers { proof: 0, disproof: INFINITE };
    const DISPROVED: ProofNumbers = ProofNumbers { proof: INFINITE, disproof: 0 };

    fn is_decided(self) -> bool {
        self.proof == 0 || self.disproof == 0
    }
}

impl SearchNode<'_> {
    fn key(self) -> u64 {
        let salt = u64::from(self.left) << 1 | u64::from(self.is_players_turn);
        self.board.hash() ^ (salt + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15)
    }
}

impl Search<'_> {
    /// Expands the node until it is decided or reaches a threshold; returns its numbers.
    fn expand(&mut self, here: SearchNode<'_>, thresholds: ProofNumbers) -> ProofNumbers {
        let mut children = self.children(here);
        loop {
            let numbers = combine(here.is_players_turn, &children);
            if numbers.is_decided()
                || numbers.proof >= thresholds.proof
                || numbers.disproof >= thresholds.disproof
                || self.counter.is_stopped()
            {
                self.store(here, numbers, &children);
                return numbers;
            }
            let (index, thresholds) = select_child(here.is_players_turn, &children, numbers, thresholds);
            let next = child_node(here, &children[index]);
            let result = self.expand(next, thresholds);
            children[index].numbers = result;
        }
    }

    /// The children that matter, with their numbers.
    fn children(&mut self, here: SearchNode<'_>) -> Vec<Child> {
        let view = BoardView { board: here.board, player: self.player };
        let only_checks = here.is_players_turn && here.left == 1;
        let mut children = Vec::new();
        for &m in &legal_moves(here.board) {
            if here.left == 0 || only_checks && !view.gives_check(m) || self.counter.is_stopped() {
                continue;
            }
            self.counter.count();
            let mut board = here.board.clone();
            board.play_unchecked(m);
            let mut child = Child { m, board, numbers: ProofNumbers::DISPROVED };
            child.numbers = self.known_numbers(child_node(here, &child));
            let is_decisive =
                child.numbers == if here.is_players_turn { ProofNumbers::PROVED } else { ProofNumbers::DISPROVED };
            children.push(child);
            if is_decisive {
                break;
            }
        }
        children
    }

    /// The numbers of a node from the hash table, or its initial numbers.
    fn known_numbers(&self, here: SearchNode<'_>) -> ProofNumbers {
        let mut replies = 0;
        if here.is_players_turn {
            if !here.board.generate_moves(|_| true) {
                return ProofNumbers::DISPROVED;
            }
        } else {
            here.board.generate_moves(|moves| {
                replies += moves.len() as u32;
                here.left == 0
            });
            match replies {
                0 if here.board.checkers().is_empty() => return ProofNumbers::DISPROVED,
                0 => return ProofNumbers::PROVED,
                _ if here.left == 0 => return ProofNumbers::DISPROVED,
                _ => {}
            }
        }
        self.table.get(&here.key()).copied().unwrap_or(ProofNumbers { proof: replies.max(1), disproof: 1 })
    }

    fn store(&mut self, here: SearchNode<'_>, numbers: ProofNumbers, children: &[Child]) {
        if self.table.len() >= MOST_ENTRIES {
            self.table.clear();
        }
        self.table.insert(here.key(), numbers);
        if here.is_players_turn
            && let Some(child) = children.iter().find(|child| child.numbers.proof == 0)
        {
            let known = self.proved_mates.entry(here.board.hash()).or_insert((child.m, here.left));
            if here.left < known.1 {
                *known = (child.m, here.left);
            }
        }
    }
}

fn child_node<'b>(here: SearchNode<'_>, child: &'b Child) -> SearchNode<'b> {
    let left = if here.is_players_turn { here.left - 1 } else { here.left };
    SearchNode { board: &child.board, is_players_turn: !here.is_players_turn, left }
}

/// The numbers of a node from its children: the player needs one of them, the opponent all.
fn combine(is_players_turn: bool, children: &[Child]) -> ProofNumbers {
    let least =
        |part: fn(&ProofNumbers) -> u32| children.iter().map(|child| part(&child.numbers)).min().unwrap_or(INFINITE);
    let total = |part: fn(&ProofNumbers) -> u32| {
        children.iter().map(|child| part(&child.numbers)).fold(0, |sum: u32, part| INFINITE.min(sum + part))
    };
    if is_players_turn {
        ProofNumbers { proof: least(|numbers| numbers.proof), disproof: total(|numbers| numbers.disproof) }
    } else {
        ProofNumbers { proof: total(|numbers| numbers.proof), disproof: least(|numbers| numbers.disproof) }
    }
}

/// The child to expand next, and its thresholds.
fn select_child(
    is_players_turn: bool,
    children: &[Child],
    numbers: ProofNumbers,
    thresholds: ProofNumbers,
) -> (usize, ProofNumbers) {
    let part = |child: &Child| if is_players_turn { child.numbers.proof } else { child.numbers.disproof };
    let (mut best, mut second) = (0, INFINITE);
    for (index, child) in children.iter().enumerate().skip(1) {
        if part(child) < part(&children[best]) {
            second = part(&children[best]);
            best = index;
        } else {
            second = second.min(part(child));
        }
    }
    let chosen = children[best].numbers;
    let beyond_second = second.saturating_add(second / 4).saturating_add(1);
    let thresholds = if is_players_turn {
        let disproof = thresholds.disproof.saturating_sub(numbers.disproof).saturating_add(chosen.disproof);
        ProofNumbers { proof: thresholds.proof.min(beyond_second), disproof: disproof.min(INFINITE) }
    } else {
        let proof = thresholds.proof.saturating_sub(numbers.proof).saturating_add(chosen.proof);
        ProofNumbers { proof: proof.min(INFINITE), disproof: thresholds.disproof.min(beyond_second) }
    };
    (best, thresholds)
}
