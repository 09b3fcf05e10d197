//! 95 % confidence intervals of a win rate in which a draw counts as half a win.
//!
//! [`normal_interval`] is the interval that the papers print (paper Table 4, thesis Table 4.5): the normal
//! approximation p ± z √(p(1−p)/n). It is too narrow near 0 and 1. [`wilson_interval`] (Wilson 1927) keeps its coverage
//! there. With draws both are wider than needed.

use super::{
    normal::Z95,
    outcomes::{Outcomes, Wdl},
};

/// A 95 % confidence interval of a win rate.
#[derive(Copy, Clone, PartialEq, Debug)]
pub struct Interval {
    /// Its lower end.
    pub low: f64,
    /// Its upper end.
    pub high: f64,
}

/// The normal approximation around the win rate, not clamped to 0 and 1; `None` without games.
pub fn normal_interval(games: &Wdl) -> Option<Interval> {
    let rate = games.mean()?;
    let half = Z95 * (rate * (1.0 - rate) / games.games() as f64).sqrt();
    Some(Interval { low: rate - half, high: rate + half })
}

/// Wilson's score interval, always within 0 and 1; `None` without games.
pub fn wilson_interval(games: &Wdl) -> Option<Interval> {
    let rate = games.mean()?;
    let n = games.games() as f64;
    let pull = Z95 * Z95 / n;
    let centre = (rate + pull / 2.0) / (1.0 + pull);
    let half = (pull * (rate * (1.0 - rate) + pull / 4.0)).sqrt() / (1.0 + pull);
    Some(Interval { low: (centre - half).max(0.0), high: (centre + half).min(1.0) })
}

impl Interval {
    /// Half its width, the number after the ±.
    pub fn half_width(self) -> f64 {
        (self.high - self.low) / 2.0
    }

    /// Whether a value is in the interval, ends included.
    pub fn contains(self, value: f64) -> bool {
        (self.low..=self.high).contains(&value)
    }
}

#[cfg(test)]
mod tests {
    use super::{normal_interval, wilson_interval};
    use crate::stats::outcomes::Wdl;

    #[test]
    fn the_papers_interval() {
        // Table 4: 58.17 % of 2,400 games, ± 1.97.
        let games = Wdl { wins: 1396, draws: 0, losses: 1004 };
        let interval = normal_interval(&games).unwrap();
        assert_eq!(format!("{:.2}", 100.0 * interval.half_width()), "1.97");
        assert!(interval.contains(0.5817) && !interval.contains(0.5));
        assert!((wilson_interval(&games).unwrap().half_width() - interval.half_width()).abs() < 1e-4);
    }

    #[test]
    fn wilson_holds_at_the_ends() {
        // Ten of ten: Wilson's lower end is 1/(1 + z²/10).
        let perfect = Wdl { wins: 10, draws: 0, losses: 0 };
        let (poor, good) = (normal_interval(&perfect).unwrap(), wilson_interval(&perfect).unwrap());
        assert_eq!((poor.low, poor.high), (1.0, 1.0));
        assert!((good.low - 0.722467).abs() < 1e-6 && (good.high - 1.0).abs() < 1e-12, "{good:?}");
        assert_eq!((normal_interval(&Wdl::default()), wilson_interval(&Wdl::default())), (None, None));
    }
}
