//! Which move is tried next.
//!
//! The papers' program tries the previous iteration's principal variation first and everything else
//! in random order, so that an indecisive evaluation does not favour whatever is generated first.
//! Killers and history, where switched on, come before chance.

use super::settings::Parts;
use crate::game::{Move, MoveList};
use crate::random::Random;

/// What refuted other positions of this search.
#[derive(Debug, Default)]
pub struct Refutations {
    /// The last two moves that refuted a position at each height.
    killers: Vec<[u16; 2]>,
    /// How much each move code has refuted anywhere.
    history: Vec<u32>,
}

/// A list of moves being tried one after the other.
pub struct Picker<M> {
    list: MoveList<M>,
    next: usize,
    /// How many moves at the front are in order already.
    sorted: usize,
}

/// No move has this code.
const NO_MOVE: u16 = u16::MAX;

impl Refutations {
    /// Forgets everything, and makes room for a game with so many move codes.
    pub fn prepare(&mut self, heights: usize, codes: usize) {
        self.killers.clear();
        self.killers.resize(heights, [NO_MOVE; 2]);
        self.history.clear();
        self.history.resize(codes, 0);
    }

    /// A move was too good at this height. The deeper the search below it, the more that says.
    #[inline]
    pub fn record<M: Move, P: Parts>(&mut self, parts: P, m: M, height: u32, work: u32) {
        if parts.killers() {
            let pair = &mut self.killers[height as usize];
            if pair[0] != m.code() {
                *pair = [m.code(), pair[0]];
            }
        }
        if parts.history() {
            let count = &mut self.history[usize::from(m.code())];
            *count = count.saturating_add(work);
        }
    }

    fn rank<M: Move, P: Parts>(&self, parts: P, m: M, height: u32) -> u64 {
        let killer = parts.killers() && self.killers[height as usize].contains(&m.code());
        let history = if parts.history() { self.history[usize::from(m.code())] } else { 0 };
        u64::from(killer) << 32 | u64::from(history)
    }
}

impl<M: Move> Picker<M> {
    /// Takes the moves, the first of them the one with this code if it is there.
    #[inline]
    pub fn new(mut list: MoveList<M>, first: Option<u16>) -> Picker<M> {
        let mut sorted = 0;
        if let Some(place) = first.and_then(|code| list.iter().position(|m| m.code() == code)) {
            list.swap(0, place);
            sorted = 1;
        }
        Picker { list, next: 0, sorted }
    }

    /// Puts the rest in order of what the moves have refuted; equals in random order.
    pub fn sort<P: Parts>(&mut self, parts: P, refutations: &Refutations, height: u32, random: &mut Random) {
        let rest = &mut self.list[self.sorted..];
        random.shuffle(rest);
        rest.sort_unstable_by_key(|&m| std::cmp::Reverse(refutations.rank(parts, m, height)));
        self.sorted = self.list.len();
    }

    /// The next move: as sorted, and then by chance.
    #[inline]
    pub fn pick(&mut self, random: &mut Random) -> Option<M> {
        let place = self.next;
        if place >= self.sorted {
            let left = self.list.len() - place;
            if left == 0 {
                return None;
            }
            self.list.swap(place, place + random.below(left));
        }
        self.next += 1;
        self.list.get(place).copied()
    }

    /// True if there was no move at all.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.list.is_empty()
    }
}
