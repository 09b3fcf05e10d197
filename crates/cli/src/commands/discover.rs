//! `plysmith discover`: Gradual Focus finds the features worth extending.

use std::num::NonZeroUsize;
use std::path::PathBuf;

use clap::Args;
use plysmith_core::feature::{Cost, FeatureError};
use plysmith_learn::pruning::Pruning;
use plysmith_runs::RunKind;
use plysmith_runs::cancel::CancelToken;
use plysmith_runs::experiment::OpenedSubject;
use plysmith_runs::fitness::FitnessChoice;
use plysmith_runs::kinds::discover::{
    ChartFolder, Combining, Config, Discover, GroupChoice, MOST_SEEDS, Operators, base_set, blacklist,
};

use crate::arguments::ForceArgument;
use crate::arguments::count::count;
use crate::arguments::engine::EngineArguments;
use crate::arguments::experiment::ExperimentArguments;
use crate::arguments::fitness::FitnessArguments;
use crate::arguments::follow_up::FollowUpArguments;
use crate::failure::Failure;
use crate::output::Output;
use crate::services::{run_prepared, session};
use crate::signals::begin_setup;

/// Find move features that are worth extending
#[derive(Debug, Args)]
#[command(after_help = "\
An atom is a single feature of a move (`plysmith features GAME` lists them). A combination like 'Ud-RdTt' applies to \
moves that have all of its atoms. The method (Gradual Focus) measures the atoms on a suite of problems, keeps those \
that help to solve more of them, and combines these further. With another --fitness than 'solved', a combination is \
kept if it costs less than its first parent beyond chance; --epsilon then has no effect.

Examples:
  plysmith discover breakthrough --quick
  plysmith discover breakthrough --pruning knowledge --epsilon 5
  plysmith discover breakthrough --epsilon auto
  plysmith discover breakthrough --seeds 3
  plysmith discover breakthrough --pruning groups+threshold --groups paper --epsilon -2
  plysmith discover chess --preset modern --weight 1.5 --base state
  plysmith discover chess --preset modern --weight=+0.5 --base cut,late,quiet --epsilon auto
  plysmith discover breakthrough --fitness regret --nodes 10000 --weights 0.25,0.5,0.75
  plysmith discover breakthrough --fitness regret+frequency=0.02 --then-tune --prove 400 --prove-nodes 10000
  plysmith discover breakthrough --suite my.suite --preset modern --nodes 100000 --json
  plysmith discover chess --suite my.epd --base 'Cc*,Lc*,Rc'
  plysmith discover chess --suite my.epd --base 'Cc*,Lc*' --operators and,or --epsilon 1
  plysmith discover breakthrough --quick --weights 0.25,0.5,0.75 --then-tune --prove 200
  plysmith discover --engine ./mine --suite wac.epd
  plysmith discover breakthrough --engine 'python3 examples/engines/breakthrough.py' --nodes 2000 --problems 20")]
pub struct Arguments {
    /// Game: breakthrough or chess. Optional with --engine: the rules that check the engine's positions and moves
    #[arg(required_unless_present = "engine")]
    game: Option<String>,

    #[command(flatten)]
    engine: EngineArguments,

    #[command(flatten)]
    experiment: ExperimentArguments,

    /// Depth that a move with the feature costs, in plies; other moves cost 1. '-0.25' and '+0.5' change what it costs
    /// otherwise. With a weight above 1, or an amount like '+0.5', the question is which moves may be searched less: a
    /// combination is kept if it solves no fewer problems than its first parent, but for --epsilon, with fewer nodes to the
    /// solution
    #[arg(long, value_name = "PLIES", default_value = "0.5", allow_hyphen_values = true)]
    weight: String,

    /// Try each feature with each of these weights, like '0.25,0.5,0.75', and keep the best. On problems, all or none of them
    /// reduce moves
    #[arg(long, value_name = "PLIES", conflicts_with = "weight", allow_hyphen_values = true)]
    weights: Option<String>,

    /// Keep a combination only if it solves at least this many problems more than its first parent; with a negative number,
    /// if it solves at most as many fewer. With 'auto', only if it
    /// solves more beyond chance: a paired test over problems and seeds, with an error rate of 5 % for each combination. Clear
    /// cases are decided with one seed, and clear failures after a part of the suite; doubtful ones take up to --seeds
    #[arg(long, value_name = "N|auto", default_value = "3", value_parser = parse_epsilon, allow_hyphen_values = true)]
    epsilon: Epsilon,

    /// Measure each feature with this many seeds: --seed and those that follow it, which shuffle moves in other ways. The mean
    /// of the solved problems counts, rounded to a whole number. With --epsilon auto, the most seeds for a combination; with 1,
    /// a sign test over the problems [default: 1; 6 with --epsilon auto and a built-in engine, unless moves are to be searched less]
    #[arg(long, value_name = "N", value_parser = count::<u64>(1..=MOST_SEEDS))]
    seeds: Option<u64>,

    /// Pruning method: none, groups, linear-tree, threshold or knowledge. Each includes those before it. groups+threshold and
    /// groups+knowledge are the last two without linear-tree
    #[arg(long, value_name = "METHOD", default_value = "groups")]
    pruning: String,

    /// Which paper's groups of atoms: 'thesis', or 'paper', whose groups are smaller (Breakthrough)
    #[arg(long, value_name = "PAPER", default_value = "thesis")]
    groups: GroupChoice,

    /// Operators to combine features with: 'and', 'or', or 'and,or'. 'or' joins what 'and' found, like
    /// '(CcB-LcB)|(CcR-LcR)': features of the same groups, which exclude each other. A join is kept if it solves --epsilon
    /// more than its better part, and more than each feature that all its alternatives are parts of
    #[arg(long, value_name = "LIST", default_value = "and")]
    operators: Operators,

    /// With --operators or, largest number of alternatives of a feature [default: no limit]
    #[arg(long, value_name = "N", value_parser = parse_alternatives)]
    most_alternatives: Option<usize>,

    /// With threshold pruning, drop atoms that solve fewer problems than this [default: as many as the search without
    /// features solves]
    #[arg(long, value_name = "N", value_parser = count::<u32>(..))]
    delta: Option<u32>,

    /// Atoms to combine, separated by commas; 'Rd*' matches all that begin with Rd [default: see `plysmith features
    /// GAME`]
    #[arg(long, value_name = "ATOMS", value_delimiter = ',')]
    base: Vec<String>,

    /// Combinations to exclude, separated by commas, like 'Ud-PP,C-Edg', in addition to those that the game excludes
    /// (see `plysmith features GAME`)
    #[arg(long, value_name = "FEATURES", value_delimiter = ',')]
    blacklist: Vec<String>,

    /// Largest number of atoms in a combination [default: no limit]
    #[arg(long, value_name = "N", value_parser = count::<NonZeroUsize>(1..))]
    most_atoms: Option<NonZeroUsize>,

    /// Measure every combination on all problems, even if it can no longer be kept
    #[arg(long)]
    exact: bool,

    #[command(flatten)]
    fitness: FitnessArguments,

    /// Number of features to print
    #[arg(long, value_name = "N", default_value_t = 20, value_parser = count::<usize>(..))]
    top: usize,

    /// Write a chart of how alike features are as an SVG file, classes.svg, to this folder
    #[arg(long, value_name = "FOLDER")]
    charts: Option<PathBuf>,

    #[command(flatten)]
    force: ForceArgument,

    #[command(flatten)]
    follow_up: FollowUpArguments,
}

/// What a combination must have ahead of its first parent.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
enum Epsilon {
    /// This many solved problems.
    Problems(i32),
    /// More than chance would give it.
    Auto,
}

/// The most seeds of the test for each combination.
const AUTO_SEEDS: u64 = 6;
/// The error rate of the test for each combination.
const ERROR: f64 = 0.05;

impl Epsilon {
    fn least(self) -> i32 {
        match self {
            Epsilon::Problems(least) => least,
            Epsilon::Auto => 1,
        }
    }

    fn error(self) -> Option<f64> {
        (self == Epsilon::Auto).then_some(ERROR)
    }
}

fn parse_alternatives(text: &str) -> Result<usize, String> {
    text.parse().ok().filter(|most| *most > 1).ok_or_else(|| "expected a number from 2 on".to_string())
}

fn parse_epsilon(text: &str) -> Result<Epsilon, String> {
    match text {
        "auto" => Ok(Epsilon::Auto),
        number => {
            number.parse().map(Epsilon::Problems).map_err(|_| "expected a number of problems, or 'auto'".to_string())
        }
    }
}

pub fn run(arguments: &Arguments, output: &Output) -> Result<(), Failure> {
    let (config, opened) = arguments.resolve(&begin_setup())?;
    let session = session(&arguments.experiment.run)?;
    Discover::validate(&config)?;
    Discover::check(&config, &session)?;
    let opened = config.experiment.session_with(opened, &session)?;
    run_prepared::<Discover>(&config, opened, &session, output)
}

impl Arguments {
    fn resolve(&self, cancel: &CancelToken) -> Result<(Config, OpenedSubject), Failure> {
        let weights = parse_weights(self.weights.as_ref().unwrap_or(&self.weight))?;
        let saves = weights.iter().all(|cost| cost.is_reduction());
        let policy = if saves { self.fitness.policy_for_nodes() } else { self.fitness.usual_policy() };
        let seeds = self.seeds(saves)?;
        let mut experiment = self.engine.experiment(self.game.as_deref(), &self.experiment, policy, cancel)?;
        let graded = self.fitness.graded(&self.experiment, &mut experiment)?;
        let opened = experiment.open(cancel)?;
        let features = opened.features;
        if features.vocabulary.moves.is_empty() {
            return Err(Failure::input(format!(
                "'{}' lists no features to combine; an engine does so in answer to 'features' (docs/plug-protocol.md)",
                experiment.engine_text()
            )));
        }
        let base = base_set(&features, &self.base)?;
        let config = Config {
            experiment,
            weights,
            epsilon: self.epsilon.least(),
            error: self.epsilon.error(),
            seeds,
            pruning: self.pruning.parse::<Pruning>()?,
            delta: self.delta,
            blacklist: blacklist(&features, &base, &self.blacklist)?,
            base,
            most_atoms: self.most_atoms.map(NonZeroUsize::get),
            exact: self.exact,
            top: self.top,
            follow_up: self.follow_up.resolve()?,
            graded,
            fitness: self.fitness.fitness.clone().filter(|fitness| !fitness.is_solved()),
            combining: self.combining()?,
            charts: self.charts.as_deref().map(|folder| ChartFolder::new(folder, self.force.force)).transpose()?,
        };
        if config.follow_up.is_some() && config.experiment.external().is_some() {
            return Err(Failure::input(
                "--then-tune and --prove are for built-in engines; `plysmith tune --engine` tunes what an engine offers",
            ));
        }
        Discover::validate(&config)?;
        config.focus(&features)?;
        config.check_weights(&opened)?;
        Ok((config, opened))
    }
}

impl Arguments {
    fn combining(&self) -> Result<Combining, Failure> {
        let Arguments { operators, groups, most_alternatives, .. } = *self;
        if most_alternatives.is_some() && !operators.or {
            return Err(Failure::input(
                "--most-alternatives is for --operators or; add 'or', as in --operators and,or",
            ));
        }
        Ok(Combining { operators, groups, most_alternatives })
    }

    /// With how many seeds features are measured.
    fn seeds(&self, saves: bool) -> Result<u64, Failure> {
        let is_external = self.engine.engine.is_some();
        let is_solved = self.fitness.fitness.as_ref().is_none_or(FitnessChoice::is_solved);
        match self.seeds {
            Some(seeds) if seeds > 1 && is_external => {
                Err(Failure::input("--seeds is for built-in engines; an external engine does not use the seed"))
            }
            Some(seeds) => Ok(seeds),
            None if !is_external && is_solved && self.epsilon == Epsilon::Auto && !saves => Ok(AUTO_SEEDS),
            None => Ok(1),
        }
    }
}

/// Weights separated by commas, each named once.
fn parse_weights(text: &str) -> Result<Vec<Cost>, Failure> {
    let mut weights = Vec::new();
    for part in text.split(',') {
        let weight = part.trim().parse::<Cost>().map_err(FeatureError::from)?;
        if weights.contains(&weight) {
            return Err(Failure::input(format!("'{text}' names {weight} twice; leave one out")));
        }
        weights.push(weight);
    }
    Ok(weights)
}
