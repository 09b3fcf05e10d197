//! The built-in engine as a player: search settings, and a scheme of features with weights.

use plysmith_core::depth::Weight;
use plysmith_core::feature::Scheme;
use plysmith_core::games::GameInfo;
use plysmith_core::settings::{Settings, SettingsError};

use super::PlayerError;
use crate::schemes::parse_scheme;
use crate::weights::{WeightsError, load_named, parse_settings, parse_stored_settings};

/// A configuration of the built-in engine. As text: `classic`, or `modern,table=64+Ud-RdTt@0.5`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct BuiltInPlayer {
    /// Its search settings.
    pub settings: Settings,
    /// Which moves it searches deeper or shallower.
    pub scheme: Scheme,
}

impl BuiltInPlayer {
    /// Reads `SETTINGS[+SCHEME]` and the files that they name; the scheme may be `@FILE`.
    pub fn parse(game: &GameInfo, text: &str) -> Result<BuiltInPlayer, PlayerError> {
        BuiltInPlayer::parse_with(game, text, parse_settings)
    }

    /// Reads a stored text without the weight file that it names; see [`load_named`].
    pub fn parse_stored(game: &GameInfo, text: &str) -> Result<BuiltInPlayer, PlayerError> {
        BuiltInPlayer::parse_with(game, text, parse_stored_settings)
    }

    /// Loads the weight file that a stored text named.
    pub fn load(&self, game: &GameInfo) -> Result<(), WeightsError> {
        load_named(game, &self.settings)
    }

    fn parse_with(
        game: &GameInfo,
        text: &str,
        parse_settings: fn(&GameInfo, &str) -> Result<Settings, SettingsError>,
    ) -> Result<BuiltInPlayer, PlayerError> {
        let (settings, scheme) = text.split_once('+').unwrap_or((text, "Neutral"));
        Ok(BuiltInPlayer {
            settings: parse_settings(game, settings)
                .map_err(|error| PlayerError::Settings { text: text.to_string(), error })?,
            scheme: parse_scheme(game.vocabulary, scheme, Weight::HALF)
                .map_err(|error| PlayerError::Scheme { text: text.to_string(), error })?,
        })
    }

    /// The player's canonical text.
    pub fn print(&self, game: &GameInfo) -> String {
        let settings = game.print_settings(&self.settings);
        if self.scheme.is_neutral() {
            return settings;
        }
        format!("{settings}+{}", game.vocabulary.print_scheme(&self.scheme))
    }
}

#[cfg(test)]
mod tests {
    use plysmith_core::games;

    use super::BuiltInPlayer;

    #[test]
    fn players_read_back_and_errors_name_the_part() {
        let game = games::find("breakthrough").unwrap();
        for text in ["classic", "modern", "classic+Ud-Rdt@0.5", "modern,table=64+RdTt@0.25,Ud-PP@0.75"] {
            assert_eq!(BuiltInPlayer::parse(game, text).unwrap().print(game), text);
        }
        assert_eq!(BuiltInPlayer::parse(game, "classic+RdTt-Ud").unwrap().print(game), "classic+Ud-RdTt@0.5");
        let error = |text| BuiltInPlayer::parse(game, text).unwrap_err().to_string();
        assert!(error("fast+Ud").starts_with("player 'fast+Ud': 'fast' is not a preset"));
        assert!(error("classic+Foo").starts_with("player 'classic+Foo': 'Foo' is not a feature"));
    }
}
