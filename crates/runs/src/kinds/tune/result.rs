//! Iterations, probes and the result of a tuning, as they are stored.

use plysmith_core::parameter::{Thousandths, Weights};
use plysmith_learn::tune::kind::OptimiserKind;
use plysmith_learn::tune::score::SuiteScore;
use serde::{Deserialize, Serialize};

use super::config::Choice;
use crate::finding::Exclusion;
use crate::fitness::FitnessChoice;
use crate::solution_policy::SolutionPolicy;
use crate::summary::Summary;
use crate::text_form;

/// One iteration.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct IterationRow {
    /// The optimiser.
    #[serde(with = "text_form")]
    pub optimiser: OptimiserKind,
    /// Its number, from 1.
    pub iteration: u32,
    /// The weights that stand for it.
    #[serde(with = "text_form")]
    pub weights: Weights,
    /// Nodes to solution on the training problems; or, by another fitness, millionths of its cost.
    pub nodes: u64,
    /// Training problems solved.
    pub solved: u32,
    /// Training problems that all candidates of the batch have.
    pub problems: u32,
    /// Nodes per problem, relative to the first iteration.
    pub relative: f64,
    /// Nodes to solution on the held-out problems.
    pub held_out_nodes: Option<u64>,
    /// Held-out problems solved.
    pub held_out_solved: Option<u32>,
    /// Held-out problems.
    pub held_out_problems: Option<u32>,
    /// Everything that was measured for it.
    pub batch: Vec<CandidateRow>,
    /// Problems at which an engine failed.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub excluded: Vec<String>,
    /// What engines did at these problems, as far as it is known; empty in runs of versions that did not store it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub failures: Vec<Exclusion>,
    /// When a problem counted as solved; none in runs of versions that did not name it here.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub policy: Option<SolutionPolicy>,
}

/// One setting in the table of a tuning: the engine as shipped, an iteration, or the result. Each is there once.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct SettingRow {
    /// `as shipped`, the number of an iteration, or `chosen in N`.
    pub name: String,
    /// The weights; none if the engine as shipped has none of its own.
    #[serde(default, skip_serializing_if = "Option::is_none", with = "text_form::option")]
    pub weights: Option<Weights>,
    /// On the training problems.
    pub training: Totals,
    /// Nodes per training problem, relative to the start.
    pub relative: f64,
    /// On the held-out problems.
    pub held_out: Option<Totals>,
    /// Whether it is the result.
    pub is_result: bool,
}

/// One candidate of a batch.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct CandidateRow {
    /// Its weights.
    #[serde(with = "text_form")]
    pub weights: Weights,
    /// Nodes to solution on the training problems.
    pub nodes: u64,
    /// Training problems solved.
    pub solved: u32,
}

/// What a weight is worth: how the nodes change if it alone has another value.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Probe {
    /// The parameter.
    pub name: String,
    /// The other value.
    #[serde(with = "text_form")]
    pub value: Thousandths,
    /// Relative change; above zero if the tuned value is better.
    pub change: f64,
    /// Half the width of its 95 % confidence interval.
    pub error: Option<f64>,
}

/// The result of a tuning.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Tuned {
    /// The game.
    pub game: String,
    /// The external engine's name, if it was one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub engine: Option<String>,
    /// The suite's name.
    pub suite: String,
    /// The engine's settings or command.
    pub preset: String,
    /// Node limit for each problem.
    pub nodes_a_problem: u64,
    /// When a problem counted as solved.
    pub policy: SolutionPolicy,
    /// What was minimised; none for nodes to the solution. All `nodes` of the result are millionths of its cost.
    #[serde(default, skip_serializing_if = "Option::is_none", with = "text_form::option")]
    pub fitness: Option<FitnessChoice>,
    /// The judge, if weights were tuned on graded positions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub judge: Option<String>,
    /// The optimiser.
    #[serde(with = "text_form")]
    pub optimiser: OptimiserKind,
    /// By which problems the weights were chosen.
    pub choice: Choice,
    /// Why it stopped.
    pub stop: String,
    /// Measurements of all training problems that the optimiser asked for.
    pub evaluations: usize,
    /// The tuned weights.
    pub weights: Vec<TunedWeight>,
    /// Start and tuned weights on the training problems.
    pub training: Comparison,
    /// Start and tuned weights on the held-out problems.
    pub held_out: Option<Comparison>,
    /// The iteration after which training gains no longer carried over to the held-out problems; none if all did.
    pub last_to_carry_over: Option<u32>,
    /// The tuned weights as the engine is told them.
    pub setting: Setting,
    /// The command line of a match between the tuned engine and the engine as shipped.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub match_command: Option<String>,
    /// That match, if it was played; results as the tuned engine sees them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub games: Option<Summary>,
    /// Every setting once, the engine as shipped first; empty in runs of version 0.1.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub settings: Vec<SettingRow>,
    /// All iterations.
    pub iterations: Vec<IterationRow>,
}

/// The tuned weights as the engine is told them.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct Setting {
    /// For built-in engines: search settings, if search constants were tuned.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub preset: Option<String>,
    /// For built-in engines: features with weights, if any were tuned.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub scheme: Option<String>,
    /// For external engines: lines to send. For a UCI engine they are everything that differs from the engine as shipped.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub commands: Vec<String>,
}

/// One tuned weight.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct TunedWeight {
    /// The parameter.
    pub name: String,
    /// Where it started.
    #[serde(with = "text_form")]
    pub start: Thousandths,
    /// The tuned value.
    #[serde(with = "text_form")]
    pub value: Thousandths,
    /// Pairs of measurements in which only this weight differed.
    pub pairs: u32,
    /// Pairs of these in which any search differed.
    pub changed: u32,
    /// The largest relative change of nodes in any of these pairs.
    pub largest_change: f64,
    /// Whether no change of it, not even to the ends of its range, had a noticeable effect.
    pub is_idle: bool,
    /// What it is worth.
    pub probe: Probe,
}

/// What one optimiser made of its evaluations.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct MethodRow {
    /// The optimiser.
    #[serde(with = "text_form")]
    pub optimiser: OptimiserKind,
    /// Evaluations used.
    pub evaluations: usize,
    /// Iterations made.
    pub iterations: usize,
    /// The iteration in which the best weights were measured.
    pub best_in: u32,
    /// The weights.
    #[serde(with = "text_form")]
    pub weights: Weights,
    /// Start and tuned weights on the training problems.
    pub training: Comparison,
    /// Start and tuned weights on the held-out problems.
    pub held_out: Option<Comparison>,
}

/// The start and the tuned weights on the same problems.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Comparison {
    /// The start.
    pub start: Totals,
    /// The tuned weights.
    pub tuned: Totals,
    /// Relative change of the nodes.
    pub change: f64,
    /// Half the width of its 95 % confidence interval.
    pub error: Option<f64>,
}

/// A measurement in three numbers.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Totals {
    /// Nodes to solution, with the whole limit where there is none; or, by another fitness, millionths of its cost.
    pub nodes: u64,
    /// Problems solved, or positions with the best known move.
    pub solved: u32,
    /// Problems tried.
    pub problems: u32,
}

/// A cost of 1 by a fitness, in the units that are stored.
pub(super) const MILLION: f64 = 1e6;

impl CandidateRow {
    /// Weights with their score.
    pub(super) fn new((weights, score): (&Weights, &SuiteScore)) -> CandidateRow {
        CandidateRow { weights: weights.clone(), nodes: score.nodes, solved: score.solved }
    }
}

impl Totals {
    /// Nodes per problem.
    pub fn mean(&self) -> f64 {
        self.nodes as f64 / f64::from(self.problems.max(1))
    }

    /// The share of problems that were solved.
    pub fn share(&self) -> f64 {
        f64::from(self.solved) / f64::from(self.problems.max(1))
    }
}

impl TunedWeight {
    /// Whether its effect is within the error.
    pub fn is_doubtful(&self) -> bool {
        !self.is_idle && self.probe.error.is_none_or(|error| self.probe.change.abs() <= error)
    }
}

impl IterationRow {
    /// Nodes per training problem.
    pub fn mean(&self) -> f64 {
        self.nodes as f64 / f64::from(self.problems.max(1))
    }

    /// Nodes per held-out problem; 0 without any.
    pub fn held_out_mean(&self) -> f64 {
        self.held_out_nodes.unwrap_or(0) as f64 / f64::from(self.held_out_problems.unwrap_or(0).max(1))
    }

    /// What was measured on the training problems.
    pub(super) fn training(&self) -> Totals {
        Totals { nodes: self.nodes, solved: self.solved, problems: self.problems }
    }

    /// What was measured on the held-out problems, if there are any.
    pub(super) fn held_out(&self) -> Option<Totals> {
        let (nodes, solved) = (self.held_out_nodes?, self.held_out_solved?);
        Some(Totals { nodes, solved, problems: self.held_out_problems? })
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
