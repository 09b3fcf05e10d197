//! `match`: one player against another, until all games are played or a sequential test has ended.

use plysmith_engine::player::Participant;
use plysmith_store::{Run, RunId};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::basis::Part;
use crate::contestants::Contestants;
use crate::error::RunError;
use crate::events::{GAME, GameEvent};
use crate::fairness::Fairness;
use crate::headline::Headline;
use crate::kind::{Context, Identity, Rows, RunKind};
use crate::kinds::game_pages::{self, Played};
use crate::play::{PairingPlan, PairingRunner, PlayConfig};
use crate::remote::JobList;
use crate::sequential_test::{TestConfig, TestResult};
use crate::services::Services;
use crate::summary::Summary;
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

    fn run(config: &Config, prepared: Prepared, context: &mut Context<Match>) -> Result<MatchResult, RunError> {
        let Config { players: [a, b], play, test, .. } = config;
        let mut runner = prepared.runner;
        let progress = context.services().begin_progress(play.games);
        progress.message("looking for openings");
        let sprt = test.as_ref().map(TestConfig::build).transpose()?;
        let plan = PairingPlan { number: 0, players: [a, b], test: sprt.as_ref() };
        let played = runner.play(&plan, context, &progress)?;
        let names = [a, b].map(|player| play.print(player));
        let caution =
            Fairness { names: names.each_ref().map(String::as_str), move_limit: play.move_limit, tally: &played.tally }
                .caution();
        let [a, b] = names;
        let summary = Summary::new(a, b, play.move_limit, &played.tally);
        let test = test.as_ref().map(|test| TestResult::new(test, &summary.penta())).transpose()?;
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
        let Config { players: [a, b], test, .. } = config;
        if test.is_some() {
            return Err(RunError::input(format!(
                "run {run} is a sequential test, which ends at a game that is not known before; `plysmith resume {run}` plays \
                 on, and with --cluster on many machines; or play a match of a fixed number of games"
            )));
        }
        let mut runner = prepared.runner;
        runner.list_jobs([a, b], run, services, jobs)
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

    fn headline(_: &Config, result: &MatchResult) -> Headline {
        let test = result.test.as_ref().map_or(String::new(), |test| format!(", {}", test.verdict));
        result.summary.headline(&test)
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
                let [a, b] = config.players.each_ref().map(|player| config.play.print(player));
                let summary = Summary::new(a, b, config.play.move_limit, &played.tally);
                let test = config.test.as_ref().map(|test| TestResult::new(test, &summary.penta())).transpose()?;
                (summary, test)
            }
        };
        let (Summary { a, b, games, .. }, play) = (&summary, &config.play);
        let so_far = if output.is_none() { " so far" } else { "" };
        let words = format!(
            "{a} against {b} ({}, {}): {} games{so_far}.\n",
            play.game.name,
            play.conditions(),
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
        let Config { players, play, test, contestants } = config;
        let [a, b] = players.map(|player| play.print(&player));
        StoredConfig { a, b, play, test, contestants }
    }
}

impl TryFrom<StoredConfig> for Config {
    type Error = RunError;

    fn try_from(stored: StoredConfig) -> Result<Config, RunError> {
        let StoredConfig { a, b, play, test, contestants } = stored;
        Ok(Config { players: [play.stored_player(&a)?, play.stored_player(&b)?], play, test, contestants })
    }
}
