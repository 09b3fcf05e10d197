//! The UCI options of the server.
//!
//! Most are entries of a table. The switches and tunables of the search and the weights of features come from
//! `Switches::ALL`, `Tunables::ALL` and the game's vocabulary.

use std::hint::black_box;

use plysmith_core::decimal::parse_unsigned;
use plysmith_core::depth::Weight;
use plysmith_core::feature::{Atom, FeatureError, Scheme};
use plysmith_core::games::{GameInfo, chess};
use plysmith_core::settings::{Heuristic, Settings, SettingsError, Switch, Switches, Tunable, Tunables};
use plysmith_core::weights::LoadedWeights;
use thiserror::Error;

use super::mate::MateSolver;
use crate::mate_search::{MateSearch, MateSearchError, MateSolverKind};
use crate::schemes::parse_scheme;
use crate::weights::{self, WeightsError, parse_settings};

/// The options and their values. The values at the start are the defaults in the answer to `uci`.
#[derive(Clone, Debug)]
pub struct ServerOptions {
    game: &'static GameInfo,
    /// The search settings.
    pub settings: Settings,
    /// Which moves to search deeper or shallower.
    pub scheme: Scheme,
    /// The random seed of the move order.
    pub seed: u64,
    /// The number of search threads.
    pub threads: usize,
    /// The number of lines (MultiPV).
    pub lines_wanted: usize,
    /// The move overhead in milliseconds.
    pub overhead: u64,
    /// Whether the GUI may ponder. Nothing depends on it: `go ponder` is explicit.
    ponder: bool,
    /// How often earlier searches were forgotten.
    forgotten: u64,
    /// The mate solvers for `go mate`, and the selected one; none for the search itself.
    mate_solvers: Vec<MateSolver>,
    mate_solver: Option<usize>,
    /// The solver that looks for a mate before each search; none if it is off.
    mate_search: Option<MateSolverKind>,
    /// The share of nodes or time that it may spend, in per cent.
    mate_share: u32,
    /// Whether positions of chess are those of Chess960.
    chess960: bool,
}

/// The scope in which results of earlier searches are valid.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct TableScope {
    settings: Settings,
    scheme: Scheme,
    forgotten: u64,
}

/// An error in a `setoption` command.
#[derive(Debug, PartialEq, Eq, Error)]
pub enum OptionError {
    /// Wrong syntax.
    #[error("an option is set by 'setoption name NAME value VALUE'")]
    Form,
    /// An unknown option.
    #[error("there is no option '{name}'; expected one of {known}")]
    Unknown {
        /// What was read.
        name: String,
        /// What is valid.
        known: String,
    },
    /// Neither true nor false.
    #[error("'{0}' is not a switch; expected 'true' or 'false'")]
    Check(String),
    /// Not a number in the range.
    #[error("'{value}' is not a value for {name}; expected a whole number from {least} to {most}")]
    Number {
        /// The option.
        name: String,
        /// What was read.
        value: String,
        /// The smallest value.
        least: u64,
        /// The largest value.
        most: u64,
    },
    /// Not a value of a tunable.
    #[error("'{value}' is not a value for {name}; expected a whole number from {min} to {max}")]
    Tunable {
        /// The tunable.
        name: &'static str,
        /// What was read.
        value: String,
        /// The smallest value.
        min: i32,
        /// The largest value.
        max: i32,
    },
    /// Not a seed.
    #[error("'{0}' is not a seed; expected a whole number from 0 to {most}", most = u64::MAX)]
    Seed(String),
    /// A table larger than the memory.
    #[error("there is no memory for a table of {0} MiB; choose a smaller one")]
    Memory(u32),
    /// An unknown mate solver.
    #[error("'{value}' is not a mate solver; expected one of {known}")]
    MateSolver {
        /// What was read.
        value: String,
        /// What is valid.
        known: String,
    },
    /// An unknown mate search.
    #[error(transparent)]
    MateSearch(#[from] MateSearchError),
    /// Another game.
    #[error("this engine plays {game}, not '{value}'; `plysmith engine GAME` plays another game")]
    Variant {
        /// The game.
        game: &'static str,
        /// What was read.
        value: String,
    },
    /// Not a preset, table size or heuristic.
    #[error(transparent)]
    Settings(#[from] SettingsError),
    /// Not a weight file.
    #[error(transparent)]
    Weights(#[from] WeightsError),
    /// Not a scheme.
    #[error(transparent)]
    Scheme(#[from] FeatureError),
}

impl ServerOptions {
    /// The options of a game with these defaults.
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
            mate_search: None,
            mate_share: MateSearch::SHARE,
            chess960: false,
        }
    }

    /// Adds solvers for `go mate`. The first one is the default.
    #[must_use]
    pub fn with_mate_solvers(self, mate_solvers: Vec<MateSolver>) -> ServerOptions {
        let mate_solver = (!mate_solvers.is_empty()).then_some(0);
        ServerOptions { mate_solvers, mate_solver, ..self }
    }

    /// The solver that is tried before the search.
    pub(super) fn mate_solver(&self) -> Option<&MateSolver> {
        self.mate_solver.and_then(|index| self.mate_solvers.get(index))
    }

    /// The mate search before each search.
    pub(super) fn mate_search(&self) -> Option<MateSearch> {
        Some(MateSearch { solver: self.mate_search?, share: self.mate_share })
    }

    /// Whether the next positions are those of Chess960, however their castling rights are written.
    pub(super) fn is_chess960(&self) -> bool {
        self.chess960
    }

    /// The `option` lines, with the current values as defaults.
    pub fn lines(&self) -> impl Iterator<Item = String> {
        self.all().map(|option| format!("option name {} type {}", option.name(self.game), option.kind(self)))
    }

    /// Executes what follows `setoption`; an error changes nothing.
    pub fn set(&mut self, words: &[&str]) -> Result<(), OptionError> {
        let name = words.iter().position(|&word| word == "name").ok_or(OptionError::Form)?;
        let words = &words[name + 1..];
        let end = words.iter().position(|&word| word == "value").unwrap_or(words.len());
        let name = words[..end].join(" ");
        let value = words.get(end + 1..).map(|words| words.join(" "));
        let option = self.find(&name)?;
        if value.is_none() && option.kind(self) != BUTTON {
            return Err(OptionError::Form);
        }
        let mut changed = self.clone();
        option.set(&mut changed, &value.unwrap_or_default())?;
        let table = changed.settings.switches.table_mib;
        if table > self.settings.switches.table_mib && !can_allocate(table) {
            return Err(OptionError::Memory(table));
        }
        *self = changed;
        Ok(())
    }

    /// Makes the next search forget earlier ones.
    pub fn forget(&mut self) {
        self.forgotten += 1;
    }

    /// The scope in which results stay valid from search to search.
    pub fn memory(&self) -> TableScope {
        TableScope { settings: self.settings, scheme: self.scheme.clone(), forgotten: self.forgotten }
    }

    /// The game.
    pub(super) fn game(&self) -> &'static GameInfo {
        self.game
    }

    /// Every option. The preset comes before the options that it sets, and the scheme before its weights, so that they can be
    /// set in this order.
    fn all(&self) -> impl Iterator<Item = ServerOption> + use<> {
        let fixed = |table: &'static [FixedOption]| table.iter().map(ServerOption::FixedOption);
        let parts = Switches::ALL.iter().map(ServerOption::Switch);
        let tunables = Tunables::ALL.iter().map(ServerOption::Tunable);
        let weights = self.game.vocabulary.atoms().map(ServerOption::Weight);
        let mates = if self.mate_solvers.is_empty() { &[][..] } else { MATES };
        let is_chess = self.game.name == chess::INFO.name;
        let (mate_search, chess960) = if is_chess { (MATE_SEARCH, CHESS960) } else { (&[][..], &[][..]) };
        fixed(PRESET)
            .chain(fixed(USUAL))
            .chain(fixed(chess960))
            .chain(fixed(mates))
            .chain(fixed(mate_search))
            .chain(parts)
            .chain(tunables)
            .chain(fixed(OWN))
            .chain(weights)
    }

    /// The option of this name; an exact match first, then one that ignores case.
    fn find(&self, name: &str) -> Result<ServerOption, OptionError> {
        let exact = self.all().find(|option| option.name(self.game) == name);
        let similar = || self.all().find(|option| option.name(self.game).eq_ignore_ascii_case(name));
        exact.or_else(similar).ok_or_else(|| OptionError::Unknown {
            name: name.to_string(),
            known: self.all().map(|option| option.name(self.game)).collect::<Vec<_>>().join(", "),
        })
    }

    /// The weight of a feature that is this atom alone, in thousandths of a ply.
    fn weight(&self, atom: Atom) -> u64 {
        let beginning = format!("{}@", self.game.vocabulary.facts(atom).name);
        let text = self.game.vocabulary.print_scheme(&self.scheme);
        let weight = text.split(',').find_map(|part| parse_unsigned(part.strip_prefix(&beginning)?).ok());
        weight.unwrap_or(PLY)
    }

    /// Sets the weight of this atom alone, in thousandths of a ply. A weight of one ply removes the feature, because moves
    /// cost a ply anyway.
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
    /// A switch of the search.
    Switch(&'static Switch),
    /// A constant of the search.
    Tunable(&'static Tunable),
    /// The cost of a move with this atom.
    Weight(Atom),
}

/// An option of every game: its name, its type with the current value as default, and its setter.
struct FixedOption {
    name: &'static str,
    kind: fn(&ServerOptions) -> String,
    set: fn(&mut ServerOptions, &str) -> Result<(), OptionError>,
}

const BUTTON: &str = "button";
/// The value of `EvalFile` if no file is loaded.
const EMBEDDED: &str = "<embedded>";
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
            ServerOption::Switch(part) => part.name.split('-').map(capitalised).collect(),
            ServerOption::Tunable(tunable) => tunable.name.to_string(),
            ServerOption::Weight(atom) => format!("Weight {}", game.vocabulary.facts(atom).name),
        }
    }

    fn kind(self, options: &ServerOptions) -> String {
        match self {
            ServerOption::FixedOption(fixed) => (fixed.kind)(options),
            ServerOption::Switch(part) => check((part.get)(&options.settings.switches)),
            ServerOption::Tunable(tunable) => {
                let value = (tunable.get)(&options.settings.tunables);
                format!("spin default {value} min {} max {}", tunable.min, tunable.max)
            }
            ServerOption::Weight(atom) => spin(options.weight(atom), 0, MOST_WEIGHT),
        }
    }

    fn set(self, options: &mut ServerOptions, value: &str) -> Result<(), OptionError> {
        match self {
            ServerOption::FixedOption(fixed) => (fixed.set)(options, value),
            ServerOption::Switch(part) => {
                (part.set)(&mut options.settings.switches, parse_check(value)?);
                Ok(())
            }
            ServerOption::Tunable(tunable) => {
                let Tunable { name, min, max, .. } = *tunable;
                let number = value.parse().ok().filter(|&number| tunable.allows(number));
                let error = || OptionError::Tunable { name, value: value.to_string(), min, max };
                (tunable.set)(&mut options.settings.tunables, number.ok_or_else(error)?);
                Ok(())
            }
            ServerOption::Weight(atom) => {
                let units = parse_spin(&self.name(options.game), value, 0, MOST_WEIGHT)?;
                options.set_weight(atom, units)
            }
        }
    }
}

/// Options of the mate search before each search.
const MATE_SEARCH: &[FixedOption] = &[
    FixedOption {
        name: "MateSearch",
        kind: |options| {
            let name = options.mate_search.map_or(MateSolverKind::CHOICES[0], MateSolverKind::name);
            combo(name, &MateSolverKind::CHOICES)
        },
        set: |options, value| {
            options.mate_search = MateSolverKind::parse(&value.to_ascii_lowercase())?;
            Ok(())
        },
    },
    FixedOption {
        name: "MateShare",
        kind: |options| spin(options.mate_share.into(), 1, MateSearch::MOST_SHARE.into()),
        set: |options, value| {
            options.mate_share = parse_spin("MateShare", value, 1, MateSearch::MOST_SHARE.into())? as u32;
            Ok(())
        },
    },
];

/// The option by which all positions are those of Chess960, and castling is king takes own rook.
const CHESS960: &[FixedOption] = &[FixedOption {
    name: "UCI_Chess960",
    kind: |options| check(options.chess960),
    set: |options, value| {
        options.chess960 = parse_check(value)?;
        Ok(())
    },
}];

/// The option that sets all switches of the search at once.
const PRESET: &[FixedOption] = &[FixedOption {
    name: "Preset",
    kind: |options| {
        let (preset, _) = options.game.presets.nearest(&options.settings);
        combo(preset, &["classic", "modern"])
    },
    set: |options, value| {
        options.settings = parse_settings(options.game, value)?;
        Ok(())
    },
}];

/// The usual UCI options.
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
    // One process plays one game, on boards of any size: the position tells the size.
    FixedOption {
        name: "UCI_Variant",
        kind: |options| combo(options.game.name, &[options.game.name]),
        set: |options, value| match value.eq_ignore_ascii_case(options.game.name) {
            true => Ok(()),
            false => Err(OptionError::Variant { game: options.game.name, value: value.to_string() }),
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

/// The option that selects a mate solver, if the caller provides solvers.
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

/// The options of this engine beside switches and weights.
const OWN: &[FixedOption] = &[
    FixedOption {
        name: "Heuristic",
        kind: |options| {
            let now = options.game.presets.print_heuristic(options.settings.heuristic);
            let mut names = options.game.presets.heuristics.to_vec();
            if let Heuristic::Loaded(_) = options.settings.heuristic {
                names.push(&now);
            }
            combo(&now, &names)
        },
        set: |options, value| {
            let presets = &options.game.presets;
            let loaded = || LoadedWeights::find(options.game.name, value).map(Heuristic::Loaded);
            let heuristic = presets.find_heuristic(value).or_else(loaded);
            options.settings.heuristic = heuristic.ok_or_else(|| presets.unknown_heuristic(value))?;
            Ok(())
        },
    },
    // The name that other engines have for it.
    FixedOption {
        name: "EvalFile",
        kind: |options| match options.settings.heuristic {
            Heuristic::BuiltIn(_) => format!("string default {EMBEDDED}"),
            Heuristic::Loaded(weights) => format!("string default {}", weights.label()),
        },
        set: |options, value| {
            options.settings.heuristic = match (value, options.settings.heuristic) {
                ("" | "<empty>" | EMBEDDED, Heuristic::Loaded(_)) => {
                    options.game.presets.nearest(&options.settings).1.heuristic
                }
                ("" | "<empty>" | EMBEDDED, built_in) => built_in,
                (file, _) => Heuristic::Loaded(weights::load(options.game, file)?),
            };
            Ok(())
        },
    },
    // A string option, because half of all seeds exceed the integers of most GUIs.
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
            options.scheme = parse_scheme(options.game.vocabulary, value, Weight::HALF)?;
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

/// Whether the system grants this much memory. A failed allocation in the search would abort the program.
fn can_allocate(mib: u32) -> bool {
    let mut memory: Vec<u8> = Vec::new();
    let granted = (mib as usize).checked_mul(1 << 20).is_some_and(|bytes| memory.try_reserve_exact(bytes).is_ok());
    // Without this the allocation might be optimised away.
    black_box(memory);
    granted
}
