//! Notes on positions that are not evaluated as the settings say, because learned weights are for boards of another size.

use std::collections::BTreeSet;

use plysmith_core::games::GameInfo;
use plysmith_core::settings::Settings;

use crate::services::Services;

/// Tells the user, once for each heuristic and size of board.
pub fn note_fallbacks<'a>(
    game: &GameInfo,
    settings: &[Settings],
    positions: impl IntoIterator<Item = &'a str>,
    services: &Services,
) {
    let mut notes = BTreeSet::new();
    for position in positions.into_iter().filter_map(|text| game.parse_position(text).ok()) {
        notes.extend(settings.iter().filter_map(|settings| game.evaluation_note(settings, &*position)));
    }
    notes.iter().for_each(|note| services.note(format!("note: {note}")));
}
