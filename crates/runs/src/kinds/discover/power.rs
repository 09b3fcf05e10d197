//! What it would take to see small differences between a feature and its first parent.

use plysmith_learn::stats::observations_needed;
use serde::{Deserialize, Serialize};

use super::Evaluation;
use crate::view::{counted, thousands};

/// How many seeds, or problems, would be needed to tell a gain from none.
#[derive(Copy, Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Power {
    /// The gain in problems.
    pub gain: f64,
    /// The error rate of the test, one-sided.
    pub error: f64,
    /// The probability that the gain is seen.
    pub power: f64,
    /// The standard deviation, from seed to seed, of how many more problems a combination solves than its first parent.
    pub deviation: f64,
    /// Seeds that would be needed on these problems.
    pub seeds: u64,
    /// Problems that would be needed, with as many seeds, if the same share of other problems is to be gained.
    pub problems: u64,
}

/// The gain that is spoken of: the papers' epsilon.
const GAIN: f64 = 3.0;
/// The usual power of tests.
const POWER: f64 = 0.8;
/// The usual error rate, if the run has none.
const ERROR: f64 = 0.05;
/// Standard errors of half a 95 % interval.
const HALF_INTERVAL: f64 = 1.959_963_984_540_054;

impl Power {
    /// What the evaluations with two seeds and more say.
    pub(super) fn new<'a>(
        evaluations: impl Iterator<Item = &'a Evaluation>,
        problems: usize,
        error: Option<f64>,
    ) -> Option<Power> {
        let error = error.unwrap_or(ERROR);
        let estimates: Vec<_> = evaluations.filter_map(|evaluation| evaluation.repeats.as_ref()?.on_parent).collect();
        let square = |half_width: f64| (half_width / HALF_INTERVAL).powi(2);
        let of_a_seed = estimates.iter().filter_map(|found| Some(square(found.over_seeds?) * found.seeds as f64));
        let of_a_seed: Vec<f64> = of_a_seed.collect();
        if of_a_seed.is_empty() {
            return None;
        }
        let mean = |values: &[f64]| values.iter().sum::<f64>() / values.len().max(1) as f64;
        let over_problems: Vec<f64> = estimates.iter().map(|found| square(found.over_problems)).collect();
        let needed = |variance: f64| observations_needed(variance, GAIN, error, POWER);
        Some(Power {
            gain: GAIN,
            error,
            power: POWER,
            deviation: mean(&of_a_seed).sqrt(),
            seeds: needed(mean(&of_a_seed)).max(1.0) as u64,
            problems: (needed(mean(&over_problems) * problems as f64)).max(1.0) as u64,
        })
    }

    /// In words.
    pub(super) fn text(&self, problems: usize) -> String {
        let Power { gain, error, power, deviation, .. } = self;
        format!(
            "From seed to seed, what a combination solves more than its first parent varies by ± {deviation:.1} problems (standard \
             deviation). To tell a gain of {gain} problems from none with an error rate of {:.0} % and a power of {:.0} %, {} \
             would be needed on these {problems} problems; to tell that the gain holds on other problems too, {} problems.\n",
            100.0 * error,
            100.0 * power,
            counted(self.seeds as usize, "seed"),
            thousands(self.problems),
        )
    }
}
