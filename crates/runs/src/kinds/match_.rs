//! `match`: one player against another, until all games are played or a sequential test has ended. A match can be extended
//! by another one, which counts its games (`extension`).

use std::collections::BTreeMap;

use plysmith_engine::player::Participant;
use plysmith_learn::stats::outcomes::Outcomes;
use plysmith_learn::stats::sprt::Sprt;
use plysmith_store::{Run, RunId, Store};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::basis::Part;
use crate::contestants::Contestants;
use crate::error::RunError;
use crate::events::{GAME, GameEvent, WholeGame, resolve};
use crate::fairness::Fairness;
use crate::headline::Headline;
use crate::kind::{Context, Identity, Rows, RunKind};
use crate::kinds::game_pages::{self, Played};
use crate::match_report::MatchReport;
use crate::pairing::{EarlierGames, PlayedGame};
use crate::pairing_runner::{PairingPlan, PairingRunner, run_name};
use crate::play::PlayConfig;
use crate::remote::JobList;
use crate::sequential_test::{TestConfig, TestResult};
use crate::services::Services;
use crate::summary::Summary;
use crate::tally::Tally;
use crate::view::{View, thousands};

/// The run kind.
pub struct Match;

/// Who plays whom, and how.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(try_from = "StoredConfig", into = "StoredConfig")]
pub struct Config {
    /// The two players.
    pub players: [Participant; 2],
    /// How they play.
    pub play: PlayConfig,
    /// A sequential test that may end the match early.
    pub test: Option<TestConfig>,
    /// What the players were when the run was started; none before that.
    pub contestants: Option<Contestants>,
    /// The runs that this one extends, by the number of games that they leave.
    pub extends: Vec<ExtendedRun>,
}

/// A run whose games count for another one.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct ExtendedRun {
    /// The run.
    pub run: RunId,
    /// Its games, those of the runs that it extends among them.
    pub games: u64,
}

impl ExtendedRun {
    fn earlier_games(&self) -> EarlierGames {
        EarlierGames { run: run_name(self.run), games: self.games }
    }
}

/// A match as it is stored.
#[derive(Serialize, Deserialize)]
struct StoredConfig {
    a: String,
    b: String,
    play: PlayConfig,
    test: Option<TestConfig>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    contestants: Option<Contestants>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    extends: Vec<ExtendedRun>,
}

/// Games that are ready to be played.
pub struct Prepared {
    /// Plays them.
    pub runner: PairingRunner,
    /// What the players are.
    pub contestants: Contestants,
}

impl Prepared {
    /// Loads weight files, starts each engine once, and fails if one is not what it was when the run was started.
    pub fn new(
        play: &PlayConfig,
        players: &[Participant],
        started_with: Option<&Contestants>,
        services: &Services,
    ) -> Result<Prepared, RunError> {
        play.check_names(players)?;
        play.load_weights(players, services)?;
        let contestants = Contestants::identify(play, players, services)?;
        started_with.map_or(Ok(()), |started_with| contestants.check(started_with))?;
        Ok(Prepared { runner: PairingRunner::new(play)?, contestants })
    }
}

/// What happens in a run that plays games.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(tag = "kind", content = "payload", rename_all = "lowercase")]
pub enum Event {
    /// A game was played.
    Game(GameEvent),
}

/// The result of a match.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct MatchResult {
    /// The statistics.
    #[serde(flatten)]
    pub summary: Summary,
    /// The sequential test.
    pub test: Option<TestResult>,
}

/// What a game has, for tables.
pub const GAME_ROWS: Rows = Rows {
    event: GAME,
    columns: &["contest", "number", "white", "black", "winner", "end", "position", "nodes", "seed"],
};

impl Config {
    /// A match of these players.
    pub fn new(players: [Participant; 2], play: PlayConfig, test: Option<TestConfig>) -> Config {
        Config { players, play, test, contestants: None, extends: Vec::new() }
    }

    fn extended_text(&self) -> String {
        self.extends.last().map_or(String::new(), |extended| {
            format!("the first {} games are those of run {}\n", extended.games, extended.run)
        })
    }

    /// Fails if there is no memory for the players of all threads.
    fn check_memory(&self, services: &Services) -> Result<(), RunError> {
        services.check_memory(self.play.games, &self.play.need(self.players.each_ref()))
    }
}

impl RunKind for Match {
    const NAME: &'static str = "match";
    type Config = Config;
    type Event = Event;
    type Output = MatchResult;
    type Prepared = Prepared;

    fn identity(config: &Config) -> Identity {
        config.play.identity()
    }

    fn basis(config: &Config) -> Vec<Part> {
        config.play.basis(&config.players)
    }

    fn validate(config: &Config) -> Result<(), RunError> {
        config.test.as_ref().map(TestConfig::build).transpose()?;
        config.play.validate()
    }

    fn prepare(config: &Config, services: &Services) -> Result<Prepared, RunError> {
        config.check_memory(services)?;
        Prepared::new(&config.play, &config.players, config.contestants.as_ref(), services)
    }

    fn stored_config(config: &Config, prepared: &Prepared) -> Result<Value, RunError> {
        let contestants = Some(prepared.contestants.clone());
        serde_json::to_value(Config { contestants, ..config.clone() }).map_err(RunError::failed)
    }

    fn check_resume(config: &Config, run: &Run, services: &Services) -> Result<(), RunError> {
        Contestants::check_resume(config.contestants.as_ref(), &config.players, run, services)
    }

    fn parent(config: &Config) -> Option<RunId> {
        config.extends.last().map(|extended| extended.run)
    }

    fn run(config: &Config, prepared: Prepared, context: &mut Context<Match>) -> Result<MatchResult, RunError> {
        let Config { players: [a, b], play, test, extends, .. } = config;
        let mut runner = prepared.runner;
        let progress = context.services().begin_progress(play.games);
        progress.message("looking for openings");
        let sprt = test.as_ref().map(TestConfig::build).transpose()?;
        let earlier: Vec<_> = extends.iter().map(ExtendedRun::earlier_games).collect();
        let plan =
            PairingPlan { test: sprt.as_ref(), earlier: &earlier, is_reported: true, ..PairingPlan::new(0, [a, b]) };
        let played = runner.play(&plan, context, &progress)?;
        let limits = play.limits([a, b]);
        let names = [a, b].map(|player| play.name(player));
        let fairness = Fairness { names: names.each_ref().map(String::as_str), limits, tally: &played.tally };
        let caution = fairness.caution();
        let [a, b] = names;
        let summary = Summary::new(a, b, limits, &played.tally);
        let test =
            test.as_ref().map(|test| TestResult::of_match(test, &summary.penta(), &summary.wdl())).transpose()?;
        let test = test.map(|test| test.with_caution(caution));
        Ok(MatchResult { summary, test })
    }

    fn jobs(
        config: &Config,
        prepared: Prepared,
        run: RunId,
        services: &Services,
        jobs: &mut JobList<'_>,
    ) -> Result<(), RunError> {
        let Config { players: [a, b], test, extends, .. } = config;
        if test.is_some() {
            return Err(RunError::input(format!(
                "run {run} is a sequential test, which ends at a game that is not known before; `plysmith resume {run}` plays \
                 on, and with --cluster on many machines; or play a match of a fixed number of games"
            )));
        }
        let mut runner = prepared.runner;
        let earlier: Vec<_> = extends.iter().map(ExtendedRun::earlier_games).collect();
        let plan = PairingPlan { earlier: &earlier, ..PairingPlan::new(0, [a, b]) };
        runner.list_jobs(&plan, run, services, jobs)
    }

    fn view(config: &Config, result: &MatchResult) -> View {
        let MatchResult { summary, test } = result;
        let Summary { a, b, .. } = summary;
        let play = &config.play;
        View::new()
            .text(format!("{a} against {b} ({}, {}):\n\n", play.game.name, play.conditions_of(&config.players)))
            .text(play.legend(&config.players))
            .text(summary.text())
            .text(test.as_ref().map_or(String::new(), TestResult::text))
            .text(config.extended_text())
    }

    fn headline(_: &Config, result: &MatchResult) -> Headline {
        let test = result.test.as_ref().map_or(String::new(), |test| format!(", {}", test.verdict));
        result.summary.headline(&test)
    }

    fn partial_view(_: &Config, events: &[Event]) -> View {
        games_so_far(events.len())
    }

    fn partial_view_of_run(config: &Config, store: &Store, run: &Run) -> Result<View, RunError> {
        let tallies = tallies(store, run)?;
        let [a, b] = config.players.each_ref();
        let names = [a, b].map(|player| config.play.name(player));
        let sprt = config.test.as_ref().map(TestConfig::build).transpose()?;
        let view = View::new().text(format!("{} of {} games:\n\n", counted_games(&tallies), config.play.games));
        Ok(match tallies.values().next() {
            None => view,
            Some(tally) => view.text(state_of(&names, tally, sprt.as_ref())),
        }
        .text("`plysmith export RUN --format pgn` has the games\n"))
    }

    fn page(
        config: &Config,
        output: Option<&MatchResult>,
        events: &mut dyn Iterator<Item = Result<Event, RunError>>,
    ) -> Result<View, RunError> {
        let mut games = events.map(|event| event.map(|Event::Game(game)| game));
        let is_short = output.is_none_or(|result| game_pages::is_short(result.summary.games));
        let played = if is_short { Played::read(&mut games)? } else { Vec::new() };
        let played = played.into_iter().next().unwrap_or_default();
        let (summary, test) = match output {
            Some(result) => (result.summary.clone(), result.test.clone()),
            None => {
                let limits = config.play.limits(config.players.each_ref());
                let [a, b] = config.players.each_ref().map(|player| config.play.name(player));
                let summary = Summary::new(a, b, limits, &played.tally);
                let state = |test| TestResult::of_match(test, &summary.penta(), &summary.wdl());
                let test = config.test.as_ref().map(state).transpose()?;
                (summary, test)
            }
        };
        let (Summary { a, b, games, .. }, play) = (&summary, &config.play);
        let so_far = if output.is_none() { " so far" } else { "" };
        let words = format!(
            "{a} against {b} ({}, {}): {} games{so_far}.\n",
            play.game.name,
            play.conditions_of(&config.players),
            thousands(*games)
        );
        let view = View::new().text(words);
        let view = match &test {
            Some(test) => game_pages::test_view(view, test, &summary, output.is_some(), &played)?,
            None => view,
        };
        Ok(game_pages::score_view(view, &summary))
    }

    fn rows(_: &Config) -> Rows {
        GAME_ROWS
    }
}

/// The games of an unfinished run, by pairing.
pub(super) fn tallies(store: &Store, run: &Run) -> Result<BTreeMap<usize, Tally>, RunError> {
    let mut tallies: BTreeMap<usize, Tally> = BTreeMap::new();
    for event in store.stream_events(run.id, 0).of_kind(GAME) {
        let WholeGame { pairing, number, job, record } = resolve(store, run, event?)?.decode()?;
        tallies.entry(pairing).or_default().add(&PlayedGame { number, job, record });
    }
    Ok(tallies)
}

/// How many games these are.
pub(super) fn counted_games(tallies: &BTreeMap<usize, Tally>) -> u64 {
    tallies.values().map(|tally| tally.games().games() as u64).sum()
}

/// The state of a pairing, as it is reported while it is played.
pub(super) fn state_of(names: &[String; 2], tally: &Tally, test: Option<&Sprt>) -> String {
    let names = names.each_ref().map(String::as_str);
    MatchReport { names, tally, test, speed: None }.text() + "\n\n"
}

/// What there is of an unfinished run that plays games.
pub(super) fn games_so_far(count: usize) -> View {
    View::new().text(format!("{count} games so far; `plysmith export RUN --format pgn` has them\n"))
}

impl From<GameEvent> for Event {
    fn from(event: GameEvent) -> Event {
        Event::Game(event)
    }
}

impl From<Config> for StoredConfig {
    fn from(config: Config) -> StoredConfig {
        let Config { players, play, test, contestants, extends } = config;
        let [a, b] = players.map(|player| play.print(&player));
        StoredConfig { a, b, play, test, contestants, extends }
    }
}

impl TryFrom<StoredConfig> for Config {
    type Error = RunError;

    fn try_from(stored: StoredConfig) -> Result<Config, RunError> {
        let StoredConfig { a, b, play, test, contestants, extends } = stored;
        Ok(Config { players: [play.stored_player(&a)?, play.stored_player(&b)?], play, test, contestants, extends })
    }
}
