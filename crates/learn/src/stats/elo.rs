//! Elo differences with error bars, for games and for pairs of games.
//!
//! - *Logistic* Elo: the expected score is s(e) = 1 / (1 + 10^(−e/400)). The error bar is half the difference between
//!   the Elo values at both ends of the 95 % interval of the score.
//! - *Normalized* Elo (Van den Bergh, "Normalized Elo", 2020): the score above one half in standard deviations of one
//!   game, times 800/ln 10. It determines how many games are needed to show a difference, independent of draw rate and
//!   openings.
//! - *Likelihood of superiority* (LOS): the probability that the side is stronger, with a uniform prior.
//!
//! As in fishtest, an outcome that never occurred counts as 1/1000, so a perfect score has a finite Elo. Its value says
//! little; the missing error bar shows that.

use std::{f64::consts::LN_10, fmt};

use super::{
    likelihood::Sample,
    normal::{Z95, phi},
    outcomes::Outcomes,
    scale::{NELO_SCALE, elo_of_odds},
};

/// An Elo difference with its error bar.
#[derive(Copy, Clone, PartialEq, Debug)]
pub struct EloEstimate {
    /// The difference; positive if the side whose results are counted is stronger.
    pub value: f64,
    /// The 95 % error bar. `None` if the interval reaches a score of 0 or 1: the results are too few or too one-sided
    /// to bound the difference.
    pub error: Option<f64>,
}

/// The logistic Elo difference; `None` without outcomes.
pub fn logistic_elo(outcomes: &impl Outcomes) -> Option<EloEstimate> {
    let sample = Sample::of(outcomes)?;
    let moments = sample.moments(sample.shares());
    let (mean, rest) = (moments.mean, moments.rest);
    let half = Z95 * moments.deviation / sample.total().sqrt();
    // Half of elo(mean + half) − elo(mean − half), without subtracting two nearly equal numbers.
    let error = (half < mean.min(rest)).then(|| 400.0 / LN_10 * ((half / mean).atanh() + (half / rest).atanh()));
    Some(EloEstimate { value: elo_of_odds(mean, rest), error })
}

/// The normalized Elo difference; `None` without outcomes.
pub fn normalized_elo<O: Outcomes>(outcomes: &O) -> Option<EloEstimate> {
    let sample = Sample::of(outcomes)?;
    let moments = sample.moments(sample.shares());
    let games_each = f64::from(O::GAMES_PER_OUTCOME);
    let value = (moments.mean - 0.5) / (games_each.sqrt() * moments.deviation) * NELO_SCALE;
    let error = Z95 / (games_each * sample.total()).sqrt() * NELO_SCALE;
    Some(EloEstimate { value, error: Some(error) })
}

/// The likelihood of superiority (LOS), between 0 and 1; `None` without outcomes.
pub fn likelihood_of_superiority(outcomes: &impl Outcomes) -> Option<f64> {
    let sample = Sample::of(outcomes)?;
    let moments = sample.moments(sample.shares());
    Some(phi((moments.mean - 0.5) * sample.total().sqrt() / moments.deviation))
}

impl fmt::Display for EloEstimate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.error {
            Some(error) => f.pad(&format!("{:.2} ± {error:.2}", self.value)),
            None => f.pad(&format!("{:.2} ± ∞", self.value)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{EloEstimate, likelihood_of_superiority, logistic_elo, normalized_elo};
    use crate::stats::outcomes::{Penta, Wdl};

    #[test]
    fn one_sided_results_have_no_error_bar() {
        for losses in [1, 1000, u64::MAX] {
            let estimate = logistic_elo(&Wdl { losses, ..Wdl::default() }).unwrap();
            assert!(estimate.value < -1000.0 && estimate.value.is_finite() && estimate.error.is_none(), "{estimate}");
            let estimate = normalized_elo(&Penta([losses, 0, 0, 0, 0])).unwrap();
            assert!(estimate.value.is_finite() && estimate.error.unwrap().is_finite(), "{estimate}");
            assert!(likelihood_of_superiority(&Penta([losses, 0, 0, 0, 0])).unwrap() < 1e-9);
        }
    }

    #[test]
    fn without_draws_near_equality_both_kinds_of_elo_agree() {
        let games = Wdl { wins: 5050, draws: 0, losses: 4950 };
        let (logistic, normalized) = (logistic_elo(&games).unwrap(), normalized_elo(&games).unwrap());
        assert!((logistic.value - normalized.value).abs() < 0.01, "{logistic}, {normalized}");
    }

    #[test]
    fn no_games_say_nothing() {
        assert_eq!(
            (
                logistic_elo(&Wdl::default()),
                normalized_elo(&Penta::default()),
                likelihood_of_superiority(&Wdl::default())
            ),
            (None, None, None)
        );
        assert_eq!(EloEstimate { value: 1440.0, error: None }.to_string(), "1440.00 ± ∞");
    }
}
