//! Searches for one move under a clock: the time is allotted, watched, and ends the search.
//!
//! | file | what |
//! | --- | --- |
//! | `time_budget` | how much time a move may take, and when a search has had enough of it |
//! | `lag` | how long the machine suspends this process |
//! | `lazy_smp` | several threads on one position |
//!
//! The UCI server, the built-in players of a match and `plysmith play` all search through [`TimedSearch`]. A search without
//! a budget is the plain search, node for node.

mod lag;
mod lazy_smp;
mod time_budget;

use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use plysmith_core::games::AnyPosition;
use plysmith_core::search::deepening::{Report, Task, Workspace};

pub use lag::{LagMeter, LagWatch};
pub use time_budget::{SideClock, SoftLimit, TimeBudget, TimeReserve};

/// Controls a search from another thread: ends it, or starts its clock.
#[derive(Debug, Default)]
pub struct SearchControl {
    stop: AtomicBool,
    /// Since when the clock runs; not set while pondering.
    clock: OnceLock<Instant>,
}

impl SearchControl {
    /// A search whose clock has run since this moment.
    pub fn started(at: Instant) -> SearchControl {
        SearchControl { stop: AtomicBool::new(false), clock: OnceLock::from(at) }
    }

    /// Ends the search; it still returns the best move that it has.
    pub fn stop(&self) {
        self.stop.store(true, Ordering::Release);
    }

    /// Whether the search was told to end.
    pub fn is_stopped(&self) -> bool {
        self.stop.load(Ordering::Acquire)
    }

    /// Starts the clock, unless it runs (`ponderhit`).
    pub fn start_clock(&self, at: Instant) {
        self.clock.get_or_init(|| at);
    }

    /// Since when the clock runs; none while pondering.
    pub fn clock_start(&self) -> Option<Instant> {
        self.clock.get().copied()
    }
}

/// The time of one move: when its thinking has to end.
#[derive(Debug)]
pub struct MoveTimer<'a> {
    /// The time for this move; without one, only [`SearchControl::stop`] ends it.
    budget: Option<TimeBudget>,
    control: &'a SearchControl,
    /// When thinking began: before the clock did, if it was pondering.
    begun: Instant,
    lag: Option<LagWatch<'a>>,
    is_soft_limit_reached: AtomicBool,
}

impl<'a> MoveTimer<'a> {
    /// A timer of thinking that began at this moment.
    pub fn new(budget: Option<TimeBudget>, control: &'a SearchControl, begun: Instant) -> MoveTimer<'a> {
        MoveTimer { budget, control, begun, lag: None, is_soft_limit_reached: AtomicBool::new(false) }
    }

    /// Notes lag while it is polled.
    #[must_use]
    pub fn with_lag(self, lag: LagWatch<'a>) -> MoveTimer<'a> {
        MoveTimer { lag: Some(lag), ..self }
    }

    /// Whether the thinking has to end now.
    pub fn is_over(&self) -> bool {
        if let Some(lag) = &self.lag {
            lag.poll();
        }
        self.control.is_stopped() || self.is_out_of_time()
    }

    fn is_out_of_time(&self) -> bool {
        match (self.control.clock_start(), self.budget) {
            (Some(start), Some(budget)) => {
                self.is_soft_limit_reached.load(Ordering::Relaxed) || start.elapsed() >= budget.hard
            }
            _ => false,
        }
    }

    /// A clock that has run down leaves a few nodes. While pondering it may still be set.
    fn node_limit(&self, nodes: u64) -> u64 {
        match (self.control.clock_start(), self.budget) {
            (Some(_), Some(budget)) => budget.node_limit(nodes),
            _ => nodes,
        }
    }
}

/// A search for a move under a clock.
pub struct TimedSearch<'a> {
    /// The position.
    pub position: &'a dyn AnyPosition,
    /// What to search. Its interrupt abandons the search at any time; unlike the timer it does not wait until there is a
    /// move to play.
    pub task: Task<'a>,
    /// When the thinking has to end.
    pub timer: &'a MoveTimer<'a>,
    /// Threads that search beside the calling one.
    pub helpers: usize,
}

impl TimedSearch<'_> {
    /// How many lines each iteration reports: as many as were asked for, if there are that many moves.
    pub fn lines(&self) -> usize {
        self.root_moves().min(self.task.root.more_lines + 1)
    }

    /// Searches. `observer` sees each finished line of each iteration.
    pub fn run(&self, workspace: &mut Workspace, observer: &mut dyn FnMut(Report<String>)) -> Report<String> {
        let TimedSearch { position, task, timer, helpers } = self;
        let mut soft_limit = SoftLimit::new(timer.budget, self.root_moves(), self.lines());
        let mut limit = task.limit;
        limit.nodes = timer.node_limit(limit.nodes);
        // The first poll comes before the first node, when there is no move yet worth playing.
        let was_polled = AtomicBool::new(false);
        let interrupt = || (task.interrupt)() || was_polled.swap(true, Ordering::Relaxed) && timer.is_over();
        let task = Task { limit, interrupt: &interrupt, ..task.clone() };
        lazy_smp::search(*position, &task, workspace, *helpers, &mut |report| {
            // Thinking in the opponent's time counts: a move may be ready when the clock starts.
            let is_reached = soft_limit.is_reached(&report, timer.begun.elapsed());
            timer.is_soft_limit_reached.store(is_reached, Ordering::Relaxed);
            observer(report);
        })
    }

    fn root_moves(&self) -> usize {
        match self.task.root.only {
            [] => self.position.moves().len(),
            only => only.len(),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::time::{Duration, Instant};

    use plysmith_core::feature::Scheme;
    use plysmith_core::games::find;
    use plysmith_core::search::deepening::{End, Limit, Report, Root, Task, Workspace};

    use super::{MoveTimer, SearchControl, TimeBudget, TimedSearch};

    fn search(control: &SearchControl, budget: Option<TimeBudget>, limit: Limit) -> Report<String> {
        let game = find("breakthrough").unwrap();
        let position = (game.open)(game.bench[0]).unwrap();
        let task = Task {
            settings: game.parse_settings("modern").unwrap(),
            scheme: &Scheme::neutral(),
            limit,
            seed: 1,
            interrupt: &|| false,
            root: Root::default(),
        };
        let timer = MoveTimer::new(budget, control, Instant::now());
        let search = TimedSearch { position: position.as_ref(), task, timer: &timer, helpers: 0 };
        search.run(&mut Workspace::default(), &mut |_| ())
    }

    #[test]
    fn a_search_that_is_over_before_it_begins_still_finds_a_move() {
        let stopped = SearchControl::default();
        stopped.stop();
        let report = search(&stopped, None, Limit::nodes(u64::MAX));
        assert_eq!((report.end, report.line.is_empty()), (End::Interrupted, false));
        let no_time = TimeBudget { soft: None, hard: Duration::ZERO };
        let report = search(&SearchControl::started(Instant::now()), Some(no_time), Limit::nodes(u64::MAX));
        assert!(report.nodes <= 500 && !report.line.is_empty(), "{report:?}");
    }

    #[test]
    fn while_pondering_no_time_is_spent() {
        let no_time = TimeBudget { soft: Some(Duration::ZERO), hard: Duration::ZERO };
        let pondering = search(&SearchControl::default(), Some(no_time), Limit::nodes(5_000));
        assert_eq!(pondering, search(&SearchControl::default(), None, Limit::nodes(5_000)));
        assert_eq!(pondering.end, End::Nodes);
    }

    #[test]
    fn the_soft_limit_ends_a_search_after_an_iteration() {
        let budget = TimeBudget { soft: Some(Duration::ZERO), hard: Duration::MAX };
        let report = search(&SearchControl::started(Instant::now()), Some(budget), Limit::depth(9));
        assert_eq!((report.end, report.depth), (End::Interrupted, 1));
    }
}
