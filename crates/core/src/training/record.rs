//! A training game as text: `1-0 b1b2 g7g6 : c2c3 12 (d2d3 -40) d7d6 -8`.
//!
//! First White's result, then the moves of the opening up to the colon, then every move with the score of its search.
//! A branch stands in brackets behind the move that was played instead of it. Scores are those of the side to move; that
//! of a branch is the score of the opponent, who moves next.

use std::fmt;
use std::str::FromStr;

use thiserror::Error;

use crate::outcome::Outcome;
use crate::score::Score;

/// A training game.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct TrainingGame {
    /// The random moves at its beginning.
    pub opening: Vec<String>,
    /// The moves of the players.
    pub plies: Vec<TrainingPly>,
    /// White's result.
    pub result: Outcome,
}

/// A move of a training game.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct TrainingPly {
    /// The move.
    pub m: String,
    /// The score of its search, for the side to move.
    pub score: Score,
    /// Another move that was tried.
    pub branch: Option<Branch>,
}

/// A random move, and what its position was found to be worth.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Branch {
    /// The move.
    pub m: String,
    /// The score of the position after it, for the side to move there.
    pub score: Score,
}

/// A text that is no training game.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("'{0}' is not a training game; expected something like '{EXAMPLE}'")]
pub struct TrainingGameError(pub String);

const EXAMPLE: &str = "1-0 b1b2 g7g6 : c2c3 12 (d2d3 -40) d7d6 -8";

/// Ends the opening.
const COLON: &str = ":";

impl fmt::Display for TrainingGame {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.result.pgn())?;
        self.opening.iter().try_for_each(|m| write!(f, " {m}"))?;
        write!(f, " {COLON}")?;
        for TrainingPly { m, score, branch } in &self.plies {
            write!(f, " {m} {}", score.units())?;
            if let Some(Branch { m, score }) = branch {
                write!(f, " ({m} {})", score.units())?;
            }
        }
        Ok(())
    }
}

impl FromStr for TrainingGame {
    type Err = TrainingGameError;

    fn from_str(text: &str) -> Result<TrainingGame, TrainingGameError> {
        parse(text).ok_or_else(|| TrainingGameError(text.to_string()))
    }
}

fn parse(text: &str) -> Option<TrainingGame> {
    let mut words = text.split(' ');
    let result = Outcome::from_pgn(words.next()?)?;
    let opening = words.by_ref().take_while(|word| *word != COLON).map(str::to_string).collect();
    let mut plies: Vec<TrainingPly> = Vec::new();
    while let Some(word) = words.next() {
        let score = words.next()?;
        match (word.strip_prefix('('), plies.last_mut()) {
            (Some(m), Some(last)) => {
                last.branch = Some(Branch { m: m.to_string(), score: parse_score(score.strip_suffix(')')?)? });
            }
            (Some(_), None) => return None,
            (None, _) => plies.push(TrainingPly { m: word.to_string(), score: parse_score(score)?, branch: None }),
        }
    }
    Some(TrainingGame { opening, plies, result })
}

fn parse_score(text: &str) -> Option<Score> {
    text.parse().ok().map(Score::from_units)
}

#[cfg(test)]
mod tests {
    use super::{EXAMPLE, TrainingGame};
    use crate::outcome::Outcome;
    use crate::score::Score;

    #[test]
    fn games_read_back() {
        for text in [EXAMPLE, "0-1 :", "1/2-1/2 : e2e4 0", "0-1 e2e4 : e7e5 -31990 (a7a6 31991)"] {
            let game: TrainingGame = text.parse().unwrap();
            assert_eq!(game.to_string(), text);
        }
        let game: TrainingGame = EXAMPLE.parse().unwrap();
        assert_eq!((game.result, game.opening.len(), game.plies.len()), (Outcome::Win, 2, 2));
        let branch = game.plies[0].branch.as_ref().unwrap();
        assert_eq!((branch.m.as_str(), branch.score), ("d2d3", Score::evaluation(-40)));
    }

    #[test]
    fn errors_show_the_text_and_an_example() {
        for text in ["", "2-0 :", "1-0 : e2e4", "1-0 : e2e4 x", "1-0 : (e2e4 3)", "1-0 : e2e4 3 (d2d4 3"] {
            let error = text.parse::<TrainingGame>().unwrap_err().to_string();
            assert!(error.starts_with(&format!("'{text}'")) && error.contains(EXAMPLE), "{error}");
        }
    }
}
