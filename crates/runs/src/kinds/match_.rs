//! `match`: one player against another, until all games are played or a sequential test has ended.

use plysmith_engine::player::Participant;
use serde::{Deserialize, Serialize};

use crate::basis::Part;
use crate::error::RunError;
use crate::events::{GAME, GameEvent};
use crate::kind::{Context, Identity, Rows, RunKind};
use crate::play::{PairingPlan, PairingRunner, PlayConfig};
use crate::sequential_test::{TestConfig, TestResult};
use crate::services::Services;
use crate::summary::Summary;
use crate::view::View;

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
}

/// A match as it is stored.
#[derive(Serialize, Deserialize)]
struct StoredConfig {
    a: String,
    b: String,
    play: PlayConfig,
    test: Option<TestConfig>,
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
    type Prepared = PairingRunner;

    fn identity(config: &Config) -> Identity {
        config.play.identity()
    }

    fn basis(config: &Config) -> Vec<Part> {
        config.play.basis(&config.players)
    }

    fn validate(config: &Config) -> Result<(), RunError> {
        config.play.validate()
    }

    fn check(config: &Config, services: &Services) -> Result<(), RunError> {
        config.check_memory(services)?;
        config.play.check_players(&config.players, services)
    }

    fn prepare(config: &Config, services: &Services) -> Result<PairingRunner, RunError> {
        config.check_memory(services)?;
        PairingRunner::new(&config.play)
    }

    fn run(config: &Config, mut runner: PairingRunner, context: &mut Context<Match>) -> Result<MatchResult, RunError> {
        let Config { players: [a, b], play, test } = config;
        let progress = context.services().begin_progress(play.games);
        progress.message("looking for openings");
        let sprt = test.as_ref().map(TestConfig::build).transpose()?;
        let plan = PairingPlan { number: 0, players: [a, b], test: sprt.as_ref() };
        let played = runner.play(&plan, context, &progress)?;
        let summary = Summary::new(play.print(a), play.print(b), &played.tally);
        let test = test.as_ref().map(|test| TestResult::new(test, &summary.penta())).transpose()?;
        Ok(MatchResult { summary, test })
    }

    fn view(config: &Config, result: &MatchResult) -> View {
        let MatchResult { summary, test } = result;
        let Summary { a, b, .. } = summary;
        let play = &config.play;
        View::new()
            .text(format!("{a} against {b} ({}, {}):\n\n", play.game.name, play.conditions()))
            .text(summary.text())
            .text(test.as_ref().map_or(String::new(), TestResult::text))
    }

    fn partial_view(_: &Config, events: &[Event]) -> View {
        games_so_far(events.len())
    }

    fn partial_view_of_stream(
        _: &Config,
        events: &mut dyn Iterator<Item = Result<Event, RunError>>,
    ) -> Result<View, RunError> {
        count_games(events)
    }

    fn rows(_: &Config) -> Rows {
        GAME_ROWS
    }
}

/// What there is of an unfinished run that plays games.
pub(super) fn games_so_far(count: usize) -> View {
    View::new().text(format!("{count} games so far; `plysmith export RUN --format pgn` has them\n"))
}

/// Counts the games of an unfinished run without keeping them.
pub(super) fn count_games<E>(events: &mut dyn Iterator<Item = Result<E, RunError>>) -> Result<View, RunError> {
    let mut count = 0;
    for event in events {
        event?;
        count += 1;
    }
    Ok(games_so_far(count))
}

impl From<GameEvent> for Event {
    fn from(event: GameEvent) -> Event {
        Event::Game(event)
    }
}

impl From<Config> for StoredConfig {
    fn from(config: Config) -> StoredConfig {
        let Config { players, play, test } = config;
        let [a, b] = players.map(|player| play.print(&player));
        StoredConfig { a, b, play, test }
    }
}

impl TryFrom<StoredConfig> for Config {
    type Error = RunError;

    fn try_from(stored: StoredConfig) -> Result<Config, RunError> {
        let StoredConfig { a, b, play, test } = stored;
        Ok(Config { players: [play.player(&a)?, play.player(&b)?], play, test })
    }
}
