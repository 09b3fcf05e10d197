//! Stored runs as a user names and lists them: by number, by label, the last one; with results, progress and durations.

use plysmith_store::{Run, RunId, Status, Store};
use serde::Serialize;

use crate::error::RunError;
use crate::headline::Headline;
use crate::runs::kind_of;

/// A run in a list.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct RunLine {
    /// Its number.
    pub run: RunId,
    /// The label that the user gave it.
    pub label: Option<String>,
    /// Its kind.
    pub kind: String,
    /// Its game.
    pub game: String,
    /// Finished, running or interrupted.
    pub status: Status,
    /// The share of the present phase that is done, from 0 to 1; none if that is not known.
    pub progress: Option<f64>,
    /// What is being done, or was when it was interrupted.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub doing: Option<String>,
    /// How long it was worked on; none if that is not known.
    pub seconds: Option<f64>,
    /// What it came to; none if it is not finished.
    #[serde(flatten)]
    pub headline: Option<Headline>,
    /// Its random seed.
    pub seed: u64,
    /// The run that it follows from.
    pub parent: Option<RunId>,
    /// When it was created, in unix seconds.
    pub created_at: u64,
    /// When it finished, in unix seconds.
    pub finished_at: Option<u64>,
    /// The version of the program that created it.
    pub version: String,
    /// The command line that created it.
    pub command: Vec<String>,
}

/// Which runs to list. Everything that is set must hold.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Filter {
    /// Runs of this game.
    pub game: Option<String>,
    /// Runs of this kind.
    pub kind: Option<String>,
    /// Runs with this status.
    pub status: Option<Status>,
    /// Runs whose label or command contains this, in any case.
    pub text: Option<String>,
}

impl Filter {
    /// Whether a run is to be listed.
    pub fn accepts(&self, run: &Run) -> bool {
        let is = |wanted: &Option<String>, found: &str| wanted.as_deref().is_none_or(|wanted| wanted == found);
        let contains = |text: &String| {
            let text = text.to_lowercase();
            let words = run.label.iter().chain(&run.command);
            words.map(|word| word.to_lowercase()).any(|word| word.contains(&text))
        };
        is(&self.game, &run.game)
            && is(&self.kind, &run.kind)
            && self.status.is_none_or(|status| status == run.status)
            && self.text.as_ref().is_none_or(contains)
    }
}

/// The runs that a filter accepts, the newest first.
pub fn list(store: &Store, filter: &Filter) -> Result<Vec<RunLine>, RunError> {
    let runs = store.runs()?;
    Ok(runs.iter().filter(|run| filter.accepts(run)).map(|run| line(store, run)).collect())
}

/// A run as a list shows it.
pub fn line(store: &Store, run: &Run) -> RunLine {
    let activity = store.activity(run.id);
    let unfinished = activity.as_ref().filter(|_| run.status != Status::Finished);
    RunLine {
        run: run.id,
        label: run.label.clone(),
        kind: run.kind.clone(),
        game: run.game.clone(),
        status: run.status,
        progress: unfinished.and_then(|activity| activity.share()),
        doing: unfinished.map(|activity| activity.message.clone()).filter(|message| !message.is_empty()),
        seconds: seconds(store, run),
        headline: headline(run),
        seed: run.seed,
        parent: run.parent,
        created_at: run.created_at,
        finished_at: run.finished_at,
        version: run.version.clone(),
        command: run.command.clone(),
    }
}

/// How long a run was worked on. For a finished run of an earlier version, which did not note it, this is the time
/// between its beginning and its end.
pub fn seconds(store: &Store, run: &Run) -> Option<f64> {
    let noted = store.activity(run.id).map(|activity| activity.seconds);
    noted.or_else(|| run.finished_at.map(|end| end.saturating_sub(run.created_at) as f64))
}

/// What a run came to; none if it is not finished, or of a kind or a form that this version does not know.
pub fn headline(run: &Run) -> Option<Headline> {
    kind_of(run).ok()?.headline(run, run.result.as_ref()?).ok()
}

/// The run that the user means: a number, `last` for the newest, or a label.
pub fn find(store: &Store, text: &str) -> Result<Run, RunError> {
    if let Ok(number) = text.parse() {
        return Ok(store.run(number)?);
    }
    let runs = store.runs()?;
    let found = match text {
        "last" => runs.into_iter().next(),
        label => runs.into_iter().find(|run| run.label.as_deref() == Some(label)),
    };
    found.ok_or_else(|| {
        RunError::input(match text {
            "last" => "there are no runs yet".to_string(),
            _ => format!(
                "there is no run '{text}'; expected the number or the label of a run, or 'last' (`plysmith runs` lists \
                 them)"
            ),
        })
    })
}

/// Deletes runs, all or none; with those that follow from them if that is asked for. Says which were deleted.
pub fn delete(store: &Store, runs: &[RunId], with_children: bool) -> Result<Vec<RunId>, RunError> {
    let mut deleted = runs.to_vec();
    if with_children {
        // The oldest first: a child is younger than its parent.
        for run in store.runs()?.iter().rev() {
            if run.parent.is_some_and(|parent| deleted.contains(&parent)) {
                deleted.push(run.id);
            }
        }
    }
    deleted.sort_unstable();
    deleted.dedup();
    store.delete_runs(&deleted)?;
    Ok(deleted)
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use plysmith_store::{Home, NewRun};
    use serde_json::json;

    use super::*;
    use crate::activity::NotedProgress;
    use crate::progress::{Progress, ProgressSink, Silent};

    fn new_run(game: &str, parent: Option<RunId>) -> NewRun {
        NewRun {
            kind: "match".into(),
            game: game.into(),
            config: json!({}),
            seed: 1,
            version: "0.2.0".into(),
            command: vec!["plysmith".into(), "match".into(), game.into()],
            parent,
        }
    }

    fn new_store() -> (tempfile::TempDir, Arc<Store>) {
        let folder = tempfile::tempdir().unwrap();
        let store = Store::open(&Home::at(folder.path()).store_path()).unwrap();
        (folder, Arc::new(store))
    }

    #[test]
    fn runs_are_found_by_number_by_label_and_as_the_last() {
        let (_folder, store) = new_store();
        assert!(find(&store, "last").unwrap_err().to_string().contains("no runs yet"));
        let first = store.create_labelled_run(&new_run("chess", None), Some("mine")).unwrap().run();
        let second = store.create_run(&new_run("chess", None)).unwrap().run();
        for (text, run) in [("1", first), ("mine", first), ("last", second)] {
            assert_eq!(find(&store, text).unwrap().id, run);
        }
        for text in ["3", "my", "x7", "-1", ""] {
            assert!(find(&store, text).is_err(), "{text}");
        }
        store.set_label(second, Some("mine")).unwrap();
        assert_eq!(find(&store, "mine").unwrap().id, second, "the newest with that label");
    }

    #[test]
    fn filters_must_all_hold() {
        let (_folder, store) = new_store();
        drop(store.create_labelled_run(&new_run("chess", None), Some("King safety")).unwrap());
        let _running = store.create_run(&new_run("breakthrough", None)).unwrap();
        let numbers = |filter: Filter| -> Vec<String> {
            list(&store, &filter).unwrap().iter().map(|line| line.run.to_string()).collect()
        };
        let text = |text: &str| Some(text.to_string());
        assert_eq!(numbers(Filter::default()), ["2", "1"]);
        assert_eq!(numbers(Filter { game: text("chess"), ..Filter::default() }), ["1"]);
        assert_eq!(numbers(Filter { text: text("king"), ..Filter::default() }), ["1"]);
        assert_eq!(numbers(Filter { text: text("BREAK"), ..Filter::default() }), ["2"]);
        assert_eq!(numbers(Filter { status: Some(Status::Running), ..Filter::default() }), ["2"]);
        assert!(numbers(Filter { game: text("chess"), kind: text("tune"), ..Filter::default() }).is_empty());
    }

    #[test]
    fn progress_and_work_are_noted_over_interruptions() {
        let (_folder, store) = new_store();
        let run = store.create_run(&new_run("chess", None)).unwrap().run();
        assert_eq!(line(&store, &store.run(run).unwrap()).seconds, None);
        for (done, share) in [(2, 0.5), (3, 0.75)] {
            let noted = Arc::new(NotedProgress::new(Arc::new(Silent), Arc::clone(&store), run));
            let sink: Arc<dyn ProgressSink> = noted.clone();
            let progress = Progress::begin(&sink, 4);
            progress.message("playing");
            progress.set_part_done(done);
            drop(progress);
            let before = store.activity(run).map_or(0.0, |activity| activity.seconds);
            noted.note();
            let line = line(&store, &store.run(run).unwrap());
            assert_eq!((line.status, line.progress), (Status::Interrupted, Some(share)));
            assert_eq!(line.doing.as_deref(), Some("playing"));
            assert!(line.seconds.unwrap() > before);
        }
        store.finish_run(run, &1).unwrap();
        let line = line(&store, &store.run(run).unwrap());
        assert_eq!((line.progress, line.doing, line.headline), (None, None, None));
    }

    #[test]
    fn parents_are_deleted_with_their_children_only_if_asked() {
        let (_folder, store) = new_store();
        let parent = store.create_run(&new_run("chess", None)).unwrap().run();
        let child = store.create_run(&new_run("chess", Some(parent))).unwrap().run();
        let grandchild = store.create_run(&new_run("chess", Some(child))).unwrap().run();
        let other = store.create_run(&new_run("chess", None)).unwrap().run();
        assert!(delete(&store, &[parent], false).is_err());
        assert_eq!(store.runs().unwrap().len(), 4);
        assert_eq!(delete(&store, &[parent], true).unwrap(), [parent, child, grandchild]);
        assert_eq!(store.runs().unwrap()[0].id, other);
        assert_eq!(store.runs().unwrap().len(), 1);
    }
}
