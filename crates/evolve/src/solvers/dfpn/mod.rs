//! Depth-first proof-number search (df-pn; Nagai 2002) with a hash table, the strongest reference solver.
//!
//! It proves or disproves a position for a number of moves left. The number decreases along every path, so no path comes
//! back to its own node: what df-pn needs against loops elsewhere (threshold control, a path table) has nothing to do here.
//! What it does beyond the textbook, with what each is worth in `docs/experiments.md`:
//!
//! - The threshold of a child exceeds its best sibling by a quarter (the 1 + ε trick), so that the search does not switch
//!   between children at every step. The initial proof number of an opponent's node is the number of replies.
//! - Checks first: the boards after the player's other moves are made only when no check is promising any more.
//! - The disproof number of the player's node is the largest of its children and one for each other open child, not their
//!   sum, which counts what transpositions share several times (weak proof-number search; Ueda and others 2008).
//! - With one move of the player left after a reply, a fixed-depth search decides, reply by reply.
//! - A mate within N moves is one within more; where none is within N, none is within fewer. Positions are looked up by
//!   both, whatever the number of moves left.
//! - A full table loses the entries with the smallest subtrees (Nagai's garbage collection), and no proved mate.
//!
//! | file | what |
//! | --- | --- |
//! | `nodes` | nodes with their proof and disproof numbers |
//! | `table` | the hash table |
//! | `search` | the search of one thread |
//! | `threads`, `busy` | several threads on one problem |

mod busy;
mod nodes;
mod search;
mod table;
mod threads;

use std::num::NonZeroUsize;

use cozy_chess::{Board, Color, Move};
use plysmith_core::game::Game;
use plysmith_core::games::chess;

use super::solver::{MateAnswer, MateQuery, ShortestMate, Solver};
use crate::interpreter::NodeCounter;
use crate::proof::Proof;
use nodes::{ProofNumbers, SearchNode};
use search::{RootResult, Search};
use table::Table;

/// Solves by depth-first proof-number search.
#[derive(Copy, Clone, Debug, Default)]
pub struct DfPn;

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
pub struct DfPnSearch<'a> {
    player: Color,
    counter: &'a NodeCounter<'a>,
    table: Table,
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
    /// The number of threads. With one, equal queries have equal answers. With several, hard problems may be answered
    /// otherwise each time: by another mate of another length, or not at all.
    pub threads: NonZeroUsize,
    /// Told of each mate, every one shorter than the one before.
    pub found: &'a mut dyn FnMut(&MateAnswer),
}

/// Several searches of one position, for mates of other lengths, with one hash table.
struct Searches<'a> {
    query: MateQuery<'a>,
    only: Vec<Move>,
    threads: NonZeroUsize,
    table: Table,
    /// Nodes spent, and the most that may be.
    nodes: u64,
    limit: u64,
}

impl DfPn {
    /// The most bytes of the table of a search with this many nodes, with any number of threads.
    pub fn most_bytes(nodes: u64) -> u64 {
        Table::most_bytes(nodes)
    }

    /// The shortest mate that is found within the budget. All searches share one hash table.
    pub fn shortest(self, task: ShortestQuery<'_>) -> ShortestMate {
        let ShortestQuery { query, only, shortening, threads, found } = task;
        let most = query.moves;
        let mut searches = Searches::new(query, only, threads);
        let (mut answer, promising) = searches.root(most);
        let mut is_shortest = false;
        if answer.mate.is_some() {
            found(&answer);
            searches.limit = searches.limit.min(searches.nodes.saturating_add(shortening));
        }
        while let Some(moves) = answer.mate {
            let (shorter, _) = searches.root(moves - 1);
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

impl Solver for DfPn {
    fn name(&self) -> String {
        "df-pn".to_string()
    }

    fn solve(&mut self, query: &MateQuery<'_>) -> MateAnswer {
        Searches::new(query.clone(), &[], NonZeroUsize::MIN).root(query.moves).0
    }
}

impl<'a> DfPnSearch<'a> {
    /// A search for mates by `player`.
    pub fn new(player: Color, counter: &'a NodeCounter<'a>) -> DfPnSearch<'a> {
        DfPnSearch { player, counter, table: Table::new() }
    }

    /// Whether the player mates within `left` of his moves, whoever is to move.
    pub fn decide(&mut self, board: &Board, left: u8) -> Decision {
        let node = SearchNode { board, is_players_turn: board.side_to_move() == self.player, left };
        match Search::new(self.player, self.counter, &self.table).decide(node) {
            ProofNumbers { proof: 0, .. } => Decision::Mate,
            ProofNumbers { disproof: 0, .. } => Decision::NoMate,
            _ => Decision::Open,
        }
    }
}

impl<'a> Searches<'a> {
    fn new(query: MateQuery<'a>, only: &[chess::Move], threads: NonZeroUsize) -> Searches<'a> {
        let only = only.iter().map(|m| m.for_cozy()).collect();
        let limit = query.budget;
        Searches { query, only, threads, table: Table::new(), nodes: 0, limit }
    }

    /// Searches for a mate within `left` moves. Returns the answer, and the most promising move if nothing is decided.
    fn root(&mut self, left: u8) -> (MateAnswer, Option<chess::Move>) {
        let position = self.query.position;
        let node = SearchNode { board: position.board(), is_players_turn: true, left };
        let RootResult { numbers, mating, promising } = self.search(node);
        let legal = |m: Move| position.legal_moves().into_iter().find(|legal| legal.for_cozy() == m);
        let proved_mate = |key: u64| self.table.proved_mate(key);
        let proof = mating.and_then(legal).and_then(|m| Proof::of_first_move(position, m, left.into(), &proved_mate));
        let answer = MateAnswer {
            best: proof.as_ref().map(|proof| proof.attack.m),
            mate: proof.as_ref().and_then(|proof| proof.moves.try_into().ok()),
            nodes: self.nodes,
            is_cut: proof.is_none() && numbers.disproof > 0,
            proof,
        };
        (answer, promising.and_then(legal))
    }

    /// One thread begins. What it does not decide soon is worth several, if there are.
    fn search(&mut self, node: SearchNode<'_>) -> RootResult {
        let left = self.limit - self.nodes;
        let alone = if self.threads == NonZeroUsize::MIN { left } else { left.min(threads::ALONE) };
        let counter = NodeCounter::new(alone, self.query.interrupt);
        let player = node.board.side_to_move();
        let result = Search::new(player, &counter, &self.table).root(node, &self.only);
        self.nodes += counter.nodes();
        let left = self.limit - self.nodes;
        if result.numbers.is_decided() || left == 0 || self.threads == NonZeroUsize::MIN || (self.query.interrupt)() {
            return result;
        }
        let (result, nodes) = threads::search(&threads::Task {
            node,
            only: &self.only,
            table: &self.table,
            threads: self.threads,
            nodes: left,
            interrupt: self.query.interrupt,
        });
        self.nodes += nodes;
        result
    }
}
