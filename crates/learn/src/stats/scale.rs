//! The two Elo scales: logistic Elo as a function of the score, and the unit of normalized Elo.

use std::f64::consts::LN_10;

/// 800/ln 10: converts the score above one half, in standard deviations of one game, to normalized Elo. For scores near
/// 1/2 and a deviation of 1/2 (no draws), normalized and logistic Elo are equal.
pub(super) const NELO_SCALE: f64 = 800.0 / LN_10;

/// The expected score of a side that is `elo` stronger: 1 / (1 + 10^(−elo/400)).
pub fn expected_score(elo: f64) -> f64 {
    1.0 / (1.0 + 10f64.powf(-elo / 400.0))
}

/// The Elo difference with this expected score, or `None` unless the score is between 0 and 1.
pub fn elo_of_score(score: f64) -> Option<f64> {
    (score > 0.0 && score < 1.0).then(|| elo_of_odds(score, 1.0 - score))
}

/// Elo from the score and `rest` = 1 − score. Both are given because the subtraction would lose the digits of a score
/// close to 1.
pub(super) fn elo_of_odds(score: f64, rest: f64) -> f64 {
    400.0 * (score / rest).log10()
}

#[cfg(test)]
mod tests {
    use super::{elo_of_score, expected_score};

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
}
