//! What the user may do to a run afterwards: give it a label, delete it.

use rusqlite::{Connection, params};

use crate::checksum;
use crate::error::StoreError;
use crate::run::RunId;
use crate::store::Store;

impl Store {
    /// Gives a run a label, or takes it away. A label may change at any time, also of a finished run.
    pub fn set_label(&self, run: RunId, label: Option<&str>) -> Result<(), StoreError> {
        const DOING: &str = "storing the label of a run";
        self.write(DOING, |transaction| {
            let state = self.run_state(transaction, run)?;
            if state.label.as_deref() == label {
                return Ok(());
            }
            let checksum = checksum::run_state(run.0, state.events, label);
            let update = "UPDATE run_states SET label = ?2, checksum = ?3 WHERE run = ?1";
            transaction.execute(update, params![run.0, label, checksum]).map_err(|error| self.failed(DOING, error))?;
            Ok(())
        })
    }

    /// Deletes a run and its events, for good. Its number is never used again, and stored results stay.
    ///
    /// A run that a live process works on is [`StoreError::RunBusy`]; one that is the parent of another run is
    /// [`StoreError::HasChildren`].
    pub fn delete_run(&self, run: RunId) -> Result<(), StoreError> {
        self.delete_runs(&[run])
    }

    /// Deletes several runs as [`delete_run`](Store::delete_run) does, all or none. A parent may be deleted together with
    /// all its children.
    pub fn delete_runs(&self, runs: &[RunId]) -> Result<(), StoreError> {
        const DOING: &str = "deleting runs";
        // Children have higher numbers than their parents, and must go first.
        let mut runs = runs.to_vec();
        runs.sort_unstable();
        runs.dedup();
        runs.reverse();
        for &run in &runs {
            self.require_run(run)?;
        }
        // Held to the end: nobody begins to work on them meanwhile.
        let _claims = runs.iter().map(|&run| self.lock_run(run)).collect::<Result<Vec<_>, _>>()?;
        self.write(DOING, |transaction| runs.iter().try_for_each(|&run| self.delete_rows(transaction, run)))?;
        // They are deleted, whatever becomes of the notes on their progress.
        runs.iter().for_each(|&run| drop(self.remove_activity(run)));
        Ok(())
    }

    fn delete_rows(&self, transaction: &Connection, run: RunId) -> Result<(), StoreError> {
        let failed = |error| self.failed("deleting runs", error);
        self.stored_result(transaction, run)?;
        let children: Vec<i64> = transaction
            .prepare("SELECT id FROM runs WHERE parent = ?1 ORDER BY id")
            .and_then(|mut select| select.query_map([run.0], |row| row.get(0))?.collect())
            .map_err(failed)?;
        if !children.is_empty() {
            let children: Vec<_> = children.iter().map(|child| format!("run {child}")).collect();
            return Err(StoreError::HasChildren { run, children: children.join(", ") });
        }
        // The triggers let pass only what is announced in `deletions`.
        for sql in [
            "INSERT INTO deletions (run) VALUES (?1)",
            "DELETE FROM events WHERE run = ?1",
            "DELETE FROM run_states WHERE run = ?1",
            "DELETE FROM runs WHERE id = ?1",
            "DELETE FROM deletions WHERE run = ?1",
        ] {
            transaction.execute(sql, [run.0]).map_err(failed)?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::run::NewRun;
    use crate::store::tests::{break_rules, new_run, new_store};

    #[test]
    fn a_label_may_change_at_any_time() {
        let (_folder, store) = new_store();
        let claim = store.create_run(&new_run()).unwrap();
        let run = claim.run();
        let mut as_json = serde_json::to_value(store.run(run).unwrap()).unwrap();
        assert!(as_json.get("label").is_none() && as_json.get("parent").is_none(), "{as_json}");
        store.set_label(run, Some("first try")).unwrap();
        store.append_event(run, 0, "step", &1).unwrap();
        store.finish_run(run, &1).unwrap();
        assert_eq!(store.run(run).unwrap().label.as_deref(), Some("first try"));
        for label in [Some("best so far"), Some("best so far"), Some(""), None, None] {
            store.set_label(run, label).unwrap();
            assert_eq!(store.run(run).unwrap().label.as_deref(), label);
        }
        assert_eq!(store.events(run).unwrap().len(), 1);

        store.set_label(run, Some("kept")).unwrap();
        as_json = serde_json::to_value(store.run(run).unwrap()).unwrap();
        assert_eq!(as_json["label"], "kept");
        assert!(matches!(store.set_label(RunId(9), None), Err(StoreError::NoSuchRun { .. })));
    }

    #[test]
    fn a_damaged_state_is_named() {
        let (_folder, store) = new_store();
        let run = store.create_run(&new_run()).unwrap().run();
        store.set_label(run, Some("mine")).unwrap();
        break_rules(&store, "DROP TRIGGER run_states_count; UPDATE run_states SET label = 'nine'");
        let errors = [
            store.run(run).map(drop),
            store.runs().map(drop),
            store.events(run).map(drop),
            store.set_label(run, None),
            store.append_event(run, 0, "step", &1),
        ];
        for error in errors.map(Result::unwrap_err) {
            assert!(error.to_string().contains("the state of run 1 is damaged"), "{error}");
        }
    }

    #[test]
    fn a_deleted_run_is_gone_and_its_number_is_not_used_again() {
        let (_folder, store) = new_store();
        for _ in 0..3 {
            let run = store.create_run(&new_run()).unwrap().run();
            store.append_event(run, 0, "step", &1).unwrap();
            store.finish_run(run, &1).unwrap();
        }
        store.put_result("k", 1, &json!("job"), &json!(1)).unwrap();
        store.delete_run(RunId(3)).unwrap();
        for error in [store.run(RunId(3)).map(drop), store.events(RunId(3)).map(drop), store.delete_run(RunId(3))] {
            assert!(matches!(error, Err(StoreError::NoSuchRun { run: RunId(3), .. })));
        }
        assert_eq!(store.create_run(&new_run()).unwrap().run(), RunId(4));
        let left: Vec<_> = store.runs().unwrap().iter().map(|run| run.id.0).collect();
        assert_eq!(left, [4, 2, 1]);
        assert_eq!(store.events(RunId(2)).unwrap().len(), 1);
        assert!(store.result("k").unwrap().is_some());
    }

    #[test]
    fn what_is_in_use_is_not_deleted() {
        let (_folder, store) = new_store();
        let claim = store.create_run(&new_run()).unwrap();
        let parent = claim.run();
        store.append_event(parent, 0, "step", &1).unwrap();
        let other = Store::open(store.path()).unwrap();
        assert!(matches!(other.delete_run(parent), Err(StoreError::RunBusy { .. })));
        assert!(matches!(store.delete_run(parent), Err(StoreError::RunBusy { .. })));
        drop(claim);

        let child = NewRun { parent: Some(parent), ..new_run() };
        let children = [store.create_run(&child).unwrap().run(), store.create_run(&child).unwrap().run()];
        let error = other.delete_run(parent).unwrap_err();
        assert!(matches!(error, StoreError::HasChildren { .. }));
        assert!(error.to_string().contains("run 1 is the parent of run 2, run 3"), "{error}");
        assert_eq!(store.events(parent).unwrap().len(), 1);
        assert!(matches!(other.delete_runs(&[parent, children[1]]), Err(StoreError::HasChildren { .. })));
        assert_eq!(store.runs().unwrap().len(), 3, "all or none");
        other.delete_runs(&[parent, children[0], parent, children[1]]).unwrap();
        assert!(store.runs().unwrap().is_empty());
    }

    /// The permission to delete does not outlive its transaction, nor cover other runs.
    #[test]
    fn deletion_leaves_no_permission_behind() {
        let (_folder, store) = new_store();
        for _ in 0..2 {
            let run = store.create_run(&new_run()).unwrap().run();
            store.append_event(run, 0, "step", &1).unwrap();
        }
        store.delete_run(RunId(1)).unwrap();
        let anyone = Connection::open(store.path()).unwrap();
        for sql in ["DELETE FROM events", "DELETE FROM run_states", "DELETE FROM runs"] {
            anyone.execute(sql, []).expect_err(sql);
        }
        assert_eq!(store.events(RunId(2)).unwrap().len(), 1);
    }
}
