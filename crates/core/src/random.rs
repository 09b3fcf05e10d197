//! Random numbers that are the same on every machine and in every release.
//!
//! The generator is Xoshiro256++ by name; turning its bits into small numbers and shuffles is done
//! here, because the ready-made ways may change what they draw between versions of their crate.

use rand::rngs::Xoshiro256PlusPlus;
use rand::{Rng, SeedableRng};
use xxhash_rust::xxh3::xxh3_64_with_seed;

/// A seeded source of random numbers.
#[derive(Clone, Debug)]
pub struct Random {
    generator: Xoshiro256PlusPlus,
    /// Bits that were drawn and not used yet: a choice needs only sixteen.
    spare: u64,
    spare_draws: u32,
}

/// A seed for one named purpose, independent of those for all others.
pub fn derive_seed(seed: u64, purpose: &str) -> u64 {
    xxh3_64_with_seed(purpose.as_bytes(), seed)
}

impl Random {
    /// The algorithm's name, to be stored beside every seed.
    pub const ALGORITHM: &'static str = "xoshiro256++";

    /// The sequence of this seed.
    pub fn new(seed: u64) -> Random {
        Random { generator: Xoshiro256PlusPlus::seed_from_u64(seed), spare: 0, spare_draws: 0 }
    }

    /// The sequence of this seed for one named purpose, independent of all others.
    pub fn for_purpose(seed: u64, purpose: &str) -> Random {
        Random::new(derive_seed(seed, purpose))
    }

    /// A number below `bound`, which is at most 65,536; uneven by less than one in 65,536 / `bound`.
    #[inline]
    pub fn below(&mut self, bound: usize) -> usize {
        debug_assert!((1..=1 << 16).contains(&bound));
        if self.spare_draws == 0 {
            self.spare = self.generator.next_u64();
            self.spare_draws = 4;
        }
        let draw = self.spare as u16;
        self.spare >>= 16;
        self.spare_draws -= 1;
        (usize::from(draw) * bound) >> 16
    }

    /// A seed for something that is to be independent of this sequence.
    pub fn next_seed(&mut self) -> u64 {
        self.generator.next_u64()
    }

    /// Puts a slice into random order.
    pub fn shuffle<T>(&mut self, items: &mut [T]) {
        for place in 0..items.len() {
            let other = place + self.below(items.len() - place);
            items.swap(place, other);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Random;

    /// Stored runs name a seed: if one of these changes, every stored run means something else.
    #[test]
    fn draws_never_change() {
        let mut random = Random::new(1);
        let draws: Vec<_> = (0..8).map(|_| random.below(1000)).collect();
        assert_eq!(draws, GOLDEN_DRAWS);
        let mut items: Vec<_> = (0..10).collect();
        Random::for_purpose(1, "test").shuffle(&mut items);
        assert_eq!(items, GOLDEN_SHUFFLE);
    }

    const GOLDEN_DRAWS: [usize; 8] = [760, 433, 814, 811, 877, 586, 254, 747];
    const GOLDEN_SHUFFLE: [usize; 10] = [0, 5, 8, 7, 4, 3, 1, 2, 6, 9];

    #[test]
    fn every_number_is_about_as_likely() {
        let mut random = Random::new(7);
        let mut counts = [0u32; 48];
        for _ in 0..480_000 {
            counts[random.below(48)] += 1;
        }
        assert!(counts.iter().all(|count| (9_500..10_500).contains(count)), "{counts:?}");
    }
}
