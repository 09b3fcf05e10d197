//! The data of a run as rows for pandas, R or a spreadsheet: one flat record for each measurement, game or iteration.
//!
//! Every value is a number, a truth value or a name: nothing has to be parsed. Nested values have names with `_`, as
//! `elo_error`, and each number of a list has a column of its own, as `frequency_1`. The same thing has the same name in all
//! kinds of runs: `run`, `feature`, `parent`, `generation`, `verdict`, `weight`, `solved`, `nodes`.

use std::io::Write;

use plysmith_store::{Run, Store, StoreError};
use serde_json::{Map, Value};

use crate::consistency::check_counts;
use crate::error::RunError;
use crate::events::{GAME, resolve};
use crate::kind::Rows;
use crate::runs::kind_of;

/// Longer lists are no measurements: the moves of a game, the names of solved problems.
const MOST_NUMBERS: usize = 32;

/// The rows of one run.
pub struct DataRows<'a> {
    store: &'a Store,
    run: &'a Run,
    rows: Rows,
    /// The only weight of a discovery, which its events do not repeat.
    weight: Option<Value>,
}

/// A row: values with their names, in order.
pub type Row = Vec<(String, Value)>;

impl<'a> DataRows<'a> {
    /// The rows of a run of any kind, finished or not.
    pub fn new(store: &'a Store, run: &'a Run) -> Result<DataRows<'a>, RunError> {
        check_counts(run)?;
        let rows = kind_of(run)?.rows(run)?;
        let weight = run.config.get("weight").and_then(Value::as_str).map(number_or_text);
        Ok(DataRows { store, run, rows, weight: weight.filter(Value::is_number) })
    }

    /// The rows in order, read as the iterator advances.
    pub fn iter(&self) -> impl Iterator<Item = Result<Row, StoreError>> + '_ {
        let events = self.store.stream_events(self.run.id, 0).of_kind(self.rows.event);
        events.map(|event| match resolve(self.store, self.run, event?)?.payload {
            Value::Object(payload) => Ok(self.row(payload)),
            other => Ok(vec![self.number(), ("value".to_string(), other)]),
        })
    }

    /// The names of all values that occur, in the order in which they first do.
    pub fn columns(&self) -> Result<Vec<String>, StoreError> {
        let mut columns: Vec<String> = Vec::new();
        for row in self.iter() {
            // Where a new name stands among those that are known.
            let mut place = 0;
            for (name, _) in row? {
                match columns.iter().position(|known| *known == name) {
                    Some(known) => place = known + 1,
                    None => {
                        columns.insert(place, name);
                        place += 1;
                    }
                }
            }
        }
        if columns.is_empty() {
            columns.push("run".to_string());
            columns.extend(self.rows.columns.iter().map(|name| common_name(self.rows.event, name).to_string()));
        }
        Ok(columns)
    }

    /// Writes the rows as CSV with a header; what a row does not have is empty.
    pub fn write_csv(&self, writer: impl Write) -> Result<(), RunError> {
        let failed = |error: csv::Error| RunError::Store(StoreError::Export(error.into()));
        let columns = self.columns()?;
        let mut csv = csv::Writer::from_writer(writer);
        csv.write_record(&columns).map_err(failed)?;
        for row in self.iter() {
            let row: Map<String, Value> = row?.into_iter().collect();
            csv.write_record(columns.iter().map(|name| cell(row.get(name)))).map_err(failed)?;
        }
        csv.flush().map_err(|error| RunError::Store(StoreError::Export(error)))
    }

    /// Writes the rows as JSON, an object a line; what a row does not have is null.
    pub fn write_json_lines(&self, mut writer: impl Write) -> Result<(), RunError> {
        let columns = self.columns()?;
        for row in self.iter() {
            let mut row: Map<String, Value> = row?.into_iter().collect();
            let all = columns.iter().map(|name| (name.clone(), row.remove(name).unwrap_or(Value::Null)));
            let line = Ordered(all.collect());
            let text = serde_json::to_string(&line).map_err(RunError::failed)?;
            writeln!(writer, "{text}").map_err(|error| RunError::Store(StoreError::Export(error)))?;
        }
        Ok(())
    }

    fn number(&self) -> (String, Value) {
        ("run".to_string(), serde_json::to_value(self.run.id).unwrap_or(Value::Null))
    }

    fn row(&self, mut payload: Map<String, Value>) -> Row {
        let mut row = vec![self.number()];
        for column in self.rows.columns {
            let value = payload.remove(*column).unwrap_or(Value::Null);
            flatten(common_name(self.rows.event, column), value, &mut row);
        }
        if let Some(weight) = self.weight.as_ref().filter(|_| payload.get("weight").is_none_or(Value::is_null)) {
            payload.insert("weight".to_string(), weight.clone());
        }
        // The other fields of a game are how it is computed.
        let others = if self.rows.event == GAME { Map::new() } else { payload };
        for (name, value) in others {
            flatten(common_name(self.rows.event, &name), value, &mut row);
        }
        row
    }
}

/// What a field is called in all kinds of runs.
fn common_name<'a>(event: &str, field: &'a str) -> &'a str {
    match (event, field) {
        (_, "first_parent") => "parent",
        (_, "second_parent") => "added",
        (_, "contest") => "pairing",
        ("rating", "scheme") => "feature",
        ("generation", "number") => "generation",
        (_, other) => other,
    }
}

/// Adds a value, or the values that it consists of.
fn flatten(name: &str, value: Value, row: &mut Row) {
    match value {
        Value::Object(mut fields) => {
            // An estimate: its value, then how sure it is.
            if let Some(value) = fields.remove("value").or_else(|| fields.remove("mean")) {
                flatten(name, value, row);
            }
            for (field, value) in fields {
                match field.as_str() {
                    "credible" => interval(name, value, row),
                    field => flatten(&format!("{name}_{field}"), value, row),
                }
            }
        }
        Value::Array(items) if items.len() <= MOST_NUMBERS && items.iter().all(is_number_or_null) => {
            let name = name.strip_suffix("ies").map_or(name.to_string(), |stem| format!("{stem}y"));
            for (number, item) in (1..).zip(items) {
                row.push((format!("{name}_{number}"), item));
            }
        }
        Value::Array(_) => {}
        Value::String(text) if name == "weights" => {
            let numbers = text.split(' ').map(number_or_text).collect();
            flatten("weight", Value::Array(numbers), row);
        }
        Value::String(text) if name == "weight" => row.push((name.to_string(), number_or_text(&text))),
        plain => row.push((name.to_string(), plain)),
    }
}

fn interval(name: &str, value: Value, row: &mut Row) {
    if let Value::Array(ends) = value {
        for (end, value) in ["low", "high"].into_iter().zip(ends) {
            row.push((format!("{name}_{end}"), value));
        }
    }
}

fn is_number_or_null(value: &Value) -> bool {
    value.is_number() || value.is_null()
}

fn number_or_text(text: &str) -> Value {
    let number = text.parse().ok().and_then(serde_json::Number::from_f64);
    number.map_or_else(|| Value::String(text.to_string()), Value::Number)
}

fn cell(value: Option<&Value>) -> String {
    match value {
        None | Some(Value::Null) => String::new(),
        Some(Value::String(text)) => text.clone(),
        Some(other) => other.to_string(),
    }
}

/// An object whose fields keep their order.
struct Ordered(Row);

impl serde::Serialize for Ordered {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.0.iter().map(|(name, value)| (name, value)))
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn flat(name: &str, value: Value) -> Vec<(String, String)> {
        let mut row = Vec::new();
        flatten(name, value, &mut row);
        row.into_iter().map(|(name, value)| (name, value.to_string())).collect()
    }

    #[test]
    fn values_are_flat_and_named() {
        let pairs = |pairs: &[(&str, &str)]| -> Vec<(String, String)> {
            pairs.iter().map(|(name, value)| (name.to_string(), value.to_string())).collect()
        };
        assert_eq!(flat("frequencies", json!([0.5, 0.25])), pairs(&[("frequency_1", "0.5"), ("frequency_2", "0.25")]));
        assert_eq!(flat("elo", json!({ "error": 2.0, "value": 1.5 })), pairs(&[("elo", "1.5"), ("elo_error", "2.0")]));
        let credible = json!({ "value": 1.5, "credible": [0.0, 3.0] });
        assert_eq!(flat("elo", credible), pairs(&[("elo", "1.5"), ("elo_low", "0.0"), ("elo_high", "3.0")]));
        assert_eq!(flat("weight", json!("0.5")), pairs(&[("weight", "0.5")]));
        assert_eq!(flat("weights", json!("1 0.5")), pairs(&[("weight_1", "1.0"), ("weight_2", "0.5")]));
        assert_eq!(flat("solved_ids", json!(["a", "b"])), []);
        assert_eq!(flat("plies", json!([{ "m": "a2a3" }])), []);
        assert_eq!(flat("winner", json!(null)), pairs(&[("winner", "null")]));
    }
}
