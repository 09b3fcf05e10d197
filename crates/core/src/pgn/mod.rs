//! Records of games as text: PGN, for chess in its standard form and for other games in the same form.
//!
//! Moves are read and written through the table of games, so nothing here depends on a game: a record's moves are
//! in the game's canonical spelling here, and in its notation for game records (SAN for chess) in the text. Only that chess
//! has a second kind, Chess960, which a `Variant` tag names, is known here.

mod read;
mod write;

use thiserror::Error;

pub use read::Reader;
pub use write::{Layout, print};

/// The tags that every PGN has, in this order.
pub const ROSTER: [&str; 7] = ["Event", "Site", "Date", "Round", "White", "Black", "Result"];

/// A game that was played.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Record {
    /// Names and values, in order.
    pub tags: Vec<(String, String)>,
    /// The position it begins with.
    pub start: String,
    /// The moves, from the start on.
    pub moves: Vec<Recorded>,
    /// `1-0`, `0-1`, `1/2-1/2`, or `*` where it is not known.
    pub result: String,
}

/// A move of a record.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Recorded {
    /// The move in its canonical spelling.
    pub m: String,
    /// What was said about it; empty if nothing was.
    pub comment: String,
}

/// A PGN text that cannot be read, and where.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("{line}:{column}: {reason}")]
pub struct PgnError {
    /// The line, counted from 1.
    pub line: usize,
    /// The character in the line, counted from 1.
    pub column: usize,
    /// What was read and what was expected.
    pub reason: String,
}

impl Record {
    /// The value of a tag.
    pub fn tag(&self, name: &str) -> Option<&str> {
        self.tags.iter().find(|(other, _)| other == name).map(|(_, value)| value.as_str())
    }
}

/// Whether a text is records of games rather than a list of positions: it begins with a tag or a move number.
pub fn is_pgn(text: &str) -> bool {
    first_line(text).is_some_and(read::begins_game)
}

/// Whether a text has a line that is no comment, so that it can be told what it is.
pub fn says_something(text: &str) -> bool {
    first_line(text).is_some()
}

fn first_line(text: &str) -> Option<&str> {
    let text = text.trim_start_matches('\u{feff}');
    text.lines().map(str::trim).find(|line| !line.is_empty() && !line.starts_with(['%', '#', ';', '{']))
}
