//! How the games of a run are played, as it is stored. [`crate::pairing_runner`] plays them.

use std::num::NonZeroU64;

use plysmith_core::games::chess::chess960::is_chess960;
use plysmith_core::games::{self, GameInfo};
use plysmith_core::search::Workspace;
use plysmith_engine::arena::adjudication::Adjudication;
use plysmith_engine::arena::openings::OpeningPlan;
use plysmith_engine::arena::time_control::{MoveLimit, TimeLimit};
use plysmith_engine::player::Participant;
use plysmith_engine::player::PlayerError;
use plysmith_engine::uci::client::UciTimeouts;
use serde::{Deserialize, Serialize};

use crate::basis::Part;
use crate::error::RunError;
use crate::evaluation_notes::note_fallbacks;
use crate::external_engine::patience_of;
use crate::game_file::GameFileConfig;
use crate::kind::{Identity, check_range};
use crate::memory::ThreadNeed;
use crate::opening_book::OpeningBook;
use crate::services::Services;
use crate::text_form;
use crate::view::thousands;

/// How games are played. Stored with the run.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(try_from = "StoredPlay", into = "StoredPlay")]
pub struct PlayConfig {
    /// The game.
    pub game: &'static GameInfo,
    /// The limit of a move, for players without one of their own.
    pub move_limit: MoveLimit,
    /// Number of games of each pairing; even.
    pub games: u64,
    /// Random seed.
    pub seed: u64,
    /// Whether a game ends as soon as a search has proved who wins it.
    pub adjudicate: bool,
    /// When a game is adjudicated by scores or by length.
    pub rules: Adjudication,
    /// How openings are made.
    pub openings: OpeningPlan,
    /// Openings from a file, used instead.
    pub book: Option<OpeningBook>,
    /// A pairing fails when a player has lost this many games by crashes, timeouts or illegal moves.
    pub max_failures: u64,
    /// The seconds in which a search of an external engine that is not timed has to make progress, if they were asked for.
    pub patience: Option<NonZeroU64>,
    /// Whether the lines and the selective depths of all searches are recorded.
    pub details: bool,
    /// The file that games are written to as they end.
    pub game_file: Option<GameFileConfig>,
}

/// How games are played, as it is stored.
#[derive(Serialize, Deserialize)]
struct StoredPlay {
    game: String,
    nodes: u64,
    games: u64,
    seed: u64,
    adjudicate: bool,
    #[serde(default, skip_serializing_if = "Adjudication::is_none")]
    rules: Adjudication,
    openings: OpeningPlan,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    book: Option<OpeningBook>,
    #[serde(default, skip_serializing_if = "Option::is_none", with = "text_form::option")]
    time: Option<TimeLimit>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    depth: Option<u32>,
    #[serde(default = "default_max_failures")]
    max_failures: u64,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    patience: Option<NonZeroU64>,
    #[serde(default, skip_serializing_if = "is_false")]
    details: bool,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    game_file: Option<GameFileConfig>,
}

fn is_false(value: &bool) -> bool {
    !value
}

/// More failures than this are not an accident.
pub const DEFAULT_MAX_FAILURES: u64 = 10;

/// Node limit of a move by default. Timed games do not use it, but it is stored with them.
pub const DEFAULT_NODES: u64 = 50_000;

/// Random plies of an opening by default.
pub const DEFAULT_OPENING_PLIES: u32 = 4;

/// More games than anybody can wait for. Their sums fit.
const MOST_GAMES: u64 = 1_000_000_000;

/// No search is deeper.
const MOST_DEPTH: u64 = 1000;

/// Nobody waits for longer games.
const MOST_MOVES: u64 = 10_000;

/// Has no draws.
const BREAKTHROUGH: &str = "breakthrough";

/// Random plies of an opening at most.
const MOST_OPENING_PLIES: u64 = 40;

/// Fails if this is not a number of games to play: they come in pairs.
pub fn check_games(games: u64) -> Result<(), RunError> {
    if games == 0 {
        return Err(RunError::input("0 games are no match; expected an even number of games, at least 2"));
    }
    if games <= MOST_GAMES && !games.is_multiple_of(2) {
        return Err(RunError::input(format!("{games} games are not a whole number of pairs; try {}", games + 1)));
    }
    check_range("number of games", games, 0..=MOST_GAMES)
}

fn default_max_failures() -> u64 {
    DEFAULT_MAX_FAILURES
}

impl PlayConfig {
    /// Games with a node limit, from these openings and with their seed. Games come in pairs.
    pub fn new(game: &'static GameInfo, nodes: u64, games: u64, openings: OpeningPlan) -> Result<PlayConfig, RunError> {
        check_games(games)?;
        Ok(PlayConfig {
            game,
            move_limit: MoveLimit::Nodes(nodes),
            games,
            seed: openings.seed,
            adjudicate: false,
            rules: Adjudication::default(),
            openings,
            book: None,
            max_failures: DEFAULT_MAX_FAILURES,
            patience: None,
            details: false,
            game_file: None,
        })
    }

    /// The game and the seed.
    pub fn identity(&self) -> Identity {
        Identity { game: self.game.name.to_string(), seed: self.seed }
    }

    /// Checks the numbers.
    pub fn validate(&self) -> Result<(), RunError> {
        check_games(self.games)?;
        match self.move_limit {
            MoveLimit::Nodes(nodes) => check_range("node limit", nodes, 1..=u64::MAX)?,
            MoveLimit::Depth(depth) => check_range("depth", depth.into(), 1..=MOST_DEPTH)?,
            MoveLimit::Time(_) => {}
        }
        if let Some(moves) = self.rules.max_moves {
            check_range("number of moves", moves.into(), 1..=MOST_MOVES)?;
        }
        if self.rules.draw.is_some() && self.game.name == BREAKTHROUGH {
            return Err(RunError::input("--draw is for games that can be drawn; in breakthrough somebody always wins"));
        }
        check_range("number of random plies", self.openings.plies.into(), 0..=MOST_OPENING_PLIES)?;
        check_range("number of failures", self.max_failures, 1..=u64::MAX)
    }

    /// The parts of the program that games of these players depend on. Openings that are made are balanced by the search.
    pub fn basis<'a>(&self, players: impl IntoIterator<Item = &'a Participant>) -> Vec<Part> {
        let mut parts = if self.book.is_none() { vec![Part::Search] } else { Vec::new() };
        for player in players {
            parts.push(if player.built_in().is_some() { Part::Search } else { Part::External });
            if player.keeps_table() {
                parts.push(Part::Games);
            }
        }
        parts
    }

    /// Reads a player of this game.
    pub fn player(&self, text: &str) -> Result<Participant, PlayerError> {
        Participant::parse(self.game, text)
    }

    /// Reads a player of a stored run, without the weight file that it names.
    pub fn stored_player(&self, text: &str) -> Result<Participant, PlayerError> {
        Participant::parse_stored(self.game, text)
    }

    /// Loads the weight files of players, and notes where they are not for the board.
    pub fn load_weights(&self, players: &[Participant], services: &Services) -> Result<(), RunError> {
        let built_in: Vec<_> = players.iter().filter_map(Participant::built_in).collect();
        built_in.iter().try_for_each(|player| player.load(self.game)).map_err(RunError::input)?;
        let settings: Vec<_> = built_in.iter().map(|player| player.settings).collect();
        let openings = self.book.iter().flat_map(|book| &book.openings).map(|opening| opening.position.as_str());
        let start = self.book.is_none().then_some(self.openings.start.as_str());
        note_fallbacks(self.game, &settings, openings.chain(start), services);
        Ok(())
    }

    /// Whether an opening is one of Chess960.
    pub fn is_chess960(&self) -> bool {
        self.book.iter().flat_map(|book| &book.openings).any(|opening| is_chess960(&opening.position))
    }

    /// A player's text.
    pub fn print(&self, player: &Participant) -> String {
        player.print(self.game)
    }

    /// What a player is called.
    pub fn name(&self, player: &Participant) -> String {
        player.display_name(self.game)
    }

    /// What moves of these players may take.
    pub fn limits(&self, players: [&Participant; 2]) -> [MoveLimit; 2] {
        players.map(|player| player.limit_in(self.move_limit))
    }

    /// Fails if two of these players have one name: nobody could tell them apart in a table.
    pub fn check_names(&self, players: &[Participant]) -> Result<(), RunError> {
        for (index, player) in players.iter().enumerate() {
            let name = self.name(player);
            let is_same = |other: &&Participant| *other != player && self.name(other) == name;
            if players[..index].iter().find(is_same).is_some() {
                return Err(RunError::input(format!(
                    "two different players are called '{name}'; give each its own name="
                )));
            }
        }
        Ok(())
    }

    /// How the games are played, in a few words.
    pub fn conditions(&self) -> String {
        let move_limit = match &self.move_limit {
            MoveLimit::Time(time) => time.to_string(),
            MoveLimit::Depth(depth) => format!("depth {depth}"),
            MoveLimit::Nodes(nodes) => format!("{} nodes per move", thousands(*nodes)),
        };
        let openings = self.book.as_ref().map_or(String::new(), |book| format!(", openings from {}", book.name));
        let rules = if self.rules.is_none() { String::new() } else { format!(", {}", self.rules) };
        format!("{move_limit}, seed {}{openings}{rules}", self.seed)
    }

    /// How games of these players are played, and what stands behind their names: for the head of a result.
    pub fn conditions_of(&self, players: &[Participant]) -> String {
        let all_own = !players.is_empty() && players.iter().all(|player| player.limit.is_some());
        let conditions = self.conditions();
        let rest = conditions.split_once(", ").map_or("", |(_, rest)| rest);
        if all_own { rest.to_string() } else { conditions }
    }

    /// What stands behind the names of players, a line each; empty if no player has a name.
    pub fn legend(&self, players: &[Participant]) -> String {
        let named = players.iter().filter(|player| player.name.is_some());
        let lines: String = named.map(|player| format!("{}: {}\n", self.name(player), self.print(player))).collect();
        if lines.is_empty() { lines } else { lines + "\n" }
    }

    /// The timeouts of external engines.
    pub fn timeouts(&self) -> UciTimeouts {
        UciTimeouts::with_patience(patience_of(self.patience))
    }
}

impl From<PlayConfig> for StoredPlay {
    fn from(config: PlayConfig) -> StoredPlay {
        let PlayConfig {
            game, move_limit, games, seed, adjudicate, rules, openings, book, max_failures, patience, ..
        } = config;
        let PlayConfig { details, game_file, .. } = config;
        let (nodes, depth, time) = match move_limit {
            MoveLimit::Nodes(nodes) => (nodes, None, None),
            MoveLimit::Depth(depth) => (DEFAULT_NODES, Some(depth), None),
            MoveLimit::Time(timing) => (DEFAULT_NODES, None, Some(timing)),
        };
        let game = game.name.to_string();
        StoredPlay {
            game,
            nodes,
            games,
            seed,
            adjudicate,
            rules,
            openings,
            book,
            time,
            depth,
            max_failures,
            patience,
            details,
            game_file,
        }
    }
}

impl TryFrom<StoredPlay> for PlayConfig {
    type Error = RunError;

    fn try_from(stored: StoredPlay) -> Result<PlayConfig, RunError> {
        let StoredPlay { game, nodes, games, seed, adjudicate, rules, openings, .. } = stored;
        let StoredPlay { book, time, depth, max_failures, patience, details, game_file, .. } = stored;
        let untimed = depth.map_or(MoveLimit::Nodes(nodes), MoveLimit::Depth);
        let move_limit = time.map_or(untimed, MoveLimit::Time);
        let game = games::find(&game)?;
        Ok(PlayConfig {
            game,
            move_limit,
            games,
            seed,
            adjudicate,
            rules,
            openings,
            book,
            max_failures,
            patience,
            details,
            game_file,
        })
    }
}

impl PlayConfig {
    /// What each thread needs for games of these two: both players, and the search that finds openings.
    pub fn need(&self, players: [&Participant; 2]) -> ThreadNeed {
        let presets = &self.game.presets;
        let openings = if self.book.is_some() { 0 } else { Workspace::bytes(&presets.modern()) };
        players
            .into_iter()
            .fold(ThreadNeed::default(), |need, player| need.and(format!("'{}'", self.print(player)), player.memory()))
            .and("openings", openings)
    }
}
