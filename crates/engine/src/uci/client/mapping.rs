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
//! ```
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
                let value = weight.value(units).to_string();
                let fitted = find(options, name).and_then(|option| option.fit(&bool_or_number(option, &value)));
                settings.push((name.clone(), fitted.map_or(value, |fitted| fitted.value)));
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
            let MappedWeight { parameter, options, scale, offset, rounding, .. } = weight;
            let names: Vec<_> = options.iter().map(|(name, _)| name.as_str()).collect();
            let (scale, offset) = (Thousandths(*scale), Thousandths(*offset));
            format!("{} drives {} by {offset} + {scale} w, {rounding:?}", parameter.name, names.join(" and "))
        };
        let table = self.table.as_ref().map(OptionTable::canonical);
        self.weights.iter().map(weight).chain(table).collect::<Vec<_>>().join("; ")
    }
}

impl MappedWeight {
    fn new(entry: WeightEntry, line: usize, line_of: impl Fn(usize) -> usize) -> Result<MappedWeight, String> {
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

    /// Checks whether the option can be driven; returns a note for the user, if there is one.
    fn fit(&self, option: &EngineOption) -> Result<Option<String>, String> {
        let (min, max) = match option.kind {
            OptionKind::Spin { min, max, .. } => (min, max),
            OptionKind::Check { .. } => (0, 1),
            _ => return Err(format!("option '{}' is {option}; only numbers and switches can be tuned", option.name)),
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

/// A number as the value of a check option.
fn bool_or_number(option: &EngineOption, value: &str) -> String {
    match option.kind {
        OptionKind::Check { .. } if value.starts_with('-') || value == "0" => "false".to_string(),
        OptionKind::Check { .. } => "true".to_string(),
        _ => value.to_string(),
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
mod tests {
    use proptest::prelude::proptest;

    use super::{Mapping, Weights};
    use crate::uci::client::options::EngineOption;

    const GLAURUNG: &str = r#"
policy = "stable"

[options]
Hash = 16
OwnBook = false

[[weight]]
name = "check"
options = ["Check Extension (PV nodes)", "Check Extension (non-PV nodes)"]
range = [0, 1]
scale = -2
offset = 2

[[weight]]
name = "futility"
option = "Futility"
range = [0, 3]
"#;

    fn options() -> Vec<EngineOption> {
        [
            "name Check Extension (PV nodes) type spin default 2 min 0 max 2",
            "name Check Extension (non-PV nodes) type spin default 1 min 0 max 2",
            "name Hash type spin default 32 min 1 max 1024",
            "name OwnBook type check default true",
            "name Futility type check default true",
            "name Style type combo default Solid var Solid var Risky",
        ]
        .map(|text| EngineOption::parse(text).unwrap())
        .to_vec()
    }

    #[test]
    fn one_weight_drives_two_options_and_values_are_the_engines() {
        let mapping = Mapping::parse("map.toml", GLAURUNG).unwrap();
        assert_eq!(mapping.fixed().collect::<Vec<_>>(), [("Hash", "16"), ("OwnBook", "false")]);
        let fitted = mapping.fit(&options()).unwrap();
        assert_eq!(fitted.notes.len(), 1, "{:?}", fitted.notes);
        let check = &fitted.parameters[0];
        assert_eq!((check.least, check.most, check.step, check.start), (0, 1000, 500, 1000));
        let values = |weights: &[i64]| {
            let settings = mapping.settings(&Weights(weights.to_vec()), &options());
            settings.into_iter().map(|(_, value)| value).collect::<Vec<_>>()
        };
        assert_eq!(values(&[1000, 1000]), ["0", "0", "true"]);
        assert_eq!(values(&[750, 0]), ["1", "1", "false"]);
        assert_eq!(values(&[0, 3000]), ["2", "2", "true"]);
        assert_eq!(values(&[-9000, 400]), ["2", "2", "false"]);
    }

    #[test]
    fn mistakes_are_told_with_their_line_and_the_remedy() {
        let error = |text: &str| {
            let read = Mapping::parse("map.toml", text).and_then(|mapping| mapping.fit(&options()));
            read.unwrap_err().to_string()
        };
        let weight = |more: &str| format!("\n[[weight]]\nname = \"w\"\n{more}\n");
        for (text, parts) in [
            ("policy = \"last\"".to_string(), ["map.toml:1: 'last' is not a policy", "'stable'"]),
            ("polcy = 1".to_string(), ["map.toml:1: unknown field `polcy`", "docs/engines.md"]),
            ("[options]\nHash = ".to_string(), ["map.toml:2: ", ""]),
            ("[options]\nHash = [1]".to_string(), ["map.toml:2: option 'Hash' is a text", ""]),
            ("[options]\n\nHsh = 1".to_string(), ["map.toml:3: the engine has no option 'Hsh'", "did you mean 'Hash'"]),
            ("[options]\nHash = \"big\"".to_string(), ["map.toml:2: option 'Hash' takes a number", "'big'"]),
            (weight(""), ["map.toml:2: the weight 'w' drives nothing", "option = \"NAME\""]),
            (weight("option = \"Hsh\""), ["map.toml:4: the engine has no option 'Hsh'", "'Hash'"]),
            (weight("option = \"Style\""), ["map.toml:4: option 'Style' is one of Solid, Risky", "only numbers"]),
            (weight("option = \"Hash\"\nrange = [1, 0]"), ["map.toml:2: a range is [LEAST, MOST]", ""]),
            (weight("option = \"Hash\"\nrange = [0, 0.5]"), ["map.toml:4: ", "value 1 over its whole range"]),
            (weight("option = \"Hash\"\nstart = 5"), ["map.toml:2: start = 5 lies outside", ""]),
            (weight("option = \"Hash\"\nstep = 0"), ["map.toml:2: a step is above 0", ""]),
            (weight("option = \"Hash\"\nscale = 0"), ["map.toml:2: with scale = 0", ""]),
            (weight("option = \"Hash\"\nscale = 0.12345"), ["map.toml:2: scale = 0.12345", "three decimals"]),
            (weight("option = \"Hash\"\nscale = nan"), ["map.toml:2: scale = NaN", "three decimals"]),
            (weight("option = \"Hash\"\nround = \"far\""), ["map.toml:5: ", "far"]),
            (format!("[options]\nHash = 1\n{}", weight("option = \"Hash\"")), ["map.toml:6: ", "line 2 already"]),
            (weight("option = \"Hash\"").repeat(2), ["map.toml:6: the weight 'w' stands here twice", ""]),
        ] {
            let said = error(&text);
            assert!(parts.iter().all(|part| said.contains(part)), "{text}\n{said}");
        }
    }

    #[test]
    fn the_canonical_text_tells_mappings_apart() {
        let one = Mapping::parse("a", GLAURUNG).unwrap();
        assert_eq!(one.canonical(), Mapping::parse("b", &format!("# comment\n{GLAURUNG}")).unwrap().canonical());
        let other = Mapping::parse("a", &GLAURUNG.replace("offset = 2", "offset = 2.5")).unwrap();
        assert_ne!(one.canonical(), other.canonical());
        assert!(one.canonical().starts_with("check drives Check Extension (PV nodes) and Check Extension (non-PV"));
    }

    proptest! {
        #[test]
        fn values_follow_the_formula_and_a_step_moves_them(
            weight in -5000_i64..5000, scale in -3000_i64..3000, offset in -3000_i64..3000,
        ) {
            let scale = if scale == 0 { 1 } else { scale };
            let exact = offset as f64 / 1e3 + scale as f64 * weight as f64 / 1e6;
            for (round, expected) in [("nearest", (exact + 0.5).floor()), ("down", exact.floor()), ("up", exact.ceil())] {
                let text = format!(
                    "[[weight]]\nname = \"w\"\noption = \"Number\"\nrange = [-9, 9]\nround = \"{round}\"\n\
                     scale = {}\noffset = {}\n",
                    scale as f64 / 1e3,
                    offset as f64 / 1e3,
                );
                let mapping = Mapping::parse("m", &text).unwrap();
                let options = [EngineOption::parse("name Number type spin default 0 min -999999 max 999999").unwrap()];
                let value = |weight| mapping.settings(&Weights(vec![weight]), &options)[0].1.parse::<f64>().unwrap();
                // Floating point may stand on the other side of a half.
                let is_near_half = (exact * 2.0 - (exact * 2.0).round()).abs() < 1e-9;
                assert!(value(weight) == expected || is_near_half, "{text}: {weight} {}", value(weight));
                if let Ok(fitted) = mapping.fit(&options) {
                    let step = fitted.parameters[0].step;
                    assert!(step == 18_000 || value(weight + step) != value(weight), "{text}: {weight} {step}");
                }
            }
        }
    }
}
