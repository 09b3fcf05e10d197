//! Results on standard output: as text and tables, or as JSON with `--json`. Diagnostics go to stderr.

use std::io::{ErrorKind, Write};

use comfy_table::presets::NOTHING;
use comfy_table::{CellAlignment, Table};
use plysmith_runs::kind::FinishedRun;
use plysmith_runs::view::{self, Block, Cell, View};
pub use plysmith_runs::view::{percent, thousands};
use plysmith_store::RunId;
use serde::Serialize;

use crate::failure::Failure;

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
            self.write(&(json + "\n"))
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
            return self.write(&format!("{}\n", finished.json));
        }
        let text = text(&finished.view);
        self.write(&format!("{text}\nRun {run}: `plysmith show {run}` prints this again.\n"))
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

/// Prints a diagnostic to stderr. A closed stderr is ignored.
pub fn say(message: impl std::fmt::Display) {
    let _ = writeln!(std::io::stderr(), "{message}");
}

/// A view as text.
pub fn text(view: &View) -> String {
    let block = |block: &Block| match block {
        Block::Text(text) => text.clone(),
        Block::Table(table) => print_table(table),
        Block::Chart(chart) => format!("{}\n", chart.text()),
    };
    view.blocks.iter().map(block).collect()
}

/// A plain table; a heading that begins with `>` is of a column of numbers, which is aligned to the right.
pub fn table(headings: &[&str], rows: impl IntoIterator<Item = Vec<String>>) -> String {
    let rows = rows.into_iter().map(|row| row.into_iter().map(Cell::Text).collect());
    print_table(&view::Table::new(headings, rows))
}

fn print_table(table: &view::Table) -> String {
    let mut text = Table::new();
    text.load_style(NOTHING);
    text.set_header(table.columns.iter().map(|column| &column.name));
    for row in &table.rows {
        text.add_row(row.iter().map(cell));
    }
    for (index, heading) in table.columns.iter().enumerate() {
        if let Some(column) = text.column_mut(index) {
            column.set_padding((0, 2));
            if heading.is_number {
                column.set_cell_alignment(CellAlignment::Right);
            }
        }
    }
    let lines: Vec<_> = text.lines().map(|line| line.trim_end().to_string()).collect();
    lines.join("\n") + "\n"
}

fn cell(cell: &Cell) -> String {
    match cell {
        Cell::Text(text) => text.clone(),
        Cell::Count(count) => thousands(*count),
        Cell::Number(number, decimals) => format!("{number:.decimals$}"),
        Cell::Percent(share) => percent(*share),
        Cell::Missing => "–".to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::table;

    #[test]
    fn tables_line_up() {
        let text = table(&["name", ">count"], [vec!["a".into(), "1".into()], vec!["bcd".into(), "1000".into()]]);
        assert_eq!(text, "name  count\na         1\nbcd    1000\n");
    }
}
