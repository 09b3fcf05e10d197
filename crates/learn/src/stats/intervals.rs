//! Confidence intervals of 95 % for a plain win rate, in which a draw is half a win.
//!
//! [`plain`] is the interval that the papers print (paper Table 4, thesis Table 4.5): the normal
//! approximation p ± z √(p(1−p)/n). It is too narrow near 0 and 1 and vanishes there; [`wilson`]
//! (Wilson 1927) holds its promise there too. With draws both are wider than needed.

use super::{
    normal::Z95,
    outcomes::{Outcomes, Wdl},
};

/// A range that the true win rate is in, 19 times out of 20.
#[derive(Copy, Clone, PartialEq, Debug)]
pub struct Interval {
    /// Its lower end.
    pub low: f64,
    /// Its upper end.
    pub high: f64,
}

/// The papers' interval around the win rate, not cut off at 0 and 1; none without games.
pub fn plain(games: &Wdl) -> Option<Interval> {
    let rate = games.mean()?;
    let half = Z95 * (rate * (1.0 - rate) / games.games() as f64).sqrt();
    Some(Interval { low: rate - half, high: rate + half })
}

/// Wilson's score interval, always within 0 and 1; none without games.
pub fn wilson(games: &Wdl) -> Option<Interval> {
    let rate = games.mean()?;
    let n = games.games() as f64;
    let pull = Z95 * Z95 / n;
    let centre = (rate + pull / 2.0) / (1.0 + pull);
    let half = (pull * (rate * (1.0 - rate) + pull / 4.0)).sqrt() / (1.0 + pull);
    Some(Interval { low: (centre - half).max(0.0), high: (centre + half).min(1.0) })
}

impl Interval {
    /// Half its width: what stands behind the ± .
    pub fn half_width(self) -> f64 {
        (self.high - self.low) / 2.0
    }

    /// Whether a value is in it, the ends included.
    pub fn contains(self, value: f64) -> bool {
        (self.low..=self.high).contains(&value)
    }
}

#[cfg(test)]
mod tests {
    use super::{plain, wilson};
    use crate::stats::outcomes::Wdl;

    #[test]
    fn the_papers_interval() {
        // Table 4: 58.17 % of 2,400 games, ± 1.97.
        let games = Wdl { wins: 1396, draws: 0, losses: 1004 };
        let interval = plain(&games).unwrap();
        assert_eq!(format!("{:.2}", 100.0 * interval.half_width()), "1.97");
        assert!(interval.contains(0.5817) && !interval.contains(0.5));
        assert!((wilson(&games).unwrap().half_width() - interval.half_width()).abs() < 1e-4);
    }

    #[test]
    fn wilson_holds_at_the_ends() {
        // Ten of ten: Wilson's lower end is 1/(1 + z²/10).
        let perfect = Wdl { wins: 10, draws: 0, losses: 0 };
        let (poor, good) = (plain(&perfect).unwrap(), wilson(&perfect).unwrap());
        assert_eq!((poor.low, poor.high), (1.0, 1.0));
        assert!((good.low - 0.722467).abs() < 1e-6 && (good.high - 1.0).abs() < 1e-12, "{good:?}");
        assert_eq!((plain(&Wdl::default()), wilson(&Wdl::default())), (None, None));
    }
}
