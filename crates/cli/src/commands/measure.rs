//! `plysmith measure`: schemes on a suite.

use clap::Args;
use plysmith_runs::RunKind;
use plysmith_runs::kinds::measure::{Config, Measure};

use crate::arguments::count::count;
use crate::arguments::engine::EngineArguments;
use crate::arguments::experiment::ExperimentArguments;
use crate::arguments::fitness::FitnessArguments;
use crate::failure::Failure;
use crate::output::Output;
use crate::services::{run_prepared, session};
use crate::signals::begin_setup;

/// Count the problems that the search solves with given features and weights, or rate them by another fitness
#[derive(Debug, Args)]
#[command(after_help = "\
A scheme is one or more features with weights, like 'Ud-RdTt@0.5,PP@0.75'. The default weight is 0.5. \
'Neutral' is the search without features. Features that share a weight are separated by '|': 'Ud|(PP-Rdt)@0.5'.

With --fitness, every scheme is compared with the first one, position by position, with 95 % intervals. One measurement \
gives all columns that its suite has; the fitness decides what is compared.

Examples:
  plysmith measure breakthrough Neutral RdTt Ud-RdTt
  plysmith measure breakthrough 'RdTt@0.25,Rc-Rdb@0.75' --preset modern --nodes 100000
  plysmith measure chess AcK Rc --policy stable
  plysmith measure breakthrough Neutral Ud-Rdt@0.25 RdTt --fitness regret
  plysmith measure breakthrough Neutral RdTt Ud --fitness regret+frequency=0.02 --graded my.graded --seeds 5
  plysmith measure chess Neutral AcK --fitness nodes
  plysmith measure chess --engine uci:glaurung --mapping examples/glaurung.toml '1 1 1 1 1 1'")]
pub struct Arguments {
    /// Game: breakthrough or chess
    game: String,

    /// Schemes to measure. For an external engine with weights, one number per weight, like '1 0.5'
    #[arg(required = true, value_name = "SCHEME")]
    schemes: Vec<String>,

    #[command(flatten)]
    engine: EngineArguments,

    #[command(flatten)]
    experiment: ExperimentArguments,

    #[command(flatten)]
    fitness: FitnessArguments,

    /// Search each position with this many random seeds, from --seed on, for an interval over seeds
    #[arg(long, value_name = "N", default_value_t = 1, requires = "fitness", value_parser = count::<u32>(1..=100))]
    seeds: u32,
}

pub fn run(arguments: &Arguments, output: &Output) -> Result<(), Failure> {
    let cancel = begin_setup();
    let Arguments { game, schemes, engine, fitness, seeds, .. } = arguments;
    let mut experiment = engine.experiment(Some(game), &arguments.experiment, fitness.usual_policy(), &cancel)?;
    let graded = fitness.graded(&arguments.experiment, &mut experiment)?;
    let opened = experiment.open(&cancel)?;
    let config = Config::new(experiment, schemes, &opened)?;
    let seeds = Some(*seeds).filter(|seeds| *seeds > 1);
    let config = Config { fitness: fitness.fitness.clone(), graded, seeds, ..config };
    Measure::validate(&config)?;
    let session = session(&arguments.experiment.run)?;
    let prepared = config.prepare_with(opened, &session)?;
    run_prepared::<Measure>(&config, prepared, &session, output)
}
