//! Games of a run: how they are played, and the loop that plays one pairing.
//!
//! `match`, `tournament`, `reproduce table4` and `discover --prove` all play through [`PairingRunner`]. Every game is
//! stored when its turn comes, so a resumed run replays the games that it has and plays the others.

use std::num::{NonZeroU64, NonZeroUsize};
use std::ops::ControlFlow;
use std::time::{Duration, Instant};

use plysmith_core::games::{self, GameInfo};
use plysmith_core::search::Workspace;
use plysmith_engine::arena::game::GameEnd;
use plysmith_engine::arena::openings::{Book, OpeningPlan};
use plysmith_engine::arena::time_control::{MoveLimit, TimeLimit};
use plysmith_engine::player::Participant;
use plysmith_engine::player::PlayerError;
use plysmith_engine::process::SpawnMode;
use plysmith_engine::uci::client::UciTimeouts;
use plysmith_learn::stats::outcomes::Outcomes;
use plysmith_learn::stats::sprt::{Sprt, SprtVerdict};
use plysmith_store::RunId;
use serde::{Deserialize, Serialize};

use crate::basis::Part;
use crate::error::RunError;
use crate::evaluation_notes::note_fallbacks;
use crate::events::GameEvent;
use crate::executor::ExecutorError;
use crate::external_engine::patience_of;
use crate::fairness::Fairness;
use crate::generated_openings::extend;
use crate::kind::{Context, Identity, RunKind, check_range};
use crate::memory::ThreadNeed;
use crate::opening_book::OpeningBook;
use crate::pairing::{Pairing, PlayedGame};
use crate::progress::Progress;
use crate::remote::{Blob, JobList, NeededEngine, shared};
use crate::services::Services;
use crate::tally::Tally;
use crate::text_form;
use crate::view::{counted, thousands};

/// How games are played. Stored with the run.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(try_from = "StoredPlay", into = "StoredPlay")]
pub struct PlayConfig {
    /// The game.
    pub game: &'static GameInfo,
    /// The limit of a move.
    pub move_limit: MoveLimit,
    /// Number of games of each pairing; even.
    pub games: u64,
    /// Random seed.
    pub seed: u64,
    /// Whether a game ends as soon as a search has proved who wins it.
    pub adjudicate: bool,
    /// How openings are made.
    pub openings: OpeningPlan,
    /// Openings from a file, used instead.
    pub book: Option<OpeningBook>,
    /// A pairing fails when a player has lost this many games by crashes, timeouts or illegal moves.
    pub max_failures: u64,
    /// The seconds in which a search of an external engine that is not timed has to make progress, if they were asked for.
    pub patience: Option<NonZeroU64>,
}

/// How games are played, as it is stored.
#[derive(Serialize, Deserialize)]
struct StoredPlay {
    game: String,
    nodes: u64,
    games: u64,
    seed: u64,
    adjudicate: bool,
    openings: OpeningPlan,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    book: Option<OpeningBook>,
    #[serde(default, skip_serializing_if = "Option::is_none", with = "text_form::option")]
    time: Option<TimeLimit>,
    #[serde(default = "default_max_failures")]
    max_failures: u64,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    patience: Option<NonZeroU64>,
}

/// More failures than this are not an accident.
pub const DEFAULT_MAX_FAILURES: u64 = 10;

/// Node limit of a move by default. Timed games do not use it, but it is stored with them.
pub const DEFAULT_NODES: u64 = 50_000;

/// Random plies of an opening by default.
pub const DEFAULT_OPENING_PLIES: u32 = 4;

/// A sequential test may end at any time, so openings are made for this many games at once.
const BATCH: u64 = 200;

/// More games than anybody can wait for. Their sums fit.
const MOST_GAMES: u64 = 1_000_000_000;

/// Random plies of an opening at most.
const MOST_OPENING_PLIES: u64 = 40;

/// Fails if this is not a number of games to play: they come in pairs.
pub fn check_games(games: u64) -> Result<(), RunError> {
    if games <= MOST_GAMES && !games.is_multiple_of(2) {
        return Err(RunError::input(format!("{games} games are not a whole number of pairs; try {}", games + 1)));
    }
    check_range("number of games", games, 0..=MOST_GAMES)
}

fn default_max_failures() -> u64 {
    DEFAULT_MAX_FAILURES
}

impl PlayConfig {
    /// Games with a node limit, from these openings and with their seed. Games come in pairs.
    pub fn new(game: &'static GameInfo, nodes: u64, games: u64, openings: OpeningPlan) -> Result<PlayConfig, RunError> {
        check_games(games)?;
        Ok(PlayConfig {
            game,
            move_limit: MoveLimit::Nodes(nodes),
            games,
            seed: openings.seed,
            adjudicate: false,
            openings,
            book: None,
            max_failures: DEFAULT_MAX_FAILURES,
            patience: None,
        })
    }

    /// The game and the seed.
    pub fn identity(&self) -> Identity {
        Identity { game: self.game.name.to_string(), seed: self.seed }
    }

    /// Checks the numbers.
    pub fn validate(&self) -> Result<(), RunError> {
        check_games(self.games)?;
        if let MoveLimit::Nodes(nodes) = self.move_limit {
            check_range("node limit", nodes, 1..=u64::MAX)?;
        }
        check_range("number of random plies", self.openings.plies.into(), 0..=MOST_OPENING_PLIES)?;
        check_range("number of failures", self.max_failures, 1..=u64::MAX)
    }

    /// The parts of the program that games of these players depend on. Openings that are made are balanced by the search.
    pub fn basis<'a>(&self, players: impl IntoIterator<Item = &'a Participant>) -> Vec<Part> {
        let mut parts = if self.book.is_none() { vec![Part::Search] } else { Vec::new() };
        for player in players {
            parts.push(if player.built_in().is_some() { Part::Search } else { Part::External });
            if player.keeps_table() {
                parts.push(Part::Games);
            }
        }
        parts
    }

    /// Reads a player of this game.
    pub fn player(&self, text: &str) -> Result<Participant, PlayerError> {
        Participant::parse(self.game, text)
    }

    /// Reads a player of a stored run, without the weight file that it names.
    pub fn stored_player(&self, text: &str) -> Result<Participant, PlayerError> {
        Participant::parse_stored(self.game, text)
    }

    /// Loads the weight files of players, and notes where they are not for the board.
    pub fn load_weights(&self, players: &[Participant], services: &Services) -> Result<(), RunError> {
        let built_in: Vec<_> = players.iter().filter_map(Participant::built_in).collect();
        built_in.iter().try_for_each(|player| player.load(self.game)).map_err(RunError::input)?;
        let settings: Vec<_> = built_in.iter().map(|player| player.settings).collect();
        let openings = self.book.iter().flat_map(|book| &book.openings).map(|opening| opening.position.as_str());
        let start = self.book.is_none().then_some(self.openings.start.as_str());
        note_fallbacks(self.game, &settings, openings.chain(start), services);
        Ok(())
    }

    /// A player's text.
    pub fn print(&self, player: &Participant) -> String {
        player.print(self.game)
    }

    /// How the games are played, in a few words.
    pub fn conditions(&self) -> String {
        let move_limit = match &self.move_limit {
            MoveLimit::Time(time) => time.to_string(),
            MoveLimit::Nodes(nodes) => format!("{} nodes per move", thousands(*nodes)),
        };
        let openings = self.book.as_ref().map_or(String::new(), |book| format!(", openings from {}", book.name));
        format!("{move_limit}, seed {}{openings}", self.seed)
    }

    /// The timeouts of external engines.
    pub fn timeouts(&self) -> UciTimeouts {
        UciTimeouts::with_patience(patience_of(self.patience))
    }
}

impl From<PlayConfig> for StoredPlay {
    fn from(config: PlayConfig) -> StoredPlay {
        let PlayConfig { game, move_limit, games, seed, adjudicate, openings, book, max_failures, patience } = config;
        let (nodes, time) = match move_limit {
            MoveLimit::Nodes(nodes) => (nodes, None),
            MoveLimit::Time(timing) => (DEFAULT_NODES, Some(timing)),
        };
        let game = game.name.to_string();
        StoredPlay { game, nodes, games, seed, adjudicate, openings, book, time, max_failures, patience }
    }
}

impl TryFrom<StoredPlay> for PlayConfig {
    type Error = RunError;

    fn try_from(stored: StoredPlay) -> Result<PlayConfig, RunError> {
        let StoredPlay { game, nodes, games, seed, adjudicate, openings, book, time, max_failures, patience } = stored;
        let move_limit = time.map_or(MoveLimit::Nodes(nodes), MoveLimit::Time);
        let game = games::find(&game)?;
        Ok(PlayConfig { game, move_limit, games, seed, adjudicate, openings, book, max_failures, patience })
    }
}

/// One pairing of a run.
#[derive(Copy, Clone, Debug)]
pub struct PairingPlan<'a> {
    /// Its number in the run.
    pub number: usize,
    /// The two players. Results are as the first one sees them.
    pub players: [&'a Participant; 2],
    /// A sequential test that may end it early.
    pub test: Option<&'a Sprt>,
}

/// The result of a pairing.
#[derive(Clone, Debug)]
pub struct PairingResult {
    /// The counted results.
    pub tally: Tally,
    /// How long the players searched, all threads together.
    pub thinking: Duration,
}

/// Plays the pairings of a run one after the other. All of them share the openings.
pub struct PairingRunner {
    config: PlayConfig,
    book: Book,
    /// How long openings were searched for.
    pub making_openings: Duration,
}

impl PlayConfig {
    /// What each thread needs for games of these two: both players, and the search that finds openings.
    pub fn need(&self, players: [&Participant; 2]) -> ThreadNeed {
        let presets = &self.game.presets;
        let openings = if self.book.is_some() { 0 } else { Workspace::bytes(&presets.modern()) };
        players
            .into_iter()
            .fold(ThreadNeed::default(), |need, player| need.and(format!("'{}'", self.print(player)), player.memory()))
            .and("openings", openings)
    }
}

impl PairingRunner {
    /// Sets up games. Openings are made when games are played.
    pub fn new(config: &PlayConfig) -> Result<PairingRunner, RunError> {
        let book = match &config.book {
            Some(book) => Book::fixed(config.game, book.openings.clone()),
            None => Book::new(config.game, &config.openings).map_err(RunError::input)?,
        };
        Ok(PairingRunner { config: config.clone(), book, making_openings: Duration::ZERO })
    }

    /// Plays one pairing and stores every game when its turn comes.
    pub fn play<K: RunKind<Event: From<GameEvent>>>(
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
        let games = self.config.games;
        let pairing = self.pairing(plan.players, context.run());
        let threads = services.workers(games, &self.config.need(plan.players))?;
        let mut game_players = pairing.game_players(threads)?;
        let mut count = Count::new(plan, &self.config);
        let mut thinking = Duration::ZERO;
        let (mut begin, batch) = (0, if plan.test.is_some() { BATCH } else { games });
        while begin < games && !count.is_over && !interrupt() {
            let end = games.min(begin + batch);
            self.make_openings(end, threads, &services)?;
            let mut failure = None;
            let receive = |played| match count.add(played, context, progress) {
                Ok(flow) => flow,
                Err(error) => {
                    failure = Some(error);
                    ControlFlow::Break(())
                }
            };
            let ran = pairing.run(&executor, self.book.openings(), begin..end, &mut game_players, receive);
            thinking += ran.map_err(|error| match error {
                ExecutorError::Worker(_) if interrupt() => RunError::Cancelled(None),
                error => error.into(),
            })?;
            if let Some(error) = failure {
                return Err(error);
            }
            begin = end;
        }
        if count.is_over || count.tally.games().games() == u128::from(games) {
            Ok(PairingResult { tally: count.tally, thinking })
        } else {
            Err(RunError::Cancelled(None))
        }
    }

    /// Names the games of a pairing, all of them.
    pub fn list_jobs(
        &mut self,
        players: [&Participant; 2],
        run: RunId,
        services: &Services,
        jobs: &mut JobList<'_>,
    ) -> Result<(), RunError> {
        let games = self.config.games;
        let threads = services.workers(games, &self.config.need(players))?;
        self.make_openings(games, threads, services)?;
        let (blobs, engines) = (sent_weights(players), engines_of(players)?);
        let pairing = self.pairing(players, run);
        (0..games).try_for_each(|number| {
            jobs.add(&pairing.job(number, &self.book.openings()[number as usize / 2]), &blobs, &engines)
        })
    }

    /// Makes the openings of this many games.
    fn make_openings(&mut self, games: u64, threads: NonZeroUsize, services: &Services) -> Result<(), RunError> {
        let begun = Instant::now();
        let count = games as usize / 2;
        let made = extend(&mut self.book, count, services.memo(), threads, &|| services.cancel.is_cancelled());
        self.making_openings += begun.elapsed();
        made
    }

    fn pairing(&self, players: [&Participant; 2], run: RunId) -> Pairing {
        Pairing {
            game: self.config.game,
            players: players.map(Participant::clone),
            move_limit: self.config.move_limit,
            run: format!("run {run}"),
            spawn_mode: SpawnMode::Guarded,
            timeouts: self.config.timeouts(),
            seed: self.config.seed,
            adjudicate: self.config.adjudicate,
        }
    }
}

/// The weights that other machines need for these players.
fn sent_weights(players: [&Participant; 2]) -> Vec<Blob> {
    shared::weights(players.iter().filter_map(|player| player.built_in()).map(|player| &player.settings))
}

/// The external engines that other machines need for these players.
fn engines_of(players: [&Participant; 2]) -> Result<Vec<NeededEngine>, RunError> {
    let needed = players.into_iter().filter_map(|player| match player {
        Participant::Uci(uci) => Some(&uci.command),
        Participant::BuiltIn(_) => None,
    });
    needed.map(NeededEngine::of).collect::<Result<_, _>>().map_err(RunError::input)
}

/// The games of a pairing so far.
struct Count<'a> {
    pairing: usize,
    names: [String; 2],
    test: Option<&'a Sprt>,
    max_failures: u64,
    move_limit: MoveLimit,
    tally: Tally,
    /// Whether the user was told of a player that takes more nodes than it may.
    told_of_nodes: [bool; 2],
    /// Whether the sequential test has accepted a hypothesis.
    is_over: bool,
}

impl<'a> Count<'a> {
    fn new(plan: &PairingPlan<'a>, config: &PlayConfig) -> Count<'a> {
        Count {
            pairing: plan.number,
            names: plan.players.map(|player| config.print(player)),
            test: plan.test,
            max_failures: config.max_failures,
            move_limit: config.move_limit,
            told_of_nodes: [false; 2],
            tally: Tally::default(),
            is_over: false,
        }
    }

    /// Counts and stores a game; breaks if it is the last one that is needed.
    fn add<K: RunKind<Event: From<GameEvent>>>(
        &mut self,
        played: PlayedGame,
        context: &mut Context<K>,
        progress: &Progress,
    ) -> Result<ControlFlow<()>, RunError> {
        self.tally.add(&played);
        progress.set_part_done(played.number + 1);
        progress.message(format!("{} against {}: {}", self.names[0], self.names[1], self.tally.games()));
        self.tell(&played, progress);
        let too_many = self.too_many_failures(&played);
        context.record(GameEvent::new(self.pairing, played, context.format()))?;
        if let Some(error) = too_many {
            return Err(error);
        }
        let decided = |test: &Sprt| test.verdict(&self.tally.pairs()) != SprtVerdict::Continue;
        self.is_over = self.tally.is_even() && self.test.is_some_and(decided);
        Ok(if self.is_over { ControlFlow::Break(()) } else { ControlFlow::Continue(()) })
    }

    /// Tells the user at once what makes the result doubtful.
    fn tell(&mut self, played: &PlayedGame, progress: &Progress) {
        let names = self.names.each_ref().map(String::as_str);
        let fairness = Fairness { names, move_limit: self.move_limit, tally: &self.tally };
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
    fn too_many_failures(&self, played: &PlayedGame) -> Option<RunError> {
        let failures = self.tally.failures;
        let loser = (0..2).find(|&player| played.record.end.is_failure() && failures[player] >= self.max_failures)?;
        Some(RunError::failed(format!(
            "'{}' failed in {} of {} games, which is the limit (--max-failures); the last failure: {}",
            self.names[loser],
            failures[loser],
            self.tally.games().games(),
            played.record.reason.as_deref().unwrap_or("for no known reason")
        )))
    }
}
