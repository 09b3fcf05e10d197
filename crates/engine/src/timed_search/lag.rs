//! How long this process is kept from running.
//!
//! A search looks at its clock every millisecond or two. If much more has gone by between two looks, the machine had
//! other things to do, and will have them again: so much is kept on the clock as a reserve, until it is forgotten.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::{Duration, Instant};

/// The longest stall of late.
#[derive(Debug, Default)]
pub struct Stalls {
    /// In microseconds.
    longest: AtomicU64,
}

/// Looks at the clock again and again, from one search.
#[derive(Debug)]
pub struct Looks<'a> {
    stalls: &'a Stalls,
    begun: Instant,
    /// When it was looked last, in microseconds from the beginning.
    last: AtomicU64,
}

/// Shorter stalls are what the fixed reserve is for.
const NOTABLE: Duration = Duration::from_millis(20);

impl Stalls {
    /// What to keep on the clock in milliseconds: the longest stall twice, for they do not come alone.
    pub fn reserve(&self) -> u64 {
        2 * self.longest.load(Relaxed) / 1000
    }

    /// Looks of a search that was begun at this moment. What was seen before counts a little less from now on.
    pub fn looks(&self, begun: Instant) -> Looks<'_> {
        let longest = self.longest.load(Relaxed);
        self.longest.store(longest - longest / 16, Relaxed);
        Looks { stalls: self, begun, last: AtomicU64::new(0) }
    }
}

impl Looks<'_> {
    /// Looks at the clock now.
    pub fn look(&self) {
        self.look_at(self.begun.elapsed());
    }

    fn look_at(&self, since_begun: Duration) {
        let now = since_begun.as_micros() as u64;
        let last = self.last.swap(now, Relaxed);
        // Several threads may look; one that is late has seen nothing.
        let gap = now.saturating_sub(last);
        if gap >= NOTABLE.as_micros() as u64 {
            self.stalls.longest.fetch_max(gap, Relaxed);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::time::{Duration, Instant};

    use super::Stalls;

    #[test]
    fn a_stall_is_kept_in_reserve_and_fades() {
        let stalls = Stalls::default();
        let looks = stalls.looks(Instant::now());
        for millisecond in [1, 2, 3, 21] {
            looks.look_at(Duration::from_millis(millisecond));
        }
        assert_eq!(stalls.reserve(), 0, "18 ms are nothing special");
        looks.look_at(Duration::from_millis(121));
        looks.look_at(Duration::from_millis(120));
        assert_eq!(stalls.reserve(), 200);
        let again: Vec<u64> = (0..60)
            .map(|_| {
                stalls.looks(Instant::now()).look_at(Duration::from_millis(1));
                stalls.reserve()
            })
            .collect();
        assert_eq!(again[0], 187);
        assert!(again.is_sorted_by(|a, b| a >= b) && again[59] < 10, "{again:?}");
    }
}
