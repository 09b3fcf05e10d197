//! `plysmith reproduce mate-table2`: nodes to solve mates in one to five (mate paper, Table 2).

use std::path::PathBuf;

use clap::Args;
use plysmith_runs::kinds::mate_table::{Config, MateTable};
use plysmith_runs::mates::{HELD_OUT, bundled_program, read_program};

use super::engine::ReproducedEngine;
use crate::arguments::experiment::ExperimentArguments;
use crate::failure::Failure;
use crate::output::Output;
use crate::services::{run as run_kind, session};

/// Arguments of mate-table2 alone.
#[derive(Debug, Args)]
pub struct TableArguments {
    /// For mate-table2: evolved program [default: the bundled program]
    #[arg(long, value_name = "FILE")]
    program: Option<PathBuf>,
}

impl TableArguments {
    /// Fails if any of them is given.
    pub fn refuse(&self) -> Result<(), Failure> {
        match self.program {
            Some(_) => Err(Failure::input("--program is for mate-table2 only; leave it out")),
            None => Ok(()),
        }
    }
}

pub fn run(
    experiment: &ExperimentArguments,
    engines: &ReproducedEngine,
    arguments: &TableArguments,
    output: &Output,
) -> Result<(), Failure> {
    let suite_name = experiment.suite.as_ref().map_or(HELD_OUT.to_string(), |path| path.display().to_string());
    let suite = experiment.skip.read_mates(&suite_name)?;
    let program = arguments.program.as_deref().map_or_else(bundled_program, read_program)?;
    let nodes = experiment.nodes.unwrap_or(if experiment.quick { Config::QUICK_NODES } else { Config::NODES });
    let patience = engines.patience.patience;
    let config = Config { patience, ..Config::new(suite, program, nodes, engines.engine.clone()) };
    run_kind::<MateTable>(&config, &session(&experiment.run)?, output)
}
