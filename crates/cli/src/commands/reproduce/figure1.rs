//! Arguments of `plysmith reproduce figure1`.

use std::path::PathBuf;

use clap::Args;
use plysmith_core::games;
use plysmith_engine::driver::Policy;
use plysmith_learn::tune::kind::OptimiserKind;
use plysmith_runs::kinds::tune::figure1::{
    Figure1, Figure1Options, PAPER_NODES_A_PROBLEM, config, paper_parameters, policies_config,
};
use plysmith_runs::kinds::tune::{Files, Tune};
use plysmith_runs::solution_policy::SolutionPolicy;

use super::engine::ReproducedEngine;
use crate::arguments::ForceArgument;
use crate::arguments::count::count;
use crate::arguments::experiment::ExperimentArguments;
use crate::failure::Failure;
use crate::output::Output;
use crate::services::{run as run_kind, session};
use crate::signals::begin_setup;

/// What can be changed about the paper's experiment.
#[derive(Debug, Args)]
pub struct FigureArguments {
    /// For figure1: optimiser [default: printed-gradient, as in the paper]
    #[arg(long, value_name = "NAME")]
    optimiser: Option<OptimiserKind>,

    /// For figure1: maximum number of iterations [default: 12]
    #[arg(long, value_name = "N", value_parser = count::<u32>(1..=100_000))]
    iterations: Option<u32>,

    /// For figure1: percentage of problems to hold out [default: 0, as in the paper]
    #[arg(long, value_name = "PERCENT", value_parser = count::<u32>(0..=95))]
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
    experiment: &ExperimentArguments,
    engine: &ReproducedEngine,
    arguments: &FigureArguments,
    output: &Output,
) -> Result<(), Failure> {
    let cancel = begin_setup();
    let usual = Figure1Options::default();
    let options = Figure1Options {
        optimiser: arguments.optimiser.unwrap_or(usual.optimiser),
        iterations: arguments.iterations.unwrap_or(usual.iterations),
        holdout: arguments.holdout.unwrap_or(usual.holdout),
    };
    let asked = arguments.policy;
    let mut on = engine.chess_experiment(experiment, asked, Policy::First, &cancel)?;
    if experiment.nodes.is_none() && experiment.suite.is_some() && !experiment.quick {
        on.nodes = PAPER_NODES_A_PROBLEM;
    }
    let parameters = match on.external() {
        None => paper_parameters()?,
        Some(external) => {
            let opened = external.open(games::find(&on.game).ok(), on.policy()?, &cancel)?;
            opened.parameters().to_vec()
        }
    };
    if parameters.is_empty() {
        let message = "does not report what can be tuned; name its weights in a file and give it with --mapping";
        return Err(Failure::input(format!("'{}' {message} (docs/tuning.md)", on.engine_text())));
    }
    let charts = Files::new(None, arguments.charts.as_deref(), arguments.force.force)?;
    let session = session(&experiment.run)?;
    match (asked, on.policy()?) {
        (None, SolutionPolicy::Watched(_)) => {
            run_kind::<Figure1>(&policies_config(&on, &parameters, &options, charts)?, &session, output)
        }
        (_, policy) => run_kind::<Tune>(&config(on, parameters, &options, policy, charts)?, &session, output),
    }
}
