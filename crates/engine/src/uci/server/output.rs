//! What the engine says, line by line, by whichever thread has something to say.

use std::io::{self, Write};
use std::sync::{Mutex, PoisonError};

/// Writes whole lines, each at once.
pub struct LineWriter<W> {
    output: Mutex<Output<W>>,
}

struct Output<W> {
    writer: W,
    /// The first failure; nothing is written after it.
    failure: Option<io::Error>,
}

impl<W: Write> LineWriter<W> {
    /// The longest message; what was read may be much longer, and some of it may come back in a message.
    const LONGEST: usize = 400;

    pub fn new(writer: W) -> LineWriter<W> {
        LineWriter { output: Mutex::new(Output { writer, failure: None }) }
    }

    /// Writes a line at once.
    pub fn write_line(&self, line: &str) {
        let mut output = self.output.lock().unwrap_or_else(PoisonError::into_inner);
        if output.failure.is_none() {
            let whole = format!("{line}\n");
            output.failure = output.writer.write_all(whole.as_bytes()).and_then(|()| output.writer.flush()).err();
        }
    }

    /// Says in one line what is wrong, whatever bytes it quotes.
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
