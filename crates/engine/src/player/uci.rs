//! A UCI engine as a player: its command line and options.

use std::fmt;

use plysmith_core::games::GameInfo;

use crate::process::{EngineCommand, EngineError, SpawnMode};
use crate::uci::client::options::HASH;
use crate::uci::client::{UciEngine, UciTimeouts, VARIANT};

/// A UCI engine with its options. As text: its command line and options, separated by semicolons:
/// `uci:/usr/games/gnuchess --uci;Hash=16;OwnBook=false`. A semicolon in quotes does not separate.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct UciPlayer {
    /// Its command line.
    pub command: EngineCommand,
    /// Its options in the order in which they are set. A button has an empty value.
    pub options: Vec<(String, String)>,
}

impl UciPlayer {
    /// Starts it, selects the game, and sets its options.
    pub fn start(
        &self,
        game: &GameInfo,
        spawn_mode: SpawnMode,
        timeouts: UciTimeouts,
    ) -> Result<UciEngine, EngineError> {
        let mut engine = UciEngine::start(&self.command, spawn_mode, timeouts)?;
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

    /// Reads the command line and the options, without the prefix.
    pub(super) fn parse(text: &str) -> Result<UciPlayer, String> {
        let mut parts = split(text).into_iter();
        let command = parts.next().unwrap_or_default().parse::<EngineCommand>().map_err(|error| error.to_string())?;
        let mut options = Vec::new();
        for part in parts.filter(|part| !part.trim().is_empty()) {
            let (name, value) = part.split_once('=').unwrap_or((part, ""));
            let (name, value) = (name.trim(), unquoted(value.trim()));
            if name.is_empty() {
                return Err(format!("'{part}' is not an option; expected NAME=VALUE, like 'Hash=16'"));
            }
            options.push((name.to_string(), value.to_string()));
        }
        Ok(UciPlayer { command, options })
    }
}

impl fmt::Display for UciPlayer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.command)?;
        self.options.iter().try_for_each(|(name, value)| match value.as_str() {
            "" => write!(f, ";{name}"),
            value if value.contains(';') => write!(f, ";{name}=\"{value}\""),
            value => write!(f, ";{name}={value}"),
        })
    }
}

/// The parts between semicolons that are not in quotes.
fn split(text: &str) -> Vec<&str> {
    let (mut parts, mut begin, mut quote) = (Vec::new(), 0, None);
    for (at, letter) in text.char_indices() {
        match (quote, letter) {
            (None, ';') => {
                parts.push(&text[begin..at]);
                begin = at + 1;
            }
            (None, '\'' | '"') => quote = Some(letter),
            (Some(open), _) if open == letter => quote = None,
            _ => {}
        }
    }
    parts.push(&text[begin..]);
    parts
}

fn unquoted(text: &str) -> &str {
    let inside = |quote: char| text.strip_prefix(quote)?.strip_suffix(quote);
    inside('"').or_else(|| inside('\'')).unwrap_or(text)
}
