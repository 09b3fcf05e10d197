//! Suites as text: one problem a line, in the manner of EPD.
//!
//! ```text
//! # anything
//! 1p4p1/p2p4/1P1p4/6pp/1P1P2P1/2P5/P6P/8 w bm b6a7; id "bt-001"; solve proven; distance 7;
//! ```
//!
//! Operations: `bm` the right move or moves, `id` a name, `solve` the criterion (`proven` where a
//! distance is given, else `best-move`), `distance` the plies of the forced win. What other programs
//! add under the names of the EPD standard is skipped; any other name is an error, because it is
//! more likely a slip.

use std::collections::HashMap;

use thiserror::Error;

use super::problem::{Criterion, Problem, Suite};
use crate::games::{AnyPosition, Entry};

/// What is wrong with a suite, and where.
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

/// Operations of the EPD standard that say nothing here.
const SKIPPED: &[&str] = &[
    "acd",
    "acn",
    "acs",
    "am",
    "ce",
    "dm",
    "draw_accept",
    "draw_claim",
    "draw_offer",
    "draw_reject",
    "eco",
    "fmvn",
    "hmvc",
    "nic",
    "noop",
    "pm",
    "pv",
    "rc",
    "resign",
    "sm",
    "tcgs",
    "tcri",
    "tcsi",
];

/// Reads a suite of this game.
pub fn parse(game: &Entry, name: &str, text: &str) -> Result<Suite, SuiteError> {
    let mut problems: Vec<Problem> = Vec::new();
    let mut lines_of_ids = HashMap::new();
    for (index, line) in text.lines().enumerate() {
        let line_number = index + 1;
        if line.trim().is_empty() || line.trim_start().starts_with('#') {
            continue;
        }
        let fail = |(at, reason): Wrong| SuiteError {
            line: line_number,
            column: line.get(..at).map_or(1, |before| before.chars().count() + 1),
            reason,
        };
        let default_id = format!("#{}", problems.len() + 1);
        let (problem, id_at) = parse_line(game, line, default_id).map_err(fail)?;
        if let Some(other) = lines_of_ids.insert(problem.id.clone(), line_number) {
            return Err(fail((
                id_at,
                format!("the id '{}' stands on line {other} already; ids are unique", problem.id),
            )));
        }
        problems.push(problem);
    }
    if problems.is_empty() {
        let reason = "there is no problem in it; expected lines like '<position> bm <move>; id \"name\";'".to_string();
        return Err(SuiteError { line: 1, column: 1, reason });
    }
    Ok(Suite { name: name.to_string(), problems })
}

/// Writes a suite with a comment above it.
pub fn print(suite: &Suite, comment: &str) -> String {
    let mut text: String = comment.lines().map(|line| format!("# {line}\n")).collect();
    for problem in &suite.problems {
        text += &print_problem(problem);
        text += "\n";
    }
    text
}

/// One line.
fn print_problem(problem: &Problem) -> String {
    let Problem { position, best, id, criterion, distance } = problem;
    let mut line = format!("{position} bm {}; id \"{id}\"; solve {criterion};", best.join(" "));
    if let Some(plies) = distance {
        line += &format!(" distance {plies};");
    }
    line
}

/// Where in the line, in bytes, and what.
type Wrong = (usize, String);

/// An operation and its operands, each with the byte where it begins.
struct Operation<'a> {
    at: usize,
    name: &'a str,
    operands: Vec<(usize, &'a str)>,
}

fn parse_line(game: &Entry, line: &str, default_id: String) -> Result<(Problem, usize), Wrong> {
    let (position_end, rest) = split_position(game, line);
    let position_text = &line[..position_end];
    let position = (game.open)(position_text).map_err(|error| {
        let at = position_text.char_indices().nth(error.offset).map_or(position_end, |(at, _)| at);
        (at, error.reason)
    })?;
    let mut problem = Problem {
        position: position.text(),
        best: Vec::new(),
        id: default_id,
        criterion: Criterion::BestMove,
        distance: None,
    };
    let (mut criterion, mut id_at) = (None, 0);
    let operations = parse_operations(line, rest)?;
    for (index, operation) in operations.iter().enumerate() {
        if operations[..index].iter().any(|earlier| earlier.name == operation.name) {
            return Err((operation.at, format!("'{}' stands here twice; leave one out", operation.name)));
        }
        match operation.name {
            "bm" => problem.best = parse_moves(position.as_ref(), operation)?,
            "id" => (id_at, problem.id) = operation.single("a name in quotes").map(|(at, id)| (at, id.to_string()))?,
            "solve" => {
                let (at, text) = operation.single("'proven' or 'best-move'")?;
                criterion = Some(text.parse::<Criterion>().map_err(|error| (at, error.to_string()))?);
            }
            "distance" => {
                let (at, text) = operation.single("a number of plies")?;
                let plies = text.parse().ok().filter(|plies| (1..=99).contains(plies) && plies % 2 == 1);
                let reason = || format!("'{text}' is not the length of a forced win; expected an odd number of plies");
                problem.distance = Some(plies.ok_or_else(|| (at, reason()))?);
            }
            name if SKIPPED.contains(&name) || is_numbered(name) => {}
            name => {
                let reason = format!("'{name}' is not an operation; expected bm, id, solve or distance");
                return Err((operation.at, reason));
            }
        }
    }
    if problem.best.is_empty() {
        return Err((line.len(), "there is no best move; expected 'bm <move>;'".to_string()));
    }
    let default = if problem.distance.is_some() { Criterion::Proven } else { Criterion::BestMove };
    problem.criterion = criterion.unwrap_or(default);
    Ok((problem, id_at))
}

/// The byte where the position ends and the one where the operations begin.
fn split_position(game: &Entry, line: &str) -> (usize, usize) {
    let (mut end, mut words) = (0, 0);
    for (at, word) in words_of(line, 0) {
        let counter = word == "-" || word.bytes().all(|byte| byte.is_ascii_digit());
        if words >= game.position_words && !counter {
            return (end, at);
        }
        end = at + word.len();
        words += 1;
    }
    (end, line.len())
}

fn parse_operations(line: &str, begin: usize) -> Result<Vec<Operation<'_>>, Wrong> {
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
        None => Err((line.len(), "the last operation has no ';' behind it".to_string())),
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
fn words_of(text: &str, start: usize) -> impl Iterator<Item = (usize, &str)> {
    text[start..].split_whitespace().map(|word| (word.as_ptr() as usize - text.as_ptr() as usize, word))
}

fn parse_moves(position: &dyn AnyPosition, operation: &Operation<'_>) -> Result<Vec<String>, Wrong> {
    let mut moves = Vec::new();
    for &(at, text) in &operation.operands {
        let m = position.canonical_move(text).map_err(|error| (at, error.to_string()))?;
        if moves.contains(&m) {
            return Err((at, format!("the move '{text}' stands here twice; leave one out")));
        }
        moves.push(m);
    }
    Ok(moves)
}

fn is_numbered(name: &str) -> bool {
    matches!(name.as_bytes(), [b'c' | b'v', b'0'..=b'9'])
}

impl<'a> Operation<'a> {
    fn single(&self, expected: &str) -> Result<(usize, &'a str), Wrong> {
        match self.operands[..] {
            [(at, word)] if !word.is_empty() => Ok((at, word)),
            _ => Err((self.at, format!("'{}' takes {expected}", self.name))),
        }
    }
}
