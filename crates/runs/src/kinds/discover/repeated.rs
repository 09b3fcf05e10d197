//! Features measured with several seeds: other shuffles of the move order.
//!
//! With a constant epsilon every feature is measured with all seeds, and the mean of the solved problems counts. With a test
//! (`--epsilon auto`), Neutral is measured with all seeds, and atoms with one. A combination is measured together with its
//! first parent, with one seed after the other, until it is known whether it is better (`plysmith_learn::repetition`). So only
//! features that are hard to tell apart need many seeds.

use std::collections::{BTreeMap, HashMap};

use plysmith_core::feature::{Conjunction, Cost, Scheme};
use plysmith_core::problem::Suite;
use plysmith_engine::driver::Candidate;
use plysmith_engine::measurement::{Attempt, Measurement};
use plysmith_learn::repetition::{Repetition, Standing};
use plysmith_learn::stats::{PairedCounts, RepeatedCounts};
use plysmith_learn::trial::{FeatureTrial, Parents};

use super::Config;
use super::classes::Place;
use super::meter::{Measured, Meter, places};
use super::repeats::{Estimate, Repeats};
use crate::error::RunError;
use crate::experiment::Session;
use crate::finding::Finding;
use crate::progress::Progress;
use crate::services::Services;

/// Measures features with several seeds.
pub(super) struct RepeatedMeter<'a> {
    config: &'a Config,
    session: &'a mut Session,
    /// What was measured before, with all problems.
    measured: HashMap<Conjunction, Repeated>,
}

/// A feature with one weight and some seeds.
#[derive(Clone)]
struct Repeated {
    weight: Cost,
    /// One for each seed. The last may be incomplete.
    measurements: Vec<Measurement>,
}

/// What measurements need besides the engine.
struct Work<'a> {
    services: &'a Services,
    progress: &'a Progress,
    /// Nodes of all searches.
    nodes: u64,
}

impl Repeated {
    /// With how many seeds all problems were tried.
    fn seeds(&self) -> usize {
        self.measurements.iter().filter(|measurement| measurement.is_complete()).count()
    }

    fn total(&self) -> u64 {
        self.measurements.iter().map(|measurement| u64::from(measurement.solved())).sum()
    }

    /// The mean of the solved problems, rounded half up.
    fn value(&self) -> u32 {
        let seeds = self.seeds().max(1) as u64;
        ((2 * self.total() + seeds) / (2 * seeds)) as u32
    }

    /// Whether a problem was solved with a seed.
    fn solved(&self, seed: usize, problem: usize) -> bool {
        self.measurements
            .get(seed)
            .and_then(|measured| measured.attempts.get(problem))
            .is_some_and(|found| found.solved)
    }

    /// With how many of the first seeds a problem was solved by this one and not by the other, if there is another.
    fn alone(&self, other: Option<&Repeated>, seeds: usize, problem: usize) -> u64 {
        let is_alone =
            |seed: &usize| self.solved(*seed, problem) && !other.is_some_and(|other| other.solved(*seed, problem));
        (0..seeds).filter(is_alone).count() as u64
    }

    /// How it did against another with the first seeds.
    fn against(&self, other: &Repeated, seeds: usize, problems: usize) -> RepeatedCounts {
        let mut counts = RepeatedCounts::new(seeds as u64);
        for problem in 0..problems {
            counts.add(self.alone(Some(other), seeds, problem), other.alone(Some(self), seeds, problem));
        }
        counts
    }

    /// How it did against a candidate that solves nothing: its mean.
    fn mean(&self, problems: usize) -> Option<Estimate> {
        let seeds = self.seeds();
        let mut counts = RepeatedCounts::new(seeds as u64);
        (0..problems).for_each(|problem| counts.add(self.alone(None, seeds, problem), 0));
        (seeds > 0 && seeds == self.measurements.len()).then(|| counts.into())
    }

    /// The gain on another, with the seeds that both have.
    fn gain(&self, other: &Repeated, problems: usize) -> Option<Estimate> {
        let seeds = self.seeds().min(other.seeds());
        (seeds > 0).then(|| self.against(other, seeds, problems).into())
    }

    /// What is stored of it. A problem counts as solved if it was with at least half of the seeds.
    fn finding(&self, name: String, session: &Session) -> Finding {
        let attempts = self.measurements.iter().flat_map(|measurement| measurement.attempts.iter().cloned()).collect();
        let all = Measurement { attempts, problems: self.measurements.iter().map(|measured| measured.problems).sum() };
        let (suite, seeds) = (session.runner.suite(), self.measurements.len());
        let is_solved = |problem: &usize| 2 * self.alone(None, seeds, *problem) as usize >= seeds;
        let solved_ids = (0..suite.problems.len()).filter(is_solved).map(|problem| suite.problems[problem].id.clone());
        Finding {
            solved: all.is_complete().then(|| self.value()),
            tried: self.measurements.first().map_or(0, |measurement| measurement.attempts.len()),
            solved_ids: solved_ids.collect(),
            ..session.finding(name, &all)
        }
    }

    fn times(&self, suite: &Suite) -> BTreeMap<String, u64> {
        let times = suite.problems.iter().enumerate();
        let times =
            times.map(|(index, problem)| (problem.id.clone(), self.alone(None, self.measurements.len(), index)));
        times.filter(|(_, times)| *times > 0).collect()
    }
}

impl<'a> RepeatedMeter<'a> {
    /// Measures on the suite of a session.
    pub fn new(config: &'a Config, session: &'a mut Session) -> RepeatedMeter<'a> {
        RepeatedMeter { config, session, measured: HashMap::new() }
    }

    fn most_seeds(&self) -> usize {
        self.config.seeds as usize
    }

    /// The weights to try. A weight makes no difference to Neutral.
    fn weights(&self, feature: Conjunction) -> &'a [Cost] {
        let weights = &self.config.weights;
        if feature.is_empty() { &weights[..weights.len().min(1)] } else { weights }
    }

    /// The first seed is the run's own, so that runs with one seed share its results.
    fn set_seed(&mut self, number: usize) {
        self.session.runner.set_seed(self.config.experiment.seed.wrapping_add(number as u64));
    }

    /// Measures a feature with more seeds, up to this many.
    fn repeat(
        &mut self,
        feature: Conjunction,
        found: &mut Repeated,
        seeds: usize,
        work: &mut Work,
    ) -> Result<(), RunError> {
        let candidate = Candidate::Scheme(Scheme::single(feature, found.weight));
        while found.measurements.len() < seeds {
            self.set_seed(found.measurements.len());
            let measurement = self.session.measure(&candidate, None, work.progress, work.services)?;
            work.nodes = work.nodes.saturating_add(measurement.nodes());
            found.measurements.push(measurement);
        }
        Ok(())
    }

    /// Measures a feature with this many seeds and each weight, and keeps the weight that solves most, the first of several.
    /// A weight that is certain not to reach what is required, or not to beat those before it, is measured no further.
    fn by_mean(&mut self, trial: &FeatureTrial, seeds: usize, work: &mut Work) -> Result<Repeated, RunError> {
        let problems = self.problems() as u64;
        // The least sum whose mean is rounded to what is required.
        let required = trial.at_least().filter(|_| !self.config.exact);
        let required = required.map_or(0, |least| (u64::from(least) * seeds as u64).saturating_sub(seeds as u64 / 2));
        let mut best: Option<Repeated> = None;
        for &weight in self.weights(trial.feature) {
            let beaten = best.as_ref().filter(|best| !self.config.exact && best.seeds() == seeds);
            let least = beaten.map_or(0, |best| best.total() + 1).max(required);
            let candidate = Candidate::Scheme(Scheme::single(trial.feature, weight));
            let mut found = Repeated { weight, measurements: Vec::new() };
            for number in 0..seeds {
                let later = problems * (seeds - 1 - number) as u64;
                let at_least = least.saturating_sub(found.total() + later);
                let at_least = u32::try_from(at_least).unwrap_or(u32::MAX);
                self.set_seed(number);
                let at_least = (at_least > 0).then_some(at_least);
                let measurement = self.session.measure(&candidate, at_least, work.progress, work.services)?;
                work.nodes = work.nodes.saturating_add(measurement.nodes());
                found.measurements.push(measurement);
                if found.seeds() <= number {
                    break;
                }
            }
            work.progress.finish_part(problems);
            let rank = |found: &Repeated| (found.seeds(), found.total());
            let is_better = best.as_ref().is_none_or(|best| found.seeds() == seeds && rank(&found) > rank(best));
            if is_better {
                best = Some(found);
            }
        }
        best.ok_or_else(|| RunError::input("no weight to measure with"))
    }

    /// Measures a combination with the first seed and each weight, until it is given up.
    fn first_seed(
        &mut self,
        feature: Conjunction,
        parent: &Repeated,
        repetition: &Repetition,
        work: &mut Work,
    ) -> Result<Repeated, RunError> {
        let (problems, exact) = (self.problems() as u64, self.config.exact);
        self.set_seed(0);
        let mut best: Option<Repeated> = None;
        for &weight in self.weights(feature) {
            let candidate = Candidate::Scheme(Scheme::single(feature, weight));
            let mut seen = PairedCounts::default();
            let mut gives_up = |attempt: &Attempt| {
                let others = parent.solved(0, seen.problems as usize);
                seen.add(attempt.solved, others);
                !exact && repetition.gives_up_within(seen, problems)
            };
            let measurement = self.session.measure_until(&candidate, work.progress, work.services, &mut gives_up)?;
            work.progress.finish_part(problems);
            work.nodes = work.nodes.saturating_add(measurement.nodes());
            let found = Repeated { weight, measurements: vec![measurement] };
            let rank = |found: &Repeated| (found.seeds(), found.total());
            if best.as_ref().is_none_or(|best| found.seeds() > 0 && rank(&found) > rank(best)) {
                best = Some(found);
            }
        }
        best.ok_or_else(|| RunError::input("no weight to measure with"))
    }

    /// Measures a combination and its first parent with more and more seeds until it is known which is better. Returns
    /// whether the combination is, and by how much.
    fn by_test(
        &mut self,
        trial: &FeatureTrial,
        parents: Parents,
        error: f64,
        work: &mut Work,
    ) -> Result<(Repeated, bool, Option<Estimate>), RunError> {
        // The best of several weights looks good by chance: Bonferroni's correction.
        let repetition = Repetition::new(self.config.seeds, error / self.config.weights.len().max(1) as f64);
        let missing = || RunError::failed("a first parent was not measured before its combination");
        let mut parent = self.measured.get(&parents.first_parent).cloned().ok_or_else(missing)?;
        let mut found = self.first_seed(trial.feature, &parent, &repetition, work)?;
        if found.seeds() == 0 {
            return Ok((found, false, None));
        }
        let problems = self.problems();
        let (mut seeds, mut standing) = (0, Standing::Open);
        let mut counts = RepeatedCounts::default();
        while standing == Standing::Open {
            seeds += 1;
            self.repeat(trial.feature, &mut found, seeds, work)?;
            self.repeat(parents.first_parent, &mut parent, seeds, work)?;
            counts = found.against(&parent, seeds, problems);
            standing = repetition.standing(&counts);
        }
        self.measured.insert(parents.first_parent, parent);
        Ok((found, standing == Standing::Better, Some(counts.into())))
    }

    fn repeats(&self, found: &Repeated, on_parent: Option<Estimate>) -> Repeats {
        let neutral = self.measured.get(&Conjunction::NEUTRAL);
        Repeats {
            solved: found.measurements.iter().map(Measurement::solved).collect(),
            mean: found.mean(self.problems()),
            gain: neutral.and_then(|neutral| found.gain(neutral, self.problems())),
            on_parent,
            times: found.times(self.session.runner.suite()),
        }
    }
}

impl Meter for RepeatedMeter<'_> {
    fn problems(&self) -> usize {
        self.session.problems()
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
        let mut work = Work { services, progress, nodes: 0 };
        let (found, is_below, on_parent) = match (self.config.error, trial.parents) {
            (Some(error), Some(parents)) => {
                let (found, is_better, estimate) = self.by_test(trial, parents, error, &mut work)?;
                (found, !is_better, estimate)
            }
            (Some(_), None) => {
                let seeds = if trial.feature.is_empty() { self.most_seeds() } else { 1 };
                (self.by_mean(trial, seeds, &mut work)?, false, None)
            }
            (None, parents) => {
                let seeds = self.most_seeds();
                let found = self.by_mean(trial, seeds, &mut work)?;
                let parent = parents.and_then(|parents| self.measured.get(&parents.first_parent));
                let is_below = found.seeds() < seeds;
                let gain = parent.filter(|_| !is_below).and_then(|parent| found.gain(parent, self.problems()));
                (found, is_below, gain)
            }
        };
        // A combination that passed the test survives, whatever the means of other numbers of seeds say.
        let least = trial.at_least().filter(|_| self.config.error.is_some() && !is_below).unwrap_or(0);
        let measured = Measured {
            finding: found.finding(name, self.session),
            weight: found.weight,
            value: found.value().max(least),
            is_below,
            alone: None,
            rated: None,
            regret: None,
            repeats: Some(self.repeats(&found, on_parent)),
            nodes: work.nodes,
        };
        if found.seeds() > 0 {
            self.measured.insert(trial.feature, found);
        }
        Ok(measured)
    }

    fn latest(&self, feature: Conjunction, name: &str, then: &Repeats) -> Option<(Finding, Repeats)> {
        let found = self.measured.get(&feature).filter(|found| found.measurements.len() > then.solved.len())?;
        Some((found.finding(name.to_string(), self.session), self.repeats(found, then.on_parent)))
    }
}
