//! `plysmith bench --arena`: how much of a match is not search.
//!
//! A short match on one thread, stored as any other in a throw-away store. What both players did not
//! spend searching went into rules, records and the store.

use std::num::NonZeroUsize;
use std::time::Instant;

use plysmith_core::games;
use plysmith_engine::arena::openings::OpeningPlan;
use plysmith_engine::player::Participant;
use plysmith_store::{NewRun, Store};
use serde::Serialize;

use super::contest::{PlayConfig, Stage};
use crate::failure::Failure;
use crate::journal::Journal;
use crate::output::{Output, percent};
use crate::progress;

#[derive(Serialize)]
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

pub fn run(output: &Output) -> Result<(), Failure> {
    let folder = std::env::temp_dir().join(format!("plysmith-bench-{}", std::process::id()));
    let overhead = measure(&folder);
    // A folder of temporary files that stays behind does no harm.
    let _ = std::fs::remove_dir_all(&folder);
    let overhead = overhead?;
    output.print(&overhead, || overhead.text())
}

fn measure(folder: &std::path::Path) -> Result<Overhead, Failure> {
    let game = games::find(GAME)?;
    let store = Store::open(&folder.join("plysmith.db"))?;
    let claim = store.create_run(&NewRun {
        kind: "bench".to_string(),
        game: GAME.to_string(),
        config: serde_json::Value::Null,
        seed: 1,
        version: env!("CARGO_PKG_VERSION").to_string(),
        command: Vec::new(),
        parent: None,
    })?;
    let journal = Journal::resume(store, claim);
    let openings = OpeningPlan { start: (game.start)(&Default::default())?, plies: 4, seed: 1 };
    let play = PlayConfig::new(GAME, NODES, GAMES, openings);
    let mut stage = Stage::set(&play, Some(NonZeroUsize::MIN))?;
    let player = |text| Participant::parse(game, text);
    let (a, b) = (player("classic+RdTt@0.5")?, player("classic")?);
    let progress = progress::begin(GAMES);
    let begun = Instant::now();
    let (tally, thinking) = stage.play(0, [&a, &b], None, &journal, &progress)?;
    let seconds = begun.elapsed().as_secs_f64();
    let (searching, openings) = (thinking.as_secs_f64(), stage.looking.as_secs_f64());
    Ok(Overhead {
        games: GAMES,
        nodes_a_move: NODES,
        plies: tally.plies,
        seconds,
        searching,
        openings,
        outside: 1.0 - searching / (seconds - openings),
    })
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
