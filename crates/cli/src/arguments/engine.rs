//! Arguments that name an external engine.

use std::path::PathBuf;

use clap::Args;
use plysmith_runs::external_engine::{ExternalEngine, MappingFile};
use plysmith_runs::files::read_text;

use crate::failure::Failure;

/// Which external engine to measure, and how.
#[derive(Debug, Args)]
pub struct EngineArguments {
    /// Measure this engine instead of a built-in one: a program with its arguments that speaks the plug protocol, or
    /// 'uci:COMMAND;NAME=VALUE;…' for a UCI engine with options. No shell is involved
    #[arg(long, value_name = "COMMAND")]
    pub engine: Option<String>,

    /// Which options of a UCI engine each weight drives, as TOML; for a plug engine, the names and ranges of its weights
    #[arg(long, visible_alias = "map", value_name = "FILE", requires = "engine")]
    mapping: Option<PathBuf>,

    /// When a UCI engine has found the solution: 'first', 'iteration' or 'stable' [default: what the mapping says, or
    /// first]
    #[arg(long, value_name = "POLICY", requires = "engine")]
    policy: Option<String>,

    /// How many weights a plug engine takes that does not say so itself
    #[arg(long, value_name = "N", requires = "engine", conflicts_with = "mapping", value_parser = clap::value_parser!(u8).range(1..))]
    parameters: Option<u8>,
}

impl EngineArguments {
    /// Arguments put together by a command that uses some of these names for other things.
    pub fn of(
        engine: Option<&String>,
        mapping: Option<&PathBuf>,
        policy: Option<&String>,
        parameters: Option<u8>,
    ) -> EngineArguments {
        EngineArguments { engine: engine.cloned(), mapping: mapping.cloned(), policy: policy.cloned(), parameters }
    }

    /// The engine that is meant, if one is named.
    pub fn resolve(&self) -> Result<Option<ExternalEngine>, Failure> {
        let Some(text) = &self.engine else { return Ok(None) };
        let mapping = match &self.mapping {
            None => None,
            Some(path) => {
                let contents = read_text(path, "a mapping in TOML", false)?;
                Some(MappingFile { name: path.display().to_string(), contents })
            }
        };
        let policy = self.policy.as_deref().map(str::parse).transpose().map_err(Failure::input)?;
        Ok(Some(ExternalEngine::new(text, mapping, policy, self.parameters)?))
    }
}
