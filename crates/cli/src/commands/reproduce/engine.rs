//! The external engine of `plysmith reproduce`: one for the chess experiments, any number for the table of mates.

use std::path::PathBuf;

use clap::Args;
use plysmith_engine::driver::Policy;
use plysmith_runs::cancel::CancelToken;
use plysmith_runs::experiment::Experiment;
use plysmith_runs::external_engine::ExternalEngine;

use super::{CHESS, Table};
use crate::arguments::PatienceArgument;
use crate::arguments::engine::EngineArguments;
use crate::arguments::experiment::ExperimentArguments;
use crate::failure::Failure;

/// Which engines to use besides the built-in one, or instead of it.
#[derive(Debug, Args)]
pub struct ReproducedEngine {
    /// For mate-table2: UCI engine to compare with, like 'gnuchess --uci'. Can be given more than once. For figure1, table4.7
    /// and table4.8: external engine to measure instead of the built-in one, as in `plysmith measure`; for the tables, one
    /// that lists features by the plug protocol
    #[arg(long, value_name = "COMMAND")]
    pub engine: Vec<String>,

    /// For figure1, table4.7 and table4.8: TOML file that maps weights to options of a UCI engine, or that gives the names
    /// and ranges of a plug engine's weights
    #[arg(long, alias = "map", value_name = "FILE", requires = "engine")]
    mapping: Option<PathBuf>,

    #[command(flatten)]
    pub patience: PatienceArgument,
}

impl ReproducedEngine {
    /// Fails if any of these was given for a table that has no external engine, or too many.
    pub fn check(&self, table: Table) -> Result<(), Failure> {
        let ReproducedEngine { engine, mapping, patience } = self;
        match table {
            Table::MateTable2 if mapping.is_some() => {
                Err(Failure::input("--mapping is for figure1, table4.7 and table4.8; leave it out"))
            }
            Table::MateTable2 => Ok(()),
            Table::Figure1 | Table::Table47 | Table::Table48 if engine.len() > 1 => {
                Err(Failure::input("--engine was given more than once; expected one engine to measure"))
            }
            Table::Figure1 | Table::Table47 | Table::Table48 if engine.is_empty() && patience.patience.is_some() => {
                Err(Failure::input("--patience is for external engines; name one with --engine"))
            }
            Table::Figure1 | Table::Table47 | Table::Table48 => Ok(()),
            _ if !engine.is_empty() || patience.patience.is_some() => Err(Failure::input(
                "--engine and --patience are for figure1, table4.7, table4.8 and mate-table2; leave them out",
            )),
            _ => Ok(()),
        }
    }

    /// The engine to measure, if one is named.
    pub fn resolve(&self) -> Result<Option<ExternalEngine>, Failure> {
        let arguments = EngineArguments::of(self.engine.first(), self.mapping.as_ref(), None);
        arguments.with_patience(self.patience.patience).resolve()
    }

    /// The chess experiment on the engine, or on the built-in one, by the policy that is asked for, else the mapping's, else
    /// the usual one.
    pub fn chess_experiment(
        &self,
        experiment: &ExperimentArguments,
        asked: Option<Policy>,
        usual: Policy,
        cancel: &CancelToken,
    ) -> Result<Experiment, Failure> {
        match self.resolve()? {
            Some(engine) => {
                let policy = engine.policy(asked, usual)?;
                experiment.external(Some(CHESS), engine, policy, cancel)
            }
            None => experiment.built_in(CHESS, asked.unwrap_or(usual)),
        }
    }
}
