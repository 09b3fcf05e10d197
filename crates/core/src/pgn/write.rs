//! Writes records of games.

use super::{ROSTER, Record};
use crate::game::MoveError;
use crate::games::{GameInfo, Start};
use crate::printable::printable;

/// Longer comments may be broken into lines.
const LONGEST_WORD: usize = 78;

/// How a record is laid out.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct Layout {
    /// Lines of moves are no longer than this, unless one word is.
    pub width: usize,
    /// Whether the seven tags of the standard come first, with `?` where nothing is known, and the start position is
    /// left out where it is the game's own. Otherwise tags are written as they are.
    pub roster: bool,
}

impl Layout {
    /// As the PGN standard has it.
    pub const STANDARD: Layout = Layout { width: 79, roster: true };
}

/// Writes a record, with an empty line behind it.
pub fn print(game: &GameInfo, record: &Record, layout: Layout) -> Result<String, MoveError> {
    let tags = if layout.roster { with_roster(game, record) } else { record.tags.clone() };
    let mut text = String::new();
    for (name, value) in tags {
        // A line break would end the tag, and PGN knows no control characters: it has no way to write either.
        let value = printable(&value.replace(['\n', '\r'], " ")).replace('\\', "\\\\").replace('"', "\\\"");
        text += &format!("[{name} \"{value}\"]\n");
    }
    let words = words(game, record)?;
    Ok(format!("{text}\n{}\n\n", wrap(&words, layout.width)))
}

/// The seven tags in their order, then the start if it is not the usual one, then all others.
fn with_roster(game: &GameInfo, record: &Record) -> Vec<(String, String)> {
    let owned = |name: &str, value: &str| (name.to_string(), value.to_string());
    let known = |name: &str| match name {
        "Result" => record.result.as_str(),
        "Date" => record.tag(name).unwrap_or("????.??.??"),
        _ => record.tag(name).unwrap_or("?"),
    };
    let mut tags: Vec<_> = ROSTER.iter().map(|name| owned(name, known(name))).collect();
    if (game.start)(&Start::default()).as_ref() != Ok(&record.start) {
        tags.extend([owned("SetUp", "1"), owned("FEN", &record.start)]);
    }
    let is_done = |name: &str| ROSTER.contains(&name) || name == "SetUp" || name == "FEN";
    tags.extend(record.tags.iter().filter(|(name, _)| !is_done(name)).cloned());
    tags
}

/// Move numbers, moves, comments and the result.
fn words(game: &GameInfo, record: &Record) -> Result<Vec<String>, MoveError> {
    let unreadable = |_| MoveError { text: record.start.clone(), legal: Vec::new(), candidates: Vec::new() };
    let mut position = (game.open)(&record.start).map_err(unreadable)?;
    // The last of six words is a move number, in games that have one.
    let number = position.text().split_whitespace().nth(5).and_then(|word| word.parse().ok()).unwrap_or(1usize);
    let before = 2 * (number.max(1) - 1) + usize::from(!position.white_to_move());
    let mut words = Vec::new();
    for (index, recorded) in record.moves.iter().enumerate() {
        let half_moves = before + index;
        if half_moves.is_multiple_of(2) {
            words.push(format!("{}.", half_moves / 2 + 1));
        } else if index == 0 {
            words.push(format!("{}...", half_moves / 2 + 1));
        }
        words.push(position.notation(&recorded.m)?);
        if !recorded.comment.is_empty() {
            // A brace would end the comment: PGN has no way to write it.
            let comment = format!("{{{}}}", printable(&recorded.comment).replace('}', ")"));
            // Where a long comment is broken says nothing.
            match comment.chars().count() > LONGEST_WORD {
                true => words.extend(comment.split(' ').map(str::to_string)),
                false => words.push(comment),
            }
        }
        position = position.play(&recorded.m)?;
    }
    words.push(record.result.clone());
    Ok(words)
}

fn wrap(words: &[String], width: usize) -> String {
    let (mut text, mut column) = (String::new(), 0);
    for word in words {
        let length = word.chars().count();
        if column > 0 && column + 1 + length > width {
            text += "\n";
            column = 0;
        } else if column > 0 {
            text += " ";
            column += 1;
        }
        column += length;
        text += word;
    }
    text
}
