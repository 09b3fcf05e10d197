//! Two candidates on the same problems, each with several seeds.
//!
//! Whether a problem is solved depends on the order in which the search tries moves, and that order on the seed. Both
//! candidates are measured with the same seeds, so a result is a pair: of one problem and one seed. The noise of the seeds
//! shows in how the pairs of one problem differ from each other; that one candidate is good at some problems and the other
//! at others does not count as noise of the seeds, but it does if the problems are a sample of those that matter. So there
//! are two intervals: over the seeds, for this suite, and over the problems.

use super::normal::{Z95, quantile};
use super::paired::PairedCounts;

/// How two candidates did on the same problems with the same seeds.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Default)]
pub struct RepeatedCounts {
    /// Seeds with which both were tried.
    pub seeds: u64,
    /// Problems that both were tried on.
    pub problems: u64,
    /// Pairs of a problem and a seed that only the first solved.
    pub first_only: u64,
    /// Pairs of a problem and a seed that only the second solved.
    pub second_only: u64,
    /// Over all problems, the sum of the square of how many more seeds the first solved the problem with.
    pub squares: u64,
}

/// Added to the variance of the sum of all pairs: as if one more pair went each way. Without it, a few problems that happen
/// to go the same way with all seeds would pass for certainty.
const MORE_VARIANCE: f64 = 2.0;

impl RepeatedCounts {
    /// No problem yet, with this many seeds for each.
    pub fn new(seeds: u64) -> RepeatedCounts {
        RepeatedCounts { seeds, ..RepeatedCounts::default() }
    }

    /// Adds a problem: with how many seeds only the first solved it, and with how many only the second did.
    pub fn add(&mut self, first_only: u64, second_only: u64) {
        self.problems += 1;
        self.first_only += first_only;
        self.second_only += second_only;
        self.squares += first_only.abs_diff(second_only).pow(2);
    }

    /// How many more problems the first solves, in the mean of the seeds.
    pub fn difference(&self) -> f64 {
        (self.first_only as f64 - self.second_only as f64) / self.seeds.max(1) as f64
    }

    /// Half the width of the 95 % interval of the difference over other problems of the same kind.
    pub fn error_over_problems(&self) -> f64 {
        let (seeds, sum) = (self.seeds.max(1) as f64, self.first_only as f64 - self.second_only as f64);
        let variance = self.squares as f64 - sum * sum / self.problems.max(1) as f64;
        Z95 * variance.max(0.0).sqrt() / seeds
    }

    /// Half the width of the 95 % interval of the difference over other seeds, on the same problems. A single seed does not
    /// tell.
    pub fn error_over_seeds(&self) -> Option<f64> {
        (self.seeds > 1).then(|| Z95 * (self.pair_variance() * self.seeds as f64).sqrt() / self.seeds as f64)
    }

    /// The variance, from seed to seed, of how many more problems the first solves; never zero. A single seed does not tell.
    pub fn variance_of_a_seed(&self) -> Option<f64> {
        (self.seeds > 1).then(|| self.pair_variance() + MORE_VARIANCE / self.seeds as f64)
    }

    /// Whether the first solves more of these problems, with a one-sided error rate. With one seed this is the sign test over
    /// the problems. With several it is a test of the mean difference against the variance from seed to seed.
    pub fn is_better(&self, error: f64) -> bool {
        match self.variance_of_a_seed() {
            None => self.pairs().chance() <= error,
            Some(variance) => self.difference() >= quantile(1.0 - error) * (variance / self.seeds as f64).sqrt(),
        }
    }

    /// All pairs of a problem and a seed, as if each were a problem of its own.
    pub fn pairs(&self) -> PairedCounts {
        let RepeatedCounts { seeds, problems, first_only, second_only, .. } = *self;
        PairedCounts { problems: problems * seeds, first_only, second_only }
    }

    /// The sum over the problems of the variance of a pair, from seed to seed.
    fn pair_variance(&self) -> f64 {
        let seeds = self.seeds as f64;
        let within = (self.first_only + self.second_only) as f64 - self.squares as f64 / seeds;
        within.max(0.0) / (seeds - 1.0)
    }
}

/// How many observations of this variance are needed to tell a difference from none, with a one-sided error rate and the
/// probability of seeing it (power), by the normal approximation.
pub fn observations_needed(variance: f64, difference: f64, error: f64, power: f64) -> f64 {
    let deviations = quantile(1.0 - error) + quantile(power);
    (deviations * deviations * variance / (difference * difference)).ceil()
}

#[cfg(test)]
mod tests {
    use super::{RepeatedCounts, observations_needed};

    fn counts(seeds: u64, problems: &[(u64, u64)]) -> RepeatedCounts {
        let mut counts = RepeatedCounts::new(seeds);
        problems.iter().for_each(|(first, second)| counts.add(*first, *second));
        counts
    }

    #[test]
    fn with_one_seed_everything_is_as_for_pairs() {
        let counts = counts(1, &[(1, 0), (1, 0), (0, 1), (0, 0), (1, 0)]);
        assert_eq!((counts.difference(), counts.error_over_seeds()), (2.0, None));
        assert_eq!(counts.error_over_problems(), counts.pairs().error());
        assert!(counts.is_better(counts.pairs().chance()) && !counts.is_better(counts.pairs().chance() - 1e-9));
    }

    #[test]
    fn intervals_are_those_of_the_definition() {
        // By problem, with four seeds: +1 +1 +1 +1; +1 +1 0 0; -1 0 0 0; 0 0 0 0.
        let counts = counts(4, &[(4, 0), (2, 0), (0, 1), (0, 0)]);
        assert_eq!(counts.difference(), 1.25);
        // Means 1, 0.5, -0.25, 0: squares 1.3125; sample variances from seed to seed 0, 1/3, 1/4, 0.
        assert!((counts.error_over_problems() - 1.959_964 * (1.3125_f64 - 1.25 * 1.25 / 4.0).sqrt()).abs() < 1e-5);
        let over_seeds = 1.959_964 * ((1.0 / 3.0 + 0.25) / 4.0_f64).sqrt();
        assert!((counts.error_over_seeds().unwrap() - over_seeds).abs() < 1e-5);
    }

    #[test]
    fn what_differs_between_problems_is_no_noise_of_the_seeds() {
        let sure: Vec<_> = [(4, 0); 30].into_iter().chain([(0, 4); 26]).collect();
        assert!(counts(4, &sure).is_better(0.05), "30 won and 26 lost for certain");
        let unsure = [(2, 0); 60].into_iter().chain([(0, 2); 52]).collect::<Vec<_>>();
        assert!(!counts(4, &unsure).is_better(0.05), "the same difference, by chance");
        assert!(!counts(4, &[(1, 0)]).is_better(0.05), "a single pair proves nothing");
        assert!(!counts(4, &[]).is_better(0.05) && !counts(0, &[]).is_better(0.05));
    }

    #[test]
    fn a_smaller_difference_needs_more_observations() {
        // (1.644854 + 0.841621)² = 6.182557.
        assert_eq!(observations_needed(9.0, 3.0, 0.05, 0.8), 7.0);
        assert_eq!(observations_needed(100.0, 1.0, 0.05, 0.8), 619.0);
    }
}
