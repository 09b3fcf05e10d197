//! Elo differences with error bars, for games and for pairs of games.
//!
//! - *Logistic* Elo: the expected score is s(e) = 1 / (1 + 10^(−e/400)). Its error bar is half of the
//!   difference between the Elo at either end of the score's normal interval of 95 %.
//! - *Normalized* Elo (Van den Bergh, "Normalized Elo", 2020): the score above one half, in deviations of
//!   one game, times 800/ln 10. It says how many games a difference takes to show, whatever the
//!   draws and the openings.
//! - *Likelihood of superiority*: how likely it is that the side is the stronger one, from nothing known
//!   before.
//!
//! As in fishtest, an outcome that never happened counts 1/1000, so a perfect score has a finite Elo.
//! Its size says little; that the error bar is missing says so.

use std::{f64::consts::LN_10, fmt};

use super::{
    likelihood::Sample,
    normal::{Z95, phi},
    outcomes::Outcomes,
};

/// 800/ln 10: nElo to deviations of a game. Where scores are near 1/2 and deviations are 1/2, as without
/// draws, nElo and Elo are the same.
pub(super) const NELO_SCALE: f64 = 800.0 / LN_10;

/// An Elo difference and how sure it is.
#[derive(Copy, Clone, PartialEq, Debug)]
pub struct Estimate {
    /// The difference; positive if the side whose results were counted is stronger.
    pub value: f64,
    /// The error bar of 95 %. None if the interval reaches a score of 0 or 1: too few results, or too
    /// one-sided ones, to bound the difference.
    pub error: Option<f64>,
}

/// The score to be expected of a side that is `elo` stronger.
pub fn expected_score(elo: f64) -> f64 {
    1.0 / (1.0 + 10f64.powf(-elo / 400.0))
}

/// The Elo difference at which this score is to be expected; none unless it is between 0 and 1.
pub fn elo_of_score(score: f64) -> Option<f64> {
    (score > 0.0 && score < 1.0).then(|| elo_of_odds(score, 1.0 - score))
}

/// The logistic Elo difference; none without outcomes.
pub fn logistic(outcomes: &impl Outcomes) -> Option<Estimate> {
    let sample = Sample::of(outcomes)?;
    let moments = sample.moments(sample.shares());
    let (mean, rest) = (moments.mean, moments.rest);
    let half = Z95 * moments.deviation / sample.total().sqrt();
    // Half of elo(mean + half) − elo(mean − half), without the difference of two nearly equal numbers.
    let error = (half < mean.min(rest)).then(|| 400.0 / LN_10 * ((half / mean).atanh() + (half / rest).atanh()));
    Some(Estimate { value: elo_of_odds(mean, rest), error })
}

/// The normalized Elo difference; none without outcomes.
pub fn normalized<O: Outcomes>(outcomes: &O) -> Option<Estimate> {
    let sample = Sample::of(outcomes)?;
    let moments = sample.moments(sample.shares());
    let games_each = f64::from(O::GAMES_EACH);
    let value = (moments.mean - 0.5) / (games_each.sqrt() * moments.deviation) * NELO_SCALE;
    let error = Z95 / (games_each * sample.total()).sqrt() * NELO_SCALE;
    Some(Estimate { value, error: Some(error) })
}

/// The likelihood of superiority, between 0 and 1; none without outcomes.
pub fn superiority(outcomes: &impl Outcomes) -> Option<f64> {
    let sample = Sample::of(outcomes)?;
    let moments = sample.moments(sample.shares());
    Some(phi((moments.mean - 0.5) * sample.total().sqrt() / moments.deviation))
}

impl fmt::Display for Estimate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.error {
            Some(error) => f.pad(&format!("{:.2} ± {error:.2}", self.value)),
            None => f.pad(&format!("{:.2} ± ∞", self.value)),
        }
    }
}

/// The score is given with what it lacks to 1, because the difference of the two can be too small to see.
fn elo_of_odds(score: f64, rest: f64) -> f64 {
    400.0 * (score / rest).log10()
}

#[cfg(test)]
mod tests {
    use super::{Estimate, elo_of_score, expected_score, logistic, normalized, superiority};
    use crate::stats::outcomes::{Penta, Wdl};

    #[test]
    fn scores_and_elo_belong_together() {
        assert_eq!((expected_score(0.0), elo_of_score(0.5)), (0.5, Some(0.0)));
        assert!((expected_score(400.0) - 10.0 / 11.0).abs() < 1e-15);
        for elo in [-1500.0, -35.0, 0.25, 800.0] {
            assert!((elo_of_score(expected_score(elo)).unwrap() - elo).abs() < 1e-8, "{elo}");
        }
        let nonsense = [0.0, 1.0, -0.1, 1.1, f64::NAN].map(elo_of_score);
        assert_eq!(nonsense, [None; 5]);
    }

    #[test]
    fn one_sided_results_have_no_error_bar() {
        for losses in [1, 1000, u64::MAX] {
            let estimate = logistic(&Wdl { losses, ..Wdl::default() }).unwrap();
            assert!(estimate.value < -1000.0 && estimate.value.is_finite() && estimate.error.is_none(), "{estimate}");
            let estimate = normalized(&Penta([losses, 0, 0, 0, 0])).unwrap();
            assert!(estimate.value.is_finite() && estimate.error.unwrap().is_finite(), "{estimate}");
            assert!(superiority(&Penta([losses, 0, 0, 0, 0])).unwrap() < 1e-9);
        }
    }

    #[test]
    fn without_draws_near_equality_both_kinds_of_elo_agree() {
        let games = Wdl { wins: 5050, draws: 0, losses: 4950 };
        let (logistic, normalized) = (logistic(&games).unwrap(), normalized(&games).unwrap());
        assert!((logistic.value - normalized.value).abs() < 0.01, "{logistic}, {normalized}");
    }

    #[test]
    fn no_games_say_nothing() {
        assert_eq!(
            (logistic(&Wdl::default()), normalized(&Penta::default()), superiority(&Wdl::default())),
            (None, None, None)
        );
        assert_eq!(Estimate { value: 1440.0, error: None }.to_string(), "1440.00 ± ∞");
    }
}
