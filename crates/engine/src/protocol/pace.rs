//! How much time a move may take, and when it has had enough.
//!
//! A budget has two limits. After the *soft* one no new iteration is begun; it stretches while the best move changes or
//! the score falls, and shrinks while nothing happens. The *hard* one interrupts an iteration. Both leave a reserve on
//! the clock: a machine with other work to do may not let us run for tens of milliseconds, whatever we plan.

use std::time::Duration;

use plysmith_core::score::Score;
use plysmith_core::search::deepening::Report;

/// The clocks of both sides in milliseconds. What is not told counts as nothing, so that no time is lost by a guess.
#[derive(Copy, Clone, Default, PartialEq, Eq, Debug)]
pub struct Clock {
    /// White's.
    pub white: Remaining,
    /// Black's.
    pub black: Remaining,
    /// The next time control comes after so many moves.
    pub moves_to_go: Option<u64>,
}

/// One side's clock.
#[derive(Copy, Clone, Default, PartialEq, Eq, Debug)]
pub struct Remaining {
    /// What is left.
    pub time: u64,
    /// What each move adds, after it was played.
    pub increment: u64,
}

/// Milliseconds of a clock that are not for thinking.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct Lost {
    /// What is lost on the way from and to whoever keeps the clock.
    pub overhead: u64,
    /// What is kept because the machine is known to stall.
    pub stalls: u64,
}

/// The time for one move.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct Budget {
    /// When to begin no further iteration; none where all the time was given for this move.
    pub soft: Option<Duration>,
    /// When to stop.
    pub hard: Duration,
}

/// Decides from iteration to iteration.
#[derive(Debug)]
pub struct Pace {
    soft: Option<Duration>,
    /// How many moves there are to choose from.
    choices: usize,
    /// How many lines each iteration has.
    lines: usize,
    /// The best move so far, its score, and for how many iterations it has been the best.
    best: Option<(String, Score, usize)>,
    /// What the soft limit is multiplied by, in hundredths.
    patience: u32,
}

/// Milliseconds that stay on every clock beside the overhead, against being kept from running.
const RESERVE: u64 = 100;
/// How many moves a game may still last if nobody says, and the most that are saved for.
const MOVES_TO_GO: u64 = 25;
const MOST_MOVES_TO_GO: u64 = 40;
/// An iteration takes about as long as all before it, so the last one is begun well before the share is used up.
const SOFT_PERCENT: u64 = 60;
/// An iteration that was begun may take this many shares, if a clock so full can bear it.
const HARD_SHARES: u64 = 3;

/// What the soft limit is multiplied by after the best move has stayed the same for 0, 1, 2 … iterations.
const PATIENCE: [u32; 5] = [150, 120, 100, 90, 80];
/// A score that fell so much since the last iteration calls for half as much time again.
const FALL: i32 = 30;
/// A forced move is looked at so deep, for a sensible score and a move to ponder on.
const FORCED_DEPTH: u32 = 4;

impl Clock {
    /// The time for a move of this side.
    pub fn budget(&self, white_to_move: bool, lost: Lost) -> Budget {
        let Lost { overhead, stalls } = lost;
        let Remaining { time, increment } = if white_to_move { self.white } else { self.black };
        let reserve = RESERVE.max(stalls);
        let usable = time.saturating_sub(overhead.saturating_add(reserve));
        let moves = self.moves_to_go.filter(|&moves| moves > 0).unwrap_or(MOVES_TO_GO).min(MOST_MOVES_TO_GO);
        // An increment that only pays for the way brings nothing.
        let share = (usable / moves).saturating_add(increment.saturating_sub(overhead) / 4 * 3);
        // The last move before a time control may use nearly everything, earlier ones leave half.
        let most = usable / (4 + moves.min(4)) * 4;
        let hard = share.saturating_mul(HARD_SHARES).min(most);
        let soft =
            (share / 100).saturating_mul(SOFT_PERCENT).saturating_add(share % 100 * SOFT_PERCENT / 100).min(hard);
        Budget { soft: Some(Duration::from_millis(soft)), hard: Duration::from_millis(hard) }
    }
}

impl Budget {
    /// All of this many milliseconds but what is lost on the way.
    pub fn exactly(milliseconds: u64, overhead: u64) -> Budget {
        // A move time about as short as the overhead is still worth more than nothing.
        let time = milliseconds.saturating_sub(overhead).max(milliseconds / 2);
        Budget { soft: None, hard: Duration::from_millis(time) }
    }

    /// The stricter of two.
    pub fn and(self, other: Budget) -> Budget {
        let soft = self.soft.into_iter().chain(other.soft).min();
        Budget { soft, hard: self.hard.min(other.hard) }
    }
}

impl Pace {
    /// For a search within this budget of a position with so many moves, in which each iteration has so many lines.
    pub fn new(budget: Option<Budget>, choices: usize, lines: usize) -> Pace {
        let soft = budget.and_then(|budget| budget.soft);
        Pace { soft, choices, lines, best: None, patience: PATIENCE[0] }
    }

    /// Hears of a finished iteration of a line, and says whether to begin no further one.
    pub fn is_enough(&mut self, report: &Report<String>, spent: Duration) -> bool {
        if report.rank == 0 {
            self.judge(report);
        }
        let Some(soft) = self.soft else { return false };
        let is_forced = self.choices == 1 && report.depth >= FORCED_DEPTH;
        // Shares of a clock with centuries on it need not be stretched.
        let limit = soft.checked_mul(self.patience).map_or(Duration::MAX, |limit| limit / 100);
        report.rank + 1 >= self.lines && (is_forced || spent >= limit)
    }

    fn judge(&mut self, report: &Report<String>) {
        let Some(m) = report.line.first() else { return };
        let (stable, fell) = match &self.best {
            Some((best, score, stable)) => {
                (if best == m { stable + 1 } else { 0 }, score.units() - report.score.units() >= FALL)
            }
            None => (0, false),
        };
        self.patience = PATIENCE[stable.min(PATIENCE.len() - 1)] * if fell { 3 } else { 2 } / 2;
        self.best = Some((m.clone(), report.score, stable));
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use plysmith_core::score::Score;
    use plysmith_core::search::deepening::{End, Report};

    use super::{Budget, Clock, Lost, Pace, Remaining};

    fn budget(time: u64, increment: u64, moves_to_go: Option<u64>) -> (u64, u64) {
        budget_with_stalls(time, increment, moves_to_go, 0)
    }

    fn budget_with_stalls(time: u64, increment: u64, moves_to_go: Option<u64>, stalls: u64) -> (u64, u64) {
        let white = Remaining { time, increment };
        let Budget { soft, hard } =
            Clock { white, moves_to_go, ..Clock::default() }.budget(true, Lost { overhead: 10, stalls });
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
        assert_eq!(budget_with_stalls(1_000, 10, None, 90), (21, 105), "short stalls are what the reserve is for");
        assert_eq!(budget_with_stalls(1_000, 10, None, 500), (11, 57));
        assert_eq!(budget_with_stalls(1_000, 10, None, 5_000), (0, 0));
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
            let budget = Budget::exactly(asked, 10);
            assert_eq!(budget, Budget { soft: None, hard: Duration::from_millis(given) });
        }
    }

    #[test]
    fn doubts_take_longer_than_certainty() {
        let budget = Budget { soft: Some(Duration::from_millis(100)), hard: Duration::from_secs(1) };
        let spent_when_enough = |reports: &[Report<String>]| {
            let mut pace = Pace::new(Some(budget), 30, 1);
            assert!(!reports.iter().any(|report| pace.is_enough(report, Duration::ZERO)));
            let last = reports.last().unwrap();
            (0..1000).find(|&spent| {
                let mut pace = Pace { best: pace.best.clone(), ..pace };
                // Judged already.
                pace.is_enough(&Report { rank: 1, ..last.clone() }, Duration::from_millis(spent))
            })
        };
        let calm: Vec<_> = (1..8).map(|depth| report("a", 0, depth)).collect();
        assert_eq!(spent_when_enough(&calm), Some(80));
        assert_eq!(spent_when_enough(&[report("a", 0, 1), report("a", 0, 2), report("b", 5, 3)]), Some(150));
        assert_eq!(spent_when_enough(&[report("a", 0, 1), report("b", -50, 2)]), Some(225));
    }

    #[test]
    fn a_forced_move_is_played_at_once() {
        let budget = Budget { soft: Some(Duration::from_secs(100)), hard: Duration::from_secs(1000) };
        let mut pace = Pace::new(Some(budget), 1, 1);
        assert!(!pace.is_enough(&report("a", 0, 3), Duration::ZERO));
        assert!(pace.is_enough(&report("a", 0, 4), Duration::ZERO));
        assert!(
            !Pace::new(None, 1, 1).is_enough(&report("a", 0, 9), Duration::MAX),
            "without a clock there is no hurry"
        );
    }
}
