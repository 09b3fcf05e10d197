//! From results to the store. All files are read and checked before anything is stored.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use plysmith_store::NewResult;
use xxhash_rust::xxh3::xxh3_128;

use super::form::{ResultLine, ResultsHeader, VERSION};
use super::kinds::{CheckedResult, check};
use super::lines::{Lines, Next};
use crate::error::RunError;
use crate::memo::Memo;
use crate::services::Services;
use crate::suite_runner::PartsJob;

/// What was merged.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Merged {
    /// Results that are new in the store.
    pub new: u64,
    /// Results that were there, or in several files.
    pub known: u64,
    /// Files that do not have all results of their shards, with the numbers of results and jobs.
    pub incomplete: Vec<(PathBuf, u64, u64)>,
}

/// Results that are stored at once.
const BATCH: usize = 500;
/// Disagreements that are listed.
const MOST_LISTED: usize = 10;

/// What is known of a key while files are checked: a hash of its result, and where it was found.
type Seen = HashMap<String, (u128, String)>;

/// Stores the results of these files, unless some of them disagree with each other or with the store.
pub fn merge(files: &[PathBuf], services: &Services) -> Result<Merged, RunError> {
    let (mut merged, mut seen, mut disagreements) = (Merged::default(), Seen::new(), Vec::new());
    for path in files {
        let mut results = 0;
        let jobs = read(path, |key, checked, place| {
            results += 1;
            let content = xxh3_128(checked.body.to_string().as_bytes());
            match seen.get(&key) {
                Some((known, _)) if *known == content => merged.known += 1,
                Some((_, there)) => disagreements.push(format!("{place} differs from {there}")),
                None => {
                    match services.store.result(&key)? {
                        Some(stored) if stored.body == checked.body => merged.known += 1,
                        Some(_) => disagreements.push(format!("{place} differs from the store")),
                        None => merged.new += 1,
                    }
                    seen.insert(key, (content, place));
                }
            }
            Ok(())
        })?;
        if results < jobs {
            merged.incomplete.push((path.clone(), results, jobs));
        }
    }
    if !disagreements.is_empty() {
        return Err(disagreeing(&disagreements));
    }
    drop(seen);
    store(files, services)?;
    Ok(merged)
}

/// Stores what was checked.
fn store(files: &[PathBuf], services: &Services) -> Result<(), RunError> {
    let mut batch: Vec<NewResult> = Vec::new();
    let mut measurements = HashMap::new();
    for path in files {
        read(path, |_, checked, _| {
            if let Some(measurement) = checked.part_of {
                measurements.insert(measurement, ());
            }
            batch.push(checked.new);
            if batch.len() >= BATCH {
                services.store.put_results(&batch)?;
                batch.clear();
            }
            Ok(())
        })?;
    }
    services.store.put_results(&batch)?;
    // Behind the parts: who finds the note finds them.
    for measurement in measurements.into_keys() {
        Memo::Store(&services.store).keep(&PartsJob { measurement }, &true)?;
    }
    Ok(())
}

fn disagreeing(disagreements: &[String]) -> RunError {
    let mut text = format!(
        "{} results disagree with others of the same job, so nothing was merged. A result depends only on its job: one of \
         the machines is at fault, or the job is a game that cannot be repeated (a time control, an external engine) and was \
         played twice. Leave out the file that is wrong:",
        disagreements.len()
    );
    for disagreement in disagreements.iter().take(MOST_LISTED) {
        text += &format!("\n  {disagreement}");
    }
    if disagreements.len() > MOST_LISTED {
        text += &format!("\n  and {} more", disagreements.len() - MOST_LISTED);
    }
    RunError::input(text)
}

/// Reads a file of results and hands each over, checked, with its key and its place. Returns how many jobs the shard has.
fn read(
    path: &Path,
    mut take: impl FnMut(String, CheckedResult, String) -> Result<(), RunError>,
) -> Result<u64, RunError> {
    let foreign = || {
        RunError::input(format!(
            "{}: this is no file of results; expected one that `plysmith run-shard` wrote",
            path.display()
        ))
    };
    let mut lines = Lines::open(path)?;
    let Next::Line(first) = lines.next().map_err(|_| foreign())? else { return Err(foreign()) };
    let header: ResultsHeader = serde_json::from_str(&first).map_err(|_| foreign())?;
    if header.version != VERSION {
        let found = header.version;
        return Err(lines.error(format!("results of version {found}; this program reads version {VERSION}")));
    }
    // What a killed shard was writing is cut off; all before it counts.
    while let Next::Line(text) = lines.next()? {
        let line: ResultLine = serde_json::from_str(&text).map_err(|error| lines.error(error))?;
        let key = line.key.as_str().to_string();
        let checked = check(line).map_err(|reason| lines.error(reason))?;
        take(key, checked, lines.place())?;
    }
    Ok(header.jobs)
}
