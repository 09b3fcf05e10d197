//! Depth-first proof-number search with a table: the bar to beat.
//!
//! A position with so many moves left for the player is proved or disproved; moves left only shrink, so no position
//! comes back on its own path. The first guess at the work to prove a position of the opponent is the number of his
//! replies; with one move left only checks are tried. Thresholds grow by a quarter beyond the second best, so that the
//! search does not leave a move for another at every step.

use std::collections::HashMap;

use cozy_chess::{Board, Color, Move};

use super::solver::{MateAnswer, MateQuery, Solver};
use crate::hashing::KeyHashState;
use crate::interpreter::{NodeCounter, ProvedMates, legal_moves};
use crate::knowledge::BoardView;
use crate::proof::Proof;

/// Solves by proof-number search.
#[derive(Copy, Clone, Debug, Default)]
pub struct DfPn;

/// What is left to do: leaves to be proved, and leaves to be disproved.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
struct Work {
    proof: u32,
    disproof: u32,
}

/// Too much to do ever.
const INFINITE: u32 = 1 << 30;
/// The table is emptied before it has more entries, which keeps it below a gigabyte.
const MOST_ENTRIES: usize = 1 << 24;

/// What is known of a position.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Decision {
    /// The player mates in time.
    Mate,
    /// He does not.
    NoMate,
    /// The budget is spent, or somebody interrupted.
    Open,
}

/// Decides positions of one game one after the other, and remembers what it learned.
pub struct DfPnSearch<'a>(Search<'a>);

struct Search<'a> {
    player: Color,
    counter: &'a NodeCounter<'a>,
    table: HashMap<u64, Work, KeyHashState>,
    proved_mates: ProvedMates,
}

/// A move and what is left to do about the position after it.
struct Child {
    m: Move,
    board: Board,
    work: Work,
}

/// A place in the search.
#[derive(Copy, Clone)]
struct Place<'b> {
    board: &'b Board,
    is_players_turn: bool,
    left: u8,
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
        let root = Place { board: position.board(), is_players_turn: true, left: query.moves };
        let work = search.expand(root, Work { proof: INFINITE, disproof: INFINITE });
        let proof = if work.proof == 0 {
            Proof::from_proved_mates(position, query.moves.into(), &search.proved_mates)
        } else {
            None
        };
        let key = position.board().hash();
        MateAnswer {
            best: proof.as_ref().map(|proof| proof.attack.m),
            mate: proof.as_ref().and_then(|_| search.proved_mates.get(&key)).map(|&(_, moves)| moves),
            nodes: counter.nodes(),
            is_cut: counter.is_stopped() && work.proof > 0 && work.disproof > 0,
            proof,
        }
    }
}

impl<'a> DfPnSearch<'a> {
    /// For positions in which this player should mate.
    pub fn new(player: Color, counter: &'a NodeCounter<'a>) -> DfPnSearch<'a> {
        DfPnSearch(Search { player, counter, table: HashMap::default(), proved_mates: ProvedMates::new() })
    }

    /// Whether the player mates within so many of his moves, whoever is to move.
    pub fn decide(&mut self, board: &Board, left: u8) -> Decision {
        let place = Place { board, is_players_turn: board.side_to_move() == self.0.player, left };
        let work = match self.0.first_guess(place) {
            work if work.is_done() => work,
            _ => self.0.expand(place, Work { proof: INFINITE, disproof: INFINITE }),
        };
        match work {
            Work { proof: 0, .. } => Decision::Mate,
            Work { disproof: 0, .. } if !self.0.counter.is_stopped() => Decision::NoMate,
            _ => Decision::Open,
        }
    }
}

impl Work {
    const PROVED: Work = Work { proof: 0, disproof: INFINITE };
    const DISPROVED: Work = Work { proof: INFINITE, disproof: 0 };

    fn is_done(self) -> bool {
        self.proof == 0 || self.disproof == 0
    }
}

impl Place<'_> {
    fn key(self) -> u64 {
        let salt = u64::from(self.left) << 1 | u64::from(self.is_players_turn);
        self.board.hash() ^ (salt + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15)
    }
}

impl Search<'_> {
    /// Searches here until it is decided or one of the limits is reached; what is left to do then.
    fn expand(&mut self, here: Place<'_>, limits: Work) -> Work {
        let mut children = self.children(here);
        loop {
            let work = sum(here.is_players_turn, &children);
            if work.is_done()
                || work.proof >= limits.proof
                || work.disproof >= limits.disproof
                || self.counter.is_stopped()
            {
                self.remember(here, work, &children);
                return work;
            }
            let (index, limits) = choose(here.is_players_turn, &children, work, limits);
            let next = next_place(here, &children[index]);
            let result = self.expand(next, limits);
            children[index].work = result;
        }
    }

    /// Every move from here that may matter, made, with what is known of it.
    fn children(&mut self, here: Place<'_>) -> Vec<Child> {
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
            let mut child = Child { m, board, work: Work::DISPROVED };
            child.work = self.first_guess(next_place(here, &child));
            let is_decisive = child.work == if here.is_players_turn { Work::PROVED } else { Work::DISPROVED };
            children.push(child);
            if is_decisive {
                break;
            }
        }
        children
    }

    /// What is left to do at a position that is looked at for the first time, or what is remembered of it.
    fn first_guess(&self, here: Place<'_>) -> Work {
        let mut replies = 0;
        if here.is_players_turn {
            if !here.board.generate_moves(|_| true) {
                return Work::DISPROVED;
            }
        } else {
            here.board.generate_moves(|moves| {
                replies += moves.len() as u32;
                here.left == 0
            });
            match replies {
                0 if here.board.checkers().is_empty() => return Work::DISPROVED,
                0 => return Work::PROVED,
                _ if here.left == 0 => return Work::DISPROVED,
                _ => {}
            }
        }
        self.table.get(&here.key()).copied().unwrap_or(Work { proof: replies.max(1), disproof: 1 })
    }

    fn remember(&mut self, here: Place<'_>, work: Work, children: &[Child]) {
        if self.table.len() >= MOST_ENTRIES {
            self.table.clear();
        }
        self.table.insert(here.key(), work);
        if here.is_players_turn
            && let Some(child) = children.iter().find(|child| child.work.proof == 0)
        {
            let known = self.proved_mates.entry(here.board.hash()).or_insert((child.m, here.left));
            if here.left < known.1 {
                *known = (child.m, here.left);
            }
        }
    }
}

fn next_place<'b>(here: Place<'_>, child: &'b Child) -> Place<'b> {
    let left = if here.is_players_turn { here.left - 1 } else { here.left };
    Place { board: &child.board, is_players_turn: !here.is_players_turn, left }
}

/// The work at a position, from that at its children: the player needs one of them, the opponent all.
fn sum(is_players_turn: bool, children: &[Child]) -> Work {
    let least = |part: fn(&Work) -> u32| children.iter().map(|child| part(&child.work)).min().unwrap_or(INFINITE);
    let total = |part: fn(&Work) -> u32| {
        children.iter().map(|child| part(&child.work)).fold(0, |sum: u32, part| INFINITE.min(sum + part))
    };
    if is_players_turn {
        Work { proof: least(|work| work.proof), disproof: total(|work| work.disproof) }
    } else {
        Work { proof: total(|work| work.proof), disproof: least(|work| work.disproof) }
    }
}

/// The child to go on with, and its limits.
fn choose(is_players_turn: bool, children: &[Child], work: Work, limits: Work) -> (usize, Work) {
    let part = |child: &Child| if is_players_turn { child.work.proof } else { child.work.disproof };
    let (mut best, mut second) = (0, INFINITE);
    for (index, child) in children.iter().enumerate().skip(1) {
        if part(child) < part(&children[best]) {
            second = part(&children[best]);
            best = index;
        } else {
            second = second.min(part(child));
        }
    }
    let chosen = children[best].work;
    let beyond_second = second.saturating_add(second / 4).saturating_add(1);
    let limits = if is_players_turn {
        let disproof = limits.disproof.saturating_sub(work.disproof).saturating_add(chosen.disproof);
        Work { proof: limits.proof.min(beyond_second), disproof: disproof.min(INFINITE) }
    } else {
        let proof = limits.proof.saturating_sub(work.proof).saturating_add(chosen.proof);
        Work { proof: proof.min(INFINITE), disproof: limits.disproof.min(beyond_second) }
    };
    (best, limits)
}
