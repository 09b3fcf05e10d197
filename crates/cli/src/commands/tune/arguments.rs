//! What was typed, and what is meant by it.

use std::num::NonZeroUsize;
use std::path::PathBuf;

use clap::{Args, value_parser};
use plysmith_core::games;
use plysmith_core::parameter::{Parameter, Thousandths, Weights};
use plysmith_engine::driver::Policy;
use plysmith_learn::tune::holdout::Split;
use plysmith_learn::tune::method::Method;
use plysmith_learn::tune::space::Space;

use super::compare;
use super::config::{Choice, Config, MethodConfig, ParameterConfig};
use super::files::Files;
use crate::commands::experiment::ExperimentArguments;
use crate::commands::subject;
use crate::failure::Failure;
use crate::foreign::EngineArguments;
use crate::workbench::Experiment;

/// Learn the weights of features, or of an engine's options, that solve problems with the fewest nodes
#[derive(Debug, Args)]
#[command(after_help = "\
Problems are searched until the right move is found, or the node limit is reached; what is minimised is the sum of these
nodes. A part of the problems is held out and only checks what was learned on the rest.

Optimisers: 'gradient' moves each weight in turn (the paper's, divided by delta), 'printed-gradient' is the same with the
paper's update as printed, 'spsa' moves all at once, 'matrix-adaptation' is an evolution strategy like CMA-ES.

Examples:
  plysmith tune chess --weights AcK,Fr,Pp,Rc --suite ecm.epd
  plysmith tune breakthrough --weights 'RdTt@0.5,Ud-PP' --optimiser spsa --iterations 40 --charts figures
  plysmith tune chess --weights AcK,Rc --preset modern --start random --seed 7 --out weights.toml
  plysmith tune chess --weights AcK,Fr,Pp,Rc --compare 100
  plysmith tune chess --engine uci:glaurung --mapping examples/glaurung.toml --suite ecm.epd
  plysmith tune breakthrough --engine ./my-engine --suite my.suite")]
pub struct Arguments {
    /// The game; of a foreign engine, the one that positions and moves are checked by
    #[arg(required_unless_present = "engine")]
    game: Option<String>,

    /// What to tune: features separated by commas, behind '@' where each starts, like 'AcK,Fr,Pp@0.8'; of a plug engine
    /// that does not tell, how many weights it takes
    #[arg(long, value_name = "FEATURES")]
    weights: Option<String>,

    /// Tune this engine instead of a built-in one: a program with its arguments that speaks the plug protocol, or
    /// 'uci:COMMAND;NAME=VALUE;…' for a UCI engine with options. No shell is involved
    #[arg(long, value_name = "COMMAND")]
    engine: Option<String>,

    /// Which options of a UCI engine each weight drives, as TOML; for a plug engine, the names and ranges of its weights
    #[arg(long, visible_alias = "map", value_name = "FILE", requires = "engine", conflicts_with = "weights")]
    mapping: Option<PathBuf>,

    #[command(flatten)]
    experiment: ExperimentArguments,

    #[command(flatten)]
    pub learning: LearningArguments,

    #[command(flatten)]
    files: FilesArguments,

    /// Compare all optimisers instead: each may measure the training problems so many times
    #[arg(long, value_name = "EVALUATIONS", num_args = 0..=1, default_missing_value = "60",
          value_parser = value_parser!(u32).range(10..=1_000_000),
          conflicts_with_all = ["optimiser", "iterations", "patience", "mu", "out", "charts"])]
    pub compare: Option<u32>,
}

/// How weights are learned.
#[derive(Debug, Args)]
pub struct LearningArguments {
    /// Which method: gradient, printed-gradient, spsa or matrix-adaptation
    #[arg(long, value_name = "NAME", default_value = OPTIMISER)]
    pub optimiser: String,

    /// How many iterations at most
    #[arg(long, value_name = "N", default_value_t = ITERATIONS, value_parser = value_parser!(u32).range(1..=100_000))]
    pub iterations: u32,

    /// End after so many iterations without progress; 0 is never
    #[arg(long, value_name = "N", default_value_t = PATIENCE)]
    pub patience: u32,

    /// How many problems of a hundred are held out to check what was learned
    #[arg(long, value_name = "PERCENT", default_value_t = HOLDOUT, value_parser = value_parser!(u32).range(0..=95))]
    pub holdout: u32,

    /// By which problems the weights to return are chosen
    #[arg(long, value_enum, default_value_t = Choice::Training)]
    pub choose: Choice,

    /// Where weights start: a number for all, one for each with spaces between, or 'random' [default: 1, or where the
    /// features or the map say]
    #[arg(long, value_name = "WEIGHTS", allow_hyphen_values = true)]
    pub start: Option<String>,

    /// When a search agrees with the right move: 'first' the moment it does, 'iteration' at the end of an iteration,
    /// 'stable' from when on it does so to the end [default: first, or what the map says]
    #[arg(long, value_name = "NAME")]
    pub policy: Option<String>,

    /// How far weights are moved to see what they do; at least a step of an integer option
    #[arg(long, value_name = "PLIES", default_value = DELTA, allow_negative_numbers = true)]
    pub delta: String,

    /// The learning rate [default: 1, for spsa 0.5]
    #[arg(long, value_name = "X", allow_negative_numbers = true, value_parser = parse_rate)]
    pub mu: Option<f64>,

    /// Let the learning rate of the gradient decrease
    #[arg(long)]
    pub decreasing: bool,
}

const OPTIMISER: &str = "gradient";
const ITERATIONS: u32 = 20;
const PATIENCE: u32 = 8;
const HOLDOUT: u32 = 50;
/// The paper's.
const DELTA: &str = "0.15";

impl Default for LearningArguments {
    fn default() -> LearningArguments {
        LearningArguments {
            optimiser: OPTIMISER.into(),
            iterations: ITERATIONS,
            patience: PATIENCE,
            holdout: HOLDOUT,
            choose: Choice::default(),
            start: None,
            policy: None,
            delta: DELTA.into(),
            mu: None,
            decreasing: false,
        }
    }
}

/// Where results go besides standard output.
#[derive(Debug, Default, Args)]
pub struct FilesArguments {
    /// Write the weights to this file, as TOML, or as JSON if it ends in .json
    #[arg(long, value_name = "FILE")]
    pub out: Option<PathBuf>,

    /// Write the two charts as SVG into this folder
    #[arg(long, value_name = "FOLDER")]
    pub charts: Option<PathBuf>,

    /// Write over files that exist
    #[arg(long)]
    pub force: bool,
}

impl Arguments {
    /// How many threads to use.
    pub fn threads(&self) -> Option<NonZeroUsize> {
        self.experiment.threads.threads
    }

    pub fn resolve(&self) -> Result<Config, Failure> {
        let files = self.files.resolve()?;
        match &self.engine {
            Some(_) => self.foreign(files),
            None => self.built_in(files),
        }
    }

    /// The features of a built-in engine.
    fn built_in(&self, files: Files) -> Result<Config, Failure> {
        let game = games::find(self.game.as_deref().unwrap_or_default())?;
        let Some(weights) = &self.weights else {
            return Err(Failure::input(format!(
                "nothing is said to be tuned; name features with --weights, like '--weights {}' (`plysmith features {}` \
                 explains them), or an engine with --engine",
                game.vocabulary.0.iter().take(2).map(|facts| facts.name).collect::<Vec<_>>().join(","),
                game.name
            )));
        };
        let parameters = subject::features(game, weights)?;
        self.learning.config(self.experiment.resolve(game.name)?, parameters, files)
    }

    /// The weights of a foreign engine.
    fn foreign(&self, files: Files) -> Result<Config, Failure> {
        let count = |text: &String| {
            let message =
                || format!("'{text}' is not how many weights the engine takes; expected a number from 1 to 64");
            text.parse::<u8>().ok().filter(|count| (1..=64).contains(count)).ok_or_else(|| Failure::input(message()))
        };
        let count = self.weights.as_ref().map(count).transpose()?;
        let LearningArguments { policy, .. } = &self.learning;
        let engine = EngineArguments::of(self.engine.as_ref(), self.mapping.as_ref(), policy.as_ref(), count);
        let Some(engine) = engine.resolve()? else { return Err(Failure::input("no engine is named")) };
        let policy = engine.policy()?.map_or("its own".to_string(), |policy| policy.to_string());
        let experiment = self.experiment.resolve_foreign(self.game.as_deref(), engine.clone())?;
        // Started once more to see what it has; what is measured later is a process of its own.
        let parameters = engine.open(games::find(&experiment.game).ok())?.parameters().to_vec();
        if parameters.is_empty() {
            let message = "does not tell what can be tuned; name its weights in a file and give it with --mapping";
            return Err(Failure::input(format!("'{}' {message} (docs/tuning.md)", engine.engine)));
        }
        Ok(Config { policy, ..self.learning.config(experiment, parameters, files)? })
    }
}

impl LearningArguments {
    /// The tuning of these parameters that is meant.
    pub fn config(&self, experiment: Experiment, parameters: Vec<Parameter>, files: Files) -> Result<Config, Failure> {
        let method: OptimiserKind = self.optimiser.parse().map_err(Failure::input)?;
        let policy: Policy =
            self.policy.as_deref().map(str::parse).transpose().map_err(Failure::input)?.unwrap_or_default();
        let space = self.started(parameters, experiment.seed)?;
        let suite = experiment.read_suite()?;
        let split = HoldOutSplit::draw(suite.problems.len(), self.holdout, experiment.seed);
        let held_out: Vec<_> = split.held_out.iter().map(|&index| suite.problems[index].id.clone()).collect();
        if self.choose == Choice::HeldOut && held_out.is_empty() {
            return Err(Failure::input(
                "--choose held-out needs held-out problems; say how many with --holdout PERCENT",
            ));
        }
        Ok(Config {
            policy: policy.to_string(),
            parameters: space.parameters().iter().map(ParameterConfig::from).collect(),
            method: MethodConfig {
                optimiser: method.to_string(),
                iterations: self.iterations,
                patience: (self.patience > 0).then_some(self.patience),
                delta: self.parse_delta()?.to_string(),
                mu: self.mu.unwrap_or(method.default_mu()),
                decreasing: self.decreasing,
            },
            held_out,
            choice: self.choose,
            files,
            figure1: false,
            experiment,
        })
    }

    fn parse_delta(&self) -> Result<Thousandths, Failure> {
        let delta = self.delta.parse::<Thousandths>().map_err(Failure::input)?;
        if delta.0 <= 0 {
            return Err(Failure::input(format!("--delta {delta} moves nothing; expected a number above 0, like 0.15")));
        }
        Ok(delta)
    }

    /// The same tuning by every optimiser, each with its usual settings and so many evaluations.
    pub fn rivals(&self, tuning: Config, evaluations: u32) -> Result<compare::Config, Failure> {
        let mut methods = Vec::new();
        for method in OptimiserKind::ALL {
            let mut rival = tuning.clone();
            rival.method = MethodConfig {
                optimiser: method.to_string(),
                patience: None,
                mu: method.default_mu(),
                ..tuning.method.clone()
            };
            // The first batch may have the start besides; evaluations end it in any case.
            let size = rival.tuning()?.ask().map_or(1, |batch| batch.len().max(2) - 1);
            rival.method.iterations = (evaluations / size as u32).max(1);
            methods.push(rival.method);
        }
        Ok(compare::Config { methods, tuning, evaluations })
    }

    /// The space with its starts.
    fn started(&self, mut parameters: Vec<Parameter>, seed: u64) -> Result<ParameterSpace, Failure> {
        let text = match self.start.as_deref() {
            Some("random") => {
                return Ok(ParameterSpace::new(parameters).map_err(Failure::input)?.with_random_start(seed));
            }
            text => text,
        };
        if let Some(text) = text {
            let Weights(mut starts) = text.parse::<Weights>().map_err(Failure::input)?;
            if let [one] = starts[..] {
                starts = vec![one; parameters.len()];
            }
            Weights(starts.clone()).fits(&parameters).map_err(Failure::input)?;
            parameters.iter_mut().zip(starts).for_each(|(parameter, start)| parameter.start = start);
        }
        ParameterSpace::new(parameters).map_err(Failure::input)
    }
}

impl FilesArguments {
    /// The same from wherever the run is resumed.
    pub fn resolve(&self) -> Result<Files, Failure> {
        let absolute = |path: &Option<PathBuf>| match path {
            Some(path) => std::path::absolute(path)
                .map(Some)
                .map_err(|error| Failure::input(format!("cannot write {}: {error}", path.display()))),
            None => Ok(None),
        };
        Ok(Files { out: absolute(&self.out)?, charts: absolute(&self.charts)?, force: self.force })
    }
}

fn parse_rate(text: &str) -> Result<f64, String> {
    let rate = text.parse().ok().filter(|rate: &f64| rate.is_finite() && *rate > 0.0 && *rate <= 1000.0);
    rate.ok_or_else(|| "expected a number above 0, like 0.5".to_string())
}
