//! Arguments that name an external engine.

use std::num::NonZeroU64;
use std::path::PathBuf;

use clap::Args;
use plysmith_engine::driver::Policy;
use plysmith_runs::external_engine::{ExternalEngine, MappingFile};
use plysmith_runs::files::read_text;

use super::PatienceArgument;
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

    /// When a UCI engine's search counts as solved: 'first', 'iteration' or 'stable' (see `plysmith tune --help`)
    /// [default: the mapping's policy, or first]
    #[arg(long, value_name = "POLICY", requires = "engine")]
    policy: Option<Policy>,

    /// Number of weights of a plug engine that does not report it
    #[arg(long, value_name = "N", requires = "engine", conflicts_with = "mapping", value_parser = clap::value_parser!(u8).range(1..))]
    parameters: Option<u8>,

    #[command(flatten)]
    patience: PatienceArgument,
}

impl EngineArguments {
    /// Arguments put together by a command that uses some of these names for other things.
    pub fn of(
        engine: Option<&String>,
        mapping: Option<&PathBuf>,
        policy: Option<Policy>,
        parameters: Option<u8>,
    ) -> EngineArguments {
        let (engine, mapping, patience) = (engine.cloned(), mapping.cloned(), PatienceArgument::default());
        EngineArguments { engine, mapping, policy, parameters, patience }
    }

    /// With this patience.
    #[must_use]
    pub fn with_patience(self, patience: Option<NonZeroU64>) -> EngineArguments {
        EngineArguments { patience: PatienceArgument { patience }, ..self }
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
        let engine = ExternalEngine::new(text, mapping, self.policy, self.parameters)?;
        Ok(Some(engine.with_patience(self.patience.patience)))
    }
}
