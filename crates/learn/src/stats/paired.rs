//! Two candidates on the same problems: each problem is a pair of results, solved or not by either.
//!
//! Only problems that one of the two solves alone tell them apart (McNemar 1947).

use std::f64::consts::LN_2;

use super::normal::Z95;

/// How two candidates did on the same problems.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Default)]
pub struct PairedCounts {
    /// Problems that both were tried on.
    pub problems: u64,
    /// Solved by the first alone.
    pub first_only: u64,
    /// Solved by the second alone.
    pub second_only: u64,
}

impl PairedCounts {
    /// Adds a problem.
    pub fn add(&mut self, first: bool, second: bool) {
        self.problems += 1;
        self.first_only += u64::from(first && !second);
        self.second_only += u64::from(second && !first);
    }

    /// The comparison as the second sees it.
    #[must_use]
    pub const fn turned(self) -> PairedCounts {
        PairedCounts { problems: self.problems, first_only: self.second_only, second_only: self.first_only }
    }

    /// How many more problems the first solves.
    pub fn difference(self) -> i64 {
        self.first_only as i64 - self.second_only as i64
    }

    /// Half the width of the 95 % interval of the difference, by the normal approximation.
    pub fn error(self) -> f64 {
        let (sum, difference) = ((self.first_only + self.second_only) as f64, self.difference() as f64);
        let variance = sum - difference * difference / self.problems.max(1) as f64;
        Z95 * variance.max(0.0).sqrt()
    }

    /// The probability that the first would solve this many more by chance, if both were equally good: the exact one-sided
    /// sign test. Exact also for few problems, where the interval is not.
    pub fn chance(self) -> f64 {
        let n = self.first_only + self.second_only;
        // The logarithm of the probability of k heads in n throws of a coin, from k = 0 on.
        let mut log_term = -(n as f64) * LN_2;
        let mut tail = 0.0;
        for k in 0..=n {
            if k >= self.first_only {
                tail += log_term.exp();
            }
            log_term += ((n - k) as f64 / (k + 1) as f64).ln();
        }
        tail.min(1.0)
    }

    /// Whether the first is better beyond chance, as the best of the given number of candidates (Bonferroni's
    /// correction of a one-sided test of 2.5 %).
    pub fn is_better(self, candidates: usize) -> bool {
        self.difference() > 0 && self.chance() < 0.025 / candidates.max(1) as f64
    }
}

#[cfg(test)]
mod tests {
    use super::PairedCounts;

    fn counts(first_only: u64, second_only: u64) -> PairedCounts {
        PairedCounts { problems: 302, first_only, second_only }
    }

    #[test]
    fn the_sign_test_is_exact() {
        // Of n = 5 throws: P(5 heads) = 1/32, P(at least 4) = 6/32, P(at least 0) = 1.
        for (first, second, chance) in [(5, 0, 1.0 / 32.0), (4, 1, 6.0 / 32.0), (0, 5, 1.0), (0, 0, 1.0), (1, 1, 0.75)]
        {
            assert!((counts(first, second).chance() - chance).abs() < 1e-12, "{first} against {second}");
        }
        assert!(counts(3000, 2000).chance() < 1e-40, "large numbers do not overflow");
        assert!((counts(2500, 2500).chance() - 0.5).abs() < 0.01);
    }

    #[test]
    fn a_gain_must_be_beyond_chance_for_the_best_of_many() {
        assert!(counts(6, 0).is_better(1) && !counts(5, 0).is_better(1));
        assert!(!counts(6, 0).is_better(100) && counts(12, 0).is_better(100));
        assert!(!counts(20, 20).is_better(1) && !counts(0, 30).is_better(1));
        assert!(counts(187, 0).is_better(377));
    }

    #[test]
    fn the_interval_is_mcnemars() {
        let gain = counts(30, 10);
        assert_eq!(gain.difference(), 20);
        assert!((gain.error() - 1.959_964 * (40.0f64 - 400.0 / 302.0).sqrt()).abs() < 1e-4, "{}", gain.error());
        assert_eq!((counts(0, 0).difference(), counts(0, 0).error()), (0, 0.0));
    }
}
