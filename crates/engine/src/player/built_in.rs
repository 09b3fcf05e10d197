//! The built-in engine as a player: search settings, and a scheme of features with weights.

use plysmith_core::depth::Weight;
use plysmith_core::feature::Scheme;
use plysmith_core::games::GameInfo;
use plysmith_core::settings::{Settings, SettingsError};

use super::PlayerError;
use crate::mate_search::MateSearch;
use crate::schemes::parse_scheme;
use crate::weights::{WeightsError, load_named, parse_settings, parse_stored_settings};

/// A configuration of the built-in engine. As text: `classic`, or `modern,table=64+Ud-RdTt@0.5`, or, in chess,
/// `modern,mate-search=df-pn`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct BuiltInPlayer {
    /// Its search settings.
    pub settings: Settings,
    /// Which moves it searches deeper or shallower.
    pub scheme: Scheme,
    /// The mate search before each search, if there is one.
    pub mate_search: Option<MateSearch>,
}

impl BuiltInPlayer {
    /// A player without a mate search.
    pub fn new(settings: Settings, scheme: Scheme) -> BuiltInPlayer {
        BuiltInPlayer { settings, scheme, mate_search: None }
    }

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
        let (settings, mate_search) = MateSearch::take_from(game, settings)
            .map_err(|error| PlayerError::MateSearch { text: text.to_string(), error })?;
        Ok(BuiltInPlayer {
            mate_search,
            settings: parse_settings(game, &settings)
                .map_err(|error| PlayerError::Settings { text: text.to_string(), error })?,
            scheme: parse_scheme(game.vocabulary, scheme, Weight::HALF)
                .map_err(|error| PlayerError::Scheme { text: text.to_string(), error })?,
        })
    }

    /// The player's canonical text.
    pub fn print(&self, game: &GameInfo) -> String {
        let mate_search = self.mate_search.map_or(String::new(), MateSearch::print);
        let settings = game.print_settings(&self.settings) + &mate_search;
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
        assert!(error("modern,mate-search=df-pn").contains("only chess players have a mate search"));
        assert!(error("fast+Ud").starts_with("player 'fast+Ud': 'fast' is not a preset"));
        assert!(error("classic+Foo").starts_with("player 'classic+Foo': 'Foo' is not a feature"));
    }

    #[test]
    fn a_mate_search_is_a_part_of_the_text() {
        let game = games::find("chess").unwrap();
        let print = |text: &str| BuiltInPlayer::parse(game, text).unwrap().print(game);
        for text in ["modern,mate-search=df-pn", "modern,table=64,mate-search=evolved,mate-share=25+AcK@0.5"] {
            assert_eq!(print(text), text);
        }
        assert_eq!(print("modern,mate-search=dfpn,table=8,mate-share=10"), "modern,table=8,mate-search=df-pn");
        assert_eq!(print("modern,mate-search=off"), "modern");
        let error = |text: &str| BuiltInPlayer::parse(game, text).unwrap_err().to_string();
        assert!(
            error("modern,mate-search=x").contains("'x' is not a mate search; expected one of off, df-pn, evolved")
        );
        assert!(error("modern,mate-search=df-pn,mate-share=91").contains("from 1 to 90"));
        assert!(error("modern,mate-share=5").contains("add 'mate-search=df-pn'"));
    }
}
