//! What `match`, `tournament` and `reproduce table4` share: their options, playing, and summing up.

use std::num::NonZeroUsize;
use std::ops::ControlFlow;
use std::time::{Duration, Instant};

use clap::{Args, value_parser};
use plysmith_core::games::{self, GameInfo};
use plysmith_engine::arena::contest::{Contest, ContestError, GameMemo, Played};
use plysmith_engine::arena::game::{GameJob, GameRecord};
use plysmith_engine::arena::game_players::GamePlayers;
use plysmith_engine::arena::openings::{Book, OpeningError, OpeningPlan};
use plysmith_engine::arena::tally::Tally;
use plysmith_engine::arena::time_control::{MoveLimit, TimeControl, TimeLimit, parse_time};
use plysmith_engine::lab::all_cores;
use plysmith_engine::player::Participant;
use plysmith_engine::process::SpawnMode;
use plysmith_engine::uci::client::UciTimeouts;
use plysmith_learn::stats::elo::{Estimate, logistic, normalized, superiority};
use plysmith_learn::stats::intervals::plain;
use plysmith_learn::stats::outcomes::{Outcomes, Penta, Wdl};
use plysmith_learn::stats::sprt::{Sprt, SprtVerdict};
use plysmith_store::{Store, StoreError};
use serde::{Deserialize, Serialize};

use super::book::{BookArguments, BookConfig};
use crate::arguments::ThreadsArgument;
use super::perft::StartArguments;
use crate::failure::Failure;
use crate::signals;
use crate::journal::Journal;
use crate::output::thousands;
use crate::progress;

/// How games are played.
#[derive(Debug, Args)]
pub struct PlayArguments {
    /// Nodes a move
    #[arg(long, value_name = "N", default_value_t = 50_000, value_parser = value_parser!(u64).range(1..))]
    pub nodes: u64,

    /// Play by the clock instead: seconds and increment, '1+0.01', or for 40 moves '40/60+0.6'
    #[arg(long, value_name = "TIME", conflicts_with_all = ["nodes", "movetime"])]
    tc: Option<String>,

    /// Play by time a move instead, like '100ms' or '0.5s'
    #[arg(long, value_name = "TIME", conflicts_with = "nodes")]
    movetime: Option<String>,

    /// How far a move may overstep its time before the game is lost [default: 0ms with --tc, 50ms with --movetime]
    #[arg(long, value_name = "TIME")]
    margin: Option<String>,

    /// End everything when an engine has lost so many games by crashes, silence or illegal moves
    #[arg(long, value_name = "N", default_value_t = MOST_FAILURES, value_parser = value_parser!(u64).range(1..))]
    max_failures: u64,

    /// Where all chances come from
    #[arg(long, value_name = "N", default_value_t = 1, allow_negative_numbers = true)]
    pub seed: u64,

    /// Random plies that each opening begins with [default: 4]; with --openings, plies of each game record to play
    /// [default: all]
    #[arg(long, visible_alias = "plies", value_name = "N", value_parser = value_parser!(u32).range(0..=40))]
    opening_plies: Option<u32>,

    #[command(flatten)]
    book: BookArguments,

    /// End a game as soon as a search has proved who wins it
    #[arg(long)]
    adjudicate: bool,

    #[command(flatten)]
    start: StartArguments,

    #[command(flatten)]
    pub threads: ThreadsArgument,
}

/// How games are played, as it is stored.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct PlayConfig {
    pub game: String,
    pub nodes: u64,
    pub games: u64,
    pub seed: u64,
    pub adjudicate: bool,
    pub openings: OpeningPlan,
    /// Openings from a file instead; whole, so that a run does not depend on the file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub book: Option<BookConfig>,
    /// The time for moves, if they are timed; then nodes are not limited.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub time: Option<String>,
    #[serde(default = "most_failures")]
    pub max_failures: u64,
}

/// A game, as it is stored.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct GameEvent {
    /// Which contest of the run it belongs to.
    pub contest: usize,
    pub number: u64,
    #[serde(flatten)]
    pub job: GameJob,
    #[serde(flatten)]
    pub record: GameRecord,
}

/// What a contest came to, as the first player sees it.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Summary {
    pub a: String,
    pub b: String,
    pub games: u64,
    pub wins: u64,
    pub draws: u64,
    pub losses: u64,
    /// Wins, draws and losses with White, then with Black.
    pub by_colour: [[u64; 3]; 2],
    /// Pairs by their points: 0, ½, 1, 1½, 2.
    pub pairs: [u64; 5],
    /// Share of the points.
    pub score: f64,
    /// The papers' interval: half its width.
    pub plain_interval: f64,
    pub elo: Option<Range>,
    pub nelo: Option<Range>,
    /// Likelihood of superiority.
    pub los: Option<f64>,
    /// Share of moves that each feature of the first player decided over, in its searches.
    pub frequencies: Vec<f64>,
    pub mean_plies: f64,
    pub adjudicated: u64,
    pub nodes: u64,
    /// Games that each lost on time.
    #[serde(default)]
    pub on_time: [u64; 2],
    /// Games that each lost because its program failed.
    #[serde(default)]
    pub failures: [u64; 2],
}

/// A value with its error bar of 95 %.
#[derive(Copy, Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Range {
    pub value: f64,
    pub error: Option<f64>,
}

pub const GAME: &str = "game";

/// Random plies of an opening, unless something else is asked for.
const OPENING_PLIES: u32 = 4;

/// So many failures are no accident any more.
const MOST_FAILURES: u64 = 10;

fn most_failures() -> u64 {
    MOST_FAILURES
}

/// Engines on a busy machine answer some milliseconds late; a clock can be budgeted, a fixed time cannot.
const MOVE_TIME_MARGIN: Duration = Duration::from_millis(50);

/// A sequential test may end any time, so openings are found for so many games at once.
const BATCH: u64 = 200;

impl PlayArguments {
    /// What is meant by what was typed. Games come in pairs.
    pub fn resolve(&self, game: &str, games: u64) -> Result<PlayConfig, Failure> {
        let entry = games::find(game)?;
        if !games.is_multiple_of(2) {
            return Err(Failure::input(format!("{games} games are not whole pairs; try {}", games + 1)));
        }
        let plies = self.opening_plies.unwrap_or(OPENING_PLIES);
        let openings = OpeningPlan { start: (entry.start)(&self.start.resolve()?)?, plies, seed: self.seed };
        Ok(PlayConfig {
            adjudicate: self.adjudicate,
            time: self.timing()?.map(|timing| timing.to_string()),
            max_failures: self.max_failures,
            book: self.book.resolve(entry, self.opening_plies, games, self.seed)?,
            ..PlayConfig::new(game, self.nodes, games, openings)
        })
    }

    fn timing(&self) -> Result<Option<TimeLimit>, Failure> {
        let (control, usual) = match (&self.tc, &self.movetime) {
            (Some(clock), _) => (TimeControl::parse_clock(clock)?, Duration::ZERO),
            (None, Some(time)) => (TimeControl::parse_move_time(time)?, MOVE_TIME_MARGIN),
            (None, None) if self.margin.is_some() => {
                return Err(Failure::input("--margin goes with --tc or --movetime; nodes are counted, not timed"));
            }
            (None, None) => return Ok(None),
        };
        let margin = self.margin.as_deref().map(parse_time).transpose()?.unwrap_or(usual);
        Ok(Some(TimeLimit { control, margin }))
    }
}

impl PlayConfig {
    /// Games by nodes, from these openings and with their seed.
    pub fn new(game: &str, nodes: u64, games: u64, openings: OpeningPlan) -> PlayConfig {
        PlayConfig {
            game: game.to_string(),
            nodes,
            games,
            seed: openings.seed,
            adjudicate: false,
            openings,
            time: None,
            max_failures: MOST_FAILURES,
            book: None,
        }
    }

    /// What a move may take.
    fn pace(&self) -> Result<MoveLimit, Failure> {
        Ok(match &self.time {
            Some(time) => MoveLimit::Time(time.parse()?),
            None => MoveLimit::Nodes(self.nodes),
        })
    }

    /// How the games are played, for people.
    pub fn conditions(&self) -> String {
        let pace = match &self.time {
            Some(time) => time.clone(),
            None => format!("{} nodes a move", thousands(self.nodes)),
        };
        let openings = self.book.as_ref().map_or(String::new(), |book| format!(", openings from {}", book.name));
        format!("{pace}, seed {}{openings}", self.seed)
    }

    /// Starts the foreign engines among these players once, before anything is stored: a word that was mistyped should
    /// not leave a run behind.
    pub fn check_players(&self, players: &[String]) -> Result<(), Failure> {
        let game = games::find(&self.game)?;
        for text in players {
            let player = Participant::parse(game, text)?;
            if player.built_in().is_none() {
                // A chair at the other side of the table.
                let other = Participant::parse(game, "classic")?;
                let mut seats =
                    GamePlayers::new(game, &[player, other], self.pace()?, SpawnMode::Guarded, UciTimeouts::default())?;
                seats.prepare(&interrupt::is_raised)?;
            }
        }
        Ok(())
    }
}

/// A set of games to be played, made ready.
pub struct Stage {
    pub game: &'static GameInfo,
    book: Book,
    /// How long openings were looked for.
    pub looking: Duration,
    threads: NonZeroUsize,
    config: PlayConfig,
}

impl Stage {
    /// Makes ready; openings are found when games begin.
    pub fn set(config: &PlayConfig, threads: Option<NonZeroUsize>) -> Result<Stage, Failure> {
        let game = games::find(&config.game)?;
        let book = match &config.book {
            Some(book) => Book::fixed(game, book.openings.clone()),
            None => Book::new(game, &config.openings).map_err(|error| Failure::WrongInput(error.into()))?,
        };
        Ok(Stage {
            game,
            book,
            looking: Duration::ZERO,
            threads: threads.unwrap_or_else(all_cores),
            config: config.clone(),
        })
    }

    /// Finds the openings of so many games.
    fn find_openings(&mut self, games: u64, journal: &Journal) -> Result<(), Failure> {
        let begun = Instant::now();
        let found = self.book.extend_to(games as usize / 2, self.threads, &signals::is_cancelled);
        self.looking += begun.elapsed();
        found.map_err(|error| match error {
            OpeningError::Interrupted => Failure::Interrupted(Some(journal.run())),
            wrong => Failure::WrongInput(wrong.into()),
        })
    }

    /// Plays one contest; every game is recorded as its turn comes. A sequential test may end it early.
    /// Also tells how long the players searched.
    pub fn play(
        &mut self,
        contest_number: usize,
        players: [&Participant; 2],
        test: Option<&Sprt>,
        journal: &Journal,
        progress: &Progress,
    ) -> Result<(Tally, Duration), Failure> {
        let contest = self.contest(players, journal)?;
        let names = players.map(|player| player.print(self.game));
        let most_failures = self.config.max_failures;
        let (mut tally, mut failure, mut ended) = (Tally::default(), None, false);
        let mut seats = contest.seats(self.threads)?;
        let mut thinking = Duration::ZERO;
        let (mut begin, batch) = (0, if test.is_some() { BATCH } else { self.config.games });
        while begin < self.config.games && !ended && failure.is_none() && !signals::is_cancelled() {
            let end = self.config.games.min(begin + batch);
            self.find_openings(end, journal)?;
            let receive = |played: Played| {
                tally.add(&played);
                progress.set_part_done(played.number + 1);
                progress.message(format!("{} against {}: {}", names[0], names[1], tally.games()));
                let too_many = too_many_failures(&tally, &names, &played, most_failures);
                let Played { number, job, record } = played;
                failure = journal.record(GAME, &GameEvent { contest: contest_number, number, job, record }).err();
                failure = failure.take().or(too_many);
                ended =
                    tally.is_even() && test.is_some_and(|test| test.verdict(&tally.pairs()) != SprtVerdict::Continue);
                if ended || failure.is_some() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
            };
            let memo = StoreGames(journal.store());
            let openings = self.book.openings();
            let ran = contest.run(openings, begin..end, &mut seats, &signals::is_cancelled, &memo, receive);
            thinking += ran.map_err(|error| match error {
                ContestError::Memo(error) => Failure::from(error),
                ContestError::Engine(_) if signals::is_cancelled() => Failure::Interrupted(Some(journal.run())),
                ContestError::Engine(error) => Failure::from(error),
            })?;
            begin = end;
        }
        match failure {
            Some(failure) => Err(failure),
            None if !ended && tally.games().games() < u128::from(self.config.games) => {
                Err(Failure::Interrupted(Some(journal.run())))
            }
            None => Ok((tally, thinking)),
        }
    }
}

impl Stage {
    fn contest(&self, players: [&Participant; 2], journal: &Journal) -> Result<Contest, Failure> {
        Ok(Contest {
            game: self.game,
            players: players.map(Participant::clone),
            pace: self.config.pace()?,
            run: format!("run {}", journal.run()),
            launch: SpawnMode::Guarded,
            patience: UciTimeouts::default(),
            seed: self.config.seed,
            adjudicate: self.config.adjudicate,
        })
    }
}

/// Whether a player's program has failed once too often, and what it did last.
fn too_many_failures(tally: &Tally, names: &[String; 2], played: &Played, most: u64) -> Option<Failure> {
    let loser = (0..2).find(|&player| played.record.end.is_failure() && tally.failures[player] >= most)?;
    let games = tally.games().games();
    Some(Failure::Failed(anyhow::anyhow!(
        "'{}' failed in {} of {games} games, which is more than an accident (--max-failures); the last time: {}",
        names[loser],
        tally.failures[loser],
        played.record.reason.as_deref().unwrap_or("for no known reason")
    )))
}

impl Summary {
    /// Sums up a contest.
    pub fn new(a: String, b: String, tally: &Tally) -> Summary {
        let (games, pairs) = (tally.games(), tally.pairs());
        let Wdl { wins, draws, losses } = games;
        let count = wins + draws + losses;
        let forward = |[losses, draws, wins]: [u64; 3]| [wins, draws, losses];
        let Penta(by_points) = pairs;
        Summary {
            a,
            b,
            games: count,
            wins,
            draws,
            losses,
            by_colour: [forward(tally.white), forward(tally.black)],
            pairs: by_points,
            score: games.mean().unwrap_or(0.5),
            plain_interval: normal_interval(&games).map_or(0.0, |interval| interval.half_width()),
            elo: logistic_elo(&pairs).map(Range::from),
            nelo: normalized_elo(&pairs).map(Range::from),
            los: likelihood_of_superiority(&pairs),
            frequencies: tally.frequencies(),
            mean_plies: tally.plies as f64 / count.max(1) as f64,
            adjudicated: tally.adjudicated,
            nodes: tally.nodes,
            on_time: tally.on_time,
            failures: tally.failures,
        }
    }

    /// The pairs, for tests.
    pub fn penta(&self) -> Penta {
        Penta(self.pairs)
    }
}

impl From<EloEstimate> for Range {
    fn from(estimate: EloEstimate) -> Range {
        // Numbers that JSON has no word for are told by a missing error bar.
        Range { value: estimate.value.clamp(-9999.0, 9999.0), error: estimate.error }
    }
}

impl Range {
    /// `+12.34 ± 5.67`.
    pub fn text(&self) -> String {
        match self.error {
            Some(error) => format!("{:+.2} ± {error:.2}", self.value),
            None => format!("{:+.2} ± ?", self.value),
        }
    }
}

/// The store as the memo of games.
struct StoreGames<'a>(&'a Store);

impl GameMemo for StoreGames<'_> {
    type Error = StoreError;

    fn recall(&self, job: &GameJob) -> Result<Option<GameRecord>, StoreError> {
        self.0.result(&job.key())?.map(|result| result.decode()).transpose()
    }

    fn keep(&self, job: &GameJob, record: &GameRecord) -> Result<(), StoreError> {
        self.0.put_result(&job.key(), 1, job, record)
    }
}
