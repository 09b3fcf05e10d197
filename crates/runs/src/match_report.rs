//! Reports on a match in progress: when they are due, and what they say.
//!
//! The lines are those that users of fastchess know: Elo, LOS, the results by games and by pairs, and the state of the
//! sequential test.

use std::time::{Duration, Instant};

use plysmith_learn::stats::outcomes::{Outcomes, Penta, Wdl};
use plysmith_learn::stats::sprt::Sprt;

use crate::estimates::{Estimates, Range, los_text};
use crate::progress::ReportInterval;
use crate::tally::Tally;
use crate::view::percent;

/// The longest time without an adaptive report.
const LONGEST_SILENCE: Duration = Duration::from_secs(600);
/// The first adaptive report.
const FEW_GAMES: u64 = 10;

/// Knows when a report is due. Games that a resumed run has stored already are not reported.
#[derive(Debug)]
pub struct Reporter {
    interval: ReportInterval,
    games: u64,
    begun: Instant,
    new_games: u64,
    last: Instant,
}

impl Reporter {
    /// Reports on a pairing of this many games.
    pub fn new(interval: Option<ReportInterval>, games: u64) -> Reporter {
        let now = Instant::now();
        Reporter { interval: interval.unwrap_or_default(), games, begun: now, new_games: 0, last: now }
    }

    /// Whether anybody wants reports.
    pub fn is_wanted(&self) -> bool {
        self.interval != ReportInterval::Never
    }

    /// Whether a report is due after this number of games; `is_new` tells whether the last one was played just now. There is none
    /// after the last game, when the result is printed.
    pub fn is_due(&mut self, games: u64, is_new: bool) -> bool {
        if !is_new {
            self.begun = Instant::now();
            return false;
        }
        self.new_games += 1;
        let is_due = match self.interval {
            ReportInterval::Never => false,
            ReportInterval::Every(interval) => games.is_multiple_of(interval.get()),
            ReportInterval::Adaptive => games.is_multiple_of(step(games)) || self.last.elapsed() >= LONGEST_SILENCE,
        };
        let is_due = is_due && games < self.games;
        if is_due {
            self.last = Instant::now();
        }
        is_due
    }

    /// Games per second, if some were played just now.
    pub fn speed(&self) -> Option<f64> {
        let seconds = self.begun.elapsed().as_secs_f64();
        (self.new_games > 0 && seconds > 0.0).then(|| self.new_games as f64 / seconds)
    }
}

/// The largest power of ten that is not more than this, and at least ten.
fn step(games: u64) -> u64 {
    let mut step = FEW_GAMES;
    while games / 10 >= step {
        step *= 10;
    }
    step
}

/// The state of a match.
#[derive(Copy, Clone, Debug)]
pub struct MatchReport<'a> {
    /// The players.
    pub names: [&'a str; 2],
    /// Their games so far.
    pub tally: &'a Tally,
    /// The sequential test.
    pub test: Option<&'a Sprt>,
    /// Games per second, if that is known.
    pub speed: Option<f64>,
}

impl MatchReport<'_> {
    /// The report, several lines without an end of line behind the last.
    pub fn text(&self) -> String {
        let [a, b] = self.names;
        let (games, pairs) = (self.tally.games(), self.tally.pairs());
        let Wdl { wins, draws, losses } = games;
        let count = wins + draws + losses;
        let estimates = Estimates::of(&pairs);
        let points = wins as f64 + draws as f64 / 2.0;
        let mut lines = vec![
            format!("{a} against {b} after {count} games"),
            format!("Elo: {}, nElo: {}", Range::text_or_dash(estimates.elo), Range::text_or_dash(estimates.nelo)),
            format!("LOS: {}, {}", los_text(estimates.los, estimates.score.is_some()), ratios(&pairs)),
            format!(
                "Games: {count}, Wins: {wins}, Losses: {losses}, Draws: {draws}, Points: {points:.1} ({})",
                percent(games.mean().unwrap_or(0.5))
            ),
            format!("Ptnml(0-2): {:?}{}", pairs.0, self.time_losses()),
        ];
        lines.extend(self.test.map(|test| test_line(test, &pairs, &games)));
        lines.extend(self.speed.map(|speed| format!("Games per second: {}", speed_text(speed))));
        lines.join("\n")
    }

    fn time_losses(&self) -> String {
        let [a, b] = self.names;
        let [first, second] = self.tally.on_time;
        let failures: u64 = self.tally.failures.iter().sum();
        let failed = if failures > 0 { format!(", Failures: {failures}") } else { String::new() };
        match first + second {
            0 => format!(", Time losses: 0{failed}"),
            all => format!(", Time losses: {all} ({a} {first}, {b} {second}){failed}"),
        }
    }
}

/// The share of pairs that were drawn, and how many were won for one that was lost.
fn ratios(pairs: &Penta) -> String {
    let Penta([lost, worse, level, better, won]) = *pairs;
    let all = lost + worse + level + better + won;
    let (against, for_first) = (lost + worse, better + won);
    let drawn = if all == 0 { "–".to_string() } else { percent(level as f64 / all as f64) };
    let ratio = if against == 0 { "–".to_string() } else { format!("{:.2}", for_first as f64 / against as f64) };
    format!("DrawRatio: {drawn}, PairsRatio: {ratio}")
}

/// `LLR: 1.23 (41.8 %) (-2.94, 2.94) [0.00, 5.00] normalized`.
fn test_line(test: &Sprt, pairs: &Penta, games: &Wdl) -> String {
    let (llr, bounds, hypotheses) = (test.llr_of(pairs, games), test.bounds(), test.hypotheses());
    let share = if llr >= 0.0 { llr / bounds.upper } else { -llr / bounds.lower };
    format!(
        "LLR: {llr:.2} ({}) ({:.2}, {:.2}) [{:.2}, {:.2}] {}",
        percent(share),
        bounds.lower,
        bounds.upper,
        hypotheses.elo0,
        hypotheses.elo1,
        test.model()
    )
}

fn speed_text(speed: f64) -> String {
    if speed >= 10.0 { format!("{speed:.0}") } else { format!("{speed:.2}") }
}

#[cfg(test)]
mod tests {
    use std::num::NonZeroU64;

    use plysmith_learn::stats::sprt::{EloModel, ErrorRates, Hypotheses};

    use super::*;

    fn due(interval: ReportInterval, games: u64) -> Vec<u64> {
        let mut reporter = Reporter::new(Some(interval), games);
        (1..=games).filter(|&game| reporter.is_due(game, true)).collect()
    }

    #[test]
    fn reports_become_rarer_and_never_repeat_the_result() {
        let adaptive = due(ReportInterval::Adaptive, 2500);
        assert_eq!(adaptive[..10], [10, 20, 30, 40, 50, 60, 70, 80, 90, 100]);
        assert_eq!(adaptive[10..], [200, 300, 400, 500, 600, 700, 800, 900, 1000, 2000]);
        assert_eq!(due(ReportInterval::Every(NonZeroU64::new(4).unwrap()), 12), [4, 8]);
        assert!(due(ReportInterval::Never, 100).is_empty());
        let mut reporter = Reporter::new(Some(ReportInterval::Adaptive), 100);
        assert!((1..=50).all(|game| !reporter.is_due(game, false)), "stored games are not reported");
        assert!(reporter.speed().is_none() && reporter.is_due(60, true));
    }

    #[test]
    fn a_report_has_what_users_of_fastchess_expect() {
        let tally: Tally = serde_json::from_value(serde_json::json!({
            "white": [60, 100, 130], "black": [89, 90, 111], "pairs": [34, 54, 63, 64, 75], "half": null, "fired": [],
            "moves": 0, "plies": 0, "nodes": 0, "searched": [{ "reported": 0, "moves": 0, "nodes": 0, "most": 0 },
            { "reported": 0, "moves": 0, "nodes": 0, "most": 0 }], "adjudicated": 0, "on_time": [2, 1],
            "failures": [0, 0], "oversteps": [], "replayed": 0
        }))
        .unwrap();
        let test = Sprt::new(EloModel::Normalized, Hypotheses { elo0: 0.0, elo1: 2.0 }, ErrorRates::default()).unwrap();
        let report = MatchReport { names: ["new", "old"], tally: &tally, test: Some(&test), speed: Some(3.456) }.text();
        for part in [
            "new against old after 580 games",
            "Elo: +55.58 ± 27.65, nElo: +57.94 ± 28.28",
            "LOS: 100.00 %, DrawRatio: 21.72 %, PairsRatio: 1.58",
            "Games: 580, Wins: 241, Losses: 149, Draws: 190, Points: 336.0 (57.93 %)",
            "Ptnml(0-2): [34, 54, 63, 64, 75], Time losses: 3 (new 2, old 1)",
            "(-2.94, 2.94) [0.00, 2.00] normalized",
            "Games per second: 3.46",
        ] {
            assert!(report.contains(part), "no '{part}' in\n{report}");
        }
    }
}
