//! Measurements: memoised by the content key of their job, shared by all runs.
//!
//! A job may be measured in part (the first `done` of its items); a longer part is a further record under the same
//! key, and the shorter ones stay as they are.

use rusqlite::{OptionalExtension, params};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::error::StoreError;
use crate::json::{around_difference, encode};
use crate::store::Store;

/// What is known of a job.
#[derive(Clone, Debug, PartialEq)]
pub struct Measurement {
    /// How many of the job's items are measured.
    pub done: u32,
    /// What came out.
    pub body: Value,
}

impl Measurement {
    /// The body as the type it was made of.
    pub fn decode<T: DeserializeOwned>(&self) -> Result<T, StoreError> {
        T::deserialize(&self.body).map_err(|error| StoreError::Unexpected {
            what: format!("a measurement ({} done)", self.done),
            reason: error.to_string(),
        })
    }
}

impl Store {
    /// The measurement that got furthest under this key, if there is any.
    pub fn measurement(&self, key: &str) -> Result<Option<Measurement>, StoreError> {
        let row: Option<(u32, String)> = self
            .connection()
            .prepare_cached("SELECT done, body FROM measurements WHERE key = ?1 ORDER BY done DESC LIMIT 1")
            .and_then(|mut select| select.query_row([key], |row| Ok((row.get(0)?, row.get(1)?))).optional())
            .map_err(|error| self.failed("reading a measurement", error))?;
        let Some((done, body)) = row else { return Ok(None) };
        let body = serde_json::from_str(&body)
            .map_err(|error| self.damaged(format!("measurement {key} ({done} done)"), &error))?;
        Ok(Some(Measurement { done, body }))
    }

    /// Stores what came out of the first `done` items of a job. When this returns, it is on the disk.
    ///
    /// The same again does nothing. Another job or body under the same key and `done` is
    /// [`StoreError::MeasurementDiffers`]: a measurement depends only on its job, and its key names the job.
    pub fn put_measurement(
        &self,
        key: &str,
        done: u32,
        job: &impl Serialize,
        body: &impl Serialize,
    ) -> Result<(), StoreError> {
        const DOING: &str = "storing a measurement";
        let failed = |error| self.failed(DOING, error);
        let job = encode(job, || format!("the job of measurement {key}"))?;
        let body = encode(body, || format!("measurement {key}"))?;
        self.write(DOING, |transaction| {
            let stored: Option<(String, String)> = transaction
                .prepare_cached("SELECT job, body FROM measurements WHERE key = ?1 AND done = ?2")
                .and_then(|mut select| {
                    select.query_row(params![key, done], |row| Ok((row.get(0)?, row.get(1)?))).optional()
                })
                .map_err(failed)?;
            if let Some((stored_job, stored_body)) = stored {
                if job.same_as(&stored_job) && body.same_as(&stored_body) {
                    return Ok(());
                }
                let (stored, new) =
                    around_difference(&format!("{stored_job} {stored_body}"), &format!("{} {}", job.text, body.text));
                return Err(StoreError::MeasurementDiffers { key: key.into(), done, stored, new });
            }
            transaction
                .prepare_cached("INSERT INTO measurements (key, done, job, body) VALUES (?1, ?2, ?3, ?4)")
                .and_then(|mut insert| insert.execute(params![key, done, job.text, body.text]))
                .map_err(failed)?;
            Ok(())
        })
    }
}

#[cfg(test)]
mod tests {
    use std::thread;

    use serde_json::json;

    use super::*;
    use crate::store::tests::{break_rules, new_store};

    #[test]
    fn the_longest_part_is_the_one_returned() {
        let (_folder, store) = new_store();
        assert_eq!(store.measurement("k").unwrap(), None);
        store.put_measurement("k", 40, &json!("job"), &json!([1, 2])).unwrap();
        store.put_measurement("k", 5, &json!("job"), &json!([1])).unwrap();
        store.put_measurement("other", 99, &json!("job"), &json!([])).unwrap();
        let found = store.measurement("k").unwrap().unwrap();
        assert_eq!(found, Measurement { done: 40, body: json!([1, 2]) });
        assert_eq!(found.decode::<Vec<u8>>().unwrap(), [1, 2]);
    }

    #[test]
    fn the_same_again_is_harmless_and_anything_else_refused() {
        let (_folder, store) = new_store();
        store.put_measurement("k", 5, &json!({ "suite": "a" }), &json!(1.5)).unwrap();
        store.put_measurement("k", 5, &json!({ "suite": "a" }), &json!(1.5)).unwrap();
        for (job, body) in [("a", 1.75), ("b", 1.5)] {
            let error = store.put_measurement("k", 5, &json!({ "suite": job }), &json!(body)).unwrap_err();
            assert!(matches!(error, StoreError::MeasurementDiffers { .. }), "{error}");
        }
        assert_eq!(store.measurement("k").unwrap().unwrap().body, json!(1.5));
    }

    #[test]
    fn many_threads_may_measure_the_same() {
        let (_folder, store) = new_store();
        thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| {
                    for done in 0..10 {
                        store.put_measurement("k", done, &json!("job"), &json!({ "nodes": done })).unwrap();
                    }
                });
            }
        });
        assert_eq!(store.measurement("k").unwrap().unwrap().done, 9);
    }

    #[test]
    fn a_damaged_measurement_is_named() {
        let (_folder, store) = new_store();
        store.put_measurement("4f2a", 5, &json!("job"), &json!(1)).unwrap();
        break_rules(&store, "DROP TRIGGER measurements_fixed; UPDATE measurements SET body = ''");
        let error = store.measurement("4f2a").unwrap_err().to_string();
        assert!(error.contains("measurement 4f2a (5 done) is damaged"), "{error}");
    }
}
