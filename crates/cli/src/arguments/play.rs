//! Arguments of commands that play games.

use std::time::Duration;

use clap::{Args, value_parser};
use plysmith_core::games::GameInfo;
use plysmith_engine::arena::openings::OpeningPlan;
use plysmith_engine::arena::time_control::{MoveLimit, TimeControl, TimeLimit, parse_time};
use plysmith_runs::play::{DEFAULT_MAX_FAILURES, DEFAULT_NODES, DEFAULT_OPENING_PLIES, PlayConfig};

use super::book::BookArguments;
use super::start::StartArguments;
use super::{PatienceArgument, RunArguments, SeedArgument};
use crate::failure::Failure;

/// How games are played.
#[derive(Debug, Args)]
pub struct PlayArguments {
    /// Node limit for each move
    #[arg(long, value_name = "N", default_value_t = DEFAULT_NODES, value_parser = value_parser!(u64).range(1..))]
    nodes: u64,

    /// Time control instead of a node limit: SECONDS+INCREMENT, like '1+0.01', or MOVES/SECONDS+INCREMENT, like
    /// '40/60+0.6'
    #[arg(long, value_name = "TIME", conflicts_with_all = ["nodes", "movetime"])]
    tc: Option<String>,

    /// Fixed time for each move instead of a node limit, like '100ms' or '0.5s'
    #[arg(long, value_name = "TIME", conflicts_with = "nodes")]
    movetime: Option<String>,

    /// Time by which a move may exceed its limit before the game is lost [default: 0ms with --tc, 50ms with --movetime]
    #[arg(long, value_name = "TIME")]
    margin: Option<String>,

    /// Stop when an engine has lost this many games by crashes, timeouts or illegal moves
    #[arg(long, value_name = "N", default_value_t = DEFAULT_MAX_FAILURES, value_parser = value_parser!(u64).range(1..))]
    max_failures: u64,

    #[command(flatten)]
    patience: PatienceArgument,

    #[command(flatten)]
    seed: SeedArgument,

    /// Number of random plies of each opening [default: 4]; with --openings, number of plies to use of each game record
    /// [default: all]
    #[arg(long, alias = "plies", value_name = "N", value_parser = value_parser!(u32).range(0..=40))]
    opening_plies: Option<u32>,

    #[command(flatten)]
    book: BookArguments,

    /// End a game as soon as a search has proved its result
    #[arg(long)]
    adjudicate: bool,

    #[command(flatten)]
    start: StartArguments,

    #[command(flatten)]
    pub run: RunArguments,
}

/// Engines on a busy machine answer some milliseconds late. A clock can be budgeted, a fixed time cannot.
const MOVE_TIME_MARGIN: Duration = Duration::from_millis(50);

impl PlayArguments {
    /// How this many games are played. Games come in pairs.
    pub fn resolve(&self, game: &'static GameInfo, games: u64) -> Result<PlayConfig, Failure> {
        let (start, seed) = ((game.start)(&self.start.resolve()?)?, self.seed.seed);
        let openings = OpeningPlan { start, plies: self.opening_plies.unwrap_or(DEFAULT_OPENING_PLIES), seed };
        let by_nodes = PlayConfig::new(game, self.nodes, games, openings)?;
        Ok(PlayConfig {
            adjudicate: self.adjudicate,
            move_limit: self.timing()?.map_or(by_nodes.move_limit, MoveLimit::Time),
            max_failures: self.max_failures,
            patience: self.patience.patience,
            book: self.book.resolve(game, self.opening_plies, games, seed)?,
            ..by_nodes
        })
    }

    fn timing(&self) -> Result<Option<TimeLimit>, Failure> {
        let (control, usual) = match (&self.tc, &self.movetime) {
            (Some(clock), _) => (TimeControl::parse_clock(clock)?, Duration::ZERO),
            (None, Some(time)) => (TimeControl::parse_move_time(time)?, MOVE_TIME_MARGIN),
            (None, None) if self.margin.is_some() => {
                return Err(Failure::input("--margin needs --tc or --movetime"));
            }
            (None, None) => return Ok(None),
        };
        let margin = self.margin.as_deref().map(parse_time).transpose()?.unwrap_or(usual);
        Ok(Some(TimeLimit { control, margin }))
    }
}
