//! Forced wins proved exhaustively, without any evaluation: how suites know their best moves.
//!
//! A plain and-or search to a fixed number of plies with a table of what was disproved. It shares no
//! code with the alpha-beta search, so that each can check the other.

use std::collections::HashMap;

use super::task::Interrupt;
use crate::game::{Game, MoveList};
use crate::outcome::Outcome;

/// Proves wins within a number of plies, and remembers what it proved between calls.
#[derive(Default)]
pub struct Prover<'a> {
    interrupt: Option<&'a Interrupt<'a>>,
    visits: u64,
    /// Whether the interrupt was raised. From then on nothing is proved, and nothing remembered.
    interrupted: bool,
    /// By position and whether the side to move is the one that should win: the most plies within
    /// which that is known to fail, and the fewest within which it is known to work.
    known: HashMap<(u64, bool), (u32, u32)>,
}

/// A forced win.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Win<M> {
    /// The fewest plies in which it can be forced.
    pub plies: u32,
    /// Every move that wins in that many plies.
    pub moves: Vec<M>,
}

/// A proof was interrupted by the caller.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct Interrupted;

/// Positions between two looks at the interrupt.
const STRETCH: u64 = 1 << 12;

impl<'a> Prover<'a> {
    /// A prover that stops when the interrupt is raised; then [`Prover::finish`] returns an error.
    pub fn interruptible(interrupt: &'a Interrupt<'a>) -> Prover<'a> {
        Prover { interrupt: Some(interrupt), ..Prover::default() }
    }

    /// The result, unless an interrupt cut it short.
    pub fn finish<T>(&self, result: T) -> Result<T, Interrupted> {
        if self.interrupted { Err(Interrupted) } else { Ok(result) }
    }

    /// The shortest forced win of the side to move, if there is one within `most` plies.
    pub fn shortest_win<G: Game>(&mut self, position: &G, most: u32) -> Option<Win<G::Move>> {
        // Only odd lengths: the winner makes the last move.
        (1..=most).step_by(2).find_map(|plies| {
            let moves = self.winning_moves(position, plies);
            (!moves.is_empty()).then_some(Win { plies, moves })
        })
    }

    /// Every move with which the side to move wins within this number of plies.
    pub fn winning_moves<G: Game>(&mut self, position: &G, plies: u32) -> Vec<G::Move> {
        if plies == 0 {
            return Vec::new();
        }
        let list = position.legal_moves();
        list.into_iter().filter(|&m| self.loses(&position.play(m), plies - 1)).collect()
    }

    /// Whether the side to move loses within this number of plies, whatever it plays.
    pub fn is_lost<G: Game>(&mut self, position: &G, plies: u32) -> bool {
        self.loses(position, plies)
    }

    /// Whether the side to move wins within this number of plies.
    fn wins<G: Game>(&mut self, position: &G, plies: u32) -> bool {
        match position.terminal_result() {
            Some(outcome) => return outcome == Outcome::Win,
            None if plies == 0 => return false,
            None => {}
        }
        self.remember(position, true, plies, |prover| {
            let mut list = MoveList::new();
            position.moves(&mut list);
            // Immediate wins first: they make all other moves irrelevant.
            list.iter().any(|&m| position.play(m).terminal_result() == Some(Outcome::Loss))
                || list.iter().any(|&m| prover.loses(&position.play(m), plies - 1))
        })
    }

    /// Whether the side to move loses within this number of plies, whatever it plays.
    fn loses<G: Game>(&mut self, position: &G, plies: u32) -> bool {
        match position.terminal_result() {
            Some(outcome) => return outcome == Outcome::Loss,
            // Mate is having no move; a side that is not in check cannot be mated.
            None if plies == 0 => return position.no_moves_result() == Outcome::Loss && !position.can_move(),
            None => {}
        }
        self.remember(position, false, plies, |prover| {
            let mut list = MoveList::new();
            position.moves(&mut list);
            if list.is_empty() {
                return position.no_moves_result() == Outcome::Loss;
            }
            list.iter().all(|&m| prover.wins(&position.play(m), plies - 1))
        })
    }

    fn remember<G: Game>(
        &mut self,
        position: &G,
        attack: bool,
        plies: u32,
        find_out: impl FnOnce(&mut Prover<'a>) -> bool,
    ) -> bool {
        // Positions next to the horizon are quicker to search than to look up.
        if plies <= 1 {
            return find_out(self);
        }
        self.visits += 1;
        if self.visits % STRETCH == 1 && self.interrupt.is_some_and(|interrupt| interrupt()) {
            self.interrupted = true;
        }
        if self.interrupted {
            return false;
        }
        let key = (position.key(), attack);
        let (fails, works) = self.known.get(&key).copied().unwrap_or((0, u32::MAX));
        if plies <= fails || plies >= works {
            return plies >= works;
        }
        let result = find_out(self);
        if self.interrupted {
            return false;
        }
        let entry = self.known.entry(key).or_insert((0, u32::MAX));
        if result {
            entry.1 = entry.1.min(plies);
        } else {
            entry.0 = entry.0.max(plies);
        }
        result
    }
}
