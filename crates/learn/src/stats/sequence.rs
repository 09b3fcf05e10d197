//! Means of paired differences, tested as the data come.
//!
//! An ordinary interval may be looked at once. Whoever looks after every observation and stops at the first that excludes
//! zero is wrong far more often than it says. A *confidence sequence* holds at all times at once: with the stated
//! probability, no interval of the whole sequence misses the true mean. This one is the asymptotic sequence of
//! Waudby-Smith, Arbour, Sinha, Kennedy and Ramdas ("Time-uniform central limit theory and asymptotic confidence
//! sequences", 2021, theorem 2.2): Robbins' normal mixture with the variance estimated from the data.

use super::intervals::Interval;
use super::normal::Z95;

/// Observations so far: their number, mean and spread.
#[derive(Copy, Clone, PartialEq, Debug, Default)]
pub struct RunningMean {
    count: u64,
    mean: f64,
    /// The sum of squared deviations from the mean.
    squares: f64,
    /// How many observations were not zero.
    nonzero: u64,
}

/// Intervals that hold at all times at once.
#[derive(Copy, Clone, PartialEq, Debug)]
pub struct ConfidenceSequence {
    error: f64,
    /// How early intervals are narrow, at the expense of later ones: the square of the paper's rho.
    early: f64,
}

/// What a sequence says of a mean.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Sign {
    /// It is positive.
    Positive,
    /// It is negative.
    Negative,
    /// Zero is not excluded.
    Unknown,
}

/// Fewer observations other than zero say nothing of the variance.
const LEAST_NONZERO: u64 = 20;

impl RunningMean {
    /// Adds an observation.
    pub fn add(&mut self, value: f64) {
        self.count += 1;
        let from_old = value - self.mean;
        self.mean += from_old / self.count as f64;
        self.squares += from_old * (value - self.mean);
        self.nonzero += u64::from(value != 0.0);
    }

    /// Number of observations.
    pub fn count(&self) -> u64 {
        self.count
    }

    /// Number of observations other than zero.
    pub fn nonzero(&self) -> u64 {
        self.nonzero
    }

    /// The mean; zero without observations.
    pub fn mean(&self) -> f64 {
        self.mean
    }

    /// The standard deviation of an observation.
    pub fn deviation(&self) -> f64 {
        (self.squares / self.count.saturating_sub(1).max(1) as f64).sqrt()
    }

    /// Half the width of an ordinary 95 % interval, for one look.
    pub fn error(&self) -> f64 {
        Z95 * self.deviation() / (self.count.max(1) as f64).sqrt()
    }
}

impl ConfidenceSequence {
    /// A sequence that is wrong with at most this probability, and narrowest after about this number of observations.
    pub fn new(error: f64, narrowest: u64) -> ConfidenceSequence {
        let log = -2.0 * error.ln();
        ConfidenceSequence { error, early: (log + (log + 1.0).ln()) / narrowest.max(1) as f64 }
    }

    /// The interval of the mean, so far.
    pub fn interval(&self, observed: &RunningMean) -> Interval {
        let (count, mean) = (observed.count() as f64, observed.mean());
        if observed.nonzero() < LEAST_NONZERO {
            return Interval { low: f64::NEG_INFINITY, high: f64::INFINITY };
        }
        let half = observed.deviation() * self.half_width(count);
        Interval { low: mean - half, high: mean + half }
    }

    /// Half the width of the interval after this many observations with a standard deviation of 1.
    pub fn half_width(&self, count: f64) -> f64 {
        let grown = count * self.early + 1.0;
        (2.0 * grown / (count * count * self.early) * (grown.sqrt() / self.error).ln()).sqrt()
    }

    /// How many observations it takes to know the sign, about: after as many the interval is as wide as the mean is far from
    /// zero. None if the mean is too small to be told with a billion.
    pub fn count_to_tell(&self, mean: f64, deviation: f64) -> Option<u64> {
        const MOST: u64 = 1_000_000_000;
        let tells = |count: u64| deviation * self.half_width(count as f64) < mean.abs();
        if !tells(MOST) {
            return None;
        }
        let (mut known, mut unknown) = (MOST, 0);
        while known - unknown > 1 {
            let middle = unknown + (known - unknown) / 2;
            if tells(middle) { known = middle } else { unknown = middle }
        }
        Some(known)
    }

    /// The sign of the mean, if it is known by now.
    pub fn sign(&self, observed: &RunningMean) -> Sign {
        let Interval { low, high } = self.interval(observed);
        match (low > 0.0, high < 0.0) {
            (true, _) => Sign::Positive,
            (_, true) => Sign::Negative,
            _ => Sign::Unknown,
        }
    }
}

#[cfg(test)]
mod tests {
    use plysmith_core::random::Random;

    use super::{ConfidenceSequence, RunningMean, Sign};

    /// Differences as they occur between engines: most are zero, some large.
    fn difference(random: &mut Random, shift: f64) -> f64 {
        let size = [0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.01, 0.03, 0.1, 0.4][random.below(10)];
        let sign = if (random.below(1000) as f64) < 500.0 + 1000.0 * shift { 1.0 } else { -1.0 };
        sign * size
    }

    fn run(random: &mut Random, shift: f64, most: u64) -> (Sign, u64) {
        let sequence = ConfidenceSequence::new(0.05, 500);
        let mut observed = RunningMean::default();
        for count in 1..=most {
            observed.add(difference(random, shift));
            let sign = sequence.sign(&observed);
            if sign != Sign::Unknown {
                return (sign, count);
            }
        }
        (Sign::Unknown, most)
    }

    #[test]
    fn mean_and_deviation_are_those_of_the_definition() {
        let mut observed = RunningMean::default();
        [0.0, 3.0, -1.0, 0.0, 8.0].iter().for_each(|value| observed.add(*value));
        assert_eq!((observed.count(), observed.nonzero(), observed.mean()), (5, 3, 2.0));
        assert!((observed.deviation() - (54.0f64 / 4.0).sqrt()).abs() < 1e-12);
        assert!((observed.error() - 1.959_964 * (13.5f64 / 5.0).sqrt()).abs() < 1e-5);
    }

    #[test]
    fn looking_after_every_observation_is_wrong_no_more_often_than_stated() {
        let mut random = Random::new(1);
        let alarms = (0..1000).filter(|_| run(&mut random, 0.0, 2000).0 != Sign::Unknown).count();
        assert!(alarms <= 65, "{alarms} of 1000, 50 are expected at most");
    }

    #[test]
    fn true_differences_are_found() {
        let mut random = Random::new(2);
        let runs: Vec<_> = (0..200).map(|_| run(&mut random, 0.2, 2000)).collect();
        assert!(runs.iter().filter(|(sign, _)| *sign == Sign::Positive).count() >= 195);
        assert!(runs.iter().all(|(sign, _)| *sign != Sign::Negative));
    }

    /// The estimate is near the median of simulated sequences.
    #[test]
    fn the_count_to_tell_is_what_simulations_take() {
        let mut random = Random::new(3);
        let mut observed = RunningMean::default();
        (0..100_000).for_each(|_| observed.add(difference(&mut random, 0.2)));
        let sequence = ConfidenceSequence::new(0.05, 500);
        let estimate = sequence.count_to_tell(observed.mean(), observed.deviation()).unwrap();
        let mut counts: Vec<u64> = (0..200).map(|_| run(&mut random, 0.2, 5000).1).collect();
        counts.sort_unstable();
        assert!((0.75..1.35).contains(&(counts[100] as f64 / estimate as f64)), "{} {estimate}", counts[100]);
        assert_eq!(sequence.count_to_tell(0.0, 1.0), None);
        assert!(sequence.count_to_tell(0.01, 1.0) > sequence.count_to_tell(0.02, 1.0));
    }

    #[test]
    fn few_differences_say_nothing() {
        let sequence = ConfidenceSequence::new(0.05, 500);
        let mut observed = RunningMean::default();
        (0..500).for_each(|_| observed.add(0.0));
        (0..19).for_each(|_| observed.add(0.5));
        assert_eq!(sequence.sign(&observed), Sign::Unknown);
        assert_eq!(sequence.sign(&RunningMean::default()), Sign::Unknown);
    }
}
