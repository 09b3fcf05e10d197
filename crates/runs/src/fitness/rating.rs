//! The samples of a candidate: means with intervals, and paired comparisons.
//!
//! Two intervals say different things. That over positions says how much a mean would change on other positions of the
//! same kind; that over seeds, how much it would change on the same positions if moves were ordered by other chances.

use plysmith_learn::stats::{RunningMean, quantile};
use serde::{Deserialize, Serialize};

use super::measures::Fitness;
use super::sample::Sample;
use crate::finding::Finding;

/// What was measured of a candidate.
#[derive(Clone, PartialEq, Debug)]
pub struct Rating {
    /// By random seed, then by place in the suite; none where an external engine failed.
    pub samples: Vec<Vec<Option<Sample>>>,
    /// The measurement in words, with the first seed; nodes are those of all seeds.
    pub finding: Finding,
}

/// A mean with its intervals.
#[derive(Copy, Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Estimate {
    /// The mean over positions and seeds.
    pub mean: f64,
    /// Half the width of the 95 % interval over positions; none for a single position.
    pub error: Option<f64>,
    /// Half the width of the 95 % interval over seeds; none for a single seed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seeds_error: Option<f64>,
}

/// The 97.5 % quantile of the normal distribution.
const DEVIATIONS: f64 = 1.96;
/// A difference is beyond chance if it is this many standard errors: one-sided 5 %.
const ONE_SIDED: f64 = 1.645;
/// That error rate.
const ERROR: f64 = 0.05;
/// 97.5 % quantiles of Student's distribution, from one degree of freedom on: seeds are few.
const STUDENT: [f64; 30] = [
    12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228, 2.201, 2.179, 2.160, 2.145, 2.131, 2.120,
    2.110, 2.101, 2.093, 2.086, 2.080, 2.074, 2.069, 2.064, 2.060, 2.056, 2.052, 2.048, 2.045, 2.042,
];

impl Rating {
    /// The mean cost by a fitness.
    pub fn cost(&self, fitness: &dyn Fitness) -> Estimate {
        self.mean(&|sample| Some(fitness.cost(sample))).unwrap_or(Estimate::NOTHING)
    }

    /// The mean of something that samples say; none if no sample says it.
    pub fn mean(&self, value: &dyn Fn(&Sample) -> Option<f64>) -> Option<Estimate> {
        let rows: Vec<Vec<Option<f64>>> = self.samples.iter().map(|row| values(row, value)).collect();
        Estimate::of(&rows)
    }

    /// How much less this candidate costs than another by a fitness, on the positions that both have, with the same seeds.
    pub fn gain_on(&self, other: &Rating, fitness: &dyn Fitness) -> Estimate {
        let cost = |sample: &Sample| Some(fitness.cost(sample));
        let rows: Vec<Vec<Option<f64>>> = self
            .samples
            .iter()
            .zip(&other.samples)
            .map(|(own, others)| {
                let pairs = values(own, &cost).into_iter().zip(values(others, &cost));
                pairs.map(|(own, other)| Some(other? - own?)).collect()
            })
            .collect();
        Estimate::of(&rows).unwrap_or(Estimate::NOTHING)
    }
}

fn values(row: &[Option<Sample>], value: &dyn Fn(&Sample) -> Option<f64>) -> Vec<Option<f64>> {
    row.iter().map(|sample| value(sample.as_ref()?)).collect()
}

impl Estimate {
    /// Of no position.
    pub const NOTHING: Estimate = Estimate { mean: 0.0, error: None, seeds_error: None };

    /// The mean of values by position, measured once.
    pub fn over_positions(values: Vec<Option<f64>>) -> Estimate {
        Estimate::of(&[values]).unwrap_or(Estimate::NOTHING)
    }

    /// The mean of values by seed and position. A position counts if every seed has it; none if none does.
    fn of(rows: &[Vec<Option<f64>>]) -> Option<Estimate> {
        let positions = rows.iter().map(Vec::len).min().unwrap_or(0);
        let mut by_position = RunningMean::default();
        let mut by_seed = vec![RunningMean::default(); rows.len()];
        for place in 0..positions {
            let Some(values) = rows.iter().map(|row| row[place]).collect::<Option<Vec<f64>>>() else { continue };
            by_position.add(values.iter().sum::<f64>() / values.len() as f64);
            by_seed.iter_mut().zip(&values).for_each(|(mean, value)| mean.add(*value));
        }
        let mut over_seeds = RunningMean::default();
        by_seed.iter().for_each(|seed| over_seeds.add(seed.mean()));
        let half = |mean: &RunningMean, quantile: f64| {
            (mean.count() > 1).then(|| quantile * (mean.deviation() / (mean.count() as f64).sqrt()))
        };
        let student = STUDENT.get(rows.len().saturating_sub(2)).copied().unwrap_or(DEVIATIONS);
        (by_position.count() > 0).then(|| Estimate {
            mean: by_position.mean(),
            error: half(&by_position, DEVIATIONS),
            seeds_error: half(&over_seeds, student),
        })
    }

    /// Whether a gain is beyond chance: above zero by a one-sided test of 5 % over the positions.
    pub fn is_beyond_chance(&self) -> bool {
        self.mean > ONE_SIDED / DEVIATIONS * self.error.unwrap_or(f64::INFINITY)
    }

    /// Whether a gain is beyond chance as the best of as many candidates (Bonferroni's correction).
    pub fn is_beyond_chance_of(&self, candidates: usize) -> bool {
        if candidates <= 1 {
            return self.is_beyond_chance();
        }
        self.mean > quantile(1.0 - ERROR / candidates as f64) / DEVIATIONS * self.error.unwrap_or(f64::INFINITY)
    }

    /// Whether zero is inside the interval over positions.
    pub fn may_be_zero(&self) -> bool {
        self.error.is_none_or(|error| self.mean.abs() <= error)
    }

    /// As a number with its error.
    pub fn text(&self) -> String {
        let error = self.error.map_or(String::new(), |error| format!(" ± {error:.4}"));
        format!("{:.4}{error}", self.mean)
    }

    /// As a difference with its sign and error.
    pub fn signed_text(&self) -> String {
        let sign = if self.mean < 0.0 { "" } else { "+" };
        format!("{sign}{}", self.text())
    }

    /// As a percentage with its error.
    pub fn percent_text(&self) -> String {
        let error = self.error.map_or(String::new(), |error| format!(" ± {:.2}", 100.0 * error));
        format!("{:.2}{error} %", 100.0 * self.mean)
    }
}

#[cfg(test)]
mod tests {
    use super::{Estimate, Rating, Sample};
    use crate::finding::Finding;
    use crate::fitness::FitnessChoice;

    fn rating(rows: &[&[f64]]) -> Rating {
        let sample = |regret: &f64| (*regret < 1.0).then(|| Sample { regret: Some(*regret), ..Sample::default() });
        Rating {
            samples: rows.iter().map(|row| row.iter().map(sample).collect()).collect(),
            finding: Finding::new(
                String::new(),
                &Default::default(),
                &plysmith_core::problem::Suite { name: String::new(), problems: Vec::new() },
            ),
        }
    }

    fn is_near(value: f64, expected: f64) -> bool {
        (value - expected).abs() < 1e-9
    }

    #[test]
    fn means_have_intervals_over_positions_and_over_seeds() {
        let regret = FitnessChoice::regret();
        let cost = rating(&[&[0.1, 0.2, 0.3], &[0.1, 0.4, 0.1]]).cost(&*regret);
        assert!(is_near(cost.mean, 0.2), "{cost:?}");
        // Positions: 0.1, 0.3, 0.2, standard deviation 0.1. Seeds: 0.2 and 0.2.
        assert!(is_near(cost.error.unwrap(), 1.96 * 0.1 / 3_f64.sqrt()), "{cost:?}");
        assert!(is_near(cost.seeds_error.unwrap(), 0.0), "{cost:?}");
        let other = rating(&[&[0.1, 0.2], &[0.3, 0.2]]).cost(&*regret);
        // Seeds: 0.15 and 0.25, standard deviation 0.1/√2, of their mean 0.05.
        assert!(is_near(other.seeds_error.unwrap(), 12.706 * 0.05), "{other:?}");
        let single = rating(&[&[0.1]]).cost(&*regret);
        assert_eq!((single.mean, single.error, single.seeds_error), (0.1, None, None));
    }

    #[test]
    fn comparisons_are_paired_and_leave_out_what_one_has_not() {
        let regret = FitnessChoice::regret();
        let (one, other) = (rating(&[&[0.1, 0.2, 9.0, 0.1]]), rating(&[&[0.2, 0.3, 0.4, 9.0]]));
        let gain = one.gain_on(&other, &*regret);
        assert!(is_near(gain.mean, 0.1) && is_near(gain.error.unwrap(), 0.0), "{gain:?}");
        assert!(gain.is_beyond_chance() && !gain.may_be_zero());
        let back = other.gain_on(&one, &*regret);
        assert!(is_near(back.mean, -gain.mean) && !back.is_beyond_chance());
        let same = one.gain_on(&one, &*regret);
        assert!(same.mean == 0.0 && !same.is_beyond_chance() && same.may_be_zero());
        assert_eq!(one.mean(&|sample| sample.to_solution), None, "a graded suite has no solutions");
    }

    /// Costs on another scale change neither the order of candidates nor what is beyond chance.
    #[test]
    fn scaling_changes_no_verdict() {
        let regret = FitnessChoice::regret();
        let rows: [&[f64]; 3] = [&[0.0, 0.1, 0.0, 0.3], &[0.1, 0.15, 0.05, 0.3], &[0.2, 0.0, 0.1, 0.4]];
        let verdicts = |scale: f64| {
            let ratings = rows.map(|row| rating(&[&row.iter().map(|regret| regret * scale).collect::<Vec<_>>()]));
            let mut order = [0, 1, 2];
            order.sort_by(|&a, &b| ratings[a].cost(&*regret).mean.total_cmp(&ratings[b].cost(&*regret).mean));
            let pairs = [(0, 1), (1, 2), (0, 2), (2, 0)];
            (order, pairs.map(|(a, b)| ratings[a].gain_on(&ratings[b], &*regret).is_beyond_chance()))
        };
        assert_eq!(verdicts(1.0), verdicts(0.25));
        assert_eq!(verdicts(1.0), verdicts(0.5));
    }

    #[test]
    fn estimates_are_printed_with_their_errors() {
        let estimate = Estimate { mean: -0.01234, error: Some(0.005), seeds_error: None };
        assert_eq!(estimate.signed_text(), "-0.0123 ± 0.0050");
        assert_eq!(Estimate { mean: 0.5, ..estimate }.percent_text(), "50.00 ± 0.50 %");
        assert_eq!(Estimate { mean: 0.5, error: None, seeds_error: None }.signed_text(), "+0.5000");
    }
}
