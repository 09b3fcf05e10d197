//! The mapping file: which options of a UCI engine each weight drives.
//!
//! ```toml
//! policy = "first"
//!
//! [options]                      # set once, before everything else
//! Hash = 16
//!
//! [[weight]]
//! name = "check"
//! options = ["Check Extension (PV nodes)", "Check Extension (non-PV nodes)"]
//! range = [0.0, 1.0]             # of the weight
//! start = 1.0
//! scale = -2.0                   # option = offset + scale · weight, rounded
//! offset = 2.0
//! round = "nearest"              # or "down", "up"
//!
//! [[weight]]
//! name = "style"
//! option = "Style"
//! choices = ["Solid", "Normal", "Risky"]   # the weight is the place in the list, from 0; instead of range and scale
//! start = 1
//! ```
//!
//! A combo option without `choices` counts the engine's own list from 0. [`skeleton`] writes a mapping to begin with.
//!
//! A `[table]` drives one option for each set of conditions ([`super::table`]).
//!
//! Engines rarely report a bad value, so values are clamped and rounded by the engine's own `option` lines. Options are
//! whole numbers: a weight's smallest step is the one that moves the option by a unit, or a gradient would be zero.

use std::collections::BTreeMap;

use plysmith_core::parameter::{ONE, Parameter, Thousandths, Weights};
use serde::Deserialize;
use thiserror::Error;
use toml::{Spanned, Value};

pub mod skeleton;

use super::options::{EngineOption, OptionKind, find};
use super::table::{OptionTable, TableEntry};
use crate::driver::Policy;

/// How weights become options.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Mapping {
    /// The file name, for messages.
    file: String,
    /// The policy, if it sets one.
    pub policy: Option<Policy>,
    /// Options that are set once, in the order of their names, each with its line.
    fixed: Vec<(String, String, usize)>,
    weights: Vec<MappedWeight>,
    /// Its parameters come behind those of the weights.
    table: Option<OptionTable>,
}

/// The options that one weight drives.
#[derive(Clone, PartialEq, Eq, Debug)]
struct MappedWeight {
    parameter: Parameter,
    /// Whether the file sets the step.
    has_step: bool,
    /// The options, each with its line.
    options: Vec<(String, usize)>,
    /// In thousandths.
    scale: i64,
    /// In thousandths.
    offset: i64,
    rounding: Rounding,
    /// Values to choose from; the number is the place in the list. Empty if the number is the value.
    choices: Vec<String>,
    line: usize,
}

/// How a value is rounded to a whole number.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Default, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum Rounding {
    #[default]
    Nearest,
    Down,
    Up,
}

/// An error in a mapping, and where it is.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("{file}:{line}: {reason}")]
pub struct MappingError {
    /// The file.
    pub file: String,
    /// The line, counted from 1.
    pub line: usize,
    /// What was read, and what was expected.
    pub reason: String,
}

/// A mapping checked against an engine's options.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct FittedMapping {
    /// The tunable parameters.
    pub parameters: Vec<Parameter>,
    /// Notes for the user.
    pub notes: Vec<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    policy: Option<Spanned<String>>,
    #[serde(default)]
    options: BTreeMap<String, Spanned<Value>>,
    #[serde(default)]
    weight: Vec<Spanned<WeightEntry>>,
    table: Option<Spanned<TableEntry>>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct WeightEntry {
    name: String,
    option: Option<Spanned<String>>,
    #[serde(default)]
    options: Vec<Spanned<String>>,
    range: Option<[f64; 2]>,
    start: Option<f64>,
    step: Option<f64>,
    scale: Option<f64>,
    offset: Option<f64>,
    #[serde(default)]
    round: Rounding,
    choices: Option<Vec<String>>,
}

/// The largest weight, offset or scale.
const LARGEST: f64 = 1e9;
/// The paper's range.
const RANGE: [f64; 2] = [0.1, 2.0];

impl Mapping {
    /// Reads a mapping; `file` is for messages.
    pub fn parse(file: &str, text: &str) -> Result<Mapping, MappingError> {
        let line_of = |at: usize| text[..at.min(text.len())].matches('\n').count() + 1;
        let wrong = |line: usize, reason: String| MappingError { file: file.to_string(), line, reason };
        let read: File = toml::from_str(text).map_err(|error| {
            let line = error.span().map_or(1, |span| line_of(span.start));
            let reason = error.message().trim().replace('\n', "; ");
            wrong(line, format!("{reason}; docs/engines.md shows a whole mapping"))
        })?;
        let policy = read.policy.map(|policy| {
            let line = line_of(policy.span().start);
            policy.into_inner().parse::<Policy>().map_err(|error| wrong(line, error.to_string()))
        });
        let mut fixed = Vec::new();
        for (name, value) in read.options {
            let line = line_of(value.span().start);
            let text = print(value.get_ref())
                .ok_or_else(|| wrong(line, format!("option '{name}' is a text, a number, true or false")))?;
            fixed.push((name, text, line));
        }
        let mut weights: Vec<MappedWeight> = Vec::new();
        for entry in read.weight {
            let line = line_of(entry.span().start);
            let weight = MappedWeight::new(entry.into_inner(), line, line_of).map_err(|reason| wrong(line, reason))?;
            if weights.iter().any(|known| known.parameter.name == weight.parameter.name) {
                return Err(wrong(line, format!("the weight '{}' stands here twice", weight.parameter.name)));
            }
            weights.push(weight);
        }
        let table = read.table.map(|entry| {
            let line = line_of(entry.span().start);
            OptionTable::new(entry.get_ref(), line_of).map_err(|reason| wrong(line, reason))
        });
        let table = table.transpose()?;
        let of_table = table.iter().flat_map(OptionTable::parameters);
        let is_double = |name: &str| weights.iter().any(|weight| weight.parameter.name == name);
        if let (Some(table), Some(double)) = (&table, of_table.map(|one| &one.name).find(|name| is_double(name))) {
            return Err(wrong(
                table.line(),
                format!("'{double}' is a weight and a conjunction of the table; rename one"),
            ));
        }
        Ok(Mapping { file: file.to_string(), policy: policy.transpose()?, fixed, weights, table })
    }

    /// The options that are set once.
    pub fn fixed(&self) -> impl Iterator<Item = (&str, &str)> {
        self.fixed.iter().map(|(name, value, _)| (name.as_str(), value.as_str()))
    }

    /// Whether weights drive options, so that the mapping is for a UCI engine.
    pub fn drives_options(&self) -> bool {
        self.table.is_some() || self.weights.iter().any(|weight| !weight.options.is_empty())
    }

    /// The parameters as written, for a plug engine, which takes the weights themselves.
    pub fn plain_parameters(&self) -> Vec<Parameter> {
        self.weights.iter().map(|weight| weight.parameter.clone()).collect()
    }

    /// Checks the mapping against the engine's options.
    pub fn fit(&self, options: &[EngineOption]) -> Result<FittedMapping, MappingError> {
        let wrong = |line: usize, reason: String| MappingError { file: self.file.clone(), line, reason };
        for (name, value, line) in &self.fixed {
            let option = find(options, name).map_err(|reason| wrong(*line, format!("the engine {reason}")))?;
            option.fit(value).map_err(|reason| wrong(*line, reason))?;
        }
        let (mut parameters, mut notes) = (Vec::new(), Vec::new());
        for weight in &self.weights {
            if weight.options.is_empty() {
                let reason =
                    format!("the weight '{}' drives nothing; expected 'option = \"NAME\"'", weight.parameter.name);
                return Err(wrong(weight.line, reason));
            }
            for (name, line) in &weight.options {
                if let Some((_, _, other)) = self.fixed.iter().find(|(fixed, _, _)| fixed == name) {
                    return Err(wrong(*line, format!("option '{name}' is set on line {other} already; leave one out")));
                }
                let option = find(options, name).map_err(|reason| wrong(*line, format!("the engine {reason}")))?;
                notes.extend(weight.fit(option).map_err(|reason| wrong(*line, reason))?);
            }
            parameters.push(weight.stepped());
        }
        if let Some(table) = &self.table {
            let driven: Vec<String> = table.names().collect();
            let weights = self.weights.iter().flat_map(|weight| &weight.options).map(|(name, line)| (name, line));
            let others = self.fixed.iter().map(|(name, _, line)| (name, line)).chain(weights);
            if let Some((name, other)) = others.into_iter().find(|(name, _)| driven.contains(name)) {
                return Err(wrong(
                    table.line(),
                    format!("option '{name}' is set on line {other} already; leave one out"),
                ));
            }
            notes.extend(table.fit(options).map_err(|reason| wrong(table.line(), reason))?);
            parameters.extend_from_slice(table.parameters());
        }
        Ok(FittedMapping { parameters, notes })
    }

    /// The options for these weights, with the values that are sent.
    pub fn settings(&self, weights: &Weights, options: &[EngineOption]) -> Vec<(String, String)> {
        let mut settings = Vec::new();
        for (weight, &units) in self.weights.iter().zip(&weights.0) {
            for (name, _) in &weight.options {
                let number = weight.value(units);
                let fitted = find(options, name).and_then(|option| option.fit(&weight.text(number, option)));
                settings.push((name.clone(), fitted.map_or(number.to_string(), |fitted| fitted.value)));
            }
        }
        if let (Some(table), Some(amounts)) = (&self.table, weights.0.get(self.weights.len()..)) {
            settings.extend(table.settings(amounts, options));
        }
        settings
    }

    /// Everything that results depend on, in one line. It is part of job keys.
    pub fn canonical(&self) -> String {
        let weight = |weight: &MappedWeight| {
            let MappedWeight { parameter, options, scale, offset, rounding, choices, .. } = weight;
            let names: Vec<_> = options.iter().map(|(name, _)| name.as_str()).collect();
            let (scale, offset) = (Thousandths(*scale), Thousandths(*offset));
            let choices = if choices.is_empty() { String::new() } else { format!(" of {choices:?}") };
            format!("{} drives {} by {offset} + {scale} w, {rounding:?}{choices}", parameter.name, names.join(" and "))
        };
        let table = self.table.as_ref().map(OptionTable::canonical);
        self.weights.iter().map(weight).chain(table).collect::<Vec<_>>().join("; ")
    }
}

impl MappedWeight {
    fn new(entry: WeightEntry, line: usize, line_of: impl Fn(usize) -> usize) -> Result<MappedWeight, String> {
        let entry = match entry.choices.as_ref().map(Vec::len) {
            Some(count) => entry.of_choices(count)?,
            None => entry,
        };
        let [least, most] = entry.range.unwrap_or(RANGE);
        let (least, most) = (thousandths("range", least)?, thousandths("range", most)?);
        if least >= most {
            return Err("a range is [LEAST, MOST], and the first is the smaller one".to_string());
        }
        let start = entry.start.map_or(Ok(ONE.clamp(least, most)), |start| thousandths("start", start))?;
        if !(least..=most).contains(&start) {
            return Err(format!("start = {} lies outside the range", Thousandths(start)));
        }
        let step = entry.step.map(|step| thousandths("step", step)).transpose()?;
        if step.is_some_and(|step| !(1..=most - least).contains(&step)) {
            return Err("a step is above 0 and fits into the range".to_string());
        }
        let scale = entry.scale.map_or(Ok(ONE), |scale| thousandths("scale", scale))?;
        if scale == 0 {
            return Err("with scale = 0 the weight drives nothing; leave it out".to_string());
        }
        let options = entry.option.into_iter().chain(entry.options);
        Ok(MappedWeight {
            parameter: Parameter { name: entry.name, least, most, step: step.unwrap_or(1), start },
            has_step: step.is_some(),
            options: options.map(|name| (name.get_ref().clone(), line_of(name.span().start))).collect(),
            scale,
            offset: entry.offset.map_or(Ok(0), |offset| thousandths("offset", offset))?,
            rounding: entry.round,
            choices: entry.choices.unwrap_or_default(),
            line,
        })
    }

    /// The value of the option.
    fn value(&self, weight: i64) -> i64 {
        const WHOLE: i128 = 1_000_000;
        let exact = i128::from(self.offset) * i128::from(ONE) + i128::from(self.scale) * i128::from(weight);
        let whole = match self.rounding {
            Rounding::Nearest => (exact + WHOLE / 2).div_euclid(WHOLE),
            Rounding::Down => exact.div_euclid(WHOLE),
            Rounding::Up => -(-exact).div_euclid(WHOLE),
        };
        whole.clamp(i128::from(i64::MIN), i128::from(i64::MAX)) as i64
    }

    /// The text that is sent for a number: of the choices, of a combo option's own list, or the number itself.
    fn text(&self, number: i64, option: &EngineOption) -> String {
        let choices = match &option.kind {
            _ if !self.choices.is_empty() => &self.choices,
            OptionKind::Combo { choices, .. } => choices,
            OptionKind::Check { .. } => return (number > 0).to_string(),
            _ => return number.to_string(),
        };
        let last = choices.len().saturating_sub(1);
        choices.get(usize::try_from(number).unwrap_or(0).min(last)).cloned().unwrap_or_default()
    }

    /// Checks whether the option can be driven; returns a note for the user, if there is one.
    fn fit(&self, option: &EngineOption) -> Result<Option<String>, String> {
        if !self.choices.is_empty() {
            return self.choices.iter().try_for_each(|choice| option.fit(choice).map(|_| ())).map(|()| None);
        }
        let (min, max) = match &option.kind {
            OptionKind::Spin { min, max, .. } => (*min, *max),
            OptionKind::Check { .. } => (0, 1),
            OptionKind::Combo { choices, .. } => (0, choices.len() as i64 - 1),
            _ => {
                let reason = "only numbers, switches and lists of choices can be tuned";
                return Err(format!("option '{}' is {option}; {reason}", option.name));
            }
        };
        let Parameter { name, least, most, .. } = &self.parameter;
        let (one, other) = (self.value(*least), self.value(*most));
        let (low, high) = (one.min(other), one.max(other));
        if low.clamp(min, max) == high.clamp(min, max) {
            return Err(format!(
                "the weight '{name}' gives '{}' the value {} over its whole range; expected values {option}",
                option.name,
                low.clamp(min, max)
            ));
        }
        let is_wider = low < min || high > max;
        Ok(is_wider.then(|| format!("weight '{name}': '{}' is only {option}; what is beyond is cut off", option.name)))
    }

    /// The parameter with a step that changes the option.
    fn stepped(&self) -> Parameter {
        let unit = (ONE * ONE).div_euclid(self.scale.abs()) + i64::from((ONE * ONE) % self.scale.abs() != 0);
        let Parameter { least, most, step, .. } = self.parameter;
        let step = if self.has_step { step } else { unit.clamp(1, most - least) };
        Parameter { step, ..self.parameter.clone() }
    }
}

impl WeightEntry {
    /// The entry with the range of a list of choices; its step is a place.
    fn of_choices(self, count: usize) -> Result<WeightEntry, String> {
        let WeightEntry { range, step, scale, offset, .. } = &self;
        if range.is_some() || step.is_some() || scale.is_some() || offset.is_some() {
            return Err("'choices' sets range, step, scale and offset; leave these out".to_string());
        }
        if count < 2 {
            return Err("'choices' is a list of at least two values".to_string());
        }
        let last = (count - 1) as f64;
        let start = self.start.unwrap_or(0.0);
        if start.fract() != 0.0 {
            return Err(format!("start = {start} is no place in the list of choices; expected one from 0 to {last}"));
        }
        Ok(WeightEntry { range: Some([0.0, last]), step: Some(1.0), start: Some(start), ..self })
    }
}

fn thousandths(what: &str, number: f64) -> Result<i64, String> {
    let is_small = number.abs() <= LARGEST;
    let parsed = Thousandths::from_float(number).ok().filter(|_| is_small);
    parsed
        .map(|Thousandths(units)| units)
        .ok_or_else(|| format!("{what} = {number} is not a number with at most three decimals, like 0.75"))
}

fn print(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.clone()),
        Value::Integer(number) => Some(number.to_string()),
        Value::Float(number) => Some(number.to_string()),
        Value::Boolean(switch) => Some(switch.to_string()),
        _ => None,
    }
}

#[cfg(test)]
mod tests;
