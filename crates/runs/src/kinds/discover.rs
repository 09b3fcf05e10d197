//! `discover`: Gradual Focus finds the features worth extending.
//!
//! Each feature that Gradual Focus asks about is measured on the suite, with one weight or the best of several. Every
//! evaluation is stored as it is done.

mod advice;
mod view;

use plysmith_core::depth::Weight;
use plysmith_core::feature::{Atom, Conjunction, Scheme, Vocabulary};
use plysmith_engine::driver::Candidate;
use plysmith_engine::measurement::Measurement;
use plysmith_learn::focus::{FocusSettings, GradualFocus};
use plysmith_learn::pruning::Pruning;
use serde::{Deserialize, Serialize};

use crate::basis::Part;
use crate::error::RunError;
use crate::events::GameEvent;
use crate::experiment::{Experiment, Features, Session};
use crate::finding::{Finding, finding_rows, partial_findings};
use crate::kind::{Context, Identity, Rows, RunKind};
use crate::kinds::follow_up::{FollowUp, Followed};
use crate::kinds::tune::{IterationRow, Probe};
use crate::progress::Progress;
use crate::services::Services;
use crate::solution_policy::SolutionPolicy;
use crate::text_form;
use crate::view::View;
pub use advice::Advice;

/// The run kind.
pub struct Discover;

/// What to discover.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Config {
    /// On what.
    pub experiment: Experiment,
    /// What a move with the feature costs: one weight for all features, or several to choose from.
    #[serde(rename = "weight", with = "text_form::list")]
    pub weights: Vec<Weight>,
    /// By how many solved problems a feature must improve on its first parent.
    pub epsilon: u32,
    /// The pruning method.
    #[serde(with = "text_form")]
    pub pruning: Pruning,
    /// Threshold pruning drops atoms that solve fewer; by default as many as Neutral.
    pub delta: Option<u32>,
    /// Names of the atoms of the Base set, in the engine's vocabulary; none for all.
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
}

/// What happens in a run.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(tag = "kind", content = "payload", rename_all = "lowercase")]
pub enum Event {
    /// A feature was evaluated.
    Evaluation(Evaluation),
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
    /// What was done with the best features.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub followed: Option<Followed>,
    /// What to use. Runs of earlier versions have none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub advice: Option<Advice>,
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
        config.follow_up.as_ref().map_or(Ok(()), FollowUp::validate)
    }

    fn prepare(config: &Config, services: &Services) -> Result<Session, RunError> {
        config.experiment.session(services)
    }

    fn run(config: &Config, mut session: Session, context: &mut Context<Discover>) -> Result<Discovery, RunError> {
        config.warn_of_overlaps(&session.features, context.services())?;
        let progress = context.services().begin_progress(1);
        let mut discovery = run_focus(config, SolvedBy::Suite, &mut session, context, &progress, "")?;
        drop(progress);
        if let Some(follow_up) = &config.follow_up {
            // Engines and tables of the discovery make room for those of the follow-up.
            drop(session);
            discovery.followed = Some(follow_up.run(&config.experiment, &discovery.schemes(), context)?);
        }
        discovery.advice = Some(discovery.advise(config.experiment.external().is_none()));
        Ok(discovery)
    }

    fn view(config: &Config, discovery: &Discovery) -> View {
        discovery.view(config.top)
    }

    fn partial_view(_: &Config, events: &[Event]) -> View {
        let findings: Vec<&Finding> = events.iter().filter_map(Event::finding).collect();
        partial_findings(findings.into_iter())
    }

    fn rows(config: &Config) -> Rows {
        finding_rows("evaluation", config.experiment.policy)
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

/// Runs Gradual Focus: ask, measure, tell, record.
pub fn run_focus<K: RunKind<Event: From<Evaluation>>>(
    config: &Config,
    solved_by: SolvedBy,
    session: &mut Session,
    context: &mut Context<K>,
    progress: &Progress,
    title: &str,
) -> Result<Discovery, RunError> {
    let vocabulary = session.features.vocabulary;
    let mut focus = config.focus(vocabulary)?;
    let problems = session.problems() as u64;
    let (mut evaluations, mut done, mut nodes) = (Vec::new(), 0, 0);
    while let Some(trial) = focus.ask() {
        let name = vocabulary.print(trial.feature);
        let ahead = focus.pending().count() as u64;
        progress.set_steps((done + ahead) * problems * config.weights.len() as u64);
        progress.message(format!("{title}generation {}, {ahead} to go: {name}", trial.generation()));
        let at_least = if config.exact { None } else { trial.at_least() };
        let weighted = WeightedTrial {
            feature: trial.feature,
            weights: &config.weights,
            solved_by,
            at_least,
            exact: config.exact,
        };
        let (weight, measurement) = weighted.measure(session, context.services(), progress, &mut nodes)?;
        done += 1;
        let answer = match trial.at_least() {
            Some(least) if !measurement.is_complete() && measurement.is_below(least) => trial.below(),
            _ => None,
        };
        let verdict = focus.tell(answer.unwrap_or_else(|| trial.exactly(measurement.solved())));
        let evaluation = Evaluation {
            finding: session.finding(name, &measurement),
            generation: trial.generation(),
            first_parent: trial.parents.map(|parents| vocabulary.print(parents.first_parent)),
            second_parent: trial.parents.map(|parents| vocabulary.facts(parents.second_parent).name.to_string()),
            at_least: trial.at_least(),
            verdict: verdict.name().to_string(),
            weight: (config.weights.len() > 1 && !trial.feature.is_empty()).then(|| weight.to_string()),
            by_best_move: solved_by == SolvedBy::BestMove,
        };
        context.record(evaluation.clone())?;
        evaluations.push((trial.feature, evaluation));
    }
    let outcome = focus.outcome();
    let find = |feature: Conjunction| evaluations.iter().find(|(other, _)| *other == feature);
    Ok(Discovery {
        game: config.experiment.game.clone(),
        suite: config.experiment.suite.name.clone(),
        problems: session.problems(),
        pruning: config.pruning.to_string(),
        weight: text_form::list::join(&config.weights),
        preset: config.experiment.engine_text(),
        nodes_a_problem: config.experiment.nodes,
        policy: config.experiment.policy,
        evaluations: outcome.evaluations(),
        skipped: outcome.skipped,
        nodes,
        neutral: find(Conjunction::NEUTRAL).and_then(|(_, evaluation)| evaluation.finding.solved).unwrap_or(0),
        base: config.base.clone(),
        blacklist: config.blacklist.clone(),
        output: outcome.output.iter().filter_map(|rated| find(rated.feature)).map(|(_, found)| found.clone()).collect(),
        followed: None,
        advice: None,
    })
}

/// A feature to be measured with each of some weights.
struct WeightedTrial<'a> {
    feature: Conjunction,
    weights: &'a [Weight],
    solved_by: SolvedBy,
    /// What it must solve with one of them.
    at_least: Option<u32>,
    /// Whether all measurements are complete.
    exact: bool,
}

impl WeightedTrial<'_> {
    /// The weight with which the feature solves most, the first of several, and the measurement with it. A weight that
    /// is certain not to beat those before it is measured no further. Adds the nodes of all to `nodes`.
    fn measure(
        &self,
        session: &mut Session,
        services: &Services,
        progress: &Progress,
        nodes: &mut u64,
    ) -> Result<(Weight, Measurement), RunError> {
        let problems = session.problems() as u64;
        let [first, others @ ..] = self.weights else { return Err(RunError::input("no weight to measure with")) };
        // A weight makes no difference to Neutral.
        let others = if self.feature.is_empty() { &[] } else { others };
        let mut measure = |weight: Weight, at_least: Option<u32>| {
            let candidate = Candidate::Scheme(Scheme::single(self.feature, weight));
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
            let better = best.1.is_complete().then(|| best.1.solved() + 1);
            let at_least = if self.exact { None } else { better.max(self.at_least) };
            let (weight, measurement) = measure(weight, at_least)?;
            if measurement.is_complete() && (!best.1.is_complete() || measurement.solved() > best.1.solved()) {
                best = (weight, measurement);
            }
        }
        Ok(best)
    }
}

/// The names of the atoms that these patterns match or, without any, of the game's default Base set; none for all.
pub fn base_set(features: &Features, patterns: &[String]) -> Result<Vec<String>, RunError> {
    let vocabulary = features.vocabulary;
    if let Some(text) = patterns.iter().find(|text| text.contains('-')) {
        vocabulary.parse(text)?;
        return Err(RunError::input(format!("'{text}' is not a single atom; --base takes atoms like 'Ud,PP'")));
    }
    let atoms = match patterns {
        [] => vocabulary.matching(features.guidance.base.iter().copied())?,
        patterns => vocabulary.matching(patterns.iter().map(String::as_str))?,
    };
    Ok(atoms.into_iter().map(|atom| vocabulary.facts(atom).name.to_string()).collect())
}

/// The features that the game forbids to combine, and these.
pub fn blacklist(features: &Features, more: &[String]) -> Result<Vec<String>, RunError> {
    let mut list: Vec<String> = features.guidance.blacklist.iter().map(|(text, _)| text.to_string()).collect();
    for text in more {
        let text = features.vocabulary.print(features.vocabulary.parse(text)?);
        if !list.contains(&text) {
            list.push(text);
        }
    }
    Ok(list)
}

impl Config {
    /// The papers' parameters on an experiment: half a ply, epsilon 3, groups, the game's Base set and blacklist.
    pub fn new(experiment: Experiment, features: &Features) -> Result<Config, RunError> {
        Ok(Config {
            experiment,
            weights: vec![Weight::HALF],
            epsilon: 3,
            pruning: Pruning::Groups,
            delta: None,
            base: base_set(features, &[])?,
            blacklist: blacklist(features, &[])?,
            most_atoms: None,
            exact: false,
            top: 20,
            follow_up: None,
        })
    }

    fn base(&self, vocabulary: Vocabulary) -> Result<Vec<Atom>, RunError> {
        match self.base.as_slice() {
            [] => Ok(vocabulary.atoms().collect()),
            names => Ok(vocabulary.matching(names.iter().map(String::as_str))?),
        }
    }

    /// Gradual Focus at its start.
    pub fn focus(&self, vocabulary: Vocabulary) -> Result<GradualFocus, RunError> {
        let settings = FocusSettings {
            pruning: self.pruning,
            epsilon: self.epsilon,
            delta: self.delta,
            blacklist: self.blacklist.iter().map(|text| vocabulary.parse(text)).collect::<Result<_, _>>()?,
            most_atoms: self.most_atoms,
        };
        Ok(GradualFocus::new(vocabulary, self.base(vocabulary)?, settings))
    }

    /// Warns if the Base set has atoms of one group that a move can have together.
    fn warn_of_overlaps(&self, features: &Features, services: &Services) -> Result<(), RunError> {
        let base = self.base(features.vocabulary)?;
        let in_base = |group| base.iter().filter(|&&atom| features.vocabulary.facts(atom).group == group).count();
        let overlapping = features.guidance.overlapping.iter().filter(|(group, _)| in_base(*group) > 1);
        let groups: Vec<_> = overlapping.map(|(group, reason)| format!("{group} ({reason})")).collect();
        if !groups.is_empty() {
            services.note(format!(
                "warning: a move can have several features of the group {}; Gradual Focus assumes that it has one",
                groups.join(", or of ")
            ));
        }
        Ok(())
    }
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
        Event::Evaluation(evaluation)
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
    /// The features that were found, without Neutral, each as a scheme of its own with its weight.
    pub fn schemes(&self) -> Vec<String> {
        let found =
            self.output.iter().filter(|evaluation| evaluation.first_parent.is_some() || evaluation.generation > 0);
        found.map(|evaluation| self.scheme(evaluation)).collect()
    }
}
