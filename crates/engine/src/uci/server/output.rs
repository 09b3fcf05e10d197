//! The output of the server, shared by its threads.

use std::io::{self, Write};
use std::sync::{Mutex, PoisonError};

/// Writes whole lines, each flushed at once.
pub struct LineWriter<W> {
    output: Mutex<SharedOutput<W>>,
}

struct SharedOutput<W> {
    writer: W,
    /// The first error; nothing is written after it.
    failure: Option<io::Error>,
}

impl<W: Write> LineWriter<W> {
    /// The maximum length of a message, which may quote much longer input.
    const LONGEST: usize = 400;

    pub fn new(writer: W) -> LineWriter<W> {
        LineWriter { output: Mutex::new(SharedOutput { writer, failure: None }) }
    }

    /// Writes a line and flushes it.
    pub fn write_line(&self, line: &str) {
        let mut output = self.output.lock().unwrap_or_else(PoisonError::into_inner);
        if output.failure.is_none() {
            let whole = format!("{line}\n");
            output.failure = output.writer.write_all(whole.as_bytes()).and_then(|()| output.writer.flush()).err();
        }
    }

    /// Writes an error as one `info string` line, without control characters.
    pub fn write_error<E: ToString + ?Sized>(&self, error: &E) {
        let message = error.to_string();
        let printable = |letter: char| if letter.is_control() { ' ' } else { letter };
        let mut text: String = message.chars().map(printable).take(Self::LONGEST).collect();
        if text.len() < message.len() {
            text.push('…');
        }
        self.write_line(&format!("info string error: {text}"));
    }

    pub fn has_failed(&self) -> bool {
        self.output.lock().unwrap_or_else(PoisonError::into_inner).failure.is_some()
    }

    pub fn into_failure(self) -> Option<io::Error> {
        self.output.into_inner().unwrap_or_else(PoisonError::into_inner).failure
    }
}
