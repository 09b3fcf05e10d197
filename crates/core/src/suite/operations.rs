//! Lines of EPD: a position, then operations that say something about it.
//!
//! What an operation means is up to the reader: [`super::text`] reads problems, [`super::graded`] values of moves.

use thiserror::Error;

use crate::games::{AnyPosition, GameInfo};

/// A suite that cannot be read, and where.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("{line}:{column}: {reason}")]
pub struct SuiteError {
    /// The line, counted from 1.
    pub line: usize,
    /// The character in the line, counted from 1.
    pub column: usize,
    /// What was read and what was expected.
    pub reason: String,
}

/// The longest name of an operation in the EPD standard.
const LONGEST_NAME: usize = 15;
/// Lines that say something, with their numbers.
pub(super) fn lines_of(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let says_something = |line: &str| !line.trim().is_empty() && !line.trim_start().starts_with('#');
    text.lines().enumerate().map(|(index, line)| (index + 1, line)).filter(move |(_, line)| says_something(line))
}

pub(super) fn place(line_number: usize, line: &str, (at, reason): Wrong) -> SuiteError {
    let column = line.get(..at).map_or(1, |before| before.chars().count() + 1);
    SuiteError { line: line_number, column, reason }
}

/// Where in the line, in bytes, and what.
pub(super) type Wrong = (usize, String);

/// An operation and its operands, each with the byte where it begins.
pub(super) struct Operation<'a> {
    pub at: usize,
    pub name: &'a str,
    pub operands: Vec<(usize, &'a str)>,
}

/// Opens the position that ends at this byte of the line; `text` is what it is read from and begins like the line.
pub(super) fn open(game: &GameInfo, line: &str, end: usize, text: &str) -> Result<Box<dyn AnyPosition>, Wrong> {
    (game.open)(text).map_err(|error| {
        let at = line[..end].char_indices().nth(error.offset).map_or(end, |(at, _)| at);
        (at, error.reason)
    })
}

/// What `hmvc` and `fmvn` say, as the words that a position has not.
pub(super) fn counters(game: &GameInfo, position: &str, operations: &[Operation<'_>]) -> Result<String, Wrong> {
    let find = |name| operations.iter().find(|operation| operation.name == name);
    let number = |name, default: &str| match find(name) {
        None => Ok(default.to_string()),
        Some(operation) => {
            let (at, text) = operation.single("a number")?;
            let is_number = text.bytes().all(|byte| byte.is_ascii_digit());
            if is_number { Ok(text.to_string()) } else { Err((at, format!("'{text}' is not a number"))) }
        }
    };
    let (clock, moves) = (number("hmvc", "0")?, number("fmvn", "1")?);
    let is_said = find("hmvc").is_some() || find("fmvn").is_some();
    let has_room = position.split_whitespace().count() == game.position_words;
    Ok(if is_said && has_room { format!(" {clock} {moves}") } else { String::new() })
}

/// The byte where the position ends and the one where the operations begin. Some files have a semicolon between them.
pub(super) fn split_position(game: &GameInfo, line: &str) -> (usize, usize) {
    let (mut end, mut words) = (0, 0);
    for (at, word) in words_of(line, 0) {
        let (word, is_last) = word.strip_suffix(';').map_or((word, false), |word| (word, true));
        let counter = word == "-" || word.bytes().all(|byte| byte.is_ascii_digit());
        if words >= game.position_words && !counter {
            return (end, at);
        }
        end = at + word.len();
        words += 1;
        if is_last && words >= game.position_words {
            return (end, end + 1);
        }
    }
    (end, line.len())
}

pub(super) fn parse_operations(line: &str, begin: usize) -> Result<Vec<Operation<'_>>, Wrong> {
    let mut operations = Vec::new();
    let mut at = begin;
    while let Some(offset) = line[at..].find(|letter: char| !letter.is_whitespace()) {
        let start = at + offset;
        let end = end_of_operation(line, start)?;
        let mut words = operands_of(line, start, end).into_iter();
        if let Some((at, name)) = words.next() {
            operations.push(Operation { at, name, operands: words.collect() });
        }
        at = (end + 1).min(line.len());
    }
    Ok(operations)
}

/// The byte of the semicolon that ends the operation beginning here; quotes protect semicolons.
fn end_of_operation(line: &str, start: usize) -> Result<usize, Wrong> {
    let mut open_quote = None;
    for (offset, letter) in line[start..].char_indices() {
        match letter {
            '"' if open_quote.is_some() => open_quote = None,
            '"' => open_quote = Some(start + offset),
            ';' if open_quote.is_none() => return Ok(start + offset),
            _ => {}
        }
    }
    match open_quote {
        Some(at) => Err((at, "this quote is never closed".to_string())),
        // Many a file's last operation has no semicolon behind it; the line's end does as well.
        None => Ok(line.len()),
    }
}

/// Words between two bytes; a quoted text is one word.
fn operands_of(line: &str, start: usize, end: usize) -> Vec<(usize, &str)> {
    let part = &line[..end];
    match part[start..].find('"').map(|offset| start + offset) {
        None => words_of(part, start).collect(),
        Some(quote) => {
            let quoted = part[quote + 1..].find('"').map_or(end, |offset| quote + 1 + offset);
            let mut words: Vec<_> = words_of(&line[..quote], start).collect();
            words.push((quote + 1, &line[quote + 1..quoted]));
            words.extend(words_of(part, (quoted + 1).min(end)));
            words
        }
    }
}

/// The words of a text from a byte on, each with the byte where it begins.
pub(super) fn words_of(text: &str, start: usize) -> impl Iterator<Item = (usize, &str)> {
    text[start..].split_whitespace().map(|word| (word.as_ptr() as usize - text.as_ptr() as usize, word))
}

/// The form that the EPD standard gives to names of operations.
pub(super) fn is_operation(name: &str) -> bool {
    let letters = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_';
    name.len() <= LONGEST_NAME
        && name.starts_with(|first: char| first.is_ascii_alphabetic())
        && name.bytes().all(letters)
}

impl<'a> Operation<'a> {
    /// Whether it is `bm #3`.
    pub fn is_mate(&self) -> bool {
        self.name == "bm" && matches!(self.operands[..], [(_, text)] if text.starts_with('#'))
    }

    pub fn single(&self, expected: &str) -> Result<(usize, &'a str), Wrong> {
        match self.operands[..] {
            [(at, word)] if !word.is_empty() => Ok((at, word)),
            _ => Err((self.at, format!("'{}' takes {expected}", self.name))),
        }
    }
}
