//! A cache for terms of evaluations, such as the pawn structure of chess.

/// A small cache for those terms of an evaluation that many positions share, such as the pawn structure of chess.
/// A value depends on nothing but its key, so the cache changes no result.
#[derive(Debug, Default)]
pub struct EvalTermCache(Vec<(u64, u32)>);

impl EvalTermCache {
    /// Number of entries: few enough to leave room for everything else in a processor's cache.
    const COUNT: usize = 1 << 14;

    /// Clears the cache, and allocates its memory.
    pub fn prepare(&mut self) {
        self.0.clear();
        // No key belongs to this place whose last bits are not the place.
        self.0.extend((0..EvalTermCache::COUNT as u64).map(|place| (!place, 0)));
    }

    /// The value of this key, computed if it is not in the cache. Before [`EvalTermCache::prepare`], it is always computed.
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
    fn values_are_computed_once_and_never_mixed_up() {
        let mut cache = EvalTermCache::default();
        assert_eq!((cache.get_or(7, || 1), cache.get_or(7, || 2)), (1, 2), "not prepared");
        cache.prepare();
        for key in [0, 7, u64::MAX, EvalTermCache::COUNT as u64] {
            assert_eq!((cache.get_or(key, || 1), cache.get_or(key, || 2)), (1, 1), "{key}");
        }
        assert_eq!(cache.get_or(0, || 3), 3, "another key has its place");
        cache.prepare();
        assert_eq!(cache.get_or(7, || 4), 4);
    }
}
