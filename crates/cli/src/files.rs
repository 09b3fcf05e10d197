//! Files that the user names for output.

use std::fs::{self, File, OpenOptions};
use std::io::Write;
use std::path::{Path, PathBuf};

use crate::failure::Failure;

/// Whether a file can be written here, before work is done for it.
pub fn check_target(path: &Path, force: bool) -> Result<(), Failure> {
    let name = path.display();
    if path.is_dir() {
        return Err(Failure::input(format!("{name} is a folder; name a file")));
    }
    if is_file(path) && !force {
        return Err(Failure::input(format!("{name} exists; choose another name, or write over it with --force")));
    }
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    if !folder.is_dir() {
        return Err(Failure::input(format!(
            "there is no folder {} to write {name} in; make it first",
            folder.display()
        )));
    }
    Ok(())
}

/// Writes a file as a whole or not at all; what is not a file (a pipe, a device) is written to as it is.
pub fn write_file(path: &Path, contents: &str, force: bool) -> Result<(), Failure> {
    check_target(path, force)?;
    let result = if path.exists() && !is_file(path) {
        OpenOptions::new().write(true).open(path).and_then(|mut target| target.write_all(contents.as_bytes()))
    } else {
        // A link is written through: it stays, and what it names is replaced.
        let target = path.canonicalize().unwrap_or_else(|_| path.to_path_buf());
        replace(&target, contents)
    };
    result.map_err(|error| Failure::Failed(anyhow::anyhow!("cannot write {}: {error}", path.display())))
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
