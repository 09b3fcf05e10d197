//! The `position` command: a game with its history, so that the search sees repetitions.

use plysmith_core::game::{MoveError, PositionError};
use plysmith_core::games::chess::chess960;
use plysmith_core::games::{GameInfo, Playing, Start, StartError};
use thiserror::Error;

/// The current game, and the words that set it up.
pub struct CurrentGame {
    place: String,
    moves: Vec<String>,
    playing: Playing,
}

/// An error in a `position` command.
#[derive(Debug, Error)]
pub enum PositionCommandError {
    #[error("there is no position; expected 'position startpos' or 'position fen TEXT', then perhaps 'moves M…'")]
    Missing,
    #[error("position '{text}', character {place}: {error}", place = error.offset + 1)]
    Position { text: String, error: PositionError },
    #[error("move {number}: {error}")]
    Move { number: usize, error: MoveError },
    #[error(transparent)]
    Start(#[from] StartError),
}

impl CurrentGame {
    /// The start position of a game.
    pub fn start(game: &GameInfo) -> Result<CurrentGame, PositionCommandError> {
        CurrentGame::open(game, (game.start)(&Start::default())?)
    }

    /// The game so far.
    pub fn playing(&self) -> &Playing {
        &self.playing
    }

    /// Reads what follows `position`.
    ///
    /// GUIs send all moves of the game each time; moves that are played already are not played again.
    pub fn read(
        &self,
        game: &GameInfo,
        words: &[&str],
        is_chess960: bool,
    ) -> Result<CurrentGame, PositionCommandError> {
        let end = words.iter().position(|&word| word == "moves").unwrap_or(words.len());
        let (place, moves) = words.split_at(end);
        let moves = moves.get(1..).unwrap_or_default();
        let place = match place {
            [] | ["fen"] => return Err(PositionCommandError::Missing),
            // Unknown words are ignored.
            ["startpos", ..] => (game.start)(&Start::default())?,
            ["fen", text @ ..] | text => text.join(" "),
        };
        // What cannot be read is refused below.
        let place = if is_chess960 { chess960::canonical(&place).unwrap_or(place) } else { place };
        let mut setup = if self.place == place && self.moves.iter().eq(moves.iter().take(self.moves.len())) {
            CurrentGame { place, moves: self.moves.clone(), playing: self.playing.clone() }
        } else {
            CurrentGame::open(game, place)?
        };
        for (index, &m) in moves.iter().enumerate().skip(setup.moves.len()) {
            setup.playing.play(m).map_err(|error| PositionCommandError::Move { number: index + 1, error })?;
            setup.moves.push(m.to_string());
        }
        Ok(setup)
    }

    fn open(game: &GameInfo, place: String) -> Result<CurrentGame, PositionCommandError> {
        match (game.open)(&place) {
            Ok(position) => Ok(CurrentGame { place, moves: Vec::new(), playing: Playing::new(position) }),
            Err(error) => Err(PositionCommandError::Position { text: place, error }),
        }
    }
}

#[cfg(test)]
mod tests {
    use plysmith_core::games::find;

    use super::CurrentGame;

    #[test]
    fn going_on_is_the_same_as_beginning_again() {
        let game = find("chess").unwrap();
        let start = CurrentGame::start(game).unwrap();
        let all = ["startpos", "moves", "g1f3", "g8f6", "f3g1", "f6g8", "e2e4", "e7e5", "g1f3", "g8f6"];
        let mut last = CurrentGame::start(game).unwrap();
        for end in 1..=all.len() {
            let fresh = start.read(game, &all[..end], false).unwrap();
            last = last.read(game, &all[..end], false).unwrap();
            assert_eq!(last.playing().position().text(), fresh.playing().position().text());
            assert_eq!(last.playing().past(), fresh.playing().past());
        }
        // A pawn's move cannot be taken back: what was before it is forgotten.
        assert_eq!(last.playing().past().len(), 2);
        let shorter = last.read(game, &all[..3], false).unwrap();
        assert_eq!(shorter.playing().past().len(), 1);
        assert!(last.read(game, &["startpos", "moves", "g1f3", "g8f6", "f3f3"], false).is_err());
    }
}
