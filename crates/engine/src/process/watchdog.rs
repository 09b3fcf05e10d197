//! The watchdog of a search in another process: whether it has been silent for longer than its speed explains.
//!
//! A search has no limit in seconds as such: on a loaded machine that would cut sound searches short. What is watched is
//! progress, nodes or depth that rise. Lines without progress do not count, so an engine that writes on and on without
//! searching is silent as well.

use std::time::{Duration, Instant};

/// How often a client that waits for an engine polls its interrupt.
pub const POLL_INTERVAL: Duration = Duration::from_millis(25);

/// Silence explained by the last progress: one more iteration takes a multiple of all before it.
const NEXT_ITERATION: u32 = 10;
/// Silence explained by the node limit: this many times as long as the nodes should take.
const SLOWER: f64 = 10.0;
/// A count beyond twice the limit and this is no overshoot any more.
const OVERSHOOT: u64 = 200_000;

/// Watches one search.
#[derive(Debug)]
pub struct Watchdog {
    begun: Instant,
    last_progress: Instant,
    nodes: u64,
    depth: u32,
}

/// A node limit, and how many nodes an engine searches in a second.
#[derive(Copy, Clone, Debug)]
pub struct ExpectedSearch {
    /// The limit.
    pub nodes: u64,
    /// Nodes a second.
    pub speed: f64,
}

impl Watchdog {
    /// Watches a search that began at this moment.
    pub fn new(begun: Instant) -> Watchdog {
        Watchdog { begun, last_progress: begun, nodes: 0, depth: 0 }
    }

    /// Takes note of what the engine reports; whether that is progress.
    pub fn progress(&mut self, nodes: u64, depth: u32, at: Instant) -> bool {
        let is_progress = nodes > self.nodes || depth > self.depth;
        if is_progress {
            self.last_progress = at;
            self.nodes = self.nodes.max(nodes);
            self.depth = self.depth.max(depth);
        }
        is_progress
    }

    /// When the search began.
    pub fn begun(&self) -> Instant {
        self.begun
    }

    /// The most nodes that were reported.
    pub fn nodes(&self) -> u64 {
        self.nodes
    }

    /// The greatest depth that was reported.
    pub fn depth(&self) -> u32 {
        self.depth
    }

    /// The time since the last progress.
    pub fn silence(&self) -> Duration {
        self.last_progress.elapsed()
    }

    /// Whether the engine has been silent for longer than `base` and what its speed explains.
    pub fn is_silent(&self, base: Duration, expected: Option<ExpectedSearch>) -> bool {
        self.silence() > self.allowed_silence(base, expected)
    }

    fn allowed_silence(&self, base: Duration, expected: Option<ExpectedSearch>) -> Duration {
        let by_iterations = (self.last_progress - self.begun).saturating_mul(NEXT_ITERATION);
        let by_limit = expected.map_or(Duration::ZERO, |ExpectedSearch { nodes, speed }| {
            Duration::try_from_secs_f64(nodes as f64 / speed * SLOWER).unwrap_or(Duration::MAX)
        });
        base.saturating_add(by_iterations.max(by_limit))
    }
}

/// The largest node count of an engine that honours this limit.
pub fn most_nodes(limit: u64) -> u64 {
    limit.saturating_mul(2).saturating_add(OVERSHOOT)
}

#[cfg(test)]
mod tests {
    use std::time::{Duration, Instant};

    use super::{ExpectedSearch, Watchdog};

    #[test]
    fn silence_is_allowed_as_far_as_speed_and_progress_explain_it() {
        let seconds = Duration::from_secs;
        let begun = Instant::now();
        let mut watchdog = Watchdog::new(begun);
        assert_eq!(watchdog.allowed_silence(seconds(2), None), seconds(2));
        let expected = Some(ExpectedSearch { nodes: 3_000, speed: 1_000.0 });
        assert_eq!(watchdog.allowed_silence(seconds(2), expected), seconds(32));
        assert!(watchdog.progress(100, 0, begun + seconds(1)));
        assert_eq!(watchdog.allowed_silence(seconds(2), None), seconds(12));
        assert_eq!(watchdog.allowed_silence(seconds(2), expected), seconds(32));
        let stopped = Some(ExpectedSearch { nodes: 1, speed: 0.0 });
        assert_eq!(watchdog.allowed_silence(seconds(2), stopped), Duration::MAX);
    }

    #[test]
    fn only_rising_counts_are_progress() {
        let begun = Instant::now();
        let later = |seconds| begun + Duration::from_secs(seconds);
        let mut watchdog = Watchdog::new(begun);
        assert!(watchdog.progress(10, 1, later(1)));
        assert!(!watchdog.progress(10, 1, later(2)) && !watchdog.progress(9, 0, later(3)));
        assert_eq!(watchdog.last_progress, later(1));
        assert!(watchdog.progress(5, 2, later(4)));
        assert_eq!((watchdog.nodes(), watchdog.depth(), watchdog.last_progress), (10, 2, later(4)));
    }
}
