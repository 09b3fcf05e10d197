//! Self-play: batches of training games, in the result cache. Fits learn from them, graded suites are taken from them.

use std::ops::ControlFlow;

use plysmith_core::feature::Scheme;
use plysmith_core::games::{AnyPosition, GameInfo};
use plysmith_core::random::Random;
use plysmith_core::search::{self, Interrupt, Workspace};
use plysmith_core::training::{self, TrainingPlan};
use serde::{Deserialize, Serialize};

use crate::error::RunError;
use crate::executor::Ending;
use crate::job::{Job, Key, Worker};
use crate::memory::ThreadNeed;
use crate::progress::Progress;
use crate::remote::shared;
use crate::services::Services;

/// A batch of training games.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct SelfPlayJob {
    /// The game's name.
    pub game: String,
    /// The start position.
    pub start: String,
    /// The search settings of both sides.
    pub player: String,
    /// Nodes per move.
    pub nodes: u64,
    /// Random seed of all games.
    pub seed: u64,
    /// The number of the first game.
    pub first: u64,
    /// Number of games.
    pub games: u64,
    /// How games begin and end.
    pub rules: String,
    /// The algorithm of random numbers.
    pub random: String,
    /// The revision of training games.
    pub training: u32,
    /// The revision of the search.
    pub revision: u32,
    /// What the evaluation of the player does.
    pub behaviour: String,
}

/// Games of a batch: a few seconds of work.
const BATCH: u64 = 20;

impl Job for SelfPlayJob {
    const KIND: &'static str = "selfplay";
    /// The games as text; see [`training::TrainingGame`].
    type Result = Vec<String>;

    fn check(&self, games: &Vec<String>) -> Result<(), String> {
        if games.len() as u64 != self.games {
            return Err(format!("{} games instead of {}", games.len(), self.games));
        }
        games
            .iter()
            .try_for_each(|game| game.parse::<training::TrainingGame>().map(drop).map_err(|error| error.to_string()))
    }

    fn key(&self) -> Key {
        let SelfPlayJob { game, start, player, nodes, seed, first, games, rules, random, .. } = self;
        let SelfPlayJob { training, revision, behaviour, .. } = self;
        Key::of(&format!(
            "selfplay\n{game}\n{start}\n{player}\n{nodes}\n{seed}\n{games} from {first}\n{rules}\n{random}\n{training}\n\
             {revision}\nbehaviour {behaviour}"
        ))
    }
}

/// Training games to play.
pub struct SelfPlay<'a> {
    /// The game.
    pub game: &'static GameInfo,
    /// The start position.
    pub start: &'a dyn AnyPosition,
    /// How games are played.
    pub plan: TrainingPlan,
    /// Number of games.
    pub games: u64,
}

/// Plays games with the memory of one thread.
pub(crate) struct SelfPlayWorker<'a> {
    /// The start position.
    pub start: &'a dyn AnyPosition,
    /// How games are played.
    pub plan: &'a TrainingPlan,
    /// Its memory.
    pub workspace: Workspace,
}

impl Worker<SelfPlayJob> for SelfPlayWorker<'_> {
    type Error = RunError;

    fn run(&mut self, job: &SelfPlayJob, interrupt: &Interrupt<'_>) -> Result<Option<Vec<String>>, RunError> {
        let mut play = |number| self.start.training_game(self.plan, number, &mut self.workspace, interrupt);
        let games = (job.first..job.first + job.games).map(|number| play(number).map(|game| game.to_string()));
        Ok(games.collect::<Result<_, _>>().ok())
    }
}

impl SelfPlay<'_> {
    /// The job of these games. That of all games of the round stands for what a fit depends on.
    pub fn job(&self, first: u64, games: u64) -> SelfPlayJob {
        let TrainingPlan { settings, nodes, seed, rules } = &self.plan;
        SelfPlayJob {
            game: self.game.name.to_string(),
            start: self.start.text(),
            player: self.game.print_settings(settings),
            nodes: *nodes,
            seed: *seed,
            first,
            games,
            rules: format!("{rules:?}"),
            random: Random::ALGORITHM.to_string(),
            training: training::REVISION,
            revision: search::REVISION,
            behaviour: self.game.behaviour(settings, &Scheme::neutral()),
        }
    }

    /// Plays the games. They are in order, and the same on any number of threads.
    pub fn play(&self, services: &Services, progress: &Progress) -> Result<Vec<String>, RunError> {
        let interrupt = || services.cancel.is_cancelled();
        let blobs = shared::weights([&self.plan.settings]);
        let executor = services.executor(&interrupt).with_blobs(&blobs, &[]);
        let batches = self.games.div_ceil(BATCH);
        let need = ThreadNeed::default().and("self-play", Workspace::bytes(&self.plan.settings));
        let threads = services.workers(batches, &need)?;
        let worker = |_| SelfPlayWorker { start: self.start, plan: &self.plan, workspace: Workspace::default() };
        let mut workers: Vec<_> = (0..threads.get()).map(worker).collect();
        let job = |batch: u64| self.job(batch * BATCH, BATCH.min(self.games - batch * BATCH));
        let mut games = Vec::new();
        let ending = executor.run(0..batches, job, &mut workers, |done| {
            games.extend(done.result);
            progress.set_part_done(games.len() as u64);
            ControlFlow::Continue(())
        })?;
        if ending == Ending::Complete { Ok(games) } else { Err(RunError::Cancelled(None)) }
    }
}
