//! Results on standard output: as text and tables, or as JSON with `--json`. Diagnostics go to stderr.

use std::borrow::Cow;
use std::io::{BufWriter, ErrorKind, Write};

use plysmith_core::printable::{printable_json, printable_lines};
use plysmith_runs::registry::FinishedRun;
use plysmith_runs::view::{Cell, Table, View};
pub use plysmith_runs::view::{percent, thousands};
use plysmith_store::RunId;
use serde::Serialize;

use crate::failure::Failure;
pub use crate::stderr::say;
use crate::style::{self, render};

/// Prints results as text or as JSON.
pub struct Output {
    json: bool,
}

impl Output {
    /// JSON or text.
    pub fn new(json: bool) -> Output {
        Output { json }
    }

    /// Whether `--json` was given.
    pub fn is_json(&self) -> bool {
        self.json
    }

    /// Prints a result: its data as JSON, or what `text` makes of it.
    pub fn print<T: Serialize>(&self, data: &T, text: impl FnOnce() -> String) -> Result<(), Failure> {
        if self.json {
            let json = serde_json::to_string_pretty(data).map_err(|error| Failure::Failed(error.into()))?;
            self.write_json(&(json + "\n"))
        } else {
            self.write(&text())
        }
    }

    /// Prints a finished run, and says how to see it again.
    pub fn print_run(&self, run: RunId, finished: &FinishedRun) -> Result<(), Failure> {
        for file in &finished.files {
            say(format!("wrote {}", file.display()));
        }
        if self.json {
            return self.write_json(&format!("{}\n", finished.json));
        }
        self.write_raw(&render(&finished.view))?;
        self.write(&format!("\nRun {run} is stored: `plysmith show {run}` prints it.\n"))
    }

    /// Prints a result: its data as JSON, or what it shows.
    pub fn print_view<T: Serialize>(&self, data: &T, view: impl FnOnce() -> View) -> Result<(), Failure> {
        if self.json { self.print(data, String::new) } else { self.write_raw(&render(&view())) }
    }

    /// Writes what is too long to be held in memory: `produce` writes it piece by piece.
    pub fn stream(&self, produce: impl FnOnce(&mut dyn Write) -> Result<(), Failure>) -> Result<(), Failure> {
        let mut out = Watched { inner: BufWriter::with_capacity(1 << 16, std::io::stdout().lock()), failure: None };
        let produced = produce(&mut out).and_then(|()| out.flush().map_err(|error| Failure::Failed(error.into())));
        match (out.failure, produced) {
            (None, produced) => produced,
            (Some((ErrorKind::BrokenPipe, _)), _) => Err(Failure::OutputClosed),
            (Some((_, error)), _) => Err(Failure::Failed(anyhow::anyhow!("cannot write the result: {error}"))),
        }
    }

    /// Writes text, with control characters from outside escaped.
    pub fn write(&self, text: &str) -> Result<(), Failure> {
        self.write_raw(&printable_lines(text))
    }

    /// Writes JSON, with control characters from outside as its own escapes.
    pub fn write_json(&self, json: &str) -> Result<(), Failure> {
        self.write_raw(&printable_json(json))
    }

    /// Writes text of our own as it is.
    pub fn write_raw(&self, text: &str) -> Result<(), Failure> {
        let mut stdout = std::io::stdout().lock();
        match stdout.write_all(text.as_bytes()).and_then(|()| stdout.flush()) {
            Ok(()) => Ok(()),
            Err(error) if error.kind() == ErrorKind::BrokenPipe => Err(Failure::OutputClosed),
            Err(error) => Err(Failure::Failed(anyhow::anyhow!("cannot write the result: {error}"))),
        }
    }
}

/// Remembers the first error of a writer, whatever becomes of it on its way through other libraries.
struct Watched<W> {
    inner: W,
    failure: Option<(ErrorKind, String)>,
}

impl<W: Write> Watched<W> {
    fn noted<T>(&mut self, result: std::io::Result<T>) -> std::io::Result<T> {
        if let Err(error) = &result
            && error.kind() != ErrorKind::Interrupted
        {
            self.failure.get_or_insert((error.kind(), error.to_string()));
        }
        result
    }
}

impl<W: Write> Write for Watched<W> {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        let result = self.inner.write(bytes);
        self.noted(result)
    }

    fn flush(&mut self) -> std::io::Result<()> {
        let result = self.inner.flush();
        self.noted(result)
    }
}

/// Text with control characters from outside escaped, in pieces that may end within a character.
pub struct Escaped<W> {
    inner: W,
    escape: fn(&str) -> Cow<'_, str>,
    /// The beginning of a character whose end has not come.
    pending: Vec<u8>,
}

impl<W> Escaped<W> {
    /// Escapes what is written.
    pub fn new(inner: W, escape: fn(&str) -> Cow<'_, str>) -> Escaped<W> {
        Escaped { inner, escape, pending: Vec::new() }
    }
}

impl<W: Write> Write for Escaped<W> {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.pending.extend_from_slice(bytes);
        let whole = match std::str::from_utf8(&self.pending) {
            Err(error) if error.error_len().is_none() => error.valid_up_to(),
            _ => self.pending.len(),
        };
        let text = String::from_utf8_lossy(&self.pending[..whole]);
        self.inner.write_all((self.escape)(&text).as_bytes())?;
        drop(text);
        self.pending.drain(..whole);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        self.inner.flush()
    }
}

/// Lines to another program or a person, with control characters from outside escaped. Each write must be whole text.
#[derive(Debug)]
pub struct Printable<W>(pub W);

impl<W: Write> Write for Printable<W> {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.write_all(printable_lines(&String::from_utf8_lossy(bytes)).as_bytes())?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        self.0.flush()
    }
}

/// A plain table; a heading that begins with `>` is of a column of numbers, which is aligned to the right.
pub fn table(headings: &[&str], rows: impl IntoIterator<Item = Vec<String>>) -> String {
    let rows = rows.into_iter().map(|row| row.into_iter().map(Cell::Text).collect());
    let table = Table::new(headings, rows);
    match style::width() {
        Some(width) => format!("{table:width$}"),
        None => table.to_string(),
    }
}
