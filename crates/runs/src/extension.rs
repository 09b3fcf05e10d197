//! Matches that are extended: a new run, which counts the games of another one and plays on.
//!
//! The new run is a match with the same players, the same openings and more games. Its first games have the jobs of the run
//! that it extends, so they are found in the store and not played again; a game that cannot be repeated names the run that
//! played it. So the result is that of one longer match, and so is the end of a sequential test.

use plysmith_store::{Run, Status, Store};

use crate::error::RunError;
use crate::events::GAME;
use crate::kind::RunKind;
use crate::kinds::match_::{Config, ExtendedRun, Match, MatchResult};
use crate::runs::can_continue;
use crate::sequential_test::TestResult;

/// How far a match is to be extended. As text: `800` for 800 games in all, `+400` for 400 more.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Goal {
    /// So many games in all.
    InAll(u64),
    /// So many more games.
    More(u64),
}

impl std::str::FromStr for Goal {
    type Err = String;

    fn from_str(text: &str) -> Result<Goal, String> {
        let (number, goal): (&str, fn(u64) -> Goal) = match text.strip_prefix('+') {
            Some(number) => (number, Goal::More),
            None => (text, Goal::InAll),
        };
        let number = number.parse().ok().filter(|&number| number > 0);
        let error =
            || format!("'{text}' is not a number of games; expected '800' for 800 in all, or '+400' for 400 more");
        number.map(goal).ok_or_else(error)
    }
}

/// The match that extends a run. A test that has ended is only left behind if `without_test` says so.
pub fn extension(store: &Store, run: &Run, goal: Goal, without_test: bool) -> Result<Config, RunError> {
    let id = run.id;
    if run.kind != Match::NAME {
        return Err(RunError::input(format!(
            "run {id} is a '{}'; only matches can be extended with --games",
            run.kind
        )));
    }
    if run.status == Status::Running {
        return Err(RunError::input(format!("run {id} is in progress; wait for its end, or stop it first")));
    }
    // Runs of the first event format keep their games elsewhere.
    if run.format < plysmith_store::EVENT_FORMAT {
        return Err(RunError::input(format!(
            "run {id} was started by version 0.1, whose games cannot be counted elsewhere"
        )));
    }
    can_continue(run)?;
    let wrong = |error: serde_json::Error| RunError::failed(format!("run {id} cannot be read: {error}"));
    let config: Config = serde_json::from_value(run.config.clone()).map_err(wrong)?;
    let mut played: u64 = 0;
    for event in store.stream_events(id, 0).of_kind(GAME) {
        event?;
        played += 1;
    }
    let games = match goal {
        Goal::InAll(games) => games,
        Goal::More(games) => played.saturating_add(games),
    };
    if games <= played {
        return Err(RunError::input(format!(
            "run {id} has {played} games; give a larger number, or '+{games}' for more"
        )));
    }
    let result: Option<MatchResult> = run.result.clone().map(serde_json::from_value).transpose().map_err(wrong)?;
    let decided = result.and_then(|result| result.test).filter(TestResult::is_decided);
    if let Some(test) = decided.filter(|_| !without_test) {
        return Err(RunError::input(format!(
            "the sequential test of run {id} has ended after {played} games with '{}', so there is nothing to extend: a test \
             that goes on until it likes its result has no error rate. To play on without a test, add --without-test",
            test.verdict
        )));
    }
    let mut extends = config.extends.clone();
    extends.push(ExtendedRun { run: id, games: played });
    let mut play = config.play.clone();
    play.games = games;
    let test = config.test.clone().filter(|_| !without_test);
    Ok(Config { play, test, extends, ..config })
}
