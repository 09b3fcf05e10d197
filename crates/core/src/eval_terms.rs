//! What evaluations have counted before.

/// A small memory for those parts of an evaluation that many positions share, such as the pawn structure of chess.
/// What is noted depends on nothing but its key, so notes change no result.
#[derive(Debug, Default)]
pub struct EvalTermCache(Vec<(u64, u32)>);

impl EvalTermCache {
    /// How many are kept: they must not crowd out everything else from a processor's cache.
    const COUNT: usize = 1 << 14;

    /// Forgets everything, and makes room.
    pub fn prepare(&mut self) {
        self.0.clear();
        // No key belongs to this place whose last bits are not the place.
        self.0.extend((0..EvalTermCache::COUNT as u64).map(|place| (!place, 0)));
    }

    /// What is noted under this key, or what is counted now; without room, always the latter.
    #[inline(always)]
    pub fn get_or(&mut self, key: u64, count: impl FnOnce() -> u32) -> u32 {
        let Some((known, value)) = self.0.get_mut(key as usize % EvalTermCache::COUNT) else { return count() };
        if *known != key {
            (*known, *value) = (key, count());
        }
        *value
    }
}

#[cfg(test)]
mod tests {
    use super::EvalTermCache;

    #[test]
    fn what_is_noted_is_counted_once_and_never_mixed_up() {
        let mut notes = EvalTermCache::default();
        assert_eq!((notes.get_or(7, || 1), notes.get_or(7, || 2)), (1, 2), "no room, no memory");
        notes.prepare();
        for key in [0, 7, u64::MAX, EvalTermCache::COUNT as u64] {
            assert_eq!((notes.get_or(key, || 1), notes.get_or(key, || 2)), (1, 1), "{key}");
        }
        assert_eq!(notes.get_or(0, || 3), 3, "another key has its place");
        notes.prepare();
        assert_eq!(notes.get_or(7, || 4), 4);
    }
}
