//! Lines from outside: of any length, in any encoding, and never more of them in memory than is sensible.

use std::collections::VecDeque;
use std::io::{BufRead, ErrorKind, Result};

/// Reads lines as text. What is not UTF-8 is replaced, and what no sensible line needs is dropped.
#[derive(Debug)]
pub struct LineReader<R> {
    input: R,
    splitter: LineSplitter,
}

/// A line as it was read.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum InputLine {
    /// All of it, without its end.
    Whole(String),
    /// It was longer than [`LineSplitter::LONGEST`]; nothing is kept.
    TooLong,
}

/// Makes lines of bytes that come in pieces.
#[derive(Debug, Default)]
pub struct LineSplitter {
    /// Lines that are whole and were not taken yet.
    whole: VecDeque<InputLine>,
    /// What there is of the next one.
    line: Vec<u8>,
    is_too_long: bool,
}

impl InputLine {
    /// Its text; nothing of one that was too long.
    pub fn text(self) -> String {
        match self {
            InputLine::Whole(text) => text,
            InputLine::TooLong => String::new(),
        }
    }
}

impl LineSplitter {
    /// The longest line that is read, in bytes: far more than the moves of the longest game.
    pub const LONGEST: usize = 1 << 18;

    /// The next line, if there is a whole one.
    pub fn line(&mut self) -> Option<InputLine> {
        self.whole.pop_front()
    }

    /// Takes more bytes.
    pub fn add(&mut self, bytes: &[u8]) {
        let mut pieces = bytes.split(|&byte| byte == b'\n');
        // There is always a first piece; each further one begins a line.
        self.lengthen(pieces.next().unwrap_or_default());
        for piece in pieces {
            self.finish();
            self.lengthen(piece);
        }
    }

    /// Nothing more comes: a last line need not be ended.
    pub fn end(&mut self) {
        if !self.line.is_empty() || self.is_too_long {
            self.finish();
        }
    }

    fn lengthen(&mut self, piece: &[u8]) {
        self.is_too_long |= self.line.len() + piece.len() > LineSplitter::LONGEST;
        if self.is_too_long {
            self.line.clear();
        } else {
            self.line.extend_from_slice(piece);
        }
    }

    fn finish(&mut self) {
        let text = String::from_utf8_lossy(&self.line).trim_end_matches('\r').to_string();
        self.whole.push_back(if self.is_too_long { InputLine::TooLong } else { InputLine::Whole(text) });
        self.line.clear();
        self.is_too_long = false;
    }
}

impl<R: BufRead> LineReader<R> {
    /// Reads from here.
    pub fn new(input: R) -> LineReader<R> {
        LineReader { input, splitter: LineSplitter::default() }
    }

    /// The next line; none at the end of the input.
    pub fn read(&mut self) -> Result<Option<InputLine>> {
        loop {
            if let Some(line) = self.splitter.line() {
                return Ok(Some(line));
            }
            let part = match self.input.fill_buf() {
                Ok(part) => part,
                Err(error) if error.kind() == ErrorKind::Interrupted => continue,
                Err(error) => return Err(error),
            };
            let count = part.len();
            if count == 0 {
                self.splitter.end();
                return Ok(self.splitter.line());
            }
            self.splitter.add(part);
            self.input.consume(count);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::io::BufReader;

    use super::{InputLine, LineReader, LineSplitter};

    fn read_all(input: &[u8]) -> Vec<InputLine> {
        // A small buffer, so that lines come in parts.
        let mut lines = LineReader::new(BufReader::with_capacity(7, input));
        std::iter::from_fn(|| lines.read().unwrap()).collect()
    }

    fn whole(text: &str) -> InputLine {
        InputLine::Whole(text.to_string())
    }

    #[test]
    fn lines_end_in_any_usual_way() {
        assert_eq!(read_all(b"one two three\r\n\nlast"), [whole("one two three"), whole(""), whole("last")]);
        assert_eq!(read_all(b""), []);
        assert_eq!(read_all(b"\n"), [whole("")]);
    }

    #[test]
    fn bytes_that_are_no_text_are_replaced() {
        assert_eq!(read_all(b"go \xff\xfe\n"), [whole("go \u{fffd}\u{fffd}")]);
    }

    #[test]
    fn a_line_without_end_is_not_kept_and_the_next_one_is_read() {
        let mut input = vec![b'x'; 3 * LineSplitter::LONGEST];
        assert_eq!(read_all(&input), [InputLine::TooLong]);
        input.extend(b"\nisready\n");
        assert_eq!(read_all(&input), [InputLine::TooLong, whole("isready")]);
    }
}
