//! A game in progress: the position on the board, and the positions before it.

use super::any::AnyPosition;
use crate::game::MoveError;
use crate::outcome::Outcome;

/// A position with the positions before it that could repeat.
pub struct Playing {
    position: Box<dyn AnyPosition>,
    past: Vec<u64>,
}

impl Playing {
    /// A game that begins here.
    pub fn new(position: Box<dyn AnyPosition>) -> Playing {
        Playing { position, past: Vec::new() }
    }

    /// The position on the board.
    pub fn position(&self) -> &dyn AnyPosition {
        self.position.as_ref()
    }

    /// The keys of the positions before it, the oldest first, for [`crate::search::Root::past`].
    pub fn past(&self) -> &[u64] {
        &self.past
    }

    /// Plays a move.
    pub fn play(&mut self, m: &str) -> Result<(), MoveError> {
        let next = self.position.play(m)?;
        self.past.push(self.position.repetition_key());
        self.position = next;
        // Positions that cannot repeat are dropped.
        let forgotten = self.past.len().saturating_sub(self.position.reversible_plies() as usize);
        self.past.drain(..forgotten);
        Ok(())
    }

    /// The result for the side to move, if the game is over: by the rules of the position, or by threefold
    /// repetition.
    pub fn outcome(&self) -> Option<Outcome> {
        let key = self.position.repetition_key();
        let before = || self.past.iter().filter(|&&other| other == key).count();
        self.position.outcome().or_else(|| (before() >= 2).then_some(Outcome::Draw))
    }
}

impl Clone for Playing {
    fn clone(&self) -> Playing {
        Playing { position: self.position.boxed(), past: self.past.clone() }
    }
}
