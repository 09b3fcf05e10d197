//! Two players, many games: on all cores, counted in order, none played twice.
//!
//! Game `2n` and game `2n + 1` share opening `n`; the first player has White in the even one. Games land
//! in the memo the moment they end, whatever their number, so a killed contest loses only the games
//! that were being played. They are handed over by rising number, so a sequential test stops
//! after the same game on any number of threads.

use std::mem::take;
use std::num::NonZeroUsize;
use std::ops::{ControlFlow, Range};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use plysmith_core::games::GameInfo;
use plysmith_core::outcome::Outcome;
use plysmith_core::random::derive_seed;
use plysmith_core::search::{Interrupt, NoMemory};

use super::game::{GameJob, GameRecord, Setting, play};
use super::openings::Opening;
use super::pace::Pace;
use super::participant::Participant;
use super::seat::Seats;
use crate::parallel::in_order_noting;
use crate::process::{EngineError, Launch};
use crate::uci::Patience;

/// Who plays whom, and how.
#[derive(Clone, Debug)]
pub struct Contest {
    /// What is played.
    pub game: &'static GameInfo,
    /// The two players.
    pub players: [Participant; 2],
    /// What a move may take.
    pub pace: Pace,
    /// What tells its games from all others if they cannot be repeated.
    pub run: String,
    /// How foreign engines are started.
    pub launch: Launch,
    /// How long they may take beyond all reason.
    pub patience: Patience,
    /// The seed of all games.
    pub seed: u64,
    /// Whether games end when a search has proved a win.
    pub adjudicate: bool,
}

/// Why a contest did not come to its end.
#[derive(Debug)]
pub enum ContestError<E> {
    /// The memo failed.
    Memo(E),
    /// An engine could not be started.
    Engine(EngineError),
}

/// Remembers games. Workers use it at the same time.
pub trait GameMemo: Sync {
    /// Why it could not.
    type Error: Send;

    /// The game of this job, if it was played.
    fn recall(&self, job: &GameJob) -> Result<Option<GameRecord>, Self::Error>;

    /// Keeps a game.
    fn keep(&self, job: &GameJob, record: &GameRecord) -> Result<(), Self::Error>;
}

/// A game of a contest.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Played {
    /// Its number.
    pub number: u64,
    /// What was played.
    pub job: GameJob,
    /// How it went.
    pub record: GameRecord,
}

impl Played {
    /// Whether the first player had White.
    pub fn first_is_white(&self) -> bool {
        first_is_white(self.number)
    }

    /// The result as the first player sees it.
    pub fn for_first(&self) -> Outcome {
        self.record.result.for_white(self.first_is_white())
    }
}

impl Contest {
    /// Game number `number` from its opening.
    pub fn job(&self, number: u64, opening: &Opening) -> GameJob {
        let [first, second] = &self.players;
        let (nodes, time) = match &self.pace {
            Pace::Nodes(nodes) => (*nodes, None),
            Pace::Time(timing) => (0, Some(timing.to_string())),
        };
        let (white, black) = if first_is_white(number) { (first, second) } else { (second, first) };
        GameJob {
            nodes,
            time,
            run: (!self.is_repeatable()).then(|| self.run.clone()),
            seed: derive_seed(self.seed, &format!("game {number}")),
            adjudicate: self.adjudicate,
            ..GameJob::new(self.game, &opening.position, white, black)
        }
    }

    /// Whether a game would go the same way again: no clock and no foreign engine has a hand in it.
    pub fn is_repeatable(&self) -> bool {
        matches!(self.pace, Pace::Nodes(_)) && self.players.iter().all(|player| player.built_in().is_some())
    }

    /// Seats for so many threads.
    pub fn seats(&self, threads: NonZeroUsize) -> Result<Vec<Seats>, NoMemory> {
        let Contest { game, players, pace, launch, patience, .. } = self;
        (0..threads.get()).map(|_| Seats::new(game, players, *pace, *launch, *patience)).collect()
    }

    /// Plays the games with these numbers, two from each opening, or recalls them, until `receive` has enough.
    ///
    /// Fewer games than that are handed over if the interrupt was raised, the memo failed, or an engine could not be
    /// started. Returns how long the players searched, all threads together.
    pub fn run<M: GameMemo>(
        &self,
        openings: &[Opening],
        numbers: Range<u64>,
        seats: &mut [Seats],
        interrupt: &Interrupt<'_>,
        memo: &M,
        mut receive: impl FnMut(Played) -> ControlFlow<()>,
    ) -> Result<Duration, ContestError<M::Error>> {
        let failure = Mutex::new(None);
        let fail = |error: ContestError<M::Error>| {
            failure.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(error);
        };
        in_order_noting(
            numbers,
            seats,
            |pool, seats, number| {
                let interrupt = || pool.is_halted() || interrupt();
                let job = self.job(number, &openings[number as usize / 2]);
                self.play_or_recall(job, number, seats, &interrupt, memo).unwrap_or_else(|error| {
                    fail(error);
                    None
                })
            },
            |_, (played, is_new)| {
                let kept = if *is_new { memo.keep(&played.job, &played.record) } else { Ok(()) };
                match kept {
                    Ok(()) => ControlFlow::Continue(()),
                    Err(error) => {
                        fail(ContestError::Memo(error));
                        ControlFlow::Break(())
                    }
                }
            },
            |_, (played, _)| receive(played),
        );
        match failure.into_inner().unwrap_or_else(PoisonError::into_inner) {
            Some(error) => Err(error),
            None => Ok(seats.iter_mut().map(|seats| take(&mut seats.thinking)).sum()),
        }
    }

    /// The game, and whether it was played just now; nothing if it was interrupted.
    fn play_or_recall<M: GameMemo>(
        &self,
        job: GameJob,
        number: u64,
        seats: &mut Seats,
        interrupt: &Interrupt<'_>,
        memo: &M,
    ) -> Result<Option<(Played, bool)>, ContestError<M::Error>> {
        if let Some(record) = memo.recall(&job).map_err(ContestError::Memo)? {
            return Ok(Some((Played { number, job, record }, false)));
        }
        let white = usize::from(!first_is_white(number));
        let setting = Setting { game: self.game, job: &job, players: &self.players, pace: self.pace, white };
        let record = play(&setting, seats, interrupt).map_err(ContestError::Engine)?;
        Ok(record.map(|record| (Played { number, job, record }, true)))
    }
}

fn first_is_white(number: u64) -> bool {
    number.is_multiple_of(2)
}
