//! The table of games, and how the layers above see a game: as text.
//!
//! To add a game, write its folder, with [`crate::game::Game`] for the rules and [`Registered`] for names, suites and
//! bench positions; add its line to [`GAMES`]; and run [`crate::conform`] on it.
//!
//! | file | what |
//! | --- | --- |
//! | `info` | what a game declares about itself |
//! | `any` | positions of any game, as text |
//! | `playing` | a game in progress |
//! | `breakthrough`, `chess` | the games |

mod any;
pub mod breakthrough;
pub mod chess;
mod info;
mod playing;

use thiserror::Error;

use crate::similar::nearest;

pub use any::AnyPosition;
pub use info::{BundledGradedSuite, BundledSuite, GameInfo, Registered, Start, StartError};
pub use playing::Playing;

/// Every game there is.
pub const GAMES: &[GameInfo] = &[breakthrough::INFO, chess::INFO];

/// A game that is not in the table.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("there is no game '{name}'; {hint}expected one of {known}", known = GAMES.iter().map(|game| game.name).collect::<Vec<_>>().join(", "))]
pub struct UnknownGame {
    /// What was read.
    pub name: String,
    /// What was probably meant, as a question.
    pub hint: String,
}

/// The game of this name.
pub fn find(name: &str) -> Result<&'static GameInfo, UnknownGame> {
    GAMES.iter().find(|game| game.name == name).ok_or_else(|| {
        let meant = nearest(name, GAMES.iter().map(|game| game.name));
        UnknownGame {
            name: name.to_string(),
            hint: meant.map_or(String::new(), |meant| format!("did you mean {meant}? ")),
        }
    })
}

#[cfg(test)]
mod tests {
    use super::GAMES;
    use crate::suite::{graded, text};

    /// By these openings are judged, which must not change when weights are learned.
    #[test]
    fn hand_crafted_evaluations_have_no_learned_weights() {
        for game in GAMES {
            assert_eq!((game.embedded_weights)(game.presets.handcrafted_heuristic), None, "{}", game.name);
        }
    }

    #[test]
    fn every_game_opens_what_it_declares() {
        for game in GAMES {
            for position in game.bench {
                assert_eq!((game.open)(position).unwrap().text(), *position);
            }
            for suite in game.suites {
                assert!(text::parse(game, suite.name, suite.text).is_ok(), "{}", suite.name);
            }
            if let Some(suite) = game.graded {
                let read = graded::parse(game, suite.name, suite.text).unwrap();
                assert!(read.judge().is_some() && read.positions.len() >= 300, "{}", suite.name);
                assert!(read.positions.iter().all(|position| position.value_count() > 0), "{}", suite.name);
            }
            let start = (game.start)(&super::Start::default()).unwrap();
            assert_eq!(start, game.bench[0]);
        }
    }
}
