//! The folder of the store: the *home*.
//!
//! `PLYSMITH_HOME` decides if it is set; otherwise it is `plysmith` in the platform's folder for application data.
//! The environment is a parameter, so that tests need not change that of the process. The crates for this purpose all
//! read the environment themselves, and the rule is short, so none is used.

use std::ffi::OsString;
use std::path::{Path, PathBuf, absolute};

use crate::error::StoreError;

/// The folder that holds the store and its lock files.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Home {
    folder: PathBuf,
}

impl Home {
    /// The home that this process's environment asks for.
    pub fn from_env() -> Result<Home, StoreError> {
        Home::locate(|name| std::env::var_os(name))
    }

    /// The home that an environment asks for: `PLYSMITH_HOME`, or else the platform's data folder + `plysmith`.
    ///
    /// A variable that is set but empty counts as not set.
    pub fn locate(env: impl Fn(&str) -> Option<OsString>) -> Result<Home, StoreError> {
        let path = |name: &str| env(name).filter(|value| !value.is_empty()).map(PathBuf::from);
        match path("PLYSMITH_HOME") {
            Some(folder) => Ok(Home::at(folder)),
            None => data_folder(path).map(|data| Home::at(data.join("plysmith"))).ok_or(StoreError::NoHome),
        }
    }

    /// A home at a given folder. A relative path is resolved against the current directory now, not later.
    pub fn at(folder: impl Into<PathBuf>) -> Home {
        let folder = folder.into();
        Home { folder: absolute(&folder).unwrap_or(folder) }
    }

    /// The folder itself; it need not exist yet.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// The database that [`Store::open`](crate::Store::open) takes.
    ///
    /// The lock files of its runs are in `locks/` beside it.
    pub fn store_path(&self) -> PathBuf {
        self.folder.join("plysmith.db")
    }
}

fn data_folder(path: impl Fn(&str) -> Option<PathBuf>) -> Option<PathBuf> {
    if cfg!(windows) {
        return path("LOCALAPPDATA");
    }
    // The XDG specification: a relative path here is invalid and must be ignored.
    let xdg = path("XDG_DATA_HOME").filter(|folder| folder.is_absolute());
    let below_home = if cfg!(target_os = "macos") { "Library/Application Support" } else { ".local/share" };
    xdg.or_else(|| path("HOME").map(|home| home.join(below_home)))
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    fn locate(variables: &[(&str, &str)]) -> Result<Home, StoreError> {
        Home::locate(|name| variables.iter().find(|(key, _)| *key == name).map(|(_, value)| OsString::from(value)))
    }

    #[test]
    fn the_own_variable_wins() {
        let home = locate(&[("PLYSMITH_HOME", "/a/b"), ("XDG_DATA_HOME", "/x"), ("HOME", "/h")]).unwrap();
        assert_eq!(home.folder(), Path::new("/a/b"));
        assert_eq!(home.store_path(), Path::new("/a/b/plysmith.db"));
    }

    #[test]
    fn then_the_platforms_folder() {
        let xdg = locate(&[("PLYSMITH_HOME", ""), ("XDG_DATA_HOME", "/x"), ("HOME", "/h")]).unwrap();
        assert_eq!(xdg.folder(), Path::new("/x/plysmith"));
    }

    #[test]
    #[cfg(target_os = "linux")]
    fn then_below_the_users_home() {
        for xdg in ["", "relative/is/invalid"] {
            let home = locate(&[("XDG_DATA_HOME", xdg), ("HOME", "/h")]).unwrap();
            assert_eq!(home.folder(), Path::new("/h/.local/share/plysmith"));
        }
    }

    #[test]
    fn a_relative_home_does_not_move_with_the_process() {
        let home = locate(&[("PLYSMITH_HOME", "runs")]).unwrap();
        assert_eq!(home.folder(), std::env::current_dir().unwrap().join("runs"));
    }

    #[test]
    fn nowhere_to_go_is_an_error_with_the_remedy() {
        assert!(locate(&[]).unwrap_err().to_string().contains("set PLYSMITH_HOME"));
    }
}
