//! Time management: how much time a move may take, and when a search has had enough of it.
//!
//! A budget has two limits. After the *soft* one no new iteration is begun; it stretches while the best move changes or
//! the score falls, and shrinks while both are stable. The *hard* one interrupts an iteration. Both leave a reserve on the
//! clock, because a loaded machine may suspend the process for tens of milliseconds.

use std::time::Duration;

use plysmith_core::score::Score;
use plysmith_core::search::deepening::Report;

/// One side's clock, in milliseconds.
#[derive(Copy, Clone, Default, PartialEq, Eq, Debug)]
pub struct SideClock {
    /// The time left.
    pub time: u64,
    /// What each move adds, after it was played.
    pub increment: u64,
}

/// Milliseconds of a clock that are not for thinking.
#[derive(Copy, Clone, Default, PartialEq, Eq, Debug)]
pub struct TimeReserve {
    /// Lost in the communication with whoever keeps the clock (`Move Overhead`).
    pub overhead: u64,
    /// Kept because the machine is known to suspend the process.
    pub lag: u64,
}

/// The time for one move.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct TimeBudget {
    /// When to begin no further iteration; none where all the time was given for this move.
    pub soft: Option<Duration>,
    /// When to stop.
    pub hard: Duration,
}

/// Decides after each iteration whether to begin another one.
#[derive(Debug)]
pub struct SoftLimit {
    soft: Option<Duration>,
    /// How many root moves are searched.
    root_moves: usize,
    /// How many lines each iteration reports (MultiPV).
    lines: usize,
    /// The best move so far, its score, and for how many iterations it has been the best.
    best: Option<(String, Score, usize)>,
    /// The factor of the soft limit, in hundredths.
    percent: u32,
}

/// Milliseconds that stay on every clock beside the overhead, against being suspended.
const RESERVE: u64 = 100;
/// The expected number of moves to the end of the game if there is no `movestogo`, and the upper limit of `movestogo`.
const MOVES_TO_GO: u64 = 25;
const MOST_MOVES_TO_GO: u64 = 40;
/// An iteration takes about as long as all before it, so the last one is begun well before the share is used up.
const SOFT_PERCENT: u64 = 60;
/// An iteration that was begun may take this many shares, if the clock allows it.
const HARD_SHARES: u64 = 3;
/// Without time a move comes after this many nodes, which takes well under a millisecond.
const NODES_WITHOUT_TIME: u64 = 500;

/// The factor of the soft limit after the best move has stayed the same for 0, 1, 2 … iterations, in hundredths.
const STABILITY_PERCENT: [u32; 5] = [150, 120, 100, 90, 80];
/// A score that fell by this much since the last iteration multiplies the soft limit by 1.5.
const SCORE_DROP: i32 = 30;
/// A forced move is searched to this depth, for a score and a move to ponder on.
const FORCED_DEPTH: u32 = 4;

impl SideClock {
    /// The time for a move of this side; `moves_to_go` is the number of moves to the next time control.
    pub fn budget(self, moves_to_go: Option<u64>, reserve: TimeReserve) -> TimeBudget {
        let SideClock { time, increment } = self;
        let TimeReserve { overhead, lag } = reserve;
        let usable = time.saturating_sub(overhead.saturating_add(RESERVE.max(lag)));
        let moves = moves_to_go.filter(|&moves| moves > 0).unwrap_or(MOVES_TO_GO).min(MOST_MOVES_TO_GO);
        // An increment that only pays for the overhead brings nothing.
        let share = (usable / moves).saturating_add(increment.saturating_sub(overhead) / 4 * 3);
        // The last move before a time control may use nearly everything, earlier ones leave half.
        let most = usable / (4 + moves.min(4)) * 4;
        let hard = share.saturating_mul(HARD_SHARES).min(most);
        let soft =
            (share / 100).saturating_mul(SOFT_PERCENT).saturating_add(share % 100 * SOFT_PERCENT / 100).min(hard);
        TimeBudget { soft: Some(Duration::from_millis(soft)), hard: Duration::from_millis(hard) }
    }
}

impl TimeBudget {
    /// All of `milliseconds` but the overhead (`go movetime`).
    pub fn exactly(milliseconds: u64, overhead: u64) -> TimeBudget {
        // A move time about as short as the overhead is still worth more than nothing.
        let time = milliseconds.saturating_sub(overhead).max(milliseconds / 2);
        TimeBudget { soft: None, hard: Duration::from_millis(time) }
    }

    /// The stricter limits of two budgets.
    #[must_use]
    pub fn and(self, other: TimeBudget) -> TimeBudget {
        let soft = self.soft.into_iter().chain(other.soft).min();
        TimeBudget { soft, hard: self.hard.min(other.hard) }
    }

    /// The node limit of a search with this budget: without any time, only a few nodes.
    pub fn node_limit(self, nodes: u64) -> u64 {
        if self.hard.is_zero() { nodes.min(NODES_WITHOUT_TIME) } else { nodes }
    }
}

impl SoftLimit {
    /// For a search within `budget` of a position with `root_moves` moves, in which each iteration reports `lines` lines.
    pub fn new(budget: Option<TimeBudget>, root_moves: usize, lines: usize) -> SoftLimit {
        let soft = budget.and_then(|budget| budget.soft);
        SoftLimit { soft, root_moves, lines, best: None, percent: STABILITY_PERCENT[0] }
    }

    /// Takes note of a finished line of an iteration, and says whether to begin no further iteration.
    pub fn is_reached(&mut self, report: &Report<String>, spent: Duration) -> bool {
        if report.rank == 0 {
            self.update(report);
        }
        let Some(soft) = self.soft else { return false };
        let is_forced = self.root_moves == 1 && report.depth >= FORCED_DEPTH;
        // A clock with centuries on it need not be stretched.
        let limit = soft.checked_mul(self.percent).map_or(Duration::MAX, |limit| limit / 100);
        report.rank + 1 >= self.lines && (is_forced || spent >= limit)
    }

    fn update(&mut self, report: &Report<String>) {
        let Some(m) = report.line.first() else { return };
        let (stable, fell) = match &self.best {
            Some((best, score, stable)) => {
                (if best == m { stable + 1 } else { 0 }, score.units() - report.score.units() >= SCORE_DROP)
            }
            None => (0, false),
        };
        self.percent = STABILITY_PERCENT[stable.min(STABILITY_PERCENT.len() - 1)] * if fell { 3 } else { 2 } / 2;
        self.best = Some((m.clone(), report.score, stable));
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use plysmith_core::score::Score;
    use plysmith_core::search::deepening::{End, Report};

    use super::{SideClock, SoftLimit, TimeBudget, TimeReserve};

    fn budget(time: u64, increment: u64, moves_to_go: Option<u64>) -> (u64, u64) {
        budget_with_lag(time, increment, moves_to_go, 0)
    }

    fn budget_with_lag(time: u64, increment: u64, moves_to_go: Option<u64>, lag: u64) -> (u64, u64) {
        let reserve = TimeReserve { overhead: 10, lag };
        let TimeBudget { soft, hard } = SideClock { time, increment }.budget(moves_to_go, reserve);
        (soft.unwrap().as_millis() as u64, hard.as_millis() as u64)
    }

    fn report(m: &str, score: i32, depth: u32) -> Report<String> {
        Report {
            line: vec![m.to_string()],
            score: Score::evaluation(score),
            nodes: 1,
            moves: 0,
            depth,
            height: 1,
            fired: Vec::new(),
            end: End::Depth,
            rank: 0,
            fullness: 0,
        }
    }

    #[test]
    fn a_share_of_the_clock_never_loses_on_time() {
        assert_eq!(budget(60_110, 0, None), (1440, 7200));
        assert_eq!(budget(60_110, 1000, None), (1884, 9423));
        assert_eq!(budget(1_000, 10, None), (21, 105));
        assert_eq!(budget(10_110, 0, Some(1)), (6000, 8000));
        assert_eq!(budget(170, 10_000, None), (28, 28), "the increment comes after the move");
        assert_eq!(budget_with_lag(1_000, 10, None, 90), (21, 105), "short suspensions are what the reserve is for");
        assert_eq!(budget_with_lag(1_000, 10, None, 500), (11, 57));
        assert_eq!(budget_with_lag(1_000, 10, None, 5_000), (0, 0));
        for left in (0..3_000).chain([u64::MAX, i64::MAX as u64]) {
            for (increment, moves) in
                [(0, None), (0, Some(1)), (0, Some(0)), (5000, None), (70, Some(2)), (u64::MAX, None)]
            {
                let (soft, hard) = budget(left, increment, moves);
                assert!(soft <= hard && hard <= left.saturating_sub(110), "{left} {increment} {moves:?}");
            }
        }
    }

    /// A game of 300 moves at one second and ten milliseconds a move, on a machine that has other things to do.
    #[test]
    fn a_slow_machine_does_not_lose_a_fast_game() {
        let mut left = 1000_i64;
        for number in 0..300 {
            let (soft, hard) = budget(left as u64, 10, None);
            let late = if number % 15 == 14 { 100 } else { 2 };
            left -= (if number % 3 == 0 { hard } else { soft }) as i64 + late;
            assert!(left > 0, "out of time at move {number}");
            left += 10;
        }
    }

    #[test]
    fn a_time_for_the_move_is_used_up_but_for_the_overhead() {
        let times = [(1000, 990), (15, 7), (10, 5), (0, 0)];
        for (asked, given) in times {
            let budget = TimeBudget::exactly(asked, 10);
            assert_eq!(budget, TimeBudget { soft: None, hard: Duration::from_millis(given) });
        }
    }

    #[test]
    fn changes_of_mind_take_longer_than_stability() {
        let budget = TimeBudget { soft: Some(Duration::from_millis(100)), hard: Duration::from_secs(1) };
        let spent_when_enough = |reports: &[Report<String>]| {
            let mut limit = SoftLimit::new(Some(budget), 30, 1);
            assert!(!reports.iter().any(|report| limit.is_reached(report, Duration::ZERO)));
            let last = reports.last().unwrap();
            (0..1000).find(|&spent| {
                let mut limit = SoftLimit { best: limit.best.clone(), ..limit };
                // Noted already.
                limit.is_reached(&Report { rank: 1, ..last.clone() }, Duration::from_millis(spent))
            })
        };
        let stable: Vec<_> = (1..8).map(|depth| report("a", 0, depth)).collect();
        assert_eq!(spent_when_enough(&stable), Some(80));
        assert_eq!(spent_when_enough(&[report("a", 0, 1), report("a", 0, 2), report("b", 5, 3)]), Some(150));
        assert_eq!(spent_when_enough(&[report("a", 0, 1), report("b", -50, 2)]), Some(225));
    }

    #[test]
    fn a_forced_move_is_played_at_once() {
        let budget = TimeBudget { soft: Some(Duration::from_secs(100)), hard: Duration::from_secs(1000) };
        let mut limit = SoftLimit::new(Some(budget), 1, 1);
        assert!(!limit.is_reached(&report("a", 0, 3), Duration::ZERO));
        assert!(limit.is_reached(&report("a", 0, 4), Duration::ZERO));
        assert!(
            !SoftLimit::new(None, 1, 1).is_reached(&report("a", 0, 9), Duration::MAX),
            "without a clock there is no hurry"
        );
    }
}
