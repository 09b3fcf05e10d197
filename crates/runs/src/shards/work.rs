//! From a shard to results, on all threads, without a store. Results are appended as they are found; whoever is killed
//! continues with the jobs that have none.

use std::collections::HashSet;
use std::fs::{File, OpenOptions, TryLockError};
use std::io::Write;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use plysmith_engine::parallel::in_order_noting;

use super::form::{ResultLine, ResultsHeader, ShardHeader, ShardLine, VERSION};
use super::lines::{Lines, Next, line};
use crate::error::RunError;
use crate::job::Key;
use crate::job_host::engines::OfferedEngines;
use crate::job_host::{HostSetup, JobHost};
use crate::memory::ThreadNeed;
use crate::remote::{BlobMap, Envelope, Outcome};
use crate::services::Host;

/// What became of a shard.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Worked {
    /// Its jobs.
    pub jobs: u64,
    /// Jobs that had results before.
    pub before: u64,
    /// Jobs that were done now.
    pub done: u64,
    /// Why others could not be done, each reason once, with the number of jobs.
    pub refused: Vec<(String, u64)>,
}

/// A shard as it was read.
struct Shard {
    content: String,
    blobs: Arc<BlobMap>,
    jobs: Vec<Envelope>,
}

/// Where the results of a shard go unless somebody says otherwise: beside it.
pub fn results_path(shard: &Path) -> PathBuf {
    shard.with_extension("results")
}

/// Does the jobs of a shard that have no result in this file, and adds their results to it.
pub fn work_on(shard: &Path, results: &Path, engines: OfferedEngines, host: &Host) -> Result<Worked, RunError> {
    let shard = Shard::read(shard)?;
    let jobs = shard.jobs.len() as u64;
    let (mut file, done) = open_results(results, &shard)?;
    let open: Vec<&Envelope> = shard.jobs.iter().filter(|job| !done.contains(&job.key)).collect();
    let before = jobs - open.len() as u64;
    let threads = host.workers(open.len() as u64, &ThreadNeed::default())?;
    let setup = HostSetup { engines, memory: host.memory, ..HostSetup::new(shard.blobs.clone(), threads) };
    let setup = Arc::new(setup);
    let mut hosts: Vec<JobHost> = (0..threads.get()).map(|_| JobHost::new(setup.clone())).collect();
    let progress = host.begin_progress(jobs);
    progress.set_part_done(before);
    let mut failure = None;
    let mut worked = Worked { jobs, before, done: 0, refused: Vec::new() };
    in_order_noting(
        0..open.len() as u64,
        &mut hosts,
        |pool, job_host, number| {
            let interrupt = || pool.is_halted() || host.cancel.is_cancelled();
            job_host.run(open[number as usize], &interrupt).map(|answer| answer.outcome)
        },
        |arrived| match append(&mut file, arrived, &open) {
            Ok(()) => {
                arrived.iter().for_each(|(_, outcome)| worked.count(outcome));
                progress.set_part_done(worked.before + worked.done);
                ControlFlow::Continue(())
            }
            Err(error) => {
                failure = Some(RunError::failed(format!("cannot write {}: {error}", results.display())));
                ControlFlow::Break(())
            }
        },
        |_, _| ControlFlow::Continue(()),
    );
    failure.map_or(Ok(()), Err)?;
    Ok(worked)
}

impl Worked {
    /// Whether every job has a result.
    pub fn is_complete(&self) -> bool {
        self.before + self.done == self.jobs
    }

    fn count(&mut self, outcome: &Outcome) {
        let (Outcome::Refused(reason) | Outcome::Failed(reason)) = outcome else {
            self.done += 1;
            return;
        };
        match self.refused.iter_mut().find(|(known, _)| known == reason) {
            Some((_, count)) => *count += 1,
            None => self.refused.push((reason.clone(), 1)),
        }
    }
}

/// Appends results, and returns when they are on the disk.
fn append(file: &mut File, arrived: &[(u64, Outcome)], open: &[&Envelope]) -> std::io::Result<()> {
    let mut text = String::new();
    for (number, outcome) in arrived {
        if let Outcome::Result(result) = outcome {
            let Envelope { kind, key, job, .. } = open[*number as usize].clone();
            let result = ResultLine { kind, key, job, result: result.clone() };
            text += &line(&result).map_err(std::io::Error::other)?;
        }
    }
    if text.is_empty() {
        return Ok(());
    }
    file.write_all(text.as_bytes())?;
    file.sync_data()
}

impl Shard {
    fn read(path: &Path) -> Result<Shard, RunError> {
        let mut lines = Lines::open(path)?;
        let cut_off = || RunError::input(format!("{} is cut off; copy it again", path.display()));
        let no_shard = "this is no shard of `plysmith plan`";
        let Next::Line(first) = lines.next().map_err(|_| RunError::input(format!("{}: {no_shard}", path.display())))?
        else {
            return Err(RunError::input(format!("{}: {no_shard}", path.display())));
        };
        let header: ShardHeader =
            serde_json::from_str(&first).map_err(|error| lines.error(format!("{no_shard}: {error}")))?;
        if header.version != VERSION {
            let found = header.version;
            return Err(lines.error(format!("a shard of version {found}; this program reads version {VERSION}")));
        }
        let (blobs, mut jobs) = (Arc::new(BlobMap::default()), Vec::new());
        loop {
            let Next::Line(text) = lines.next()? else { return Err(cut_off()) };
            match serde_json::from_str(&text).map_err(|error| lines.error(error))? {
                ShardLine::Blob(blob) => blobs.insert(&blob.read().map_err(|error| lines.error(error))?),
                ShardLine::Job(envelope) => {
                    let text = envelope.to_text().map_err(|error| lines.error(error))?;
                    jobs.push(Envelope::parse(text.as_bytes()).map_err(|error| lines.error(error))?);
                }
                ShardLine::End(count) if count == jobs.len() as u64 => break,
                ShardLine::End(count) => {
                    return Err(lines.error(format!("the shard has {} of its {count} jobs; copy it again", jobs.len())));
                }
            }
        }
        match lines.next()? {
            Next::End => Ok(Shard { content: lines.content(), blobs, jobs }),
            _ => Err(lines.error("the shard goes on behind its end; copy it again")),
        }
    }
}

/// Opens the file of results, or begins it, and says which jobs have one. A line that was cut off is removed.
fn open_results(path: &Path, shard: &Shard) -> Result<(File, HashSet<Key>), RunError> {
    let failed = |error: std::io::Error| RunError::failed(format!("cannot write {}: {error}", path.display()));
    let mut file = OpenOptions::new().read(true).append(true).create(true).open(path).map_err(failed)?;
    match file.try_lock() {
        Ok(()) => {}
        Err(TryLockError::WouldBlock) => {
            return Err(RunError::input(format!(
                "{} is being written by another plysmith; wait for it, or name another file with --output",
                path.display()
            )));
        }
        // A file system without locks.
        Err(TryLockError::Error(_)) => {}
    }
    let header = ResultsHeader {
        version: VERSION,
        content: shard.content.clone(),
        jobs: shard.jobs.len() as u64,
        program: env!("CARGO_PKG_VERSION").to_string(),
    };
    let mut lines = Lines::open(path)?;
    let foreign = "this is no file of results; name another one with --output";
    let mut done = HashSet::new();
    match lines.next().map_err(|_| RunError::input(format!("{}: {foreign}", path.display())))? {
        Next::Line(first) => {
            let found: ResultsHeader = serde_json::from_str(&first).map_err(|_| lines.error(foreign))?;
            if (found.version, &found.content) != (VERSION, &header.content) {
                return Err(lines.error("these are the results of another shard; name another file with --output"));
            }
            while let Next::Line(text) = lines.next()? {
                let result: ResultLine = serde_json::from_str(&text).map_err(|error| lines.error(error))?;
                done.insert(result.key);
            }
            file.set_len(lines.end()).map_err(failed)?;
        }
        // Nothing, or a header that was cut off.
        Next::End | Next::CutOff => {
            let text = line(&header)?;
            let is_ours = std::fs::read(path).map_err(failed)?.iter().zip(text.as_bytes()).all(|(a, b)| a == b);
            if !is_ours {
                return Err(RunError::input(format!("{}: {foreign}", path.display())));
            }
            file.set_len(0).map_err(failed)?;
            file.write_all(text.as_bytes()).and_then(|()| file.sync_data()).map_err(failed)?;
        }
    }
    Ok((file, done))
}
