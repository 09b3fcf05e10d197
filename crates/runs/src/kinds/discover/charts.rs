//! The chart that a discovery writes: how alike its features are.

use std::fs;
use std::path::{Path, PathBuf, absolute};

use serde::{Deserialize, Serialize};

use super::Discovery;
use crate::error::RunError;
use crate::files::{check_target, write_file};

/// Where the chart goes. Part of the run, so that `resume` writes it too.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct ChartFolder {
    /// The folder.
    folder: PathBuf,
    /// Whether a file may be replaced.
    force: bool,
}

const NAME: &str = "classes.svg";

impl ChartFolder {
    /// A folder with an absolute path, so that a run can be resumed from elsewhere.
    pub fn new(folder: &Path, force: bool) -> Result<ChartFolder, RunError> {
        let failed = |error| RunError::input(format!("cannot write {}: {error}", folder.display()));
        Ok(ChartFolder { folder: absolute(folder).map_err(failed)?, force })
    }

    /// Fails if the chart cannot be written, before work is done for it.
    pub(super) fn check(&self) -> Result<(), RunError> {
        let failed = |error| RunError::input(format!("cannot make the folder {}: {error}", self.folder.display()));
        fs::create_dir_all(&self.folder).map_err(failed)?;
        check_target(&self.folder.join(NAME), self.force)
    }

    /// Writes the chart; returns its path. Without two features that gain something there is none.
    pub(super) fn write(&self, discovery: &Discovery) -> Result<Vec<PathBuf>, RunError> {
        let Some(similarity) = &discovery.similarity else { return Ok(Vec::new()) };
        let title = match discovery.judge {
            None => format!("Problems of {} that features gain together", discovery.suite),
            Some(_) => format!("Positions of {} in which features change the regret alike", discovery.suite),
        };
        let path = self.folder.join(NAME);
        write_file(&path, &similarity.heat_map(title).svg(), self.force)?;
        Ok(vec![path])
    }
}
