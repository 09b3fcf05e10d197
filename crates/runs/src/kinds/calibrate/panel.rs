//! Variants of a player: what somebody who works on an engine might try, drawn at random.
//!
//! A variant is a preset with one to three changes. A change turns a switch, multiplies a constant of the search by a
//! factor from 1/3 to 3, or adds a feature with a weight. Panels with different seeds are independent, so one of them can
//! choose positions and another one judge the choice.

use std::collections::HashSet;

use plysmith_core::feature::Conjunction;
use plysmith_core::games::GameInfo;
use plysmith_core::random::Random;
use plysmith_core::settings::{Settings, Switches, Tunable, Tunables};

/// Seed of the panel that chooses critical positions.
pub const CHOOSING: u64 = 1;
/// Seed of the panel that `plysmith calibrate` plays matches with: it has no say in what it is measured on.
pub const JUDGING: u64 = 2;
/// Variants of a panel.
pub const PANEL: usize = 40;

/// Changes of a variant, at most.
const MOST_CHANGES: usize = 3;
/// Factors of constants.
const FACTORS: &[f64] = &[0.33, 0.5, 0.7, 1.5, 2.0, 3.0];
/// Weights of features.
const WEIGHTS: &[&str] = &["0.25", "0.5", "0.75"];
/// Drawings for each variant: many are repeated or change nothing.
const DRAWINGS: usize = 100;

/// This many different variants of a player with these settings; fewer if there are no more.
pub fn panel(game: &GameInfo, base: &Settings, seed: u64, count: usize) -> Vec<String> {
    let mut random = Random::for_purpose(seed, "panel of variants");
    let mut seen = HashSet::from([game.print_settings(base)]);
    let drawn = (0..count * DRAWINGS).map(|_| variant(game, base, &mut random));
    drawn.filter(|text| seen.insert(text.clone())).take(count).collect()
}

fn variant(game: &GameInfo, base: &Settings, random: &mut Random) -> String {
    let mut settings = *base;
    let mut features: Vec<(Conjunction, &str)> = Vec::new();
    for _ in 0..=random.below(MOST_CHANGES) {
        match random.below(3) {
            0 => {
                let switch = &Switches::ALL[random.below(Switches::ALL.len())];
                (switch.set)(&mut settings.switches, !(switch.get)(&base.switches));
            }
            1 => {
                let tunable = &Tunables::ALL[random.below(Tunables::ALL.len())];
                scale(&mut settings, tunable, FACTORS[random.below(FACTORS.len())]);
            }
            _ => {
                let feature = feature(game, random);
                if features.iter().all(|(other, _)| *other != feature) {
                    features.push((feature, WEIGHTS[random.below(WEIGHTS.len())]));
                }
            }
        }
    }
    let scheme: Vec<_> =
        features.iter().map(|(feature, weight)| format!("{}@{weight}", game.vocabulary.print(*feature))).collect();
    match scheme.as_slice() {
        [] => game.print_settings(&settings),
        scheme => format!("{}+{}", game.print_settings(&settings), scheme.join(",")),
    }
}

fn scale(settings: &mut Settings, tunable: &Tunable, factor: f64) {
    let value = f64::from((tunable.get)(&settings.tunables)) * factor;
    (tunable.set)(&mut settings.tunables, (value.round() as i32).clamp(tunable.min, tunable.max));
}

/// One atom, or two of different groups.
fn feature(game: &GameInfo, random: &mut Random) -> Conjunction {
    // Panels of published calibrations stay as they are.
    let atoms = game.guidance.without_readings(game.vocabulary).unwrap_or_default();
    let [one, other] = [0, 1].map(|_| atoms[random.below(atoms.len())]);
    let group = |atom| game.vocabulary.facts(atom).group;
    match random.below(2) == 0 && group(one) != group(other) {
        true => Conjunction::of([one, other]),
        false => Conjunction::of([one]),
    }
}

#[cfg(test)]
mod tests {
    use plysmith_core::games::GAMES;
    use plysmith_engine::player::Participant;

    use super::{CHOOSING, JUDGING, PANEL, panel};

    #[test]
    fn panels_are_different_players_that_can_play() {
        for game in GAMES {
            for base in [game.presets.modern(), game.presets.classic()] {
                let [choosing, judging] = [CHOOSING, JUDGING].map(|seed| panel(game, &base, seed, PANEL));
                assert_eq!((choosing.len(), judging.len()), (PANEL, PANEL), "{}", game.name);
                assert_eq!(choosing, panel(game, &base, CHOOSING, PANEL));
                for text in choosing.iter().chain(&judging) {
                    Participant::parse(game, text).unwrap();
                    assert_ne!(*text, game.print_settings(&base));
                }
            }
        }
    }
}
