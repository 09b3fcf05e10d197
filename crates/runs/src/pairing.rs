//! Two players, many games: on all cores, counted in order, none played twice.
//!
//! Games `2n` and `2n + 1` share opening `n`; the first player has White in the even one. A sequential test stops
//! after the same game on any number of threads.

use std::fmt;
use std::num::NonZeroUsize;
use std::ops::{ControlFlow, Range};
use std::time::Duration;

use plysmith_core::games::{self, GameInfo};
use plysmith_core::outcome::Outcome;
use plysmith_core::random::derive_seed;
use plysmith_core::search::{Interrupt, NoMemory};
use plysmith_engine::arena::adjudication::Adjudication;
use plysmith_engine::arena::game::{GameEnd, GameJob, GameRecord, GameSetup, play};
use plysmith_engine::arena::game_players::GamePlayers;
use plysmith_engine::arena::openings::Opening;
use plysmith_engine::arena::pause::PauseMonitor;
use plysmith_engine::arena::time_control::MoveLimit;
use plysmith_engine::player::Participant;
use plysmith_engine::process::{EngineError, Fault, SpawnMode, TrafficLog};
use plysmith_engine::uci::client::UciTimeouts;

use crate::error::RunError;
use crate::executor::{Executor, ExecutorError};
use crate::job::{Job, Key, Worker};

/// Who plays whom, and how.
#[derive(Clone, Debug)]
pub struct Pairing {
    /// The game.
    pub game: &'static GameInfo,
    /// The two players.
    pub players: [Participant; 2],
    /// The limit of a move.
    pub move_limit: MoveLimit,
    /// Identifies the run in the jobs of games that cannot be repeated.
    pub run: String,
    /// Games that earlier runs have played, by rising number.
    pub earlier: Vec<EarlierGames>,
    /// How external engines are started.
    pub spawn_mode: SpawnMode,
    /// How long external engines may take beyond their limit.
    pub timeouts: UciTimeouts,
    /// Random seed of all games.
    pub seed: u64,
    /// Whether games end when a search has proved a win.
    pub adjudicate: bool,
    /// When games are adjudicated by scores or by length.
    pub rules: Adjudication,
    /// Whether the lines and the selective depths of all searches are recorded.
    pub details: bool,
    /// The file that the traffic of external engines is written to.
    pub traffic: Option<TrafficLog>,
}

/// Games that an earlier run has played: those below a number, as far as no run before it has played them.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct EarlierGames {
    /// Identifies the run in the jobs of games that cannot be repeated.
    pub run: String,
    /// The number of games.
    pub games: u64,
}

/// Why a game could not be played.
#[derive(Debug)]
pub struct GameError {
    /// The player whose engine could not be started, if that was it.
    pub player: Option<usize>,
    /// The error.
    pub error: EngineError,
}

impl fmt::Display for GameError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.error.fmt(f)
    }
}

impl From<GameError> for RunError {
    fn from(error: GameError) -> RunError {
        error.error.into()
    }
}

/// A game of a pairing.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct PlayedGame {
    /// Its number.
    pub number: u64,
    /// What was played.
    pub job: GameJob,
    /// How it went.
    pub record: GameRecord,
}

impl Job for GameJob {
    const KIND: &'static str = "game";
    type Result = GameRecord;

    fn key(&self) -> Key {
        Key::from_hex(GameJob::key(self))
    }

    /// Its moves are legal, and by the rules it ended as the record says.
    fn check(&self, record: &GameRecord) -> Result<(), String> {
        let game = games::find(&self.game).map_err(|error| error.to_string())?;
        let mut position = (game.open)(&self.position).map_err(|error| error.to_string())?;
        for ply in &record.plies {
            if position.outcome().is_some() {
                return Err(format!("the move {} after the end of the game", ply.m));
            }
            position = position.play(&ply.m).map_err(|error| error.to_string())?;
        }
        let white = |outcome: Outcome| outcome.for_white(position.white_to_move());
        match position.outcome() {
            Some(outcome) if record.end == GameEnd::Rules && white(outcome) != record.result => {
                Err("a result that is not the one of the last position".to_string())
            }
            _ => Ok(()),
        }
    }
}

/// Plays games with the players of one thread.
pub(crate) struct GameWorker<'a> {
    /// Who plays whom, and how.
    pub pairing: &'a Pairing,
    /// The first player's text, by which its colour is known.
    pub first: String,
    /// The players.
    pub game_players: &'a mut GamePlayers,
}

impl Worker<GameJob> for GameWorker<'_> {
    type Error = GameError;

    fn run(&mut self, job: &GameJob, interrupt: &Interrupt<'_>) -> Result<Option<GameRecord>, GameError> {
        let Pairing { game, players, move_limit, .. } = self.pairing;
        let white = usize::from(job.white != self.first);
        let setup = GameSetup { game, job, players, move_limit: *move_limit, white };
        let pauses = self.game_players.pauses.clone();
        let paused = || pauses.as_ref().map_or(Duration::ZERO, PauseMonitor::total);
        let mut replays = 0;
        loop {
            let before = paused();
            let played = play(&setup, self.game_players, interrupt);
            let not_started = self.game_players.not_started.take();
            // An engine that somebody else ended is not to blame.
            let is_its_fault = |error: &EngineError| *error.fault() != Fault::GuardDied;
            let failed = |error| GameError { player: not_started.filter(|_| is_its_fault(&error)), error };
            let Some(record) = played.map_err(failed)? else { return Ok(None) };
            let is_spoiled = may_be_spoiled(&record, job) && paused() > before;
            if !is_spoiled || replays == MOST_REPLAYS {
                return Ok(Some(GameRecord { replays, ..record }));
            }
            replays += 1;
        }
    }
}

/// Whether a pause of this process would have changed this game: it took a player's time, or the wait for its answer.
fn may_be_spoiled(record: &GameRecord, job: &GameJob) -> bool {
    job.time.is_some() || record.end.is_failure()
}

/// A process that is stopped again and again gets no further by playing again.
const MOST_REPLAYS: u32 = 10;

impl PlayedGame {
    /// Whether the first player had White.
    pub fn first_is_white(&self) -> bool {
        first_is_white(self.number)
    }

    /// The result for the first player.
    pub fn for_first(&self) -> Outcome {
        self.record.result.for_white(self.first_is_white())
    }
}

impl Pairing {
    /// The job of game `number` from its opening.
    pub fn job(&self, number: u64, opening: &Opening) -> GameJob {
        let [first, second] = &self.players;
        let (nodes, depth, time) = match &self.move_limit {
            MoveLimit::Nodes(nodes) => (*nodes, None, None),
            MoveLimit::Depth(depth) => (0, Some(*depth), None),
            MoveLimit::Time(timing) => (0, None, Some(timing.to_string())),
        };
        let (white, black) = if first_is_white(number) { (first, second) } else { (second, first) };
        GameJob {
            nodes,
            time,
            depth,
            run: (!self.is_repeatable()).then(|| self.run_of(number).to_string()),
            seed: derive_seed(self.seed, &format!("game {number}")),
            adjudicate: self.adjudicate,
            rules: self.rules,
            details: self.details,
            ..GameJob::new(self.game, &opening.position, white, black)
        }
    }

    /// Whether a game would go the same way again: it depends on no clock and no external engine.
    pub fn is_repeatable(&self) -> bool {
        let is_repeatable =
            |player: &Participant| player.built_in().is_some() && player.limit_in(self.move_limit).is_repeatable();
        self.players.iter().all(is_repeatable)
    }

    /// The run that plays this game, or has played it.
    fn run_of(&self, number: u64) -> &str {
        self.earlier.iter().find(|earlier| number < earlier.games).map_or(&self.run, |earlier| &earlier.run)
    }

    /// Players for each thread.
    pub fn game_players(&self, threads: NonZeroUsize) -> Result<Vec<GamePlayers>, NoMemory> {
        let Pairing { game, players, move_limit, spawn_mode, timeouts, .. } = self;
        let pauses = (!self.is_repeatable()).then(PauseMonitor::start);
        let new = |_| {
            let mut game_players = GamePlayers::new(game, players, *move_limit, *spawn_mode, *timeouts)?;
            game_players.pauses.clone_from(&pauses);
            self.traffic.iter().for_each(|traffic| game_players.log_traffic(traffic));
            Ok(game_players)
        };
        (0..threads.get()).map(new).collect()
    }

    /// Plays the games with these numbers, two from each opening and then from the first again, until `receive` breaks.
    ///
    /// `receive` is also told whether a game was played just now, and not read from the cache. Fewer games are handed over
    /// if the interrupt was raised.
    pub fn run(
        &self,
        executor: &Executor<'_>,
        openings: &[Opening],
        numbers: Range<u64>,
        game_players: &mut [GamePlayers],
        mut receive: impl FnMut(PlayedGame, bool) -> ControlFlow<()>,
    ) -> Result<(), ExecutorError<GameError>> {
        let first = self.players[0].print(self.game);
        let worker = |game_players| GameWorker { pairing: self, first: first.clone(), game_players };
        let mut workers: Vec<_> = game_players.iter_mut().map(worker).collect();
        executor.run(
            numbers,
            |number| self.job(number, opening_of(number, openings)),
            &mut workers,
            |done| receive(PlayedGame { number: done.number, job: done.job, record: done.result }, done.is_new),
        )?;
        Ok(())
    }
}

/// The opening of a game: two games have the same, and after the last comes the first.
pub fn opening_of(number: u64, openings: &[Opening]) -> &Opening {
    &openings[number as usize / 2 % openings.len()]
}

fn first_is_white(number: u64) -> bool {
    number.is_multiple_of(2)
}
