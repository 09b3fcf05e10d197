//! The standard normal distribution.
//!
//! Only the distribution function and its inverse are needed, so no dependency is used. Series and continued fraction:
//! Abramowitz and Stegun, 26.2.11 and 26.2.14.

use std::f64::consts::TAU;

/// The 97.5 % quantile: a two-sided 95 % interval extends this many standard deviations to each side.
pub(super) const Z95: f64 = 1.959963984540054;

/// The probability of a value below `x`, with at least 13 correct digits in both tails.
pub(super) fn phi(x: f64) -> f64 {
    if x > 0.0 { 1.0 - lower(x) } else { lower(-x) }
}

/// The value below which a share of all values is: the inverse of the distribution function, to nine digits, by bisection.
pub fn quantile(share: f64) -> f64 {
    let (mut low, mut high) = (-40.0, 40.0);
    while high - low > 1e-10 {
        let middle = (low + high) / 2.0;
        if phi(middle) < share { low = middle } else { high = middle }
    }
    (low + high) / 2.0
}

/// The probability of a value below `-x`, for `x` of at least 0.
fn lower(x: f64) -> f64 {
    let density = (-x * x / 2.0).exp() / TAU.sqrt();
    if x < SERIES_UP_TO {
        let mut term = x;
        let mut sum = x;
        for k in 1..TERMS {
            term *= x * x / f64::from(2 * k + 1);
            sum += term;
        }
        return 0.5 - density * sum;
    }
    density / mills_fraction(x)
}

/// The probability of a value above `x`, times exp(x²/2), for `x` of at least 0. It does not vanish where the probability does.
pub(super) fn scaled_tail(x: f64) -> f64 {
    if x < SERIES_UP_TO { lower(x) * (x * x / 2.0).exp() } else { 1.0 / (TAU.sqrt() * mills_fraction(x)) }
}

/// The continued fraction of the tail, for `x` of at least [`SERIES_UP_TO`].
fn mills_fraction(x: f64) -> f64 {
    (1..TERMS).rev().fold(x, |fraction, k| x + f64::from(k) / fraction)
}

const SERIES_UP_TO: f64 = 3.0;
const TERMS: u32 = 100;

#[cfg(test)]
mod tests {
    use super::{Z95, phi, quantile};

    #[test]
    fn quantiles_invert_the_distribution() {
        for (share, expected) in [(0.975, Z95), (0.95, 1.644_853_626_951), (0.5, 0.0), (0.02, -2.053_748_910_631)] {
            assert!((quantile(share) - expected).abs() < 1e-9, "{share}: {}", quantile(share));
        }
    }

    #[test]
    fn scaled_tails_continue_where_tails_vanish() {
        for x in [0.0f64, 0.5, 2.999, 3.001, 5.0, 30.0] {
            let direct = phi(-x) * (x * x / 2.0).exp();
            assert!((super::scaled_tail(x) / direct - 1.0).abs() < 1e-11, "{x}");
        }
        assert!((super::scaled_tail(1000.0) * 1000.0 * std::f64::consts::TAU.sqrt() - 1.0).abs() < 1e-5);
    }

    #[test]
    fn known_values() {
        // From mpmath, with 40 digits.
        let known = [
            (-37.0, 5.725571222524577e-300),
            (-10.0, 7.61985302416052e-24),
            (-5.0, 2.866515718791939e-7),
            (-3.0, 0.0013498980316300946),
            (-2.9999999, 0.0013498984748150015),
            (-1.0, 0.15865525393145705),
            (0.0, 0.5),
            (0.5, 0.6914624612740131),
            (Z95, 0.975),
            (3.5, 0.9997673709209645),
            (40.0, 1.0),
        ];
        for (x, expected) in known {
            assert!((phi(x) / expected - 1.0).abs() < 1e-12, "Phi({x}) = {:e}, not {expected:e}", phi(x));
        }
        assert_eq!((phi(f64::NEG_INFINITY), phi(f64::INFINITY)), (0.0, 1.0));
    }
}
