//! Presets, and the text form of settings.
//!
//! `classic` is the papers' program; `modern` switches on what engines have learned since. A preset
//! can be changed: `classic,table=16`, `modern,-history,heuristic=material` or `modern,LmrBase=350`.

use std::fmt;

use thiserror::Error;

use super::switches::Switches;
use super::tunables::{Tunable, Tunables};

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
    /// The techniques that are on, and the size of the table.
    pub switches: Switches,
    /// The constants of the search.
    pub tunables: Tunables,
    /// The evaluation function.
    pub heuristic: Heuristic,
}

/// A settings text that cannot be read.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum SettingsError {
    /// Neither `classic` nor `modern`.
    #[error("'{0}' is not a preset; expected 'classic' or 'modern', then changes like ',table=16' or ',-killers'")]
    UnknownPreset(String),
    /// A word that is no setting.
    #[error(
        "'{0}' is not a search setting; expected one of {switches} (with '-' in front to switch off), 'table=MIB', \
         'heuristic=NAME', or a search constant like 'LmrBase=300' (one of {tunables})",
        switches = names(Switches::ALL.iter().map(|switch| switch.name)),
        tunables = names(Tunables::ALL.iter().map(|tunable| tunable.name))
    )]
    UnknownSetting(String),
    /// A table size out of range.
    #[error("'{0}' is not a table size; expected 0 to {most} MiB", most = Switches::MOST_TABLE_MIB)]
    TableSize(String),
    /// A value that a search constant cannot have.
    #[error("'{text}' is not a value of {name}; expected a whole number from {min} to {max}")]
    TunableRange {
        /// The search constant.
        name: &'static str,
        /// What was read.
        text: String,
        /// The smallest value.
        min: i32,
        /// The largest value.
        max: i32,
    },
    /// An evaluation function that the game does not have.
    #[error("'{name}' is not a heuristic of this game; expected one of {known}")]
    UnknownHeuristic {
        /// What was read.
        name: String,
        /// The names of the game's heuristics.
        known: String,
    },
}

fn names<'a>(names: impl Iterator<Item = &'a str>) -> String {
    names.collect::<Vec<_>>().join(", ")
}

impl Tunable {
    /// Reads a value for it.
    pub fn parse(&self, text: &str) -> Result<i32, SettingsError> {
        let &Tunable { name, min, max, .. } = self;
        let value = text.parse().ok().filter(|&value| self.allows(value));
        value.ok_or_else(|| SettingsError::TunableRange { name, text: text.to_string(), min, max })
    }
}

impl Presets {
    /// The papers' set-up with this evaluation function.
    pub const fn classic(&self, heuristic: Heuristic) -> Settings {
        Settings { switches: self.classic, tunables: Tunables::DEFAULT, heuristic }
    }

    /// The strong set-up with this evaluation function.
    pub const fn modern(&self, heuristic: Heuristic) -> Settings {
        Settings { switches: self.modern, tunables: Tunables::DEFAULT, heuristic }
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
        for switch in Switches::ALL {
            let is_on = (switch.get)(&settings.switches);
            if is_on != (switch.get)(&base) {
                text += &format!(",{}{}", if is_on { "" } else { "-" }, switch.name);
            }
        }
        if settings.switches.table_mib != base.table_mib {
            text += &format!(",table={}", settings.switches.table_mib);
        }
        if settings.heuristic != self.heuristic {
            text += &format!(",heuristic={}", self.heuristics[usize::from(settings.heuristic.0)]);
        }
        for tunable in Tunables::ALL {
            let value = (tunable.get)(&settings.tunables);
            if value != tunable.default {
                text += &format!(",{}={value}", tunable.name);
            }
        }
        text
    }

    fn change(&self, settings: &mut Settings, word: &str) -> Result<(), SettingsError> {
        let (name, on) = word.strip_prefix('-').map_or((word, true), |name| (name, false));
        if let Some(switch) = Switches::ALL.iter().find(|switch| switch.name == name) {
            (switch.set)(&mut settings.switches, on);
            return Ok(());
        }
        if let Some((name, value)) = word.split_once('=')
            && let Some(tunable) = Tunable::find(name)
        {
            (tunable.set)(&mut settings.tunables, tunable.parse(value)?);
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
            _ => return Err(SettingsError::UnknownSetting(word.to_string())),
        }
        Ok(())
    }
}

impl fmt::Display for Heuristic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "#{}", self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::{Heuristic, Presets, Settings, Switches, Tunables};

    const CLASSIC: Switches = Switches { killers: true, ..Switches::NONE };
    const MODERN: Switches = Switches { null_window: true, table_mib: 16, null_move: true, ..CLASSIC };
    const PRESETS: Presets =
        Presets { classic: CLASSIC, modern: MODERN, heuristics: &["material", "guarded"], heuristic: Heuristic(1) };

    #[test]
    fn every_choice_of_switches_reads_back() {
        for bits in 0..1 << (Switches::ALL.len() + 2) {
            let on = |bit: usize| bits >> bit & 1 == 1;
            let mut switches = Switches { table_mib: if on(0) { 3 } else { 0 }, ..Switches::NONE };
            for (place, switch) in Switches::ALL.iter().enumerate() {
                (switch.set)(&mut switches, on(place + 2));
                assert_eq!((switch.get)(&switches), on(place + 2));
            }
            let settings = Settings { switches, tunables: Tunables::DEFAULT, heuristic: Heuristic(u8::from(on(1))) };
            let text = PRESETS.print(&settings);
            assert_eq!(PRESETS.parse(&text), Ok(settings), "{text}");
        }
    }

    #[test]
    fn tunables_are_printed_where_they_differ_and_read_back() {
        let mut settings = PRESETS.modern(Heuristic(0));
        settings.tunables.lmr_base = 350;
        settings.tunables.delta_margin = 9;
        let text = PRESETS.print(&settings);
        assert_eq!(text, "modern,heuristic=material,LmrBase=350,DeltaMargin=9");
        assert_eq!(PRESETS.parse(&text), Ok(settings));
        assert_eq!(PRESETS.print(&PRESETS.parse("modern,LmrBase=350,LmrBase=300").unwrap()), "modern");
        for tunable in Tunables::ALL {
            for value in [tunable.min, tunable.max] {
                let text = format!("classic,{}={value}", tunable.name);
                let printed = if value == tunable.default { "classic" } else { &text };
                assert_eq!(PRESETS.print(&PRESETS.parse(&text).unwrap()), printed);
            }
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
        assert!(error("classic,turbo").starts_with("'turbo' is not a search setting"));
        assert!(error("classic,turbo").contains("null-move, reductions"));
        assert!(error("classic,-LmrBase=3").starts_with("'-LmrBase=3' is not a search setting"));
        assert_eq!(
            error("modern,LmrBase=2001"),
            "'2001' is not a value of LmrBase; expected a whole number from 0 to 2000"
        );
        assert!(error("modern,LmrBase=x").starts_with("'x' is not a value of LmrBase"));
        assert!(error("classic,table=x").starts_with("'x' is not a table size"));
        assert!(error("classic,table=99999999").contains("65536"));
        assert!(error("modern,heuristic=foo").contains("expected one of material, guarded"));
    }
}
