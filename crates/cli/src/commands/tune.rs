//! `plysmith tune`: learns the weights of features or engine options.

use std::num::NonZeroU64;
use std::path::PathBuf;

use clap::{Args, ValueEnum};
use plysmith_core::games;
use plysmith_core::parameter::Thousandths;
use plysmith_engine::driver::Policy;
use plysmith_learn::tune::kind::OptimiserKind;
use plysmith_runs::cancel::CancelToken;
use plysmith_runs::experiment::{EngineChoice, Experiment};
use plysmith_runs::kinds::tune::compare::{self, CompareOptimisers};
use plysmith_runs::kinds::tune::{
    Choice, Config, Files, GamesConfig, LearningOptions, Start, Tune, TunedParameters, USUAL_POLICY,
    feature_parameters, tunable_parameters,
};
use plysmith_runs::solution_policy::SolutionPolicy;

use crate::arguments::OutputArguments;
use crate::arguments::count::count;
use crate::arguments::engine::EngineArguments;
use crate::arguments::experiment::ExperimentArguments;
use crate::arguments::fitness::FitnessArguments;
use crate::arguments::parse_patience;
use crate::failure::Failure;
use crate::output::Output;
use crate::services::{run as run_kind, session};
use crate::signals::begin_setup;

/// Tune the weights of features, search constants or engine options
#[derive(Debug, Args)]
#[command(
    mut_arg("output", |arg| arg.help("Write the weights to this file, as JSON if its name ends in .json, otherwise as TOML")),
    after_help = "\
Tuning minimises the number of nodes until all problems are solved; an unsolved problem counts with its node limit. \
With --fitness it minimises another cost: 'regret' is what moves give away in ordinary positions (built-in engines only). \
Held-out problems are not used for tuning and only check the result.

Optimisers:
  gradient            changes one weight after the other (the paper's method, divided by delta)
  printed-gradient    uses the paper's update as it is printed
  spsa                changes all weights simultaneously
  matrix-adaptation   is an evolution strategy like CMA-ES

Examples:
  plysmith tune chess --weights AcK,Fr,Pp,Rc --suite ecm.epd
  plysmith tune breakthrough --weights 'RdTt@0.5,Ud-PP' --optimiser spsa --charts figures
  plysmith tune chess --weights AcK,Rc --start random --seed 7 --output weights.toml
  plysmith tune chess --weights AcK,Fr,Pp,Rc --compare 100
  plysmith tune chess --preset modern --parameters 'Lmr*,DeltaMargin' --optimiser spsa
  plysmith tune chess --preset modern --parameters 'Lmr*' --fitness regret --optimiser spsa --verify-games 400
  plysmith tune breakthrough --weights RdTt@0.5,Ud-Rdt@0.5 --fitness regret --nodes 10000
  plysmith tune chess --engine uci:glaurung --mapping examples/glaurung.toml --suite ecm.epd
  plysmith tune chess --engine uci:glaurung --mapping examples/glaurung.toml --verify-games 400
  plysmith tune breakthrough --engine ./my-engine --suite my.suite"
)]
pub struct Arguments {
    /// Game: breakthrough or chess. Optional with --engine: the rules that check the engine's positions and moves
    #[arg(required_unless_present = "engine")]
    game: Option<String>,

    /// Features to tune, separated by commas, with optional initial weights, like 'AcK,Fr,Pp@0.8'. For a plug engine that
    /// does not report it, the number of weights
    #[arg(long, value_name = "FEATURES")]
    weights: Option<String>,

    /// Search constants to tune, separated by commas; 'Lmr*' matches all that begin with Lmr, '*' matches all. Initial
    /// values are those of --preset
    #[arg(long, value_name = "NAMES", value_delimiter = ',', conflicts_with = "engine")]
    parameters: Vec<String>,

    /// External engine to tune instead of the built-in one: 'uci:COMMAND;NAME=VALUE;…' for a UCI engine with options, or
    /// the command of an engine that speaks the plug protocol (docs/plug-protocol.md). Not passed to a shell
    #[arg(long, value_name = "COMMAND")]
    engine: Option<String>,

    /// TOML file that maps weights to options of a UCI engine, or that gives the names and ranges of a plug engine's
    /// weights
    #[arg(long, alias = "map", value_name = "FILE", requires = "engine", conflicts_with = "weights")]
    mapping: Option<PathBuf>,

    /// Seconds in which a search of an external engine has to make progress, or it counts as hung: its nodes must rise by
    /// a hundredth of the node limit, and by one a second [default: 60]
    #[arg(long, value_name = "SECONDS", requires = "engine", value_parser = parse_patience)]
    engine_patience: Option<NonZeroU64>,

    #[command(flatten)]
    experiment: ExperimentArguments,

    #[command(flatten)]
    fitness: FitnessArguments,

    #[command(flatten)]
    learning: LearningArguments,

    #[command(flatten)]
    output: OutputArguments,

    /// Write two charts as SVG files to this folder
    #[arg(long, value_name = "FOLDER")]
    charts: Option<PathBuf>,

    /// Then play this many games: the tuned engine against the engine as shipped
    #[arg(long, value_name = "N", value_parser = count::<u64>(2..))]
    verify_games: Option<u64>,

    /// Node limit for each move in the games of --verify-games
    #[arg(long, value_name = "N", default_value_t = GamesConfig::default().nodes, requires = "verify_games",
          value_parser = count::<u64>(1..))]
    verify_nodes: u64,

    /// Compare all optimisers instead, with this many evaluations each. An evaluation measures all training problems
    /// [default without a number: 60]
    #[arg(long, value_name = "EVALUATIONS", num_args = 0..=1, default_missing_value = "60",
          value_parser = count::<u32>(10..=1_000_000),
          conflicts_with_all = ["optimiser", "iterations", "patience", "mu", "output", "charts", "verify_games"])]
    compare: Option<u32>,
}

/// How weights are learned.
#[derive(Debug, Args)]
struct LearningArguments {
    /// Optimiser: gradient, printed-gradient, spsa or matrix-adaptation (see below)
    #[arg(long, value_name = "NAME", default_value_t = defaults().optimiser)]
    optimiser: OptimiserKind,

    /// Maximum number of iterations
    #[arg(long, value_name = "N", default_value_t = defaults().iterations,
          value_parser = count::<u32>(1..=100_000))]
    iterations: u32,

    /// Stop after this many iterations without improvement; 0 never stops
    #[arg(long, value_name = "N", default_value_t = defaults().patience.unwrap_or(0), value_parser = count::<u32>(..))]
    patience: u32,

    /// Percentage of problems to hold out
    #[arg(long, value_name = "PERCENT", default_value_t = defaults().holdout,
          value_parser = count::<u32>(0..=95))]
    holdout: u32,

    /// Problems that decide which iteration's weights are the result
    #[arg(long, value_enum, default_value_t = ChooseBy::Training)]
    choose: ChooseBy,

    /// Initial weights: one number for all, one number per weight separated by spaces, or 'random' [default: the values
    /// given with the features or in the mapping, otherwise 1]
    #[arg(long, value_name = "WEIGHTS", allow_hyphen_values = true)]
    start: Option<Start>,

    /// When a problem counts as solved: 'first': as soon as the search prefers the right move (the paper's wording);
    /// 'iteration': at the end of the first iteration that prefers it; 'stable': as soon as it prefers it and keeps it to
    /// the end [default: the mapping's policy, or stable]
    #[arg(long, value_name = "NAME")]
    policy: Option<Policy>,

    /// Step by which a weight is changed to measure its effect; at least 1 for an integer option
    #[arg(long, value_name = "PLIES", default_value_t = defaults().delta, allow_negative_numbers = true)]
    delta: Thousandths,

    /// Learning rate [default: 1, for spsa 0.5]
    #[arg(long, value_name = "X", allow_negative_numbers = true, value_parser = parse_rate)]
    mu: Option<f64>,

    /// Decrease the learning rate of the gradient over time
    #[arg(long)]
    decreasing: bool,
}

/// By which problems the weights to return are chosen.
#[derive(Copy, Clone, PartialEq, Eq, Debug, ValueEnum)]
enum ChooseBy {
    /// Fewest nodes, or least cost, on the training problems; held-out problems only check the result
    Training,
    /// Fewest nodes, or least cost, on the held-out problems (early stopping); their result is then biased
    HeldOut,
}

pub fn run(arguments: &Arguments, output: &Output) -> Result<(), Failure> {
    let config = arguments.resolve(&begin_setup())?;
    let session = session(&arguments.experiment.run)?;
    match arguments.compare {
        Some(evaluations) => {
            run_kind::<CompareOptimisers>(&compare::Config::new(config, evaluations)?, &session, output)
        }
        None => run_kind::<Tune>(&config, &session, output),
    }
}

impl Arguments {
    fn resolve(&self, cancel: &CancelToken) -> Result<Config, Failure> {
        let OutputArguments { output, force } = &self.output;
        let files = Files::new(output.as_deref(), self.charts.as_deref(), force.force)?;
        let config = if self.engine.is_some() { self.external(cancel)? } else { self.built_in()? };
        if let Some(games) = self.verify_games.filter(|games| !games.is_multiple_of(2)) {
            let message = format!("{games} games are not a whole number of pairs; try --verify-games {}", games + 1);
            return Err(Failure::input(message));
        }
        let games = self.verify_games.map(|games| GamesConfig { games, nodes: self.verify_nodes });
        Ok(Config { files, games, ..config })
    }

    /// The features and search constants of a built-in engine.
    fn built_in(&self) -> Result<Config, Failure> {
        let game = games::find(self.game.as_deref().unwrap_or_default())?;
        if self.weights.is_none() && self.parameters.is_empty() {
            return Err(Failure::input(format!(
                "there is nothing to tune; name features with --weights, like '--weights {}' (`plysmith features {}` \
                 explains them), search constants with --parameters, like '--parameters Lmr*', or an engine with --engine",
                game.vocabulary.moves.iter().take(2).map(|facts| facts.name).collect::<Vec<_>>().join(","),
                game.name
            )));
        }
        let weights = self.weights.as_deref().map(|text| feature_parameters(game, text)).transpose()?;
        let mut experiment = self.experiment.built_in(game.name, self.learning.policy.unwrap_or(USUAL_POLICY))?;
        let tunables = match &experiment.engine {
            EngineChoice::BuiltIn(settings) => tunable_parameters(settings, &self.parameters)?,
            EngineChoice::External(_) => Vec::new(),
        };
        let parameters = TunedParameters { weights: weights.unwrap_or_default(), tunables };
        let options = self.rated(&mut experiment)?;
        Ok(Config::new(experiment, parameters, &options)?)
    }

    /// The weights of an external engine.
    fn external(&self, cancel: &CancelToken) -> Result<Config, Failure> {
        let count = self.weights.as_deref().map(parse_count).transpose()?;
        let engine =
            EngineArguments::of(self.engine.as_ref(), self.mapping.as_ref(), count).with_patience(self.engine_patience);
        let Some(engine) = engine.resolve()? else { return Err(Failure::input("no engine is named")) };
        let policy = engine.policy(self.learning.policy, USUAL_POLICY)?;
        let mut experiment = self.experiment.external(self.game.as_deref(), engine.clone(), policy, cancel)?;
        // Starts the engine again to read its parameters; measurements use processes of their own.
        let opened = engine.open(games::find(&experiment.game).ok(), policy, cancel)?;
        let parameters = opened.parameters().to_vec();
        if parameters.is_empty() {
            let message = "does not report what can be tuned; name its weights in a file and give it with --mapping";
            return Err(Failure::input(format!("'{}' {message} (docs/tuning.md)", engine.engine)));
        }
        let options = self.rated(&mut experiment)?;
        Ok(Config::new(experiment, parameters, &LearningOptions { policy, ..options })?)
    }

    /// How weights are learned, and by which fitness.
    fn rated(&self, experiment: &mut Experiment) -> Result<LearningOptions, Failure> {
        let graded = self.fitness.graded(&self.experiment, experiment)?;
        let fitness = self.fitness.fitness.clone().filter(|fitness| !fitness.is_nodes());
        Ok(LearningOptions { fitness, graded, ..self.learning.resolve() })
    }
}

impl LearningArguments {
    fn resolve(&self) -> LearningOptions {
        LearningOptions {
            optimiser: self.optimiser,
            iterations: self.iterations,
            patience: (self.patience > 0).then_some(self.patience),
            holdout: self.holdout,
            choice: match self.choose {
                ChooseBy::Training => Choice::Training,
                ChooseBy::HeldOut => Choice::HeldOut,
            },
            start: self.start.clone().unwrap_or_default(),
            policy: SolutionPolicy::Watched(self.policy.unwrap_or(USUAL_POLICY)),
            delta: self.delta,
            mu: self.mu,
            decreasing: self.decreasing,
            ..defaults()
        }
    }
}

fn defaults() -> LearningOptions {
    LearningOptions::default()
}

fn parse_count(text: &str) -> Result<u8, Failure> {
    let count = text.parse::<u8>().ok().filter(|count| (1..=64).contains(count));
    count.ok_or_else(|| Failure::input(format!("'{text}' is not a number of weights; expected a number from 1 to 64")))
}

fn parse_rate(text: &str) -> Result<f64, String> {
    let rate = text.parse().ok().filter(|rate: &f64| rate.is_finite() && *rate > 0.0 && *rate <= 1000.0);
    rate.ok_or_else(|| "expected a number above 0, like 0.5".to_string())
}
