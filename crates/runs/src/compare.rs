//! Stored runs side by side: what they are, where their settings differ, and where their results do.

use std::collections::{BTreeMap, BTreeSet};

use plysmith_store::{Run, Store};
use serde::Serialize;
use serde_json::Value;

use crate::error::RunError;
use crate::listing::{RunLine, line};
use crate::runs::kind_of;
use crate::time::{duration, local};
use crate::view::{Cell, Table, View, counted, percent};

/// Rows of results that are shown; those that differ most come first.
const MOST_ROWS: usize = 40;

/// Two or more runs side by side. Lists of values have one for each run, in their order.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Comparison {
    /// The runs.
    pub runs: Vec<RunLine>,
    /// Settings that differ, by their place in the configuration.
    pub settings: BTreeMap<String, Vec<Option<String>>>,
    /// Numbers of the results that differ, by their place in the result.
    pub results: BTreeMap<String, Vec<Option<f64>>>,
    /// Features that were measured in several of the runs, and the problems that were solved with them.
    pub solved: BTreeMap<String, Vec<Option<f64>>>,
}

/// Compares two or more runs.
pub fn compare(store: &Store, runs: &[Run]) -> Result<Comparison, RunError> {
    if runs.len() < 2 {
        return Err(RunError::input("name at least two runs to compare, like `plysmith compare 1 2`"));
    }
    let settings = runs.iter().map(|run| {
        let mut leaves = BTreeMap::from([("seed".to_string(), run.seed.to_string())]);
        add_leaves("", &run.config, &mut leaves);
        leaves
    });
    let results = runs.iter().map(|run| {
        let mut numbers = BTreeMap::new();
        run.result.iter().for_each(|result| add_numbers("", result, &mut numbers));
        numbers
    });
    Ok(Comparison {
        runs: runs.iter().map(|run| line(store, run)).collect(),
        settings: differing(&settings.collect::<Vec<_>>()),
        results: differing(&results.collect::<Vec<_>>()),
        solved: solved(store, runs)?,
    })
}

/// What differs, by name.
fn differing<T: Clone + PartialEq>(all: &[BTreeMap<String, T>]) -> BTreeMap<String, Vec<Option<T>>> {
    let names: BTreeSet<&String> = all.iter().flat_map(BTreeMap::keys).collect();
    let row = |name: &String| -> Vec<Option<T>> { all.iter().map(|one| one.get(name).cloned()).collect() };
    let rows = names.into_iter().map(|name| (name.clone(), row(name)));
    rows.filter(|(_, values)| values.iter().any(|value| value != &values[0])).collect()
}

impl Comparison {
    /// The comparison as tables.
    pub fn view(&self) -> View {
        let numbers = || self.runs.iter().map(|line| line.run.to_string());
        let cell = |value: &Option<String>| value.clone().map_or(Cell::Missing, Cell::Text);
        let row = |(name, values): (&String, &Vec<Option<String>>)| {
            std::iter::once(name.as_str().into()).chain(values.iter().map(cell)).collect()
        };
        let settings = Table::new(&headings("setting", numbers(), false), self.settings.iter().map(row));
        let results = self.results.iter().map(|(name, values)| number_row(name, values));
        let results = Table::new(&number_headings("result", numbers()), results);
        let view = View::new().table(overview(&self.runs));
        let view = with_table(view, "Settings that differ", settings);
        self.with_solved(with_table(view, "Results that differ", results))
    }

    /// Adds the features with which the runs solve other numbers of problems, the largest differences first.
    fn with_solved(&self, view: View) -> View {
        let spread = |values: &[Option<f64>]| {
            let found = || values.iter().flatten().copied();
            found().fold(f64::MIN, f64::max) - found().fold(f64::MAX, f64::min)
        };
        let mut rows: Vec<_> = self.solved.iter().filter(|(_, values)| spread(values) > 0.0).collect();
        if self.solved.is_empty() {
            return view;
        }
        rows.sort_by(|(_, a), (_, b)| spread(b).total_cmp(&spread(a)));
        let measured = counted(self.solved.len(), "feature");
        let title = format!("Of {measured} measured in several of the runs, {} solve other numbers", rows.len());
        let numbers = self.runs.iter().map(|line| line.run.to_string());
        let shown = rows.iter().take(MOST_ROWS).map(|(feature, values)| number_row(feature, values));
        let view = with_table(view, &title, Table::new(&number_headings("solved with", numbers), shown));
        match rows.len().checked_sub(MOST_ROWS) {
            Some(more @ 1..) => view.text(format!("… and {more} more (--json has all)\n")),
            _ => view,
        }
    }
}

fn with_table(view: View, title: &str, table: Table) -> View {
    match table.rows.is_empty() {
        true => view.text(format!("\n{title}: none\n")),
        false => view.text(format!("\n{title}:\n\n")).table(table),
    }
}

/// Columns: what it is, then one for each run.
fn headings(first: &str, runs: impl Iterator<Item = String>, is_number: bool) -> Vec<String> {
    let mark = if is_number { ">" } else { "" };
    std::iter::once(first.to_string()).chain(runs.map(|run| format!("{mark}run {run}"))).collect()
}

/// Columns of numbers, and their difference at the end.
fn number_headings(first: &str, runs: impl Iterator<Item = String>) -> Vec<String> {
    headings(first, runs, true).into_iter().chain([">last − first".to_string()]).collect()
}

fn overview(lines: &[RunLine]) -> Table {
    let text = |cell: Option<String>| cell.map_or(Cell::Missing, Cell::Text);
    let row = |name: &str, cell: &dyn Fn(&RunLine) -> Cell| -> Vec<Cell> {
        std::iter::once(name.into()).chain(lines.iter().map(cell)).collect()
    };
    let status = |line: &RunLine| match line.progress {
        Some(share) => format!("{} at {}", line.status, percent(share)),
        None => line.status.to_string(),
    };
    let rows = [
        row("label", &|line| text(line.label.clone())),
        row("kind", &|line| line.kind.as_str().into()),
        row("game", &|line| line.game.as_str().into()),
        row("status", &|line| status(line).into()),
        row("result", &|line| text(line.headline.clone().map(|headline| headline.text))),
        row("begun", &|line| local(line.created_at).into()),
        row("took", &|line| text(line.seconds.map(duration))),
        row("version", &|line| line.version.as_str().into()),
    ];
    Table::new(&headings("", lines.iter().map(|line| line.run.to_string()), false), rows)
}

/// Collects the values of a configuration under their paths. Lists of plain values are one value; of longer lists, such
/// as the problems of a suite, their length and content are compared, not each element.
fn add_leaves(path: &str, value: &Value, leaves: &mut BTreeMap<String, String>) {
    match value {
        Value::Object(fields) => {
            for (name, value) in fields {
                let path = if path.is_empty() { name.clone() } else { format!("{path}.{name}") };
                add_leaves(&path, value, leaves);
            }
        }
        Value::Null => {}
        Value::String(text) => drop(leaves.insert(path.to_string(), shortened(text))),
        Value::Array(items) if items.iter().any(|item| item.is_object()) || items.len() > 8 => {
            let hash = xxhash_rust::xxh3::xxh3_64(value.to_string().as_bytes());
            leaves.insert(path.to_string(), format!("{}, content {hash:016x}", counted(items.len(), "item")));
        }
        plain => drop(leaves.insert(path.to_string(), shortened(&plain.to_string()))),
    }
}

/// A text that does not fill the screen; if it is long, with what tells it from others.
fn shortened(text: &str) -> String {
    const MOST: usize = 60;
    if text.chars().count() <= MOST && !text.contains('\n') {
        return text.to_string();
    }
    let begin: String = text.chars().take_while(|letter| *letter != '\n').take(MOST / 2).collect();
    format!("{begin}…, content {:016x}", xxhash_rust::xxh3::xxh3_64(text.as_bytes()))
}

/// A row of numbers with the difference of the last to the first.
fn number_row(name: &str, values: &[Option<f64>]) -> Vec<Cell> {
    let decimals = values.iter().flatten().map(|value| decimals(*value)).max().unwrap_or(0);
    let cell = |value: &Option<f64>| value.map_or(Cell::Missing, |value| Cell::Number(value, decimals));
    let difference = match (values.first(), values.last()) {
        (Some(Some(first)), Some(Some(last))) => Cell::Text(format!("{:+.decimals$}", last - first)),
        _ => Cell::Missing,
    };
    std::iter::once(name.into()).chain(values.iter().map(cell)).chain([difference]).collect()
}

/// How many decimals a number is shown with.
fn decimals(value: f64) -> usize {
    match value.abs() {
        whole if whole.fract() == 0.0 => 0,
        large if large >= 100.0 => 1,
        _ => 4,
    }
}

/// Collects the numbers of a result that stand in no list, under their paths.
fn add_numbers(path: &str, value: &Value, numbers: &mut BTreeMap<String, f64>) {
    match value {
        Value::Object(fields) => {
            for (name, value) in fields {
                let path = if path.is_empty() { name.clone() } else { format!("{path}.{name}") };
                add_numbers(&path, value, numbers);
            }
        }
        Value::Number(number) => drop(number.as_f64().map(|number| numbers.insert(path.to_string(), number))),
        _ => {}
    }
}

/// The problems that were solved with each feature that several of the runs measured.
fn solved(store: &Store, runs: &[Run]) -> Result<BTreeMap<String, Vec<Option<f64>>>, RunError> {
    let mut measured: BTreeMap<String, Vec<Option<f64>>> = BTreeMap::new();
    for (index, run) in runs.iter().enumerate() {
        let rows = kind_of(run)?.rows(run)?;
        if !["feature", "solved"].iter().all(|column| rows.columns.contains(column)) {
            continue;
        }
        for event in store.stream_events(run.id, 0).of_kind(rows.event) {
            let payload = event?.payload;
            if let (Some(feature), Some(solved)) = (payload["feature"].as_str(), payload["solved"].as_f64()) {
                measured.entry(feature.to_string()).or_insert_with(|| vec![None; runs.len()])[index] = Some(solved);
            }
        }
    }
    measured.retain(|_, values| values.iter().flatten().count() > 1);
    Ok(measured)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn settings_are_compared_leaf_by_leaf() {
        let mut leaves = BTreeMap::new();
        let config = json!({ "a": { "b": 1, "c": null }, "list": [1, 2], "suite": [{}, {}], "text": "x".repeat(80) });
        add_leaves("", &config, &mut leaves);
        assert_eq!(leaves.keys().map(String::as_str).collect::<Vec<_>>(), ["a.b", "list", "suite", "text"]);
        assert_eq!((leaves["a.b"].as_str(), leaves["list"].as_str()), ("1", "[1,2]"));
        assert!(leaves["suite"].starts_with("2 items, content ") && leaves["text"].chars().count() < 62);
    }

    #[test]
    fn numbers_are_compared_with_their_difference() {
        let row = number_row("score", &[Some(0.25), None, Some(0.5)]);
        let texts: Vec<String> = row.iter().map(ToString::to_string).collect();
        assert_eq!(texts, ["score", "0.2500", "–", "0.5000", "+0.2500"]);
        let numbers = |value: f64| BTreeMap::from([("same".to_string(), 1.0), ("other".to_string(), value)]);
        let rows = differing(&[numbers(1.0), numbers(2.0)]);
        assert_eq!(rows, BTreeMap::from([("other".to_string(), vec![Some(1.0), Some(2.0)])]));
    }
}
