//! How to search: presets, their switchable parts, and their text form.
//!
//! `classic` is the papers' program; `modern` switches on what engines have learned since. A preset
//! can be changed part by part: `classic,table=16` or `modern,-history,heuristic=material`.

use std::fmt;

use thiserror::Error;

use crate::game::Heuristic;

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
}

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
        "'{0}' changes nothing in a search; expected 'null-window', 'killers' or 'history' (with '-' in front to switch \
         off), 'table=MIB' or 'heuristic=NAME'"
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

impl Switches {
    /// The largest transposition table.
    pub const MOST_TABLE_MIB: u32 = 65_536;

    const CLASSIC: Switches = Switches { null_window: false, table_mib: 0, killers: false, history: false };
    const MODERN: Switches = Switches { null_window: true, table_mib: 16, killers: true, history: true };
}

impl Settings {
    /// The papers' set-up: plain alpha-beta, the principal variation first, the rest shuffled.
    pub const fn classic(heuristic: Heuristic) -> Settings {
        Settings { switches: Switches::CLASSIC, heuristic }
    }

    /// Everything on.
    pub const fn modern(heuristic: Heuristic) -> Settings {
        Settings { switches: Switches::MODERN, heuristic }
    }

    /// Reads settings; `heuristics` are the game's names, `default` the one that presets have.
    pub fn parse(text: &str, heuristics: &[&str], default: Heuristic) -> Result<Settings, SettingsError> {
        let mut words = text.split(',');
        let preset = words.next().unwrap_or_default();
        let mut settings = match preset {
            "classic" => Settings::classic(default),
            "modern" => Settings::modern(default),
            _ => return Err(SettingsError::UnknownPreset(preset.to_string())),
        };
        words.try_for_each(|word| settings.change(word, heuristics))?;
        Ok(settings)
    }

    /// The settings as one canonical text, the same for equal settings.
    pub fn print(&self, heuristics: &[&str], default: Heuristic) -> String {
        let near_modern = self.switches.null_window;
        let (preset, base) =
            if near_modern { ("modern", Settings::modern(default)) } else { ("classic", Settings::classic(default)) };
        let mut text = preset.to_string();
        for (name, is, was) in [
            ("killers", self.switches.killers, base.switches.killers),
            ("history", self.switches.history, base.switches.history),
        ] {
            if is != was {
                text += &format!(",{}{name}", if is { "" } else { "-" });
            }
        }
        if self.switches.table_mib != base.switches.table_mib {
            text += &format!(",table={}", self.switches.table_mib);
        }
        if self.heuristic != base.heuristic {
            text += &format!(",heuristic={}", heuristics[usize::from(self.heuristic.0)]);
        }
        text
    }

    fn change(&mut self, word: &str, heuristics: &[&str]) -> Result<(), SettingsError> {
        let (name, on) = word.strip_prefix('-').map_or((word, true), |name| (name, false));
        match (name, name.split_once('=')) {
            ("null-window", _) => self.switches.null_window = on,
            ("killers", _) => self.switches.killers = on,
            ("history", _) => self.switches.history = on,
            ("table", _) if !on => self.switches.table_mib = 0,
            (_, Some(("table", size))) if on => {
                let fits = |mib: &u32| *mib <= Switches::MOST_TABLE_MIB;
                self.switches.table_mib =
                    size.parse().ok().filter(fits).ok_or_else(|| SettingsError::TableSize(size.to_string()))?;
            }
            (_, Some(("heuristic", name))) if on => {
                let index = heuristics.iter().position(|&known| known == name);
                let index = index.ok_or_else(|| SettingsError::UnknownHeuristic {
                    name: name.to_string(),
                    known: heuristics.join(", "),
                })?;
                self.heuristic = Heuristic(index as u8);
            }
            _ => return Err(SettingsError::UnknownPart(word.to_string())),
        }
        Ok(())
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
}

impl fmt::Display for Heuristic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "#{}", self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::{Settings, Switches};
    use crate::game::Heuristic;

    const NAMES: &[&str] = &["material", "guarded"];

    #[test]
    fn every_choice_of_parts_reads_back() {
        for bits in 0..16 {
            let on = |bit: u32| bits >> bit & 1 == 1;
            let switches =
                Switches { null_window: on(0), table_mib: if on(1) { 3 } else { 0 }, killers: on(2), history: on(3) };
            for heuristic in [Heuristic(0), Heuristic(1)] {
                let settings = Settings { switches, heuristic };
                let text = settings.print(NAMES, Heuristic(1));
                assert_eq!(Settings::parse(&text, NAMES, Heuristic(1)), Ok(settings), "{text}");
            }
        }
    }

    #[test]
    fn presets_have_their_plain_names() {
        let guarded = Heuristic(1);
        assert_eq!(Settings::classic(guarded).print(NAMES, guarded), "classic");
        assert_eq!(Settings::modern(guarded).print(NAMES, guarded), "modern");
    }

    #[test]
    fn errors_name_the_word() {
        let error = |text| Settings::parse(text, NAMES, Heuristic(1)).unwrap_err().to_string();
        assert!(error("fast").starts_with("'fast' is not a preset"));
        assert!(error("classic,turbo").starts_with("'turbo' changes nothing"));
        assert!(error("classic,table=x").starts_with("'x' is not a table size"));
        assert!(error("classic,table=99999999").contains("65536"));
        assert!(error("modern,heuristic=foo").contains("expected one of material, guarded"));
    }
}
