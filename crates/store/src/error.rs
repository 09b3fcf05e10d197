//! The errors of a store. Each says what was read, where, and what to do about it.

use std::fs;
use std::io::{self, ErrorKind, Write};
use std::path::{Path, PathBuf};

use rusqlite::ErrorCode;

use crate::run::RunId;

/// Anything that can go wrong with a store.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum StoreError {
    /// The environment names no folder for the store.
    #[error("no folder for the store: the environment names no home folder; set PLYSMITH_HOME to a folder")]
    NoHome,

    /// There is no such folder, and it cannot be made: its name belongs to something else.
    #[error(
        "{} cannot be the folder of the store: {reason}; set PLYSMITH_HOME to a folder, \
         which is made if it does not exist", path.display()
    )]
    NoFolder {
        /// The folder asked for.
        path: PathBuf,
        /// What is there instead.
        reason: String,
    },

    /// The file lost its contents since it was written.
    #[error(
        "{} is {state}: its contents are lost (nothing was changed); restore a backup, or {remedy}", path.display()
    )]
    Emptied {
        /// The file.
        path: PathBuf,
        /// What is left of it.
        state: String,
        /// How to begin anew.
        remedy: String,
    },

    /// The file was taken away while it was open.
    #[error(
        "{} {what} while plysmith was using it, so nothing more can be stored there; put it back, or restore a backup, \
         then `plysmith resume` or start the run anew", path.display()
    )]
    Gone {
        /// The file.
        path: PathBuf,
        /// What happened to it, like "was deleted".
        what: &'static str,
    },

    /// The file exists and is something else.
    #[error(
        "{} is not a Plysmith store (not an SQLite database; nothing was changed): \
         move it away or set PLYSMITH_HOME to another folder", path.display()
    )]
    NotADatabase {
        /// The file.
        path: PathBuf,
    },

    /// The file is another program's SQLite database.
    #[error(
        "{} is the database of another program (application id {application_id:#x}; nothing was changed): \
         move it away or set PLYSMITH_HOME to another folder", path.display()
    )]
    Foreign {
        /// The file.
        path: PathBuf,
        /// What the file says it belongs to; 0 if nothing.
        application_id: i32,
    },

    /// The store has a newer schema than this program knows.
    #[error(
        "{} was made by a newer plysmith (schema {found}, this program knows {known}; nothing was changed): \
         update plysmith or set PLYSMITH_HOME to another folder", path.display()
    )]
    Newer {
        /// The file.
        path: PathBuf,
        /// The schema version found in it.
        found: i32,
        /// The newest schema version that this program knows.
        known: i32,
    },

    /// The store has an older schema, and an older program is working on one of its runs.
    #[error(
        "{} was made by an older plysmith, and {holder} is working on its run {run} (nothing was changed): \
         wait for it or end it, then try again", path.display()
    )]
    InUse {
        /// The file.
        path: PathBuf,
        /// The run that is being worked on.
        run: RunId,
        /// The process, as far as known: "process 4711" or "another process".
        holder: String,
    },

    /// A file or folder cannot be read or written: permissions, a folder in place of a file, …
    #[error(
        "cannot use {}: {reason}; check that you may read and write it and its folder, \
         or set PLYSMITH_HOME to another folder", path.display()
    )]
    Inaccessible {
        /// The file or folder.
        path: PathBuf,
        /// What the system said.
        reason: String,
    },

    /// No space left.
    #[error(
        "disk full while {doing} ({}); nothing that was stored is lost; \
         free some space, then `plysmith resume`", path.display()
    )]
    DiskFull {
        /// The store.
        path: PathBuf,
        /// What was being done.
        doing: &'static str,
    },

    /// Another process kept the store locked for too long.
    #[error(
        "{} was busy for too long while {doing}: another process keeps it locked; \
         wait for it or end it, then `plysmith resume`", path.display()
    )]
    Busy {
        /// The store.
        path: PathBuf,
        /// What was being done.
        doing: &'static str,
    },

    /// Something stored cannot be read back.
    #[error(
        "{}: {what} is damaged ({reason}); copy the file away before anything else, then restore a backup, or list \
         all damage with `plysmith store check` and save the rest with `plysmith store salvage`", path.display()
    )]
    Damaged {
        /// The store.
        path: PathBuf,
        /// Which record.
        what: String,
        /// What is wrong with it.
        reason: String,
    },

    /// There is no such run.
    #[error("there is no run {run} in {}; `plysmith runs` lists them", path.display())]
    NoSuchRun {
        /// The store.
        path: PathBuf,
        /// The run asked for.
        run: RunId,
    },

    /// A live process is working on the run.
    #[error("run {run} is being worked on by {holder}; wait for it, or end it and then `plysmith resume {run}`")]
    RunBusy {
        /// The run.
        run: RunId,
        /// The process, as far as known: "process 4711" or "another process".
        holder: String,
    },

    /// The run is finished, and finished runs never change.
    #[error("run {run} is finished and finished runs never change; start a new run instead")]
    RunFinished {
        /// The run.
        run: RunId,
    },

    /// Other runs follow from the run, so it cannot be deleted.
    #[error(
        "run {run} is the parent of {children}; delete them together, or all with `plysmith runs delete {run} --force`"
    )]
    HasChildren {
        /// The run.
        run: RunId,
        /// Its children, like "run 5, run 7".
        children: String,
    },

    /// A replayed event is not what it was when it was stored.
    #[error(
        "run {run} diverged at event {seq}: stored {stored}, now {new}; the program's behaviour has changed since \
         the run began, so it cannot be resumed: use the version that began it, or start a new run"
    )]
    Diverged {
        /// The run.
        run: RunId,
        /// The event's place in the run.
        seq: u64,
        /// What is stored, shortened around the first difference.
        stored: String,
        /// What was to be stored, shortened alike.
        new: String,
    },

    /// An event was to be stored before the one that precedes it: a bug in the calling program.
    #[error("event {seq} of run {run} cannot be stored before event {expected}; please report this as a bug")]
    EventGap {
        /// The run.
        run: RunId,
        /// The event's place in the run.
        seq: u64,
        /// The next free place.
        expected: u64,
    },

    /// The run was finished before, with another result.
    #[error(
        "run {run} is already finished with another result: stored {stored}, now {new}; finished runs never change: \
         start a new run"
    )]
    RunResultDiffers {
        /// The run.
        run: RunId,
        /// What is stored, shortened around the first difference.
        stored: String,
        /// What was to be stored, shortened alike.
        new: String,
    },

    /// A job was done before, with another result.
    #[error(
        "result {key} ({done} done) came out differently: stored {stored}, now {new}; a result must depend \
         on nothing but its job, so either the program's behaviour changed or the job leaves something out"
    )]
    JobResultDiffers {
        /// The content key.
        key: String,
        /// How much of the job was done.
        done: u32,
        /// What is stored, shortened around the first difference.
        stored: String,
        /// What was to be stored, shortened alike.
        new: String,
    },

    /// A value that would not read back as it was written; refused before anything was stored.
    #[error("{what} cannot be stored: {reason}; please report this as a bug")]
    Unstorable {
        /// Which record.
        what: String,
        /// Why.
        reason: String,
    },

    /// A stored value does not have the shape that the caller expects.
    #[error("{what} is not what this program expects there ({reason}); was it made by another version of plysmith?")]
    Unexpected {
        /// Which record.
        what: String,
        /// What is wrong with it.
        reason: String,
    },

    /// A column was asked for that no exported event has.
    #[error("no '{kind}' event of run {run} has a field '{column}'; there are: {known}")]
    NoSuchColumn {
        /// The run.
        run: RunId,
        /// The kind of events exported.
        kind: String,
        /// The column asked for.
        column: String,
        /// The fields there are, separated by commas.
        known: String,
    },

    /// The exported text could not be written.
    #[error("cannot write the export: {0}")]
    Export(#[source] io::Error),

    /// Anything else that SQLite reports.
    #[error("{}: {source} while {doing}", path.display())]
    Sqlite {
        /// The store.
        path: PathBuf,
        /// What was being done.
        doing: &'static str,
        /// The error as SQLite reported it.
        source: Box<rusqlite::Error>,
    },
}

impl StoreError {
    /// Translates an SQLite error for the store at `path`.
    pub(crate) fn from_sqlite(path: &Path, doing: &'static str, error: rusqlite::Error) -> StoreError {
        let path = path.to_path_buf();
        let damaged = |what: String| StoreError::Damaged { path: path.clone(), what, reason: error.to_string() };
        match error.sqlite_error_code() {
            Some(ErrorCode::DiskFull) => StoreError::DiskFull { path, doing },
            // SQLite reports a full disk as such only if `write` fails. If `fsync` fails, or a quota is reached, or a
            // side file cannot be created, it does not report the cause.
            Some(ErrorCode::SystemIoFailure | ErrorCode::CannotOpen) if folder_is_full(&path) => {
                StoreError::DiskFull { path, doing }
            }
            Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => StoreError::Busy { path, doing },
            Some(ErrorCode::NotADatabase) => StoreError::NotADatabase { path },
            Some(ErrorCode::DatabaseCorrupt) => damaged("the database".into()),
            Some(ErrorCode::CannotOpen | ErrorCode::PermissionDenied | ErrorCode::ReadOnly) => {
                StoreError::Inaccessible { path, reason: format!("{error} while {doing}") }
            }
            _ if is_wrong_value(&error) => damaged(format!("a record met while {doing}")),
            _ => StoreError::Sqlite { path, doing, source: Box::new(error) },
        }
    }

    /// Translates a file system error at `path`.
    pub(crate) fn from_io(path: &Path, doing: &'static str, error: &io::Error) -> StoreError {
        let path = path.to_path_buf();
        if means_full(error) {
            StoreError::DiskFull { path, doing }
        } else {
            StoreError::Inaccessible { path, reason: error.to_string() }
        }
    }
}

/// Whether a stored value has another type than was ever written there.
pub(crate) fn is_wrong_value(error: &rusqlite::Error) -> bool {
    use rusqlite::Error::{FromSqlConversionFailure, IntegralValueOutOfRange, InvalidColumnType, Utf8Error};
    matches!(error, FromSqlConversionFailure(..) | IntegralValueOutOfRange(..) | InvalidColumnType(..) | Utf8Error(..))
}

/// Whether the disk of the store is full, tested by writing a small file.
fn folder_is_full(store: &Path) -> bool {
    const ENOUGH_TO_NEED_A_BLOCK: usize = 64 * 1024;
    let probe = store.with_file_name(format!("space-probe-{}", std::process::id()));
    let written = fs::File::create(&probe)
        .and_then(|mut file| file.write_all(&[0; ENOUGH_TO_NEED_A_BLOCK]).and_then(|()| file.sync_all()));
    // Nothing to do if it cannot be removed: it may not exist.
    let _ = fs::remove_file(&probe);
    written.is_err_and(|error| means_full(&error))
}

fn means_full(error: &io::Error) -> bool {
    matches!(error.kind(), ErrorKind::StorageFull | ErrorKind::QuotaExceeded)
}
