//! What several seeds say of a feature, as it is stored and printed.

use std::collections::BTreeMap;

use plysmith_learn::stats::RepeatedCounts;
use serde::{Deserialize, Serialize};

use super::Evaluation;
use crate::view::Cell;

/// What several seeds say of a feature.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Repeats {
    /// Problems solved with each seed: the run's seed and those that follow it. With the last, not all problems may have been
    /// tried.
    pub solved: Vec<u32>,
    /// The mean of the solved problems; none if the feature was given up before all problems were tried.
    pub mean: Option<Estimate>,
    /// How many more it solves than Neutral with the same seeds.
    pub gain: Option<Estimate>,
    /// How many more it solves than its first parent with the same seeds, when that was decided.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub on_parent: Option<Estimate>,
    /// With how many seeds each problem was solved that was solved at all.
    pub times: BTreeMap<String, u64>,
}

/// A mean number of problems with its intervals.
#[derive(Copy, Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Estimate {
    /// The mean.
    pub mean: f64,
    /// Of how many seeds.
    pub seeds: u64,
    /// Half the width of the 95 % interval over other problems of the same kind.
    pub over_problems: f64,
    /// Half the width of the 95 % interval over other seeds, on these problems; none if there was one seed.
    pub over_seeds: Option<f64>,
}

/// Puts features into the order of their means, if they were measured with several seeds. Gradual Focus has them in the order
/// of what was known when they were evaluated.
pub(super) fn sort(output: &mut [Evaluation]) {
    let mean =
        |evaluation: &Evaluation| evaluation.repeats.as_ref().and_then(|repeats| repeats.mean).map(|mean| mean.mean);
    if output.iter().all(|evaluation| mean(evaluation).is_some()) {
        output.sort_by(|one, other| mean(other).unwrap_or(0.0).total_cmp(&mean(one).unwrap_or(0.0)));
    }
}

impl From<RepeatedCounts> for Estimate {
    fn from(counts: RepeatedCounts) -> Estimate {
        Estimate {
            mean: counts.difference(),
            seeds: counts.seeds,
            over_problems: counts.error_over_problems(),
            over_seeds: counts.error_over_seeds(),
        }
    }
}

impl Repeats {
    /// The gain's interval over seeds, and their number.
    pub(super) fn cells(&self) -> [Cell; 2] {
        let over_seeds = self.gain.and_then(|gain| gain.over_seeds);
        let over_seeds = over_seeds.map_or(Cell::Missing, |error| format!("± {error:.1}").into());
        [over_seeds, Cell::Count(self.mean.map_or(0, |mean| mean.seeds))]
    }
}
