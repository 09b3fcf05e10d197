//! The loop that plays the pairings of a run.
//!
//! `match`, `tournament`, `reproduce table4` and `discover --prove` all play through [`PairingRunner`]. Every game is
//! stored when its turn comes, so a resumed run replays the games that it has and plays the others.

use std::num::NonZeroUsize;
use std::ops::ControlFlow;
use std::time::{Duration, Instant};

use plysmith_engine::arena::game::GameEnd;
use plysmith_engine::arena::openings::Book;
use plysmith_engine::arena::time_control::MoveLimit;
use plysmith_engine::player::Participant;
use plysmith_engine::process::SpawnMode;
use plysmith_learn::stats::outcomes::Outcomes;
use plysmith_learn::stats::sprt::{Sprt, SprtVerdict};
use plysmith_store::RunId;

use crate::error::RunError;
use crate::events::GameEvent;
use crate::executor::ExecutorError;
use crate::fairness::Fairness;
use crate::game_file::GameFile;
use crate::generated_openings::extend;
use crate::kind::{Context, RunKind};
use crate::match_report::{MatchReport, Reporter};
use crate::pairing::{EarlierGames, GameError, Pairing, PlayedGame, opening_of};
use crate::play::PlayConfig;
use crate::progress::Progress;
use crate::remote::{Blob, JobList, NeededEngine, shared};
use crate::services::Services;
use crate::tally::Tally;
use crate::view::counted;

/// A sequential test may end at any time, so openings are made for this many games at once.
const BATCH: u64 = 200;

/// One pairing of a run.
#[derive(Copy, Clone, Debug)]
pub struct PairingPlan<'a> {
    /// Its number in the run.
    pub number: usize,
    /// The two players. Results are as the first one sees them.
    pub players: [&'a Participant; 2],
    /// A sequential test that may end it early.
    pub test: Option<&'a Sprt>,
    /// Games that earlier runs have played, by rising number.
    pub earlier: &'a [EarlierGames],
    /// Whether the state of the match is reported from time to time.
    pub is_reported: bool,
    /// How many games are played, if not all: a player has failed for good.
    pub games: Option<u64>,
}

impl<'a> PairingPlan<'a> {
    /// A pairing with nothing special.
    pub fn new(number: usize, players: [&'a Participant; 2]) -> PairingPlan<'a> {
        PairingPlan { number, players, test: None, earlier: &[], is_reported: false, games: None }
    }
}

/// The result of a pairing.
#[derive(Debug)]
pub struct PairingResult {
    /// The counted results.
    pub tally: Tally,
    /// How long the players searched, all threads together.
    pub searching: Duration,
    /// When the first move was asked for, if games were played.
    pub first_asked: Option<Instant>,
    /// Why the rest of the games was not played, if one of the players can play no more.
    pub failure: Option<PlayerFailure>,
}

/// A player that can play no more.
#[derive(Debug)]
pub struct PlayerFailure {
    /// Which of the two.
    pub player: usize,
    /// What happened.
    pub error: RunError,
}

/// Plays the pairings of a run one after the other. All of them share the openings.
pub struct PairingRunner {
    config: PlayConfig,
    book: Book,
    /// Opened when the first game is written.
    game_file: Option<GameFile>,
    /// How long openings were searched for.
    pub making_openings: Duration,
}

impl PairingRunner {
    /// Sets up games. Openings are made when games are played.
    pub fn new(config: &PlayConfig) -> Result<PairingRunner, RunError> {
        let book = match &config.book {
            Some(book) => Book::fixed(config.game, book.openings.clone()),
            None => Book::new(config.game, &config.openings).map_err(RunError::input)?,
        };
        Ok(PairingRunner { config: config.clone(), book, game_file: None, making_openings: Duration::ZERO })
    }

    /// Plays one pairing and stores every game when its turn comes. Fails if a player can play no more.
    pub fn play<K: RunKind<Event: From<GameEvent>>>(
        &mut self,
        plan: &PairingPlan<'_>,
        context: &mut Context<K>,
        progress: &Progress,
    ) -> Result<PairingResult, RunError> {
        let mut result = self.play_while_possible(plan, context, progress)?;
        match result.failure.take() {
            Some(PlayerFailure { error, .. }) => Err(error),
            None => Ok(result),
        }
    }

    /// Plays one pairing until a player can play no more.
    pub fn play_while_possible<K: RunKind<Event: From<GameEvent>>>(
        &mut self,
        plan: &PairingPlan<'_>,
        context: &mut Context<K>,
        progress: &Progress,
    ) -> Result<PairingResult, RunError> {
        let services = context.services().clone();
        let interrupt = || services.cancel.is_cancelled();
        let (blobs, engines) = (
            sent_weights(plan.players),
            services.remote.as_ref().map_or(Ok(Vec::new()), |_| engines_of(plan.players))?,
        );
        let executor = services.executor(&interrupt).with_blobs(&blobs, &engines);
        let games = plan.games.unwrap_or(self.config.games);
        let pairing = Pairing { traffic: services.traffic.clone(), ..self.pairing(plan, context.run()) };
        let threads = services.workers(games, &self.config.need(plan.players))?;
        let mut game_players = pairing.game_players(threads)?;
        let mut count = Count::new(plan, &self.config, progress);
        self.open_game_file(context)?;
        let mut failure = None;
        let (mut begin, batch) = (0, if plan.test.is_some() { BATCH } else { games });
        while begin < games && !count.is_over && failure.is_none() && !interrupt() {
            let end = games.min(begin + batch);
            match self.make_openings(end, threads, &services) {
                // The games before it are reported.
                Err(RunError::Cancelled(_)) => break,
                made => made?,
            }
            let mut broken = None;
            let game_file = &mut self.game_file;
            let receive = |played, is_new| match count.add(played, is_new, context, progress, game_file) {
                Ok(flow) => flow,
                Err(error) => {
                    broken = Some(error);
                    ControlFlow::Break(())
                }
            };
            match pairing.run(&executor, self.book.openings(), begin..end, &mut game_players, receive) {
                Ok(()) => {}
                Err(ExecutorError::Worker(_)) if interrupt() => {}
                Err(ExecutorError::Worker(GameError { player: Some(player), error })) => {
                    failure = Some(PlayerFailure { player, error: error.into() });
                }
                Err(error) => return Err(error.into()),
            }
            if let Some(error) = broken {
                return Err(error);
            }
            failure = count.failure.take().or(failure);
            begin = end;
        }
        if count.is_over || failure.is_some() || count.tally.games().games() == u128::from(games) {
            let searching = game_players.iter().map(|players| players.searching).sum();
            let first_asked = game_players.iter().filter_map(|players| players.first_asked).min();
            Ok(PairingResult { tally: count.tally, searching, first_asked, failure })
        } else {
            count.report_now(progress);
            Err(RunError::Cancelled(None))
        }
    }

    /// Names the games of a pairing, all of them.
    pub fn list_jobs(
        &mut self,
        plan: &PairingPlan<'_>,
        run: RunId,
        services: &Services,
        jobs: &mut JobList<'_>,
    ) -> Result<(), RunError> {
        let games = self.config.games;
        let threads = services.workers(games, &self.config.need(plan.players))?;
        self.make_openings(games, threads, services)?;
        let (blobs, engines) = (sent_weights(plan.players), engines_of(plan.players)?);
        let pairing = self.pairing(plan, run);
        (0..games).try_for_each(|number| {
            jobs.add(&pairing.job(number, opening_of(number, self.book.openings())), &blobs, &engines)
        })
    }

    /// Makes the openings of this many games.
    fn make_openings(&mut self, games: u64, threads: NonZeroUsize, services: &Services) -> Result<(), RunError> {
        let begun = Instant::now();
        // A player may have failed for good in the first game of a pair.
        let count = games.div_ceil(2) as usize;
        let made = extend(&mut self.book, count, services.memo(), threads, &|| services.cancel.is_cancelled());
        self.making_openings += begun.elapsed();
        made
    }

    fn pairing(&self, plan: &PairingPlan<'_>, run: RunId) -> Pairing {
        Pairing {
            game: self.config.game,
            players: plan.players.map(Participant::clone),
            move_limit: self.config.move_limit,
            run: run_name(run),
            earlier: plan.earlier.to_vec(),
            spawn_mode: SpawnMode::Guarded,
            timeouts: self.config.timeouts(),
            seed: self.config.seed,
            adjudicate: self.config.adjudicate,
            rules: self.config.rules,
            details: self.config.details,
            traffic: None,
        }
    }

    /// Opens the file that games are written to, if there is one and it is not open yet.
    fn open_game_file<K: RunKind<Event: From<GameEvent>>>(&mut self, context: &Context<K>) -> Result<(), RunError> {
        if let (Some(config), None) = (&self.config.game_file, &self.game_file) {
            let run = context.services().store.run(context.run())?;
            self.game_file = Some(GameFile::open(config.clone(), run)?);
        }
        Ok(())
    }
}

/// The weights that other machines need for these players.
fn sent_weights(players: [&Participant; 2]) -> Vec<Blob> {
    shared::weights(players.iter().filter_map(|player| player.built_in()).map(|player| &player.settings))
}

/// The external engines that other machines need for these players.
fn engines_of(players: [&Participant; 2]) -> Result<Vec<NeededEngine>, RunError> {
    let needed = players.into_iter().filter_map(|player| Some(&player.uci()?.command));
    needed.map(NeededEngine::of).collect::<Result<_, _>>().map_err(RunError::input)
}

/// How a run is called in the jobs of games that cannot be repeated.
pub fn run_name(run: RunId) -> String {
    format!("run {run}")
}

/// The games of a pairing so far.
struct Count<'a> {
    pairing: usize,
    names: [String; 2],
    test: Option<&'a Sprt>,
    max_failures: u64,
    limits: [MoveLimit; 2],
    tally: Tally,
    reporter: Reporter,
    /// Whether the user was told of a player that takes more nodes than it may.
    told_of_nodes: [bool; 2],
    /// Whether the sequential test has accepted a hypothesis.
    is_over: bool,
    /// A player that has failed too often.
    failure: Option<PlayerFailure>,
}

impl<'a> Count<'a> {
    fn new(plan: &PairingPlan<'a>, config: &PlayConfig, progress: &Progress) -> Count<'a> {
        Count {
            pairing: plan.number,
            names: plan.players.map(|player| config.name(player)),
            test: plan.test,
            max_failures: config.max_failures,
            limits: config.limits(plan.players),
            told_of_nodes: [false; 2],
            tally: Tally::default(),
            reporter: Reporter::new(plan.is_reported.then(|| progress.report_interval()), config.games),
            is_over: false,
            failure: None,
        }
    }

    /// Counts and stores a game; breaks if it is the last one that is needed.
    fn add<K: RunKind<Event: From<GameEvent>>>(
        &mut self,
        played: PlayedGame,
        is_new: bool,
        context: &mut Context<K>,
        progress: &Progress,
        game_file: &mut Option<GameFile>,
    ) -> Result<ControlFlow<()>, RunError> {
        self.tally.add(&played);
        progress.set_part_done(played.number + 1);
        progress.message(format!("{} against {}: {}", self.names[0], self.names[1], self.tally.games()));
        self.tell(&played, progress);
        self.failure = self.too_many_failures(&played);
        let text = game_file.as_ref().map(|file| file.text(self.pairing, &played)).transpose()?;
        context.record(GameEvent::new(self.pairing, played, context.format()))?;
        // Not before it is stored: what is in the file is in the store.
        if let (Some(file), Some(text)) = (game_file, text) {
            file.write(&text, progress);
        }
        let decided = |test: &Sprt| test.verdict_of(&self.tally.pairs(), &self.tally.games()) != SprtVerdict::Continue;
        self.is_over = self.tally.is_even() && self.test.is_some_and(decided);
        let ends = self.is_over || self.failure.is_some();
        if self.reporter.is_due(self.tally.games().games() as u64, is_new) && !ends {
            self.report_now(progress);
        }
        Ok(if ends { ControlFlow::Break(()) } else { ControlFlow::Continue(()) })
    }

    /// Reports the state of the match, if somebody wants to know.
    fn report_now(&self, progress: &Progress) {
        let games = self.tally.games().games() as u64;
        if self.reporter.is_wanted() && games > 0 {
            let names = self.names.each_ref().map(String::as_str);
            let report = MatchReport { names, tally: &self.tally, test: self.test, speed: self.reporter.speed() };
            progress.note(report.text());
        }
    }

    /// Tells the user at once what makes the result doubtful.
    fn tell(&mut self, played: &PlayedGame, progress: &Progress) {
        let names = self.names.each_ref().map(String::as_str);
        let fairness = Fairness { names, limits: self.limits, tally: &self.tally };
        let game = played.number + 1;
        if played.record.replays > 0 {
            progress.note(format!(
                "note: game {game} was replayed, because plysmith was stopped or suspended in the middle of it"
            ));
        }
        for player in 0..2 {
            if !self.told_of_nodes[player]
                && let Some(warning) = fairness.node_warning(player)
            {
                self.told_of_nodes[player] = true;
                progress.note(format!("warning: after {}, {warning}", counted(game as usize, "game")));
            }
        }
        // Again whenever there are twice as many.
        let is_lost_on_time = played.record.end == GameEnd::Time;
        if is_lost_on_time
            && fairness.lost_on_time().is_power_of_two()
            && let Some(warning) = fairness.time_warning()
        {
            progress.note(format!("warning: {warning}"));
        }
    }

    /// Whether a player's program has failed too often, and what it did last.
    fn too_many_failures(&self, played: &PlayedGame) -> Option<PlayerFailure> {
        let failures = self.tally.failures;
        let player = (0..2).find(|&player| played.record.end.is_failure() && failures[player] >= self.max_failures)?;
        let error = RunError::failed(format!(
            "'{}' failed in {} of {} games, which is the limit (--max-failures); the last failure: {}",
            self.names[player],
            failures[player],
            self.tally.games().games(),
            played.record.reason.as_deref().unwrap_or("for no known reason")
        ));
        Some(PlayerFailure { player, error })
    }
}
