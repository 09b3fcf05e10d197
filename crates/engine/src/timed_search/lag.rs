//! Lag: how long the machine suspends this process.
//!
//! A search polls its clock every millisecond or two. If much more time has passed between two polls, the machine was busy
//! with other work, and will be again: twice the longest lag is kept on the clock as a reserve, and fades from search to
//! search.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::{Duration, Instant};

/// The longest recent lag.
#[derive(Debug, Default)]
pub struct LagMeter {
    /// In microseconds.
    longest: AtomicU64,
}

/// Polls the clock during one search.
#[derive(Debug)]
pub struct LagWatch<'a> {
    meter: &'a LagMeter,
    begun: Instant,
    /// The last poll, in microseconds from the beginning.
    last: AtomicU64,
}

/// Shorter lags are covered by the fixed reserve.
const NOTABLE: Duration = Duration::from_millis(20);

impl LagMeter {
    /// What to keep on the clock in milliseconds: twice the longest lag, because lags come in series.
    pub fn reserve(&self) -> u64 {
        2 * self.longest.load(Relaxed) / 1000
    }

    /// Watches a search that was begun at this moment. Earlier lags count a sixteenth less from now on.
    pub fn watch(&self, begun: Instant) -> LagWatch<'_> {
        let longest = self.longest.load(Relaxed);
        self.longest.store(longest - longest / 16, Relaxed);
        LagWatch { meter: self, begun, last: AtomicU64::new(0) }
    }
}

impl LagWatch<'_> {
    /// Polls the clock.
    pub fn poll(&self) {
        self.poll_at(self.begun.elapsed());
    }

    fn poll_at(&self, since_begun: Duration) {
        let now = since_begun.as_micros() as u64;
        let last = self.last.swap(now, Relaxed);
        // Several threads may poll; one that is late has seen nothing.
        let gap = now.saturating_sub(last);
        if gap >= NOTABLE.as_micros() as u64 {
            self.meter.longest.fetch_max(gap, Relaxed);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::time::{Duration, Instant};

    use super::LagMeter;

    #[test]
    fn a_lag_is_kept_in_reserve_and_fades() {
        let meter = LagMeter::default();
        let watch = meter.watch(Instant::now());
        for millisecond in [1, 2, 3, 21] {
            watch.poll_at(Duration::from_millis(millisecond));
        }
        assert_eq!(meter.reserve(), 0, "18 ms are not notable");
        watch.poll_at(Duration::from_millis(121));
        watch.poll_at(Duration::from_millis(120));
        assert_eq!(meter.reserve(), 200);
        let again: Vec<u64> = (0..60)
            .map(|_| {
                meter.watch(Instant::now()).poll_at(Duration::from_millis(1));
                meter.reserve()
            })
            .collect();
        assert_eq!(again[0], 187);
        assert!(again.is_sorted_by(|a, b| a >= b) && again[59] < 10, "{again:?}");
    }
}
