//! What is measured of candidates: nodes to the solution of problems, or costs by another fitness.
//!
//! Costs are whole numbers, so that optimisers and stored events are exact: nodes, or millionths of a cost by a fitness. A
//! move that is better than all known ones costs nothing.

use plysmith_core::problem::Suite;
use plysmith_engine::driver::{BuiltIn, Candidate, SearchCandidate};
use plysmith_engine::measurement::{Measurement, sum};
use plysmith_engine::player::BuiltInPlayer;
use plysmith_learn::tune::score::SuiteScore;
use xxhash_rust::xxh3::xxh3_64;

use super::config::Config;
use super::result::{MILLION, Totals};
use super::tunable::{ShippedEngine, TunedEngine};
use crate::error::RunError;
use crate::experiment::measure;
use crate::fitness::{Fitness, FitnessChoice, GradedRater, Rating, Sample};
use crate::memory::ThreadNeed;
use crate::progress::Progress;
use crate::services::Services;
use crate::suite_runner::{SearchLimits, SuiteRunner};

/// Training or held-out problems.
#[derive(Copy, Clone, PartialEq, Eq)]
pub(super) enum Part {
    Training,
    HeldOut,
}

/// What was measured of a candidate, problem by problem.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Measured {
    /// The problems; none where one is excluded.
    problems: Vec<Option<ProblemCost>>,
    /// The places of problems at which an engine failed, and what it did.
    failures: Vec<(usize, String)>,
}

/// One problem or position.
#[derive(Copy, Clone, PartialEq, Debug)]
struct ProblemCost {
    cost: u64,
    solved: bool,
    nodes: u64,
}

/// Measures candidates on training and held-out problems.
pub(super) struct Meter {
    /// The names of the training and of the held-out problems.
    names: [Vec<String>; 2],
    fitness: Option<FitnessChoice>,
    nodes: u64,
    source: Source,
}

enum Source {
    Problems {
        suites: [Suite; 2],
        runner: Box<SuiteRunner>,
        /// For the engine as shipped, if it is not the tuned engine with other weights.
        shipped: Option<Box<SuiteRunner>>,
    },
    Graded {
        raters: Box<[GradedRater; 2]>,
        engine: Box<BuiltIn>,
    },
}

impl Meter {
    /// Sets up the problems for an engine, and the engine as shipped.
    pub fn open(config: &Config, engine: &TunedEngine, services: &Services) -> Result<Meter, RunError> {
        let nodes = config.experiment.nodes;
        let (names, source) = match (&config.graded, engine) {
            (Some(graded), TunedEngine::BuiltIn(engine)) => {
                let all = GradedRater::new(&config.experiment, graded, 1)?;
                let is_held_out = |id: &str| config.held_out.iter().any(|held_out| held_out == id);
                let raters = [all.restricted(|id| !is_held_out(id)), all.restricted(is_held_out)];
                let names = raters.each_ref().map(|rater| {
                    rater.suite().positions.iter().map(|position| position.id.clone()).collect::<Vec<_>>()
                });
                (names, Source::Graded { raters: Box::new(raters), engine: engine.clone() })
            }
            _ => {
                let suites = config.split();
                let names = suites.each_ref().map(|suite| suite.problems.iter().map(|one| one.id.clone()).collect());
                let limits = SearchLimits { nodes, seed: config.experiment.seed };
                let subject = engine.subject();
                let need = ThreadNeed::of_engine(&config.experiment.engine_text(), subject.memory());
                let problems = suites[0].problems.len().max(suites[1].problems.len());
                let threads = services.workers(problems as u64, &need)?;
                let mut runner = SuiteRunner::new(subject, suites[0].clone(), limits, threads)?;
                if let Some(queue) = &services.remote {
                    runner = runner.with_remote(queue, config.experiment.needs()?);
                }
                engine.introduce(&mut runner, &config.experiment.suite, services)?;
                (names, Source::Problems { suites, runner: Box::new(runner), shipped: None })
            }
        };
        Ok(Meter { names, fitness: config.fitness.clone(), nodes, source })
    }

    /// Sets up the engine as shipped, if it is an engine of its own.
    pub fn add_shipped(&mut self, own: &ShippedEngine, config: &Config, services: &Services) -> Result<(), RunError> {
        if let (Some(own), Source::Problems { suites, shipped, .. }) = (&own.engine, &mut self.source) {
            let limits = SearchLimits { nodes: self.nodes, seed: config.experiment.seed };
            let runner = SuiteRunner::new(own.subject(), suites[0].clone(), limits, services.threads)?;
            *shipped = Some(Box::new(runner));
        }
        Ok(())
    }

    /// The names of some problems.
    pub fn names(&self, part: Part) -> &[String] {
        &self.names[part as usize]
    }

    /// Measures a candidate of the tuned engine.
    pub fn measure(
        &mut self,
        candidate: &Candidate,
        part: Part,
        progress: &Progress,
        services: &Services,
    ) -> Result<Measured, RunError> {
        match &mut self.source {
            Source::Problems { suites, runner, .. } => {
                let measurement = measure_part(runner, &suites[part as usize], candidate, progress, services)?;
                Ok(Measured::of_measurement(&measurement, self.nodes, self.fitness.as_ref()))
            }
            Source::Graded { raters, engine } => {
                let SearchCandidate { scheme, settings } = engine.resolve(candidate)?;
                let player = BuiltInPlayer::new(settings, scheme);
                let rating = raters[part as usize].rate_player("", player, services, progress)?;
                let usual = FitnessChoice::regret();
                Ok(Measured::of_rating(&rating, self.fitness.as_ref().unwrap_or(&usual)))
            }
        }
    }

    /// Measures the engine as shipped.
    pub fn measure_shipped(
        &mut self,
        candidate: &Candidate,
        part: Part,
        progress: &Progress,
        services: &Services,
    ) -> Result<Measured, RunError> {
        if let Source::Problems { suites, shipped: Some(own), .. } = &mut self.source {
            let measurement = measure_part(own, &suites[part as usize], candidate, progress, services)?;
            return Ok(Measured::of_measurement(&measurement, self.nodes, self.fitness.as_ref()));
        }
        self.measure(candidate, part, progress, services)
    }
}

fn measure_part(
    runner: &mut SuiteRunner,
    suite: &Suite,
    candidate: &Candidate,
    progress: &Progress,
    services: &Services,
) -> Result<Measurement, RunError> {
    runner.set_suite(suite)?;
    let measured = measure(runner, candidate, None, progress, services);
    progress.finish_part(suite.problems.len() as u64);
    measured
}

impl ProblemCost {
    fn by_fitness(sample: &Sample, fitness: &dyn Fitness) -> ProblemCost {
        let cost = (fitness.cost(sample) * MILLION).round() as u64;
        ProblemCost { cost, solved: sample.solved.unwrap_or(sample.agrees), nodes: sample.nodes }
    }
}

impl Measured {
    fn of_measurement(measurement: &Measurement, limit: u64, fitness: Option<&FitnessChoice>) -> Measured {
        let costs = measurement.costs(limit);
        let problems = measurement.attempts.iter().zip(costs).map(|(attempt, cost)| match fitness {
            None => {
                let (solved, nodes) = (attempt.solved, attempt.nodes);
                (!attempt.is_excluded()).then_some(ProblemCost { cost, solved, nodes })
            }
            Some(fitness) => {
                Sample::of_attempt(attempt, limit).map(|sample| ProblemCost::by_fitness(&sample, &**fitness))
            }
        });
        let failures = measurement.excluded().map(|(place, failure)| (place, failure.to_string())).collect();
        Measured { problems: problems.collect(), failures }
    }

    fn of_rating(rating: &Rating, fitness: &FitnessChoice) -> Measured {
        let samples = rating.samples.iter().flatten();
        let cost = |sample: &Option<Sample>| sample.map(|sample| ProblemCost::by_fitness(&sample, &**fitness));
        Measured { problems: samples.map(cost).collect(), failures: Vec::new() }
    }

    /// The places of the problems that are excluded.
    pub fn excluded(&self) -> impl Iterator<Item = usize> {
        self.problems.iter().enumerate().filter(|(_, problem)| problem.is_none()).map(|(place, _)| place)
    }

    /// What engines did at problems that are excluded, with the places of these.
    pub fn failures(&self) -> impl Iterator<Item = (usize, &str)> {
        self.failures.iter().map(|(place, failure)| (*place, failure.as_str()))
    }

    /// Restricts the measurement to these problems.
    #[must_use]
    pub fn on(&self, places: &[usize]) -> Measured {
        let problems = places.iter().filter_map(|&place| self.problems.get(place)).copied().collect();
        Measured { problems, failures: Vec::new() }
    }

    /// The cost of each problem.
    pub fn costs(&self) -> Vec<u64> {
        self.problems.iter().flatten().map(|problem| problem.cost).collect()
    }

    /// The measurement in numbers.
    pub fn totals(&self) -> Totals {
        let SuiteScore { nodes, solved, problems, .. } = self.score();
        Totals { nodes, solved, problems }
    }

    /// The measurement as optimisers see it.
    pub fn score(&self) -> SuiteScore {
        let solved = self.problems.iter().flatten().filter(|problem| problem.solved).count() as u32;
        let row = |problem: &ProblemCost| format!("{} {} {}", u8::from(problem.solved), problem.nodes, problem.cost);
        let rows: Vec<_> = self.problems.iter().flatten().map(row).collect();
        SuiteScore {
            nodes: sum(self.costs()),
            solved,
            problems: self.problems.len() as u32,
            trace: xxh3_64(rows.join("\n").as_bytes()),
        }
    }
}

/// The problems that none of these measurements has excluded. Candidates are compared on these.
pub(super) fn shared(measured: &[Measured]) -> Vec<usize> {
    let count = measured.iter().map(|one| one.problems.len()).min().unwrap_or(0);
    (0..count).filter(|&place| measured.iter().all(|one| one.problems[place].is_some())).collect()
}

#[cfg(test)]
mod tests {
    use plysmith_engine::measurement::{Attempt, Measurement};

    use super::{FitnessChoice, Measured, Sample, shared};
    use crate::finding::Finding;
    use crate::fitness::Rating;

    fn measurement() -> Measurement {
        let attempt = |solved, nodes| Attempt { solved, nodes, moves: 10, fired: vec![5], ..Attempt::default() };
        let attempts = vec![attempt(true, 30), attempt(false, 100), Attempt::excluded("hangs".to_string())];
        Measurement { attempts, problems: 3 }
    }

    #[test]
    fn nodes_count_as_they_are_and_other_costs_in_millionths() {
        let by = |text: &str| {
            let fitness: Option<FitnessChoice> = (text != "nodes").then(|| text.parse().unwrap());
            Measured::of_measurement(&measurement(), 100, fitness.as_ref()).on(&[0, 1]).costs()
        };
        assert_eq!(by("nodes"), [30, 100]);
        assert_eq!(by("solved"), [0, 1_000_000]);
        assert_eq!(by("nodes+frequency=0.1"), [350_000, 1_050_000]);
    }

    #[test]
    fn a_move_better_than_all_known_costs_nothing() {
        let sample = |regret| Some(Sample { regret: Some(regret), agrees: regret <= 0.0, ..Sample::default() });
        let samples = vec![vec![sample(-0.1), sample(0.25), sample(0.000_000_4)]];
        let suite = plysmith_core::problem::Suite { name: String::new(), problems: Vec::new() };
        let rating = Rating { samples, finding: Finding::new(String::new(), &Measurement::default(), &suite) };
        let measured = Measured::of_rating(&rating, &FitnessChoice::regret());
        assert_eq!(measured.costs(), [0, 250_000, 0]);
        let totals = measured.totals();
        assert_eq!((totals.nodes, totals.solved, totals.problems), (250_000, 1, 3));
    }

    #[test]
    fn excluded_problems_are_named_and_left_out() {
        let one = Measured::of_measurement(&measurement(), 100, None);
        assert_eq!(one.excluded().collect::<Vec<_>>(), [2]);
        assert_eq!(one.failures().collect::<Vec<_>>(), [(2, "hangs")]);
        let common = shared(&[one.clone(), one.clone()]);
        assert_eq!(common, [0, 1]);
        assert_eq!((one.on(&common).score().problems, one.on(&common).score().solved), (2, 1));
        assert!(shared(&[]).is_empty());
    }
}
