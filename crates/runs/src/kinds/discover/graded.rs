//! Features rated by regret: what the moves cost that an engine with the feature chooses in ordinary positions.
//!
//! Regrets are noisy, so a combination survives only if it has less regret than its first parent beyond chance: a paired
//! test over the positions.

use std::collections::HashMap;

use plysmith_core::depth::Weight;
use plysmith_core::feature::Conjunction;
use plysmith_core::games::{self, GameInfo};
use plysmith_core::suite::graded::{self, Expectation, GradedPosition, GradedSuite, Grades, Judge};
use plysmith_engine::player::Participant;
use plysmith_engine::uci::client::UciTimeouts;
use plysmith_learn::stats::RunningMean;
use plysmith_learn::trial::FeatureTrial;
use serde::{Deserialize, Serialize};

use super::Config;
use super::classes::Place;
use super::meter::{Measured, Meter, RegretGain};
use crate::choice::Chooser;
use crate::error::RunError;
use crate::examiner::{Examination, Examiner, Judging};
use crate::finding::Finding;
use crate::progress::Progress;
use crate::services::Services;
use crate::view::thousands;

/// The positions on which features are rated, and who judges. Stored with the run.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct GradedFitness {
    /// The graded suite's name.
    pub suite_name: String,
    /// The graded suite.
    pub suite: String,
    /// The player who values moves.
    pub judge: String,
    /// Its node limit.
    pub judge_nodes: u64,
}

/// Positions that are searched at once.
const BLOCK: usize = 100;
/// A combination survives if its gain on its first parent is this many standard errors: one-sided 5 %.
const STANDARD_ERRORS: f64 = 1.645;
/// Standard errors of half a 95 % interval.
const HALF_INTERVAL: f64 = 1.96;

impl GradedFitness {
    /// The judge in words.
    pub fn judge_text(&self) -> String {
        format!("{}, {} nodes", self.judge, thousands(self.judge_nodes))
    }
}

/// Rates features by regret.
pub(super) struct GradedMeter<'a> {
    config: &'a Config,
    game: &'static GameInfo,
    suite: GradedSuite,
    judge: Judge,
    /// The regrets of the features that were measured, by position.
    regrets: HashMap<Conjunction, Vec<f64>>,
}

/// One feature with one weight.
struct Rated {
    weight: Weight,
    regrets: Vec<f64>,
    nodes: u64,
}

impl Rated {
    fn mean(&self) -> f64 {
        self.regrets.iter().sum::<f64>() / self.regrets.len().max(1) as f64
    }
}

impl<'a> GradedMeter<'a> {
    /// Rates features of the built-in engine of an experiment.
    pub fn new(config: &'a Config, fitness: &GradedFitness) -> Result<GradedMeter<'a>, RunError> {
        if config.experiment.external().is_some() {
            return Err(RunError::input("regret is measured for built-in engines only"));
        }
        let game = games::find(&config.experiment.game)?;
        let suite = graded::parse(game, &fitness.suite_name, &fitness.suite)
            .map_err(|error| RunError::input(format!("{}:{error}", fitness.suite_name)))?;
        let judge = Judge { player: fitness.judge.clone(), nodes: fitness.judge_nodes };
        Ok(GradedMeter { config, game, suite, judge, regrets: HashMap::new() })
    }

    /// The regrets of a feature with a weight.
    fn rate(&self, feature: &str, weight: Weight, services: &Services, progress: &Progress) -> Result<Rated, RunError> {
        let preset = self.config.experiment.engine_text();
        let player = if feature == "Neutral" { preset } else { format!("{preset}+{feature}@{weight}") };
        let chooser =
            |text: &str| Chooser::new(self.game, Participant::parse_stored(self.game, text).map_err(RunError::input)?);
        let choosers = [chooser(&player)?, chooser(&self.judge.player)?];
        let (nodes, seeds) = (self.config.experiment.nodes, [self.config.experiment.seed]);
        let examination = Examination { game: self.game, suite: &self.suite, judge: &self.judge, nodes, seeds: &seeds };
        let mut examiner = Examiner::new(examination, &choosers, UciTimeouts::default(), services)?;
        let mut rated = Rated { weight, regrets: Vec::new(), nodes: 0 };
        let count = self.suite.positions.len();
        for first in (0..count).step_by(BLOCK) {
            let block = first..(first + BLOCK).min(count);
            for row in examiner.examine(block.clone(), Judging::All, services)? {
                let answer = row.into_iter().next().flatten();
                let answer = answer.ok_or_else(|| RunError::failed("a built-in player did not choose a move"))?;
                rated.regrets.push(answer.regret.unwrap_or_default());
                rated.nodes = rated.nodes.saturating_add(answer.nodes);
            }
            progress.set_part_done(block.end as u64);
        }
        progress.finish_part(count as u64);
        Ok(rated)
    }
}

impl Meter for GradedMeter<'_> {
    fn problems(&self) -> usize {
        self.suite.positions.len()
    }

    fn places(&self) -> Vec<Place> {
        let place = |graded: &GradedPosition| Place {
            id: graded.id.clone(),
            position: graded.position.clone(),
            expected: match &graded.grades {
                Grades::Judged { values, .. } => values.iter().map(|(_, value)| *value).max().map(Expectation::value),
                Grades::Points(_) => None,
            },
        };
        self.suite.positions.iter().map(place).collect()
    }

    fn regret_changes(&self, feature: Conjunction) -> Option<Vec<f64>> {
        let (neutral, own) = (self.regrets.get(&Conjunction::NEUTRAL)?, self.regrets.get(&feature)?);
        Some(neutral.iter().zip(own).map(|(neutral, own)| neutral - own).collect())
    }

    fn measure(
        &mut self,
        trial: &FeatureTrial,
        name: String,
        services: &Services,
        progress: &Progress,
    ) -> Result<Measured, RunError> {
        // A weight makes no difference to Neutral.
        let weights = if trial.feature.is_empty() { &self.config.weights[..1] } else { &self.config.weights[..] };
        let mut nodes: u64 = 0;
        let mut best: Option<Rated> = None;
        for &weight in weights {
            let rated = self.rate(&name, weight, services, progress)?;
            nodes = nodes.saturating_add(rated.nodes);
            if best.as_ref().is_none_or(|best| rated.mean() < best.mean()) {
                best = Some(rated);
            }
        }
        let rated = best.ok_or_else(|| RunError::input("no weight to measure with"))?;
        let gain_on = |feature: Conjunction| {
            let mut gain = RunningMean::default();
            let others = self.regrets.get(&feature).unwrap_or(&rated.regrets);
            others.iter().zip(&rated.regrets).for_each(|(other, own)| gain.add(other - own));
            (gain.mean(), gain.deviation() / (gain.count().max(1) as f64).sqrt())
        };
        let is_chance = |feature: Conjunction| {
            let (gain, error) = gain_on(feature);
            gain <= STANDARD_ERRORS * error
        };
        let (gain, error) = gain_on(Conjunction::NEUTRAL);
        let regret = rated.mean();
        let measured = Measured {
            finding: finding(name, &rated, &self.suite),
            weight: rated.weight,
            value: ((1.0 - regret) * 100_000.0).round() as u32,
            is_below: trial.parents.is_some_and(|parents| is_chance(parents.first_parent)),
            alone: None,
            repeats: None,
            regret: Some(RegretGain { regret, gain, error: HALF_INTERVAL * error }),
            nodes,
        };
        self.regrets.insert(trial.feature, rated.regrets);
        Ok(measured)
    }
}

/// What is stored of a feature: the positions in which it has no regret count as solved.
fn finding(feature: String, rated: &Rated, suite: &GradedSuite) -> Finding {
    let solved = suite.positions.iter().zip(&rated.regrets).filter(|(_, regret)| **regret <= 0.0);
    let solved_ids: Vec<String> = solved.map(|(position, _)| position.id.clone()).collect();
    Finding {
        feature,
        solved: Some(solved_ids.len() as u32),
        best_moves: None,
        tried: rated.regrets.len(),
        nodes: rated.nodes,
        mean_depth: 0.0,
        mean_height: 0.0,
        frequencies: Vec::new(),
        solved_ids,
        excluded: Vec::new(),
        policy: None,
    }
}
