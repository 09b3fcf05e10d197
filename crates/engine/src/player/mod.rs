//! Players: a configuration of the built-in engine, or a UCI engine.
//!
//! | file | what |
//! | --- | --- |
//! | `built_in` | the built-in engine: search settings and a scheme of features |
//! | `uci` | a UCI engine: its command line and options |
//! | `text` | the grammar of a player's text |
//!
//! Both have one canonical text, which identifies them on the command line and in stored games. Players that differ only in
//! their names are different players.

mod built_in;
mod text;
mod uci;

use plysmith_core::feature::FeatureError;
use plysmith_core::games::GameInfo;
use plysmith_core::search::Workspace;
use plysmith_core::settings::SettingsError;
use thiserror::Error;

use crate::mate_search::{MateSearch, MateSearchError};
use crate::move_limit::MoveLimit;
use crate::uci::client::options::mib_to_bytes;
pub use built_in::BuiltInPlayer;
use text::PlayerText;
pub use uci::UciPlayer;

/// A player. As text: `modern+Ud@0.5`, or `uci:gnuchess --uci;name=GNU;nodes=5000;Hash=16`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Participant {
    /// What searches its moves.
    pub kind: PlayerKind,
    /// What it is called in tables and records; its text if it has no name.
    pub name: Option<String>,
    /// What its moves may take, instead of what the game says.
    pub limit: Option<MoveLimit>,
}

/// What searches a player's moves.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum PlayerKind {
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
    /// A UCI engine, or what is said of a player.
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
        let wrong = |reason| PlayerError::Engine { text: text.to_string(), reason };
        let PlayerText { engine, name, folder, limit, options } = PlayerText::parse(text).map_err(wrong)?;
        let kind = match engine.strip_prefix(UCI_PREFIX) {
            Some(command) => PlayerKind::Uci(UciPlayer::new(command, folder, options).map_err(wrong)?),
            None => {
                let built_in = parse_built_in(game, engine)?;
                if folder.is_some() {
                    return Err(wrong("'dir=' is for UCI engines; the built-in engine has no folder".to_string()));
                }
                if let Some((option, _)) = options.first() {
                    return Err(wrong(format!(
                        "'{option}' is an option of UCI engines; settings of the built-in engine follow commas, like \
                         'modern,table=64'"
                    )));
                }
                PlayerKind::BuiltIn(Box::new(built_in))
            }
        };
        Ok(Participant { kind, name, limit })
    }

    /// The player's canonical text.
    pub fn print(&self, game: &GameInfo) -> String {
        let (engine, folder, options) = match &self.kind {
            PlayerKind::BuiltIn(player) => (player.print(game), None, Vec::new()),
            PlayerKind::Uci(UciPlayer { command, options }) => {
                (format!("{UCI_PREFIX}{command}"), command.folder.clone(), options.clone())
            }
        };
        let (name, limit) = (self.name.clone(), self.limit);
        engine + &PlayerText { engine: "", name, folder, limit, options }.print_rest()
    }

    /// What it is called: its name, or else its text.
    pub fn display_name(&self, game: &GameInfo) -> String {
        self.name.clone().unwrap_or_else(|| self.print(game))
    }

    /// What a move of this player may take, in a game with this limit.
    pub fn limit_in(&self, move_limit: MoveLimit) -> MoveLimit {
        self.limit.unwrap_or(move_limit)
    }

    /// The UCI engine, if it is one.
    pub fn uci(&self) -> Option<&UciPlayer> {
        match &self.kind {
            PlayerKind::BuiltIn(_) => None,
            PlayerKind::Uci(player) => Some(player),
        }
    }

    /// About how many bytes it uses when it plays; 0 if that is not known.
    pub fn memory(&self) -> u64 {
        match &self.kind {
            PlayerKind::BuiltIn(player) => {
                Workspace::bytes(&player.settings) + player.mate_search.map_or(0, MateSearch::memory)
            }
            PlayerKind::Uci(player) => player.hash().map_or(0, mib_to_bytes),
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
        match &self.kind {
            PlayerKind::BuiltIn(player) => Some(player),
            PlayerKind::Uci(_) => None,
        }
    }
}

impl From<BuiltInPlayer> for Participant {
    fn from(player: BuiltInPlayer) -> Participant {
        PlayerKind::BuiltIn(Box::new(player)).into()
    }
}

impl From<UciPlayer> for Participant {
    fn from(player: UciPlayer) -> Participant {
        PlayerKind::Uci(player).into()
    }
}

impl From<PlayerKind> for Participant {
    fn from(kind: PlayerKind) -> Participant {
        Participant { kind, name: None, limit: None }
    }
}

/// What the player with this text is called: its name, or else its text.
pub fn display_name(text: &str) -> &str {
    PlayerText::display_name(text)
}

#[cfg(test)]
mod tests {
    use plysmith_core::games;

    use super::{Participant, display_name};

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

    #[test]
    fn names_folders_and_limits_are_parts_of_the_text() {
        let game = games::find("chess").unwrap();
        let print = |text: &str| Participant::parse(game, text).unwrap().print(game);
        for text in [
            "uci:sf;name=New patch;dir=/opt/sf;nodes=500;Hash=16",
            "uci:sf;tc=40/60+0.6",
            "uci:sf;tc=1+0.01;margin=20ms",
            "uci:sf;movetime=100ms",
            "modern+AcK@0.5;name=mine;depth=6",
            "uci:sf;name=a;option.nodes=7;Name=x",
        ] {
            assert_eq!(print(text), text);
            assert_eq!(display_name(text), Participant::parse(game, text).unwrap().display_name(game));
        }
        assert_eq!(print("uci:sf;Hash=4;depth=9;name=b;movetime.x=1"), "uci:sf;name=b;depth=9;Hash=4;movetime.x=1");
        assert_eq!(print("uci:sf;movetime=0.1s;margin=50ms"), "uci:sf;movetime=100ms");
        assert_eq!((display_name("uci:sf;Hash=1"), display_name("modern;name=x")), ("uci:sf;Hash=1", "x"));
        let error = |text: &str| Participant::parse(game, text).unwrap_err().to_string();
        assert!(error("uci:sf;nodes=5;tc=1").contains("'nodes=' and 'tc='"), "{}", error("uci:sf;nodes=5;tc=1"));
        assert!(error("uci:sf;name=a;name=b").contains("'name=' is there twice"));
        assert!(error("uci:sf;name=").contains("is not a name"));
        assert!(error("uci:sf;depth=0").contains("'depth=0' is not a limit"));
        assert!(error("uci:sf;margin=5ms").contains("needs 'tc='"));
        assert!(error("modern;dir=/tmp").contains("'dir=' is for UCI engines"));
        assert!(error("modern;Hash=16").contains("'Hash' is an option of UCI engines"));
    }
}
