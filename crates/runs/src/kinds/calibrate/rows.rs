//! What is known of a variant: its games, its moves and the problems that it solves.

use plysmith_learn::stats::RunningMean;
use serde::{Deserialize, Serialize};

use super::measuring::{Moves, Problems};
use crate::screening::{RegretTest, USUAL_ERROR, Verdict};
use crate::summary::{Range, Summary};

/// What is known of a variant at a node limit.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct VariantRow {
    /// The node limit. Earlier versions had one for all.
    #[serde(default)]
    pub limit: u64,
    /// The variant.
    pub player: String,
    /// Its games against the base.
    #[serde(default)]
    pub games: u64,
    /// Its score against the base, from 0 to 1.
    pub score: f64,
    /// Its Elo difference to the base.
    pub elo: Option<Range>,
    /// Its normalized Elo difference to the base.
    #[serde(default)]
    pub nelo: Option<Range>,
    /// Mean length of its games in plies.
    #[serde(default)]
    pub plies: f64,
    /// Its mean regret.
    pub regret: f64,
    /// How much less regret it has than the base.
    pub gain: f64,
    /// Half the width of the 95 % interval of the gain.
    pub gain_error: f64,
    /// The standard deviation of the gain in one position.
    #[serde(default)]
    pub deviation: Option<f64>,
    /// What `screen` would say of it.
    #[serde(default)]
    pub verdict: Option<Verdict>,
    /// The share of positions in which it plays the best known move.
    pub agreement: f64,
    /// Problems of the bundled suite that it solves.
    #[serde(default)]
    pub solved: Option<u32>,
    /// Problems that it solves with ten times the nodes.
    #[serde(default)]
    pub solved_with_more: Option<u32>,
    /// Nodes to the solution of the problems; the limit where it does not solve one.
    #[serde(default)]
    pub solution_nodes: Option<u64>,
    /// The share of problems that it solves.
    #[serde(default)]
    pub solved_share: Option<f64>,
    /// The share of moves in its games whose cost a feature decided.
    #[serde(default)]
    pub frequency: f64,
    /// Nodes of its games and those of its moves on the suite.
    pub nodes: [u64; 2],
    /// Nodes of a screening against the base on the whole suite.
    #[serde(default)]
    pub screening_nodes: u64,
}

impl VariantRow {
    /// The row of a variant.
    pub fn new(
        limit: u64,
        summary: &Summary,
        base: &Moves,
        variant: &Moves,
        problems: Option<&Problems>,
    ) -> VariantRow {
        let differences: Vec<f64> = base.regrets.iter().zip(&variant.regrets).map(|(base, own)| base - own).collect();
        let mut gain = RunningMean::default();
        differences.iter().for_each(|difference| gain.add(*difference));
        VariantRow {
            limit,
            player: summary.a.clone(),
            games: summary.games,
            score: summary.score,
            elo: summary.elo,
            nelo: summary.nelo,
            plies: summary.mean_plies,
            regret: variant.regret(),
            gain: gain.mean(),
            gain_error: gain.error(),
            deviation: Some(gain.deviation()),
            verdict: Some(RegretTest::verdict_on(&differences, USUAL_ERROR)),
            agreement: variant.best as f64 / variant.regrets.len().max(1) as f64,
            solved: problems.map(|problems| problems.solved),
            solved_with_more: problems.map(|problems| problems.solved_with_more),
            solution_nodes: problems.map(|problems| problems.solution_nodes),
            solved_share: problems.map(|problems| f64::from(problems.solved) / problems.problems.max(1) as f64),
            frequency: summary.frequencies.iter().fold(0.0, |sum, share| sum + share),
            nodes: [summary.nodes, variant.nodes],
            screening_nodes: base.nodes + variant.nodes,
        }
    }
}
