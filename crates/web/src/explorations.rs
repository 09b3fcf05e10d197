//! Searches that were recorded for the position explorer, in memory: few, and only for a while.

use std::sync::{Arc, Mutex, PoisonError, TryLockError};

use plysmith_core::depth::Weight;
use plysmith_core::feature::Scheme;
use plysmith_core::games::{self, GameInfo};
use plysmith_core::problem::{Problem, Suite};
use plysmith_core::search::Limit;
use plysmith_core::settings::Settings;
use plysmith_core::suite::text;
use plysmith_runs::explain::{Comparison, Question};
use plysmith_runs::services::Host;

use crate::error::WebError;
use crate::request::Fields;

/// Comparisons that are kept. An older one is dropped for a new one.
const MOST: usize = 4;
/// The most nodes of a search.
pub const MOST_NODES: u64 = 1_000_000;
/// Nodes that are kept of each tree.
const MOST_KEPT: usize = 150_000;
/// The largest transposition table, in MiB.
const MOST_TABLE: u32 = 64;

/// Comparisons by their numbers.
#[derive(Default)]
pub struct Explorations {
    kept: Mutex<Kept>,
    /// Held while a search is recorded: one at a time.
    recording: Mutex<()>,
}

#[derive(Default)]
struct Kept {
    last: u64,
    comparisons: Vec<(u64, Arc<Comparison>)>,
}

impl Explorations {
    /// Records the searches that a form asks for, and returns the number of their comparison.
    pub fn record(&self, form: &Fields) -> Result<u64, WebError> {
        let (question, schemes) = question(form)?;
        let _one = match self.recording.try_lock() {
            Ok(one) => one,
            Err(TryLockError::Poisoned(poisoned)) => poisoned.into_inner(),
            Err(TryLockError::WouldBlock) => return Err(WebError::busy("another search is being recorded; try again")),
        };
        let comparison = Arc::new(question.compare([&schemes[0], &schemes[1]], &Host::default())?);
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        kept.last += 1;
        let number = kept.last;
        kept.comparisons.push((number, comparison));
        if kept.comparisons.len() > MOST {
            kept.comparisons.remove(0);
        }
        Ok(number)
    }

    /// The comparison of this number, as it stands in an address.
    pub fn find(&self, number: &str) -> Result<(u64, Arc<Comparison>), WebError> {
        let missing = || WebError::not_found("these searches are not kept any more; search again");
        let number: u64 = number.parse().map_err(|_| missing())?;
        let kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        let found = kept.comparisons.iter().find(|(other, _)| *other == number);
        found.map(|(number, comparison)| (*number, Arc::clone(comparison))).ok_or_else(missing)
    }

    /// What is kept, the newest first.
    pub fn list(&self) -> Vec<(u64, Arc<Comparison>)> {
        let kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        kept.comparisons.iter().rev().cloned().collect()
    }
}

/// The game that a form names.
pub fn game_of(form: &Fields) -> Result<&'static GameInfo, WebError> {
    games::find(form.filled("game").unwrap_or("chess")).map_err(WebError::invalid)
}

/// A bundled suite.
pub fn bundled(game: &GameInfo, name: &str) -> Result<Suite, WebError> {
    let suite = game.bundled_suite(name);
    let suite = suite.ok_or_else(|| WebError::not_found(format!("{} has no bundled suite '{name}'", game.name)))?;
    text::parse(game, suite.name, suite.text).map_err(WebError::failed)
}

/// Settings as a page may name them: no files, and no large tables.
pub fn settings(game: &GameInfo, form: &Fields) -> Result<Settings, WebError> {
    let settings = game.parse_settings(form.filled("preset").unwrap_or("classic")).map_err(WebError::invalid)?;
    if settings.switches.table_mib > MOST_TABLE {
        return Err(WebError::invalid(format!("a table has at most {MOST_TABLE} MiB here")));
    }
    Ok(settings)
}

/// A scheme as a page may name it: not by file.
pub fn scheme(game: &GameInfo, text: Option<&str>) -> Result<Scheme, WebError> {
    game.vocabulary.parse_scheme(text.unwrap_or("Neutral"), Weight::HALF).map_err(WebError::invalid)
}

fn question(form: &Fields) -> Result<(Question, [Scheme; 2]), WebError> {
    let game = game_of(form)?;
    let (suite, problem) = problem(game, form)?;
    let nodes = match form.filled("nodes") {
        Some(text) => text.parse().map_err(|_| WebError::invalid("the node limit is a number, like 50000"))?,
        None => 50_000,
    };
    if !(1..=MOST_NODES).contains(&nodes) {
        return Err(WebError::invalid(format!("the node limit is a number from 1 to {MOST_NODES}")));
    }
    let seed = match form.filled("seed") {
        Some(text) => text.parse().map_err(|_| WebError::invalid("the seed is a whole number"))?,
        None => 1,
    };
    let question = Question {
        game,
        problem,
        suite,
        settings: settings(game, form)?,
        limit: Limit::nodes(nodes),
        seed,
        most_nodes: MOST_KEPT,
    };
    Ok((question, [scheme(game, form.filled("first"))?, scheme(game, form.filled("second"))?]))
}

/// The position of a form, or else the problem of a suite.
fn problem(game: &'static GameInfo, form: &Fields) -> Result<(Option<String>, Problem), WebError> {
    if let Some(position) = form.filled("position") {
        let moves: Vec<String> = form.filled("solution").map(String::from).into_iter().collect();
        return Ok((None, Question::problem_at(game, position, &moves)?));
    }
    let name = form.filled("suite").or(game.suites.first().map(|suite| suite.name)).unwrap_or_default();
    let suite = bundled(game, name)?;
    let id = form.filled("problem").ok_or_else(|| WebError::invalid("name a problem of the suite, or a position"))?;
    let found = suite.problems.into_iter().find(|problem| problem.id == id);
    let found = found.ok_or_else(|| WebError::invalid(format!("the suite '{name}' has no problem '{id}'")))?;
    Ok((Some(name.to_string()), found))
}
