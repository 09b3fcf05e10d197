//! `plysmith measure`: schemes on a suite.

use clap::Args;
use plysmith_runs::kinds::measure::{Config, Measure};

use crate::arguments::engine::EngineArguments;
use crate::arguments::experiment::ExperimentArguments;
use crate::failure::Failure;
use crate::output::Output;
use crate::services::{run_prepared, services};
use crate::signals::begin_setup;

/// Count the problems that the search solves with given features and weights
#[derive(Debug, Args)]
#[command(after_help = "\
A scheme is one or more features with weights, like 'Ud-RdTt@0.5,PP@0.75'. The default weight is 0.5. \
'Neutral' is the search without features. Features that share a weight are separated by '|': 'Ud|(PP-Rdt)@0.5'.

Examples:
  plysmith measure breakthrough Neutral RdTt Ud-RdTt
  plysmith measure breakthrough 'RdTt@0.25,Rc-Rdb@0.75' --preset modern --nodes 100000
  plysmith measure chess AcK Rc --policy stable
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
}

pub fn run(arguments: &Arguments, output: &Output) -> Result<(), Failure> {
    let cancel = begin_setup();
    let experiment = arguments.engine.experiment(Some(&arguments.game), &arguments.experiment, &cancel)?;
    let opened = experiment.open(&cancel)?;
    let config = Config::new(experiment, &arguments.schemes, &opened)?;
    let services = services(arguments.experiment.threads.threads)?;
    let session = config.experiment.session_with(opened, &services)?;
    run_prepared::<Measure>(&config, session, &services, output)
}
