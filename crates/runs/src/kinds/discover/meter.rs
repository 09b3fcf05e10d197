//! How features are measured for Gradual Focus: by problems solved on a suite, with one seed or several (`repeated`), or by
//! another fitness (`rated`).

use std::cmp::Reverse;
use std::collections::HashMap;

use plysmith_core::feature::{Conjunction, Cost, Feature, Scheme};
use plysmith_core::problem::{Problem, Suite};
use plysmith_engine::driver::Candidate;
use plysmith_engine::measurement::Measurement;
use plysmith_learn::focus::Survival;
use plysmith_learn::stats::PairedCounts;
use plysmith_learn::trial::FeatureTrial;
use serde::{Deserialize, Serialize};

use super::Config;
use super::classes::Place;
use super::repeats::Repeats;
use super::savings::saves_beyond_chance;
use crate::error::RunError;
use crate::experiment::Session;
use crate::finding::Finding;
use crate::progress::Progress;
use crate::services::Services;

/// Measures features.
pub(super) trait Meter {
    /// Number of problems or positions.
    fn problems(&self) -> usize;

    /// Whether finding the right move is enough to solve a problem, although the suite asks for proofs.
    fn by_best_move(&self) -> bool {
        false
    }

    /// Measures a feature.
    fn measure(
        &mut self,
        trial: &FeatureTrial,
        name: String,
        services: &Services,
        progress: &Progress,
    ) -> Result<Measured, RunError>;

    /// Measures a feature of several alternatives, exactly or only until it is below a value.
    fn measure_alternatives(
        &mut self,
        _feature: &Feature,
        _name: String,
        _at_least: Option<u32>,
        _services: &Services,
        _progress: &Progress,
    ) -> Result<Measured, RunError> {
        Err(RunError::input("alternatives are measured by solved problems, with one seed"))
    }

    /// What features are measured on.
    fn places(&self) -> Vec<Place>;

    /// How much less regret than Neutral a feature has in each position, if features are rated by regret.
    fn regret_changes(&self, _feature: Conjunction) -> Option<Vec<f64>> {
        None
    }

    /// What is known of a feature by now, if it was measured with more seeds since.
    fn latest(&self, _feature: Conjunction, _name: &str, _then: &Repeats) -> Option<(Finding, Repeats)> {
        None
    }
}

/// The problems of a suite. Nobody has said how likely the side to move is to win.
pub(super) fn places(suite: &Suite) -> Vec<Place> {
    let place =
        |problem: &Problem| Place { id: problem.id.clone(), position: problem.position.clone(), expected: None };
    suite.problems.iter().map(place).collect()
}

/// What a feature is worth.
pub(super) struct Measured {
    /// The measurement in words.
    pub finding: Finding,
    /// The weight that it was best with.
    pub weight: Cost,
    /// Its value for Gradual Focus.
    pub value: u32,
    /// Whether it is not good enough to survive.
    pub is_below: bool,
    /// Problems that only it solves, and those that only its first parent solves, if that decides.
    pub alone: Option<[u64; 2]>,
    /// What its moves cost, on a graded suite.
    pub regret: Option<RegretGain>,
    /// What it costs by the run's fitness, if that is not problems solved.
    pub rated: Option<CostGain>,
    /// What several seeds say, if there were several.
    pub repeats: Option<Repeats>,
    /// Nodes of all weights.
    pub nodes: u64,
}

/// What the moves of a feature cost.
#[derive(Copy, Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct RegretGain {
    /// The mean regret.
    pub regret: f64,
    /// How much less that is than without features.
    pub gain: f64,
    /// Half the width of the 95 % interval of the gain.
    pub error: f64,
}

/// What a feature costs by the fitness of its run.
#[derive(Copy, Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct CostGain {
    /// The mean cost.
    pub cost: f64,
    /// How much less that is than without features.
    pub gain: f64,
    /// Half the width of the 95 % interval of the gain.
    pub error: f64,
    /// The share of moves that are the best known ones.
    pub agreement: f64,
    /// The share of moves whose cost the feature decided, as a mean over the searches.
    pub frequency: f64,
}

/// Counts the problems of a suite that are solved with a feature.
pub(super) struct SuiteMeter<'a> {
    config: &'a Config,
    solved_by: SolvedBy,
    session: &'a mut Session,
    /// What was measured before, if features are compared with their parents.
    findings: HashMap<Conjunction, Finding>,
    /// Their nodes, problem by problem, if they are to be fewer.
    nodes: HashMap<Conjunction, Vec<u64>>,
}

impl<'a> SuiteMeter<'a> {
    /// Measures on the suite of a session.
    pub fn new(config: &'a Config, solved_by: SolvedBy, session: &'a mut Session) -> SuiteMeter<'a> {
        SuiteMeter { config, solved_by, session, findings: HashMap::new(), nodes: HashMap::new() }
    }
}

impl SuiteMeter<'_> {
    /// Whether a measurement has fewer nodes than that of the first parent, beyond chance.
    fn saves_nodes(&self, trial: &FeatureTrial, measurement: &Measurement) -> bool {
        let parent = trial.parents.and_then(|parents| self.nodes.get(&parents.first_parent));
        parent.is_some_and(|parent| saves_beyond_chance(&problem_nodes(measurement), parent))
    }
}

fn problem_nodes(measurement: &Measurement) -> Vec<u64> {
    measurement.attempts.iter().map(|attempt| attempt.nodes).collect()
}

impl Meter for SuiteMeter<'_> {
    fn problems(&self) -> usize {
        self.session.problems()
    }

    fn by_best_move(&self) -> bool {
        self.solved_by == SolvedBy::BestMove
    }

    fn places(&self) -> Vec<Place> {
        places(self.session.runner.suite())
    }

    fn measure(
        &mut self,
        trial: &FeatureTrial,
        name: String,
        services: &Services,
        progress: &Progress,
    ) -> Result<Measured, RunError> {
        let Config { weights, exact, error, combining, .. } = self.config;
        // What is joined later needs its value, even if it does not survive.
        let exact = &(*exact || combining.operators.or);
        let at_least = if *exact { None } else { trial.at_least() };
        let (feature, solved_by) = (trial.feature, self.solved_by);
        let saves = self.config.survival() == Survival::Saves;
        let weighted = WeightedTrial { feature: &feature.into(), weights, solved_by, at_least, exact: *exact, saves };
        let mut nodes = 0;
        let (weight, measurement) = weighted.measure(self.session, services, progress, &mut nodes)?;
        let finding = self.session.finding(name, &measurement);
        let against_parent = error.and_then(|_| finding.against(self.findings.get(&trial.parents?.first_parent)?));
        if error.is_some() {
            self.findings.insert(feature, finding.clone());
        }
        let is_chance = |counts: PairedCounts| match (error, saves) {
            (None, _) => false,
            (Some(error), false) => counts.chance() > *error,
            (Some(error), true) => counts.turned().chance() <= *error || !self.saves_nodes(trial, &measurement),
        };
        let cannot_reach = |least| !measurement.is_complete() && measurement.is_below(least);
        let is_below = trial.at_least().is_some_and(cannot_reach) || against_parent.is_some_and(is_chance);
        if error.is_some() && saves {
            self.nodes.insert(feature, problem_nodes(&measurement));
        }
        Ok(Measured {
            finding,
            weight,
            value: measurement.solved(),
            is_below,
            alone: against_parent.map(|counts| [counts.first_only, counts.second_only]),
            regret: None,
            rated: None,
            repeats: None,
            nodes,
        })
    }

    fn measure_alternatives(
        &mut self,
        feature: &Feature,
        name: String,
        at_least: Option<u32>,
        services: &Services,
        progress: &Progress,
    ) -> Result<Measured, RunError> {
        let Config { weights, exact, .. } = self.config;
        let (solved_by, exact) = (self.solved_by, *exact);
        let weighted = WeightedTrial { feature, weights, solved_by, at_least, exact, saves: false };
        let mut nodes = 0;
        let (weight, measurement) = weighted.measure(self.session, services, progress, &mut nodes)?;
        Ok(Measured {
            finding: self.session.finding(name, &measurement),
            weight,
            value: measurement.solved(),
            is_below: !measurement.is_complete(),
            alone: None,
            regret: None,
            rated: None,
            repeats: None,
            nodes,
        })
    }
}

/// What counts as solving a problem.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum SolvedBy {
    /// What the suite says.
    Suite,
    /// The right move on top when the search ends, proven or not: the papers' words. Every feature is measured on all
    /// problems, because the searches are those by which the suite counts.
    BestMove,
}

/// A feature to be measured with each of some weights.
struct WeightedTrial<'a> {
    feature: &'a Feature,
    weights: &'a [Cost],
    solved_by: SolvedBy,
    /// What it must solve with one of them.
    at_least: Option<u32>,
    /// Whether all measurements are complete.
    exact: bool,
    /// Whether it is to need few nodes, and not to solve many problems.
    saves: bool,
}

impl WeightedTrial<'_> {
    /// The weight with which the feature solves most, the first of several, and the measurement with it; or, of the weights
    /// that solve enough, the one that needs the fewest nodes. A weight that is certain not to beat those before it is
    /// measured no further. Adds the nodes of all to `nodes`.
    fn measure(
        &self,
        session: &mut Session,
        services: &Services,
        progress: &Progress,
        nodes: &mut u64,
    ) -> Result<(Cost, Measurement), RunError> {
        let problems = session.problems() as u64;
        let [first, others @ ..] = self.weights else { return Err(RunError::input("no weight to measure with")) };
        // A weight makes no difference to Neutral.
        let others = if self.feature.is_neutral() { &[] } else { others };
        let mut measure = |weight: Cost, at_least: Option<u32>| {
            let candidate = Candidate::Scheme(Scheme::single(self.feature.clone(), weight));
            let measurement = match self.solved_by {
                SolvedBy::Suite => session.measure(&candidate, at_least, progress, services)?,
                SolvedBy::BestMove => {
                    let measurement = session.measure(&candidate, None, progress, services)?.by_best_move();
                    match at_least {
                        Some(least) => measurement.until_below(least),
                        None => measurement,
                    }
                }
            };
            progress.finish_part(problems);
            *nodes = nodes.saturating_add(measurement.nodes());
            Ok::<_, RunError>((weight, measurement))
        };
        let mut best = measure(*first, self.at_least)?;
        for &weight in others {
            if self.saves {
                let other = measure(weight, self.at_least)?;
                if self.prefers(&other.1, &best.1) {
                    best = other;
                }
                continue;
            }
            let better = best.1.is_complete().then(|| best.1.solved() + 1);
            let at_least = if self.exact { None } else { better.max(self.at_least) };
            let (weight, measurement) = measure(weight, at_least)?;
            if measurement.is_complete() && (!best.1.is_complete() || measurement.solved() > best.1.solved()) {
                best = (weight, measurement);
            }
        }
        Ok(best)
    }
    /// Whether one measurement is better than another where nodes are to be saved.
    fn prefers(&self, one: &Measurement, other: &Measurement) -> bool {
        let rank = |measurement: &Measurement| {
            let reaches = self.at_least.is_some_and(|least| measurement.solved() >= least);
            // Before anything is required, problems count first.
            let solved = if self.at_least.is_some() { 0 } else { measurement.solved() };
            (measurement.is_complete(), reaches, solved, Reverse(measurement.nodes()))
        };
        rank(one) > rank(other)
    }
}
