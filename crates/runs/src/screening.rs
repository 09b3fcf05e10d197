//! The test of a screening: the sign of the mean difference of two players' regrets, looked at as positions come.

use plysmith_learn::stats::{ConfidenceSequence, Interval, RunningMean, Sign};
use serde::{Deserialize, Serialize};

/// The verdict on the first player.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Verdict {
    /// Its moves cost less.
    Better,
    /// Its moves cost more.
    Worse,
    /// The suite is too small to tell.
    CannotTell,
}

/// The error rate of screenings unless another is asked for.
pub const USUAL_ERROR: f64 = 0.05;

/// Positions that are searched before the result is looked at.
pub const BLOCK: usize = 20;

/// The differences so far, and what they say.
#[derive(Copy, Clone, Debug)]
pub struct RegretTest {
    sequence: ConfidenceSequence,
    observed: RunningMean,
}

impl RegretTest {
    /// A test on a suite of this many positions that is wrong with at most this probability.
    pub fn new(error: f64, positions: usize) -> RegretTest {
        RegretTest { sequence: sequence(error, positions), observed: RunningMean::default() }
    }

    /// Adds how much more the second player's move costs; 0 if both choose the same.
    pub fn add(&mut self, difference: f64) {
        self.observed.add(difference);
    }

    /// The differences so far.
    pub fn observed(&self) -> &RunningMean {
        &self.observed
    }

    /// The interval of the mean difference that holds at all times; infinite if there are too few differences.
    pub fn interval(&self) -> Interval {
        self.sequence.interval(&self.observed)
    }

    /// What is known by now.
    pub fn verdict(&self) -> Verdict {
        match self.sequence.sign(&self.observed) {
            Sign::Positive => Verdict::Better,
            Sign::Negative => Verdict::Worse,
            Sign::Unknown => Verdict::CannotTell,
        }
    }

    /// The verdict of a screening in which these are the differences of a whole suite.
    pub fn verdict_on(differences: &[f64], error: f64) -> Verdict {
        let mut test = RegretTest::new(error, differences.len());
        for block in differences.chunks(BLOCK) {
            block.iter().for_each(|difference| test.add(*difference));
            if test.verdict() != Verdict::CannotTell {
                break;
            }
        }
        test.verdict()
    }
}

/// How many positions of a suite like one of this size it takes to tell a difference with this mean and deviation, about.
pub fn positions_to_tell(error: f64, positions: usize, mean: f64, deviation: f64) -> Option<u64> {
    sequence(error, positions).count_to_tell(mean, deviation)
}

/// The smallest mean difference that a whole suite of this size tells, if differences have this deviation.
pub fn smallest_difference(error: f64, positions: usize, deviation: f64) -> f64 {
    deviation * sequence(error, positions).half_width(positions as f64)
}

fn sequence(error: f64, positions: usize) -> ConfidenceSequence {
    ConfidenceSequence::new(error, positions as u64 / 2)
}

#[cfg(test)]
mod tests {
    use super::{RegretTest, Verdict, positions_to_tell, smallest_difference};

    #[test]
    fn verdicts_are_those_of_the_differences() {
        let mixed: Vec<f64> = (0..400).map(|n| [0.0, 0.0, 0.1, -0.1, 0.0][n % 5]).collect();
        assert_eq!(RegretTest::verdict_on(&mixed, 0.05), Verdict::CannotTell);
        let better: Vec<f64> = mixed.iter().enumerate().map(|(n, d)| d + [0.0, 0.1][n % 2]).collect();
        assert_eq!(RegretTest::verdict_on(&better, 0.05), Verdict::Better);
        let worse: Vec<f64> = better.iter().map(|difference| -difference).collect();
        assert_eq!(RegretTest::verdict_on(&worse, 0.05), Verdict::Worse);
        assert_eq!(RegretTest::verdict_on(&[], 0.05), Verdict::CannotTell);
    }

    #[test]
    fn smaller_differences_take_more_positions() {
        let [few, many] = [0.02, 0.01].map(|mean| positions_to_tell(0.05, 1000, mean, 0.1).unwrap());
        assert!(few < many && many < 5 * few, "{few} {many}");
        let least = smallest_difference(0.05, 1000, 0.1);
        assert!(positions_to_tell(0.05, 1000, least * 1.01, 0.1).unwrap() <= 1000);
        assert!(positions_to_tell(0.05, 1000, least * 0.99, 0.1).unwrap() >= 1000);
    }
}
