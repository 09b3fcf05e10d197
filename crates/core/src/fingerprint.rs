//! What features and evaluations do, as numbers.
//!
//! A result depends on what a feature answers, not on its name. So the key of a stored result contains a fingerprint of
//! each part of the game that it used: the part's answers on fixed positions, hashed. Whoever edits a feature gets new
//! keys, and the results of all other features stay valid.
//!
//! The positions are those of seeded random games. They begin at the start and at positions that the game names, with
//! rare moves, endings and other board sizes among them; so they are the same on every machine. An edit that changes no
//! answer on any of them is not noticed; `tests/fingerprint.rs` has edits that are.

use std::sync::OnceLock;

use crate::eval_terms::EvalTermCache;
use crate::feature::Atom;
use crate::game::{Game, Move, MoveSet};
use crate::random::Random;
use crate::settings::Heuristic;

/// A part of a game that results depend on.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Part {
    /// A move feature.
    Feature(Atom),
    /// An evaluation function.
    Evaluation(Heuristic),
}

/// The fingerprints of a game's parts, each computed when it is first asked for.
#[derive(Debug)]
pub struct Fingerprints {
    features: [OnceLock<u64>; 64],
    evaluations: [OnceLock<u64>; 16],
}

/// Random games from each position that the game names.
const GAMES: usize = 2;
/// The longest of them.
const MOST_PLIES: usize = 60;

impl Fingerprints {
    /// None known yet.
    #[expect(clippy::new_without_default, reason = "for statics, where a default cannot be used")]
    pub const fn new() -> Fingerprints {
        Fingerprints { features: [const { OnceLock::new() }; 64], evaluations: [const { OnceLock::new() }; 16] }
    }

    /// The fingerprint of a part; computed if it was not before.
    pub fn get(&self, part: Part, compute: impl FnOnce() -> u64) -> u64 {
        let place = match part {
            Part::Feature(atom) => self.features.get(usize::from(atom.0)),
            Part::Evaluation(Heuristic::BuiltIn(index)) => self.evaluations.get(usize::from(index)),
            Part::Evaluation(Heuristic::Loaded(weights)) => return weights.fingerprint(compute),
        };
        match place {
            Some(place) => *place.get_or_init(compute),
            None => compute(),
        }
    }
}

/// Appends what a part answers on the positions of random games from this one.
pub fn append_answers<G: Game>(start: &G, part: Part, answers: &mut Vec<u8>) {
    let mut random = Random::for_purpose(1, &start.to_string());
    let mut cache = EvalTermCache::default();
    for _ in 0..GAMES {
        let mut position = start.clone();
        for _ in 0..MOST_PLIES {
            let list = position.legal_moves();
            if list.is_empty() {
                break;
            }
            match part {
                Part::Feature(atom) => {
                    // What a search asks for, not the definition: the two agree in every game that conforms.
                    let set = position.select(atom);
                    for &m in &list {
                        let [low, high] = m.code().to_le_bytes();
                        answers.extend([low, high, u8::from(set.contains(m))]);
                    }
                }
                Part::Evaluation(heuristic) => {
                    answers.extend(position.evaluate_with(heuristic, &mut cache).units().to_le_bytes());
                }
            }
            position = position.play(list[random.below(list.len())]);
        }
    }
}
