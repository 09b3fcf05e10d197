//! Suites from files, and those that come with a game.

use std::path::Path;

use plysmith_core::games::{BundledSuite, GameInfo};
use plysmith_core::problem::Suite;
use plysmith_core::suite::graded::{self, GradedSuite};
use plysmith_core::suite::text;

use crate::error::RunError;
use crate::files::{read_text, skip_or_fail};
use crate::view::counted;

/// A suite that was read from a file.
#[derive(Clone, PartialEq, Debug)]
pub struct SuiteFile {
    /// The problems.
    pub suite: Suite,
    /// How many lines could not be read and were skipped.
    pub skipped: usize,
}

/// Reads a suite. Problems of a game that Plysmith does not know are taken as they are written.
///
/// With `skip_bad`, lines that cannot be read are skipped and reported to `note`; else the first of them is the
/// error.
pub fn read_suite(
    game: Option<&GameInfo>,
    path: &Path,
    skip_bad: bool,
    note: &dyn Fn(&str),
) -> Result<SuiteFile, RunError> {
    let name = path.display().to_string();
    let contents = read_text(path, "a suite with one problem per line", skip_bad)?;
    let text::Reading { suite, wrong, mated, unreachable } = match game {
        Some(game) => text::read(game, &name, &contents),
        None => text::read_relayed(&name, &contents),
    };
    let wrong: Vec<String> = wrong.iter().map(ToString::to_string).collect();
    skip_or_fail(&name, &wrong, skip_bad, note)?;
    if mated > 0 {
        note(&format!("skipped {} of {name} in which the side to move is mated (bm #-N)", counted(mated, "position")));
    }
    if let Some(first) = unreachable.first() {
        let count = counted(unreachable.len(), "mate");
        note(&format!("skipped {count} of {name} in positions that cannot be read; the first: {name}:{first}"));
    }
    let suite = text::not_empty(suite).map_err(|error| RunError::input(format!("{name}:{error}")))?;
    Ok(SuiteFile { suite, skipped: wrong.len() })
}

/// The suite that experiments on this game use by default.
pub fn bundled_suite(game: &GameInfo) -> Result<Suite, RunError> {
    let bundled = default_suite(game)?;
    let name = format!("bundled {}", bundled.name);
    text::parse(game, &name, bundled.text).map_err(|error| RunError::input(format!("{name}:{error}")))
}

/// The graded suite of a file, or the one that comes with a game.
pub fn graded_suite(game: &GameInfo, path: Option<&Path>) -> Result<GradedSuite, RunError> {
    let (name, text) = match path {
        Some(path) => {
            (path.display().to_string(), read_text(path, "a graded suite with one position per line", false)?)
        }
        None => {
            let missing =
                || RunError::input(format!("{} has no bundled graded suite; name one with --suite FILE", game.name));
            let bundled = game.graded.ok_or_else(missing)?;
            (format!("bundled {}", bundled.name), bundled.text.to_string())
        }
    };
    graded::parse(game, &name, &text).map_err(|error| RunError::input(format!("{name}:{error}")))
}

/// The default suite's text and node limits.
pub fn default_suite(game: &GameInfo) -> Result<&'static BundledSuite, RunError> {
    let missing = || RunError::input(format!("{} has no bundled suite; name one with --suite FILE", game.name));
    game.suites.first().ok_or_else(missing)
}
