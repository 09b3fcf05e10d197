//! Chess as text: FEN, SAN and PGN. What is written reads back, what is sloppy but clear is understood, what cannot
//! be read is named with its place, and nothing makes reading panic.

mod fen;
mod pgn;
mod san;

use plysmith_core::game::Game;
use plysmith_core::games::chess::Position;
use plysmith_core::games::{AnyPosition, GameInfo, find};
use plysmith_core::random::Random;
use proptest::prelude::{any, prop_assert, prop_assert_eq, proptest};
use proptest::sample::Index;
use proptest::test_runner::TestCaseError;

const START: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";
const KIWIPETE: &str = "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1";

fn chess() -> &'static GameInfo {
    find("chess").unwrap()
}

fn position(text: &str) -> Position {
    Position::parse(text).unwrap_or_else(|error| panic!("{text}: {error}"))
}

/// The positions of a random game.
fn random_game(seed: u64, most: usize) -> Vec<Position> {
    let mut random = Random::new(seed);
    let mut game = vec![position(START)];
    while game.len() < most {
        let last = &game[game.len() - 1];
        let list = last.legal_moves();
        if list.is_empty() {
            break;
        }
        let next = Game::play(last, list[random.below(list.len())]);
        game.push(next);
    }
    game
}

/// A text with some characters changed, put in or left out.
fn damaged(text: &str, edits: Vec<(Index, u8, String)>) -> String {
    let mut letters: Vec<char> = text.chars().collect();
    for (place, kind, letter) in edits {
        let place = place.index(letters.len().max(1)).min(letters.len().saturating_sub(1));
        let letter = letter.chars().next().unwrap_or(' ');
        match kind {
            0 if !letters.is_empty() => letters[place] = letter,
            2 if !letters.is_empty() => drop(letters.remove(place)),
            _ => letters.insert(place, letter),
        }
    }
    letters.into_iter().collect()
}
