//! The positions of a training game.

use thiserror::Error;

use super::record::TrainingGame;
use super::{QuietRule, TrainingRules};
use crate::game::{Game, MoveError};
use crate::outcome::Outcome;
use crate::score::Score;

/// What is known of a position of a training game, for the side to move.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct Sample {
    /// The score of its search.
    pub score: Score,
    /// The result of the game; none of a position that was only tried.
    pub result: Option<Outcome>,
}

/// A game whose moves cannot be played.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("ply {ply} of a training game: {error}")]
pub struct ReplayError {
    /// The ply, counted from 1, with those of the opening.
    pub ply: usize,
    /// What is wrong with it.
    pub error: MoveError,
}

/// Plays a game again, and hands over its positions that an evaluation is fitted to.
pub fn replay<G: Game>(
    start: &G,
    game: &TrainingGame,
    rules: &TrainingRules,
    visit: &mut dyn FnMut(&G, &Sample),
) -> Result<(), ReplayError> {
    let mut position = start.clone();
    let mut ply = 0;
    let mut parse = |position: &G, text: &str, is_played: bool| {
        ply += usize::from(is_played);
        position.parse_move(text).map_err(|error| ReplayError { ply, error })
    };
    for text in &game.opening {
        let m = parse(&position, text, true)?;
        position = position.play(m);
    }
    for (index, found) in game.plies.iter().enumerate() {
        let m = parse(&position, &found.m, true)?;
        let is_quiet = || !position.in_check() && !position.is_tactical(m);
        if rules.quiet.is_none_or(|rule| rule.keeps(index, found.score) && is_quiet()) {
            let result = Some(game.result.for_white(position.white_to_move()));
            visit(&position, &Sample { score: found.score, result });
        }
        if let Some(branch) = &found.branch {
            let m = parse(&position, &branch.m, false)?;
            if rules.quiet.is_none_or(|rule| rule.keeps(index, branch.score)) {
                visit(&position.play(m), &Sample { score: branch.score, result: None });
            }
        }
        position = position.play(m);
    }
    Ok(())
}

impl QuietRule {
    fn keeps(&self, ply: usize, score: Score) -> bool {
        ply >= self.unsettled && score.units().abs() < self.decisive
    }
}
