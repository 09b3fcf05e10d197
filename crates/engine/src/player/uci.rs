//! A UCI engine as a player: its command line and options.

use plysmith_core::games::GameInfo;

use crate::process::{EngineCommand, EngineError, SpawnMode, TrafficLog};
use crate::uci::client::options::HASH;
use crate::uci::client::{UciEngine, UciTimeouts, VARIANT};

/// A UCI engine with its options.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct UciPlayer {
    /// Its command line.
    pub command: EngineCommand,
    /// Its options in the order in which they are set. A button has an empty value.
    pub options: Vec<(String, String)>,
}

impl UciPlayer {
    /// Starts it, selects the game, and sets its options. Its traffic is written to a file, if there is one.
    pub fn start(
        &self,
        game: &GameInfo,
        spawn_mode: SpawnMode,
        timeouts: UciTimeouts,
        traffic: Option<&TrafficLog>,
    ) -> Result<UciEngine, EngineError> {
        let mut engine = UciEngine::start_logged(&self.command, spawn_mode, timeouts, traffic)?;
        engine.set_comparable_options()?;
        if !self.options.iter().any(|(name, _)| name == VARIANT) {
            engine.select_game(game, "match")?;
        }
        for (name, value) in &self.options {
            engine.set(name, value)?;
        }
        engine.new_game()?;
        Ok(engine)
    }

    /// The size of its table in MiB, if it is given one.
    pub(super) fn hash(&self) -> Option<i64> {
        let (_, value) = self.options.iter().rev().find(|(name, _)| name.eq_ignore_ascii_case(HASH))?;
        value.parse().ok()
    }

    /// A player from its command line, its folder and its options.
    pub(super) fn new(
        command: &str,
        folder: Option<String>,
        options: Vec<(String, String)>,
    ) -> Result<UciPlayer, String> {
        let command = command.parse::<EngineCommand>().map_err(|error| error.to_string())?;
        Ok(UciPlayer { command: EngineCommand { folder, ..command }, options })
    }
}
