//! What a game declares about itself, once, to be in the table of games.

use thiserror::Error;

use super::any::AnyPosition;
use crate::feature::{Guidance, Vocabulary};
use crate::game::{Game, PositionError};
use crate::generate::Goal;
use crate::settings::{Presets, Settings, SettingsError};

/// A game that can be in the table: its rules are [`Game`], this is everything else.
pub trait Registered: Game {
    /// The name on the command line and in the store.
    const NAME: &'static str;
    /// Words in the text of a position.
    const POSITION_WORDS: usize;
    /// The kind of problem that its suites are generated for.
    const GOAL: Goal;
    /// Positions for `plysmith bench`: the start and some from the middle of games.
    const BENCH: &'static [&'static str];
    /// The suites that come with the game. The first is the one that experiments measure on by default.
    const SUITES: &'static [BundledSuite];

    /// The text of a start position.
    fn start(start: &Start) -> Result<String, StartError>;

    /// Reads a position. Games with several board types choose the type here.
    fn open(text: &str) -> Result<Box<dyn AnyPosition>, PositionError> {
        Ok(Box::new(Self::parse(text)?))
    }
}

/// A game, as a line of the table.
#[derive(Debug)]
pub struct GameInfo {
    /// The name on the command line and in the store.
    pub name: &'static str,
    /// Its move features.
    pub vocabulary: Vocabulary,
    /// What learners should know of them.
    pub guidance: Guidance,
    /// What its presets switch on, and its evaluation functions.
    pub presets: Presets,
    /// Words in the text of a position.
    pub position_words: usize,
    /// The kind of problem that its suites are generated for.
    pub goal: Goal,
    /// Positions for `plysmith bench`: the start and some from the middle of games.
    pub bench: &'static [&'static str],
    /// The suites that come with the game, the default first.
    pub suites: &'static [BundledSuite],
    /// Reads a position.
    pub open: fn(&str) -> Result<Box<dyn AnyPosition>, PositionError>,
    /// The text of a start position.
    pub start: fn(&Start) -> Result<String, StartError>,
}

/// A suite that comes with a game, as text, and how long to search its problems.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct BundledSuite {
    /// Its name.
    pub name: &'static str,
    /// The problems, in the form that [`crate::suite::text`] reads.
    pub text: &'static str,
    /// Nodes per problem: as the papers did where they could, else where features differ most from the bare search.
    pub nodes: u64,
    /// Nodes per problem in a small, fast run.
    pub quick_nodes: u64,
}

/// Where a game begins.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Start {
    /// Columns and rows, where the game leaves a choice.
    pub size: Option<(usize, usize)>,
    /// Whether Black moves first.
    pub black_first: bool,
}

/// A start position that the game does not have.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("{0}")]
pub struct StartError(pub String);

impl GameInfo {
    /// The line of a game in the table.
    pub const fn of<G: Registered>() -> GameInfo {
        GameInfo {
            name: G::NAME,
            vocabulary: G::VOCABULARY,
            guidance: G::GUIDANCE,
            presets: G::PRESETS,
            position_words: G::POSITION_WORDS,
            goal: G::GOAL,
            bench: G::BENCH,
            suites: G::SUITES,
            open: G::open,
            start: G::start,
        }
    }

    /// The bundled suite of this name.
    pub fn bundled_suite(&self, name: &str) -> Option<&'static BundledSuite> {
        self.suites.iter().find(|suite| suite.name == name)
    }

    /// Reads search settings.
    pub fn parse_settings(&self, text: &str) -> Result<Settings, SettingsError> {
        self.presets.parse(text)
    }

    /// Prints search settings.
    pub fn print_settings(&self, settings: &Settings) -> String {
        self.presets.print(settings)
    }
}
