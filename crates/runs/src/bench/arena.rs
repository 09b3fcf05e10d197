//! The share of a match that is not search.
//!
//! Plays a short match and stores it as any other match, in a store of its own. What the players did not spend searching is
//! the cost of rules, records, pipes and the store. The search of an external engine lasts from `go` to `bestmove`, by our
//! clock.

use std::num::NonZeroUsize;
use std::path::Path;
use std::time::{Duration, Instant};

use plysmith_core::games::{self, GameInfo};
use plysmith_engine::arena::openings::OpeningPlan;
use plysmith_engine::arena::time_control::MoveLimit;
use plysmith_engine::player::Participant;
use plysmith_engine::process::SpawnMode;
use plysmith_store::Store;
use serde::{Deserialize, Serialize};

use crate::error::RunError;
use crate::kind::{Context, Identity, Rows, RunKind};
use crate::kinds::match_::{Config, Event, GAME_ROWS, Prepared};
use crate::pairing_runner::PairingPlan;
use crate::play::{DEFAULT_OPENING_PLIES, PlayConfig};
use crate::runs;
use crate::services::{Host, Services};
use crate::view::{View, percent};

/// A match whose result is where the time went.
struct ArenaBench;

/// What match is timed.
#[derive(Clone, Debug)]
pub struct ArenaMatch {
    /// The game.
    pub game: &'static GameInfo,
    /// The players' texts.
    pub players: [String; 2],
    /// Games; even.
    pub games: u64,
    /// Node limit of a move.
    pub nodes: u64,
    /// Games at a time.
    pub threads: NonZeroUsize,
}

/// Where the time of a match went, in seconds.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct ArenaOverhead {
    /// Games played.
    pub games: u64,
    /// Node limit for each move.
    #[serde(rename = "nodes_a_move")]
    pub nodes_per_move: u64,
    /// Games at a time.
    pub threads: usize,
    /// Plies of all games.
    pub plies: u64,
    /// From the first move to the end of the last game.
    pub seconds: f64,
    /// In the searches of both players, all threads together.
    pub searching: f64,
    /// Looking for openings, which is done before the games.
    pub openings: f64,
    /// Both engines' own start-up: from their start to their first `readyok`; zero for built-in players.
    pub start_up: f64,
    /// From the start of the match to the first move.
    pub to_first_move: f64,
    /// The share of the games that is not search: of the wall time, for each thread.
    pub outside: f64,
}

impl Default for ArenaMatch {
    /// Built-in players on one thread.
    fn default() -> ArenaMatch {
        ArenaMatch {
            game: &games::breakthrough::INFO,
            players: ["classic+RdTt@0.5", "classic"].map(str::to_string),
            games: 60,
            nodes: 50_000,
            threads: NonZeroUsize::MIN,
        }
    }
}

const SEED: u64 = 1;

/// Plays the match with a new store in this folder.
pub fn arena(plan: &ArenaMatch, folder: &Path, host: &Host) -> Result<ArenaOverhead, RunError> {
    let ArenaMatch { game, players, games, nodes, threads } = plan;
    let start = (game.start)(&Default::default())?;
    let openings = OpeningPlan { start, plies: DEFAULT_OPENING_PLIES, seed: SEED };
    let play = PlayConfig::new(game, *nodes, *games, openings)?;
    let [a, b] = players;
    let config = Config::new([play.player(a)?, play.player(b)?], play, None);
    let start_up = config.players.iter().map(|player| start_up(&config.play, player)).sum::<Result<f64, RunError>>()?;
    let store = Store::open(&folder.join("plysmith.db"))?;
    let services = Services { threads: *threads, ..host.with_store(store) };
    let overhead = runs::run::<ArenaBench>(&config, Vec::new(), &services)?.output;
    Ok(ArenaOverhead { start_up, ..overhead })
}

/// How long an engine takes to be ready.
fn start_up(play: &PlayConfig, player: &Participant) -> Result<f64, RunError> {
    let Some(uci) = player.uci() else { return Ok(0.0) };
    let begun = Instant::now();
    uci.start(play.game, SpawnMode::Guarded, play.timeouts(), None)?.sync()?;
    Ok(begun.elapsed().as_secs_f64())
}

impl RunKind for ArenaBench {
    const NAME: &'static str = "bench";
    type Config = Config;
    type Event = Event;
    type Output = ArenaOverhead;
    type Prepared = (Prepared, Instant);

    fn identity(config: &Config) -> Identity {
        config.play.identity()
    }

    fn prepare(config: &Config, services: &Services) -> Result<(Prepared, Instant), RunError> {
        let begun = Instant::now();
        Ok((Prepared::new(&config.play, &config.players, None, services)?, begun))
    }

    fn run(
        config: &Config,
        (prepared, begun): (Prepared, Instant),
        context: &mut Context<ArenaBench>,
    ) -> Result<ArenaOverhead, RunError> {
        let [a, b] = &config.players;
        let play = &config.play;
        let mut runner = prepared.runner;
        let progress = context.services().begin_progress(play.games);
        let played = runner.play(&PairingPlan::new(0, [a, b]), context, &progress)?;
        let end = Instant::now();
        let first = played.first_asked.unwrap_or(end);
        let seconds = |time: Duration| time.as_secs_f64();
        let (wall, searching) = (seconds(end.duration_since(first)), seconds(played.searching));
        let threads = context.services().threads.get();
        Ok(ArenaOverhead {
            games: play.games,
            nodes_per_move: if let MoveLimit::Nodes(nodes) = play.move_limit { nodes } else { 0 },
            threads,
            plies: played.tally.plies,
            seconds: wall,
            searching,
            openings: seconds(runner.making_openings),
            start_up: 0.0,
            to_first_move: seconds(first.duration_since(begun)),
            outside: 1.0 - searching / (wall * threads as f64),
        })
    }

    fn view(_: &Config, overhead: &ArenaOverhead) -> View {
        overhead.view()
    }

    fn partial_view(_: &Config, _: &[Event]) -> View {
        View::new()
    }

    fn rows(_: &Config) -> Rows {
        GAME_ROWS
    }
}

impl ArenaOverhead {
    /// The result as text.
    pub fn view(&self) -> View {
        let threads = if self.threads == 1 { "one thread".to_string() } else { format!("{} threads", self.threads) };
        let moves = self.plies.max(1) as f64;
        let idle = (self.seconds * self.threads as f64 - self.searching) / moves;
        View::new().text(format!(
            "{} games, {} plies, {} nodes per move, {threads}, each game stored: {:.3} s, of which {:.3} s searching on each \
             thread; before that {:.3} s to find openings.\n\
             Share of the games' time that is not search: {} ({:.1} µs per move)\n\
             First move {:.0} ms after the start; the engines' own start-up took {:.0} ms of them\n",
            self.games,
            self.plies,
            self.nodes_per_move,
            self.seconds,
            self.searching / self.threads as f64,
            self.openings,
            percent(self.outside),
            idle * 1e6,
            self.to_first_move * 1e3,
            self.start_up * 1e3,
        ))
    }
}
