//! `plysmith bench --arena`: how much of a match is not search.
//!
//! A short match on one thread, stored like any other, in a temporary store. What both players did not spend
//! searching went into rules, records and the store.

use std::num::NonZeroUsize;
use std::path::Path;
use std::time::Instant;

use plysmith_core::games;
use plysmith_engine::arena::openings::OpeningPlan;
use plysmith_runs::error::RunError;
use plysmith_runs::kind::{Context, Identity};
use plysmith_runs::kind::{Rows, RunKind};
use plysmith_runs::kinds::match_::{Config, Event, GAME_ROWS};
use plysmith_runs::play::{DEFAULT_OPENING_PLIES, PairingPlan, PairingRunner, PlayConfig};
use plysmith_runs::runs;
use plysmith_runs::services::Services;
use plysmith_runs::view::View;
use plysmith_store::Store;
use serde::{Deserialize, Serialize};

use crate::failure::Failure;
use crate::output::{Output, percent};
use crate::services::services_of;

/// A match whose result is where the time went.
struct ArenaBench;

#[derive(Serialize, Deserialize)]
struct Overhead {
    games: u64,
    nodes_a_move: u64,
    plies: u64,
    seconds: f64,
    searching: f64,
    /// Looking for openings, which is done before the games.
    openings: f64,
    /// The share of the games that is not search.
    outside: f64,
}

const GAME: &str = "breakthrough";
const GAMES: u64 = 60;
const NODES: u64 = 50_000;
const SEED: u64 = 1;

pub fn run(output: &Output) -> Result<(), Failure> {
    let folder = std::env::temp_dir().join(format!("plysmith-bench-{}", std::process::id()));
    let overhead = measure(&folder);
    // A folder of temporary files that stays behind does no harm.
    let _ = std::fs::remove_dir_all(&folder);
    let overhead = overhead?;
    output.print(&overhead, || overhead.text())
}

fn measure(folder: &Path) -> Result<Overhead, Failure> {
    let game = games::find(GAME)?;
    let start = (game.start)(&Default::default())?;
    let openings = OpeningPlan { start, plies: DEFAULT_OPENING_PLIES, seed: SEED };
    let play = PlayConfig::new(game, NODES, GAMES, openings)?;
    let config = Config { players: [play.player("classic+RdTt@0.5")?, play.player("classic")?], play, test: None };
    let services = services_of(Store::open(&folder.join("plysmith.db"))?, Some(NonZeroUsize::MIN));
    Ok(runs::run::<ArenaBench>(&config, Vec::new(), &services)?.output)
}

impl RunKind for ArenaBench {
    const NAME: &'static str = "bench";
    type Config = Config;
    type Event = Event;
    type Output = Overhead;
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
    ) -> Result<Overhead, RunError> {
        let [a, b] = &config.players;
        let progress = context.services().begin_progress(config.play.games);
        let begun = Instant::now();
        let played = runner.play(&PairingPlan { number: 0, players: [a, b], test: None }, context, &progress)?;
        let seconds = begun.elapsed().as_secs_f64();
        let (searching, openings) = (played.thinking.as_secs_f64(), runner.making_openings.as_secs_f64());
        Ok(Overhead {
            games: GAMES,
            nodes_a_move: NODES,
            plies: played.tally.plies,
            seconds,
            searching,
            openings,
            outside: 1.0 - searching / (seconds - openings),
        })
    }

    fn view(_: &Config, overhead: &Overhead) -> View {
        View::new().text(overhead.text())
    }

    fn partial_view(_: &Config, _: &[Event]) -> View {
        View::new()
    }

    fn rows(_: &Config) -> Rows {
        GAME_ROWS
    }
}

impl Overhead {
    fn text(&self) -> String {
        format!(
            "{} games, {} plies, {} nodes a move, one thread, stored as they end: {:.3} s, of which {:.3} s for finding \
             openings and {:.3} s searching.\n\
             Of the games, outside the two players' searches: {}\n",
            self.games,
            self.plies,
            self.nodes_a_move,
            self.seconds,
            self.openings,
            self.searching,
            percent(self.outside)
        )
    }
}
