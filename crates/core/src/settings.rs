//! How to search: presets, their switchable parts, and their text form.
//!
//! `classic` is the papers' program; `modern` switches on what engines have learned since. A preset
//! can be changed part by part: `classic,table=16` or `modern,-history,heuristic=material`.

use std::fmt;

use thiserror::Error;

/// The parts of a search that can be switched.
///
/// The search is compiled twice: once for [`Bare`], where every question below is answered "no" at
/// compile time and costs nothing, and once for [`Switches`].
pub trait Parts: Copy {
    /// Search all but the first move with a null window first (principal-variation search).
    fn null_window(&self) -> bool;
    /// Keep results in a transposition table.
    fn table(&self) -> bool;
    /// Try moves early that refuted a sibling position.
    fn killers(&self) -> bool;
    /// Try moves early that refuted positions anywhere in the tree.
    fn history(&self) -> bool;
    /// Take it for a refutation if even passing is one.
    fn null_move(&self) -> bool;
    /// Search late moves less deep at first.
    fn reductions(&self) -> bool;
    /// Give up on moves, and on positions, that the evaluation says are far outside the window.
    fn futility(&self) -> bool;
    /// Try captures that lose material late, and in quiescence not at all.
    fn exchange(&self) -> bool;
    /// Search all replies to a check in quiescence.
    fn evasions(&self) -> bool;
    /// Take a position that comes back for a draw.
    fn repetition(&self) -> bool;
    /// End lines where a rule of the game foretells the result.
    fn foresight(&self) -> bool;
}

/// The papers' search: nothing switched on.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct Bare;

/// Any choice of parts.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash)]
pub struct Switches {
    /// See [`Parts::null_window`].
    pub null_window: bool,
    /// The transposition table's size in MiB; 0 is none.
    pub table_mib: u32,
    /// See [`Parts::killers`].
    pub killers: bool,
    /// See [`Parts::history`].
    pub history: bool,
    /// See [`Parts::null_move`].
    pub null_move: bool,
    /// See [`Parts::reductions`].
    pub reductions: bool,
    /// See [`Parts::futility`].
    pub futility: bool,
    /// See [`Parts::exchange`].
    pub exchange: bool,
    /// See [`Parts::evasions`].
    pub evasions: bool,
    /// See [`Parts::repetition`].
    pub repetition: bool,
    /// See [`Parts::foresight`].
    pub foresight: bool,
    /// Begin an iteration with a narrow window around the score of the one before.
    pub aspiration: bool,
}

/// A part that is on or off: its name, and where it stands.
pub struct Part {
    /// The name on the command line, in the store and in reports.
    pub name: &'static str,
    /// Whether it is on.
    pub get: fn(&Switches) -> bool,
    /// Switches it.
    pub set: fn(&mut Switches, bool),
}

/// What a game's presets switch on.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct Presets {
    /// The papers' set-up.
    pub classic: Switches,
    /// What engines have learned since.
    pub modern: Switches,
    /// The names of the game's evaluation functions.
    pub heuristics: &'static [&'static str],
    /// The one that presets have.
    pub heuristic: Heuristic,
}

/// One of a game's evaluation functions: an index into [`Presets::heuristics`].
#[derive(Copy, Clone, PartialEq, Eq, Debug, Hash)]
pub struct Heuristic(pub u8);

/// All settings of a search but its scheme and its limit.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash)]
pub struct Settings {
    /// The parts that are on.
    pub switches: Switches,
    /// The evaluation function.
    pub heuristic: Heuristic,
}

/// What is wrong with settings that were written down.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum SettingsError {
    /// Neither `classic` nor `modern`.
    #[error("'{0}' is not a preset; expected 'classic' or 'modern', then changes like ',table=16' or ',-killers'")]
    UnknownPreset(String),
    /// A part that there is not.
    #[error(
        "'{0}' changes nothing in a search; expected one of {parts} (with '-' in front to switch off), 'table=MIB' or \
         'heuristic=NAME'",
        parts = part_names()
    )]
    UnknownPart(String),
    /// A table size that cannot be had.
    #[error("'{0}' is not a table size; expected 0 to {most} MiB", most = Switches::MOST_TABLE_MIB)]
    TableSize(String),
    /// An evaluation function that the game does not have.
    #[error("'{name}' is not a heuristic of this game; expected one of {known}")]
    UnknownHeuristic {
        /// What was read.
        name: String,
        /// What would have been right.
        known: String,
    },
}

fn part_names() -> String {
    Switches::PARTS.iter().map(|part| part.name).collect::<Vec<_>>().join(", ")
}

impl Switches {
    /// The largest transposition table.
    pub const MOST_TABLE_MIB: u32 = 65_536;

    /// All parts off.
    pub const NONE: Switches = Switches {
        null_window: false,
        table_mib: 0,
        killers: false,
        history: false,
        null_move: false,
        reductions: false,
        futility: false,
        exchange: false,
        evasions: false,
        repetition: false,
        foresight: false,
        aspiration: false,
    };

    /// All parts that are on or off, in the order they are written.
    pub const PARTS: &[Part] = &[
        Part { name: "null-window", get: |parts| parts.null_window, set: |parts, on| parts.null_window = on },
        Part { name: "killers", get: |parts| parts.killers, set: |parts, on| parts.killers = on },
        Part { name: "history", get: |parts| parts.history, set: |parts, on| parts.history = on },
        Part { name: "null-move", get: |parts| parts.null_move, set: |parts, on| parts.null_move = on },
        Part { name: "reductions", get: |parts| parts.reductions, set: |parts, on| parts.reductions = on },
        Part { name: "futility", get: |parts| parts.futility, set: |parts, on| parts.futility = on },
        Part { name: "exchange", get: |parts| parts.exchange, set: |parts, on| parts.exchange = on },
        Part { name: "evasions", get: |parts| parts.evasions, set: |parts, on| parts.evasions = on },
        Part { name: "repetition", get: |parts| parts.repetition, set: |parts, on| parts.repetition = on },
        Part { name: "foresight", get: |parts| parts.foresight, set: |parts, on| parts.foresight = on },
        Part { name: "aspiration", get: |parts| parts.aspiration, set: |parts, on| parts.aspiration = on },
    ];
}

impl Presets {
    /// The papers' set-up with this evaluation function.
    pub const fn classic(&self, heuristic: Heuristic) -> Settings {
        Settings { switches: self.classic, heuristic }
    }

    /// The strong set-up with this evaluation function.
    pub const fn modern(&self, heuristic: Heuristic) -> Settings {
        Settings { switches: self.modern, heuristic }
    }

    /// Reads settings.
    pub fn parse(&self, text: &str) -> Result<Settings, SettingsError> {
        let mut words = text.split(',');
        let preset = words.next().unwrap_or_default();
        let mut settings = match preset {
            "classic" => self.classic(self.heuristic),
            "modern" => self.modern(self.heuristic),
            _ => return Err(SettingsError::UnknownPreset(preset.to_string())),
        };
        words.try_for_each(|word| self.change(&mut settings, word))?;
        Ok(settings)
    }

    /// The settings as one canonical text, the same for equal settings.
    pub fn print(&self, settings: &Settings) -> String {
        let near_modern = settings.switches.null_window;
        let (preset, base) = if near_modern { ("modern", self.modern) } else { ("classic", self.classic) };
        let mut text = preset.to_string();
        for part in Switches::PARTS {
            let is = (part.get)(&settings.switches);
            if is != (part.get)(&base) {
                text += &format!(",{}{}", if is { "" } else { "-" }, part.name);
            }
        }
        if settings.switches.table_mib != base.table_mib {
            text += &format!(",table={}", settings.switches.table_mib);
        }
        if settings.heuristic != self.heuristic {
            text += &format!(",heuristic={}", self.heuristics[usize::from(settings.heuristic.0)]);
        }
        text
    }

    fn change(&self, settings: &mut Settings, word: &str) -> Result<(), SettingsError> {
        let (name, on) = word.strip_prefix('-').map_or((word, true), |name| (name, false));
        if let Some(part) = Switches::PARTS.iter().find(|part| part.name == name) {
            (part.set)(&mut settings.switches, on);
            return Ok(());
        }
        match (name, name.split_once('=')) {
            ("table", _) if !on => settings.switches.table_mib = 0,
            (_, Some(("table", size))) if on => {
                let fits = |mib: &u32| *mib <= Switches::MOST_TABLE_MIB;
                settings.switches.table_mib =
                    size.parse().ok().filter(fits).ok_or_else(|| SettingsError::TableSize(size.to_string()))?;
            }
            (_, Some(("heuristic", name))) if on => {
                let index = self.heuristics.iter().position(|&known| known == name);
                let index = index.ok_or_else(|| SettingsError::UnknownHeuristic {
                    name: name.to_string(),
                    known: self.heuristics.join(", "),
                })?;
                settings.heuristic = Heuristic(index as u8);
            }
            _ => return Err(SettingsError::UnknownPart(word.to_string())),
        }
        Ok(())
    }
}

impl fmt::Debug for Part {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name)
    }
}

impl Parts for Bare {
    fn null_window(&self) -> bool {
        false
    }

    fn table(&self) -> bool {
        false
    }

    fn killers(&self) -> bool {
        false
    }

    fn history(&self) -> bool {
        false
    }

    fn null_move(&self) -> bool {
        false
    }

    fn reductions(&self) -> bool {
        false
    }

    fn futility(&self) -> bool {
        false
    }

    fn exchange(&self) -> bool {
        false
    }

    fn evasions(&self) -> bool {
        false
    }

    fn repetition(&self) -> bool {
        false
    }

    fn foresight(&self) -> bool {
        false
    }
}

impl Parts for Switches {
    fn null_window(&self) -> bool {
        self.null_window
    }

    fn table(&self) -> bool {
        self.table_mib > 0
    }

    fn killers(&self) -> bool {
        self.killers
    }

    fn history(&self) -> bool {
        self.history
    }

    fn null_move(&self) -> bool {
        self.null_move
    }

    fn reductions(&self) -> bool {
        self.reductions
    }

    fn futility(&self) -> bool {
        self.futility
    }

    fn exchange(&self) -> bool {
        self.exchange
    }

    fn evasions(&self) -> bool {
        self.evasions
    }

    fn repetition(&self) -> bool {
        self.repetition
    }

    fn foresight(&self) -> bool {
        self.foresight
    }
}

impl fmt::Display for Heuristic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "#{}", self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::{Heuristic, Presets, Settings, Switches};

    const CLASSIC: Switches = Switches { killers: true, ..Switches::NONE };
    const MODERN: Switches = Switches { null_window: true, table_mib: 16, null_move: true, ..CLASSIC };
    const PRESETS: Presets =
        Presets { classic: CLASSIC, modern: MODERN, heuristics: &["material", "guarded"], heuristic: Heuristic(1) };

    #[test]
    fn every_choice_of_parts_reads_back() {
        for bits in 0..1 << (Switches::PARTS.len() + 2) {
            let on = |bit: usize| bits >> bit & 1 == 1;
            let mut switches = Switches { table_mib: if on(0) { 3 } else { 0 }, ..Switches::NONE };
            for (place, part) in Switches::PARTS.iter().enumerate() {
                (part.set)(&mut switches, on(place + 2));
                assert_eq!((part.get)(&switches), on(place + 2));
            }
            let settings = Settings { switches, heuristic: Heuristic(u8::from(on(1))) };
            let text = PRESETS.print(&settings);
            assert_eq!(PRESETS.parse(&text), Ok(settings), "{text}");
        }
    }

    #[test]
    fn presets_have_their_plain_names() {
        assert_eq!(PRESETS.print(&PRESETS.classic(Heuristic(1))), "classic");
        assert_eq!(PRESETS.print(&PRESETS.modern(Heuristic(1))), "modern");
        assert_eq!(PRESETS.print(&PRESETS.modern(Heuristic(0))), "modern,heuristic=material");
    }

    #[test]
    fn errors_name_the_word() {
        let error = |text| PRESETS.parse(text).unwrap_err().to_string();
        assert!(error("fast").starts_with("'fast' is not a preset"));
        assert!(error("classic,turbo").starts_with("'turbo' changes nothing"));
        assert!(error("classic,turbo").contains("null-move, reductions"));
        assert!(error("classic,table=x").starts_with("'x' is not a table size"));
        assert!(error("classic,table=99999999").contains("65536"));
        assert!(error("modern,heuristic=foo").contains("expected one of material, guarded"));
    }
}
