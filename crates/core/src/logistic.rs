//! The logistic function: expected results from scores.
//!
//! The exponential function is made of additions and multiplications here. That of the standard library calls the system's
//! mathematical library, whose last bits depend on the machine; a table that was fitted on one machine could not be
//! rebuilt on another.

use std::f64::consts::{LN_2, LOG2_E};

/// The probability of winning at these log odds, from 0 to 1.
#[inline]
pub fn logistic(logit: f64) -> f64 {
    let small = exponential(-logit.abs());
    let smaller_side = small / (1.0 + small);
    if logit < 0.0 { smaller_side } else { 1.0 - smaller_side }
}

/// The exponential function of a number that is not positive.
#[inline]
pub fn exponential(exponent: f64) -> f64 {
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

#[cfg(test)]
mod tests {
    use super::{exponential, logistic};

    #[test]
    fn the_exponential_function_agrees_with_the_standard_library() {
        for step in 0..=20_000 {
            let x = f64::from(step) * 0.037;
            let exact = (-x).exp();
            assert!((exponential(-x) - exact).abs() <= 4e-16 * x.max(1.0) * exact + 1e-300, "exp of -{x}");
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
}
