//! Arguments of `plysmith reproduce figure1`.

use std::path::PathBuf;

use clap::{Args, value_parser};
use plysmith_engine::driver::Policy;
use plysmith_learn::tune::kind::OptimiserKind;
use plysmith_runs::experiment::Experiment;
use plysmith_runs::kinds::tune::Tune;
use plysmith_runs::kinds::tune::figure1::{Figure1, Figure1Options, config, policies_config};
use plysmith_runs::services::Services;

use crate::arguments::ForceArgument;
use crate::failure::Failure;
use crate::output::Output;
use crate::services::run as run_kind;

/// What can be changed about the paper's experiment.
#[derive(Debug, Args)]
pub struct FigureArguments {
    /// For figure1: optimiser [default: gradient]
    #[arg(long, value_name = "NAME")]
    optimiser: Option<OptimiserKind>,

    /// For figure1: maximum number of iterations [default: 12]
    #[arg(long, value_name = "N", value_parser = value_parser!(u32).range(1..=100_000))]
    iterations: Option<u32>,

    /// For figure1: percentage of problems to hold out [default: 0, as in the paper]
    #[arg(long, value_name = "PERCENT", value_parser = value_parser!(u32).range(0..=95))]
    holdout: Option<u32>,

    /// For figure1: when a problem counts as solved: 'first' (the paper's wording), 'iteration' or 'stable' [default: all
    /// three, side by side]
    #[arg(long, value_name = "NAME")]
    policy: Option<Policy>,

    /// For figure1: write the two charts as SVG into this folder
    #[arg(long, value_name = "FOLDER")]
    charts: Option<PathBuf>,

    #[command(flatten)]
    force: ForceArgument,
}

impl FigureArguments {
    /// Fails if any of these was given for another table.
    pub fn refuse(&self) -> Result<(), Failure> {
        let FigureArguments { optimiser, iterations, holdout, policy, charts, force } = self;
        let given = [
            ("--optimiser", optimiser.is_some()),
            ("--iterations", iterations.is_some()),
            ("--holdout", holdout.is_some()),
            ("--policy", policy.is_some()),
            ("--charts", charts.is_some()),
            ("--force", force.force),
        ];
        match given.iter().find(|(_, is_given)| *is_given) {
            Some((name, _)) => Err(Failure::input(format!("{name} is for figure1 only; leave it out"))),
            None => Ok(()),
        }
    }
}

/// Tunes as the paper did, under every policy or under one.
pub fn run(
    experiment: Experiment,
    arguments: &FigureArguments,
    services: &Services,
    output: &Output,
) -> Result<(), Failure> {
    let FigureArguments { optimiser, iterations, holdout, policy, charts, force } = arguments;
    let usual = Figure1Options::default();
    let options = Figure1Options {
        optimiser: optimiser.unwrap_or(usual.optimiser),
        iterations: iterations.unwrap_or(usual.iterations),
        holdout: holdout.unwrap_or(usual.holdout),
    };
    let (charts, force) = (charts.as_deref(), force.force);
    match policy {
        Some(policy) => run_kind::<Tune>(&config(experiment, &options, *policy, charts, force)?, services, output),
        None => run_kind::<Figure1>(&policies_config(&experiment, &options, charts, force)?, services, output),
    }
}
