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

#[cfg(test)]
mod tests {
    use super::{Picker, Refutations};
    use crate::game::Move;
    use crate::random::Random;
    use crate::search::settings::Switches;

    #[derive(Copy, Clone, PartialEq, Eq, Debug)]
    struct Numbered(u16);

    impl Move for Numbered {
        const CODES: usize = 10;

        fn code(self) -> u16 {
            self.0
        }
    }

    const CHANCE: Switches = Switches { null_window: false, table_mib: 0, killers: false, history: false };
    const KILLERS: Switches = Switches { killers: true, ..CHANCE };
    const HISTORY: Switches = Switches { history: true, ..CHANCE };
    const BOTH: Switches = Switches { killers: true, history: true, ..CHANCE };

    /// The order in which ten moves are tried at height 3.
    fn order(first: Option<u16>, parts: Switches, refutations: &Refutations, seed: u64) -> Vec<u16> {
        let mut random = Random::new(seed);
        let mut picker = Picker::new();
        picker.list().extend((0..10).map(Numbered));
        if let Some(code) = first {
            picker.put_first(code);
        }
        if parts != CHANCE {
            picker.rank(parts, refutations, 3, &mut random);
        }
        std::iter::from_fn(|| picker.pick(&mut random)).map(|m| m.0).collect()
    }

    /// Moves 4 and 6 refute at height 3, move 8 elsewhere and with much more work.
    fn refutations(parts: Switches) -> Refutations {
        let mut refutations = Refutations::default();
        refutations.prepare(8, Numbered::CODES);
        for (code, height, work) in [(1, 3, 1), (4, 3, 2), (6, 3, 3), (6, 3, 2), (8, 2, 900)] {
            refutations.record(parts, Numbered(code), height, work);
        }
        refutations
    }

    #[test]
    fn every_move_is_tried_once_and_the_best_guess_first() {
        for seed in 0..50 {
            for parts in [CHANCE, KILLERS, HISTORY, BOTH] {
                let refutations = refutations(parts);
                let mut tried = order(Some(7), parts, &refutations, seed);
                assert_eq!(tried[0], 7);
                tried.sort_unstable();
                assert_eq!(tried, (0..10).collect::<Vec<_>>());
                assert_eq!(order(Some(99), parts, &refutations, seed), order(None, parts, &refutations, seed));
            }
        }
    }

    #[test]
    fn chance_alone_puts_every_move_first_about_as_often() {
        let refutations = refutations(CHANCE);
        let mut firsts = [0; 10];
        for seed in 0..5_000 {
            firsts[usize::from(order(None, CHANCE, &refutations, seed)[0])] += 1;
        }
        assert!(firsts.iter().all(|count| (400..600).contains(count)), "{firsts:?}");
    }

    #[test]
    fn killers_come_first_and_history_by_work() {
        for seed in 0..50 {
            let killers = order(None, KILLERS, &refutations(KILLERS), seed);
            assert!(matches!(killers[..2], [4, 6] | [6, 4]), "{killers:?}");
            assert_eq!(order(None, HISTORY, &refutations(HISTORY), seed)[..4], [8, 6, 4, 1]);
            assert_eq!(order(None, BOTH, &refutations(BOTH), seed)[..4], [6, 4, 8, 1]);
        }
    }

    #[test]
    fn preparing_forgets() {
        let mut refutations = refutations(BOTH);
        refutations.prepare(8, Numbered::CODES);
        let mut fresh = Refutations::default();
        fresh.prepare(8, Numbered::CODES);
        assert_eq!(order(None, BOTH, &refutations, 1), order(None, BOTH, &fresh, 1));
    }
}
