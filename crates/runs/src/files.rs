//! Reading and writing the files that a user names.

use std::fs::{self, File, OpenOptions};
use std::io::Write;
use std::path::{Path, PathBuf};

use crate::error::RunError;
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

/// Whether a file can be written here, before work is done for it.
pub fn check_target(path: &Path, force: bool) -> Result<(), RunError> {
    let name = path.display();
    if path.is_dir() {
        return Err(RunError::input(format!("{name} is a folder; name a file")));
    }
    if is_file(path) && !force {
        return Err(RunError::input(format!("{name} exists; choose another name, or overwrite it with --force")));
    }
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    if !folder.is_dir() {
        return Err(RunError::input(format!(
            "there is no folder {} to write {name} in; create it first",
            folder.display()
        )));
    }
    Ok(())
}

/// Writes a file as a whole or not at all; what is not a file (a pipe, a device) is written to as it is.
pub fn write_file(path: &Path, contents: &str, force: bool) -> Result<(), RunError> {
    check_target(path, force)?;
    let result = if path.exists() && !is_file(path) {
        OpenOptions::new().write(true).open(path).and_then(|mut target| target.write_all(contents.as_bytes()))
    } else {
        // A link is written through: it stays, and what it names is replaced.
        let target = path.canonicalize().unwrap_or_else(|_| path.to_path_buf());
        replace(&target, contents)
    };
    result.map_err(|error| RunError::failed(format!("cannot write {}: {error}", path.display())))
}

fn is_file(path: &Path) -> bool {
    fs::metadata(path).is_ok_and(|facts| facts.is_file())
}

fn replace(path: &Path, contents: &str) -> std::io::Result<()> {
    let mut unfinished = path.as_os_str().to_owned();
    unfinished.push(".unfinished");
    let unfinished = PathBuf::from(unfinished);
    let written = File::create(&unfinished)
        .and_then(|mut file| file.write_all(contents.as_bytes()).and_then(|()| file.sync_all()))
        .and_then(|()| fs::rename(&unfinished, path));
    if written.is_err() {
        // What is left of it is of no use; that it may be gone already is no reason to complain.
        let _ = fs::remove_file(&unfinished);
    }
    written
}
