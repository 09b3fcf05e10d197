//! Whether the file that is open is still the one under its name.
//!
//! SQLite goes on writing into a file that was deleted or replaced, as the system lets it, and all of it is lost. So
//! the name is looked at before and after every write, which takes two microseconds.

use std::fs::{self, Metadata};
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use crate::error::StoreError;

/// The file that was opened, and the name under which it was.
#[derive(Debug)]
pub(crate) struct Watch {
    path: PathBuf,
    /// The write-ahead log beside it, which exists from the first write on.
    log: Option<PathBuf>,
    opened: Option<FileId>,
}

/// What tells one file from another: the device and the number on it.
type FileId = (u64, u64);

impl Watch {
    /// Watches the file that is under this name now.
    pub(crate) fn begin(path: &Path, has_log: bool) -> Result<Watch, StoreError> {
        let facts = fs::metadata(path).map_err(|error| StoreError::from_io(path, "opening the store", &error))?;
        Ok(Watch { path: path.into(), log: has_log.then(|| beside(path, "-wal")), opened: file_id(&facts) })
    }

    /// Fails if the file under the name is another one, or none, or empty.
    pub(crate) fn check(&self) -> Result<(), StoreError> {
        let gone = |what| Err(StoreError::Gone { path: self.path.clone(), what });
        match fs::metadata(&self.path) {
            Ok(facts) if file_id(&facts) != self.opened => gone("was replaced by another file"),
            Ok(facts) if facts.len() == 0 => gone("was truncated to nothing"),
            Ok(_) => Ok(()),
            Err(error) if error.kind() == ErrorKind::NotFound => gone("was deleted"),
            Err(error) => Err(StoreError::from_io(&self.path, "looking at the store", &error)),
        }
    }

    /// Fails also if what was just written went into a log that nobody will find.
    pub(crate) fn check_written(&self) -> Result<(), StoreError> {
        self.check()?;
        match &self.log {
            Some(log) if !log.exists() => {
                Err(StoreError::Gone { path: self.path.clone(), what: "lost its write-ahead log (-wal)" })
            }
            _ => Ok(()),
        }
    }
}

/// The name of a file that SQLite keeps beside the store.
pub(crate) fn beside(path: &Path, suffix: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(suffix);
    name.into()
}

#[cfg(unix)]
fn file_id(facts: &Metadata) -> Option<FileId> {
    use std::os::unix::fs::MetadataExt;
    Some((facts.dev(), facts.ino()))
}

#[cfg(not(unix))]
fn file_id(_: &Metadata) -> Option<FileId> {
    None
}
