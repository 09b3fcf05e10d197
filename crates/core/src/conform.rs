//! The one test that every game has to pass: a checklist of what [`Game`] guarantees, run on real positions.
//!
//! | what | how |
//! | --- | --- |
//! | rules | perft numbers from another program |
//! | text | positions and moves read back as they were printed |
//! | features | the fast answer [`Game::select`] against the definition [`Game::has`]; examples show their feature; groups are what they should be |
//! | evaluation | keeps out of the range of forced results |
//! | foresight | what a rule predicts is proved by exhaustive search |
//! | search | against plain minimax, below; limits, determinism, interrupt |
//!
//! The minimax in here shares no code with the search but the types of depth and score: it knows
//! neither windows nor iterations nor move order, and asks [`Game::has`] what a move costs.
//!
//! *What is true of a transposition table.* It may answer with the result of a deeper search than was
//! asked for, so scores then differ from minimax, rightly. Equality holds to two plies: there only the
//! root's children are looked up, and nothing deeper was stored for them. Beyond that, forced results
//! within the nominal depth agree, and a longer win is a true one.
//!
//! *What is true of pruning and extensions.* They change scores, but no choice of switches may claim a forced result that
//! is none: exhaustive search proves those that are short enough.
//!
//! This is a helper for tests: it reports by panicking, with the position in the message.
mod features;
mod rules;
mod searches;

use std::collections::{HashMap, HashSet};

use crate::depth::Weight;
use crate::eval_terms::EvalTermCache;
use crate::feature::{Atom, Conjunction, Feature, Scheme};
use crate::game::{Game, perft};
use crate::random::Random;
use crate::score::Score;
use crate::settings::Heuristic;
use features::{check_features, check_groups, check_vocabulary};
use rules::{check_evaluation, check_keys, check_moves, check_race_result, check_text};
use searches::{
    check_determinism, check_interrupt, check_limits, check_proofs_of_any_switches, check_schemes_against_minimax,
    check_switches_against_minimax,
};

/// Random games that are played from each start.
const GAMES: u64 = 8;
/// Longest random game.
const LONGEST_GAME: usize = 300;
/// Positions of one start that are searched; all others are checked without a search.
const SEARCHED: usize = 40;
/// What random schemes are made of.
const WEIGHTS: &[&str] = &["0", "0.25", "0.5", "0.75", "0.999"];

/// Checks a game on positions from random play, starting with those given; with each of these come its
/// perft numbers, from depth 1 on.
///
/// # Panics
/// With the position and what is wrong, at the first thing that is.
pub fn conform<G: Game>(starts: &[(&str, &[u64])]) {
    assert!(!G::PRESETS.heuristics.is_empty(), "the game has no heuristic");
    check_vocabulary::<G>();
    let mut seen = HashSet::new();
    for &(text, counts) in starts {
        let start: G = read(text);
        for (depth, &count) in (1..).zip(counts) {
            assert_eq!(perft(&start, depth), count, "perft {depth} of {start}");
        }
        let mut random = Random::for_purpose(1, text);
        let positions = positions_from(&start, GAMES, &mut random);
        check_keys(&positions);
        let mut cache = EvalTermCache::default();
        cache.prepare();
        for position in &positions {
            check_text(position);
            check_moves(position);
            check_features(position, &mut random, &mut seen);
            check_evaluation(position, &mut cache);
            check_race_result(position);
        }
        let searched: Vec<_> = positions.iter().cloned().step_by(positions.len().div_ceil(SEARCHED)).collect();
        check_schemes_against_minimax(&searched, &mut random);
        for position in &searched {
            check_switches_against_minimax(position, &mut random);
            check_proofs_of_any_switches(position, &mut random);
        }
        check_limits(&searched, &mut random);
        check_determinism(&searched, &mut random);
        check_interrupt(&start);
    }
    check_groups::<G>(&seen);
}

/// Checks only the features of a game, on the positions of `games` random games from each start. That takes little
/// time, so many positions can be checked. Returns their number.
///
/// # Panics
/// With the position and what is wrong, at the first thing that is.
pub fn conform_features<G: Game>(starts: &[&str], games: u64) -> usize {
    check_vocabulary::<G>();
    let (mut seen, mut count) = (HashSet::new(), 0);
    for text in starts {
        let mut random = Random::for_purpose(1, text);
        for position in positions_from(&read::<G>(text), games, &mut random) {
            check_features(&position, &mut random, &mut seen);
            count += 1;
        }
    }
    check_groups::<G>(&seen);
    count
}

fn read<G: Game>(text: &str) -> G {
    G::parse(text).unwrap_or_else(|error| panic!("'{text}' cannot be read: at {}: {error}", error.offset))
}

/// Positions with a move to play, from random games.
fn positions_from<G: Game>(start: &G, games: u64, random: &mut Random) -> Vec<G> {
    let mut positions = Vec::new();
    for _ in 0..games {
        let mut position = start.clone();
        for _ in 0..LONGEST_GAME {
            let list = position.legal_moves();
            if list.is_empty() {
                break;
            }
            positions.push(position.clone());
            position = position.play(list[random.below(list.len())]);
        }
    }
    assert!(!positions.is_empty(), "no move can be played in {start}");
    positions
}
/// In how many plies the game is won or lost by force.
fn forced(score: Score) -> Option<u32> {
    score.win_in().or((-score).win_in())
}

fn heuristics<G: Game>() -> impl Iterator<Item = Heuristic> {
    G::PRESETS.built_in()
}

fn random_heuristic<G: Game>(random: &mut Random) -> Heuristic {
    Heuristic::BuiltIn(random.below(G::PRESETS.heuristics.len()) as u8)
}

/// One to three features, one in three of them with alternatives, of one to three atoms each.
fn random_scheme<G: Game>(random: &mut Random) -> Scheme {
    let all = G::VOCABULARY;
    let mut features = HashMap::new();
    for _ in 0..=random.below(3) {
        let alternatives = if random.below(3) == 0 { 2 + random.below(2) } else { 1 };
        let mut conjunction = |_| {
            let count = 1 + random.below(3);
            Conjunction::of((0..count).map(|_| Atom(random.below(all.moves.len()) as u8)))
        };
        let feature = Feature::any_of((0..alternatives).map(&mut conjunction));
        features.insert(feature, WEIGHTS[random.below(WEIGHTS.len())]);
    }
    let mut parts: Vec<_> =
        features.iter().map(|(feature, weight)| format!("{}@{weight}", all.print_feature(feature))).collect();
    parts.sort();
    let text = parts.join(",");
    let scheme = all.parse_scheme(&text, Weight::HALF).unwrap_or_else(|error| panic!("'{text}': {error}"));
    assert_eq!(all.parse_scheme(&all.print_scheme(&scheme), Weight::ONE), Ok(scheme.clone()), "{text} reads back");
    scheme
}
