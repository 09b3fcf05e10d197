//! Reads records of games, one after the other, from text as it is found in the wild.
//!
//! Tolerated: a byte order mark, Windows line ends, `%` lines, comments in braces and behind `;`, nested variations and
//! NAGs (skipped), tags with unescaped quotes in them, missing tags, missing or contradicting results, and text between
//! games that is neither tags nor moves. A game that cannot be read is an error with its place, and the next game
//! is read all the same.

use std::cell::Cell;

use super::{PgnError, Record, Recorded};
use crate::game::PositionError;
use crate::games::chess::chess960;
use crate::games::{AnyPosition, GameInfo, Start, chess};

/// The games of a text.
pub struct Reader<'a> {
    game: &'a GameInfo,
    text: &'a str,
    /// The byte that is read next.
    at: usize,
    /// A byte seen before and its line, so that lines are counted once.
    known: (usize, usize),
    /// The line where the last game began.
    line: usize,
    /// How many plies of each game are read.
    most: usize,
    /// The line with which the text begins.
    first_line: usize,
    /// Whether something was looked for that may lie behind the end of the text.
    touched_end: Cell<bool>,
}

/// A tag, and the byte where its value begins.
struct Tag {
    at: usize,
    name: String,
    value: String,
}

/// Where, in bytes, and what is wrong there.
type Wrong = (usize, String);

/// Names of chess in the `Variant` tags of other programs.
const CHESS: [&str; 4] = ["chess", "standard", "normal", "from position"];

/// Names of Chess960 there.
const CHESS960: [&str; 5] = ["chess960", "chess 960", "fischerandom", "fischer random", "fischerandom chess"];

/// What ends a game, and what that is in PGN.
const RESULTS: [(&str, &str); 7] = [
    ("1-0", "1-0"),
    ("0-1", "0-1"),
    ("1/2-1/2", "1/2-1/2"),
    ("1/2", "1/2-1/2"),
    ("½-½", "1/2-1/2"),
    ("½", "1/2-1/2"),
    ("*", "*"),
];

/// Whether a line looks like the beginning of a game: a tag, or a move behind a number.
pub fn begins_game(line: &str) -> bool {
    let line = line.trim_start();
    let number = line.trim_start_matches(|letter: char| letter.is_ascii_digit());
    is_tag(line) || number.len() < line.len() && number.starts_with('.')
}

fn is_tag(line: &str) -> bool {
    let rest = line.trim_start().strip_prefix('[').map(str::trim_start);
    rest.is_some_and(|rest| rest.starts_with(|letter: char| letter.is_ascii_alphabetic()))
}

impl<'a> Reader<'a> {
    /// Reads games of this kind.
    pub fn new(game: &'a GameInfo, text: &'a str) -> Reader<'a> {
        let at = if text.starts_with('\u{feff}') { '\u{feff}'.len_utf8() } else { 0 };
        Reader {
            game,
            text,
            at,
            known: (0, 1),
            line: 1,
            most: usize::MAX,
            first_line: 1,
            touched_end: Cell::new(false),
        }
    }

    /// Reads games from this byte of a part of a longer text. The part begins with line `first_line` of the whole.
    pub fn of_part(game: &'a GameInfo, part: &'a str, at: usize, first_line: usize) -> Reader<'a> {
        let reader = Reader::new(game, part);
        Reader { at: at.max(reader.at), known: (0, first_line), line: first_line, first_line, ..reader }
    }

    /// The byte behind the last game.
    pub fn position(&self) -> usize {
        self.at
    }

    /// Whether the last game might have been read in another way if the text went on behind its end.
    pub fn touched_end(&self) -> bool {
        self.touched_end.get() || self.at >= self.text.len()
    }

    /// Reads only the first plies of each game, up to this number; the rest is skipped.
    #[must_use]
    pub fn first_plies(self, most: usize) -> Reader<'a> {
        Reader { most, ..self }
    }

    /// The line where the game that was read last begins, counted from 1.
    pub fn line(&self) -> usize {
        self.line
    }

    /// Skips to where a game begins.
    fn find_game(&mut self) -> bool {
        self.skip_lines(|line| !begins_game(line));
        self.at < self.text.len()
    }

    fn skip_lines(&mut self, skip: impl Fn(&str) -> bool) {
        while self.at < self.text.len() {
            let end = self.end_of_line();
            if !skip(&self.text[self.at..end]) {
                return;
            }
            self.at = end;
        }
    }

    /// The byte behind the end of this line.
    fn end_of_line(&self) -> usize {
        self.text[self.at..].find('\n').map_or(self.text.len(), |offset| self.at + offset + 1)
    }

    fn skip_space(&mut self) {
        let rest = &self.text[self.at..];
        self.at += rest.len() - rest.trim_start().len();
    }

    fn peek(&self) -> Option<char> {
        let next = self.text[self.at..].chars().next();
        self.touched_end.set(self.touched_end.get() || next.is_none());
        next
    }

    fn is_at_line_start(&self) -> bool {
        let before = self.text[..self.at].rsplit('\n').next().unwrap_or_default();
        before.chars().all(|letter| letter.is_whitespace() || letter == '\u{feff}')
    }

    fn read_game(&mut self) -> Result<Record, Wrong> {
        let tags = self.read_tags()?;
        let find = |name: &str| tags.iter().find(|tag| tag.name == name);
        if let Some(tag) = find("Variant").filter(|tag| !self.is_ours(&tag.value)) {
            let reason = format!("this is a game of '{}'; expected one of {}", tag.value, self.game.name);
            return Err((tag.at, reason));
        }
        let is_960 = find("Variant").is_some_and(|tag| self.is_chess960(&tag.value));
        let position = match find("FEN") {
            Some(tag) => self.open(&tag.value, is_960).map_err(|error| {
                let offset = self.text[tag.at..].char_indices().nth(error.offset).map_or(0, |(offset, _)| offset);
                (tag.at + offset, error.reason)
            })?,
            None => {
                let start = (self.game.start)(&Start::default()).map_err(|error| (self.at, error.to_string()))?;
                self.open(&start, is_960).map_err(|error| (self.at, error.reason))?
            }
        };
        let start = position.text();
        let (moves, ending) = self.read_moves(position)?;
        let said = find("Result").and_then(|tag| result_of(&tag.value));
        let result = ending.or(said).unwrap_or("*").to_string();
        Ok(Record { tags: tags.into_iter().map(|tag| (tag.name, tag.value)).collect(), start, moves, result })
    }

    fn is_ours(&self, variant: &str) -> bool {
        let variant = variant.to_ascii_lowercase();
        let is_chess = self.game.name == chess::INFO.name && CHESS.contains(&variant.as_str());
        variant == self.game.name || is_chess || self.is_chess960(&variant)
    }

    fn is_chess960(&self, variant: &str) -> bool {
        self.game.name == chess::INFO.name && CHESS960.contains(&variant.to_ascii_lowercase().as_str())
    }

    /// Opens a position; one of Chess960 whichever way its castling rights are written.
    fn open(&self, text: &str, is_chess960: bool) -> Result<Box<dyn AnyPosition>, PositionError> {
        match is_chess960 {
            true => (self.game.open)(&chess960::canonical(text)?),
            false => (self.game.open)(text),
        }
    }

    fn read_tags(&mut self) -> Result<Vec<Tag>, Wrong> {
        let mut tags = Vec::new();
        loop {
            self.skip_space();
            match self.peek() {
                Some('[') => tags.push(self.read_tag()?),
                Some('%') if self.is_at_line_start() => self.at = self.end_of_line(),
                _ => return Ok(tags),
            }
        }
    }

    fn read_tag(&mut self) -> Result<Tag, Wrong> {
        let line = &self.text[self.at..self.end_of_line()];
        let expected = "expected a tag like [White \"name\"]";
        let is_name = |letter: char| letter.is_ascii_alphanumeric() || "_+#=:-".contains(letter);
        let inside = line[1..].trim_start();
        let name: &str = &inside[..inside.find(|letter| !is_name(letter)).unwrap_or(inside.len())];
        let value = inside[name.len()..].trim_start();
        if name.is_empty() || !value.starts_with('"') {
            return Err((self.at, format!("'{}' is not a tag; {expected}", shortened(line))));
        }
        let begin = line.len() - value.len() + 1;
        let end = end_of_value(&line[begin..]).map(|offset| begin + offset);
        let end = end.ok_or_else(|| (self.at, format!("the tag {name} is never closed; {expected}")))?;
        let at = self.at + begin;
        let close = line[end..].find(']').map_or(line.len(), |offset| end + offset + 1);
        self.at += close;
        Ok(Tag { at, name: name.to_string(), value: unescaped(&line[begin..end]) })
    }

    /// The moves, and the result behind them if there is one.
    fn read_moves(
        &mut self,
        mut position: Box<dyn AnyPosition>,
    ) -> Result<(Vec<Recorded>, Option<&'static str>), Wrong> {
        let mut moves: Vec<Recorded> = Vec::new();
        loop {
            self.skip_space();
            let Some(letter) = self.peek() else { return Ok((moves, None)) };
            match letter {
                '[' if self.is_at_line_start() => return Ok((moves, None)),
                '%' if self.is_at_line_start() => self.at = self.end_of_line(),
                ';' | '{' => {
                    let comment = self.read_comment()?;
                    if let Some(last) = moves.last_mut() {
                        let space = if last.comment.is_empty() || comment.is_empty() { "" } else { " " };
                        last.comment += &format!("{space}{comment}");
                    }
                }
                '(' => self.skip_variation()?,
                '$' => self.at += self.word().len(),
                ')' | '}' => {
                    return Err((self.at, format!("this '{letter}' closes nothing; leave it out")));
                }
                _ => {
                    let (at, word) = (self.at, self.word());
                    self.at += word.len();
                    if let Some(result) = result_of(word) {
                        return Ok((moves, Some(result)));
                    }
                    let m = without_number(word);
                    if is_remark(m) || moves.len() >= self.most {
                        continue;
                    }
                    let at = at + word.len() - m.len();
                    let wrong = |error: crate::game::MoveError| (at, error.to_string());
                    moves.push(Recorded { m: position.canonical_move(m).map_err(wrong)?, comment: String::new() });
                    position = position.play(m).map_err(wrong)?;
                }
            }
        }
    }

    /// The text up to the next space or special character; never empty.
    fn word(&self) -> &'a str {
        let rest = &self.text[self.at..];
        let first = rest.chars().next().map_or(0, char::len_utf8);
        let ends = |letter: char| letter.is_whitespace() || "{}()[];$".contains(letter);
        &rest[..rest[first..].find(ends).map_or(rest.len(), |offset| first + offset)]
    }

    fn read_comment(&mut self) -> Result<String, Wrong> {
        let begin = self.at;
        let comment = if self.peek() == Some(';') {
            self.at = self.end_of_line();
            &self.text[begin + 1..self.at]
        } else {
            let end = self.text[begin..].find('}').map(|offset| begin + offset);
            self.touched_end.set(self.touched_end.get() || end.is_none());
            let end = end.ok_or_else(|| (begin, "this comment is never closed; expected '}'".to_string()))?;
            self.at = end + 1;
            &self.text[begin + 1..end]
        };
        // Where a comment was broken into lines says nothing.
        Ok(comment.split_whitespace().collect::<Vec<_>>().join(" "))
    }

    /// Variations may hold variations, and comments with brackets in them.
    fn skip_variation(&mut self) -> Result<(), Wrong> {
        let begin = self.at;
        let mut open = 0usize;
        loop {
            match self.peek() {
                None => return Err((begin, "this variation is never closed; expected ')'".to_string())),
                Some('{' | ';') => drop(self.read_comment()?),
                Some(letter) => {
                    self.at += letter.len_utf8();
                    match letter {
                        '(' => open += 1,
                        ')' if open == 1 => return Ok(()),
                        ')' => open -= 1,
                        _ => {}
                    }
                }
            }
        }
    }

    /// Goes to where the next game may begin after one that cannot be read.
    fn recover(&mut self, wrong_at: usize) {
        self.at = wrong_at.min(self.text.len());
        // The rest of this line, then of its tags, then of its moves.
        self.at = self.end_of_line();
        let line_start = self.text[..wrong_at.min(self.text.len())].rfind('\n').map_or(0, |at| at + 1);
        if is_tag(&self.text[line_start..]) {
            self.skip_lines(|line| line.trim().is_empty() || is_tag(line));
        }
        self.skip_lines(|line| !is_tag(line));
    }

    fn place(&mut self, (at, reason): Wrong) -> PgnError {
        let before = self.text.get(..at).unwrap_or(self.text);
        let (known_at, known_line) = if self.known.0 <= before.len() { self.known } else { (0, self.first_line) };
        let line = known_line + before[known_at..].matches('\n').count();
        let begin = before.rfind('\n').map_or(0, |at| at + 1);
        self.known = (begin, line);
        let mark = if begin == 0 && before.starts_with('\u{feff}') { 1 } else { 0 };
        PgnError { line, column: before[begin..].chars().count() + 1 - mark, reason }
    }
}

impl Iterator for Reader<'_> {
    type Item = Result<Record, PgnError>;

    fn next(&mut self) -> Option<Result<Record, PgnError>> {
        self.touched_end.set(false);
        if !self.find_game() {
            return None;
        }
        self.line = self.place((self.at, String::new())).line;
        match self.read_game() {
            Ok(record) => Some(Ok(record)),
            Err(wrong) => {
                self.recover(wrong.0);
                Some(Err(self.place(wrong)))
            }
        }
    }
}

/// Where the value of a tag ends: at a quote with a bracket behind it. Other quotes are often not escaped.
fn end_of_value(text: &str) -> Option<usize> {
    let mut is_escaped = false;
    for (at, letter) in text.char_indices() {
        match letter {
            '\\' if !is_escaped => is_escaped = true,
            '"' if !is_escaped && text[at + 1..].trim_start().starts_with(']') => return Some(at),
            _ => is_escaped = false,
        }
    }
    None
}

fn unescaped(text: &str) -> String {
    let mut value = String::new();
    let mut letters = text.chars().peekable();
    while let Some(letter) = letters.next() {
        let escaped = letters.next_if(|&next| letter == '\\' && (next == '"' || next == '\\'));
        value.push(escaped.unwrap_or(letter));
    }
    value
}

fn result_of(word: &str) -> Option<&'static str> {
    RESULTS.iter().find(|(text, _)| *text == word).map(|(_, result)| *result)
}

/// A move without the number glued to it; nothing is left of a number alone.
fn without_number(word: &str) -> &str {
    let rest = word.trim_start_matches(|letter: char| letter.is_ascii_digit());
    let rest = if rest.is_empty() || rest.len() < word.len() && rest.starts_with('.') { rest } else { word };
    rest.trim_start_matches(['.', '…'])
}

/// Nothing, signs of annotators (`!?`, `+-`, `=`), and words that belong to the move before. `--` is a null move: no move.
fn is_remark(word: &str) -> bool {
    matches!(word, "e.p." | "ep" | "+" | "ch" | "mate") || word != "--" && !word.contains(char::is_alphanumeric)
}

fn shortened(text: &str) -> String {
    let text = text.trim_end();
    if text.chars().count() <= 40 { text.to_string() } else { text.chars().take(39).chain(['…']).collect() }
}
