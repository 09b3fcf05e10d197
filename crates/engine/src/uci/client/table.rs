//! A table of reductions in an engine's options: one option for each set of conditions ("factorized" late-move reductions).
//!
//! Some engines add up what conditions such as "cut node" and "improving" say of a reduction, and their conjunctions too,
//! and read the sums from a table with an entry for each of the 2^n sets. The tuned parameters are the conjunctions: each has
//! an amount in plies, and an entry is the sum of the amounts of all conjunctions that its set contains.
//!
//! ```toml
//! [table]
//! options = "Lmr{}"                             # Lmr0 … Lmr7: {} is the number of the set
//! conditions = ["pv", "cut", "improving"]       # bit 0, bit 1, bit 2 of the number
//! conjunctions = ["cut", "cut-improving"]       # or: up-to = 2, for all of at most two conditions
//! unit = 1024                                   # what the engine calls a ply
//! add-to-defaults = true                        # the sums are changes of the engine's own entries
//! range = [-2, 2]
//! start = 0
//! step = 0.125
//! ```

use plysmith_core::parameter::{ONE, Parameter, Thousandths};
use serde::Deserialize;
use toml::Spanned;

use super::options::{EngineOption, OptionKind, find};

/// The table of a mapping, and the conjunctions that are tuned.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct OptionTable {
    /// The options' names, `{}` for the number.
    options: String,
    conditions: Vec<String>,
    /// For each parameter the conditions that it needs, as bits.
    needs: Vec<usize>,
    parameters: Vec<Parameter>,
    /// What the engine calls a ply.
    unit: i64,
    adds_to_defaults: bool,
    /// Where the file names the options.
    line: usize,
}

/// The section of the file.
#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct TableEntry {
    options: Spanned<String>,
    conditions: Vec<String>,
    #[serde(default)]
    conjunctions: Vec<String>,
    up_to: Option<u32>,
    unit: Option<i64>,
    #[serde(default = "is_usual")]
    add_to_defaults: bool,
    range: Option<[f64; 2]>,
    start: Option<f64>,
    step: Option<f64>,
}

/// The most conditions: a table of 1024 options.
const MOST_CONDITIONS: usize = 10;
/// What engines call a ply, unless the file says otherwise.
const USUAL_UNIT: i64 = 1024;
/// The largest unit.
const MOST_UNIT: i64 = 1_000_000;
/// The usual range of an amount, in plies.
const RANGE: [f64; 2] = [-2.0, 2.0];
/// Stands for the number of a set.
const PLACE: &str = "{}";

fn is_usual() -> bool {
    true
}

impl OptionTable {
    /// Reads the section. `line_of` is the line of a place in the file.
    pub fn new(entry: &TableEntry, line_of: impl Fn(usize) -> usize) -> Result<OptionTable, String> {
        let line = line_of(entry.options.span().start);
        let TableEntry { conditions, unit, add_to_defaults, .. } = entry;
        let options = entry.options.get_ref().clone();
        if options.matches(PLACE).count() != 1 {
            return Err(format!(
                "options = \"{options}\" needs one {PLACE}, where the number of the set stands: \"Lmr{PLACE}\""
            ));
        }
        check_conditions(conditions)?;
        let unit = unit.unwrap_or(USUAL_UNIT);
        if !(1..=MOST_UNIT).contains(&unit) {
            return Err(format!("unit = {unit} is not a number of units in a ply; expected one from 1 to {MOST_UNIT}"));
        }
        let needs = entry.needs()?;
        let parameter = |needs: &usize| entry.parameter(name_of(conditions, *needs), unit);
        let parameters = needs.iter().map(parameter).collect::<Result<_, _>>()?;
        let (conditions, adds_to_defaults) = (conditions.clone(), *add_to_defaults);
        Ok(OptionTable { options, conditions, needs, parameters, unit, adds_to_defaults, line })
    }

    /// The tuned conjunctions.
    pub fn parameters(&self) -> &[Parameter] {
        &self.parameters
    }

    /// Where the file names the options.
    pub fn line(&self) -> usize {
        self.line
    }

    /// The options' names, by the number of the set.
    pub fn names(&self) -> impl Iterator<Item = String> {
        (0..1_usize << self.conditions.len()).map(|set| self.options.replace(PLACE, &set.to_string()))
    }

    /// Checks that the engine has all options, and that they are numbers. Returns a note for the user, if there is one.
    pub fn fit(&self, options: &[EngineOption]) -> Result<Option<String>, String> {
        let mut is_cut_off = false;
        for (set, name) in self.names().enumerate() {
            let option = find(options, &name).map_err(|reason| format!("the engine {reason}"))?;
            let OptionKind::Spin { min, max, .. } = option.kind else {
                return Err(format!("option '{name}' is {option}; only numbers can be entries of a table"));
            };
            let ends = |end: fn(&Parameter) -> i64| {
                let amounts: Vec<i64> = self.parameters.iter().map(end).collect();
                self.entry(set, option, &amounts)
            };
            is_cut_off |= ends(|parameter| parameter.least) < min || ends(|parameter| parameter.most) > max;
        }
        Ok(is_cut_off
            .then(|| format!("table '{}': some sums are beyond the options' ranges and are cut off", self.options)))
    }

    /// The options for these amounts, with the values that are sent.
    pub fn settings(&self, amounts: &[i64], options: &[EngineOption]) -> Vec<(String, String)> {
        let value = |(set, name): (usize, String)| {
            let option = find(options, &name).ok()?;
            let fitted = option.fit(&self.entry(set, option, amounts).to_string()).ok()?;
            Some((name, fitted.value))
        };
        self.names().enumerate().filter_map(value).collect()
    }

    /// Everything that results depend on, in one line.
    pub fn canonical(&self) -> String {
        let OptionTable { options, conditions, unit, parameters, .. } = self;
        let names: Vec<&str> = parameters.iter().map(|parameter| parameter.name.as_str()).collect();
        let (conditions, names) = (conditions.join(","), names.join(" "));
        let base = if self.adds_to_defaults { "defaults" } else { "0" };
        format!("table {options} by {conditions} of {names}, {unit} a ply, from {base}")
    }

    /// The value of an entry: the sum of all conjunctions that its set contains, rounded once.
    fn entry(&self, set: usize, option: &EngineOption, amounts: &[i64]) -> i64 {
        let contained = self.needs.iter().zip(amounts).filter(|(needs, _)| *needs & set == **needs);
        let sum: i64 = contained.map(|(_, amount)| amount).sum();
        let base = if self.adds_to_defaults { option.default_number().unwrap_or(0) } else { 0 };
        base.saturating_add((sum * self.unit + ONE / 2).div_euclid(ONE))
    }
}

impl TableEntry {
    /// The conjunctions, as bits: those that are named, or all up to a size, in order of size.
    fn needs(&self) -> Result<Vec<usize>, String> {
        let sets = 1_usize << self.conditions.len();
        let mut needs: Vec<usize> = match (&self.conjunctions[..], self.up_to) {
            ([], None) | ([_, ..], Some(_)) => {
                return Err("a table has either conjunctions = [\"cut\", \"cut-late\"] or up-to = 2".to_string());
            }
            ([], Some(most)) => (1..sets).filter(|set| set.count_ones() <= most).collect(),
            (named, None) => named.iter().map(|name| self.bits(name)).collect::<Result<_, _>>()?,
        };
        if self.up_to.is_some() {
            needs.sort_by_key(|set| set.count_ones());
        }
        if needs.is_empty() {
            return Err("there is no conjunction to tune; expected up-to = 1 or more".to_string());
        }
        match needs.iter().enumerate().find(|(place, set)| needs[..*place].contains(set)) {
            Some((_, set)) => Err(format!("the conjunction '{}' stands here twice", name_of(&self.conditions, *set))),
            None => Ok(needs),
        }
    }

    /// The conditions of a conjunction like `cut-late`, as bits.
    fn bits(&self, name: &str) -> Result<usize, String> {
        name.split('-').try_fold(0, |bits, word| {
            let place = self.conditions.iter().position(|condition| condition == word);
            let place = place.ok_or_else(|| {
                format!("'{word}' in '{name}' is not a condition; expected some of {}", self.conditions.join(", "))
            })?;
            Ok(bits | 1 << place)
        })
    }

    fn parameter(&self, name: String, unit: i64) -> Result<Parameter, String> {
        let number = |what: &str, number: f64| {
            Thousandths::from_float(number)
                .ok()
                .filter(|Thousandths(units)| units.abs() <= 16 * ONE)
                .map(|Thousandths(units)| units)
                .ok_or_else(|| format!("{what} = {number} is not a number of plies from -16 to 16 with three decimals"))
        };
        let [least, most] = self.range.unwrap_or(RANGE);
        let (least, most) = (number("range", least)?, number("range", most)?);
        let start = number("start", self.start.unwrap_or(0.0).clamp(-16.0, 16.0))?;
        // What changes an entry by one, unless the file says otherwise.
        let step = self.step.map_or(Ok((ONE + unit - 1) / unit), |step| number("step", step))?;
        if least >= most || !(least..=most).contains(&start) || !(1..=most - least).contains(&step) {
            return Err(
                "a range is [LEAST, MOST]; the start lies in it, and a step is above 0 and fits into it".to_string()
            );
        }
        Ok(Parameter { name, least, most, step, start })
    }
}

fn check_conditions(conditions: &[String]) -> Result<(), String> {
    if conditions.is_empty() || conditions.len() > MOST_CONDITIONS {
        return Err(format!("{} conditions; expected 1 to {MOST_CONDITIONS}", conditions.len()));
    }
    let is_name =
        |name: &String| !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
    if let Some(name) = conditions.iter().find(|name| !is_name(name)) {
        return Err(format!("'{name}' cannot be the name of a condition; expected letters and digits, like 'cut'"));
    }
    match conditions.iter().enumerate().find(|(place, name)| conditions[..*place].contains(name)) {
        Some((_, name)) => Err(format!("the condition '{name}' stands here twice")),
        None => Ok(()),
    }
}

/// The conjunction's name.
fn name_of(conditions: &[String], needs: usize) -> String {
    let names = conditions.iter().enumerate().filter(|(bit, _)| needs >> bit & 1 == 1).map(|(_, name)| name.as_str());
    names.collect::<Vec<_>>().join("-")
}

#[cfg(test)]
mod tests {
    use plysmith_core::parameter::Weights;

    use crate::uci::client::mapping::Mapping;
    use crate::uci::client::options::EngineOption;

    const TABLE: &str = r#"
[table]
options = "Lmr_{}"
conditions = ["pv", "cut", "late"]
up-to = 2
unit = 100
range = [-3, 3]
step = 0.25
"#;

    /// Entries that differ, from 0 to 300.
    fn options() -> Vec<EngineOption> {
        let option =
            |set: i64| EngineOption::parse(&format!("name Lmr_{set} type spin default {} min 0 max 300", 10 * set));
        (0..8).map(|set| option(set).unwrap()).collect()
    }

    fn values(text: &str, amounts: &[i64]) -> Vec<i64> {
        let settings = Mapping::parse("m", text).unwrap().settings(&Weights(amounts.to_vec()), &options());
        let number = |(set, (name, value)): (usize, &(String, String))| {
            assert_eq!(*name, format!("Lmr_{set}"));
            value.parse().unwrap()
        };
        settings.iter().enumerate().map(number).collect()
    }

    #[test]
    fn entries_are_sums_of_the_conjunctions_that_they_contain() {
        let mapping = Mapping::parse("m", TABLE).unwrap();
        let fitted = mapping.fit(&options()).unwrap();
        let names: Vec<&str> = fitted.parameters.iter().map(|parameter| parameter.name.as_str()).collect();
        assert_eq!(names, ["pv", "cut", "late", "pv-cut", "pv-late", "cut-late"]);
        assert_eq!((fitted.parameters[0].start, fitted.parameters[0].step), (0, 250));
        assert!(fitted.notes[0].contains("cut off") && mapping.drives_options());
        assert_eq!(values(TABLE, &[0; 6]), [0, 10, 20, 30, 40, 50, 60, 70], "as shipped");
        // pv −0.1, cut +1, late +0.5, cut-late +0.25 plies of 100; what is below 0 is cut off.
        assert_eq!(values(TABLE, &[-100, 1000, 500, 0, 0, 250]), [0, 0, 120, 120, 90, 90, 235, 235]);
        let alone = TABLE.replace("unit", "add-to-defaults = false\nunit");
        assert_eq!(values(&alone, &[0, 1000, 505, 0, 0, 1000]), [0, 0, 100, 100, 51, 51, 251, 251]);
        let named = TABLE.replace("up-to = 2", "conjunctions = [\"late-cut\", \"pv\"]");
        assert_eq!(values(&named, &[1000, 2000]), [0, 210, 20, 230, 40, 250, 160, 300]);
        assert_ne!(mapping.canonical(), Mapping::parse("m", &named).unwrap().canonical());
    }

    #[test]
    fn weights_and_a_table_stand_beside_each_other() {
        let both = format!("{TABLE}\n[[weight]]\nname = \"w\"\noption = \"Other\"\nscale = 10\n");
        let mapping = Mapping::parse("m", &both).unwrap();
        let mut options = options();
        options.push(EngineOption::parse("name Other type spin default 1 min 0 max 99").unwrap());
        assert_eq!(mapping.fit(&options).unwrap().parameters.len(), 7);
        let settings = mapping.settings(&Weights(vec![2000, 0, 0, 0, 0, 0, 0]), &options);
        assert_eq!((settings.len(), &settings[0]), (9, &("Other".to_string(), "20".to_string())));
        assert!(
            mapping
                .canonical()
                .starts_with("w drives Other by 0 + 10 w, Nearest; table Lmr_{} by pv,cut,late of pv cut")
        );
    }

    #[test]
    fn mistakes_are_told_with_their_line_and_the_remedy() {
        let error = |from: &str, to: &str| {
            let read = Mapping::parse("m", &TABLE.replace(from, to)).and_then(|mapping| mapping.fit(&options()));
            read.unwrap_err().to_string()
        };
        for (from, to, parts) in [
            ("Lmr_{}", "Lmr", ["m:2: options = \"Lmr\" needs one {}", ""]),
            ("Lmr_{}", "Rmr_{}", ["m:3: the engine has no option 'Rmr_0'", ""]),
            ("\"late\"", "\"late\", \"deep\"", ["m:3: the engine has no option 'Lmr_8'", ""]),
            ("\"late\"", "\"cut\"", ["m:2: the condition 'cut' stands here twice", ""]),
            ("\"late\"", "\"a-b\"", ["m:2: 'a-b' cannot be the name of a condition", ""]),
            ("up-to = 2", "", ["m:2: a table has either conjunctions", "up-to = 2"]),
            ("up-to = 2", "up-to = 0", ["m:2: there is no conjunction", ""]),
            ("up-to = 2", "conjunctions = [\"cut-x\"]", ["m:2: 'x' in 'cut-x' is not a condition", "pv, cut, late"]),
            (
                "up-to = 2",
                "conjunctions = [\"pv-cut\", \"cut-pv\"]",
                ["m:2: the conjunction 'pv-cut' stands here twice", ""],
            ),
            ("unit = 100", "unit = 0", ["m:2: unit = 0 is not a number of units", ""]),
            ("[-3, 3]", "[3, -3]", ["m:2: a range is [LEAST, MOST]", ""]),
            ("0.25", "0", ["m:2: a range is", "step is above 0"]),
            ("unit", "units", ["unknown field `units`", "docs/engines.md"]),
        ] {
            let said = error(from, to);
            assert!(parts.iter().all(|part| said.contains(part)), "{from} → {to}: {said}");
        }
        let text = EngineOption::parse("name Lmr_0 type check default true").unwrap();
        let mut wrong = options();
        wrong[0] = text;
        let said = Mapping::parse("m", TABLE).unwrap().fit(&wrong).unwrap_err().to_string();
        assert!(said.contains("m:3: option 'Lmr_0' is true or false; only numbers"), "{said}");
    }
}
