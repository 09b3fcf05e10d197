//! Suites from files, and those that come with a game.

use std::path::Path;

use plysmith_core::games::{self, BundledSuite, GameInfo};
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
    check_game(game, &name, &contents)?;
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

/// The game that a suite is of, if a comment above its first problem says so: `# game: chess`, or the command that made it.
pub fn game_of(contents: &str) -> Option<&'static GameInfo> {
    let comments = contents.lines().map(str::trim).take_while(|line| line.is_empty() || line.starts_with('#'));
    let name = comments.filter_map(|line| {
        let comment = line.trim_start_matches('#').trim();
        let made = |action: &str| comment.strip_prefix("Made by: plysmith suite ")?.strip_prefix(action);
        let rest = comment.strip_prefix("game:").or_else(|| made("generate ")).or_else(|| made("select "))?;
        rest.split_whitespace().next()
    });
    name.filter_map(|name| games::find(name).ok()).next()
}

/// Fails if a suite says that it is of another game.
fn check_game(game: Option<&GameInfo>, name: &str, contents: &str) -> Result<(), RunError> {
    match (game, game_of(contents)) {
        (Some(game), Some(found)) if game.name != found.name => {
            Err(RunError::input(format!("{name} is a suite of {}, not of {}", found.name, game.name)))
        }
        _ => Ok(()),
    }
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
            let name = path.display().to_string();
            let contents = read_text(path, "a graded suite with one position per line", false)?;
            check_game(Some(game), &name, &contents)?;
            (name, contents)
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

#[cfg(test)]
mod tests {
    use super::game_of;

    #[test]
    fn a_suite_says_its_game() {
        let name = |text: &str| game_of(text).map(|game| game.name);
        assert_eq!(name("# game: chess\n8/8/8/8 w - -"), Some("chess"));
        let made = "# 4 problems\n\n# Made by: plysmith suite generate breakthrough --count 4\n8/8 w bm a1a2;";
        assert_eq!(name(made), Some("breakthrough"));
        assert_eq!(name("# Made by: plysmith suite select chess --suite x"), Some("chess"));
        for text in ["", "# chess\n", "8/8 w\n# game: chess\n", "# game: backgammon\n", "# game:\n"] {
            assert_eq!(name(text), None, "{text}");
        }
    }
}
