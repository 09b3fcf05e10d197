//! Reading and writing the files that a user names.

use std::fs;
use std::path::Path;

use crate::error::RunError;
pub use crate::output_file::{check_target, write_file};
use crate::view::counted;

/// Reads a text; `expected` is what it should be. Where bad parts are skipped, bytes that are no text become `\u{fffd}`.
pub fn read_text(path: &Path, expected: &str, skip_bad: bool) -> Result<String, RunError> {
    let name = path.display().to_string();
    let bytes = fs::read(path).map_err(|error| RunError::input(format!("cannot read {name}: {error}")))?;
    let contents = match String::from_utf8(bytes) {
        Ok(contents) => contents,
        Err(error) if skip_bad => String::from_utf8_lossy(error.as_bytes()).into_owned(),
        Err(error) => {
            let valid = String::from_utf8_lossy(&error.as_bytes()[..error.utf8_error().valid_up_to()]).into_owned();
            let (line, last) = (valid.matches('\n').count() + 1, valid.rsplit('\n').next().unwrap_or_default());
            let column = last.chars().count() + 1;
            return Err(RunError::input(format!(
                "{name}:{line}:{column}: this is not text in UTF-8; expected {expected}; {SKIP_HINT}"
            )));
        }
    };
    // Some editors begin a file with an invisible mark.
    Ok(contents.strip_prefix('\u{feff}').map(str::to_string).unwrap_or(contents))
}

/// What is said behind an error that need not stop anybody.
pub const SKIP_HINT: &str = "--skip-bad skips invalid lines";

/// Deals with the parts of a file that cannot be read: they are listed if they are to be skipped; else the first of
/// them is the error. Each is preceded by the name.
pub fn skip_or_fail(name: &str, wrong: &[String], skip_bad: bool, note: &dyn Fn(&str)) -> Result<(), RunError> {
    match wrong.first() {
        Some(first) if !skip_bad => Err(RunError::input(format!("{name}:{first}; {SKIP_HINT}"))),
        Some(_) => {
            for error in wrong {
                note(&format!("{name}:{error}"));
            }
            note(&format!("skipped {} in {name}", counted(wrong.len(), "bad record")));
            Ok(())
        }
        None => Ok(()),
    }
}
