//! Results of jobs, stored under the content key of the job and shared by all runs.
//!
//! Measurements, games, problems made from games, programs: whatever depends only on its job.
//!
//! A job may be done in part (the first `done` of its items); a longer part is a further record under the same
//! key, and the shorter ones stay as they are.

use rusqlite::{Connection, OptionalExtension, params};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::checksum;
use crate::error::StoreError;
use crate::json::{Encoded, around_difference, encode};
use crate::run_record::MISMATCH;
use crate::store::Store;

/// The stored result of a job.
#[derive(Clone, Debug, PartialEq)]
pub struct StoredResult {
    /// How many of the job's items are done.
    pub done: u32,
    /// The job.
    pub job: Value,
    /// The result itself.
    pub body: Value,
}

/// A result that is to be stored.
#[derive(Debug)]
pub struct NewResult {
    key: String,
    done: u32,
    job: Encoded,
    body: Encoded,
}

/// What a failure to store a result says.
const STORING: &str = "storing a result";

impl NewResult {
    /// The result of the first `done` items of a job, under the job's key.
    pub fn new(key: &str, done: u32, job: &impl Serialize, body: &impl Serialize) -> Result<NewResult, StoreError> {
        let job = encode(job, || format!("the job of result {key}"))?;
        let body = encode(body, || format!("result {key}"))?;
        Ok(NewResult { key: key.to_string(), done, job, body })
    }
}

impl StoredResult {
    /// The body as the type it was made of.
    pub fn decode<T: DeserializeOwned>(&self) -> Result<T, StoreError> {
        T::deserialize(&self.body).map_err(|error| StoreError::Unexpected {
            what: format!("a result ({} done)", self.done),
            reason: error.to_string(),
        })
    }
}

impl Store {
    /// The result with the most items done under this key, if there is any.
    pub fn result(&self, key: &str) -> Result<Option<StoredResult>, StoreError> {
        const DOING: &str = "reading a result";
        let (row, done) = self.read(DOING, |transaction| {
            let done: Option<i64> = transaction
                .prepare_cached("SELECT max(done) FROM results INDEXED BY results_by_hash WHERE key_hash = ?1")
                .and_then(|mut select| select.query_row([checksum::key_hash(key)], |row| row.get(0)))
                .map_err(|error| self.damaged_or_failed(|| format!("result {key}"), DOING, error))?;
            let row = self.longest(transaction, key)?;
            if row.is_none() && done.is_none() {
                self.check_miss(transaction, key)?;
            }
            Ok((row, done))
        })?;
        let Some(row) = row else {
            return match done {
                Some(done) => Err(self.damaged(format!("result {key} ({done} done)"), &"it is missing")),
                None => Ok(None),
            };
        };
        let what = || format!("result {key} ({} done)", row.done);
        if done != Some(row.done) {
            return Err(self.damaged(what(), &"its two indexes differ"));
        }
        self.check_row(key, &row)?;
        let body = serde_json::from_str(&row.body).map_err(|error| self.damaged(what(), &error))?;
        let job = serde_json::from_str(&row.job).map_err(|error| self.damaged(what(), &error))?;
        let done = row.done.try_into().map_err(|error| self.damaged(what(), &error))?;
        Ok(Some(StoredResult { done, job, body }))
    }

    /// Stores the result of the first `done` items of a job. When this returns, it is on the disk.
    ///
    /// To store an equal result again does nothing. Another job or body under the same key and `done` is
    /// [`StoreError::JobResultDiffers`]: a result depends only on its job, and its key names the job.
    pub fn put_result(
        &self,
        key: &str,
        done: u32,
        job: &impl Serialize,
        body: &impl Serialize,
    ) -> Result<(), StoreError> {
        self.put_results(&[NewResult::new(key, done, job, body)?])
    }

    /// Stores several results as [`put_result`](Store::put_result) does, all or none: writing to the disk once takes as long
    /// as computing many small results.
    pub fn put_results(&self, results: &[NewResult]) -> Result<(), StoreError> {
        self.write(STORING, |transaction| results.iter().try_for_each(|new| self.insert_result(transaction, new)))
    }

    fn insert_result(&self, transaction: &Connection, new: &NewResult) -> Result<(), StoreError> {
        let NewResult { key, done, job, body } = new;
        if let Some(stored) = self.stored_part(transaction, key, *done)? {
            if job.same_as(&stored.job) && body.same_as(&stored.body) {
                return Ok(());
            }
            let stored = format!("{} {}", stored.job, stored.body);
            let (stored, new) = around_difference(&stored, &format!("{} {}", job.text, body.text));
            return Err(StoreError::JobResultDiffers { key: key.clone(), done: *done, stored, new });
        }
        let checksum = checksum::result(key, i64::from(*done), &job.text, &body.text);
        transaction
            .prepare_cached(
                "INSERT INTO results (key, done, job, body, key_hash, checksum) VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
            )
            .and_then(|mut insert| {
                insert.execute(params![key, done, job.text, body.text, checksum::key_hash(key), checksum])
            })
            .map_err(|error| self.failed(STORING, error))?;
        Ok(())
    }

    /// Fails if the two indexes, in which the key was not found, do not have the right kind of entries around it: then
    /// one has taken the place of the other.
    fn check_miss(&self, connection: &Connection, key: &str) -> Result<(), StoreError> {
        let around = |sql: &str, value: &dyn rusqlite::ToSql| {
            connection
                .prepare_cached(sql)
                .and_then(|mut select| select.query_row([value], |row| row.get::<_, String>(0)).optional())
                .map_err(|error| self.damaged_or_failed(|| format!("result {key}"), "reading a result", error))
        };
        // A text is greater than any number: so each looks where entries of the other kind would be.
        let by_key = "SELECT typeof(key) FROM results INDEXED BY sqlite_autoindex_results_1
                      WHERE key <= ?1 ORDER BY key DESC LIMIT 1";
        let by_hash = "SELECT typeof(key_hash) FROM results INDEXED BY results_by_hash
                       WHERE key_hash >= ?1 ORDER BY key_hash LIMIT 1";
        let is_right = around(by_key, &key)?.is_none_or(|kind| kind == "text")
            && around(by_hash, &checksum::key_hash(key))?.is_none_or(|kind| kind == "integer");
        if is_right { Ok(()) } else { Err(self.damaged("the index of results".into(), &"its entries are not its own")) }
    }

    fn longest(&self, connection: &Connection, key: &str) -> Result<Option<ResultRow>, StoreError> {
        connection
            .prepare_cached("SELECT done, job, body, checksum FROM results WHERE key = ?1 ORDER BY done DESC LIMIT 1")
            .and_then(|mut select| select.query_row([key], ResultRow::read).optional())
            .map_err(|error| self.damaged_or_failed(|| format!("result {key}"), "reading a result", error))
    }

    fn stored_part(&self, connection: &Connection, key: &str, done: u32) -> Result<Option<ResultRow>, StoreError> {
        let row = connection
            .prepare_cached("SELECT done, job, body, checksum FROM results WHERE key = ?1 AND done = ?2")
            .and_then(|mut select| select.query_row(params![key, done], ResultRow::read).optional())
            .map_err(|error| self.damaged_or_failed(|| format!("result {key}"), "storing a result", error))?;
        if let Some(row) = &row {
            self.check_row(key, row)?;
        }
        Ok(row)
    }

    fn check_row(&self, key: &str, row: &ResultRow) -> Result<(), StoreError> {
        if checksum::result(key, row.done, &row.job, &row.body) == row.checksum {
            return Ok(());
        }
        Err(self.damaged(format!("result {key} ({} done)", row.done), &MISMATCH))
    }
}

/// A row of `results`, not yet verified.
struct ResultRow {
    done: i64,
    job: String,
    body: String,
    checksum: i64,
}

impl ResultRow {
    fn read(row: &rusqlite::Row<'_>) -> rusqlite::Result<ResultRow> {
        Ok(ResultRow { done: row.get(0)?, job: row.get(1)?, body: row.get(2)?, checksum: row.get(3)? })
    }
}

#[cfg(test)]
mod tests {
    use std::thread;

    use serde_json::json;

    use super::*;
    use crate::store::tests::{break_rules, new_store};

    #[test]
    fn several_results_are_stored_together_or_not_at_all() {
        let (_folder, store) = new_store();
        let new = |key: &str, body: i32| NewResult::new(key, 1, &json!("job"), &json!(body)).unwrap();
        store.put_results(&[new("a", 1), new("b", 2), new("a", 1)]).unwrap();
        let value = |key: &str| store.result(key).unwrap().map(|stored| stored.body);
        assert_eq!((value("a"), value("b")), (Some(json!(1)), Some(json!(2))));
        let refused = store.put_results(&[new("c", 3), new("b", 9), new("d", 4)]);
        assert!(matches!(refused, Err(StoreError::JobResultDiffers { .. })), "{refused:?}");
        assert_eq!((value("b"), value("c"), value("d")), (Some(json!(2)), None, None));
        store.put_results(&[]).unwrap();
    }

    #[test]
    fn the_longest_part_is_the_one_returned() {
        let (_folder, store) = new_store();
        assert_eq!(store.result("k").unwrap(), None);
        store.put_result("k", 40, &json!("job"), &json!([1, 2])).unwrap();
        store.put_result("k", 5, &json!("job"), &json!([1])).unwrap();
        store.put_result("other", 99, &json!("job"), &json!([])).unwrap();
        let found = store.result("k").unwrap().unwrap();
        assert_eq!(found, StoredResult { done: 40, job: json!("job"), body: json!([1, 2]) });
        assert_eq!(found.decode::<Vec<u8>>().unwrap(), [1, 2]);
    }

    #[test]
    fn the_same_again_is_harmless_and_anything_else_refused() {
        let (_folder, store) = new_store();
        store.put_result("k", 5, &json!({ "suite": "a" }), &json!(1.5)).unwrap();
        store.put_result("k", 5, &json!({ "suite": "a" }), &json!(1.5)).unwrap();
        for (job, body) in [("a", 1.75), ("b", 1.5)] {
            let error = store.put_result("k", 5, &json!({ "suite": job }), &json!(body)).unwrap_err();
            assert!(matches!(error, StoreError::JobResultDiffers { .. }), "{error}");
        }
        assert_eq!(store.result("k").unwrap().unwrap().body, json!(1.5));
    }

    #[test]
    fn many_threads_may_store_the_same() {
        let (_folder, store) = new_store();
        thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| {
                    for done in 0..10 {
                        store.put_result("k", done, &json!("job"), &json!({ "nodes": done })).unwrap();
                    }
                });
            }
        });
        assert_eq!(store.result("k").unwrap().unwrap().done, 9);
    }

    #[test]
    fn a_damaged_result_is_named() {
        for change in ["body = ''", "body = '2'", "job = '\"bob\"'", "checksum = 1"] {
            let (_folder, store) = new_store();
            store.put_result("4f2a", 5, &json!("job"), &json!(1)).unwrap();
            break_rules(&store, &format!("DROP TRIGGER results_fixed; UPDATE results SET {change}"));
            for error in [store.result("4f2a").map(drop), store.put_result("4f2a", 5, &json!("job"), &json!(1))] {
                let error = error.unwrap_err().to_string();
                assert!(error.contains("result 4f2a (5 done) is damaged"), "{error}");
            }
        }
    }

    #[test]
    fn a_result_that_one_index_lost_is_missed() {
        let (_folder, store) = new_store();
        store.put_result("k", 5, &json!("job"), &json!(1)).unwrap();
        break_rules(&store, "DROP TRIGGER results_fixed; UPDATE results SET key = 'x'");
        let error = store.result("k").unwrap_err().to_string();
        assert!(error.contains("result k (5 done) is damaged (it is missing)"), "{error}");
        let error = store.result("x").unwrap_err().to_string();
        assert!(error.contains("result x (5 done) is damaged"), "{error}");
    }
}
