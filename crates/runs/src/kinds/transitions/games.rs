//! The games whose moves are counted.

use plysmith_core::games::{AnyPosition, GameInfo};
use plysmith_core::pgn::Reader;
use plysmith_core::training::{TrainingGame, TrainingPlan};
use plysmith_engine::weights::parse_settings;

use super::config::{Config, RecordFile, Source};
use crate::error::RunError;
use crate::files::skip_or_fail;
use crate::self_play::SelfPlay;
use crate::services::Services;

/// Games that are known, or that are to be played.
pub enum Games {
    /// Records that were read.
    Recorded(Vec<GameMoves>),
    /// Self-play.
    SelfPlay {
        /// The position that all games begin with.
        start: Box<dyn AnyPosition>,
        /// How they are played.
        plan: Box<TrainingPlan>,
        /// Number of games.
        games: u64,
    },
}

/// A game: where the moves that count begin, and the moves.
pub struct GameMoves {
    /// The position before the first of them.
    pub start: String,
    /// The moves.
    pub moves: Vec<PlayedMove>,
}

/// A move of a game.
pub struct PlayedMove {
    /// The move.
    pub m: String,
    /// Whether the search that chose it found that it loses by force.
    pub is_lost: bool,
}

impl Games {
    /// Reads records, so that errors in them are noticed before a run is stored; or finds out how games are played.
    pub fn open(config: &Config, game: &'static GameInfo, services: &Services) -> Result<Games, RunError> {
        match &config.source {
            Source::SelfPlay { start, player, nodes, games, seed } => {
                let start = game.parse_position(start);
                let start = start.map_err(|error| RunError::input(format!("start position: {error}")))?;
                let settings = parse_settings(game, player).map_err(RunError::input)?;
                let plan = TrainingPlan { settings, nodes: *nodes, seed: *seed, rules: game.training };
                Ok(Games::SelfPlay { start, plan: Box::new(plan), games: *games })
            }
            Source::Records { files, skip_bad } => {
                let mut games = Vec::new();
                for file in files {
                    games.extend(read(game, file, *skip_bad, services)?);
                }
                check_moves(game, files, &games)?;
                Ok(Games::Recorded(games))
            }
        }
    }

    /// The games, played if they are to be.
    pub fn play(self, game: &'static GameInfo, services: &Services) -> Result<Vec<GameMoves>, RunError> {
        let (start, plan, games) = match self {
            Games::Recorded(games) => return Ok(games),
            Games::SelfPlay { start, plan, games } => (start, plan, games),
        };
        let progress = services.begin_progress(games);
        progress.message("self-play");
        let texts = SelfPlay { game, start: &*start, plan: *plan, games }.play(services, &progress)?;
        let number = |(number, text): (usize, &String)| {
            of_training(&*start, text).map_err(|error| RunError::failed(format!("training game {number}: {error}")))
        };
        texts.iter().enumerate().map(number).collect()
    }
}

/// The games of a file.
fn read(
    game: &'static GameInfo,
    file: &RecordFile,
    skip_bad: bool,
    services: &Services,
) -> Result<Vec<GameMoves>, RunError> {
    let name = file.path.display().to_string();
    let text = file.text(skip_bad)?;
    let (mut games, mut wrong) = (Vec::new(), Vec::new());
    for record in Reader::new(game, &text) {
        if services.cancel.is_cancelled() {
            return Err(RunError::Cancelled(None));
        }
        match record {
            Ok(record) => {
                let moves = record.moves.into_iter().map(|recorded| PlayedMove { m: recorded.m, is_lost: false });
                games.push(GameMoves { start: record.start, moves: moves.collect() });
            }
            Err(error) => wrong.push(error.to_string()),
        }
        // The first error ends it, unless all are to be listed.
        if !skip_bad && !wrong.is_empty() {
            break;
        }
    }
    skip_or_fail(&name, &wrong, skip_bad, &|note| services.note(note))?;
    if games.is_empty() {
        return Err(RunError::input(format!("{name}: there is no game in it; expected {} games as PGN", game.name)));
    }
    Ok(games)
}

fn check_moves(game: &GameInfo, files: &[RecordFile], games: &[GameMoves]) -> Result<(), RunError> {
    if games.iter().any(|game| !game.moves.is_empty()) {
        return Ok(());
    }
    let names: Vec<_> = files.iter().map(|file| file.path.display().to_string()).collect();
    Err(RunError::input(format!("{}: no game has a move; expected {} games as PGN", names.join(", "), game.name)))
}

/// A game of self-play behind its random opening.
fn of_training(start: &dyn AnyPosition, text: &str) -> Result<GameMoves, RunError> {
    let record: TrainingGame = text.parse().map_err(RunError::failed)?;
    let mut position = start.boxed();
    for m in &record.opening {
        position = position.play(m).map_err(RunError::failed)?;
    }
    let moves = record.plies.into_iter().map(|ply| PlayedMove { m: ply.m, is_lost: ply.score.is_forced_loss() });
    Ok(GameMoves { start: position.text(), moves: moves.collect() })
}
