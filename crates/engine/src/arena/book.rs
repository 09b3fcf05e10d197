//! Openings that somebody wrote down: a list of positions, a suite, or records of games.

use std::collections::HashSet;

use plysmith_core::games::{AnyPosition, GameInfo};
use plysmith_core::pgn::{Reader, Record, is_pgn};
use plysmith_core::random::derive_seed;
use plysmith_core::suite::text::positions;
use xxhash_rust::xxh3::xxh3_128;

use super::openings::Opening;

/// What was read of a text of openings.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct BookText {
    /// The openings, in order, each position once.
    pub openings: Vec<Opening>,
    /// How many stood there again.
    pub repeated: usize,
    /// What could not be used: `line:column: reason`.
    pub wrong: Vec<String>,
}

/// Reads openings. Of records of games the first so many plies are played, or all; positions are taken as they are.
pub fn read(game: &'static GameInfo, text: &str, plies: Option<u32>) -> BookText {
    let mut lines = BookText::default();
    let mut seen = HashSet::new();
    let found: Vec<Result<Opening, String>> =
        if is_pgn(text) { from_records(game, text, plies) } else { from_positions(game, text) };
    for opening in found {
        match opening {
            Err(wrong) => lines.wrong.push(wrong),
            Ok(opening) if seen.insert(opening.position.clone()) => lines.openings.push(opening),
            Ok(_) => lines.repeated += 1,
        }
    }
    lines
}

/// Puts openings into an order that depends on nothing but the seed and their places.
pub fn shuffle(openings: &mut Vec<Opening>, seed: u64) {
    let place = |index: usize| derive_seed(seed, &format!("place of opening {index}"));
    let mut numbered: Vec<_> = openings.drain(..).enumerate().collect();
    numbered.sort_by_key(|(index, _)| (place(*index), *index));
    openings.extend(numbered.into_iter().map(|(_, opening)| opening));
}

/// A name for exactly these openings in this order.
pub fn content_key(openings: &[Opening]) -> String {
    let content: String = openings.iter().map(|opening| format!("{}\n", opening.position)).collect();
    format!("{:032x}", xxh3_128(content.as_bytes()))
}

fn from_positions(game: &GameInfo, text: &str) -> Vec<Result<Opening, String>> {
    let opening = |(line, read): (usize, Result<String, _>)| {
        let position = read.map_err(|error: plysmith_core::suite::text::SuiteError| error.to_string())?;
        let opened = (game.open)(&position).map_err(|error| format!("{line}:1: {error}"))?;
        goes_on(opened.as_ref(), line)?;
        Ok(Opening { position, moves: Vec::new() })
    };
    positions(game, text).into_iter().map(opening).collect()
}

fn from_records(game: &GameInfo, text: &str, plies: Option<u32>) -> Vec<Result<Opening, String>> {
    let most = plies.map_or(usize::MAX, |plies| plies as usize);
    let mut reader = Reader::new(game, text).first_plies(most);
    let mut found = Vec::new();
    while let Some(read) = reader.next() {
        let line = reader.line();
        found.push(read.map_err(|error| error.to_string()).and_then(|record| play(game, &record, line)));
    }
    found
}

fn play(game: &GameInfo, record: &Record, line: usize) -> Result<Opening, String> {
    let wrong = |error: &dyn std::fmt::Display| format!("{line}:1: {error}");
    let mut position = (game.open)(&record.start).map_err(|error| wrong(&error))?;
    let moves: Vec<String> = record.moves.iter().map(|recorded| recorded.m.clone()).collect();
    for m in &moves {
        position = position.play(m).map_err(|error| wrong(&error))?;
    }
    goes_on(position.as_ref(), line)?;
    Ok(Opening { position: position.text(), moves })
}

fn goes_on(position: &dyn AnyPosition, line: usize) -> Result<(), String> {
    match position.outcome() {
        None => Ok(()),
        Some(_) => Err(format!("{line}:1: the game is over here; expected a position to play on from")),
    }
}
