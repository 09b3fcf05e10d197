//! Lines from outside: of any length, in any encoding, and never more of them in memory than is sensible.

use std::io::{BufRead, ErrorKind, Result};

/// Reads lines as text. What is not UTF-8 is replaced, and what no sensible line needs is dropped.
#[derive(Debug)]
pub struct Lines<R> {
    input: R,
}

/// A line as it was read.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Line {
    /// All of it, without its end.
    Whole(String),
    /// It was longer than [`Lines::LONGEST`]; nothing is kept.
    TooLong,
}

impl<R: BufRead> Lines<R> {
    /// The longest line that is read, in bytes: far more than the moves of the longest game.
    pub const LONGEST: usize = 1 << 18;

    /// Reads from here.
    pub fn new(input: R) -> Lines<R> {
        Lines { input }
    }

    /// The next line; none at the end of the input. A last line need not be ended.
    pub fn read(&mut self) -> Result<Option<Line>> {
        let (mut line, mut too_long) = (Vec::new(), false);
        loop {
            let part = match self.input.fill_buf() {
                Ok(part) => part,
                Err(error) if error.kind() == ErrorKind::Interrupted => continue,
                Err(error) => return Err(error),
            };
            let end = part.iter().position(|&byte| byte == b'\n');
            let text = &part[..end.unwrap_or(part.len())];
            too_long |= line.len() + text.len() > Self::LONGEST;
            if !too_long {
                line.extend_from_slice(text);
            }
            let (is_over, used) = (part.is_empty(), end.map_or(part.len(), |end| end + 1));
            self.input.consume(used);
            if is_over && line.is_empty() && !too_long {
                return Ok(None);
            }
            if is_over || end.is_some() {
                break;
            }
        }
        if too_long {
            return Ok(Some(Line::TooLong));
        }
        Ok(Some(Line::Whole(String::from_utf8_lossy(&line).trim_end_matches('\r').to_string())))
    }
}

#[cfg(test)]
mod tests {
    use std::io::BufReader;

    use super::{Line, Lines};

    fn read_all(input: &[u8]) -> Vec<Line> {
        // A small buffer, so that lines come in parts.
        let mut lines = Lines::new(BufReader::with_capacity(7, input));
        std::iter::from_fn(|| lines.read().unwrap()).collect()
    }

    fn whole(text: &str) -> Line {
        Line::Whole(text.to_string())
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
        let mut input = vec![b'x'; 3 * Lines::<&[u8]>::LONGEST];
        assert_eq!(read_all(&input), [Line::TooLong]);
        input.extend(b"\nisready\n");
        assert_eq!(read_all(&input), [Line::TooLong, whole("isready")]);
    }
}
