//! What came of a tuning, as it is stored and printed.

use plysmith_core::parameter::Weights;
use plysmith_engine::measurement::Measurement;
use plysmith_learn::tune::SuiteScore;
use serde::{Deserialize, Serialize};

use super::config::Choice;

/// One iteration.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct IterationRow {
    pub optimiser: String,
    pub iteration: u32,
    /// What stands for it.
    pub weights: String,
    /// Nodes to solution on the training problems.
    pub nodes: u64,
    pub solved: u32,
    /// Training problems that all candidates of the batch have.
    pub problems: u32,
    /// Nodes a problem, relative to the first iteration.
    pub relative: f64,
    pub held_out_nodes: Option<u64>,
    pub held_out_solved: Option<u32>,
    pub held_out_problems: Option<u32>,
    /// All that was measured for it.
    pub batch: Vec<CandidateRow>,
    /// Problems at which an engine failed.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub excluded: Vec<String>,
}

/// One of a batch.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct CandidateRow {
    pub weights: String,
    pub nodes: u64,
    pub solved: u32,
}

/// What a weight is worth: what becomes of the nodes if it alone has another value.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Probe {
    pub name: String,
    pub value: String,
    /// Relative; above zero if the tuned value is better.
    pub change: f64,
    /// Half the width of its interval of 95 %.
    pub error: Option<f64>,
}

#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Tuned {
    pub game: String,
    /// The foreign engine, if it was one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub engine: Option<String>,
    pub suite: String,
    pub preset: String,
    pub nodes_a_problem: u64,
    pub policy: String,
    pub optimiser: String,
    pub choice: Choice,
    /// Why it ended.
    pub stop: String,
    /// Measurements of all training problems that the optimiser asked for.
    pub evaluations: usize,
    pub weights: Vec<TunedWeight>,
    pub training: Comparison,
    pub held_out: Option<Comparison>,
    /// The iteration after which training gains no longer carried over; none if they did to the end.
    pub last_to_carry_over: Option<u32>,
    pub setting: Setting,
    pub iterations: Vec<IterationRow>,
}

/// The tuned weights in the words of who is to use them.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct Setting {
    /// For the built-in engines.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub scheme: Option<String>,
    /// For other engines: lines to send.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub commands: Vec<String>,
}

#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct TunedWeight {
    pub name: String,
    pub start: String,
    pub value: String,
    /// Pairs of measurements in which only this weight differed, and in how many of them any search did.
    pub pairs: u32,
    pub changed: u32,
    /// The largest change of nodes in any of these pairs, relative.
    pub largest_change: f64,
    /// Whether changing it was tried, also to the ends of its range, and never made a difference to speak of.
    pub is_idle: bool,
    pub probe: Probe,
}

/// What one optimiser made of its evaluations.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct MethodRow {
    pub optimiser: String,
    pub evaluations: usize,
    pub iterations: usize,
    /// The iteration in which the best weights were measured.
    pub best_in: u32,
    pub weights: String,
    pub training: Comparison,
    pub held_out: Option<Comparison>,
}

/// The start and the tuned weights on the same problems.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Comparison {
    pub start: Totals,
    pub tuned: Totals,
    /// Of the nodes, relative.
    pub change: f64,
    /// Half the width of its interval of 95 %.
    pub error: Option<f64>,
}

#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Totals {
    pub nodes: u64,
    pub solved: u32,
    pub problems: u32,
}

impl CandidateRow {
    pub fn new((weights, score): (&Weights, &SuiteScore)) -> CandidateRow {
        CandidateRow { weights: weights.to_string(), nodes: score.nodes, solved: score.solved }
    }
}

impl Totals {
    pub fn of(measurement: &Measurement, limit: u64) -> Totals {
        Totals {
            nodes: measurement.costs(limit).iter().sum(),
            solved: measurement.solved(),
            problems: measurement.attempts.len() as u32,
        }
    }

    /// The share of problems that were solved.
    pub fn share(&self) -> f64 {
        f64::from(self.solved) / f64::from(self.problems.max(1))
    }
}

impl TunedWeight {
    /// Whether what it is worth cannot be told from nothing.
    pub fn is_doubtful(&self) -> bool {
        !self.is_idle && self.probe.error.is_none_or(|error| self.probe.change.abs() <= error)
    }
}

impl IterationRow {
    /// Nodes a training problem.
    pub fn mean(&self) -> f64 {
        self.nodes as f64 / f64::from(self.problems.max(1))
    }

    /// Nodes a held-out problem; 0 without any.
    pub fn held_out_mean(&self) -> f64 {
        self.held_out_nodes.unwrap_or(0) as f64 / f64::from(self.held_out_problems.unwrap_or(0).max(1))
    }

    /// The share of training problems that were solved.
    pub fn solved_share(&self) -> f64 {
        f64::from(self.solved) / f64::from(self.problems.max(1))
    }

    /// The share of held-out problems that were solved, if there are any.
    pub fn held_out_share(&self) -> Option<f64> {
        Some(f64::from(self.held_out_solved?) / f64::from(self.held_out_problems?.max(1)))
    }
}
