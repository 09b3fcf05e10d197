//! Which files a tuning writes.

use std::fs;
use std::path::{Path, PathBuf, absolute};

use serde::{Deserialize, Serialize};

use crate::error::RunError;
use crate::files::check_target;

/// Files to write. Part of the run, so that `resume` writes them too.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct Files {
    /// The weights, as TOML, or as JSON if the name ends in `.json`.
    #[serde(rename = "out")]
    pub weights: Option<PathBuf>,
    /// A folder for the charts.
    pub charts: Option<PathBuf>,
    /// Whether files may be replaced.
    pub force: bool,
}

/// The names of the two charts.
pub(super) const CHARTS: [&str; 2] = ["nodes.svg", "weights.svg"];

impl Files {
    /// Files with absolute paths, so that a run can be resumed from another folder.
    pub fn new(weights: Option<&Path>, charts: Option<&Path>, force: bool) -> Result<Files, RunError> {
        let from_here = |path: &Path| {
            absolute(path).map_err(|error| RunError::input(format!("cannot write {}: {error}", path.display())))
        };
        Ok(Files { weights: weights.map(from_here).transpose()?, charts: charts.map(from_here).transpose()?, force })
    }

    /// Whether no file is to be written.
    pub(super) fn are_none(&self) -> bool {
        *self == Files::default()
    }

    /// Fails if a file cannot be written, before work is done for it.
    pub(super) fn check(&self) -> Result<(), RunError> {
        if let Some(path) = &self.weights {
            check_target(path, self.force)?;
        }
        if let Some(folder) = &self.charts {
            fs::create_dir_all(folder)
                .map_err(|error| RunError::input(format!("cannot make the folder {}: {error}", folder.display())))?;
            CHARTS.iter().try_for_each(|name| check_target(&folder.join(name), self.force))?;
        }
        Ok(())
    }
}
