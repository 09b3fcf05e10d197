//! The external engines that a host offers: a name and a command line for each, given by whoever runs the host.
//!
//! A job names an engine by its content. It is run by the host's command line, never by that of the message, and the
//! arguments that are not files must be those of the job.

use std::path::Path;

use plysmith_engine::driver::content_key;
use plysmith_engine::process::{EngineCommand, SpawnMode};
use plysmith_engine::uci::client::options::{OptionKind, find};
use plysmith_engine::uci::client::{UciEngine, UciTimeouts};

use super::hosted::Refusal;
use crate::error::RunError;

/// External engines, by name.
#[derive(Clone, Debug, Default)]
pub struct OfferedEngines(Vec<OfferedEngine>);

/// An external engine.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct OfferedEngine {
    /// What this host calls it.
    pub name: String,
    /// How it is started here.
    pub command: EngineCommand,
    /// The content key of its program and of the files that its arguments name.
    pub content: String,
}

impl OfferedEngines {
    /// Adds an engine. Its program is read.
    pub fn offer(&mut self, name: &str, command: &str) -> Result<(), RunError> {
        let command: EngineCommand = command.parse()?;
        let content = content_key(&command)
            .map_err(|error| RunError::input(format!("cannot read the program of the engine '{name}': {error}")))?;
        if self.0.iter().any(|engine| engine.name == name) {
            return Err(RunError::input(format!("there are two engines '{name}'; give each a name of its own")));
        }
        self.0.push(OfferedEngine { name: name.to_string(), command, content });
        Ok(())
    }

    /// All of them.
    pub fn all(&self) -> &[OfferedEngine] {
        &self.0
    }

    /// The engine of a job: this content, started by a command line with these arguments.
    pub(super) fn find(&self, command: &EngineCommand, content: &str) -> Result<&OfferedEngine, Refusal> {
        let offered = self.0.iter().filter(|engine| engine.content == content);
        let found = offered.clone().find(|engine| words_of(&engine.command) == words_of(command));
        found.ok_or_else(|| match offered.count() {
            0 => Refusal::refused(format!("this host does not offer an engine with the content {content}")),
            _ => Refusal::refused(format!("this host offers the engine {content} with other arguments")),
        })
    }
}

/// The arguments of a command line. Those that are files are part of the content and named without their folders.
fn words_of(command: &EngineCommand) -> Vec<String> {
    let name = |word: &String| match Path::new(word).file_name().and_then(|name| name.to_str()) {
        Some(name) if word.contains(std::path::MAIN_SEPARATOR) => name.to_string(),
        _ => word.clone(),
    };
    command.arguments.iter().map(name).collect()
}

impl OfferedEngine {
    /// Fails if a message gives the engine an option that takes any text: it may be the name of a file that the engine
    /// writes. The engine is started to see what its options are.
    pub(super) fn check_options(&self, options: &[(String, String)]) -> Result<(), Refusal> {
        let refused = |name: &str| {
            Refusal::refused(format!(
                "the option '{name}' of '{}' may name a file; hosts set numbers, switches and choices only",
                self.name
            ))
        };
        if let Some((name, _)) = options.iter().find(|(_, value)| value.contains(['/', '\\'])) {
            return Err(refused(name));
        }
        if options.is_empty() {
            return Ok(());
        }
        let started = UciEngine::start(&self.command, SpawnMode::Guarded, UciTimeouts::default());
        let engine = started.map_err(|error| Refusal::Failed(error.to_string()))?;
        let known = engine.options().to_vec();
        engine.quit();
        for (name, _) in options {
            if let OptionKind::String { .. } = find(&known, name).map_err(Refusal::Refused)?.kind {
                return Err(refused(name));
            }
        }
        Ok(())
    }
}
