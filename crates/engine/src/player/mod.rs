//! Players: a configuration of the built-in engine, or a UCI engine.
//!
//! | file | what |
//! | --- | --- |
//! | `built_in` | the built-in engine: search settings and a scheme of features |
//! | `uci` | a UCI engine: its command line and options |
//!
//! Both have one canonical text, which names them on the command line and in stored games.

mod built_in;
mod uci;

use plysmith_core::feature::FeatureError;
use plysmith_core::games::GameInfo;
use plysmith_core::search::Workspace;
use plysmith_core::settings::SettingsError;
use thiserror::Error;

use crate::mate_search::{MateSearch, MateSearchError};
use crate::uci::client::options::mib_to_bytes;
pub use built_in::BuiltInPlayer;
pub use uci::UciPlayer;

/// A player of either kind. As text: `modern+Ud@0.5`, or `uci:gnuchess --uci;Hash=16`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Participant {
    /// The built-in engine.
    BuiltIn(Box<BuiltInPlayer>),
    /// A UCI engine.
    Uci(UciPlayer),
}

/// An error in a player's text.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum PlayerError {
    /// The settings, before the plus sign.
    #[error("player '{text}': {error}{}", uci_hint(error))]
    Settings {
        /// The whole text.
        text: String,
        /// The error.
        error: SettingsError,
    },
    /// The mate search.
    #[error("player '{text}': {error}")]
    MateSearch {
        /// The whole text.
        text: String,
        /// The error.
        error: MateSearchError,
    },
    /// A UCI engine.
    #[error("player '{text}': {reason}")]
    Engine {
        /// The whole text.
        text: String,
        /// The error.
        reason: String,
    },
    /// The scheme, after the plus sign.
    #[error("player '{text}': {error}")]
    Scheme {
        /// The whole text.
        text: String,
        /// The error.
        error: FeatureError,
    },
}

/// What to do if an engine was meant. Whoever names a weight file did not mean one.
fn uci_hint(error: &SettingsError) -> &'static str {
    match error {
        SettingsError::Weights(_) => "",
        _ => "; a UCI engine is written 'uci:COMMAND'",
    }
}

/// The prefix that marks a UCI engine in a player's text.
pub const UCI_PREFIX: &str = "uci:";

impl Participant {
    /// Reads a player.
    pub fn parse(game: &GameInfo, text: &str) -> Result<Participant, PlayerError> {
        Participant::parse_with(game, text, BuiltInPlayer::parse)
    }

    /// Reads a stored player without the weight file that it names; see [`BuiltInPlayer::load`].
    pub fn parse_stored(game: &GameInfo, text: &str) -> Result<Participant, PlayerError> {
        Participant::parse_with(game, text, BuiltInPlayer::parse_stored)
    }

    fn parse_with(
        game: &GameInfo,
        text: &str,
        parse_built_in: fn(&GameInfo, &str) -> Result<BuiltInPlayer, PlayerError>,
    ) -> Result<Participant, PlayerError> {
        match text.strip_prefix(UCI_PREFIX) {
            Some(engine) => UciPlayer::parse(engine)
                .map(Participant::Uci)
                .map_err(|reason| PlayerError::Engine { text: text.to_string(), reason }),
            None => parse_built_in(game, text).map(Participant::from),
        }
    }

    /// The player's canonical text.
    pub fn print(&self, game: &GameInfo) -> String {
        match self {
            Participant::BuiltIn(player) => player.print(game),
            Participant::Uci(player) => format!("{UCI_PREFIX}{player}"),
        }
    }

    /// About how many bytes it uses when it plays; 0 if that is not known.
    pub fn memory(&self) -> u64 {
        match self {
            Participant::BuiltIn(player) => {
                Workspace::bytes(&player.settings) + player.mate_search.map_or(0, MateSearch::memory)
            }
            Participant::Uci(player) => player.hash().map_or(0, mib_to_bytes),
        }
    }

    /// What its features, its evaluation and its mate search do (`GameInfo::behaviour`); empty for a UCI engine.
    pub fn behaviour(&self, game: &GameInfo) -> String {
        self.built_in().map_or(String::new(), |player| {
            let mates = player.mate_search.map_or(String::new(), |mates| format!("+{}", mates.behaviour()));
            game.behaviour(&player.settings, &player.scheme) + &mates
        })
    }

    /// Whether it is a built-in player with a transposition table, which it keeps during a game.
    pub fn keeps_table(&self) -> bool {
        self.built_in().is_some_and(|player| player.settings.switches.table_mib > 0)
    }

    /// The built-in player, if it is one.
    pub fn built_in(&self) -> Option<&BuiltInPlayer> {
        match self {
            Participant::BuiltIn(player) => Some(player),
            Participant::Uci(_) => None,
        }
    }
}

impl From<BuiltInPlayer> for Participant {
    fn from(player: BuiltInPlayer) -> Participant {
        Participant::BuiltIn(Box::new(player))
    }
}

#[cfg(test)]
mod tests {
    use plysmith_core::games;

    use super::Participant;

    #[test]
    fn external_players_read_back() {
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
