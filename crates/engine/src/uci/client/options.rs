//! The options that an engine declares, and values that fit them.
//!
//! Engines rarely report a bad value: one uses −1, another hangs, a third aborts. So every value is fitted to the
//! engine's `option` line before it is sent. Names are case-sensitive and may contain blanks and brackets:
//! `Check Extension (PV nodes)`.

use std::fmt;

use plysmith_core::similar::distance;
use serde::Serialize;

/// An option of an engine.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct EngineOption {
    /// Its name, as the engine spells it.
    pub name: String,
    /// Its type and range.
    #[serde(flatten)]
    pub kind: OptionKind,
}

/// The type of an option, and its range.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
#[serde(tag = "type", rename_all = "lowercase")]
pub enum OptionKind {
    /// `true` or `false`.
    Check {
        /// The default.
        default: bool,
    },
    /// A whole number.
    Spin {
        /// The default.
        default: i64,
        /// The smallest.
        min: i64,
        /// The largest.
        max: i64,
    },
    /// One of a list of words.
    Combo {
        /// The default.
        default: String,
        /// The words.
        choices: Vec<String>,
    },
    /// A button; it has no value.
    Button,
    /// Any text.
    String {
        /// The default.
        default: String,
    },
}

/// A value that fits an option.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct FittedValue {
    /// The value that is sent.
    pub value: String,
    /// How it differs from the value that was asked for, if it does.
    pub note: Option<String>,
}

/// The option for the size of an engine's table, in MiB.
pub const HASH: &str = "Hash";

/// The bytes of a table of this size.
pub fn mib_to_bytes(mib: i64) -> u64 {
    u64::try_from(mib).unwrap_or(0).saturating_mul(1 << 20)
}

impl EngineOption {
    /// The default, if it is a number.
    pub fn default_number(&self) -> Option<i64> {
        match self.kind {
            OptionKind::Spin { default, .. } => Some(default),
            _ => None,
        }
    }

    /// Reads what follows `option`; none if it is no option.
    pub fn parse(text: &str) -> Option<EngineOption> {
        let text = text.trim().strip_prefix("name ")?;
        // A name may contain any word, so it ends at the first ' type ' that a known type follows.
        let (name, kind, rest) = text.match_indices(" type ").find_map(|(at, word)| {
            let behind = text[at + word.len()..].trim_start();
            let (kind, rest) = behind.split_once(char::is_whitespace).unwrap_or((behind, ""));
            KINDS.contains(&kind).then(|| (text[..at].trim(), kind, rest))
        })?;
        let fields = Fields::parse(rest);
        let kind = match kind {
            "check" => OptionKind::Check { default: fields.default == "true" },
            "spin" => {
                let number = |text: &str| text.parse::<i64>().ok();
                let min = number(&fields.min).unwrap_or(i64::MIN);
                let max = number(&fields.max).unwrap_or(i64::MAX).max(min);
                OptionKind::Spin { default: number(&fields.default).unwrap_or(min).clamp(min, max), min, max }
            }
            "combo" => OptionKind::Combo { default: fields.default, choices: fields.choices },
            "button" => OptionKind::Button,
            _ => OptionKind::String { default: if fields.default == EMPTY { String::new() } else { fields.default } },
        };
        Some(EngineOption { name: name.to_string(), kind })
    }

    /// The value that the engine starts with, as it would be sent; none for a button.
    pub fn default_value(&self) -> Option<String> {
        match &self.kind {
            OptionKind::Check { default } => Some(default.to_string()),
            OptionKind::Spin { default, .. } => Some(default.to_string()),
            OptionKind::String { default } if default.is_empty() => Some(EMPTY.to_string()),
            OptionKind::Combo { default, .. } | OptionKind::String { default } => Some(default.clone()),
            OptionKind::Button => None,
        }
    }

    /// The valid value that is nearest to this one, or why there is none.
    pub fn fit(&self, value: &str) -> Result<FittedValue, String> {
        let name = &self.name;
        let exact = |value: String| Ok(FittedValue { value, note: None });
        match &self.kind {
            OptionKind::Check { .. } => match value.to_lowercase().as_str() {
                "true" | "on" | "yes" | "1" => exact("true".to_string()),
                "false" | "off" | "no" | "0" => exact("false".to_string()),
                _ => Err(format!("option '{name}' is true or false, not '{value}'")),
            },
            OptionKind::Spin { min, max, .. } => {
                let number = value.trim().parse::<f64>().ok().filter(|number| number.is_finite());
                let number = number.ok_or(format!("option '{name}' takes a number {self}, not '{value}'"))?;
                // Large whole numbers must not lose digits on the way through a float.
                let whole = value.trim().parse::<i64>().unwrap_or(number.round() as i64);
                let fitted = whole.clamp(*min, *max);
                let note = (fitted as f64 != number)
                    .then(|| format!("option '{name}': {fitted} instead of {value}, which is not {self}"));
                Ok(FittedValue { value: fitted.to_string(), note })
            }
            OptionKind::Combo { choices, .. } => {
                let same = |choice: &&String| *choice == value;
                let alike = |choice: &&String| choice.to_lowercase() == value.to_lowercase();
                let choice = choices.iter().find(same).or_else(|| choices.iter().find(alike));
                choice.cloned().map_or_else(
                    || Err(format!("option '{name}' is one of {}, not '{value}'", choices.join(", "))),
                    exact,
                )
            }
            OptionKind::Button if value.is_empty() => exact(String::new()),
            OptionKind::Button => Err(format!("option '{name}' is a button and takes no value; leave '{value}' out")),
            OptionKind::String { .. } if value.chars().any(char::is_control) => {
                Err(format!("option '{name}' cannot have line ends or other control letters in its value"))
            }
            OptionKind::String { .. } => exact(if value.is_empty() { EMPTY.to_string() } else { value.to_string() }),
        }
    }

    /// The `setoption` line.
    pub fn line(&self, fitted: &FittedValue) -> String {
        match self.kind {
            OptionKind::Button => format!("setoption name {}", self.name),
            _ => format!("setoption name {} value {}", self.name, fitted.value),
        }
    }
}

/// The range of its values.
impl fmt::Display for EngineOption {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.kind {
            OptionKind::Check { .. } => f.write_str("true or false"),
            OptionKind::Spin { min, max, .. } => write!(f, "from {min} to {max}"),
            OptionKind::Combo { choices, .. } => write!(f, "one of {}", choices.join(", ")),
            OptionKind::Button => f.write_str("no value"),
            OptionKind::String { .. } => f.write_str("any text"),
        }
    }
}

/// The option of this name; else an error with similar names, or all names.
pub fn find<'a>(options: &'a [EngineOption], name: &str) -> Result<&'a EngineOption, String> {
    if let Some(option) = options.iter().find(|option| option.name == name) {
        return Ok(option);
    }
    let wanted = name.to_lowercase();
    let mut near: Vec<_> = options
        .iter()
        .map(|option| (distance(&wanted, &option.name.to_lowercase()), &option.name))
        .filter(|(distance, other)| *distance <= wanted.len() / 2 || other.to_lowercase().contains(&wanted))
        .collect();
    near.sort();
    let list: Vec<_> = match near.is_empty() {
        true => options.iter().map(|option| format!("'{}'", option.name)).collect(),
        false => near.iter().take(5).map(|(_, name)| format!("'{name}'")).collect(),
    };
    Err(match list.is_empty() {
        true => format!("has no option '{name}': it has none at all"),
        false => format!("has no option '{name}'; names are case-sensitive: did you mean {}?", list.join(", ")),
    })
}

const KINDS: [&str; 5] = ["check", "spin", "combo", "button", "string"];
/// How UCI writes an empty text.
const EMPTY: &str = "<empty>";

#[derive(Default)]
struct Fields {
    default: String,
    min: String,
    max: String,
    choices: Vec<String>,
}

impl Fields {
    fn parse(text: &str) -> Fields {
        let mut fields = Fields::default();
        let mut words = text.split_whitespace().peekable();
        while let Some(key) = words.next() {
            let mut value = Vec::new();
            while let Some(word) = words.next_if(|word| !["default", "min", "max", "var"].contains(word)) {
                value.push(word);
            }
            let value = value.join(" ");
            match key {
                "default" => fields.default = value,
                "min" => fields.min = value,
                "max" => fields.max = value,
                "var" => fields.choices.push(value),
                _ => {}
            }
        }
        fields
    }
}

#[cfg(test)]
mod tests {
    use super::{EngineOption, OptionKind, find};

    fn option(text: &str) -> EngineOption {
        EngineOption::parse(text).unwrap_or_else(|| panic!("{text}"))
    }

    #[test]
    fn real_option_lines_are_read() {
        let check = option("name Check Extension (PV nodes) type spin default 2 min 0 max 2");
        assert_eq!(check.name, "Check Extension (PV nodes)");
        assert_eq!(check.kind, OptionKind::Spin { default: 2, min: 0, max: 2 });
        let combo = option("name NullMove Pruning type combo default Fail High var Always var Fail High var Never");
        let choices = ["Always", "Fail High", "Never"].map(String::from).to_vec();
        assert_eq!(combo.kind, OptionKind::Combo { default: "Fail High".to_string(), choices });
        assert_eq!(option("name Clear Hash type button").kind, OptionKind::Button);
        assert_eq!(option("name OwnBook type check default true").kind, OptionKind::Check { default: true });
        assert_eq!(
            option("name Debug Log File type string default ").kind,
            OptionKind::String { default: String::new() }
        );
        let default = |text: &str| option(text).default_value();
        assert_eq!(default("name Hash type spin default 16 min 1 max 64").as_deref(), Some("16"));
        assert_eq!(default("name OwnBook type check default true").as_deref(), Some("true"));
        assert_eq!(default("name Debug Log File type string default ").as_deref(), Some("<empty>"));
        assert_eq!(default("name Clear Hash type button"), None);
        assert_eq!(option("name A type string default <empty>").kind, OptionKind::String { default: String::new() });
        assert_eq!(option("name The type of it type spin default 3").name, "The type of it");
        for wrong in ["", "name", "name Hash", "name Hash type", "name Hash type thing", "Hash type spin"] {
            assert_eq!(EngineOption::parse(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn values_are_fitted_and_the_difference_is_told() {
        let spin = option("name Threads type spin default 1 min 1 max 8");
        let fit = |value: &str| spin.fit(value).map(|fitted| (fitted.value, fitted.note.is_some()));
        assert_eq!(fit("4"), Ok(("4".to_string(), false)));
        assert_eq!(fit("2.6"), Ok(("3".to_string(), true)));
        assert_eq!(fit("-5"), Ok(("1".to_string(), true)));
        assert_eq!(fit("1e9"), Ok(("8".to_string(), true)));
        assert!(fit("many").unwrap_err().contains("'Threads' takes a number from 1 to 8, not 'many'"));
        assert!(fit("NaN").is_err());
        let combo = option("name Style type combo default Solid var Solid var Risky");
        assert_eq!(combo.fit("risky").unwrap().value, "Risky");
        assert!(combo.fit("calm").unwrap_err().contains("one of Solid, Risky"));
        let check = option("name OwnBook type check default true");
        assert_eq!(check.line(&check.fit("off").unwrap()), "setoption name OwnBook value false");
        assert!(check.fit("maybe").is_err());
        let button = option("name Clear Hash type button");
        assert_eq!(button.line(&button.fit("").unwrap()), "setoption name Clear Hash");
    }

    #[test]
    fn an_unknown_name_is_answered_with_near_ones() {
        let options = ["Hash", "OwnBook", "Ponder"].map(|name| option(&format!("name {name} type check")));
        assert_eq!(find(&options, "Hash").unwrap().name, "Hash");
        assert!(find(&options, "hash").unwrap_err().contains("did you mean 'Hash'?"));
        assert!(find(&options, "Book").unwrap_err().contains("'OwnBook'"));
        assert!(find(&options, "xyzzy").unwrap_err().contains("'Hash', 'OwnBook', 'Ponder'"));
        assert!(find(&[], "xyzzy").unwrap_err().contains("none at all"));
    }
}
