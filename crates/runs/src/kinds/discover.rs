//! `discover`: Gradual Focus finds the features worth extending.
//!
//! Each feature that Gradual Focus asks about is measured on the suite, with one weight or the best of several. Every
//! evaluation is stored as it is done.

mod advice;
mod charts;
mod classes;
mod combining;
mod config;
mod joined;
mod meter;
mod page;
mod power;
mod rated;
mod repeated;
mod repeats;
mod running;
mod savings;
mod view;

use std::cmp::Reverse;
use std::path::PathBuf;

use plysmith_core::feature::{Conjunction, Cost, Feature};
use plysmith_learn::focus::{FocusOutcome, FocusVerdict, Survival};
use plysmith_learn::pruning::Pruning;
use serde::{Deserialize, Serialize};

use crate::basis::Part;
use crate::error::RunError;
use crate::events::GameEvent;
use crate::experiment::{Experiment, Session};
use crate::finding::{Finding, finding_rows, partial_findings};
use crate::fitness::{self, FitnessChoice, GradedFitness};
use crate::headline::Headline;
use crate::kind::{Context, Identity, Rows, RunKind, check_range};
use crate::kinds::follow_up::{FollowUp, Followed, Goal};
use crate::kinds::tune::{IterationRow, Probe};
use crate::services::Services;
use crate::solution_policy::SolutionPolicy;
use crate::text_form;
use crate::view::View;
pub use advice::Advice;
pub use charts::ChartFolder;
pub use classes::{FeatureClass, Similarity};
pub use combining::{Combining, CombiningError, GroupChoice, Operators};
pub use config::{base_set, blacklist};
pub use meter::{CostGain, RegretGain, SolvedBy};
pub use power::Power;
use rated::RatedMeter;
pub use repeats::{Estimate, Repeats};
use running::focus_with;
pub(crate) use running::run_within;
pub use running::{Focused, run_focus};

/// The run kind.
pub struct Discover;

/// What to discover.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Config {
    /// On what.
    pub experiment: Experiment,
    /// What a move with the feature costs: one weight for all features, or several to choose from.
    #[serde(rename = "weight", with = "text_form::list")]
    pub weights: Vec<Cost>,
    /// By how many solved problems a feature must improve on its first parent; or may be behind it, if every cost is a
    /// reduction and moves are to be searched less. Negative if it may be behind it.
    pub epsilon: i32,
    /// A feature must also improve on its first parent beyond chance: the error rate of the test over problems and seeds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<f64>,
    /// With how many seeds a feature is measured; if there is a test, at most.
    #[serde(default = "one", skip_serializing_if = "is_one")]
    pub seeds: u64,
    /// The pruning method.
    #[serde(with = "text_form")]
    pub pruning: Pruning,
    /// Threshold pruning drops atoms that solve fewer; by default as many as Neutral.
    pub delta: Option<u32>,
    /// Names of the atoms of the Base set, in the engine's vocabulary; none for the default one.
    pub base: Vec<String>,
    /// Features that are never combined: the game's own, then the caller's.
    pub blacklist: Vec<String>,
    /// Combine at most this many atoms.
    pub most_atoms: Option<usize>,
    /// Measure every candidate on all problems.
    pub exact: bool,
    /// How many features to show. Part of the run so that `resume` and `show` print the same.
    pub top: usize,
    /// What to do with the best features.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub follow_up: Option<FollowUp>,
    /// Features are rated on a graded suite, and not on problems.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub graded: Option<GradedFitness>,
    /// What features are rated by; none for problems solved, and in runs of versions that did not name it.
    #[serde(default, skip_serializing_if = "Option::is_none", with = "text_form::option")]
    pub fitness: Option<FitnessChoice>,
    /// Where to write a chart of how alike features are.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub charts: Option<ChartFolder>,
    /// How features are combined.
    #[serde(default, skip_serializing_if = "Combining::is_default")]
    pub combining: Combining,
}

/// What happens in a run.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(tag = "kind", content = "payload", rename_all = "lowercase")]
pub enum Event {
    /// A feature was evaluated.
    Evaluation(Box<Evaluation>),
    /// An iteration of tuning the best features is done.
    Iteration(IterationRow),
    /// A tuned weight was changed alone, to see what it is worth.
    Probe(Probe),
    /// A game with one of the best features was played.
    Game(GameEvent),
}

/// One evaluation.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Evaluation {
    /// The measurement.
    #[serde(flatten)]
    pub finding: Finding,
    /// The generation of Gradual Focus.
    pub generation: usize,
    /// The feature it extends.
    pub first_parent: Option<String>,
    /// The atom it adds.
    pub second_parent: Option<String>,
    /// How many it had to solve to survive.
    pub at_least: Option<u32>,
    /// What became of it.
    pub verdict: String,
    /// The best of several weights, with which it was found to solve as many.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub weight: Option<String>,
    /// Whether finding the right move was enough to solve a problem.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub by_best_move: bool,
    /// How it did against its first parent on the same problems, if that decides: problems that only it solves, and those
    /// that only the parent solves.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub alone: Option<[u64; 2]>,
    /// What its moves cost, on a graded suite.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub regret: Option<RegretGain>,
    /// What it costs by the run's fitness, if one is named.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rated: Option<Box<CostGain>>,
    /// What several seeds say, if there were several.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub repeats: Option<Box<Repeats>>,
}

/// What a discovery found.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Discovery {
    /// The game.
    pub game: String,
    /// The suite's name.
    pub suite: String,
    /// Its number of problems.
    pub problems: usize,
    /// The pruning method.
    pub pruning: String,
    /// The weights.
    pub weight: String,
    /// The engine.
    pub preset: String,
    /// Node limit for each problem.
    pub nodes_a_problem: u64,
    /// When a problem counted as solved; none in runs of versions that did not name it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub policy: Option<SolutionPolicy>,
    /// Features evaluated.
    pub evaluations: usize,
    /// Combinations not evaluated because of the blacklist.
    pub skipped: usize,
    /// Nodes in all.
    pub nodes: u64,
    /// Problems solved without features.
    pub neutral: u32,
    /// The Base set; empty for all atoms.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub base: Vec<String>,
    /// Features that were never combined.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub blacklist: Vec<String>,
    /// The survivors, best first, Neutral and base features included.
    pub output: Vec<Evaluation>,
    /// What features were rated by; none for problems solved, and in runs of versions that did not name it.
    #[serde(default, skip_serializing_if = "Option::is_none", with = "text_form::option")]
    pub fitness: Option<FitnessChoice>,
    /// The judge, if features were rated on a graded suite.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub judge: Option<String>,
    /// Features that change much the same positions. Runs of earlier versions have none.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub classes: Vec<FeatureClass>,
    /// How alike features are. Runs of earlier versions have none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub similarity: Option<Similarity>,
    /// The error rate of the test that features had to pass, if there was one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<f64>,
    /// How many problems only one of a feature and its first parent solved, on average, if there was a test.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mean_discordant: Option<f64>,
    /// With how many seeds features were measured; if there was a test, at most. None if it was one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seeds: Option<u64>,
    /// What it would take to see small differences, if there were several seeds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub power: Option<Power>,
    /// What was done with the best features.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub followed: Option<Followed>,
    /// What to use. Runs of earlier versions have none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub advice: Option<Advice>,
    /// If moves were to be searched less: how many fewer problems a feature may solve.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub may_lose: Option<u32>,
    /// By which rule alternatives were kept, if there could be some.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub operators: Option<String>,
}

impl RunKind for Discover {
    const NAME: &'static str = "discover";
    type Config = Config;
    type Event = Event;
    type Output = Discovery;
    type Prepared = Session;

    fn identity(config: &Config) -> Identity {
        config.experiment.identity()
    }

    fn basis(config: &Config) -> Vec<Part> {
        let mut parts = config.experiment.basis();
        if config.follow_up.is_some() {
            parts.extend([Part::Search, Part::Games]);
        }
        parts
    }

    fn validate(config: &Config) -> Result<(), RunError> {
        config.experiment.validate()?;
        fitness::check(config.fitness.as_ref(), config.graded.as_ref(), &config.experiment)?;
        if let Some(error) = config.error.filter(|error| !(*error > 0.0 && *error <= 0.5)) {
            return Err(RunError::input(format!("{error} is not a possible error rate; expected one like 0.05")));
        }
        check_range("number of seeds", config.seeds, 1..=MOST_SEEDS)?;
        config.check_costs()?;
        config.check_combining()?;
        if config.seeds > 1 && config.experiment.external().is_some() {
            return Err(RunError::input("an external engine does not use the seed; measure it with one"));
        }
        config.follow_up.as_ref().map_or(Ok(()), FollowUp::validate)
    }

    fn check(config: &Config, _: &Services) -> Result<(), RunError> {
        config.charts.as_ref().map_or(Ok(()), ChartFolder::check)
    }

    fn prepare(config: &Config, services: &Services) -> Result<Session, RunError> {
        config.experiment.session(services)
    }

    fn run(config: &Config, mut session: Session, context: &mut Context<Discover>) -> Result<Discovery, RunError> {
        config.warn_of_overlaps(&session.features, context.services())?;
        let progress = context.services().begin_progress(1);
        let Focused { mut discovery, .. } = match config.sampled_fitness() {
            None => run_focus(config, SolvedBy::Suite, &mut session, context, &progress, "")?,
            Some(fitness) => {
                let features = session.features;
                let mut meter = RatedMeter::new(config, fitness, config.rater(&mut session)?)?;
                focus_with(config, &features, &mut meter, None, context, &progress, "")?
            }
        };
        drop(progress);
        if let Some(follow_up) = &config.follow_up {
            // Engines and tables of the discovery make room for those of the follow-up.
            drop(session);
            let goal = Goal {
                experiment: &config.experiment,
                fitness: config.fitness.as_ref(),
                graded: config.graded.as_ref(),
            };
            discovery.followed = Some(follow_up.run(&goal, &discovery.schemes(), context)?);
        }
        discovery.advice = Some(discovery.advise(config.experiment.external().is_none()));
        Ok(discovery)
    }

    fn write_files(config: &Config, discovery: &Discovery) -> Result<Vec<PathBuf>, RunError> {
        config.charts.as_ref().map_or(Ok(Vec::new()), |charts| charts.write(discovery))
    }

    fn view(config: &Config, discovery: &Discovery) -> View {
        discovery.view(config.top)
    }

    fn headline(_: &Config, discovery: &Discovery) -> Headline {
        discovery.headline()
    }

    fn partial_view(_: &Config, events: &[Event]) -> View {
        let findings: Vec<&Finding> = events.iter().filter_map(Event::finding).collect();
        partial_findings(findings.into_iter())
    }

    fn page(
        config: &Config,
        output: Option<&Discovery>,
        events: &mut dyn Iterator<Item = Result<Event, RunError>>,
    ) -> Result<View, RunError> {
        page::page(config, output, events)
    }

    fn rows(config: &Config) -> Rows {
        finding_rows("evaluation", config.experiment.policy)
    }
}

/// More seeds than anybody needs.
pub const MOST_SEEDS: u64 = 1_000;

fn one() -> u64 {
    1
}

fn is_one(seeds: &u64) -> bool {
    *seeds == 1
}

/// The evaluation of a feature.
fn find(evaluations: &[(Feature, Evaluation)], feature: Conjunction) -> Option<&Evaluation> {
    let feature = Feature::from(feature);
    evaluations.iter().find(|(other, _)| *other == feature).map(|(_, evaluation)| evaluation)
}

/// How many problems only one of a feature and its parent solved, on average.
fn mean_discordant<'a>(evaluations: impl Iterator<Item = &'a Evaluation>) -> Option<f64> {
    let counts: Vec<u64> =
        evaluations.filter_map(|evaluation| evaluation.alone).map(|[one, other]| one + other).collect();
    (!counts.is_empty()).then(|| counts.iter().sum::<u64>() as f64 / counts.len() as f64)
}

impl Event {
    fn finding(&self) -> Option<&Finding> {
        match self {
            Event::Evaluation(evaluation) => Some(&evaluation.finding),
            Event::Iteration(_) | Event::Probe(_) | Event::Game(_) => None,
        }
    }
}

impl From<Evaluation> for Event {
    fn from(evaluation: Evaluation) -> Event {
        Event::Evaluation(Box::new(evaluation))
    }
}

impl From<IterationRow> for Event {
    fn from(row: IterationRow) -> Event {
        Event::Iteration(row)
    }
}

impl From<Probe> for Event {
    fn from(probe: Probe) -> Event {
        Event::Probe(probe)
    }
}

impl From<GameEvent> for Event {
    fn from(game: GameEvent) -> Event {
        Event::Game(game)
    }
}

impl Discovery {
    /// What all evaluations come to.
    fn new(
        config: &Config,
        problems: usize,
        evaluations: &[(Feature, Evaluation)],
        outcome: &FocusOutcome,
        nodes: u64,
    ) -> Discovery {
        let found = outcome.output.iter().filter_map(|rated| find(evaluations, rated.feature));
        let mut output: Vec<Evaluation> = found.cloned().collect();
        let is_joined =
            |feature: &Feature, verdict: &str| !feature.others().is_empty() && verdict == FocusVerdict::Lives.name();
        output.extend(
            evaluations.iter().filter(|(feature, one)| is_joined(feature, &one.verdict)).map(|(_, one)| one.clone()),
        );
        if config.combining.operators.or {
            output.sort_by_key(|evaluation| Reverse(evaluation.finding.solved));
        }
        repeats::sort(&mut output);
        let neutral = find(evaluations, Conjunction::NEUTRAL).and_then(|evaluation| evaluation.finding.solved);
        let may_lose = (config.survival() == Survival::Saves).then_some(config.epsilon.unsigned_abs());
        let mut discovery = Discovery {
            game: config.experiment.game.clone(),
            suite: config.graded.as_ref().map_or(&config.experiment.suite.name, |graded| &graded.suite_name).clone(),
            fitness: config.fitness.clone(),
            judge: config.graded.as_ref().map(|graded| graded.judge_text()),
            problems,
            pruning: config.pruning_text(),
            weight: text_form::list::join(&config.weights),
            preset: config.experiment.engine_text(),
            nodes_a_problem: config.experiment.nodes,
            policy: config.experiment.policy,
            evaluations: evaluations.len(),
            skipped: outcome.skipped,
            nodes,
            neutral: neutral.unwrap_or(0),
            base: config.base.clone(),
            blacklist: config.blacklist.clone(),
            error: config.error,
            mean_discordant: mean_discordant(evaluations.iter().map(|(_, evaluation)| evaluation)),
            seeds: Some(config.seeds).filter(|seeds| *seeds > 1),
            power: Power::new(evaluations.iter().map(|(_, evaluation)| evaluation), problems, config.error),
            classes: Vec::new(),
            similarity: None,
            output,
            followed: None,
            advice: None,
            may_lose,
            operators: config.combining.explained(config.epsilon),
        };
        if may_lose.is_some() {
            discovery.sort_by_savings();
        }
        discovery
    }

    /// The features that were found, best first, without Neutral.
    pub fn features(&self) -> impl Iterator<Item = &str> {
        let found = |evaluation: &&Evaluation| evaluation.first_parent.is_some() || evaluation.generation > 0;
        self.output.iter().filter(found).map(|evaluation| evaluation.finding.feature.as_str())
    }

    /// The features that were found, without Neutral, each as a scheme of its own with its weight.
    pub fn schemes(&self) -> Vec<String> {
        let found =
            self.output.iter().filter(|evaluation| evaluation.first_parent.is_some() || evaluation.generation > 0);
        found.map(|evaluation| self.scheme(evaluation)).collect()
    }
}
