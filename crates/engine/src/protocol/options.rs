//! The engine's options: one entry of `OPTIONS` each, which says what it is and how it is set.

use std::hint::black_box;

use plysmith_core::feature::{FeatureError, Scheme};
use plysmith_core::game::Heuristic;
use plysmith_core::games::Entry;
use plysmith_core::search::depth::Weight;
use plysmith_core::search::settings::{Settings, SettingsError, Switches};
use thiserror::Error;

/// How the engine searches. What it is made with are the defaults that it tells.
#[derive(Clone, Debug)]
pub struct Options {
    game: &'static Entry,
    /// All settings of a search but its scheme.
    pub settings: Settings,
    /// Which moves to search deeper or shallower.
    pub scheme: Scheme,
    /// What the order of moves is drawn from.
    pub seed: u64,
}

/// Why an option keeps its value.
#[derive(Debug, PartialEq, Eq, Error)]
pub enum OptionError {
    /// Not the form of the command.
    #[error("an option is set by 'setoption name NAME value VALUE'")]
    Form,
    /// An option that there is not.
    #[error("there is no option '{name}'; expected one of {known}", known = names())]
    Unknown {
        /// What was read.
        name: String,
    },
    /// Neither yes nor no.
    #[error("'{0}' does not switch anything; expected 'true' or 'false'")]
    Check(String),
    /// Not a seed.
    #[error("'{0}' is not a seed; expected a whole number from 0 to {most}", most = u64::MAX)]
    Seed(String),
    /// A table that this machine cannot hold.
    #[error("there is no memory for a table of {0} MiB; choose a smaller one")]
    Memory(u32),
    /// Not a preset, table size or heuristic.
    #[error(transparent)]
    Settings(#[from] SettingsError),
    /// Not a scheme.
    #[error(transparent)]
    Scheme(#[from] FeatureError),
}

impl Options {
    /// A game's options with these defaults.
    pub fn new(game: &'static Entry, settings: Settings, scheme: Scheme, seed: u64) -> Options {
        Options { game, settings, scheme, seed }
    }

    /// What the options say in answer to `uci`, their present values as defaults.
    pub fn lines(&self) -> impl Iterator<Item = String> {
        OPTIONS.iter().map(|option| format!("option name {} type {}", option.name, (option.kind)(self)))
    }

    /// Does what stands behind `setoption`; or changes nothing and says why.
    pub fn set(&mut self, words: &[&str]) -> Result<(), OptionError> {
        let Some((&"name", words)) = words.split_first() else { return Err(OptionError::Form) };
        let end = words.iter().position(|&word| word == "value").ok_or(OptionError::Form)?;
        let (name, value) = (words[..end].join(" "), words[end + 1..].join(" "));
        let option = OPTIONS
            .iter()
            .find(|option| option.name.eq_ignore_ascii_case(&name))
            .ok_or(OptionError::Unknown { name })?;
        let mut changed = self.clone();
        (option.set)(&mut changed, &value)?;
        let table = changed.settings.switches.table_mib;
        if table > self.settings.switches.table_mib && !can_be_had(table) {
            return Err(OptionError::Memory(table));
        }
        *self = changed;
        Ok(())
    }

    /// The game these options are for.
    pub(super) fn game(&self) -> &'static Entry {
        self.game
    }
}

/// An option: its name, its type with the present value as default, and what setting it does.
struct Choice {
    name: &'static str,
    kind: fn(&Options) -> String,
    set: fn(&mut Options, &str) -> Result<(), OptionError>,
}

/// The preset comes first, because it sets all that are below it up to the heuristic.
const OPTIONS: &[Choice] = &[
    Choice {
        name: "Preset",
        kind: |options| {
            let text = options.game.print_settings(&options.settings);
            combo(text.split(',').next().unwrap_or_default(), &["classic", "modern"])
        },
        set: |options, value| {
            options.settings = options.game.parse_settings(value)?;
            Ok(())
        },
    },
    Choice {
        name: "NullWindow",
        kind: |options| check(options.settings.switches.null_window),
        set: |options, value| set_check(&mut options.settings.switches.null_window, value),
    },
    Choice {
        name: "Killers",
        kind: |options| check(options.settings.switches.killers),
        set: |options, value| set_check(&mut options.settings.switches.killers, value),
    },
    Choice {
        name: "History",
        kind: |options| check(options.settings.switches.history),
        set: |options, value| set_check(&mut options.settings.switches.history, value),
    },
    Choice {
        name: "Hash",
        kind: |options| {
            let size = options.settings.switches.table_mib;
            format!("spin default {size} min 0 max {}", Switches::MOST_TABLE_MIB)
        },
        set: |options, value| {
            let size = value.parse().ok().filter(|&mib| mib <= Switches::MOST_TABLE_MIB);
            options.settings.switches.table_mib = size.ok_or_else(|| SettingsError::TableSize(value.to_string()))?;
            Ok(())
        },
    },
    Choice {
        name: "Heuristic",
        kind: |options| {
            let names = options.game.presets.heuristics;
            combo(names.get(usize::from(options.settings.heuristic.0)).unwrap_or(&""), names)
        },
        set: |options, value| {
            let names = options.game.presets.heuristics;
            let unknown = || SettingsError::UnknownHeuristic { name: value.to_string(), known: names.join(", ") };
            let index = names.iter().position(|&name| name == value).ok_or_else(unknown)?;
            options.settings.heuristic = Heuristic(index as u8);
            Ok(())
        },
    },
    Choice {
        name: "Scheme",
        kind: |options| format!("string default {}", options.game.vocabulary.print_scheme(&options.scheme)),
        set: |options, value| {
            options.scheme = options.game.vocabulary.parse_scheme(value, Weight::HALF)?;
            Ok(())
        },
    },
    // A seed is a text to the other side, because half of all seeds are beyond the numbers of most programs.
    Choice {
        name: "Seed",
        kind: |options| format!("string default {}", options.seed),
        set: |options, value| {
            options.seed = value.parse().map_err(|_| OptionError::Seed(value.to_string()))?;
            Ok(())
        },
    },
];

fn names() -> String {
    OPTIONS.iter().map(|option| option.name).collect::<Vec<_>>().join(", ")
}

fn combo(default: &str, values: &[&str]) -> String {
    format!("combo default {default} var {}", values.join(" var "))
}

fn check(default: bool) -> String {
    format!("check default {default}")
}

fn set_check(switch: &mut bool, value: &str) -> Result<(), OptionError> {
    *switch = value.parse().map_err(|_| OptionError::Check(value.to_string()))?;
    Ok(())
}

/// Whether the system grants so much memory. A search that found out by itself would end the program.
fn can_be_had(mib: u32) -> bool {
    let mut memory: Vec<u8> = Vec::new();
    let granted = (mib as usize).checked_mul(1 << 20).is_some_and(|bytes| memory.try_reserve_exact(bytes).is_ok());
    // Memory that nobody looks at might never be asked for.
    black_box(memory);
    granted
}
