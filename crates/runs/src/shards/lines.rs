//! Files of JSON lines, each with its checksum: what was changed, cut off or is something else is noticed, with its line.

use std::fs::File;
use std::io::{BufRead, BufReader, Read};
use std::path::{Path, PathBuf};

use serde::Serialize;
use xxhash_rust::xxh3::{Xxh3, xxh3_64};

use crate::error::RunError;

/// A line as it is written: 16 hexadecimal digits, a blank, JSON.
pub fn line(value: &impl Serialize) -> Result<String, RunError> {
    let json = serde_json::to_string(value).map_err(RunError::failed)?;
    Ok(format!("{:016x} {json}\n", xxh3_64(json.as_bytes())))
}

/// Reads a file line by line.
pub struct Lines {
    path: PathBuf,
    reader: BufReader<File>,
    number: u64,
    /// Bytes of the lines that were read.
    end: u64,
    content: Xxh3,
}

/// What comes next in a file.
pub enum Next {
    /// The JSON of a line.
    Line(String),
    /// The file ends within a line.
    CutOff,
    /// The file ends.
    End,
}

/// No line is longer: the largest blob in hexadecimal digits, with some words around it.
const MOST_BYTES: u64 = (2 * crate::remote::blob::MOST_BYTES + (1 << 20)) as u64;

impl Lines {
    /// Opens a file.
    pub fn open(path: &Path) -> Result<Lines, RunError> {
        let file =
            File::open(path).map_err(|error| RunError::input(format!("cannot read {}: {error}", path.display())))?;
        Ok(Lines { path: path.to_path_buf(), reader: BufReader::new(file), number: 0, end: 0, content: Xxh3::new() })
    }

    /// The next line. A damaged one is an error.
    pub fn next(&mut self) -> Result<Next, RunError> {
        let mut bytes = Vec::new();
        let read = self.reader.by_ref().take(MOST_BYTES).read_until(b'\n', &mut bytes);
        read.map_err(|error| RunError::failed(format!("cannot read {}: {error}", self.path.display())))?;
        self.number += 1;
        if bytes.is_empty() {
            return Ok(Next::End);
        }
        if bytes.len() as u64 == MOST_BYTES {
            return Err(self.error("the line is longer than any that plysmith writes"));
        }
        if bytes.last() != Some(&b'\n') {
            return Ok(Next::CutOff);
        }
        let json = checked(&bytes[..bytes.len() - 1]);
        let json = json.ok_or_else(|| {
            self.error("the line does not have its checksum: the file is damaged, or is something else; copy it again")
        })?;
        self.content.update(&bytes);
        self.end += bytes.len() as u64;
        Ok(Next::Line(json))
    }

    /// An error in the line that was read last.
    pub fn error(&self, reason: impl std::fmt::Display) -> RunError {
        RunError::input(format!("{}: {reason}", self.place()))
    }

    /// The file and the line that was read last.
    pub fn place(&self) -> String {
        format!("{}:{}", self.path.display(), self.number)
    }

    /// How many bytes the lines have that were read so far.
    pub fn end(&self) -> u64 {
        self.end
    }

    /// The key of the content of the lines that were read so far.
    pub fn content(&self) -> String {
        format!("{:032x}", self.content.digest128())
    }
}

fn checked(line: &[u8]) -> Option<String> {
    let text = std::str::from_utf8(line).ok()?;
    let (checksum, json) = text.split_once(' ')?;
    let is_right = checksum.len() == 16 && u64::from_str_radix(checksum, 16) == Ok(xxh3_64(json.as_bytes()));
    is_right.then(|| json.to_string())
}
