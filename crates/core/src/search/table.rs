//! The transposition table: results of earlier searches of a position.
//!
//! Several searches may share one. A slot is two words that are written one after the other; the first is the key mixed
//! with the second, so that a slot that two threads wrote at the same time matches neither (Hyatt and Mann's lockless hashing).

use std::collections::TryReserveError;
use std::sync::atomic::{AtomicU8, AtomicU64, Ordering::Relaxed};

use crate::depth::Depth;
use crate::score::{Score, Window};

/// Results by position key, one entry per slot. A newer search or a deeper result replaces an entry.
#[derive(Debug, Default)]
pub struct Table {
    slots: Vec<Slot>,
    /// Counts searches, so that results of earlier ones are recognised without clearing the table. Zero is the generation
    /// of empty slots.
    generation: AtomicU8,
    /// The first generation whose results count.
    oldest: u8,
    /// Whether results of earlier searches count: set for engines that play a game with one table.
    remembers: bool,
}

/// [`Table::forget`] leaves at least this many generations for a game.
const GENERATIONS_OF_A_GAME: u8 = 128;

/// A cache of evaluations. Iterations reach the same positions again and again.
#[derive(Debug, Default)]
pub struct EvalCache(Vec<(u64, Score)>);

impl EvalCache {
    /// Number of entries: as many as fit in a processor's cache.
    const COUNT: usize = 1 << 15;

    /// Clears the cache.
    pub fn prepare(&mut self) {
        self.0.clear();
        // No position has this key at this place, because its last bits would be the place.
        self.0.extend((0..EvalCache::COUNT as u64).map(|place| (!place, Score::EVEN)));
    }

    /// The evaluation of the position with this key.
    #[inline]
    pub fn get_or(&mut self, key: u64, evaluate: impl FnOnce() -> Score) -> Score {
        let (known, score) = &mut self.0[key as usize % EvalCache::COUNT];
        if *known != key {
            (*known, *score) = (key, evaluate());
        }
        *score
    }
}

/// A result for a position.
#[derive(Copy, Clone, Debug)]
pub struct TableEntry {
    /// The best move's code, if one was found.
    pub best: Option<u16>,
    /// The score, counted from the position itself.
    pub score: Score,
    /// How deep it was searched.
    pub depth: Depth,
    /// How the score relates to the true one.
    pub bound: Bound,
}

/// How a score from a narrow window relates to the true one.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Bound {
    /// It is at most this.
    Upper,
    /// It is at least this.
    Lower,
    /// It is this.
    Exact,
}

#[derive(Debug, Default)]
struct Slot {
    /// The key, mixed with the data.
    check: AtomicU64,
    /// See [`TableEntry::pack`].
    data: AtomicU64,
}

impl Table {
    /// The bytes of a table of this size.
    pub fn bytes(mib: u32) -> u64 {
        (slots_in(mib) * size_of::<Slot>()) as u64
    }

    /// Reserves memory for a table of this size, so that [`Table::prepare`] cannot fail.
    pub fn reserve(&mut self, mib: u32) -> Result<(), TryReserveError> {
        self.slots.clear();
        self.slots.try_reserve_exact(slots_in(mib))
    }

    /// Gives the table this size. All results are dropped, unless the table keeps them between searches; and those of a game
    /// with very many searches are dropped once generations run out, because old results would never give way.
    pub fn prepare(&mut self, mib: u32) {
        let slots = slots_in(mib);
        let generation = self.generation.get_mut();
        if self.slots.len() != slots || *generation == u8::MAX {
            self.slots.clear();
            self.slots.shrink_to(slots);
            self.slots.resize_with(slots, Slot::default);
            *generation = 0;
            self.oldest = 1;
        }
        *generation += 1;
        if !self.remembers {
            self.oldest = *generation;
        }
    }

    /// Drops all results, and sets whether later ones are kept from search to search.
    pub fn forget(&mut self, remember: bool) {
        self.remembers = remember;
        let generation = self.generation.get_mut();
        // Results of earlier generations do not count; the slots are cleared only where generations run out.
        if *generation > u8::MAX - GENERATIONS_OF_A_GAME {
            self.slots.fill_with(Slot::default);
            *generation = 0;
        }
        self.oldest = *generation + 1;
    }

    /// The entry of the position.
    #[inline]
    pub fn get(&self, key: u64) -> Option<TableEntry> {
        let slot = self.slots.get(self.index(key))?;
        let data = slot.data.load(Relaxed);
        let fits = slot.check.load(Relaxed) ^ data == key;
        (fits && generation_of(data) >= self.oldest).then(|| TableEntry::unpack(data))
    }

    /// Stores a result, unless a deeper one of this search has the slot.
    #[inline(always)]
    pub fn put(&self, key: u64, known: TableEntry) {
        let generation = self.generation.load(Relaxed);
        if let Some(slot) = self.slots.get(self.index(key)) {
            let old = slot.data.load(Relaxed);
            let same = slot.check.load(Relaxed) ^ old == key;
            let keep = generation_of(old) == generation && !same && TableEntry::unpack(old).depth > known.depth;
            if !keep {
                let data = known.pack(generation);
                slot.data.store(data, Relaxed);
                slot.check.store(key ^ data, Relaxed);
            }
        }
    }

    /// Slots filled by this search, in thousandths.
    pub fn fullness(&self) -> u32 {
        let generation = self.generation.load(Relaxed);
        let sample = &self.slots[..self.slots.len().min(1000)];
        let used = sample.iter().filter(|slot| generation_of(slot.data.load(Relaxed)) == generation).count();
        (used * 1000 / sample.len().max(1)) as u32
    }

    #[inline]
    fn index(&self, key: u64) -> usize {
        key as usize & self.slots.len().wrapping_sub(1)
    }
}

#[inline]
fn generation_of(data: u64) -> u8 {
    (data >> 56) as u8
}

/// How many slots fit; a power of two.
fn slots_in(mib: u32) -> usize {
    (mib as usize * 1024 * 1024 / size_of::<Slot>()).checked_ilog2().map_or(0, |log| 1 << log)
}

impl Bound {
    /// The bound that a score from a search of this window is.
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

impl TableEntry {
    /// 16 bits for the move, 16 for the score, 20 for the depth, 2 for the bound, 8 for the generation.
    #[inline]
    fn pack(self, generation: u8) -> u64 {
        let best = self.best.map_or(0, |code| u64::from(code) + 1);
        let score = u64::from(self.score.units() as i16 as u16);
        best | score << 16
            | u64::from(self.depth.to_bits()) << 32
            | (self.bound as u64) << 52
            | u64::from(generation) << 56
    }

    #[inline]
    fn unpack(data: u64) -> TableEntry {
        let best = data as u16;
        let bound = match data >> 52 & 3 {
            0 => Bound::Upper,
            1 => Bound::Lower,
            _ => Bound::Exact,
        };
        let score = Score::from_units(i32::from((data >> 16) as u16 as i16));
        TableEntry {
            best: best.checked_sub(1),
            score,
            depth: Depth::from_bits((data >> 32) as u32 & Depth::BITS),
            bound,
        }
    }

    /// The score at this height, if it answers a search of this depth and window.
    #[inline]
    pub fn answer(&self, depth: Depth, window: Window, height: u32) -> Option<Score> {
        let score = self.score.from_root(height);
        let is_decisive = match self.bound {
            Bound::Exact => true,
            Bound::Lower => score >= window.beta,
            Bound::Upper => score <= window.alpha,
        };
        (self.depth >= depth && is_decisive).then_some(score)
    }
}

#[cfg(test)]
mod tests {
    use super::{Bound, Table, TableEntry};
    use crate::depth::Depth;
    use crate::outcome::Outcome;
    use crate::score::{Score, Window};

    fn known(plies: u32, units: i32) -> TableEntry {
        TableEntry { best: Some(7), score: Score::evaluation(units), depth: Depth::plies(plies), bound: Bound::Exact }
    }

    fn score_of(table: &Table, key: u64) -> Option<i32> {
        table.get(key).map(|known| known.score.units())
    }

    #[test]
    fn a_new_search_knows_nothing_of_the_old_ones() {
        let mut table = Table::default();
        // More often than there are generations, so that their numbers come around.
        for round in 0..600 {
            table.prepare(1);
            assert_eq!(score_of(&table, 5), None, "round {round}");
            if round % 256 == 3 {
                table.put(5, known(4, 31));
                assert_eq!(score_of(&table, 5), Some(31));
            }
        }
    }

    #[test]
    fn a_game_keeps_its_results_and_the_next_one_knows_none_of_them() {
        let mut table = Table::default();
        for game in 0..40_u64 {
            table.forget(true);
            for search in 0..8 + 3 * game {
                table.prepare(1);
                assert_eq!(score_of(&table, search), None, "search {search} of game {game}");
                table.put(search, known(4, 31));
                assert_eq!(score_of(&table, 0), Some(31), "search {search} of game {game}");
            }
        }
        // Whoever searches on without a new game loses results now and then, but old ones do not keep their slots for ever.
        let other = 5 + table.slots.len() as u64;
        table.put(5, known(90, 1));
        for _ in 0..300 {
            table.prepare(1);
            table.put(other, known(1, 2));
            assert_eq!((score_of(&table, 5), score_of(&table, other)), (None, Some(2)));
        }
        table.forget(false);
        table.prepare(1);
        assert_eq!(score_of(&table, 0), None);
        table.put(0, known(4, 31));
        table.prepare(1);
        assert_eq!(score_of(&table, 0), None, "it does not remember any more");
    }

    #[test]
    fn the_deeper_of_two_positions_keeps_the_slot_until_the_next_search() {
        let mut table = Table::default();
        table.prepare(1);
        let (one, other) = (5, 5 + table.slots.len() as u64);
        table.put(one, known(4, 1));
        table.put(other, known(3, 2));
        assert_eq!((score_of(&table, one), score_of(&table, other)), (Some(1), None));
        table.put(other, known(4, 3));
        assert_eq!((score_of(&table, one), score_of(&table, other)), (None, Some(3)));
        table.put(other, known(1, 4));
        assert_eq!(score_of(&table, other), Some(4), "a newer result of the same position");
        table.prepare(1);
        table.put(one, known(0, 5));
        assert_eq!(score_of(&table, one), Some(5), "results of earlier searches give way");
    }

    #[test]
    fn the_table_has_the_size_it_was_given() {
        let mut table = Table::default();
        for mib in [2, 0, 3, 1] {
            table.prepare(mib);
            let bytes = size_of_val(&table.slots[..]);
            let most = mib as usize * 1024 * 1024;
            assert!(bytes <= most && 2 * bytes >= most, "{bytes} bytes for {mib} MiB");
            table.put(9, known(1, 1));
            assert_eq!(score_of(&table, 9).is_some(), mib > 0);
        }
    }

    #[test]
    fn a_bound_answers_only_where_it_causes_a_cutoff() {
        let window = Window { alpha: Score::evaluation(-10), beta: Score::evaluation(10) };
        for (bound, units, is_decisive) in [
            (Bound::Exact, 0, true),
            (Bound::Exact, 50, true),
            (Bound::Lower, 9, false),
            (Bound::Lower, 10, true),
            (Bound::Upper, -9, false),
            (Bound::Upper, -10, true),
        ] {
            let known = TableEntry { bound, ..known(3, units) };
            let answer = known.answer(Depth::plies(3), window, 4);
            assert_eq!(answer, is_decisive.then_some(Score::evaluation(units)), "{bound:?} {units}");
            assert_eq!(known.answer(Depth::plies(4), window, 4), None, "not deep enough");
            assert_eq!(
                Bound::of(Score::evaluation(units), window) == bound,
                is_decisive && units != 50,
                "{bound:?} {units}"
            );
        }
    }

    #[test]
    fn wins_are_as_far_as_they_are_from_where_they_are_read() {
        let known = TableEntry { score: Score::of(Outcome::Win, 3), ..known(5, 0) };
        let answer = known.answer(Depth::plies(5), Window::FULL, 4);
        assert_eq!(answer, Some(Score::of(Outcome::Win, 7)));
    }
}
