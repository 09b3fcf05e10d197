//! Matches of a fit: new weights against those before, and the last against the first.
//!
//! Openings are random moves that the first player finds fair, the same in all matches of a run. They do not depend on
//! weights that the program was built with, so a fit gives the same weights after the program got new ones.

use std::collections::HashSet;

use plysmith_core::feature::Scheme;
use plysmith_core::games::{AnyPosition, GameInfo};
use plysmith_core::random::derive_seed;
use plysmith_core::search::{Interrupt, Workspace};
use plysmith_core::settings::Settings;
use plysmith_core::training::TrainingPlan;
use plysmith_engine::arena::book::content_key;
use plysmith_engine::arena::openings::{Opening, OpeningPlan};
use plysmith_engine::player::{BuiltInPlayer, Participant};

use super::Fit;
use super::config::Config;
use crate::error::RunError;
use crate::kind::Context;
use crate::opening_book::OpeningBook;
use crate::pairing_runner::{PairingPlan, PairingRunner};
use crate::play::PlayConfig;
use crate::progress::Progress;
use crate::summary::Summary;

/// Plays the matches of a run.
pub struct Gate {
    play: PlayConfig,
    runner: PairingRunner,
}

/// Nodes of the search that finds an opening fair.
const FAIR_NODES: u64 = 1_000;
/// Openings that are looked at for each one that is wanted, before openings repeat.
const MOST_TRIES: u64 = 20;

impl Gate {
    /// Makes the openings.
    pub fn new(
        config: &Config,
        game: &'static GameInfo,
        start: &dyn AnyPosition,
        first_player: Settings,
        interrupt: &Interrupt<'_>,
    ) -> Result<Gate, RunError> {
        let seed = derive_seed(config.seed, "gate");
        let plan = TrainingPlan { settings: first_player, nodes: FAIR_NODES, seed, rules: game.training };
        let openings = openings(start, &plan, config.gate_games as usize / 2, interrupt)?;
        let from = OpeningPlan { start: config.start.clone(), plies: 0, seed };
        let name = "random moves".to_string();
        let play = PlayConfig {
            adjudicate: true,
            book: Some(OpeningBook { name, key: content_key(&openings), openings }),
            ..PlayConfig::new(game, config.gate_nodes, config.gate_games, from)?
        };
        Ok(Gate { runner: PairingRunner::new(&play)?, play })
    }

    /// Plays match number `number`, from 0, and stores its games. The summary is as the first player sees it.
    pub fn play(
        &mut self,
        number: u32,
        players: [Settings; 2],
        context: &mut Context<Fit>,
        progress: &Progress,
    ) -> Result<Summary, RunError> {
        let participant = |settings| Participant::from(BuiltInPlayer::new(settings, Scheme::neutral()));
        let players = players.map(participant);
        let plan = PairingPlan::new(number as usize, players.each_ref());
        let played = self.runner.play(&plan, context, progress)?;
        let [a, b] = players.map(|player| self.play.print(&player));
        Ok(Summary::new(a, b, [self.play.move_limit; 2], &played.tally))
    }
}

/// Fair openings, different ones as far as there are.
fn openings(
    start: &dyn AnyPosition,
    plan: &TrainingPlan,
    count: usize,
    interrupt: &Interrupt<'_>,
) -> Result<Vec<Opening>, RunError> {
    let mut workspace = Workspace::default();
    let (mut openings, mut seen) = (Vec::new(), HashSet::new());
    for number in 0.. {
        if openings.len() == count {
            break;
        }
        let moves = start.fair_opening(plan, number, &mut workspace, interrupt);
        let moves = moves.map_err(|_| RunError::Cancelled(None))?;
        let mut position = start.boxed();
        for m in &moves {
            position = position.play(m).map_err(RunError::failed)?;
        }
        let position = position.text();
        if seen.insert(position.clone()) || number > MOST_TRIES * count as u64 {
            openings.push(Opening { position, moves });
        }
    }
    Ok(openings)
}
