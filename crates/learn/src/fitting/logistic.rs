//! The loss of the logistic function, and the slope of scores.
//!
//! The logarithm is made of additions, multiplications and divisions, as the exponential function is; see
//! [`plysmith_core::logistic`].

use plysmith_core::logistic::exponential;
pub use plysmith_core::logistic::logistic;

/// The expected result of an evaluation, from 0 to 1.
pub fn expected_result(value: f64, slope: f64) -> f64 {
    logistic(value * slope)
}

/// The cross entropy, in nats, of a result from 0 to 1 that was expected at these log odds.
pub fn cross_entropy(logit: f64, result: f64) -> f64 {
    // ln(1 + e^x) - r x, without overflow for large |x|.
    log_one_plus(exponential(-logit.abs())) + logit.max(0.0) - result * logit
}

/// The slope, in logits for each unit of score, at which scores predict results best. Each pair is a score and a result
/// from 0 to 1. Scores of forced wins are no evaluations, and should not be among them.
///
/// Between 0 and 1: scores that say nothing or the opposite have slope 0, scores that are always right have slope 1.
pub fn slope_of_scores(pairs: &[(f64, f64)]) -> f64 {
    // The loss is convex in the slope, so its derivative changes its sign once.
    let rises = |slope: f64| {
        let derivative: f64 = pairs.iter().map(|&(score, result)| (logistic(score * slope) - result) * score).sum();
        derivative > 0.0
    };
    let (mut low, mut high) = (0.0, 1.0);
    for _ in 0..50 {
        let middle = 0.5 * (low + high);
        if rises(middle) { high = middle } else { low = middle }
    }
    0.5 * (low + high)
}

/// The natural logarithm of 1 plus a number from 0 to 1.
fn log_one_plus(number: f64) -> f64 {
    // ln((1 + u) / (1 - u)) = 2 (u + u³/3 + u⁵/5 + …), with u at most a third.
    let u = number / (2.0 + number);
    let square = u * u;
    let series = (0..18).rev().fold(0.0, |sum, n| sum * square + 1.0 / f64::from(2 * n + 1));
    2.0 * u * series
}

#[cfg(test)]
mod tests {
    use super::{cross_entropy, log_one_plus, logistic, slope_of_scores};

    #[test]
    fn the_logarithm_agrees_with_the_standard_library() {
        for step in 0..=20_000 {
            let small = f64::from(step) / 20_000.0;
            assert!((log_one_plus(small) - small.ln_1p()).abs() <= 4e-16, "ln_1p of {small}");
        }
    }

    #[test]
    fn the_loss_is_that_of_its_definition() {
        for (logit, result) in [(0.3_f64, 0.25_f64), (-2.0, 1.0), (4.0, 0.0), (1.0, 0.5)] {
            let expected = 1.0 / (1.0 + (-logit).exp());
            let loss = -result * expected.ln() - (1.0 - result) * (1.0 - expected).ln();
            assert!((cross_entropy(logit, result) - loss).abs() < 1e-14);
        }
        assert!(cross_entropy(1e8, 0.0).is_finite());
    }

    #[test]
    fn the_slope_of_scores_is_found() {
        let pairs: Vec<_> = (-500..=500).map(|score| (f64::from(score), logistic(0.013 * f64::from(score)))).collect();
        assert!((slope_of_scores(&pairs) - 0.013).abs() < 1e-9);
        let wrong: Vec<_> = pairs.iter().map(|(score, result)| (-score, *result)).collect();
        assert!(slope_of_scores(&wrong) < 1e-9);
        assert!(slope_of_scores(&[(10.0, 1.0), (-10.0, 0.0)]) > 0.999);
    }
}
