//! The game of an engine that plays several: its option `UCI_Variant`.
//!
//! An engine without the option plays chess. The board's size is not part of the name: the position tells it. It also tells
//! whether it is one of Chess960, for which the option `UCI_Chess960` is set.

use plysmith_core::games::chess::chess960::is_chess960;
use plysmith_core::games::{self, GameInfo};

use super::UciEngine;
use super::options::{EngineOption, FittedValue, OptionKind};
use crate::process::{EngineError, Fault};

/// The option that selects the game.
pub const VARIANT: &str = "UCI_Variant";
/// The option by which castling is king takes own rook.
pub const CHESS960: &str = "UCI_Chess960";
const CHESS: &str = "chess";
/// How many games of an engine are named.
const MOST_NAMED: usize = 4;

impl UciEngine {
    /// Selects the game, and returns the value of the option if it was set. `command` is the command of ours that names the
    /// game, for the advice if the engine does not play it.
    pub fn select_game(&mut self, game: &GameInfo, command: &str) -> Result<Option<FittedValue>, EngineError> {
        match needed(self.options(), game.name) {
            Ok(false) => Ok(None),
            Ok(true) => self.set(VARIANT, game.name).map(Some),
            Err(plays) => {
                let reason = refusal(&self.identity().name, game.name, &plays, command);
                Err(self.error(Fault::OtherGame { reason }))
            }
        }
    }

    /// Whether it has the option for Chess960.
    pub fn has_chess960(&self) -> bool {
        self.options().iter().any(|option| option.name == CHESS960)
    }

    /// Tells the engine how castling is written in games from this position.
    pub(super) fn select_castling(&mut self, position: &str) -> Result<(), EngineError> {
        let is_wanted = is_chess960(position);
        if is_wanted == self.plays_chess960 {
            return Ok(());
        }
        if is_wanted && !self.has_chess960() {
            let reason = format!("{} does not play Chess960: it has no option {CHESS960}", self.identity().name);
            return Err(self.error(Fault::OtherGame { reason }));
        }
        self.set(CHESS960, if is_wanted { "true" } else { "false" }).map(|_| ())
    }
}

/// Whether the option must be set; an error with the games that the engine plays if this is none of them.
fn needed(options: &[EngineOption], game: &str) -> Result<bool, Vec<String>> {
    let is_game = |text: &String| text.eq_ignore_ascii_case(game);
    match options.iter().find(|option| option.name == VARIANT).map(|option| &option.kind) {
        Some(OptionKind::Combo { default, .. }) if game == CHESS && is_game(default) => Ok(false),
        Some(OptionKind::Combo { choices, .. }) if choices.iter().any(is_game) => Ok(true),
        Some(OptionKind::Combo { choices, .. }) => Err(choices.clone()),
        Some(_) => Ok(game != CHESS),
        None if game == CHESS => Ok(false),
        None => Err(vec![CHESS.to_string()]),
    }
}

fn refusal(engine: &str, game: &str, plays: &[String], command: &str) -> String {
    let known = plays.iter().find_map(|name| games::find(&name.to_lowercase()).ok());
    let advice = match (known, plays) {
        (Some(game), _) => format!("write `{command} {}`", game.name),
        (None, []) => "choose another engine".to_string(),
        (None, plays) if plays.len() <= MOST_NAMED => format!("it plays {}", plays.join(", ")),
        (None, plays) => {
            format!("it plays {} and {} more", plays[..MOST_NAMED].join(", "), plays.len() - MOST_NAMED)
        }
    };
    format!("{engine} does not play {game}; {advice}")
}

#[cfg(test)]
mod tests {
    use super::super::options::EngineOption;
    use super::{needed, refusal};

    fn option(text: &str) -> [EngineOption; 1] {
        [EngineOption::parse(text).unwrap()]
    }

    #[test]
    fn the_option_is_set_where_it_must_be() {
        let fairy = option("name UCI_Variant type combo default chess var atomic var breakthrough var chess");
        assert_eq!((needed(&fairy, "chess"), needed(&fairy, "breakthrough")), (Ok(false), Ok(true)));
        let ours = option("name UCI_Variant type combo default breakthrough var breakthrough");
        assert_eq!(needed(&ours, "breakthrough"), Ok(true));
        assert_eq!(needed(&ours, "chess"), Err(vec!["breakthrough".to_string()]));
        let other = option("name UCI_Variant type combo default Atomic var Atomic var Chess");
        assert_eq!(needed(&other, "chess"), Ok(true), "its default is another game");
        let text = option("name UCI_Variant type string default chess");
        assert_eq!((needed(&text, "chess"), needed(&text, "breakthrough")), (Ok(false), Ok(true)));
        assert_eq!((needed(&[], "chess"), needed(&[], "breakthrough")), (Ok(false), Err(vec!["chess".to_string()])));
    }

    #[test]
    fn the_advice_is_short() {
        let plays = |names: &[&str]| names.iter().map(ToString::to_string).collect::<Vec<_>>();
        let message = |names: &[&str]| refusal("Toga II", "breakthrough", &plays(names), "match");
        assert_eq!(message(&["chess"]), "Toga II does not play breakthrough; write `match chess`");
        assert_eq!(message(&["shogi", "Chess"]), "Toga II does not play breakthrough; write `match chess`");
        assert_eq!(message(&["shogi"]), "Toga II does not play breakthrough; it plays shogi");
        assert_eq!(
            message(&["a", "b", "c", "d", "e", "f"]),
            "Toga II does not play breakthrough; it plays a, b, c, d and 2 more"
        );
        assert_eq!(message(&[]), "Toga II does not play breakthrough; choose another engine");
    }
}
