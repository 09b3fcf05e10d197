//! Which move is tried next.
//!
//! The papers' program tries the previous iteration's principal variation first and everything else
//! in random order, so that an indecisive evaluation does not favour whatever is generated first.
//! Where a game has loud moves, those come next, the most promising first. Killers and history, where switched on,
//! come before chance.

use super::settings::Parts;
use crate::game::{Game, Move, MoveList};
use crate::random::Random;

/// What refuted other positions of this search.
#[derive(Debug, Default)]
pub struct Refutations {
    /// The last two moves that refuted a position at each height.
    killers: Vec<[u16; 2]>,
    /// How well each move has done anywhere: quiet moves that refuted rise, those tried before them fall.
    history: Vec<i16>,
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
    /// Whether the list was made.
    is_filled: bool,
    /// A move to try before the list is made.
    begin_with: Option<M>,
    /// Whether it was.
    has_begun: bool,
}

/// What breaks ties between equal ranks.
const RANDOM_BITS: u32 = 16;

/// No move has this code.
const NO_MOVE: u16 = u16::MAX;

/// History stays within plus or minus this.
const MOST_HISTORY: i32 = 16_384;

/// The bands of ranks, one above the other, each wide enough for what is ranked in it.
const QUIET: u64 = 1 << 17;
const KILLER: u64 = 1 << 18;
const LOUD: u64 = 1 << 19;

impl Refutations {
    /// Forgets everything, and makes room for a game with so many move codes.
    pub fn prepare(&mut self, heights: usize, codes: usize) {
        self.killers.clear();
        self.killers.resize(heights, [NO_MOVE; 2]);
        self.history.clear();
        self.history.resize(codes, 0);
    }

    /// A quiet move refuted a position at this height, those in `failed` did not. The deeper the search below, the
    /// more that says.
    pub fn record<M: Move, P: Parts>(
        &mut self,
        parts: P,
        m: M,
        failed: impl Iterator<Item = M>,
        height: u32,
        plies: u32,
    ) {
        if parts.killers() {
            let pair = &mut self.killers[height as usize];
            if pair[0] != m.code() {
                *pair = [m.code(), pair[0]];
            }
        }
        if parts.history() {
            let bonus = (16 * plies * plies + 128 * plies).min(1600) as i32;
            self.learn(m, bonus);
            failed.for_each(|other| self.learn(other, -bonus));
        }
    }

    /// The nearer history is to its limit, the less a bonus adds, so that it never sticks there.
    fn learn<M: Move>(&mut self, m: M, bonus: i32) {
        let history = &mut self.history[m.place()];
        let old = i32::from(*history);
        *history = (old + bonus - old * bonus.abs() / MOST_HISTORY) as i16;
    }

    /// Whether this move refuted a sibling.
    #[inline]
    pub fn is_killer<M: Move>(&self, m: M, height: u32) -> bool {
        self.killers[height as usize].contains(&m.code())
    }

    /// How well a move has done, from -1000 to 1000.
    #[inline]
    pub fn history<M: Move>(&self, m: M) -> i32 {
        i32::from(self.history[m.place()]) * 1000 / MOST_HISTORY
    }

    /// Ranks the moves of a position at this height: loud ones first, by what they promise, unless they lose material;
    /// then killers; then quiet ones by history.
    #[inline]
    pub fn ranking<'a, G: Game, P: Parts + 'a>(
        &'a self,
        position: &'a G,
        parts: P,
        height: u32,
    ) -> impl Fn(G::Move) -> u64 + 'a {
        let rank_quiet = self.ranking_quiet(parts, height);
        move |m| {
            if G::LOUD && position.is_loud(m) {
                let loses = parts.exchange() && !position.wins_exchange(m, 0);
                return u64::from(position.promise(m)) + if loses { 0 } else { LOUD };
            }
            rank_quiet(m)
        }
    }

    #[inline]
    fn ranking_quiet<'a, M: Move, P: Parts + 'a>(&'a self, parts: P, height: u32) -> impl Fn(M) -> u64 + 'a {
        let killers = if parts.killers() { self.killers[height as usize] } else { [NO_MOVE; 2] };
        move |m| {
            let band = if killers.contains(&m.code()) { KILLER } else { QUIET };
            let history = if parts.history() { i32::from(self.history[m.place()]) } else { 0 };
            band + (history + MOST_HISTORY) as u64
        }
    }
}

impl<M: Move> Picker<M> {
    /// No moves yet. The list is filled in place, because copying it would cost more than making it.
    #[inline(always)]
    pub fn new() -> Picker<M> {
        Picker {
            list: MoveList::new_const(),
            ranks: MoveList::new_const(),
            next: 0,
            first_is_set: false,
            is_filled: false,
            begin_with: None,
            has_begun: false,
        }
    }

    /// A legal move to try before all others are even made.
    #[inline]
    pub fn begin_with(&mut self, m: Option<M>) {
        self.begin_with = m;
    }

    /// That move, the first time it is asked for.
    #[inline]
    pub fn recalled(&mut self) -> Option<M> {
        if self.has_begun {
            return None;
        }
        self.has_begun = true;
        self.begin_with
    }

    /// Whether there was such a move.
    #[inline]
    pub fn has_begun_with_one(&self) -> bool {
        self.begin_with.is_some()
    }

    /// Makes the list, without the move that was tried already.
    #[inline(always)]
    pub fn fill(&mut self, make: impl FnOnce(&mut MoveList<M>)) {
        make(&mut self.list);
        self.is_filled = true;
        if let Some(place) = self.begin_with.and_then(|tried| self.list.iter().position(|m| m.code() == tried.code())) {
            self.list.swap_remove(place);
        }
    }

    /// Whether the list was made.
    #[inline]
    pub fn is_filled(&self) -> bool {
        self.is_filled
    }

    /// Takes the moves with these codes off the list.
    pub fn leave_out(&mut self, codes: &[u16]) {
        self.list.retain(|m| !codes.contains(&m.code()));
    }

    /// Puts the move with this code first, if it is there.
    #[inline]
    pub fn put_first(&mut self, code: u16) {
        if let Some(place) = self.list.iter().position(|m| m.code() == code) {
            self.list.swap(0, place);
            self.first_is_set = true;
        }
    }

    /// Ranks all moves; equals at random.
    #[inline]
    pub fn rank(&mut self, random: &mut Random, rank: impl Fn(M) -> u64) {
        // One number a position is enough: multiplied by it, codes come in an order that has nothing to do with theirs.
        let salt = random.next_seed() | 1;
        for &m in &self.list {
            let chance = u64::from(m.code() + 1).wrapping_mul(salt) >> (64 - RANDOM_BITS);
            self.ranks.push(rank(m) << RANDOM_BITS | chance);
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

    /// The moves that were picked.
    pub fn tried(&self) -> impl Iterator<Item = M> {
        self.begin_with.into_iter().chain(self.list[..self.next].iter().copied())
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

    const CHANCE: Switches = Switches::NONE;
    const KILLERS: Switches = Switches { killers: true, ..CHANCE };
    const HISTORY: Switches = Switches { history: true, ..CHANCE };
    const BOTH: Switches = Switches { killers: true, history: true, ..CHANCE };

    /// The order in which ten moves are tried at height 3.
    fn order(first: Option<u16>, parts: Switches, refutations: &Refutations, seed: u64) -> Vec<u16> {
        let mut random = Random::new(seed);
        let mut picker = Picker::new();
        picker.fill(|list| list.extend((0..10).map(Numbered)));
        if let Some(code) = first {
            picker.put_first(code);
        }
        if parts != CHANCE {
            picker.rank(&mut random, refutations.ranking_quiet(parts, 3));
        }
        std::iter::from_fn(|| picker.pick(&mut random)).map(|m| m.0).collect()
    }

    /// Moves 4 and 6 refute at height 3, move 8 elsewhere and with much more work.
    fn refutations(parts: Switches) -> Refutations {
        let mut refutations = Refutations::default();
        refutations.prepare(8, Numbered::CODES);
        for (code, height, work) in [(1, 3, 1), (4, 3, 2), (6, 3, 3), (6, 3, 2), (8, 2, 900)] {
            refutations.record(parts, Numbered(code), std::iter::empty(), height, work);
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
