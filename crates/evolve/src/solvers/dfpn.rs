//! Depth-first proof-number search (df-pn; Nagai 2002) with a hash table, the strongest reference solver.
//!
//! It proves or disproves a position for a number of moves left. The number decreases along every path, so there are no
//! cycles. The initial proof number of an opponent's node is the number of replies; with one move left only checks are
//! tried. The threshold of a child exceeds its best sibling by a quarter (the 1 + ε trick), so that the search does not switch between
//! children at every step.

use std::collections::HashMap;

use cozy_chess::{Board, Color, Move};
use plysmith_core::game::Game;
use plysmith_core::games::chess;

use super::solver::{MateAnswer, MateQuery, ShortestMate, Solver};
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
/// The table is cleared when it has this many entries, which keeps it below a gigabyte. With as many proved mates, which
/// proofs are built from, the search ends.
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
        let counter = NodeCounter::new(query.budget, query.interrupt);
        let mut search = Search::new(query.position.board().side_to_move(), &counter);
        search.root(query.position, query.moves, &[]).0
    }
}

/// A query for the shortest mate. A mate within the moves of the query is searched for first, and shorter ones
/// afterwards: often a longer mate is found in time, although the shorter ones cannot all be excluded.
pub struct ShortestQuery<'a> {
    /// The position, the longest mate, and the node budget of everything.
    pub query: MateQuery<'a>,
    /// The first moves to try; empty for all.
    pub only: &'a [chess::Move],
    /// At most this many nodes of the budget are for shorter mates than the first one.
    pub shortening: u64,
    /// Told of each mate, every one shorter than the one before.
    pub found: &'a mut dyn FnMut(&MateAnswer),
}

impl DfPn {
    /// The shortest mate that is found within the budget. All searches share one hash table.
    pub fn shortest(self, task: ShortestQuery<'_>) -> ShortestMate {
        let ShortestQuery { query, only, shortening, found } = task;
        let counter = NodeCounter::new(query.budget, query.interrupt);
        let mut search = Search::new(query.position.board().side_to_move(), &counter);
        let (mut answer, promising) = search.root(query.position, query.moves, only);
        let mut is_shortest = false;
        if answer.mate.is_some() {
            found(&answer);
            counter.allow_only(shortening);
        }
        while let Some(moves) = answer.mate.filter(|_| !is_shortest) {
            let (shorter, _) = search.root(query.position, moves - 1, only);
            if shorter.mate.is_some() {
                answer = shorter;
                found(&answer);
            } else {
                answer.nodes = shorter.nodes;
                is_shortest = !shorter.is_cut;
                break;
            }
        }
        ShortestMate { answer, is_shortest, promising }
    }
}

impl<'a> DfPnSearch<'a> {
    /// A search for mates by `player`.
    pub fn new(player: Color, counter: &'a NodeCounter<'a>) -> DfPnSearch<'a> {
        DfPnSearch(Search::new(player, counter))
    }

    /// Whether the player mates within `left` of his moves, whoever is to move.
    pub fn decide(&mut self, board: &Board, left: u8) -> Decision {
        let node = SearchNode { board, is_players_turn: board.side_to_move() == self.0.player, left };
        let numbers = match self.0.known_numbers(node) {
            numbers if numbers.is_decided() => numbers,
            _ => self.0.expand(node, ProofNumbers::OPEN_END),
        };
        match numbers {
            ProofNumbers { proof: 0, .. } => Decision::Mate,
            ProofNumbers { disproof: 0, .. } => Decision::NoMate,
            _ => Decision::Open,
        }
    }
}

impl ProofNumbers {
    const PROVED: ProofNumbers = ProofNumbers { proof: 0, disproof: INFINITE };
    const DISPROVED: ProofNumbers = ProofNumbers { proof: INFINITE, disproof: 0 };
    /// Of a node that was not looked at.
    const UNKNOWN: ProofNumbers = ProofNumbers { proof: 1, disproof: 1 };
    /// Thresholds that only a decision reaches.
    const OPEN_END: ProofNumbers = ProofNumbers { proof: INFINITE, disproof: INFINITE };

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

impl<'a> Search<'a> {
    fn new(player: Color, counter: &'a NodeCounter<'a>) -> Search<'a> {
        Search { player, counter, table: HashMap::default(), proved_mates: ProvedMates::new() }
    }

    /// Searches a position for a mate within `left` moves, by one of the moves in `only` or any if there are none. Returns
    /// the answer, and the most promising move if nothing is decided.
    fn root(
        &mut self,
        position: &chess::Position,
        left: u8,
        only: &[chess::Move],
    ) -> (MateAnswer, Option<chess::Move>) {
        let node = SearchNode { board: position.board(), is_players_turn: true, left };
        let only: Vec<Move> = only.iter().map(|m| m.for_cozy()).collect();
        let mut children = self.children(node, &only);
        let numbers = self.expand_children(node, &mut children, ProofNumbers::OPEN_END);
        let first = |child: &Child| position.legal_moves().into_iter().find(|m| m.for_cozy() == child.m);
        let mating = children.iter().find(|child| child.numbers.proof == 0).and_then(first);
        let proof = mating.and_then(|m| Proof::of_first_move(position, m, left.into(), &self.proved_mates));
        let open = children.iter().filter(|child| !child.numbers.is_decided());
        let promising = open.min_by_key(|child| child.numbers.proof).and_then(first);
        let answer = MateAnswer {
            best: proof.as_ref().map(|proof| proof.attack.m),
            mate: proof.as_ref().and_then(|proof| proof.moves.try_into().ok()),
            nodes: self.counter.nodes(),
            is_cut: proof.is_none() && numbers.disproof > 0,
            proof,
        };
        (answer, promising)
    }

    /// Expands the node until it is decided or reaches a threshold; returns its numbers.
    fn expand(&mut self, here: SearchNode<'_>, thresholds: ProofNumbers) -> ProofNumbers {
        let mut children = self.children(here, &[]);
        self.expand_children(here, &mut children, thresholds)
    }

    fn expand_children(
        &mut self,
        here: SearchNode<'_>,
        children: &mut [Child],
        thresholds: ProofNumbers,
    ) -> ProofNumbers {
        loop {
            let numbers = combine(here.is_players_turn, children);
            if numbers.is_decided()
                || numbers.proof >= thresholds.proof
                || numbers.disproof >= thresholds.disproof
                || self.counter.is_stopped()
            {
                self.store(here, numbers, children);
                return numbers;
            }
            let (index, thresholds) = select_child(here.is_players_turn, children, numbers, thresholds);
            let next = child_node(here, &children[index]);
            let result = self.expand(next, thresholds);
            children[index].numbers = result;
        }
    }

    /// The children that matter, with their numbers; only these moves, if there are any.
    fn children(&mut self, here: SearchNode<'_>, only: &[Move]) -> Vec<Child> {
        let view = BoardView { board: here.board, player: self.player };
        let only_checks = here.is_players_turn && here.left == 1;
        let mut children = Vec::new();
        for &m in &legal_moves(here.board) {
            if here.left == 0 || only_checks && !view.gives_check(m) || !only.is_empty() && !only.contains(&m) {
                continue;
            }
            if self.counter.is_stopped() {
                // What was not looked at decides nothing.
                children.push(Child { m, board: here.board.clone(), numbers: ProofNumbers::UNKNOWN });
                break;
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
            if self.proved_mates.len() >= MOST_ENTRIES {
                self.counter.stop();
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
