//! What is counted, and in which games.

use std::fmt;
use std::path::{Path, PathBuf, absolute};

use plysmith_core::games::{self, GameInfo, Start};
use plysmith_core::transitions::Categories;
use plysmith_store::Run;
use serde::{Deserialize, Serialize};
use xxhash_rust::xxh3::xxh3_64;

use crate::error::RunError;
use crate::files::read_text;
use crate::kind::{RunKind, check_range};
use crate::kinds::discover::{Discover, Discovery};

/// What to count, and in which games.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Config {
    /// The game's name.
    pub game: String,
    /// Where the games come from.
    pub source: Source,
    /// What moves are sorted into.
    pub categories: CategoryChoice,
    /// Which rate becomes the probability.
    pub count: CountBy,
    /// How strongly rates are drawn to the overall one: the number of moves, or positions, that are added at that rate.
    pub smoothing: f64,
    /// The file that the counts are written to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub output: Option<PathBuf>,
    /// Whether the file may be replaced.
    #[serde(default)]
    pub force: bool,
}

/// Where games come from.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(tag = "from", rename_all = "kebab-case")]
pub enum Source {
    /// The built-in search plays against itself, after random openings.
    SelfPlay {
        /// The position that all games begin with.
        start: String,
        /// The search settings of both sides.
        player: String,
        /// Nodes per move.
        nodes: u64,
        /// Number of games.
        games: u64,
        /// Random seed.
        seed: u64,
    },
    /// Game records.
    Records {
        /// PGN files.
        files: Vec<RecordFile>,
        /// Whether records that cannot be read are skipped.
        skip_bad: bool,
    },
}

/// A file of game records, and what was in it when the run was begun.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct RecordFile {
    /// Where it is.
    pub path: PathBuf,
    /// The hash of its text.
    pub key: String,
}

/// What moves are sorted into, as text.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum CategoryChoice {
    /// Features, separated by commas. They may overlap.
    Features(String),
    /// Atoms, separated by commas. Each move is in the cell of exactly those that it has.
    Partition(String),
}

/// Which rate becomes the probability of a category.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum CountBy {
    /// Moves played of those that could be.
    PerMove,
    /// Moves played of the positions in which one could be.
    PerPosition,
}

/// More games than anybody can wait for.
const MOST_GAMES: u64 = 10_000_000;
/// No smoothing is stronger.
const MOST_SMOOTHING: f64 = 1e9;
/// What a file of records should be.
const EXPECTED: &str = "games as PGN";

impl Config {
    /// The game.
    pub(super) fn game(&self) -> Result<&'static GameInfo, RunError> {
        Ok(games::find(&self.game)?)
    }

    pub(super) fn validate(&self) -> Result<(), RunError> {
        self.categories.parse(self.game()?)?;
        if let Source::SelfPlay { nodes, games, .. } = &self.source {
            check_range("node limit", *nodes, 1..=u64::MAX)?;
            check_range("number of games", *games, 1..=MOST_GAMES)?;
        }
        if !(0.0..=MOST_SMOOTHING).contains(&self.smoothing) {
            let smoothing = self.smoothing;
            return Err(RunError::input(format!(
                "{smoothing} is not a possible strength of smoothing; expected a number of at least 0, like 10"
            )));
        }
        Ok(())
    }

    /// The command that counts the same.
    pub(super) fn command(&self) -> String {
        let Config { game, source, categories, count, smoothing, .. } = self;
        let (what, names) = match categories {
            CategoryChoice::Features(names) => ("features", names),
            CategoryChoice::Partition(names) => ("partition", names),
        };
        let source = match source {
            Source::SelfPlay { player, nodes, games, seed, start } => {
                let player = if player == "modern" { String::new() } else { format!(" --player {player}") };
                format!("{}{player} --games {games} --nodes {nodes} --seed {seed}", self.start_options(start))
            }
            Source::Records { files, .. } => files.iter().map(|file| format!(" {}", file.path.display())).collect(),
        };
        format!("plysmith transitions {game}{source} --{what} '{names}' --count {count} --smoothing {smoothing}")
    }

    /// The options of another start position than the usual one.
    fn start_options(&self, start: &str) -> String {
        let Ok(game) = self.game() else { return String::new() };
        let is_usual = (game.start)(&Start::default()).is_ok_and(|usual| usual == start);
        let position = (game.open)(start).ok().filter(|_| !is_usual);
        let size = position.as_ref().and_then(|position| position.grid());
        let size = size.map_or(String::new(), |grid| format!(" --size {}x{}", grid.columns, grid.rows));
        let is_black = position.is_some_and(|position| !position.white_to_move());
        size + if is_black { " --first black" } else { "" }
    }
}

impl CategoryChoice {
    /// The categories in their canonical text.
    pub fn canonical(self, game: &GameInfo) -> Result<CategoryChoice, RunError> {
        let text = self.parse(game)?.print(game.vocabulary);
        Ok(match self {
            CategoryChoice::Features(_) => CategoryChoice::Features(text),
            CategoryChoice::Partition(_) => CategoryChoice::Partition(text),
        })
    }

    /// The features that a stored discovery found, best first, at most this many.
    pub fn of_discovery(game: &GameInfo, run: &Run, most: usize) -> Result<CategoryChoice, RunError> {
        let id = run.id;
        if run.kind != Discover::NAME {
            return Err(RunError::input(format!("run {id} is not a discovery but a run of '{}'", run.kind)));
        }
        if run.game != game.name {
            return Err(RunError::input(format!("run {id} is of {}, not of {}", run.game, game.name)));
        }
        let result =
            run.result.clone().ok_or_else(|| RunError::input(format!("run {id} is not finished; resume it first")))?;
        let discovery: Discovery = serde_json::from_value(result)
            .map_err(|error| RunError::failed(format!("run {id}: its result cannot be read: {error}")))?;
        let found: Vec<_> = discovery.features().take(most).collect();
        if found.is_empty() {
            return Err(RunError::input(format!("run {id} found no features; name some with --features")));
        }
        CategoryChoice::Features(found.join(",")).canonical(game).map_err(|error| {
            RunError::input(format!(
                "run {id} found features that make no scheme together: {error}; try a smaller --top"
            ))
        })
    }

    pub(super) fn parse(&self, game: &GameInfo) -> Result<Categories, RunError> {
        let vocabulary = game.vocabulary;
        let categories = match self {
            CategoryChoice::Features(text) => Categories::parse_features(vocabulary, text),
            CategoryChoice::Partition(text) => Categories::parse_partition(vocabulary, text),
        };
        categories.map_err(RunError::input)
    }
}

impl RecordFile {
    /// A file as it is now.
    pub fn read(path: &Path, skip_bad: bool) -> Result<RecordFile, RunError> {
        let text = read_text(path, EXPECTED, skip_bad)?;
        let path = absolute(path).map_err(|error| RunError::input(format!("{}: {error}", path.display())))?;
        Ok(RecordFile { path, key: key_of(&text) })
    }

    /// Its text, which must not have changed.
    pub(super) fn text(&self, skip_bad: bool) -> Result<String, RunError> {
        let text = read_text(&self.path, EXPECTED, skip_bad)?;
        if key_of(&text) != self.key {
            return Err(RunError::input(format!(
                "{} has changed since the run was begun; put the former file back, or begin anew",
                self.path.display()
            )));
        }
        Ok(text)
    }
}

fn key_of(text: &str) -> String {
    format!("{:016x}", xxh3_64(text.as_bytes()))
}

impl fmt::Display for CountBy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            CountBy::PerMove => "per-move",
            CountBy::PerPosition => "per-position",
        })
    }
}
