//! Presets, and the text form of settings.
//!
//! `classic` is the papers' program; `modern` switches on what engines have learned since. A preset
//! can be changed: `classic,table=16`, `modern,-history,heuristic=material` or `modern,LmrBase=350`.

use thiserror::Error;

use super::switches::Switches;
use super::tunables::{Tunable, Tunables};
use crate::weights::LoadedWeights;

/// What a game's presets switch on.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct Presets {
    /// The papers' set-up.
    pub classic: Switches,
    /// What engines have learned since.
    pub modern: Switches,
    /// The constants of `modern`.
    pub modern_tunables: Tunables,
    /// The names of the game's evaluation functions.
    pub heuristics: &'static [&'static str],
    /// The one that `classic` has.
    pub classic_heuristic: Heuristic,
    /// The one that `modern` has.
    pub modern_heuristic: Heuristic,
    /// One without learned weights: openings are judged by it, so that they stay the same when weights are learned, and it
    /// evaluates boards that learned weights do not fit.
    pub handcrafted_heuristic: Heuristic,
}

/// An evaluation function.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Hash)]
pub enum Heuristic {
    /// One that the program was built with: an index into [`Presets::heuristics`].
    BuiltIn(u8),
    /// The game's form of evaluation with weights that were loaded at run time.
    Loaded(LoadedWeights),
}

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

/// What the search for weights of some name ends with.
pub type Found = Result<Option<LoadedWeights>, SettingsError>;

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
    #[error(
        "'{name}' is not a heuristic of this game; expected one of {known}, or a weight file of 'plysmith fit', whose \
         name has no ',', '+' or '#'"
    )]
    UnknownHeuristic {
        /// What was read.
        name: String,
        /// The names of the game's heuristics.
        known: String,
    },
    /// A weight file that cannot be used.
    #[error("{0}")]
    Weights(String),
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
    /// The papers' set-up.
    pub const fn classic(&self) -> Settings {
        Settings { switches: self.classic, tunables: Tunables::DEFAULT, heuristic: self.classic_heuristic }
    }

    /// The strong set-up.
    pub const fn modern(&self) -> Settings {
        Settings { switches: self.modern, tunables: self.modern_tunables, heuristic: self.modern_heuristic }
    }

    /// The evaluation functions that the program was built with.
    pub fn built_in(&self) -> impl Iterator<Item = Heuristic> + use<> {
        (0..self.heuristics.len() as u8).map(Heuristic::BuiltIn)
    }

    /// The evaluation functions that play games for suites: those of the papers. Learned ones that only `modern` has do
    /// not take part, so suites do not depend on their weights.
    pub fn suite_players(&self) -> impl Iterator<Item = Heuristic> + use<> {
        let (classic, modern) = (self.classic_heuristic, self.modern_heuristic);
        self.built_in().filter(move |heuristic| *heuristic == classic || *heuristic != modern)
    }

    /// The evaluation function of this name.
    pub fn find_heuristic(&self, name: &str) -> Option<Heuristic> {
        self.built_in().zip(self.heuristics).find(|(_, known)| **known == name).map(|(heuristic, _)| heuristic)
    }

    /// What is said of a name that no evaluation function has.
    pub fn unknown_heuristic(&self, name: &str) -> SettingsError {
        SettingsError::UnknownHeuristic { name: name.to_string(), known: self.heuristics.join(", ") }
    }

    /// The text of an evaluation function.
    pub fn print_heuristic(&self, heuristic: Heuristic) -> String {
        match heuristic {
            Heuristic::BuiltIn(index) => self.heuristics[usize::from(index)].to_string(),
            Heuristic::Loaded(weights) => weights.to_string(),
        }
    }

    /// Reads settings. `find` finds or loads the weights of this name; none if there are none.
    pub fn parse(&self, text: &str, find: impl Fn(&str) -> Found) -> Result<Settings, SettingsError> {
        let mut words = text.split(',');
        let preset = words.next().unwrap_or_default();
        let mut settings = match preset {
            "classic" => self.classic(),
            "modern" => self.modern(),
            _ => return Err(SettingsError::UnknownPreset(preset.to_string())),
        };
        words.try_for_each(|word| self.change(&mut settings, word, &find))?;
        Ok(settings)
    }

    /// The preset that settings are written as changes of.
    pub fn nearest(&self, settings: &Settings) -> (&'static str, Settings) {
        match settings.switches.null_window {
            true => ("modern", self.modern()),
            false => ("classic", self.classic()),
        }
    }

    /// The settings as one canonical text, the same for equal settings.
    pub fn print(&self, settings: &Settings) -> String {
        let (preset, defaults) = self.nearest(settings);
        let base = defaults.switches;
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
        if settings.heuristic != defaults.heuristic {
            text += &format!(",heuristic={}", self.print_heuristic(settings.heuristic));
        }
        for tunable in Tunables::ALL {
            let value = (tunable.get)(&settings.tunables);
            if value != (tunable.get)(&defaults.tunables) {
                text += &format!(",{}={value}", tunable.name);
            }
        }
        text
    }

    fn change(&self, settings: &mut Settings, word: &str, find: &dyn Fn(&str) -> Found) -> Result<(), SettingsError> {
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
                settings.heuristic = match self.find_heuristic(name) {
                    Some(heuristic) => heuristic,
                    None => find(name)?.map(Heuristic::Loaded).ok_or_else(|| self.unknown_heuristic(name))?,
                };
            }
            _ => return Err(SettingsError::UnknownSetting(word.to_string())),
        }
        Ok(())
    }
}

impl Settings {
    /// The same with another evaluation function.
    #[must_use]
    pub const fn with_heuristic(self, heuristic: Heuristic) -> Settings {
        Settings { heuristic, ..self }
    }
}

#[cfg(test)]
mod tests {
    use super::{Heuristic, Presets, Settings, SettingsError, Switches, Tunables};
    use crate::random::Random;

    const CLASSIC: Switches = Switches { killers: true, ..Switches::NONE };
    const MODERN: Switches = Switches { null_window: true, table_mib: 16, null_move: true, ..CLASSIC };
    const PRESETS: Presets = Presets {
        classic: CLASSIC,
        modern: MODERN,
        modern_tunables: Tunables { lmr_factor: 250, ..Tunables::DEFAULT },
        heuristics: &["material", "guarded"],
        classic_heuristic: Heuristic::BuiltIn(1),
        modern_heuristic: Heuristic::BuiltIn(1),
        handcrafted_heuristic: Heuristic::BuiltIn(0),
    };

    fn parse(text: &str) -> Result<Settings, SettingsError> {
        PRESETS.parse(text, |_| Ok(None))
    }

    #[test]
    fn every_choice_of_switches_reads_back() {
        // All choices of few and of most switches, and many others.
        let count = Switches::ALL.len() + 2;
        let pairs = (0..count).flat_map(|one| (0..count).map(move |other| 1 << one | 1 << other));
        let mut random = Random::new(1);
        let others = (0..20_000).map(|_| random.next_seed());
        for bits in pairs.flat_map(|pair: u64| [0, pair, !pair]).chain(others) {
            let on = |bit: usize| bits >> bit & 1 == 1;
            let mut switches = Switches { table_mib: if on(0) { 3 } else { 0 }, ..Switches::NONE };
            for (place, switch) in Switches::ALL.iter().enumerate() {
                (switch.set)(&mut switches, on(place + 2));
                assert_eq!((switch.get)(&switches), on(place + 2));
            }
            let settings =
                Settings { switches, tunables: Tunables::DEFAULT, heuristic: Heuristic::BuiltIn(u8::from(on(1))) };
            let text = PRESETS.print(&settings);
            assert_eq!(parse(&text), Ok(settings), "{text}");
        }
    }

    #[test]
    fn tunables_are_printed_where_they_differ_and_read_back() {
        let mut settings = PRESETS.modern().with_heuristic(Heuristic::BuiltIn(0));
        settings.tunables.lmr_base = 350;
        settings.tunables.delta_margin = 9;
        let text = PRESETS.print(&settings);
        assert_eq!(text, "modern,heuristic=material,LmrBase=350,DeltaMargin=9");
        assert_eq!(parse(&text), Ok(settings));
        assert_eq!(PRESETS.print(&parse("modern,LmrBase=350,LmrBase=300").unwrap()), "modern");
        assert_eq!(PRESETS.modern().tunables.lmr_factor, 250, "a preset has constants of its own");
        assert_eq!(PRESETS.print(&parse("modern,LmrFactor=225").unwrap()), "modern,LmrFactor=225");
        for tunable in Tunables::ALL {
            for value in [tunable.min, tunable.max] {
                let text = format!("classic,{}={value}", tunable.name);
                let printed = if value == tunable.default { "classic" } else { &text };
                assert_eq!(PRESETS.print(&parse(&text).unwrap()), printed);
            }
        }
    }

    #[test]
    fn presets_have_their_plain_names() {
        assert_eq!(PRESETS.print(&PRESETS.classic()), "classic");
        assert_eq!(PRESETS.print(&PRESETS.modern()), "modern");
        assert_eq!(PRESETS.print(&PRESETS.modern().with_heuristic(Heuristic::BuiltIn(0))), "modern,heuristic=material");
    }

    #[test]
    fn errors_name_the_word() {
        let error = |text| parse(text).unwrap_err().to_string();
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
