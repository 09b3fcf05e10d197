//! A game being played: the position on the board, and what stood there before.

use super::any::AnyPosition;
use crate::game::MoveError;
use crate::outcome::Outcome;

/// A position with its past, as far back as it could come back.
pub struct Playing {
    position: Box<dyn AnyPosition>,
    past: Vec<u64>,
}

impl Playing {
    /// A game that begins here.
    pub fn new(position: Box<dyn AnyPosition>) -> Playing {
        Playing { position, past: Vec::new() }
    }

    /// What stands on the board.
    pub fn position(&self) -> &dyn AnyPosition {
        self.position.as_ref()
    }

    /// The keys of the positions before it, the oldest first: what a search wants to know.
    pub fn past(&self) -> &[u64] {
        &self.past
    }

    /// Plays a move.
    pub fn play(&mut self, m: &str) -> Result<(), MoveError> {
        let next = self.position.play(m)?;
        self.past.push(self.position.repetition_key());
        self.position = next;
        // What cannot come back need not be remembered.
        let forgotten = self.past.len().saturating_sub(self.position.reversible_plies() as usize);
        self.past.drain(..forgotten);
        Ok(())
    }

    /// The result for the side to move, if the game is over: by the rules of the position, or because it stands on the
    /// board for the third time.
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
