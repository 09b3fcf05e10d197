//! Arguments that name an external engine.

use std::num::NonZeroU64;
use std::path::PathBuf;

use clap::Args;
use plysmith_engine::driver::Policy;
use plysmith_runs::cancel::CancelToken;
use plysmith_runs::experiment::Experiment;
use plysmith_runs::external_engine::{ExternalEngine, MappingFile};
use plysmith_runs::files::read_text;

use super::PatienceArgument;
use super::experiment::ExperimentArguments;
use crate::failure::Failure;

/// Which external engine to measure, and how.
#[derive(Debug, Args)]
pub struct EngineArguments {
    /// External engine to measure instead of the built-in one: 'uci:COMMAND;NAME=VALUE;…' for a UCI engine with options,
    /// or the command of an engine that speaks the plug protocol (docs/plug-protocol.md). Not passed to a shell
    #[arg(long, value_name = "COMMAND")]
    pub engine: Option<String>,

    /// TOML file that maps weights to options of a UCI engine, or that gives the names and ranges of a plug engine's
    /// weights
    #[arg(long, alias = "map", value_name = "FILE", requires = "engine")]
    mapping: Option<PathBuf>,

    /// When a problem counts as solved, and which nodes count: 'end': the move at the end of the search is right; all nodes
    /// count; 'first', 'iteration' or 'stable': the nodes to the solution count (see `plysmith tune --help`). For built-in
    /// and UCI engines [default: the mapping's policy, or end; with
    /// --fitness nodes, stable]
    #[arg(long, value_name = "POLICY")]
    policy: Option<Policy>,

    /// Number of weights of a plug engine that does not report it
    #[arg(long, value_name = "N", requires = "engine", conflicts_with = "mapping", value_parser = clap::value_parser!(u8).range(1..))]
    parameters: Option<u8>,

    #[command(flatten)]
    patience: PatienceArgument,
}

impl EngineArguments {
    /// Arguments put together by a command that uses some of these names for other things.
    pub fn of(engine: Option<&String>, mapping: Option<&PathBuf>, parameters: Option<u8>) -> EngineArguments {
        let (engine, mapping, patience) = (engine.cloned(), mapping.cloned(), PatienceArgument::default());
        EngineArguments { engine, mapping, policy: None, parameters, patience }
    }

    /// With this patience.
    #[must_use]
    pub fn with_patience(self, patience: Option<NonZeroU64>) -> EngineArguments {
        EngineArguments { patience: PatienceArgument { patience }, ..self }
    }

    /// The experiment on the external engine, if one is named, else on the built-in one.
    pub fn experiment(
        &self,
        game: Option<&str>,
        arguments: &ExperimentArguments,
        usual_policy: Policy,
        cancel: &CancelToken,
    ) -> Result<Experiment, Failure> {
        match self.resolve()? {
            Some(engine) => {
                let policy = engine.policy(self.policy, usual_policy)?;
                arguments.external(game, engine, policy, cancel)
            }
            None => arguments.built_in(game.unwrap_or_default(), self.policy.unwrap_or(usual_policy)),
        }
    }

    /// The engine, if one is named.
    pub fn resolve(&self) -> Result<Option<ExternalEngine>, Failure> {
        let Some(text) = &self.engine else { return Ok(None) };
        let mapping = match &self.mapping {
            None => None,
            Some(path) => {
                let contents = read_text(path, "a mapping in TOML", false)?;
                Some(MappingFile { name: path.display().to_string(), contents })
            }
        };
        let engine = ExternalEngine::new(text, mapping, self.parameters)?;
        Ok(Some(engine.with_patience(self.patience.patience)))
    }
}
