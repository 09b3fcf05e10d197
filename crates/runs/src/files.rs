//! Reading and writing the files that a user names.

use std::fs::{self, File};
use std::io::{BufRead, BufReader, Read};
use std::path::Path;

use crate::error::RunError;
pub use crate::output_file::{check_target, write_bytes, write_file};
use crate::view::counted;

/// Reads a text; `expected` is what it should be. Where bad parts are skipped, bytes that are no text become `\u{fffd}`.
pub fn read_text(path: &Path, expected: &str, skip_bad: bool) -> Result<String, RunError> {
    let name = path.display().to_string();
    let bytes = fs::read(path).map_err(|error| RunError::input(format!("cannot read {name}: {error}")))?;
    let contents = match String::from_utf8(bytes) {
        Ok(contents) => contents,
        Err(error) if skip_bad => String::from_utf8_lossy(error.as_bytes()).into_owned(),
        Err(error) => {
            let valid = String::from_utf8_lossy(&error.as_bytes()[..error.utf8_error().valid_up_to()]).into_owned();
            let (line, last) = (valid.matches('\n').count() + 1, valid.rsplit('\n').next().unwrap_or_default());
            let column = last.chars().count() + 1;
            return Err(not_text(&name, line, column, expected));
        }
    };
    // Some editors begin a file with an invisible mark.
    Ok(without_mark(contents))
}

/// The lines of a text file, with their ends, read one after the other.
pub struct TextLines<'a> {
    name: String,
    input: Box<dyn BufRead>,
    expected: &'a str,
    skip_bad: bool,
    number: usize,
}

/// No line of a text is longer.
const LONGEST_LINE: u64 = 1 << 24;

impl<'a> TextLines<'a> {
    /// Opens a file; `expected` is what it should be. Where bad parts are skipped, bytes that are no text become
    /// `\u{fffd}`.
    pub fn open(path: &Path, expected: &'a str, skip_bad: bool) -> Result<TextLines<'a>, RunError> {
        let name = path.display().to_string();
        let file = File::open(path).map_err(|error| RunError::input(format!("cannot read {name}: {error}")))?;
        Ok(TextLines { name, input: Box::new(BufReader::with_capacity(1 << 16, file)), expected, skip_bad, number: 0 })
    }

    fn read(&mut self) -> Result<Option<String>, RunError> {
        self.number += 1;
        let (name, number) = (&self.name, self.number);
        let mut bytes = Vec::new();
        let read = self.input.by_ref().take(LONGEST_LINE).read_until(b'\n', &mut bytes);
        let length = read.map_err(|error| RunError::input(format!("cannot read {name}: {error}")))?;
        if length as u64 == LONGEST_LINE {
            let expected = self.expected;
            return Err(RunError::input(format!("{name}:{number}:1: this line is too long; expected {expected}")));
        }
        let line = match String::from_utf8(bytes) {
            Ok(line) => line,
            Err(error) if self.skip_bad => String::from_utf8_lossy(error.as_bytes()).into_owned(),
            Err(error) => {
                let valid = &error.as_bytes()[..error.utf8_error().valid_up_to()];
                let column = String::from_utf8_lossy(valid).chars().count() + 1;
                return Err(not_text(name, number, column, self.expected));
            }
        };
        // Some editors begin a file with an invisible mark.
        let line = if number == 1 { without_mark(line) } else { line };
        Ok((length > 0).then_some(line))
    }
}

impl Iterator for TextLines<'_> {
    type Item = Result<String, RunError>;

    fn next(&mut self) -> Option<Result<String, RunError>> {
        self.read().transpose()
    }
}

fn without_mark(text: String) -> String {
    text.strip_prefix('\u{feff}').map(str::to_string).unwrap_or(text)
}

fn not_text(name: &str, line: usize, column: usize, expected: &str) -> RunError {
    RunError::input(format!("{name}:{line}:{column}: this is not text in UTF-8; expected {expected}; {SKIP_HINT}"))
}

/// What is said behind an error that need not stop anybody.
pub const SKIP_HINT: &str = "--skip-bad skips invalid lines";

/// Deals with the parts of a file that cannot be read: they are listed if they are to be skipped; else the first of
/// them is the error. Each is preceded by the name.
pub fn skip_or_fail(name: &str, wrong: &[String], skip_bad: bool, note: &dyn Fn(&str)) -> Result<(), RunError> {
    match wrong.first() {
        Some(first) if !skip_bad => Err(RunError::input(format!("{name}:{first}; {SKIP_HINT}"))),
        Some(_) => {
            for error in wrong {
                note(&format!("{name}:{error}"));
            }
            note(&format!("skipped {} in {name}", counted(wrong.len(), "bad record")));
            Ok(())
        }
        None => Ok(()),
    }
}
