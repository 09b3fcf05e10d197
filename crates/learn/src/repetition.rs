//! With how many seeds a combination is compared with its first parent: one if that decides, more if not.
//!
//! After each seed the two are tested on all seeds so far. If the combination is better beyond chance, and by at least one
//! problem in the mean, it survives. If it is improbable that it will ever be, it is given up (stochastic curtailment: Lan,
//! Simon and Halperin 1982); within the first seed that can happen after a part of the suite. Otherwise the next seed is
//! measured.
//!
//! Whoever tests several times is wrong more often than with one test. So each look has a share of the error rate, and the
//! shares add up to it (Bonferroni's inequality). Most of it is left for the last look, where the doubtful combinations are
//! decided. Giving up can lose a good combination, but never lets a bad one pass.

use crate::stats::normal::quantile;
use crate::stats::{PairedCounts, RepeatedCounts};

/// How combinations are compared with their first parents.
#[derive(Copy, Clone, PartialEq, Debug)]
pub struct Repetition {
    /// The most seeds.
    pub seeds: u64,
    /// With which probability, at most, a combination survives that is as likely as its first parent to solve each problem.
    pub error: f64,
    /// How many standard errors the last look asks for.
    last_look: f64,
}

/// What is known of a combination after some seeds.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Standing {
    /// It is better than its first parent.
    Better,
    /// It is not, or it is improbable that it would be found to be.
    NotBetter,
    /// The next seed is needed.
    Open,
}

/// A combination is given up if it would pass the last look with a probability of less than 2 %: this many standard errors.
const HOPE: f64 = 2.053_748_910_631;
/// The last look's share of the error rate.
const LAST_SHARE: f64 = 0.7;
/// What a combination must solve more than its first parent, in the mean of the seeds. What is certain may still be too little.
const LEAST_GAIN: f64 = 1.0;
/// Before this many problems nothing is given up.
const LEAST_PROBLEMS: u64 = 16;

impl Repetition {
    /// At most this many seeds, and this error rate over all looks together.
    pub fn new(seeds: u64, error: f64) -> Repetition {
        let last_look = quantile(1.0 - error_of_look(seeds, seeds, error));
        Repetition { seeds, error, last_look }
    }

    /// What is known after all problems with one or more seeds.
    pub fn standing(&self, counts: &RepeatedCounts) -> Standing {
        let error = error_of_look(counts.seeds, self.seeds, self.error);
        if counts.difference() >= LEAST_GAIN && counts.is_better(error) {
            return Standing::Better;
        }
        let of_a_seed = counts.variance_of_a_seed().unwrap_or_else(|| variance_at_most(counts.pairs()));
        match counts.seeds >= self.seeds || self.is_improbable(counts.difference(), 0.0, counts.seeds, of_a_seed) {
            true => Standing::NotBetter,
            false => Standing::Open,
        }
    }

    /// Whether to give up within the first seed, after the problems that were tried so far of all.
    ///
    /// The problems should be in no particular order. If they are, good combinations may be given up, but none that are bad
    /// will pass.
    pub fn gives_up_within(&self, seen: PairedCounts, problems: u64) -> bool {
        if seen.problems < LEAST_PROBLEMS || seen.problems >= problems {
            return false;
        }
        let (tried, all) = (seen.problems as f64, problems as f64);
        // As if there were one more difference: the problems to come may have what those so far have not.
        let of_a_seed = (variance_at_most(seen) + 1.0) * all / tried;
        // What the rest of the problems may add.
        let unseen = of_a_seed * (all - tried) / tried;
        self.is_improbable(seen.difference() as f64 * all / tried, unseen, 1, of_a_seed)
    }

    /// Whether this difference, after some of the seeds, becomes large enough only with a small probability. The true
    /// difference is taken to be the measured one, give or take its error.
    fn is_improbable(&self, difference: f64, unseen: f64, done: u64, of_a_seed: f64) -> bool {
        let (done, all) = (done as f64, self.seeds.max(1) as f64);
        let needed = self.last_look * (of_a_seed / all).sqrt();
        let may_change = unseen + of_a_seed * (all - done) / (done * all);
        difference + HOPE * may_change.sqrt() < needed.max(LEAST_GAIN)
    }
}

/// The error rate of the test after `seeds` of at most `most` seeds; those of all tests add up to `error`.
fn error_of_look(seeds: u64, most: u64, error: f64) -> f64 {
    match most {
        0 | 1 => error,
        _ if seeds < most => error * (1.0 - LAST_SHARE) / (most - 1) as f64,
        _ => error * LAST_SHARE,
    }
}

/// The variance of the difference from seed to seed is not known from one seed, but it is no larger than this: that of the
/// sign test, which takes every difference for chance.
fn variance_at_most(pairs: PairedCounts) -> f64 {
    (pairs.first_only + pairs.second_only) as f64
}

#[cfg(test)]
mod tests {
    use super::{Repetition, Standing, error_of_look};
    use crate::stats::{PairedCounts, RepeatedCounts};

    fn counts(seeds: u64, won: u64, lost: u64) -> RepeatedCounts {
        let mut counts = RepeatedCounts::new(seeds);
        (0..won).for_each(|_| counts.add(1, 0));
        (0..lost).for_each(|_| counts.add(0, 1));
        counts
    }

    #[test]
    fn the_looks_share_the_error_rate() {
        for most in 1..9 {
            let sum: f64 = (1..=most).map(|seeds| error_of_look(seeds, most, 0.05)).sum();
            assert!((sum - 0.05).abs() < 1e-12, "{most}: {sum}");
        }
    }

    #[test]
    fn clear_cases_need_one_seed_and_doubtful_ones_the_next() {
        let repetition = Repetition::new(6, 0.05);
        assert_eq!(repetition.standing(&counts(1, 30, 5)), Standing::Better);
        assert_eq!(repetition.standing(&counts(1, 5, 30)), Standing::NotBetter);
        assert_eq!(repetition.standing(&counts(1, 16, 12)), Standing::Open);
        assert_eq!(repetition.standing(&counts(1, 0, 0)), Standing::NotBetter, "they solve the same problems");
        assert_eq!(repetition.standing(&counts(6, 16, 12)), Standing::NotBetter, "there is no further seed");
    }

    #[test]
    fn with_one_seed_it_is_the_sign_test() {
        let repetition = Repetition::new(1, 0.05);
        assert_eq!(repetition.standing(&counts(1, 5, 0)), Standing::Better);
        assert_eq!(repetition.standing(&counts(1, 4, 0)), Standing::NotBetter);
    }

    #[test]
    fn a_hopeless_combination_is_given_up_within_the_suite() {
        let repetition = Repetition::new(6, 0.05);
        let seen = |problems, first_only, second_only| PairedCounts { problems, first_only, second_only };
        assert!(repetition.gives_up_within(seen(60, 1, 20), 300));
        assert!(!repetition.gives_up_within(seen(15, 0, 15), 300), "too early");
        assert!(!repetition.gives_up_within(seen(60, 8, 10), 300), "may yet be better");
        assert!(!repetition.gives_up_within(seen(300, 0, 100), 300), "the seed is complete");
    }
}
