//! The transposition table: what earlier visits to a position found out.

use super::depth::Depth;
use super::score::{Score, Window};

/// Results by position key. One entry a slot; a newer search or a deeper result replaces the old.
#[derive(Debug, Default)]
pub struct Table {
    slots: Vec<Slot>,
    /// Counts searches, so that results of earlier ones are told apart without clearing the table.
    generation: u8,
}

/// What is known of a position.
#[derive(Copy, Clone, Debug)]
pub struct Known {
    /// The best move's code, if one was found.
    pub best: Option<u16>,
    /// The score, counted from the position itself.
    pub score: Score,
    /// How deep it was searched.
    pub depth: Depth,
    /// What the score says.
    pub bound: Bound,
}

/// What a score from a narrowed window says about the true one.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Bound {
    /// It is at most this.
    Upper,
    /// It is at least this.
    Lower,
    /// It is this.
    Exact,
}

#[derive(Copy, Clone, Debug)]
struct Slot {
    key: u64,
    known: Known,
    generation: u8,
}

impl Table {
    /// Makes the table this big, keeping it if it is already, and forgets all results.
    pub fn prepare(&mut self, mib: u32) {
        let slots = (mib as usize * 1024 * 1024 / size_of::<Slot>()).checked_ilog2().map_or(0, |log| 1 << log);
        self.generation = self.generation.wrapping_add(1);
        if self.slots.len() != slots || self.generation == 0 {
            let known = Known { best: None, score: Score::EVEN, depth: Depth::plies(0), bound: Bound::Upper };
            self.slots.clear();
            self.slots.shrink_to(slots);
            self.slots.resize(slots, Slot { key: 0, known, generation: 0 });
            self.generation = 1;
        }
    }

    /// What this search knows of the position.
    #[inline]
    pub fn get(&self, key: u64) -> Option<Known> {
        let slot = self.slots.get(self.index(key))?;
        (slot.key == key && slot.generation == self.generation).then_some(slot.known)
    }

    /// Remembers a result, unless a deeper one of this search has the slot.
    #[inline]
    pub fn put(&mut self, key: u64, known: Known) {
        let (index, generation) = (self.index(key), self.generation);
        if let Some(slot) = self.slots.get_mut(index) {
            let keep = slot.generation == generation && slot.key != key && slot.known.depth > known.depth;
            if !keep {
                *slot = Slot { key, known, generation };
            }
        }
    }

    #[inline]
    fn index(&self, key: u64) -> usize {
        key as usize & self.slots.len().wrapping_sub(1)
    }
}

impl Bound {
    /// What a score says that a search of this window returned.
    #[inline]
    pub fn of(score: Score, window: Window) -> Bound {
        if score <= window.alpha {
            Bound::Upper
        } else if score >= window.beta {
            Bound::Lower
        } else {
            Bound::Exact
        }
    }
}

impl Known {
    /// The score at this height, if it answers a search of this depth and window.
    #[inline]
    pub fn answer(&self, depth: Depth, window: Window, height: u32) -> Option<Score> {
        let score = self.score.from_root(height);
        let settled = match self.bound {
            Bound::Exact => true,
            Bound::Lower => score >= window.beta,
            Bound::Upper => score <= window.alpha,
        };
        (self.depth >= depth && settled).then_some(score)
    }
}
