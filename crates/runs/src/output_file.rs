//! Writing the files that a user names.
//!
//! A file is written as a whole or not at all: its contents go into a new file in the same folder, under a name that
//! nobody can foresee, and that file takes the place of the old one in one step. So a reader, and several writers at
//! once, see one whole file or another.
//!
//! The new file has the mode and the owner of the old one. Where that is not possible, or where the old one has
//! further names (hard links), which must go on naming the same contents, the old file is overwritten in place. Then
//! writers wait for each other, but a reader may see a part, and a crash leaves one; so the whole contents are put
//! beside it first.
//!
//! A symbolic link is followed, also to a file that does not exist yet. What is not a file (a pipe, a device) is written
//! to as it is.

use std::fs::{self, File, Metadata, OpenOptions};
use std::hash::{BuildHasher, RandomState};
use std::io::{self, ErrorKind, Write};
use std::path::{Path, PathBuf};

use crate::error::RunError;

/// As many symbolic links in a row as Linux follows.
const MOST_LINKS: usize = 40;

/// Whether a file can be written here, before work is done for it.
pub fn check_target(path: &Path, force: bool) -> Result<(), RunError> {
    let name = path.display();
    match fs::metadata(path) {
        Ok(facts) if facts.is_dir() => return Err(RunError::input(format!("{name} is a folder; name a file"))),
        Ok(facts) if facts.is_file() && !force => return Err(exists(path)),
        Ok(_) => return Ok(()),
        Err(error) if error.kind() == ErrorKind::NotFound => {}
        Err(error) => return Err(RunError::input(format!("cannot write {name}: {error}; choose another name"))),
    }
    if path.as_os_str().as_encoded_bytes().ends_with(b"/") {
        return Err(RunError::input(format!("there is no folder {name}; name a file")));
    }
    let target = follow(path).map_err(|error| RunError::input(format!("cannot write {name}: {error}")))?;
    let folder = folder_of(&target);
    if !folder.is_dir() {
        return Err(RunError::input(format!(
            "there is no folder {} to write {name} in; create it first",
            folder.display()
        )));
    }
    Ok(())
}

/// Writes a file as a whole or not at all. An existing one is replaced only with `force`.
pub fn write_file(path: &Path, contents: &str, force: bool) -> Result<(), RunError> {
    write_bytes(path, contents.as_bytes(), force)
}

/// Writes a file that is no text as a whole or not at all. An existing one is replaced only with `force`.
pub fn write_bytes(path: &Path, contents: &[u8], force: bool) -> Result<(), RunError> {
    check_target(path, force)?;
    write(path, contents, force).map_err(|error| match error.kind() {
        // It came into being after the check.
        ErrorKind::AlreadyExists if !force => exists(path),
        _ => RunError::failed(format!("cannot write {}: {error}", path.display())),
    })
}

fn exists(path: &Path) -> RunError {
    RunError::input(format!("{} exists; choose another name, or overwrite it with --force", path.display()))
}

fn write(path: &Path, contents: &[u8], force: bool) -> io::Result<()> {
    match fs::metadata(path) {
        Ok(old) if old.is_file() => replace(&path.canonicalize()?, &old, contents),
        Ok(_) => OpenOptions::new().write(true).open(path)?.write_all(contents),
        Err(error) if error.kind() == ErrorKind::NotFound => create(&follow(path)?, contents, force),
        Err(error) => Err(error),
    }
}

/// Makes a file that does not exist yet.
fn create(target: &Path, contents: &[u8], force: bool) -> io::Result<()> {
    let new = NewFile::write(folder_of(target), None, contents)?;
    if force {
        return new.rename_to(target);
    }
    // Unlike a rename, this fails if somebody else has made the file meanwhile.
    match fs::hard_link(&new.path, target) {
        Ok(()) => {
            sync_folder(target);
            Ok(())
        }
        Err(error) if error.kind() == ErrorKind::AlreadyExists => Err(error),
        // This file system has no hard links.
        Err(_) => new.rename_to(target),
    }
}

/// Puts new contents in the place of a file.
fn replace(target: &Path, old: &Metadata, contents: &[u8]) -> io::Result<()> {
    match NewFile::write(folder_of(target), Some(old), contents) {
        Ok(new) if !has_other_names(old) && new.is_made_like(old) => new.rename_to(target),
        Ok(new) => overwrite(target, contents).map_err(|error| {
            let kept = new.keep();
            io::Error::new(error.kind(), format!("{error}; the new contents are in {}", kept.display()))
        }),
        // One may write the file, but not make another in its folder.
        Err(error) if error.kind() == ErrorKind::PermissionDenied => overwrite(target, contents),
        Err(error) => Err(error),
    }
}

/// Overwrites a file in place, one writer after the other.
fn overwrite(target: &Path, contents: &[u8]) -> io::Result<()> {
    let mut file = OpenOptions::new().write(true).open(target)?;
    // A file system without locks still takes the contents; only writers at the same moment could mix then.
    let _ = file.lock();
    file.set_len(0)?;
    file.write_all(contents)?;
    file.sync_all()
}

/// A new file under a name of its own, which is removed unless it is given another.
struct NewFile {
    path: PathBuf,
    file: File,
    is_kept: bool,
}

impl NewFile {
    /// Writes the contents into a new file in this folder, which nobody may read who may not read the old one.
    fn write(folder: &Path, old: Option<&Metadata>, contents: &[u8]) -> io::Result<NewFile> {
        let mut new = NewFile::create(folder, old)?;
        new.file.write_all(contents)?;
        new.file.sync_all()?;
        Ok(new)
    }

    fn create(folder: &Path, old: Option<&Metadata>) -> io::Result<NewFile> {
        loop {
            let path = folder.join(format!(".plysmith-{:016x}.tmp", unforeseeable()));
            let mut options = OpenOptions::new();
            options.write(true).create_new(true);
            if old.is_some() {
                make_private(&mut options);
            }
            match options.open(&path) {
                Ok(file) => return Ok(NewFile { path, file, is_kept: false }),
                Err(error) if error.kind() == ErrorKind::AlreadyExists => {}
                Err(error) => return Err(error),
            }
        }
    }

    /// Gives it the owner and the mode of the old one; false if that is not possible.
    fn is_made_like(&self, old: &Metadata) -> bool {
        has_same_owner(&self.file, old) && self.file.set_permissions(old.permissions()).is_ok()
    }

    fn rename_to(mut self, target: &Path) -> io::Result<()> {
        fs::rename(&self.path, target)?;
        self.is_kept = true;
        sync_folder(target);
        Ok(())
    }

    fn keep(mut self) -> PathBuf {
        self.is_kept = true;
        self.path.clone()
    }
}

impl Drop for NewFile {
    fn drop(&mut self) {
        if !self.is_kept {
            // What is left of it is of no use; that it may be gone already is no reason to complain.
            let _ = fs::remove_file(&self.path);
        }
    }
}

/// A number that another user cannot foresee: the hash has random keys from the system.
fn unforeseeable() -> u64 {
    RandomState::new().hash_one(std::process::id())
}

#[cfg(unix)]
fn make_private(options: &mut OpenOptions) {
    use std::os::unix::fs::OpenOptionsExt;
    options.mode(0o600);
}

#[cfg(not(unix))]
fn make_private(_: &mut OpenOptions) {}

#[cfg(unix)]
fn has_other_names(file: &Metadata) -> bool {
    use std::os::unix::fs::MetadataExt;
    file.nlink() > 1
}

#[cfg(not(unix))]
fn has_other_names(_: &Metadata) -> bool {
    false
}

/// Gives a file the owner and the group of another, if it has others.
#[cfg(unix)]
fn has_same_owner(file: &File, old: &Metadata) -> bool {
    use std::os::unix::fs::{MetadataExt, fchown};
    let is_same = |new: Metadata| (new.uid(), new.gid()) == (old.uid(), old.gid());
    file.metadata().is_ok_and(is_same) || fchown(file, Some(old.uid()), Some(old.gid())).is_ok()
}

#[cfg(not(unix))]
fn has_same_owner(_: &File, _: &Metadata) -> bool {
    true
}

/// What symbolic links lead to; it need not exist.
fn follow(path: &Path) -> io::Result<PathBuf> {
    let mut target = path.to_path_buf();
    for _ in 0..MOST_LINKS {
        match fs::read_link(&target) {
            Ok(next) => target = folder_of(&target).join(next),
            Err(_) => return Ok(target),
        }
    }
    Err(io::Error::other("too many symbolic links"))
}

fn folder_of(path: &Path) -> &Path {
    path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

/// Makes a new name survive a power cut, where the system can.
fn sync_folder(path: &Path) {
    let _ = File::open(folder_of(path)).and_then(|folder| folder.sync_all());
}
