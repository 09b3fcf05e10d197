//! Features rated by samples: what the engine with the feature costs in each problem or position, by the run's fitness.
//!
//! Such costs are noisy, so a combination survives only if it costs less than its first parent beyond chance: a paired
//! test over the positions.

use std::collections::HashMap;

use plysmith_core::feature::{Conjunction, Scheme};
use plysmith_core::games;
use plysmith_core::suite::graded::{Expectation, GradedPosition, Grades};
use plysmith_engine::driver::Candidate;
use plysmith_learn::focus::Survival;
use plysmith_learn::trial::FeatureTrial;

use super::Config;
use super::classes::Place;
use super::meter::{CostGain, Measured, Meter, RegretGain, places};
use crate::error::RunError;
use crate::experiment::Session;
use crate::fitness::{Fitness, FitnessChoice, GradedRater, ProblemRater, Rater, Rating, Sample};
use crate::progress::Progress;
use crate::services::Services;

/// Rates features by samples.
pub(super) struct RatedMeter<'a> {
    config: &'a Config,
    fitness: FitnessChoice,
    rater: Box<dyn Rater + 'a>,
    places: Vec<Place>,
    /// The features that were measured.
    ratings: HashMap<Conjunction, Rating>,
}

impl Config {
    /// The fitness, if features are rated by samples. Runs of versions that did not name it were rated by regret if they
    /// have a graded suite, and by problems solved if not.
    pub(super) fn sampled_fitness(&self) -> Option<FitnessChoice> {
        match &self.fitness {
            Some(fitness) => (!fitness.is_solved()).then(|| fitness.clone()),
            None => self.graded.as_ref().map(|_| FitnessChoice::regret()),
        }
    }

    /// Who rates features on the suite of this run, whose session this is.
    pub(super) fn rater<'a>(&self, session: &'a mut Session) -> Result<Box<dyn Rater + 'a>, RunError> {
        let seeds = u32::try_from(self.seeds).unwrap_or(u32::MAX);
        Ok(match &self.graded {
            Some(graded) => Box::new(GradedRater::new(&self.experiment, graded, seeds)?),
            None => Box::new(ProblemRater::new(&self.experiment, session, seeds)?),
        })
    }
}

impl<'a> RatedMeter<'a> {
    /// Rates features by a fitness.
    pub fn new(
        config: &'a Config,
        fitness: FitnessChoice,
        rater: Box<dyn Rater + 'a>,
    ) -> Result<RatedMeter<'a>, RunError> {
        let places = match &config.graded {
            Some(graded) => {
                let suite = graded.read(games::find(&config.experiment.game)?)?;
                suite.positions.iter().map(place).collect()
            }
            None => places(&config.experiment.suite),
        };
        Ok(RatedMeter { config, fitness, rater, places, ratings: HashMap::new() })
    }
}

impl Meter for RatedMeter<'_> {
    fn problems(&self) -> usize {
        self.rater.positions()
    }

    fn places(&self) -> Vec<Place> {
        self.places.clone()
    }

    fn regret_changes(&self, feature: Conjunction) -> Option<Vec<f64>> {
        let regrets = |feature: &Conjunction| self.ratings.get(feature).and_then(mean_regrets);
        let (neutral, own) = (regrets(&Conjunction::NEUTRAL)?, regrets(&feature)?);
        Some(neutral.iter().zip(own).map(|(neutral, own)| neutral - own).collect())
    }

    fn measure(
        &mut self,
        trial: &FeatureTrial,
        name: String,
        services: &Services,
        progress: &Progress,
    ) -> Result<Measured, RunError> {
        let fitness = &*self.fitness;
        // A weight makes no difference to Neutral.
        let most = if trial.feature.is_empty() { 1 } else { usize::MAX };
        let mut nodes: u64 = 0;
        let mut best = None;
        for &weight in self.config.weights.iter().take(most) {
            let candidate = Candidate::Scheme(Scheme::single(trial.feature, weight));
            let rating = self.rater.rate(&name, &candidate, services, progress)?;
            nodes = nodes.saturating_add(rating.finding.nodes);
            let cost = rating.cost(fitness).mean;
            if best.as_ref().is_none_or(|(_, _, least)| cost < *least) {
                best = Some((weight, rating, cost));
            }
        }
        let (weight, rating, cost) = best.ok_or_else(|| RunError::input("no weight to measure with"))?;
        let against = |feature: &Conjunction| self.ratings.get(feature).unwrap_or(&rating);
        let loses = |parent: &Conjunction| {
            let solved = |rating: &Rating| rating.finding.solved.unwrap_or(0);
            self.config.survival() == Survival::Saves
                && solved(&rating).saturating_add(self.config.slack()) < solved(against(parent))
        };
        let is_chance =
            |parent: &Conjunction| !rating.gain_on(against(parent), fitness).is_beyond_chance() || loses(parent);
        let is_below = trial.parents.is_some_and(|parents| is_chance(&parents.first_parent));
        let neutral = against(&Conjunction::NEUTRAL);
        let gain = rating.gain_on(neutral, fitness);
        let mean = |value: &dyn Fn(&Sample) -> Option<f64>| rating.mean(value).map_or(0.0, |one| one.mean);
        let rated = CostGain {
            cost,
            gain: gain.mean,
            error: gain.error.unwrap_or(0.0),
            agreement: mean(&|sample| Some(if sample.agrees { 1.0 } else { 0.0 })),
            frequency: mean(&|sample| Some(sample.frequency)),
        };
        let mut finding = rating.finding.clone();
        // Runs of versions that did not name the fitness did not count how often features fire.
        if self.config.fitness.is_none() {
            finding.frequencies.clear();
        }
        let measured = Measured {
            finding,
            weight,
            value: value(fitness, cost),
            is_below,
            alone: None,
            repeats: None,
            regret: regret_gain(&rating, neutral),
            rated: self.config.fitness.as_ref().map(|_| rated),
            nodes,
        };
        self.ratings.insert(trial.feature, rating);
        Ok(measured)
    }
}

/// A position, and what it is worth to the side to move.
fn place(graded: &GradedPosition) -> Place {
    Place {
        id: graded.id.clone(),
        position: graded.position.clone(),
        expected: match &graded.grades {
            Grades::Judged { values, .. } => values.iter().map(|(_, value)| *value).max().map(Expectation::value),
            Grades::Points(_) => None,
        },
    }
}

/// The mean regret over the seeds in each position, if it was measured.
fn mean_regrets(rating: &Rating) -> Option<Vec<f64>> {
    let positions = rating.samples.first()?.len();
    let at = |place: usize| {
        let regrets: Option<Vec<f64>> = rating.samples.iter().map(|row| row[place].as_ref()?.regret).collect();
        regrets.map(|regrets| regrets.iter().sum::<f64>() / regrets.len() as f64)
    };
    (0..positions).map(at).collect()
}

/// A cost as Gradual Focus sees it: a whole number, more is better.
fn value(fitness: &dyn Fitness, cost: f64) -> u32 {
    ((fitness.worst().max(1.0) - cost) * 100_000.0).round() as u32
}

/// What the moves cost, if that was measured.
fn regret_gain(rating: &Rating, neutral: &Rating) -> Option<RegretGain> {
    let regrets: Vec<f64> = rating.samples.first()?.iter().filter_map(|sample| sample.as_ref()?.regret).collect();
    let gain = rating.gain_on(neutral, &*FitnessChoice::regret());
    (!regrets.is_empty()).then(|| RegretGain {
        regret: regrets.iter().sum::<f64>() / regrets.len() as f64,
        gain: gain.mean,
        error: gain.error.unwrap_or(0.0),
    })
}
