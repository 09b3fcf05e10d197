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
    /// How early to try each; empty where chance alone decides.
    ranks: MoveList<u64>,
    /// How many moves were picked.
    next: usize,
    /// Whether the first place is taken already.
    first_is_set: bool,
}

/// What breaks ties between equal ranks.
const RANDOM_BITS: u32 = 16;

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

    #[inline]
    fn rank<M: Move, P: Parts>(&self, parts: P, m: M, height: u32) -> u64 {
        let killer = parts.killers() && self.killers[height as usize].contains(&m.code());
        let history = if parts.history() { self.history[usize::from(m.code())] } else { 0 };
        u64::from(killer) << 32 | u64::from(history)
    }
}

impl<M: Move> Picker<M> {
    /// No moves yet. The list is filled in place, because copying it would cost more than making it.
    #[inline(always)]
    pub fn new() -> Picker<M> {
        Picker { list: MoveList::new_const(), ranks: MoveList::new_const(), next: 0, first_is_set: false }
    }

    /// Where the moves go before the first is picked.
    #[inline]
    pub fn list(&mut self) -> &mut MoveList<M> {
        &mut self.list
    }

    /// Puts the move with this code first, if it is there.
    #[inline]
    pub fn put_first(&mut self, code: u16) {
        if let Some(place) = self.list.iter().position(|m| m.code() == code) {
            self.list.swap(0, place);
            self.first_is_set = true;
        }
    }

    /// Ranks all moves by what they have refuted; equals at random.
    pub fn rank<P: Parts>(&mut self, parts: P, refutations: &Refutations, height: u32, random: &mut Random) {
        for &m in &self.list {
            let chance = random.below(1 << RANDOM_BITS) as u64;
            self.ranks.push(refutations.rank(parts, m, height) << RANDOM_BITS | chance);
        }
    }

    /// The next move: the one put first, then by rank, or by chance where there are no ranks.
    #[inline(always)]
    pub fn pick(&mut self, random: &mut Random) -> Option<M> {
        let place = self.next;
        let left = self.list.len() - place;
        if left == 0 {
            return None;
        }
        if place > 0 || !self.first_is_set {
            if self.ranks.is_empty() {
                self.list.swap(place, place + random.below(left));
            } else {
                self.swap_in_highest(place);
            }
        }
        self.next += 1;
        self.list.get(place).copied()
    }

    fn swap_in_highest(&mut self, place: usize) {
        let ranks = &self.ranks[place..];
        let highest = ranks.iter().enumerate().max_by_key(|&(_, rank)| rank).map_or(0, |(offset, _)| offset);
        self.list.swap(place, place + highest);
        self.ranks.swap(place, place + highest);
    }

    /// True if there was no move at all.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.list.is_empty()
    }
}
