//! The engine's options: what each is, how it is set, and what it is now.
//!
//! Most stand in a table, one entry each. The parts of the search and the weights of features are as many as the search
//! and the game have, so they come from `Switches::PARTS` and the game's vocabulary.

use std::hint::black_box;

use plysmith_core::depth::Weight;
use plysmith_core::feature::{Atom, FeatureError, Scheme};
use plysmith_core::games::GameInfo;
use plysmith_core::settings::Heuristic;
use plysmith_core::settings::{Part, Settings, SettingsError, Switches};
use thiserror::Error;

use super::mate::MateSolver;

/// How the engine searches. What it is made with are the defaults that it tells.
#[derive(Clone, Debug)]
pub struct ServerOptions {
    game: &'static GameInfo,
    /// All settings of a search but its scheme.
    pub settings: Settings,
    /// Which moves to search deeper or shallower.
    pub scheme: Scheme,
    /// What the order of moves is drawn from.
    pub seed: u64,
    /// How many threads search.
    pub threads: usize,
    /// How many lines are told.
    pub lines_wanted: usize,
    /// Milliseconds of every move that are lost on the way to the other side and back.
    pub overhead: u64,
    /// Whether the other side means to let us think in its time. Nothing depends on it: it says so with each `go`.
    ponder: bool,
    /// How often everything was to be forgotten.
    forgotten: u64,
    /// Who can answer `go mate`, and which of them does; none is the search itself.
    mate_solvers: Vec<MateSolver>,
    mate_solver: Option<usize>,
}

/// What results of earlier searches are good for: they count while this stays the same.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct TableScope {
    settings: Settings,
    scheme: Scheme,
    forgotten: u64,
}

/// Why an option keeps its value.
#[derive(Debug, PartialEq, Eq, Error)]
pub enum OptionError {
    /// Not the form of the command.
    #[error("an option is set by 'setoption name NAME value VALUE'")]
    Form,
    /// An option that there is not.
    #[error("there is no option '{name}'; expected one of {known}")]
    Unknown {
        /// What was read.
        name: String,
        /// What would have been right.
        known: String,
    },
    /// Neither yes nor no.
    #[error("'{0}' does not switch anything; expected 'true' or 'false'")]
    Check(String),
    /// Not a number, or one that is too small or too big.
    #[error("'{value}' is no value for {name}; expected a whole number from {least} to {most}")]
    Number {
        /// Whose value.
        name: String,
        /// What was read.
        value: String,
        /// The smallest there is.
        least: u64,
        /// The biggest there is.
        most: u64,
    },
    /// Not a seed.
    #[error("'{0}' is not a seed; expected a whole number from 0 to {most}", most = u64::MAX)]
    Seed(String),
    /// A table that this machine cannot hold.
    #[error("there is no memory for a table of {0} MiB; choose a smaller one")]
    Memory(u32),
    /// Not a solver of mates.
    #[error("'{value}' solves no mates; expected one of {known}")]
    MateSolver {
        /// What was read.
        value: String,
        /// What would have been right.
        known: String,
    },
    /// Not a preset, table size or heuristic.
    #[error(transparent)]
    Settings(#[from] SettingsError),
    /// Not a scheme.
    #[error(transparent)]
    Scheme(#[from] FeatureError),
}

impl ServerOptions {
    /// A game's options with these defaults.
    pub fn new(game: &'static GameInfo, settings: Settings, scheme: Scheme, seed: u64) -> ServerOptions {
        ServerOptions {
            game,
            settings,
            scheme,
            seed,
            threads: 1,
            lines_wanted: 1,
            overhead: 10,
            ponder: false,
            forgotten: 0,
            mate_solvers: Vec::new(),
            mate_solver: None,
        }
    }

    /// The same with solvers for `go mate`, of which the first answers until the option says otherwise.
    #[must_use]
    pub fn with_mate_solvers(self, mate_solvers: Vec<MateSolver>) -> ServerOptions {
        let mate_solver = (!mate_solvers.is_empty()).then_some(0);
        ServerOptions { mate_solvers, mate_solver, ..self }
    }

    /// Who is asked for a mate before the search is, one after the other.
    pub(super) fn mate_solvers(&self) -> &[MateSolver] {
        self.mate_solver.map_or(&[], |first| &self.mate_solvers[first..])
    }

    /// What the options say in answer to `uci`, their present values as defaults.
    pub fn lines(&self) -> impl Iterator<Item = String> {
        self.choices().map(|choice| format!("option name {} type {}", choice.name(self.game), choice.kind(self)))
    }

    /// Does what stands behind `setoption`; or changes nothing and says why.
    pub fn set(&mut self, words: &[&str]) -> Result<(), OptionError> {
        let Some((&"name", words)) = words.split_first() else { return Err(OptionError::Form) };
        let end = words.iter().position(|&word| word == "value").unwrap_or(words.len());
        let name = words[..end].join(" ");
        let value = words.get(end + 1..).map(|words| words.join(" "));
        let choice = self.find(&name)?;
        if value.is_none() && choice.kind(self) != BUTTON {
            return Err(OptionError::Form);
        }
        let mut changed = self.clone();
        choice.set(&mut changed, &value.unwrap_or_default())?;
        let table = changed.settings.switches.table_mib;
        if table > self.settings.switches.table_mib && !can_be_had(table) {
            return Err(OptionError::Memory(table));
        }
        *self = changed;
        Ok(())
    }

    /// Makes the next search begin with an empty memory.
    pub fn forget(&mut self) {
        self.forgotten += 1;
    }

    /// What is remembered from search to search while it stays the same.
    pub fn memory(&self) -> TableScope {
        TableScope { settings: self.settings, scheme: self.scheme.clone(), forgotten: self.forgotten }
    }

    /// The game these options are for.
    pub(super) fn game(&self) -> &'static GameInfo {
        self.game
    }

    /// Every option. The preset comes before all that it sets, and the scheme before its weights, so that they can be
    /// set from the first to the last.
    fn choices(&self) -> impl Iterator<Item = ServerOption> + use<> {
        let fixed = |table: &'static [FixedOption]| table.iter().map(ServerOption::FixedOption);
        let parts = Switches::PARTS.iter().map(ServerOption::Part);
        let weights = self.game.vocabulary.atoms().map(ServerOption::Weight);
        let mates = if self.mate_solvers.is_empty() { &[][..] } else { MATES };
        fixed(PRESET).chain(fixed(USUAL)).chain(fixed(mates)).chain(parts).chain(fixed(OWN)).chain(weights)
    }

    /// The option of this name, in any case of its letters, unless that leaves a doubt.
    fn find(&self, name: &str) -> Result<ServerOption, OptionError> {
        let exact = self.choices().find(|choice| choice.name(self.game) == name);
        let similar = || self.choices().find(|choice| choice.name(self.game).eq_ignore_ascii_case(name));
        exact.or_else(similar).ok_or_else(|| OptionError::Unknown {
            name: name.to_string(),
            known: self.choices().map(|choice| choice.name(self.game)).collect::<Vec<_>>().join(", "),
        })
    }

    /// The weight of a feature that is this atom alone, in thousandths of a ply.
    fn weight(&self, atom: Atom) -> u64 {
        let beginning = format!("{}@", self.game.vocabulary.facts(atom).name);
        let text = self.game.vocabulary.print_scheme(&self.scheme);
        let weight = text.split(',').find_map(|part| part.strip_prefix(&beginning)?.parse::<f64>().ok());
        weight.map_or(PLY, |plies| (plies * PLY as f64).round() as u64)
    }

    /// Gives this atom alone a weight in thousandths of a ply. A whole ply is what moves cost anyway: then the scheme
    /// has no such feature.
    fn set_weight(&mut self, atom: Atom, units: u64) -> Result<(), OptionError> {
        let vocabulary = self.game.vocabulary;
        let beginning = format!("{}@", vocabulary.facts(atom).name);
        let text = vocabulary.print_scheme(&self.scheme);
        let mut parts: Vec<&str> = text.split(',').filter(|part| part.contains('@')).collect();
        parts.retain(|part| !part.starts_with(&beginning));
        let part = format!("{beginning}{}", Weight::of_units(units as i32));
        if units != PLY {
            parts.push(&part);
        }
        let text = if parts.is_empty() { "Neutral".to_string() } else { parts.join(",") };
        self.scheme = vocabulary.parse_scheme(&text, Weight::HALF)?;
        Ok(())
    }
}

/// An option.
#[derive(Copy, Clone)]
enum ServerOption {
    FixedOption(&'static FixedOption),
    /// A part of the search that is on or off.
    Part(&'static Part),
    /// What a move with this atom costs.
    Weight(Atom),
}

/// An option that every game has: its name, its type with the present value as default, and what setting it does.
struct FixedOption {
    name: &'static str,
    kind: fn(&ServerOptions) -> String,
    set: fn(&mut ServerOptions, &str) -> Result<(), OptionError>,
}

const BUTTON: &str = "button";
const MOST_THREADS: u64 = 256;
const MOST_LINES: u64 = 256;
/// Milliseconds.
const MOST_OVERHEAD: u64 = 5000;
/// Thousandths of a ply: one, and the most a move can cost.
const PLY: u64 = 1000;
const MOST_WEIGHT: u64 = 16 * PLY;

impl ServerOption {
    /// `NullWindow` for the part `null-window`, `Weight Ud` for the atom `Ud`.
    fn name(self, game: &GameInfo) -> String {
        match self {
            ServerOption::FixedOption(fixed) => fixed.name.to_string(),
            ServerOption::Part(part) => part.name.split('-').map(capitalised).collect(),
            ServerOption::Weight(atom) => format!("Weight {}", game.vocabulary.facts(atom).name),
        }
    }

    fn kind(self, options: &ServerOptions) -> String {
        match self {
            ServerOption::FixedOption(fixed) => (fixed.kind)(options),
            ServerOption::Part(part) => check((part.get)(&options.settings.switches)),
            ServerOption::Weight(atom) => spin(options.weight(atom), 0, MOST_WEIGHT),
        }
    }

    fn set(self, options: &mut ServerOptions, value: &str) -> Result<(), OptionError> {
        match self {
            ServerOption::FixedOption(fixed) => (fixed.set)(options, value),
            ServerOption::Part(part) => {
                (part.set)(&mut options.settings.switches, parse_check(value)?);
                Ok(())
            }
            ServerOption::Weight(atom) => {
                let units = parse_spin(&self.name(options.game), value, 0, MOST_WEIGHT)?;
                options.set_weight(atom, units)
            }
        }
    }
}

/// What sets all parts of the search at once.
const PRESET: &[FixedOption] = &[FixedOption {
    name: "Preset",
    kind: |options| {
        let text = options.game.print_settings(&options.settings);
        combo(text.split(',').next().unwrap_or_default(), &["classic", "modern"])
    },
    set: |options, value| {
        options.settings = options.game.parse_settings(value)?;
        Ok(())
    },
}];

/// What every engine has.
const USUAL: &[FixedOption] = &[
    FixedOption {
        name: "Hash",
        kind: |options| spin(options.settings.switches.table_mib.into(), 0, Switches::MOST_TABLE_MIB.into()),
        set: |options, value| {
            let size = value.parse().ok().filter(|&mib| mib <= Switches::MOST_TABLE_MIB);
            options.settings.switches.table_mib = size.ok_or_else(|| SettingsError::TableSize(value.to_string()))?;
            Ok(())
        },
    },
    FixedOption {
        name: "Clear Hash",
        kind: |_| BUTTON.to_string(),
        set: |options, _| {
            options.forget();
            Ok(())
        },
    },
    FixedOption {
        name: "Threads",
        kind: |options| spin(options.threads as u64, 1, MOST_THREADS),
        set: |options, value| {
            options.threads = parse_spin("Threads", value, 1, MOST_THREADS)? as usize;
            Ok(())
        },
    },
    FixedOption {
        name: "MultiPV",
        kind: |options| spin(options.lines_wanted as u64, 1, MOST_LINES),
        set: |options, value| {
            options.lines_wanted = parse_spin("MultiPV", value, 1, MOST_LINES)? as usize;
            Ok(())
        },
    },
    FixedOption {
        name: "Ponder",
        kind: |options| check(options.ponder),
        set: |options, value| {
            options.ponder = parse_check(value)?;
            Ok(())
        },
    },
    FixedOption {
        name: "Move Overhead",
        kind: |options| spin(options.overhead, 0, MOST_OVERHEAD),
        set: |options, value| {
            options.overhead = parse_spin("Move Overhead", value, 0, MOST_OVERHEAD)?;
            Ok(())
        },
    },
];

/// Who answers `go mate N`, where the caller brought solvers.
const MATES: &[FixedOption] = &[FixedOption {
    name: "MateSolver",
    kind: |options| {
        let names = mate_solver_names(options);
        let now = options.mate_solver.map_or(0, |index| index + 1);
        combo(names[now], &names)
    },
    set: |options, value| {
        let names = mate_solver_names(options);
        let unknown = || OptionError::MateSolver { value: value.to_string(), known: names.join(", ") };
        let index = names.iter().position(|&name| name == value).ok_or_else(unknown)?;
        options.mate_solver = index.checked_sub(1);
        Ok(())
    },
}];

fn mate_solver_names(options: &ServerOptions) -> Vec<&'static str> {
    std::iter::once("search").chain(options.mate_solvers.iter().map(|solver| solver.name)).collect()
}

/// What only this engine has, beside the parts of the search and the weights of features.
const OWN: &[FixedOption] = &[
    FixedOption {
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
    // A seed is a text to the other side, because half of all seeds are beyond the numbers of most programs.
    FixedOption {
        name: "Seed",
        kind: |options| format!("string default {}", options.seed),
        set: |options, value| {
            options.seed = value.parse().map_err(|_| OptionError::Seed(value.to_string()))?;
            Ok(())
        },
    },
    FixedOption {
        name: "Scheme",
        kind: |options| format!("string default {}", options.game.vocabulary.print_scheme(&options.scheme)),
        set: |options, value| {
            options.scheme = options.game.vocabulary.parse_scheme(value, Weight::HALF)?;
            Ok(())
        },
    },
];

fn capitalised(word: &str) -> String {
    let mut letters = word.chars();
    letters.next().map(|first| first.to_ascii_uppercase()).into_iter().chain(letters).collect()
}

fn spin(default: u64, least: u64, most: u64) -> String {
    format!("spin default {default} min {least} max {most}")
}

fn parse_spin(name: &str, value: &str, least: u64, most: u64) -> Result<u64, OptionError> {
    let number = value.parse().ok().filter(|number| (least..=most).contains(number));
    number.ok_or_else(|| OptionError::Number { name: name.to_string(), value: value.to_string(), least, most })
}

fn combo(default: &str, values: &[&str]) -> String {
    format!("combo default {default} var {}", values.join(" var "))
}

fn check(default: bool) -> String {
    format!("check default {default}")
}

fn parse_check(value: &str) -> Result<bool, OptionError> {
    value.parse().map_err(|_| OptionError::Check(value.to_string()))
}

/// Whether the system grants so much memory. A search that found out by itself would end the program.
fn can_be_had(mib: u32) -> bool {
    let mut memory: Vec<u8> = Vec::new();
    let granted = (mib as usize).checked_mul(1 << 20).is_some_and(|bytes| memory.try_reserve_exact(bytes).is_ok());
    // TableScope that nobody looks at might never be asked for.
    black_box(memory);
    granted
}
