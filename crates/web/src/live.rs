//! The state of all runs, kept up to date: what changed since a page was rendered.
//!
//! Nothing happens while nobody asks. Whoever asks refreshes the state, if that was not done a moment ago; then the answer
//! for everybody is a comparison of numbers. A refresh reads a few bytes for each run, and more only of runs that changed,
//! so that a run at work loses nothing to those who watch.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::fmt;
use std::str::FromStr;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use plysmith_runs::listing::{self, RunLine};
use plysmith_store::{DataVersion, RunId, RunStamp, Status, Store, StoreError};

use crate::secret::random_token;

/// A state that is younger is not refreshed.
const FRESH: Duration = Duration::from_millis(300);
/// How long one question may read runs that were not read before, the newest first. The next one goes on.
const MOST_READING: Duration = Duration::from_millis(300);
/// Deleted runs that are remembered; who asks for older changes reloads the page.
const MOST_GONE: usize = 1000;

/// The state of all runs of a store.
pub struct Live {
    store: Arc<Store>,
    /// Another one each time the server is started: revisions begin anew.
    epoch: String,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    runs: BTreeMap<RunId, Entry>,
    gone: VecDeque<(u64, RunId)>,
    /// Deletions up to this revision are forgotten.
    forgotten: u64,
    revision: u64,
    /// Of the database as it was read; none if it was not read to the end.
    data_version: Option<DataVersion>,
    refreshed: Option<Instant>,
}

/// A run as it was last seen.
#[derive(Clone, Debug)]
pub struct Entry {
    /// The run.
    pub run: RunId,
    /// The number of its events.
    pub events: u64,
    /// What a list shows of it, or why it cannot be read.
    pub line: Result<RunLine, String>,
    /// When it changed last.
    revision: u64,
    stamp_label: Option<String>,
}

/// A moment in the history of the state.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Mark {
    epoch: String,
    revision: u64,
}

/// What changed since a mark.
#[derive(Clone, Debug)]
pub struct Changes {
    /// Runs that are new or changed, the newest first.
    pub changed: Vec<Entry>,
    /// Runs that were deleted.
    pub gone: Vec<RunId>,
    /// The mark is too old to say what changed: `changed` has all runs.
    pub is_reset: bool,
    /// Whether there are older runs that were not read so far.
    pub is_partial: bool,
    /// The present.
    pub mark: Mark,
}

impl Live {
    /// The state of this store.
    pub fn new(store: Arc<Store>) -> Live {
        let epoch = random_token()[..8].to_string();
        Live { store, epoch, state: Mutex::default() }
    }

    /// All runs, the newest first, and the present moment.
    pub fn all(&self) -> Result<Changes, StoreError> {
        self.changes(None)
    }

    /// What changed since a mark.
    pub fn since(&self, mark: &Mark) -> Result<Changes, StoreError> {
        self.changes(Some(mark))
    }

    /// Reads all runs, so that no question waits for it.
    pub fn warm_up(&self) {
        while self.all().is_ok_and(|changes| changes.is_partial) {
            self.state.lock().unwrap_or_else(PoisonError::into_inner).refreshed = None;
        }
    }

    /// Looks again at the next question: this process has changed something.
    pub fn touch(&self) {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        (state.refreshed, state.data_version) = (None, None);
    }

    fn changes(&self, mark: Option<&Mark>) -> Result<Changes, StoreError> {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        if state.refreshed.is_none_or(|refreshed| refreshed.elapsed() >= FRESH) {
            state.refresh(&self.store)?;
            state.refreshed = Some(Instant::now());
        }
        let known =
            mark.filter(|mark| mark.epoch == self.epoch && (state.forgotten..=state.revision).contains(&mark.revision));
        let since = known.map_or(0, |mark| mark.revision);
        let changed = state.runs.values().rev().filter(|entry| entry.revision > since).cloned().collect();
        let gone = state.gone.iter().filter(|(revision, _)| *revision > since).map(|(_, run)| *run).collect();
        let mark = Mark { epoch: self.epoch.clone(), revision: state.revision };
        Ok(Changes { changed, gone, is_reset: known.is_none(), is_partial: state.data_version.is_none(), mark })
    }
}

impl State {
    fn refresh(&mut self, store: &Store) -> Result<(), StoreError> {
        let version = store.data_version()?;
        if self.data_version != Some(version) {
            self.data_version = self.read_stamps(store)?.then_some(version);
        }
        // What is not in the database: who works on a run, and how far it is.
        let unfinished: Vec<RunId> =
            self.runs.values().filter(|entry| entry.is_unfinished()).map(|entry| entry.run).collect();
        for run in unfinished {
            self.update(run, |entry| entry.look_at_worker(store));
        }
        Ok(())
    }

    /// Reads what changed; false if that was not everything.
    fn read_stamps(&mut self, store: &Store) -> Result<bool, StoreError> {
        let begun = Instant::now();
        let stamps = store.stamps()?;
        let there: BTreeSet<RunId> = stamps.iter().map(|stamp| stamp.run).collect();
        let gone: Vec<RunId> = self.runs.keys().copied().filter(|run| !there.contains(run)).collect();
        for run in gone {
            self.revision += 1;
            self.runs.remove(&run);
            self.gone.push_back((self.revision, run));
        }
        while self.gone.len() > MOST_GONE {
            self.forgotten = self.gone.pop_front().map_or(0, |(revision, _)| revision);
        }
        for stamp in stamps.into_iter().rev() {
            match self.runs.get(&stamp.run) {
                None if begun.elapsed() >= MOST_READING => return Ok(false),
                None => {
                    self.revision += 1;
                    self.runs.insert(stamp.run, Entry::read(store, &stamp, self.revision));
                }
                Some(entry) if entry.has_changed(store, &stamp) => {
                    self.update(stamp.run, |entry| *entry = Entry::read(store, &stamp, entry.revision));
                }
                Some(_) => self.update(stamp.run, |entry| entry.events = stamp.events),
            }
        }
        Ok(true)
    }

    /// Changes an entry, and gives it a new revision if it is another one now.
    fn update(&mut self, run: RunId, change: impl FnOnce(&mut Entry)) {
        let Some(entry) = self.runs.get_mut(&run) else { return };
        let before = (entry.events, entry.line.clone());
        change(entry);
        if before != (entry.events, entry.line.clone()) {
            self.revision += 1;
            entry.revision = self.revision;
        }
    }
}

impl Entry {
    fn read(store: &Store, stamp: &RunStamp, revision: u64) -> Entry {
        let line = store.run(stamp.run).map(|run| listing::line(store, &run)).map_err(|error| error.to_string());
        Entry { run: stamp.run, events: stamp.events, line, revision, stamp_label: stamp.label.clone() }
    }

    /// Whether more than the number of events is another one.
    fn has_changed(&self, store: &Store, stamp: &RunStamp) -> bool {
        self.stamp_label != stamp.label || (self.is_unfinished() && store.has_result(self.run).unwrap_or(true))
    }

    fn is_unfinished(&self) -> bool {
        self.line.as_ref().is_ok_and(|line| line.status != Status::Finished)
    }

    fn look_at_worker(&mut self, store: &Store) {
        let (Ok(line), Ok(is_running)) = (&mut self.line, store.is_running(self.run)) else { return };
        if !is_running && line.status == Status::Interrupted {
            return;
        }
        line.status = if is_running { Status::Running } else { Status::Interrupted };
        if let Some(activity) = store.activity(self.run) {
            line.progress = activity.share();
            line.seconds = Some(activity.seconds);
            line.doing = Some(activity.message).filter(|message| !message.is_empty());
        }
    }
}

impl fmt::Display for Mark {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}", self.epoch, self.revision)
    }
}

impl FromStr for Mark {
    type Err = ();

    fn from_str(text: &str) -> Result<Mark, ()> {
        let (epoch, revision) = text.split_once('.').ok_or(())?;
        Ok(Mark { epoch: epoch.to_string(), revision: revision.parse().map_err(drop)? })
    }
}

#[cfg(test)]
mod tests {
    use plysmith_store::{Activity, Home, NewRun};
    use serde_json::json;

    use super::*;

    fn new_run() -> NewRun {
        NewRun {
            kind: "match".into(),
            game: "chess".into(),
            config: json!({}),
            seed: 1,
            version: "0.2.0".into(),
            command: Vec::new(),
            parent: None,
        }
    }

    /// What changed since the mark, as seen at once.
    fn next(live: &Live, mark: &mut Mark) -> (Vec<String>, Vec<RunId>) {
        live.state.lock().unwrap().refreshed = None;
        let changes = live.since(mark).unwrap();
        assert!(!changes.is_reset);
        *mark = changes.mark;
        let status = |entry: &Entry| format!("{} {}", entry.run, entry.line.as_ref().unwrap().status);
        (changes.changed.iter().map(status).collect(), changes.gone)
    }

    #[test]
    fn what_another_process_does_is_seen_once() {
        let folder = tempfile::tempdir().unwrap();
        let path = Home::at(folder.path()).store_path();
        let (other, own) = (Store::open(&path).unwrap(), Arc::new(Store::open(&path).unwrap()));
        let live = Live::new(Arc::clone(&own));
        let mut mark = live.all().unwrap().mark;
        assert_eq!(next(&live, &mut mark), (vec![], vec![]));

        let claim = other.create_run(&new_run()).unwrap();
        let run = claim.run();
        assert_eq!(next(&live, &mut mark), (vec!["1 running".to_string()], vec![]));
        assert_eq!(next(&live, &mut mark), (vec![], vec![]));
        other.append_event(run, 0, "game", &1).unwrap();
        assert_eq!(next(&live, &mut mark).0.len(), 1, "an event");
        other.set_activity(run, &Activity { done: 1, steps: 2, ..Activity::default() }).unwrap();
        assert_eq!(next(&live, &mut mark).0.len(), 1, "progress");
        drop(claim);
        assert_eq!(next(&live, &mut mark).0, ["1 interrupted"]);
        let claim = other.claim(run).unwrap();
        assert_eq!(next(&live, &mut mark).0, ["1 running"]);
        other.finish_run(run, &1).unwrap();
        drop(claim);
        assert_eq!(next(&live, &mut mark).0, ["1 finished"]);
        other.set_label(run, Some("mine")).unwrap();
        assert_eq!(next(&live, &mut mark).0.len(), 1, "a label");
        other.delete_run(run).unwrap();
        assert_eq!(next(&live, &mut mark), (vec![], vec![run]));
        assert_eq!(next(&live, &mut mark), (vec![], vec![]));
    }

    #[test]
    fn own_changes_are_seen_after_a_touch() {
        let folder = tempfile::tempdir().unwrap();
        let store = Arc::new(Store::open(&Home::at(folder.path()).store_path()).unwrap());
        let run = store.create_run(&new_run()).unwrap().run();
        let live = Live::new(Arc::clone(&store));
        let mark = live.all().unwrap().mark;
        store.set_label(run, Some("mine")).unwrap();
        live.touch();
        assert_eq!(live.since(&mark).unwrap().changed[0].line.as_ref().unwrap().label.as_deref(), Some("mine"));
    }

    #[test]
    fn an_unknown_mark_gives_everything() {
        let folder = tempfile::tempdir().unwrap();
        let store = Arc::new(Store::open(&Home::at(folder.path()).store_path()).unwrap());
        drop(store.create_run(&new_run()).unwrap());
        let live = Live::new(store);
        let mark = live.all().unwrap().mark;
        assert_eq!(mark.to_string().parse(), Ok(mark.clone()));
        for other in ["x.1".to_string(), format!("{}.999", live.epoch)] {
            let changes = live.since(&other.parse().unwrap()).unwrap();
            assert!(changes.is_reset && changes.changed.len() == 1, "{other}");
        }
        assert!("".parse::<Mark>().is_err() && "a".parse::<Mark>().is_err() && "a.b".parse::<Mark>().is_err());
    }
}
