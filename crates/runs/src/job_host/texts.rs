//! Settings and players from messages. A text from a message must not make this host open a file: schemes of files are
//! refused, and weights are loaded from blobs.

use plysmith_core::games::GameInfo;
use plysmith_core::settings::{Heuristic, Settings};
use plysmith_core::weights::WeightFile;
use plysmith_engine::player::BuiltInPlayer;
use plysmith_engine::weights::parse_stored_settings;

use super::hosted::{Premises, Refusal};
use crate::remote::shared::WEIGHTS;

/// Names a scheme's file.
const FILE: char = '@';

/// The game of this name.
pub(super) fn game(name: &str) -> Result<&'static GameInfo, Refusal> {
    plysmith_core::games::find(name).map_err(Refusal::refused)
}

/// The search settings of a text, with their weights.
pub(super) fn settings(game: &'static GameInfo, text: &str, premises: &Premises<'_>) -> Result<Settings, Refusal> {
    let settings = parse_stored_settings(game, text).map_err(Refusal::refused)?;
    load_weights(game, &settings, premises)?;
    Ok(settings)
}

/// The built-in player of a text, with its weights.
pub(super) fn player(game: &'static GameInfo, text: &str, premises: &Premises<'_>) -> Result<BuiltInPlayer, Refusal> {
    if text.split('+').nth(1).is_some_and(|scheme| scheme.starts_with(FILE)) {
        return Err(Refusal::refused(format!("the player '{text}' names a file")));
    }
    let player = BuiltInPlayer::parse_stored(game, text).map_err(Refusal::refused)?;
    load_weights(game, &player.settings, premises)?;
    Ok(player)
}

/// Loads the weights that settings name, unless they are loaded.
fn load_weights(game: &'static GameInfo, settings: &Settings, premises: &Premises<'_>) -> Result<(), Refusal> {
    let Heuristic::Loaded(weights) = settings.heuristic else { return Ok(()) };
    if weights.is_loaded() {
        return Ok(());
    }
    for bytes in premises.blobs(WEIGHTS)? {
        let file = WeightFile::read(&bytes).map_err(Refusal::refused)?;
        if file.key() == weights.key() {
            return game.load_weights(&file, weights.label()).map(drop).map_err(Refusal::refused);
        }
    }
    Err(Refusal::refused(format!("the weights {:016x} did not come with the job", weights.key())))
}
