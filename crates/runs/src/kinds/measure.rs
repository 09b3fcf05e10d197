//! `measure`: schemes, or weights of an external engine, on a suite.
//!
//! With a fitness, every scheme is rated by samples, with intervals, and compared with the first one (`rated`).

mod rated;

use plysmith_core::depth::Weight;
use plysmith_core::feature::Vocabulary;
use plysmith_core::games;
use plysmith_engine::driver::{Candidate, Conditions, Weights};
use plysmith_engine::schemes::parse_scheme;
use plysmith_store::RunId;
use serde::{Deserialize, Serialize};

use crate::basis::Part;
use crate::chart::{Bar, Bars, Figure};
use crate::error::RunError;
use crate::experiment::{Experiment, OpenedSubject, Session};
use crate::finding::{Finding, exclusions, finding_rows, findings_table, meaning_of_columns, partial_findings};
use crate::finding_charts::{failures, matrix, overlap};
use crate::fitness::{self, FitnessChoice, GradedFitness, GradedRater, ProblemRater, seed_list};
use crate::headline::Headline;
use crate::kind::{Context, Identity, Rows, RunKind};
use crate::remote::JobList;
use crate::services::Services;
use crate::solution_policy::SolutionPolicy;
use crate::text_form;
use crate::view::View;
pub use rated::RatedScheme;

/// The run kind.
pub struct Measure;

/// What to measure.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Config {
    /// On what.
    pub experiment: Experiment,
    /// Schemes or weights, in the words of the engine that is measured.
    pub schemes: Vec<String>,
    /// What schemes are compared by, if they are.
    #[serde(default, skip_serializing_if = "Option::is_none", with = "text_form::option")]
    pub fitness: Option<FitnessChoice>,
    /// The graded suite, if schemes are rated on one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub graded: Option<GradedFitness>,
    /// Number of random seeds, if schemes are compared; none for one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seeds: Option<u32>,
}

/// What happens in a run.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(tag = "kind", content = "payload", rename_all = "lowercase")]
pub enum Event {
    /// A scheme was measured.
    Measurement(Finding),
    /// A scheme was rated.
    Rating(RatedScheme),
}

/// What was measured.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Measured {
    /// The suite's name.
    pub suite: String,
    /// Its number of problems.
    pub problems: usize,
    /// The engine.
    pub preset: String,
    /// Node limit for each problem.
    pub nodes_a_problem: u64,
    /// When a problem counted as solved; none in runs of versions that did not name it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub policy: Option<SolutionPolicy>,
    /// One for each scheme.
    pub findings: Vec<Finding>,
    /// Each scheme by the fitness, with intervals and its difference to the first; empty without a fitness.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub ratings: Vec<RatedScheme>,
}

/// What a run works with.
pub enum Prepared {
    /// The engine on problems.
    Problems(Session),
    /// The engine on graded positions.
    Graded(GradedRater),
}

impl Config {
    /// Checks that the engine can be given these schemes, and stores them in their canonical spelling.
    pub fn new(experiment: Experiment, schemes: &[String], opened: &OpenedSubject) -> Result<Config, RunError> {
        let vocabulary = opened.features.vocabulary;
        let conditions = Conditions { suite: String::new(), nodes: experiment.nodes, seed: experiment.seed };
        let canonical = |text: &String| {
            let candidate = parse_candidate(vocabulary, text)?;
            opened.subject.job(&candidate, &conditions)?;
            Ok::<_, RunError>(print_candidate(vocabulary, &candidate))
        };
        if let Some(mistake) =
            weight_alone(schemes).filter(|_| matches!(experiment.engine, crate::experiment::EngineChoice::BuiltIn(_)))
        {
            return Err(mistake);
        }
        let schemes = schemes.iter().map(canonical).collect::<Result<_, _>>()?;
        Ok(Config { experiment, schemes, fitness: None, graded: None, seeds: None })
    }

    /// Sets up a run with an engine that was opened before.
    pub fn prepare_with(&self, opened: OpenedSubject, services: &Services) -> Result<Prepared, RunError> {
        Ok(match &self.graded {
            Some(graded) => Prepared::Graded(GradedRater::new(&self.experiment, graded, self.seeds.unwrap_or(1))?),
            None => Prepared::Problems(self.experiment.session_with(opened, services)?),
        })
    }
}

/// The error for a weight that stands apart from its feature, as in `RdTt 0.5`.
fn weight_alone(schemes: &[String]) -> Option<RunError> {
    let number = schemes.iter().position(|scheme| scheme.trim_start_matches(['+', '-', '.']).parse::<f64>().is_ok())?;
    let weight = &schemes[number];
    let feature = number.checked_sub(1).map_or("FEATURE", |before| &schemes[before]);
    Some(RunError::input(format!("'{weight}' is a weight without a feature; write {feature}@{weight}")))
}

impl RunKind for Measure {
    const NAME: &'static str = "measure";
    type Config = Config;
    type Event = Event;
    type Output = Measured;
    type Prepared = Prepared;

    fn identity(config: &Config) -> Identity {
        config.experiment.identity()
    }

    fn basis(config: &Config) -> Vec<Part> {
        config.experiment.basis()
    }

    fn validate(config: &Config) -> Result<(), RunError> {
        config.experiment.validate()?;
        fitness::check(config.fitness.as_ref(), config.graded.as_ref(), &config.experiment)
    }

    fn prepare(config: &Config, services: &Services) -> Result<Prepared, RunError> {
        config.prepare_with(config.experiment.open(&services.cancel)?, services)
    }

    fn run(config: &Config, prepared: Prepared, context: &mut Context<Measure>) -> Result<Measured, RunError> {
        let seeds = config.seeds.unwrap_or(1);
        match (&config.fitness, prepared) {
            (None, Prepared::Problems(session)) => measure_each(config, session, context),
            (Some(fitness), Prepared::Problems(mut session)) => {
                let vocabulary = session.features.vocabulary;
                let mut rater = ProblemRater::new(&config.experiment, &mut session, seeds)?;
                rated::rate_each(config, fitness, vocabulary, &mut rater, context)
            }
            (fitness, Prepared::Graded(mut rater)) => {
                let fitness = fitness.clone().unwrap_or_else(FitnessChoice::regret);
                let vocabulary = games::find(&config.experiment.game)?.vocabulary;
                rated::rate_each(config, &fitness, vocabulary, &mut rater, context)
            }
        }
    }

    fn jobs(
        config: &Config,
        prepared: Prepared,
        run: RunId,
        _: &Services,
        jobs: &mut JobList<'_>,
    ) -> Result<(), RunError> {
        let Prepared::Problems(mut session) = prepared else {
            return Err(RunError::input(format!(
                "run {run} rates moves in graded positions, and which of them a judge must value shows when they were played; \
                 `plysmith resume {run}` does it on this machine, and with --cluster on others"
            )));
        };
        let (vocabulary, needs) = (session.features.vocabulary, config.experiment.needs()?);
        for text in &config.schemes {
            let candidate = parse_candidate(vocabulary, text)?;
            for seed in seed_list(config.experiment.seed, config.seeds.unwrap_or(1))? {
                session.runner.set_seed(seed);
                session.runner.list_jobs(&candidate, needs.clone(), jobs)?;
            }
        }
        Ok(())
    }

    fn view(config: &Config, measured: &Measured) -> View {
        if !measured.ratings.is_empty() {
            return rated::view(config, measured);
        }
        View::new()
            .text(format!("On {}:\n\n", config.experiment.conditions()))
            .table(findings_table(&measured.findings))
            .text(meaning_of_columns(&measured.findings))
            .text(exclusions(&measured.findings))
    }

    fn headline(_: &Config, measured: &Measured) -> Headline {
        if let Some(best) = measured.ratings.iter().min_by(|a, b| a.cost.mean.total_cmp(&b.cost.mean)) {
            return Headline::of(format!("{}: cost {:.4}", best.scheme, best.cost.mean), "cost", best.cost.mean);
        }
        match measured.findings.iter().rev().max_by_key(|finding| finding.solved) {
            Some(Finding { feature, solved: Some(solved), .. }) => Headline::of(
                format!("{feature}: {solved} of {} solved", measured.problems),
                "solved",
                f64::from(*solved),
            ),
            _ => Headline::default(),
        }
    }

    fn partial_view(config: &Config, events: &[Event]) -> View {
        let findings: Vec<&Finding> = events.iter().filter_map(Event::finding).collect();
        let ratings: Vec<RatedScheme> = events.iter().filter_map(Event::rating).cloned().collect();
        match ratings.is_empty() {
            true => partial_findings(findings.into_iter()),
            false => rated::partial_view(config, &ratings),
        }
    }

    fn page(
        config: &Config,
        output: Option<&Measured>,
        events: &mut dyn Iterator<Item = Result<Event, RunError>>,
    ) -> Result<View, RunError> {
        let events = events.collect::<Result<Vec<_>, _>>()?;
        let view =
            output.map_or_else(|| Measure::partial_view(config, &events), |output| Measure::view(config, output));
        let ratings: Vec<&RatedScheme> = events.iter().filter_map(Event::rating).collect();
        if !ratings.is_empty() {
            return Ok(view.figure(Figure::Bars(rated::bars(config, &ratings))));
        }
        let findings: Vec<&Finding> = events.iter().filter_map(Event::finding).collect();
        let bars = findings.iter().map(|one| Bar::new(&one.feature, one.solved.map_or(f64::NAN, f64::from))).collect();
        let bars = Bars { title: "Problems solved".to_string(), unit: "problems".to_string(), bars };
        let suite = || config.experiment.suite.problems.iter().map(|problem| problem.id.as_str());
        let more = [matrix(&findings, suite()), overlap(findings.iter().copied(), suite())];
        let view = if findings.is_empty() { view } else { view.figure(Figure::Bars(bars)) };
        let view = match failures(findings.iter().copied()) {
            Some(failures) => view.heading("Failures").table(failures),
            None => view,
        };
        Ok(more.into_iter().flatten().fold(view, View::figure))
    }

    fn rows(config: &Config) -> Rows {
        match config.fitness {
            Some(_) => rated::rows(),
            None => finding_rows("measurement", config.experiment.policy),
        }
    }
}

impl Event {
    fn finding(&self) -> Option<&Finding> {
        match self {
            Event::Measurement(finding) => Some(finding),
            Event::Rating(_) => None,
        }
    }

    fn rating(&self) -> Option<&RatedScheme> {
        match self {
            Event::Measurement(_) => None,
            Event::Rating(rating) => Some(rating),
        }
    }
}

impl Measured {
    /// What was measured of an experiment on this many problems.
    fn new(config: &Config, problems: usize, findings: Vec<Finding>, ratings: Vec<RatedScheme>) -> Measured {
        let Experiment { suite, nodes, policy, .. } = &config.experiment;
        let suite = config.graded.as_ref().map_or(&suite.name, |graded| &graded.suite_name).clone();
        let (preset, policy) = (config.experiment.engine_text(), policy.filter(|_| config.graded.is_none()));
        Measured { suite, problems, preset, nodes_a_problem: *nodes, policy, findings, ratings }
    }
}

/// Counts the problems that each scheme solves.
fn measure_each(config: &Config, mut session: Session, context: &mut Context<Measure>) -> Result<Measured, RunError> {
    let services = context.services().clone();
    let (vocabulary, problems) = (session.features.vocabulary, session.problems());
    let progress = services.begin_progress((config.schemes.len() * problems) as u64);
    let mut findings = Vec::new();
    for text in &config.schemes {
        progress.message(text);
        let measurement = session.measure(&parse_candidate(vocabulary, text)?, None, &progress, &services)?;
        progress.finish_part(problems as u64);
        let finding = session.finding(text.clone(), &measurement);
        let finding = finding.with_best_moves(&measurement, session.runner.suite());
        context.record(Event::Measurement(finding.clone()))?;
        findings.push(finding);
    }
    Ok(Measured::new(config, problems, findings, Vec::new()))
}

/// A candidate: weights if the text consists of numbers, else a scheme.
fn parse_candidate(vocabulary: Vocabulary, text: &str) -> Result<Candidate, RunError> {
    match text.parse::<Weights>() {
        Ok(weights) if !weights.0.is_empty() => Ok(Candidate::Weights(weights)),
        _ => Ok(Candidate::Scheme(parse_scheme(vocabulary, text, Weight::HALF)?)),
    }
}

fn print_candidate(vocabulary: Vocabulary, candidate: &Candidate) -> String {
    match candidate {
        Candidate::Weights(weights) => weights.to_string(),
        Candidate::Scheme(scheme) => vocabulary.print_scheme(scheme),
    }
}
