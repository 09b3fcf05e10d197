//! What may change in runs, read at little cost: for those who watch a whole store.

use crate::error::StoreError;
use crate::run::RunId;
use crate::run_record::RunState;
use crate::store::Store;

/// What may change in an unfinished run, and the label.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RunStamp {
    /// The run.
    pub run: RunId,
    /// The number of its events.
    pub events: u64,
    /// Its label.
    pub label: Option<String>,
}

/// Which state of the store was looked at. Only whether two of them are equal means anything.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct DataVersion {
    others: i64,
    own: u64,
}

impl Store {
    /// The stamps of all runs, the oldest first. Reads neither configurations nor results.
    pub fn stamps(&self) -> Result<Vec<RunStamp>, StoreError> {
        const DOING: &str = "looking for changes";
        let rows = self.read(DOING, |transaction| {
            transaction
                .prepare_cached("SELECT run, events, label, checksum FROM run_states ORDER BY run")
                .and_then(|mut select| select.query_map([], RunState::read)?.collect::<rusqlite::Result<Vec<_>>>())
                .map_err(|error| self.damaged_or_failed(|| "the states of the runs".into(), DOING, error))
        })?;
        let stamp = |state: RunState| {
            let state = self.check_state(state)?;
            let events = u64::try_from(state.events).unwrap_or_default();
            Ok(RunStamp { run: state.run(), events, label: state.label })
        };
        rows.into_iter().map(stamp).collect()
    }

    /// Something that is another one after anybody has written to the store.
    pub fn data_version(&self) -> Result<DataVersion, StoreError> {
        let connection = self.connection();
        let own = connection.total_changes();
        let others = connection.pragma_query_value(None, "data_version", |row| row.get(0));
        let others = others.map_err(|error| self.failed("looking for changes", error))?;
        Ok(DataVersion { others, own })
    }

    /// Whether a run has its result.
    pub fn has_result(&self, run: RunId) -> Result<bool, StoreError> {
        self.is_finished(run)
    }

    /// Whether a live process works on a run.
    pub fn is_running(&self, run: RunId) -> Result<bool, StoreError> {
        self.is_claimed(run)
    }

    /// The live process that works on a run; `None` if there is none, or it cannot be told which it is.
    pub fn worker(&self, run: RunId) -> Result<Option<u32>, StoreError> {
        if !self.is_claimed(run)? {
            return Ok(None);
        }
        Ok(self.locks.holder(run).strip_prefix("process ").and_then(|process| process.trim().parse().ok()))
    }
}

#[cfg(test)]
mod tests {
    use crate::store::Store;
    use crate::store::tests::{break_rules, new_run, new_store};

    #[test]
    fn stamps_tell_what_changed() {
        let (_folder, store) = new_store();
        assert!(store.stamps().unwrap().is_empty());
        let claim = store.create_run(&new_run()).unwrap();
        let run = claim.run();
        let mut seen = store.stamps().unwrap();
        assert_eq!((seen.len(), seen[0].run, seen[0].events), (1, run, 0));
        let other = Store::open(store.path()).unwrap();
        let mut version = other.data_version().unwrap();
        let mut changed = |what: &str| {
            let (now, new_version) = (other.stamps().unwrap(), other.data_version().unwrap());
            assert!(now != seen && new_version != version, "{what}");
            assert_eq!(other.data_version().unwrap(), new_version, "{what}");
            (seen, version) = (now, new_version);
        };
        store.append_event(run, 0, "step", &1).unwrap();
        changed("an event");
        store.set_label(run, Some("mine")).unwrap();
        changed("a label");
        assert!(!other.has_result(run).unwrap());
        store.finish_run(run, &1).unwrap();
        assert!(other.has_result(run).unwrap());
        drop(claim);
        store.delete_run(run).unwrap();
        changed("a deletion");
    }

    #[test]
    fn own_changes_count() {
        let (_folder, store) = new_store();
        let version = store.data_version().unwrap();
        let run = store.create_run(&new_run()).unwrap().run();
        let with_run = store.data_version().unwrap();
        assert!(with_run != version && with_run == store.data_version().unwrap());
        store.set_label(run, Some("mine")).unwrap();
        assert_ne!(store.data_version().unwrap(), with_run);
    }

    #[test]
    fn the_worker_is_the_process_with_the_claim() {
        let (_folder, store) = new_store();
        let claim = store.create_run(&new_run()).unwrap();
        let run = claim.run();
        assert_eq!(store.worker(run).unwrap(), Some(std::process::id()));
        assert!(store.is_running(run).unwrap());
        drop(claim);
        assert_eq!(store.worker(run).unwrap(), None);
        assert!(!store.is_running(run).unwrap());
    }

    #[test]
    fn a_damaged_state_is_named() {
        let (_folder, store) = new_store();
        drop(store.create_run(&new_run()).unwrap());
        break_rules(&store, "DROP TRIGGER run_states_count; UPDATE run_states SET label = 'nine'");
        assert!(store.stamps().unwrap_err().to_string().contains("the state of run 1 is damaged"));
    }
}
