//! The share of a match that is not search.
//!
//! Plays a short match on one thread and stores it as any other match, in a store of its own. What both players did not
//! spend searching is the cost of rules, records and the store.

use std::num::NonZeroUsize;
use std::path::Path;
use std::time::Instant;

use plysmith_core::games;
use plysmith_engine::arena::openings::OpeningPlan;
use plysmith_store::Store;
use serde::{Deserialize, Serialize};

use crate::error::RunError;
use crate::kind::{Context, Identity, Rows, RunKind};
use crate::kinds::match_::{Config, Event, GAME_ROWS};
use crate::play::{DEFAULT_OPENING_PLIES, PairingPlan, PairingRunner, PlayConfig};
use crate::runs;
use crate::services::{Host, Services};
use crate::view::{View, percent};

/// A match whose result is where the time went.
struct ArenaBench;

/// Where the time of a match went, in seconds.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct ArenaOverhead {
    /// Games played.
    pub games: u64,
    /// Node limit for each move.
    #[serde(rename = "nodes_a_move")]
    pub nodes_per_move: u64,
    /// Plies of all games.
    pub plies: u64,
    /// In all.
    pub seconds: f64,
    /// In the searches of both players.
    pub searching: f64,
    /// Looking for openings, which is done before the games.
    pub openings: f64,
    /// The share of the games that is not search.
    pub outside: f64,
}

const GAME: &str = "breakthrough";
const GAMES: u64 = 60;
const NODES: u64 = 50_000;
const SEED: u64 = 1;

/// Plays the match with a new store in this folder.
pub fn arena(folder: &Path, host: &Host) -> Result<ArenaOverhead, RunError> {
    let game = games::find(GAME)?;
    let start = (game.start)(&Default::default())?;
    let openings = OpeningPlan { start, plies: DEFAULT_OPENING_PLIES, seed: SEED };
    let play = PlayConfig::new(game, NODES, GAMES, openings)?;
    let config = Config {
        players: [play.player("classic+RdTt@0.5")?, play.player("classic")?],
        play,
        test: None,
        contestants: None,
    };
    let store = Store::open(&folder.join("plysmith.db"))?;
    let services = Services { threads: NonZeroUsize::MIN, ..host.with_store(store) };
    Ok(runs::run::<ArenaBench>(&config, Vec::new(), &services)?.output)
}

impl RunKind for ArenaBench {
    const NAME: &'static str = "bench";
    type Config = Config;
    type Event = Event;
    type Output = ArenaOverhead;
    type Prepared = PairingRunner;

    fn identity(config: &Config) -> Identity {
        config.play.identity()
    }

    fn prepare(config: &Config, _: &Services) -> Result<PairingRunner, RunError> {
        PairingRunner::new(&config.play)
    }

    fn run(
        config: &Config,
        mut runner: PairingRunner,
        context: &mut Context<ArenaBench>,
    ) -> Result<ArenaOverhead, RunError> {
        let [a, b] = &config.players;
        let progress = context.services().begin_progress(config.play.games);
        let begun = Instant::now();
        let played = runner.play(&PairingPlan { number: 0, players: [a, b], test: None }, context, &progress)?;
        let seconds = begun.elapsed().as_secs_f64();
        let (searching, openings) = (played.thinking.as_secs_f64(), runner.making_openings.as_secs_f64());
        Ok(ArenaOverhead {
            games: GAMES,
            nodes_per_move: NODES,
            plies: played.tally.plies,
            seconds,
            searching,
            openings,
            outside: 1.0 - searching / (seconds - openings),
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
        View::new().text(format!(
            "{} games, {} plies, {} nodes per move, one thread, each game stored: {:.3} s, of which {:.3} s to find \
             openings and {:.3} s searching.\n\
             Share of the games' time that is not search: {}\n",
            self.games,
            self.plies,
            self.nodes_per_move,
            self.seconds,
            self.openings,
            self.searching,
            percent(self.outside)
        ))
    }
}
