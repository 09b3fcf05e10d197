//! Results on standard output: for people as text and tables, for programs as JSON.

use std::io::{ErrorKind, Write};

use comfy_table::presets::NOTHING;
use comfy_table::{CellAlignment, Table};
use serde::Serialize;

use crate::failure::Failure;

/// Where results go, and in which form.
pub struct Output {
    json: bool,
}

impl Output {
    /// JSON or text.
    pub fn new(json: bool) -> Output {
        Output { json }
    }

    /// Whether programs are reading.
    pub fn is_json(&self) -> bool {
        self.json
    }

    /// Prints a result: its data as JSON, or what `text` makes of it.
    pub fn print<T: Serialize>(&self, data: &T, text: impl FnOnce() -> String) -> Result<(), Failure> {
        if self.json {
            let json = serde_json::to_string_pretty(data).map_err(|error| Failure::Failed(error.into()))?;
            self.write(&(json + "\n"))
        } else {
            self.write(&text())
        }
    }

    /// Writes text as it is.
    pub fn write(&self, text: &str) -> Result<(), Failure> {
        let mut stdout = std::io::stdout().lock();
        match stdout.write_all(text.as_bytes()).and_then(|()| stdout.flush()) {
            Ok(()) => Ok(()),
            Err(error) if error.kind() == ErrorKind::BrokenPipe => Err(Failure::OutputClosed),
            Err(error) => Err(Failure::Failed(anyhow::anyhow!("cannot write the result: {error}"))),
        }
    }
}

/// Says something to a person. If nobody can hear it, there is nobody to tell either.
pub fn say(message: impl std::fmt::Display) {
    let _ = writeln!(std::io::stderr(), "{message}");
}

/// A plain table; columns whose heading begins with `>` stand to the right.
pub fn table(headings: &[&str], rows: impl IntoIterator<Item = Vec<String>>) -> String {
    let mut table = Table::new();
    table.load_style(NOTHING);
    table.set_header(headings.iter().map(|heading| heading.trim_start_matches('>')));
    for row in rows {
        table.add_row(row);
    }
    for (index, heading) in headings.iter().enumerate() {
        if let Some(column) = table.column_mut(index) {
            column.set_padding((0, 2));
            if heading.starts_with('>') {
                column.set_cell_alignment(CellAlignment::Right);
            }
        }
    }
    let lines: Vec<_> = table.lines().map(|line| line.trim_end().to_string()).collect();
    lines.join("\n") + "\n"
}

/// A whole number with its thousands set apart.
pub fn thousands(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// A share as a percentage.
pub fn percent(share: f64) -> String {
    format!("{:.2} %", 100.0 * share)
}

#[cfg(test)]
mod tests {
    use super::{table, thousands};

    #[test]
    fn thousands_are_set_apart() {
        let numbers = [0, 999, 1000, 1_234_567, 20_838_000_000];
        assert_eq!(numbers.map(thousands), ["0", "999", "1,000", "1,234,567", "20,838,000,000"]);
    }

    #[test]
    fn tables_line_up() {
        let text = table(&["name", ">count"], [vec!["a".into(), "1".into()], vec!["bcd".into(), "1000".into()]]);
        assert_eq!(text, "name  count\na         1\nbcd    1000\n");
    }
}
