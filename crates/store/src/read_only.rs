//! Stores that may not be written: on a read-only medium, in a folder of another user.
//!
//! SQLite reads a database in WAL mode only if it can make or find the files beside it. Where it cannot, and nothing is
//! left in the log, the file is read as it is. If there is something in the log, or the schema is an older one, a copy in
//! the folder for temporary files is read instead.

use std::fs::{self, DirBuilder};
use std::hash::{BuildHasher, RandomState};
use std::path::{Path, PathBuf};

use rusqlite::{Connection, OpenFlags};

use crate::connection::{PATIENCE, open_checked};
use crate::error::StoreError;
use crate::inspect::{check_version, immutable_uri};
use crate::schema::{self, SCHEMA_VERSION};
use crate::watch::beside;

const DOING: &str = "opening the store to read it";

/// A connection that only reads, and the copy that it reads, if it is one.
pub(crate) fn connect(path: &Path) -> Result<(Connection, Option<Copy>), StoreError> {
    let failed = |error| StoreError::from_sqlite(path, DOING, error);
    let has_log = fs::metadata(beside(path, "-wal")).is_ok_and(|facts| facts.len() > 0);
    let found = match open(path, OpenFlags::empty()) {
        Ok(found) => Some(found),
        Err(_) if has_log => None,
        // Nobody is at work on it, or its other files would be there.
        Err(_) => Some(open(Path::new(&immutable_uri(path)), OpenFlags::SQLITE_OPEN_URI).map_err(failed)?),
    };
    if let Some((connection, version)) = found {
        check_version(path, version)?;
        if version == SCHEMA_VERSION {
            return Ok((connection, None));
        }
    }
    let copy = Copy::of(path)?;
    let (connection, _) = open_checked(&copy.store)?;
    Ok((connection, Some(copy)))
}

/// Opens a file, and reads its schema version.
fn open(name: &Path, how: OpenFlags) -> rusqlite::Result<(Connection, i32)> {
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX | how;
    let connection = Connection::open_with_flags(name, flags)?;
    connection.busy_timeout(PATIENCE)?;
    connection.pragma_update(None, "cell_size_check", true)?;
    let version = schema::version(&connection)?;
    Ok((connection, version))
}

/// A copy of a store in a folder of its own, which is deleted in the end.
#[derive(Debug)]
pub(crate) struct Copy {
    folder: PathBuf,
    store: PathBuf,
}

impl Copy {
    fn of(path: &Path) -> Result<Copy, StoreError> {
        let number = RandomState::new().hash_one(std::process::id());
        let folder = std::env::temp_dir().join(format!("plysmith-{number:016x}"));
        let failed = |path: &Path, error| StoreError::from_io(path, "copying the store to read it", &error);
        make_private_folder(&folder).map_err(|error| failed(&folder, error))?;
        let copy = Copy { store: folder.join("plysmith.db"), folder };
        for suffix in ["", "-wal"] {
            let (from, to) = (beside(path, suffix), beside(&copy.store, suffix));
            if suffix.is_empty() || from.exists() {
                fs::copy(&from, &to).map_err(|error| failed(&from, error))?;
                make_writable(&to).map_err(|error| failed(&to, error))?;
            }
        }
        Ok(copy)
    }
}

impl Drop for Copy {
    fn drop(&mut self) {
        // Whoever cleans the folder for temporary files may have been faster.
        let _ = fs::remove_dir_all(&self.folder);
    }
}

/// Fails if there is such a folder already.
fn make_private_folder(folder: &Path) -> std::io::Result<()> {
    let mut builder = DirBuilder::new();
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(folder)
}

/// The mode of a file is copied with it.
fn make_writable(file: &Path) -> std::io::Result<()> {
    let mut permissions = fs::metadata(file)?.permissions();
    #[cfg(unix)]
    std::os::unix::fs::PermissionsExt::set_mode(&mut permissions, 0o600);
    #[cfg(not(unix))]
    permissions.set_readonly(false);
    fs::set_permissions(file, permissions)
}
