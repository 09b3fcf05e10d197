//! The watchdog of a search in another process: whether it makes progress.
//!
//! A search has no limit in seconds as such: on a loaded machine that would cut sound searches short. But an engine that
//! hangs may say anything, so only one thing counts as progress: its own node count, and only steps that get a search to
//! its limit in a sensible time. Within every [`Patience`] the count must rise by a hundredth of the node limit, and by at
//! least one node a second; or the search must end. So no search takes longer than a hundred times the patience, and one that
//! has stopped to search ends within one, whatever it prints.
//!
//! Engines that are silent until they are done (the paper's protocol asks for nothing else) get more time if their finished
//! searches show that they are slow: three times as long as the node limit takes at that speed, but never more than ten
//! times the patience.
//!
//! Time is what we have watched: if this process was stopped, or got no processor, for longer than a second, that counts as
//! a second, because the engine's lines may be waiting for us.

use std::fmt;
use std::time::{Duration, Instant};

/// How often a client that waits for an engine polls its interrupt.
pub const POLL_INTERVAL: Duration = Duration::from_millis(25);

/// The longest time between two looks at a search that counts in full.
const LONGEST_GAP: Duration = Duration::from_secs(1);

/// The time in which a search has to make progress.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Patience(pub Duration);

/// A search takes at most this many times the patience: progress is the limit divided by this.
const MOST_STEPS: u64 = 100;
/// Nodes a second below which no engine counts as searching, whatever its limit.
const SLOWEST: f64 = 1.0;
/// A search may be this many times as slow as those before it: the machine may be loaded now.
const SLOWER: f64 = 3.0;
/// Slow engines get at most this many times the patience.
const MOST_PATIENCES: u32 = 10;

/// Silence of a search that only `stop` ends, explained by its last progress: one more iteration takes a multiple of all
/// before it.
const NEXT_ITERATION: u32 = 10;
/// Silence of such a search, explained by its node limit: this many times as long as the nodes should take.
const NODES_TAKE: f64 = 10.0;

impl Default for Patience {
    fn default() -> Patience {
        Patience(Duration::from_secs(60))
    }
}

/// Watches one search.
#[derive(Debug)]
pub struct Watchdog {
    begun: Instant,
    /// The node limit, if there is one.
    limit: Option<u64>,
    patience: Patience,
    /// The last look at the search, and the time that it was watched until then.
    looked: Instant,
    watched: Duration,
    /// When a line told more nodes or a greater depth than those before it, in watched time.
    last_line: Duration,
    nodes: u64,
    depth: u32,
    /// When the nodes had last risen by a step, in watched time, and to what.
    last_step: Duration,
    nodes_then: u64,
}

/// What a search that makes no progress did, and what is demanded.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct Progress {
    /// Nodes since the last progress.
    pub nodes: u64,
    /// The time since then.
    pub waited: Duration,
    /// The nodes that count as progress.
    pub step: u64,
    /// The time in which they must be searched.
    pub bound: Duration,
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
    pub fn new(begun: Instant, limit: Option<u64>, patience: Patience) -> Watchdog {
        Watchdog {
            begun,
            limit,
            patience,
            looked: begun,
            watched: Duration::ZERO,
            last_line: Duration::ZERO,
            nodes: 0,
            depth: 0,
            last_step: Duration::ZERO,
            nodes_then: 0,
        }
    }

    /// Looks at the search; returns how long it was watched.
    pub fn look(&mut self, now: Instant) -> Duration {
        self.watched += now.saturating_duration_since(self.looked).min(LONGEST_GAP);
        self.looked = self.looked.max(now);
        self.watched
    }

    /// Takes note of what the engine reports.
    pub fn note(&mut self, nodes: u64, depth: u32, at: Instant) {
        self.look(at);
        if nodes > self.nodes || depth > self.depth {
            self.last_line = self.watched;
            self.nodes = self.nodes.max(nodes);
            self.depth = self.depth.max(depth);
        }
        if self.nodes - self.nodes_then >= self.step() {
            self.last_step = self.watched;
            self.nodes_then = self.nodes;
        }
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

    /// What the search did instead of progress, if it has made none for too long. `speed` is that of finished searches, in
    /// nodes a second.
    pub fn stall(&self, speed: Option<f64>) -> Option<Progress> {
        let (waited, bound) = (self.watched - self.last_step, self.bound(speed));
        let nodes = self.nodes - self.nodes_then;
        (waited > bound).then(|| Progress { nodes, waited, step: self.step(), bound })
    }

    /// Whether a search that only `stop` ends has been silent for longer than `base` and what its speed explains: then there
    /// is nothing more to search.
    pub fn has_run_out(&self, base: Duration, expected: Option<ExpectedSearch>) -> bool {
        self.watched - self.last_line > self.explained_silence(base, expected)
    }

    /// Whether the search has had time for its node limit, at this speed.
    pub fn has_had_time(&self, speed: Option<f64>) -> bool {
        let time = self.limit.zip(speed).map(|(nodes, speed)| time_of(nodes, speed, SLOWER));
        time.is_some_and(|time| self.watched > time)
    }

    /// The nodes that count as progress.
    fn step(&self) -> u64 {
        let slowest = (self.patience.0.as_secs_f64() * SLOWEST).ceil() as u64;
        self.limit.map_or(0, |limit| limit / MOST_STEPS).max(slowest).max(1)
    }

    fn bound(&self, speed: Option<f64>) -> Duration {
        let Patience(patience) = self.patience;
        let expected = self.limit.zip(speed).map_or(Duration::ZERO, |(nodes, speed)| time_of(nodes, speed, SLOWER));
        expected.clamp(patience, patience.saturating_mul(MOST_PATIENCES))
    }

    fn explained_silence(&self, base: Duration, expected: Option<ExpectedSearch>) -> Duration {
        let by_iterations = self.last_line.saturating_mul(NEXT_ITERATION);
        let by_limit =
            expected.map_or(Duration::ZERO, |ExpectedSearch { nodes, speed }| time_of(nodes, speed, NODES_TAKE));
        base.saturating_add(by_iterations.max(by_limit))
    }
}

/// A multiple of the time that these nodes take.
fn time_of(nodes: u64, speed: f64, times: f64) -> Duration {
    Duration::try_from_secs_f64(nodes as f64 / speed * times).unwrap_or(Duration::MAX)
}

impl fmt::Display for Progress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Progress { nodes, waited, step, bound } = self;
        write!(
            f,
            "{nodes} more nodes reported in {:.1} s, at least {step} expected in {:.1} s; if it is slow but sound, raise \
             --patience (--engine-patience of tune)",
            waited.as_secs_f64(),
            bound.as_secs_f64()
        )
    }
}

#[cfg(test)]
mod tests {
    use std::time::{Duration, Instant};

    use proptest::prelude::{prop_assert, proptest};

    use super::{ExpectedSearch, Patience, Watchdog};

    const fn seconds(seconds: u64) -> Duration {
        Duration::from_secs(seconds)
    }

    fn watchdog(limit: Option<u64>) -> Watchdog {
        Watchdog::new(Instant::now(), limit, Patience::default())
    }

    #[test]
    fn silence_of_a_free_search_is_explained_by_speed_and_progress() {
        let mut watchdog = watchdog(Some(3_000));
        assert_eq!(watchdog.explained_silence(seconds(2), None), seconds(2));
        let expected = Some(ExpectedSearch { nodes: 3_000, speed: 1_000.0 });
        assert_eq!(watchdog.explained_silence(seconds(2), expected), seconds(32));
        watchdog.note(100, 0, watchdog.begun + seconds(1));
        assert_eq!(watchdog.explained_silence(seconds(2), None), seconds(12));
        assert_eq!(watchdog.explained_silence(seconds(2), expected), seconds(32));
        let stopped = Some(ExpectedSearch { nodes: 1, speed: 0.0 });
        assert_eq!(watchdog.explained_silence(seconds(2), stopped), Duration::MAX);
    }

    #[test]
    fn only_nodes_by_the_hundredth_of_the_limit_are_progress() {
        let mut watchdog = watchdog(Some(1_000_000));
        let begun = watchdog.begun;
        // Rising depth, single nodes, and nodes that do not rise.
        for (nodes, depth, at) in [(1, 1, 1), (1, 2, 2), (2, 3, 3), (9_999, 4, 4), (5, 5, 5)] {
            watchdog.note(nodes, depth, begun + seconds(at));
            assert_eq!(watchdog.last_step, Duration::ZERO, "{nodes} {depth}");
        }
        watchdog.note(10_000, 1, begun + seconds(6));
        assert_eq!((watchdog.last_step, watchdog.nodes_then), (seconds(6), 10_000));
        assert_eq!((watchdog.nodes(), watchdog.depth()), (10_000, 5));
        assert_eq!(watchdog.step(), 10_000);
        // A node every four seconds is no progress, however small the limit is.
        assert_eq!(Watchdog { limit: Some(100), ..watchdog }.step(), 60);
    }

    #[test]
    fn the_bound_is_the_patience_unless_finished_searches_were_slow() {
        let watchdog = watchdog(Some(1_000_000));
        assert_eq!(watchdog.bound(None), seconds(60));
        assert_eq!(watchdog.bound(Some(1e6)), seconds(60));
        assert_eq!(watchdog.bound(Some(30_000.0)), seconds(100));
        // Whatever it said.
        for speed in [10.0, 1e-9, 0.0, f64::NAN] {
            assert_eq!(watchdog.bound(Some(speed)), seconds(600), "{speed}");
        }
        assert_eq!(Watchdog { limit: None, ..watchdog }.bound(Some(1.0)), seconds(60));
    }

    #[test]
    fn time_in_which_we_were_stopped_does_not_count() {
        let mut watchdog = watchdog(Some(1_000_000));
        let begun = watchdog.begun;
        assert_eq!(watchdog.look(begun + seconds(1)), seconds(1));
        // An hour later.
        assert_eq!(watchdog.look(begun + seconds(3601)), seconds(2));
        assert_eq!((watchdog.stall(None), watchdog.has_run_out(seconds(2), None)), (None, false));
        assert_eq!(watchdog.look(begun + seconds(3600)), seconds(2), "a line may have been read before");
        for second in 1..=59 {
            watchdog.look(begun + seconds(3601 + second));
        }
        let progress = watchdog.stall(None).unwrap();
        assert_eq!(
            (progress.waited, progress.bound, progress.nodes, progress.step),
            (seconds(61), seconds(60), 0, 10_000)
        );
    }

    proptest! {
        /// However an engine reports, it passes its limit, has made a step in every patience, or is stalled.
        #[test]
        fn no_report_extends_a_search_beyond_a_hundred_patiences(
            limit in 1_u64..10_000_000,
            reports in proptest::collection::vec((0_u64..200_000, 0_u32..50, 1_u64..70), 1..300),
        ) {
            let mut watchdog = watchdog(Some(limit));
            let (mut at, mut nodes) = (watchdog.begun, 0);
            for (more, depth, pause) in reports {
                for _ in 0..pause {
                    at += seconds(1);
                    watchdog.look(at);
                    if watchdog.stall(None).is_some() {
                        return Ok(());
                    }
                }
                nodes += more;
                watchdog.note(nodes, depth, at);
                prop_assert!(nodes >= limit || watchdog.watched <= seconds(61 * 101));
            }
        }
    }
}
