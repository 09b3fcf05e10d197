//! What a result shows, as data.
//!
//! A run kind turns its output into a [`View`]. Cells keep their numbers, so a renderer can sort, align and format
//! them; [`View`] itself prints as plain text, with control characters escaped (a name in a cell stays on its line).

use std::fmt;

use plysmith_core::printable::{printable, printable_lines};

use crate::chart::{Bar, Bars, Chart, Figure};
pub use crate::number_words::{counted, percent, percents, thousands};

/// A result to be read: paragraphs, tables and charts in order.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct View {
    /// The parts, from top to bottom.
    pub blocks: Vec<Block>,
}

/// One part of a view.
#[derive(Clone, PartialEq, Debug)]
pub enum Block {
    /// Text as it is. It may have several lines.
    Text(String),
    /// A table.
    Table(Table),
    /// A line chart.
    Chart(Chart),
    /// A picture for pages and reports. In the terminal it is left out: the tables next to it have its numbers.
    Figure(Box<Figure>),
    /// A heading, for pages and reports.
    Heading(String),
}

/// A table with typed cells.
#[derive(Clone, PartialEq, Debug)]
pub struct Table {
    /// The columns.
    pub columns: Vec<Column>,
    /// The rows, each with a cell for each column.
    pub rows: Vec<Vec<Cell>>,
    /// What pages call the rows, for links to them; empty if nothing links to them.
    pub anchors: Vec<String>,
}

/// A column of a table.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Column {
    /// The heading.
    pub name: String,
    /// Whether cells are numbers, which are aligned to the right.
    pub is_number: bool,
}

/// A cell of a table.
#[derive(Clone, PartialEq, Debug)]
pub enum Cell {
    /// Text as it is.
    Text(String),
    /// A count.
    Count(u64),
    /// A number with this many decimals.
    Number(f64, usize),
    /// A share, shown as a percentage with two decimals.
    Percent(f64),
    /// No value.
    Missing,
}

impl View {
    /// An empty view.
    pub fn new() -> View {
        View::default()
    }

    /// Appends text.
    #[must_use]
    pub fn text(mut self, text: impl Into<String>) -> View {
        let text = text.into();
        if !text.is_empty() {
            self.blocks.push(Block::Text(text));
        }
        self
    }

    /// Appends a table.
    #[must_use]
    pub fn table(mut self, table: Table) -> View {
        self.blocks.push(Block::Table(table));
        self
    }

    /// Appends a chart.
    #[must_use]
    pub fn chart(mut self, chart: Chart) -> View {
        self.blocks.push(Block::Chart(chart));
        self
    }

    /// Appends a picture.
    #[must_use]
    pub fn figure(mut self, figure: Figure) -> View {
        self.blocks.push(Block::Figure(Box::new(figure)));
        self
    }

    /// Appends a heading.
    #[must_use]
    pub fn heading(mut self, words: impl Into<String>) -> View {
        self.blocks.push(Block::Heading(words.into()));
        self
    }

    /// With a chart of its first table, if it has no chart.
    #[must_use]
    pub fn with_chart(self) -> View {
        let has_chart = self.blocks.iter().any(|block| matches!(block, Block::Chart(_) | Block::Figure(_)));
        let bars = self.blocks.iter().find_map(|block| match block {
            Block::Table(table) => table.bars(),
            _ => None,
        });
        match bars.filter(|_| !has_chart) {
            Some(bars) => self.figure(Figure::Bars(bars)),
            None => self,
        }
    }

    /// Appends all parts of another view.
    #[must_use]
    pub fn view(mut self, other: View) -> View {
        self.blocks.extend(other.blocks);
        self
    }
}

impl Table {
    /// A table from column headings and rows. A heading that begins with `>` is of a column of numbers.
    pub fn new<H: AsRef<str>>(headings: &[H], rows: impl IntoIterator<Item = Vec<Cell>>) -> Table {
        Table {
            columns: headings.iter().map(|heading| Column::parse(heading.as_ref())).collect(),
            rows: rows.into_iter().collect(),
            anchors: Vec::new(),
        }
    }
}

impl Table {
    /// The first column of numbers as bars, with the names of the first column of text; none if there are not both.
    pub fn bars(&self) -> Option<Bars> {
        let has =
            |column: usize, is: &dyn Fn(&Cell) -> bool| self.rows.iter().any(|row| row.get(column).is_some_and(is));
        let is_name = |cell: &Cell| matches!(cell, Cell::Text(text) if !text.is_empty());
        let names = (0..self.columns.len()).find(|&column| !self.columns[column].is_number && has(column, &is_name));
        let values = (0..self.columns.len()).find(|&column| has(column, &|cell| cell.number().is_some()))?;
        let names = names.unwrap_or(0);
        let bar = |row: &Vec<Cell>| Some(Bar::new(row.get(names)?.to_string(), row.get(values)?.number()?));
        let bars: Vec<Bar> = self.rows.iter().filter_map(bar).collect();
        let unit = self.columns[values].name.clone();
        (!bars.is_empty()).then(|| Bars { title: unit.clone(), unit, bars })
    }
}

impl Column {
    fn parse(heading: &str) -> Column {
        Column { name: heading.trim_start_matches('>').to_string(), is_number: heading.starts_with('>') }
    }
}

impl Cell {
    /// A share, if there is one.
    pub fn percent(share: Option<f64>) -> Cell {
        share.map_or(Cell::Missing, Cell::Percent)
    }

    /// Its number, if it is one. A share is in per cent.
    pub fn number(&self) -> Option<f64> {
        match self {
            Cell::Count(count) => Some(*count as f64),
            Cell::Number(number, _) => Some(*number),
            Cell::Percent(share) => Some(100.0 * share),
            Cell::Text(_) | Cell::Missing => None,
        }
    }

    /// A count, if there is one.
    pub fn count(count: Option<u64>) -> Cell {
        count.map_or(Cell::Missing, Cell::Count)
    }
}

impl fmt::Display for View {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.blocks.iter().try_for_each(|block| match block {
            Block::Text(text) => f.write_str(&printable_lines(text)),
            Block::Table(table) => fmt::Display::fmt(table, f),
            Block::Chart(chart) => writeln!(f, "{}", chart.text()),
            Block::Figure(_) => Ok(()),
            Block::Heading(words) => writeln!(f, "\n{}\n", printable(words)),
        })
    }
}

impl fmt::Display for Table {
    /// A line for the headings and one for each row. Columns are two spaces apart; numbers are aligned to the right.
    ///
    /// With a width, as in `{:80}`, texts are shortened until the lines fit. With `{:#}`, headings are bold.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let headings: Vec<String> = self.columns.iter().map(|column| printable(&column.name).into_owned()).collect();
        let rows = self.rows.iter().map(|row| row.iter().map(ToString::to_string).collect());
        let lines: Vec<Vec<String>> = std::iter::once(headings).chain(rows).collect();
        let length = |line: &Vec<String>, column: usize| line.get(column).map_or(0, |cell| cell.chars().count());
        let mut widths: Vec<usize> = (0..self.columns.len())
            .map(|column| lines.iter().map(|line| length(line, column)).max().unwrap_or(0))
            .collect();
        if let Some(columns) = f.width() {
            self.fit(&mut widths, columns);
        }
        for (number, line) in lines.iter().enumerate() {
            let pad = |((cell, column), &width): ((&String, &Column), &usize)| {
                let cell = shortened(cell, width);
                if column.is_number { format!("{cell:>width$}") } else { format!("{cell:<width$}") }
            };
            let cells: Vec<String> = line.iter().zip(&self.columns).zip(&widths).map(pad).collect();
            let line = cells.join("  ");
            match number == 0 && f.alternate() {
                true => writeln!(f, "{BOLD}{}{PLAIN}", line.trim_end())?,
                false => writeln!(f, "{}", line.trim_end())?,
            }
        }
        Ok(())
    }
}

/// How terminals are told to print in bold, and not any more.
const BOLD: &str = "\u{1b}[1m";
const PLAIN: &str = "\u{1b}[0m";

/// Columns of text stay at least this wide.
const NARROWEST: usize = 10;

impl Table {
    /// Narrows columns of text, the widest first, until a line has at most this many characters.
    fn fit(&self, widths: &mut [usize], most: usize) {
        let gaps = 2 * widths.len().saturating_sub(1);
        let mut excess = (widths.iter().sum::<usize>() + gaps).saturating_sub(most);
        while excess > 0 {
            let texts = widths.iter_mut().zip(&self.columns).filter(|(_, column)| !column.is_number);
            match texts.map(|(width, _)| width).max_by_key(|width| **width).filter(|width| **width > NARROWEST) {
                Some(widest) => *widest -= 1,
                None => return,
            }
            excess -= 1;
        }
    }
}

/// A text of at most this many characters; what is left out is marked.
fn shortened(text: &str, most: usize) -> String {
    if text.chars().count() <= most {
        return text.to_string();
    }
    text.chars().take(most.saturating_sub(1)).chain(['…']).collect()
}

impl fmt::Display for Cell {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Cell::Text(text) => f.write_str(&printable(text)),
            Cell::Count(count) => f.write_str(&thousands(*count)),
            Cell::Number(number, decimals) => write!(f, "{number:.decimals$}"),
            Cell::Percent(share) => f.write_str(&percent(*share)),
            Cell::Missing => f.write_str("–"),
        }
    }
}

impl From<String> for Cell {
    fn from(text: String) -> Cell {
        Cell::Text(text)
    }
}

impl From<&str> for Cell {
    fn from(text: &str) -> Cell {
        Cell::Text(text.to_string())
    }
}

#[cfg(test)]
mod tests {
    use super::{Cell, Table, View, thousands};

    #[test]
    fn tables_line_up() {
        let rows =
            [vec!["ä".into(), Cell::Count(1)], vec!["bcd".into(), Cell::Count(1000)], vec!["".into(), Cell::Missing]];
        let table = Table::new(&["name", ">count"], rows);
        assert_eq!(table.to_string(), "name  count\nä         1\nbcd   1,000\n          –\n");
    }

    #[test]
    fn tables_become_bars_of_their_first_numbers() {
        let rows = [vec!["a".into(), "x".into(), Cell::Percent(0.5)], vec!["b".into(), "".into(), Cell::Missing]];
        let table = Table::new(&["name", "more", ">share"], rows);
        let bars = table.bars().unwrap();
        assert_eq!((bars.title.as_str(), bars.bars.len()), ("share", 1));
        assert_eq!((bars.bars[0].name.as_str(), bars.bars[0].value), ("a", 50.0));
        assert_eq!(Table::new(&["name"], [vec!["a".into()]]).bars(), None);
        let view = View::new().table(table).with_chart();
        assert_eq!((view.blocks.len(), view.clone().with_chart()), (2, view));
    }

    #[test]
    fn tables_fit_into_a_width() {
        let name = "uci:/opt/engines/a-very-long-name --uci;Hash=16";
        let rows = [vec![name.into(), Cell::Count(1), "short".into()], vec!["b".into(), Cell::Count(1000), "c".into()]];
        let table = Table::new(&["player", ">count", "note"], rows);
        let lines: Vec<String> = format!("{table:30}").lines().map(str::to_string).collect();
        assert!(lines.iter().all(|line| line.chars().count() <= 30), "{lines:?}");
        assert_eq!(lines[1], "uci:/opt/engine…      1  short");
        assert!(table.to_string().contains(name), "whole without a width");
        assert_eq!(format!("{table:4}").lines().count(), 3, "what cannot fit is printed as narrow as it may be");
        assert!(format!("{table:#}").starts_with("\u{1b}[1mplayer"), "bold headings");
    }

    #[test]
    fn thousands_are_separated() {
        let numbers = [0, 999, 1000, 1_234_567, 20_838_000_000];
        assert_eq!(numbers.map(thousands), ["0", "999", "1,000", "1,234,567", "20,838,000,000"]);
    }
}
