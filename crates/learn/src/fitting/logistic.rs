//! The logistic function, its loss, and the slope of scores.
//!
//! The exponential function and the logarithm are made of additions, multiplications and divisions here. Those of the
//! standard library call the system's mathematical library, whose last bits depend on the machine; a table that was
//! fitted on one machine could not be rebuilt on another.

use std::f64::consts::{LN_2, LOG2_E};

/// The expected result of an evaluation, from 0 to 1.
pub fn expected_result(value: f64, slope: f64) -> f64 {
    logistic(value * slope)
}

/// The probability of winning at these log odds, from 0 to 1.
#[inline]
pub fn logistic(logit: f64) -> f64 {
    let small = exponential(-logit.abs());
    let smaller_side = small / (1.0 + small);
    if logit < 0.0 { smaller_side } else { 1.0 - smaller_side }
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

/// The exponential function of a number that is not positive.
#[inline]
fn exponential(exponent: f64) -> f64 {
    // Below, the result would be no normal number, and nothing that is added to it would notice.
    if exponent < -700.0 {
        return 0.0;
    }
    // e^x = 2^n e^r with |r| at most half of ln 2, where 14 terms of the series are exact to the last bits.
    let doublings = (exponent * LOG2_E).round();
    let rest = exponent - doublings * LN_2;
    const INVERSE_FACTORIALS: [f64; 14] = inverse_factorials();
    let series = INVERSE_FACTORIALS.iter().rev().fold(0.0, |sum, factor| sum * rest + factor);
    series * f64::from_bits(((1023 + doublings as i64) as u64) << 52)
}

const fn inverse_factorials() -> [f64; 14] {
    let mut factors = [1.0; 14];
    let mut n = 1;
    while n < factors.len() {
        factors[n] = factors[n - 1] / n as f64;
        n += 1;
    }
    factors
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
    use super::{cross_entropy, exponential, log_one_plus, logistic, slope_of_scores};

    #[test]
    fn the_functions_agree_with_the_standard_library() {
        for step in 0..=20_000 {
            let x = f64::from(step) * 0.037;
            let exact = (-x).exp();
            assert!((exponential(-x) - exact).abs() <= 4e-16 * x.max(1.0) * exact + 1e-300, "exp of -{x}");
            let small = f64::from(step) / 20_000.0;
            assert!((log_one_plus(small) - small.ln_1p()).abs() <= 4e-16, "ln_1p of {small}");
        }
    }

    #[test]
    fn both_sides_expect_one_point_together() {
        assert_eq!(logistic(0.0), 0.5);
        assert_eq!((logistic(1e9), logistic(-1e9)), (1.0, 0.0));
        for logit in [0.1, 1.0, 5.0, 30.0, 800.0] {
            assert!((logistic(logit) + logistic(-logit) - 1.0).abs() < 1e-15);
            assert!((logistic(logit) - 1.0 / (1.0 + (-logit).exp())).abs() < 1e-15);
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
