//! How far a run is: what the process that works on it last said.
//!
//! This is not evidence, and nothing depends on it. So it is a small file beside the lock of the run and not a record:
//! it is written every second or so, without waiting for the disk. A file that is lost or cannot be read is as good as
//! none.

use std::fs;
use std::io::ErrorKind;

use serde::{Deserialize, Serialize};

use crate::error::StoreError;
use crate::run::RunId;
use crate::store::Store;

/// How far a run is, and how long it was worked on.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Activity {
    /// Seconds of work, without those between an interruption and the resumption.
    pub seconds: f64,
    /// Steps of the present phase that are done.
    pub done: u64,
    /// Its steps; 0 if that is not known.
    pub steps: u64,
    /// What is being done, as the progress bar says.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub message: String,
}

impl Activity {
    /// The share of the present phase that is done, from 0 to 1.
    pub fn share(&self) -> Option<f64> {
        (self.steps > 0).then(|| (self.done as f64 / self.steps as f64).min(1.0))
    }
}

impl Store {
    /// Says how far a run is. Only the process that has claimed the run should.
    pub fn set_activity(&self, run: RunId, activity: &Activity) -> Result<(), StoreError> {
        let path = self.locks.activity_path(run);
        let failed = |error: std::io::Error| StoreError::from_io(&path, "storing the progress of a run", &error);
        let text = serde_json::to_string(activity).map_err(|error| failed(error.into()))?;
        // Not the folder above it: a store that was deleted is not begun anew.
        match path.parent().map(fs::create_dir) {
            Some(Err(error)) if error.kind() != ErrorKind::AlreadyExists => return Err(failed(error)),
            _ => {}
        }
        // Readers find the old text or the new one.
        let new = path.with_extension("new");
        fs::write(&new, text).and_then(|()| fs::rename(&new, &path)).map_err(failed)
    }

    /// How far a run is; `None` if that is not known, as for runs of earlier versions.
    pub fn activity(&self, run: RunId) -> Option<Activity> {
        let text = fs::read_to_string(self.locks.activity_path(run)).ok()?;
        serde_json::from_str(&text).ok().filter(|activity: &Activity| activity.seconds >= 0.0)
    }

    /// Forgets how far a run was.
    pub(crate) fn remove_activity(&self, run: RunId) -> Result<(), StoreError> {
        let path = self.locks.activity_path(run);
        match fs::remove_file(&path) {
            Err(error) if error.kind() != ErrorKind::NotFound => {
                Err(StoreError::from_io(&path, "deleting the progress of a run", &error))
            }
            _ => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::tests::{new_run, new_store};

    #[test]
    fn the_last_activity_is_read_back_and_goes_with_the_run() {
        let (_folder, store) = new_store();
        let claim = store.create_run(&new_run()).unwrap();
        let run = claim.run();
        assert_eq!(store.activity(run), None);
        for done in [1, 5] {
            let activity = Activity { seconds: 1.5, done, steps: 10, message: "game 5".into() };
            store.set_activity(run, &activity).unwrap();
            assert_eq!(Store::open(store.path()).unwrap().activity(run), Some(activity));
        }
        assert_eq!(store.activity(run).unwrap().share(), Some(0.5));
        assert_eq!(Activity::default().share(), None);
        drop(claim);
        store.delete_run(run).unwrap();
        assert_eq!(store.activity(run), None);
    }

    #[test]
    fn a_file_that_cannot_be_read_is_as_good_as_none() {
        let (_folder, store) = new_store();
        let run = store.create_run(&new_run()).unwrap().run();
        store.set_activity(run, &Activity::default()).unwrap();
        let path = store.locks.activity_path(run);
        for text in ["", "{", "[]", r#"{"seconds":-1,"done":0,"steps":0}"#] {
            fs::write(&path, text).unwrap();
            assert_eq!(store.activity(run), None, "{text}");
        }
    }
}
