//! `plysmith discover`: Gradual Focus finds the features worth extending. The main job.

use std::fmt::Write;
use std::num::NonZeroUsize;

use clap::Args;
use plysmith_core::feature::{Atom, Conjunction, Vocabulary};
use plysmith_core::search::depth::Weight;
use plysmith_engine::measurement::Measurement;
use plysmith_learn::focus::{FocusSettings, GradualFocus};
use plysmith_learn::pruning::Pruning;
use serde::{Deserialize, Serialize};

use super::experiment::{ExperimentArguments, Finding, exclusions};
use super::follow_up::{FollowUp, FollowUpArguments, Followed};
use crate::failure::Failure;
use crate::foreign::EngineArguments;
use crate::output::{Output, say, table, thousands};
use crate::progress::Progress;
use crate::workbench::{Experiment, Features, Opened, Plan, Workbench};

/// Find the move features worth searching deeper
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  plysmith discover breakthrough --quick
  plysmith discover breakthrough --pruning knowledge --epsilon 5
  plysmith discover breakthrough --suite my.suite --preset modern --nodes 100000 --json
  plysmith discover chess --suite my.epd --base 'Cc*,Lc*,Rc'
  plysmith discover breakthrough --quick --weights 0.25,0.5,0.75 --then-tune --prove 200
  plysmith discover --engine ./mine --suite wac.epd
  plysmith discover breakthrough --engine 'python3 examples/engines/breakthrough.py' --nodes 2000 --problems 20")]
pub struct Arguments {
    /// The game; of a foreign engine, the one that positions and moves are checked by
    #[arg(required_unless_present = "engine")]
    game: Option<String>,

    #[command(flatten)]
    engine: EngineArguments,

    #[command(flatten)]
    experiment: ExperimentArguments,

    /// What a move with the feature costs, in plies: the fractional-ply value
    #[arg(long, value_name = "PLIES", default_value = "0.5")]
    weight: String,

    /// Try each feature with several weights, like '0.25,0.5,0.75', and give it the best
    #[arg(long, value_name = "PLIES", conflicts_with = "weight")]
    weights: Option<String>,

    /// By how many solved problems a feature must be better than its first parent to live
    #[arg(long, value_name = "N", default_value_t = 3)]
    epsilon: u32,

    /// What to prune: none, groups, linear-tree, threshold or knowledge, each with all before it
    #[arg(long, value_name = "METHOD", default_value = "groups")]
    pruning: String,

    /// Threshold pruning drops atoms that solve fewer than this [default: as many as Neutral]
    #[arg(long, value_name = "N")]
    delta: Option<u32>,

    /// Begin with only these atoms, separated by commas; 'Rd*' are all that begin with Rd, '*' are all [default: all,
    /// or those the game begins with: see `plysmith features`]
    #[arg(long, value_name = "ATOMS", value_delimiter = ',')]
    base: Vec<String>,

    /// Never combine these, separated by commas, like 'Ud-PP,C-Edg', nor what the game itself forbids: see `plysmith
    /// features`
    #[arg(long, value_name = "FEATURES", value_delimiter = ',')]
    blacklist: Vec<String>,

    /// Combine at most so many atoms [default: no limit]
    #[arg(long, value_name = "N")]
    most_atoms: Option<NonZeroUsize>,

    /// Measure every candidate on all problems, even one that cannot live any more
    #[arg(long)]
    exact: bool,

    /// How many features to print
    #[arg(long, value_name = "N", default_value_t = 20)]
    top: usize,

    #[command(flatten)]
    follow_up: FollowUpArguments,
}

/// A discovery: all that is needed to do it again.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Config {
    pub experiment: Experiment,
    /// One weight for all features, or several to choose from, separated by commas.
    pub weight: String,
    pub epsilon: u32,
    pub pruning: String,
    pub delta: Option<u32>,
    /// The names of the atoms to begin with; none for all.
    pub base: Vec<String>,
    /// What is never combined: what the game says, then what was asked for.
    pub blacklist: Vec<String>,
    pub most_atoms: Option<usize>,
    pub exact: bool,
    /// How many features to print; part of the run so that `resume` and `show` print the same.
    pub top: usize,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub follow_up: Option<FollowUp>,
}

/// One evaluation, as it is stored.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Evaluation {
    #[serde(flatten)]
    pub finding: Finding,
    pub generation: usize,
    pub first_parent: Option<String>,
    pub second_parent: Option<String>,
    /// How many it had to solve to live.
    pub at_least: Option<u32>,
    pub verdict: String,
    /// Where there were several to choose from, its best weight, with which it was found to solve as many.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub weight: Option<String>,
}

/// What a discovery found.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Discovery {
    pub game: String,
    pub suite: String,
    pub problems: usize,
    pub pruning: String,
    pub weight: String,
    pub preset: String,
    pub nodes_a_problem: u64,
    pub evaluations: usize,
    /// Combinations not evaluated because of the blacklist.
    pub skipped: usize,
    pub nodes: u64,
    pub neutral: u32,
    /// The atoms it began with; none for all.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub base: Vec<String>,
    /// What was never to be combined.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub blacklist: Vec<String>,
    /// What lives, best first, Neutral and base features included.
    pub output: Vec<Evaluation>,
    /// What came after it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub followed: Option<Followed>,
}

pub const KIND: &str = "discover";
pub const EVALUATION: &str = "evaluation";

pub fn run(arguments: &Arguments, output: &Output) -> Result<(), Failure> {
    let (config, opened) = arguments.resolve()?;
    let threads = arguments.experiment.threads.threads;
    let plan = Plan { kind: KIND, experiment: &config.experiment, threads };
    let workbench = Workbench::begin_opened(plan, opened, &config)?;
    perform(&config, workbench, threads, output)
}

/// Does it, from the start or from where an earlier process ended.
pub fn perform(
    config: &Config,
    mut workbench: Workbench,
    threads: Option<NonZeroUsize>,
    output: &Output,
) -> Result<(), Failure> {
    let run = workbench.run();
    config.warn_of_overlaps(&workbench.features)?;
    let progress = Progress::new(1);
    let mut discovery = evolve(config, &mut workbench, &progress, "")?;
    drop(progress);
    if let Some(follow_up) = &config.follow_up {
        let followed = follow_up.perform(&config.experiment, &discovery.schemes(), workbench.journal(), threads)?;
        discovery.followed = Some(followed);
    }
    workbench.finish(&discovery)?;
    output.print(&discovery, || {
        format!("{}\nRun {run}: `plysmith show {run}` prints this again.\n", discovery.text(config.top))
    })
}

/// Runs Gradual Focus; every evaluation is recorded as it lands.
pub fn evolve(
    config: &Config,
    workbench: &mut Workbench,
    progress: &Progress,
    title: &str,
) -> Result<Discovery, Failure> {
    let vocabulary = workbench.features.vocabulary;
    let weights = config.weights()?;
    let mut focus = config.focus(vocabulary)?;
    let problems = workbench.problems() as u64;
    let (mut evaluations, mut done, mut nodes) = (Vec::new(), 0, 0);
    while let Some(question) = focus.ask() {
        let name = vocabulary.print(question.feature);
        let ahead = focus.pending().count() as u64;
        progress.set_steps((done + ahead) * problems * weights.len() as u64);
        progress.say(format!("{title}generation {}, {ahead} to go: {name}", question.generation()));
        let at_least = if config.exact { None } else { question.at_least() };
        let trial = Trial { feature: question.feature, weights: &weights, at_least, exact: config.exact };
        let (weight, measurement) = trial.measure(workbench, progress, &mut nodes)?;
        done += 1;
        let answer = match question.at_least() {
            Some(least) if !measurement.is_complete() && measurement.is_below(least) => question.below(),
            _ => None,
        };
        let verdict = focus.tell(answer.unwrap_or_else(|| question.exactly(measurement.solved())));
        let evaluation = Evaluation {
            finding: Finding::new(name, &measurement, workbench.lab.suite()),
            generation: question.generation(),
            first_parent: question.parents.map(|parents| vocabulary.print(parents.first_parent)),
            second_parent: question.parents.map(|parents| vocabulary.facts(parents.second_parent).name.to_string()),
            at_least: question.at_least(),
            verdict: verdict.name().to_string(),
            weight: (weights.len() > 1 && !question.feature.is_empty()).then(|| weight.to_string()),
        };
        workbench.record(EVALUATION, &evaluation)?;
        evaluations.push((question.feature, evaluation));
    }
    let outcome = focus.outcome();
    let find = |feature: Conjunction| evaluations.iter().find(|(other, _)| *other == feature);
    Ok(Discovery {
        game: config.experiment.game.clone(),
        suite: config.experiment.suite_name.clone(),
        problems: workbench.problems(),
        pruning: config.pruning.clone(),
        weight: config.weight.clone(),
        preset: config.experiment.preset.clone(),
        nodes_a_problem: config.experiment.nodes,
        evaluations: outcome.evaluations(),
        skipped: outcome.skipped,
        nodes,
        neutral: find(Conjunction::NEUTRAL).and_then(|(_, evaluation)| evaluation.finding.solved).unwrap_or(0),
        base: config.base.clone(),
        blacklist: config.blacklist.clone(),
        output: outcome.output.iter().filter_map(|rated| find(rated.feature)).map(|(_, found)| found.clone()).collect(),
        followed: None,
    })
}

/// A feature to be measured with each of some weights.
struct Trial<'a> {
    feature: Conjunction,
    weights: &'a [Weight],
    /// What it must solve with one of them.
    at_least: Option<u32>,
    /// Whether all measurements go to the end.
    exact: bool,
}

impl Trial<'_> {
    /// The weight with which it solves most, the first of them if there are several, and the measurement with that.
    /// A weight that is certain not to be better than those before it is given up. What all took is added to `nodes`.
    fn measure(
        &self,
        workbench: &mut Workbench,
        progress: &Progress,
        nodes: &mut u64,
    ) -> Result<(Weight, Measurement), Failure> {
        let problems = workbench.problems() as u64;
        // Neutral has no weight that could make a difference.
        let [first, others @ ..] = self.weights else { return Err(Failure::input("no weight to measure with")) };
        let others = if self.feature.is_empty() { &[] } else { others };
        let mut measure = |weight: Weight, at_least: Option<u32>| {
            let measurement = workbench.measure_feature(self.feature, weight, at_least, progress)?;
            progress.finish_part(problems);
            *nodes += measurement.nodes();
            Ok::<_, Failure>((weight, measurement))
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

impl Arguments {
    fn resolve(&self) -> Result<(Config, Opened), Failure> {
        let experiment = match (self.engine.resolve()?, self.game.as_deref()) {
            (Some(engine), game) => self.experiment.resolve_foreign(game, engine)?,
            (None, game) => self.experiment.resolve(game.unwrap_or_default())?,
        };
        let opened = experiment.open()?;
        let features = opened.features;
        if features.vocabulary.0.is_empty() {
            return Err(Failure::input(format!(
                "'{}' lists no features to combine; an engine does so in answer to 'features' (docs/plug-protocol.md)",
                experiment.preset
            )));
        }
        let config = Config {
            experiment,
            weight: weight_list(self.weights.as_ref().unwrap_or(&self.weight))?,
            epsilon: self.epsilon,
            pruning: self.pruning.parse::<Pruning>()?.to_string(),
            delta: self.delta,
            base: base_set(&features, &self.base)?,
            blacklist: blacklist(&features, &self.blacklist)?,
            most_atoms: self.most_atoms.map(NonZeroUsize::get),
            exact: self.exact,
            top: self.top,
            follow_up: self.follow_up.resolve()?,
        };
        if config.follow_up.is_some() && config.experiment.engine.is_some() {
            return Err(Failure::input(
                "--then-tune and --prove are for built-in engines; `plysmith tune --engine` tunes what an engine offers",
            ));
        }
        config.focus(features.vocabulary)?;
        Ok((config, opened))
    }
}

/// The names of the atoms that these patterns match or, without any, of those the game begins with; none for all.
pub fn base_set(features: &Features, patterns: &[String]) -> Result<Vec<String>, Failure> {
    let vocabulary = features.vocabulary;
    if let Some(text) = patterns.iter().find(|text| text.contains('-')) {
        vocabulary.parse(text)?;
        return Err(Failure::input(format!("'{text}' is not a single atom; --base takes atoms like 'Ud,PP'")));
    }
    let atoms = match patterns {
        [] => vocabulary.matching(features.guidance.base.iter().copied())?,
        patterns => vocabulary.matching(patterns.iter().map(String::as_str))?,
    };
    Ok(atoms.into_iter().map(|atom| vocabulary.facts(atom).name.to_string()).collect())
}

/// What the game says must not be combined, and these features.
pub fn blacklist(features: &Features, more: &[String]) -> Result<Vec<String>, Failure> {
    let mut list: Vec<String> = features.guidance.blacklist.iter().map(|(text, _)| text.to_string()).collect();
    for text in more {
        let text = features.vocabulary.print(features.vocabulary.parse(text)?);
        if !list.contains(&text) {
            list.push(text);
        }
    }
    Ok(list)
}

/// Weights in the one way they are stored, separated by commas.
fn weight_list(text: &str) -> Result<String, Failure> {
    let mut weights: Vec<String> = Vec::new();
    for part in text.split(',') {
        let weight = part.trim().parse::<Weight>()?.to_string();
        if weights.contains(&weight) {
            return Err(Failure::input(format!("'{text}' names {weight} twice; leave one out")));
        }
        weights.push(weight);
    }
    Ok(weights.join(","))
}

impl Config {
    /// What features are measured with.
    fn weights(&self) -> Result<Vec<Weight>, Failure> {
        Ok(self.weight.split(',').map(str::parse).collect::<Result<_, _>>()?)
    }

    /// The Base set.
    fn base(&self, vocabulary: Vocabulary) -> Result<Vec<Atom>, Failure> {
        match self.base.as_slice() {
            [] => Ok(vocabulary.atoms().collect()),
            names => Ok(vocabulary.matching(names.iter().map(String::as_str))?),
        }
    }

    /// The learner at its start.
    fn focus(&self, vocabulary: Vocabulary) -> Result<GradualFocus, Failure> {
        let settings = FocusSettings {
            pruning: self.pruning.parse()?,
            epsilon: self.epsilon,
            delta: self.delta,
            blacklist: self.blacklist.iter().map(|text| vocabulary.parse(text)).collect::<Result<_, _>>()?,
            most_atoms: self.most_atoms,
        };
        Ok(GradualFocus::new(vocabulary, self.base(vocabulary)?, settings))
    }

    /// Says so if atoms of one group that can hold together are in the Base set.
    fn warn_of_overlaps(&self, features: &Features) -> Result<(), Failure> {
        let base = self.base(features.vocabulary)?;
        let in_base = |group| base.iter().filter(|&&atom| features.vocabulary.facts(atom).group == group).count();
        let overlapping = features.guidance.overlapping.iter().filter(|(group, _)| in_base(*group) > 1);
        let groups: Vec<_> = overlapping.map(|(group, reason)| format!("{group} ({reason})")).collect();
        if !groups.is_empty() {
            say(format!(
                "warning: a move can have several features of the group {}; Gradual Focus presumes that it has one",
                groups.join(", or of ")
            ));
        }
        Ok(())
    }
}

impl Discovery {
    /// What was found, but for Neutral, each feature as a scheme of its own with its weight.
    fn schemes(&self) -> Vec<String> {
        let found =
            self.output.iter().filter(|evaluation| evaluation.first_parent.is_some() || evaluation.generation > 0);
        let weight = |evaluation: &Evaluation| evaluation.weight.clone().unwrap_or(self.weight.clone());
        found.map(|evaluation| format!("{}@{}", evaluation.finding.feature, weight(evaluation))).collect()
    }

    /// For people.
    pub fn text(&self, top: usize) -> String {
        let mut text = format!(
            "Features of {} worth extending at {} plies, on {} ({} problems, {} nodes each, {}):\n\n",
            self.game,
            self.weight,
            self.suite,
            self.problems,
            thousands(self.nodes_a_problem),
            self.preset,
        );
        let has_weights = self.output.iter().any(|evaluation| evaluation.weight.is_some());
        let rows = self.output.iter().take(top).map(|evaluation| {
            let mut cells = evaluation.finding.cells();
            cells.push(evaluation.origin());
            cells.extend(has_weights.then(|| evaluation.weight.clone().unwrap_or_default()));
            cells
        });
        let mut headings = Finding::HEADINGS.to_vec();
        headings.push("improves on");
        headings.extend(has_weights.then_some(">weight"));
        text += &table(&headings, rows);
        if self.output.len() > top {
            // Writing to a string cannot fail.
            let _ = writeln!(text, "… and {} more", self.output.len() - top);
        }
        let several = match self.weight.split(',').count() {
            1 => String::new(),
            count => format!(", each with each of {count} weights as far as needed"),
        };
        let _ = writeln!(
            text,
            "\n{} evaluations{several} ({} combinations skipped, pruning: {}), {} nodes. Neutral solves {} of {}.",
            self.evaluations,
            self.skipped,
            self.pruning,
            thousands(self.nodes),
            self.neutral,
            self.problems,
        );
        text += &exclusions(self.output.iter().map(|evaluation| &evaluation.finding));
        for (title, names) in [("Base set", &self.base), ("Never combined", &self.blacklist)] {
            if !names.is_empty() {
                let _ = writeln!(text, "{title}: {}.", names.join(" "));
            }
        }
        if let Some(followed) = &self.followed {
            text += &followed.text();
        }
        text
    }
}

impl Evaluation {
    fn origin(&self) -> String {
        match (&self.first_parent, self.finding.solved, self.at_least) {
            (Some(parent), Some(_), Some(_)) => parent.clone(),
            _ => self.verdict.clone(),
        }
    }
}
