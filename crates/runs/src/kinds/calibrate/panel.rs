//! The default variants of a game: what a user would try.

use plysmith_core::games::GameInfo;
use plysmith_core::settings::{Switches, Tunables};

/// Tunables that are halved and doubled.
const TUNABLES: &[&str] = &["LmrBase", "NullMoveBase", "ReverseFutilityMargin", "LateMoveBase", "AspirationWindow"];

/// Variants of `modern`: every switch changed, some constants halved and doubled, and every atom of the game as a feature of
/// half a ply.
pub fn panel(game: &GameInfo) -> Vec<String> {
    let modern = game.presets.modern();
    let mut texts = Vec::new();
    for switch in Switches::ALL {
        let mut settings = modern;
        (switch.set)(&mut settings.switches, !(switch.get)(&modern.switches));
        texts.push(game.print_settings(&settings));
    }
    for tunable in Tunables::ALL.iter().filter(|tunable| TUNABLES.contains(&tunable.name)) {
        let value = (tunable.get)(&modern.tunables);
        for changed in [value / 2, value * 2] {
            let mut settings = modern;
            (tunable.set)(&mut settings.tunables, changed.clamp(tunable.min, tunable.max));
            texts.push(game.print_settings(&settings));
        }
    }
    let atoms = game.vocabulary.atoms().map(|atom| game.vocabulary.facts(atom).name);
    texts.extend(atoms.map(|name| format!("modern+{name}@0.5")));
    texts.retain(|text| *text != game.print_settings(&modern));
    let mut seen = std::collections::HashSet::new();
    texts.retain(|text| seen.insert(text.clone()));
    texts
}

#[cfg(test)]
mod tests {
    use plysmith_core::games::GAMES;
    use plysmith_engine::player::Participant;

    use super::panel;

    #[test]
    fn every_game_has_enough_variants_and_all_can_play() {
        for game in GAMES {
            let texts = panel(game);
            assert!(texts.len() >= 24, "{}: {texts:?}", game.name);
            for text in &texts {
                assert_eq!(Participant::parse(game, text).unwrap().print(game), *text);
            }
        }
    }
}
