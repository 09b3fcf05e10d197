//! Arguments of commands that play games.

use std::num::NonZeroU64;
use std::path::PathBuf;
use std::str::FromStr;

use clap::Args;
use plysmith_core::games::GameInfo;
use plysmith_engine::arena::adjudication::{Adjudication, DrawRule, ResignRule, RuleError};
use plysmith_engine::arena::openings::OpeningPlan;
use plysmith_engine::arena::time_control::{MoveLimit, TimeControl, TimeLimit, parse_time};
use plysmith_runs::files::{check_target, write_file};
use plysmith_runs::game_file::GameFileConfig;
use plysmith_runs::play::{DEFAULT_MAX_FAILURES, DEFAULT_NODES, DEFAULT_OPENING_PLIES, PlayConfig};
use plysmith_runs::progress::ReportInterval;

use super::book::BookArguments;
use super::count::count;
use super::pgn::PgnArguments;
use super::start::StartArguments;
use super::traffic::TrafficArgument;
use super::{ForceArgument, PatienceArgument, RunArguments, SeedArgument};
use crate::failure::Failure;

/// How games are played.
#[derive(Debug, Args)]
pub struct PlayArguments {
    /// Node limit for each move
    #[arg(long, value_name = "N", default_value_t = DEFAULT_NODES, value_parser = count::<u64>(1..))]
    nodes: u64,

    /// Depth for each move instead of a node limit
    #[arg(long, value_name = "PLIES", conflicts_with_all = ["nodes", "tc", "movetime"], value_parser = count::<u32>(1..=1000))]
    depth: Option<u32>,

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
    #[arg(long, value_name = "N", default_value_t = DEFAULT_MAX_FAILURES, value_parser = count::<u64>(1..))]
    max_failures: u64,

    #[command(flatten)]
    patience: PatienceArgument,

    #[command(flatten)]
    seed: SeedArgument,

    /// Number of random plies of each opening [default: 4]; with --openings, number of plies to use of each game record
    /// [default: all]
    #[arg(long, alias = "plies", value_name = "N", value_parser = count::<u32>(0..=40))]
    opening_plies: Option<u32>,

    #[command(flatten)]
    book: BookArguments,

    /// Write the games to this file as they end, in PGN. A resumed run goes on with it
    #[arg(long, alias = "pgnout", value_name = "FILE")]
    pgn: Option<PathBuf>,

    #[command(flatten)]
    force: ForceArgument,

    #[command(flatten)]
    pgn_style: PgnArguments,

    /// End a game as soon as a search has proved its result
    #[arg(long)]
    adjudicate: bool,

    /// A player loses when its score is at most -SCORE for MOVES consecutive moves of its own, like 'score=600,moves=3'; with
    /// ',twosided=true' only if its opponent's score is at least SCORE, too
    #[arg(long, value_name = "RULE", value_parser = parse_rule::<ResignRule>)]
    resign: Option<ResignRule>,

    /// A game is drawn when the scores of MOVES consecutive moves of both players are within SCORE of zero, from move FROM on,
    /// like 'score=10,moves=8,from=40'; captures and pawn moves start the count again
    #[arg(long, value_name = "RULE", value_parser = parse_rule::<DrawRule>)]
    draw: Option<DrawRule>,

    /// A game is drawn after this number of moves of both players, without the opening
    #[arg(long, alias = "maxmoves", value_name = "N", value_parser = count::<u32>(1..=10_000))]
    max_moves: Option<u32>,

    /// Report the state of the match on standard error every N games; 0 for never [default: after 10, 20, …,
    /// 100, 200, … games, and every ten minutes]
    #[arg(long, alias = "ratinginterval", value_name = "N", value_parser = count::<u64>(..))]
    report_every: Option<u64>,

    #[command(flatten)]
    start: StartArguments,

    #[command(flatten)]
    pub traffic: TrafficArgument,

    #[command(flatten)]
    pub run: RunArguments,
}

/// Reads a rule of adjudication.
fn parse_rule<T: FromStr<Err = RuleError>>(text: &str) -> Result<T, String> {
    text.parse().map_err(|error: RuleError| error.to_string())
}

/// How often the state of a match is reported.
pub fn report_interval(report_every: Option<u64>) -> ReportInterval {
    match report_every {
        None => ReportInterval::Adaptive,
        Some(games) => NonZeroU64::new(games).map_or(ReportInterval::Never, ReportInterval::Every),
    }
}

impl PlayArguments {
    /// How this many games are played. Games come in pairs.
    pub fn resolve(&self, game: &'static GameInfo, games: u64) -> Result<PlayConfig, Failure> {
        let (start, seed) = ((game.start)(&self.start.resolve()?)?, self.seed.seed);
        let openings = OpeningPlan { start, plies: self.opening_plies.unwrap_or(DEFAULT_OPENING_PLIES), seed };
        let by_nodes = PlayConfig::new(game, self.nodes, games, openings)?;
        Ok(PlayConfig {
            adjudicate: self.adjudicate,
            rules: Adjudication { resign: self.resign, draw: self.draw, max_moves: self.max_moves },
            move_limit: match (self.timing()?, self.depth) {
                (Some(time), _) => MoveLimit::Time(time),
                (None, Some(depth)) => MoveLimit::Depth(depth),
                (None, None) => by_nodes.move_limit,
            },
            max_failures: self.max_failures,
            patience: self.patience.patience,
            book: self.book.resolve(game, self.opening_plies, games, seed)?,
            details: self.pgn_style.style().needs_details(),
            game_file: self.game_file()?,
            ..by_nodes
        })
    }

    /// The file for games, by its whole path: the run may be resumed elsewhere. One that is to be overwritten is emptied.
    fn game_file(&self) -> Result<Option<GameFileConfig>, Failure> {
        let Some(path) = &self.pgn else { return Ok(None) };
        check_target(path, self.force.force)?;
        if path.is_file() {
            write_file(path, "", true)?;
        }
        let whole =
            std::path::absolute(path).map_err(|error| Failure::input(format!("{}: {error}", path.display())))?;
        Ok(Some(GameFileConfig { path: whole, style: self.pgn_style.style() }))
    }

    /// Checks what only a match knows: whether one of its players is timed.
    pub fn check_margin(&self, has_timed_player: bool) -> Result<(), Failure> {
        let is_timed = self.tc.is_some() || self.movetime.is_some() || has_timed_player;
        if self.margin.is_some() && !is_timed {
            return Err(Failure::input("--margin needs --tc or --movetime"));
        }
        Ok(())
    }

    /// The margin, as it was written.
    pub fn margin(&self) -> Option<&str> {
        self.margin.as_deref()
    }

    /// How often the state of a match is reported.
    pub fn report_interval(&self) -> ReportInterval {
        report_interval(self.report_every)
    }

    fn timing(&self) -> Result<Option<TimeLimit>, Failure> {
        let control = match (&self.tc, &self.movetime) {
            (Some(clock), _) => TimeControl::parse_clock(clock)?,
            (None, Some(time)) => TimeControl::parse_move_time(time)?,
            (None, None) => return Ok(None),
        };
        let margin = self.margin.as_deref().map(parse_time).transpose()?.unwrap_or(control.usual_margin());
        Ok(Some(TimeLimit { control, margin }))
    }
}
