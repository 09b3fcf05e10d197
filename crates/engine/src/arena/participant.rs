//! Who takes part in a contest: a configuration of the built-in engine, or a foreign engine.

use std::fmt;

use plysmith_core::games::GameInfo;

use super::player::{Player, PlayerError};
use crate::process::{EngineCommand, EngineError, Launch};
use crate::uci::{Patience, Uci};

/// A player of either kind. As text: `modern+Ud@0.5`, or `uci:gnuchess --uci;Hash=16`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Participant {
    /// The built-in engine.
    BuiltIn(Player),
    /// A process.
    Foreign(ForeignPlayer),
}

/// A UCI engine with its options. As text: its command line, then options, all between semicolons:
/// `uci:/usr/games/gnuchess --uci;Hash=16;OwnBook=false`. Quotes keep a semicolon where it is.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ForeignPlayer {
    /// What to start.
    pub command: EngineCommand,
    /// What to set, in this order. A button has no value.
    pub options: Vec<(String, String)>,
}

/// How a foreign engine is told from a preset.
pub const PREFIX: &str = "uci:";
/// How engines of many games are told which one it is.
const VARIANT: &str = "UCI_Variant";

impl Participant {
    /// Reads a player.
    pub fn parse(game: &GameInfo, text: &str) -> Result<Participant, PlayerError> {
        match text.strip_prefix(PREFIX) {
            Some(engine) => ForeignPlayer::parse(engine)
                .map(Participant::Foreign)
                .map_err(|reason| PlayerError::Engine { text: text.to_string(), reason }),
            None => Player::parse(game, text).map(Participant::BuiltIn),
        }
    }

    /// The player's one canonical text.
    pub fn print(&self, game: &GameInfo) -> String {
        match self {
            Participant::BuiltIn(player) => player.print(game),
            Participant::Foreign(player) => format!("{PREFIX}{player}"),
        }
    }

    /// The built-in player, if it is one.
    pub fn built_in(&self) -> Option<&Player> {
        match self {
            Participant::BuiltIn(player) => Some(player),
            Participant::Foreign(_) => None,
        }
    }
}

impl From<Player> for Participant {
    fn from(player: Player) -> Participant {
        Participant::BuiltIn(player)
    }
}

impl ForeignPlayer {
    /// Starts it, sets it up for this game, and sets its options.
    pub fn start(&self, game: &GameInfo, launch: Launch, patience: Patience) -> Result<Uci, EngineError> {
        let mut engine = Uci::start(&self.command, launch, patience)?;
        engine.set_comparable_options()?;
        if game.name != "chess" && !self.options.iter().any(|(name, _)| name == VARIANT) {
            engine.set(VARIANT, game.name)?;
        }
        for (name, value) in &self.options {
            engine.set(name, value)?;
        }
        engine.new_game()?;
        Ok(engine)
    }

    fn parse(text: &str) -> Result<ForeignPlayer, String> {
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
        Ok(ForeignPlayer { command, options })
    }
}

impl fmt::Display for ForeignPlayer {
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

#[cfg(test)]
mod tests {
    use plysmith_core::games;

    use super::Participant;

    #[test]
    fn foreign_players_read_back() {
        let game = games::find("chess").unwrap();
        let print = |text: &str| Participant::parse(game, text).unwrap().print(game);
        for text in [
            "uci:gnuchess --uci",
            "uci:/usr/games/glaurung;Check Extension (PV nodes)=0;Hash=16",
            "uci:'/opt/my engines/one' --uci;Clear Hash",
            "uci:engine;Path=\"/a;/b\";Hash=1",
            "modern",
        ] {
            assert_eq!(print(text), text);
        }
        assert_eq!(print("uci:  toga2 ; Hash = 8 ;"), "uci:toga2;Hash=8");
        let error = |text: &str| Participant::parse(game, text).unwrap_err().to_string();
        assert!(error("uci:").contains("player 'uci:'") && error("uci:").contains("like 'gnuchess --uci'"));
        assert!(error("uci:x;=3").contains("'=3' is not an option"));
        assert!(error("uci:'x").contains("never closed"));
        assert!(error("gnuchess --uci").contains("uci:"), "{}", error("gnuchess --uci"));
    }
}
