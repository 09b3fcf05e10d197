//! From a run to shards: its open jobs, dealt out to files.

use std::collections::HashSet;
use std::fs::{self, File};
use std::io::{BufWriter, Write};
use std::num::NonZeroU32;
use std::path::{Path, PathBuf};

use plysmith_store::{RunId, Status};

use super::form::{SentBlob, ShardHeader, ShardLine, VERSION};
use super::lines::line;
use crate::error::RunError;
use crate::files::check_target;
use crate::job::Key;
use crate::remote::{Blob, Envelope, JobList};
use crate::runs::kind_of;
use crate::services::Services;

/// What was planned.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Planned {
    /// The files that were written; none if every job is done.
    pub files: Vec<PathBuf>,
    /// Jobs in them.
    pub jobs: u64,
    /// Jobs that are done.
    pub known: u64,
}

/// Which files shards are written to.
#[derive(Copy, Clone, Debug)]
pub struct ShardFiles<'a> {
    /// How many.
    pub shards: NonZeroU32,
    /// In which folder.
    pub folder: &'a Path,
    /// What their names begin with.
    pub name: &'a str,
    /// Whether files may be replaced.
    pub force: bool,
}

/// No more files are written: all are open at once.
pub const MOST_SHARDS: u32 = 900;

/// Writes the open jobs of an interrupted run into files.
pub fn plan(
    run: RunId,
    shards: NonZeroU32,
    folder: &Path,
    force: bool,
    services: &Services,
) -> Result<Planned, RunError> {
    let stored = services.store.run(run)?;
    if stored.status == Status::Finished {
        return Err(RunError::input(format!("run {run} is finished; `plysmith show {run}` prints its result")));
    }
    // Whoever works on the run does the jobs that would be planned.
    let _claim = services.store.claim(run)?;
    let kind = kind_of(&stored)?;
    kind.check_basis(&stored)?;
    let name = format!("run-{run}");
    let files = ShardFiles { shards, folder, name: &name, force };
    plan_with(&files, Some(run), kind.name(), services, |jobs| kind.jobs(&stored, services, jobs))
}

/// Writes jobs into files; `list` names them.
pub fn plan_with(
    files: &ShardFiles<'_>,
    run: Option<RunId>,
    kind: &str,
    services: &Services,
    list: impl FnOnce(&mut JobList<'_>) -> Result<(), RunError>,
) -> Result<Planned, RunError> {
    let ShardFiles { shards, folder, force, .. } = *files;
    if shards.get() > MOST_SHARDS {
        return Err(RunError::input(format!("{shards} shards are too many; expected at most {MOST_SHARDS}")));
    }
    fs::create_dir_all(folder)
        .map_err(|error| RunError::input(format!("cannot make the folder {}: {error}", folder.display())))?;
    let paths: Vec<PathBuf> = (1..=shards.get()).map(|shard| files.path(shard)).collect();
    paths.iter().try_for_each(|path| check_target(path, force))?;
    let open = |(shard, path): (u32, &PathBuf)| Shard::create(path, &files.header(run, kind, shard));
    let mut open: Vec<Shard> = (1..).zip(&paths).map(open).collect::<Result<_, _>>()?;
    let mut jobs = 0;
    let mut take = |envelope: Envelope, blobs: &[Blob]| {
        let shard = &mut open[(jobs % u64::from(shards.get())) as usize];
        jobs += 1;
        shard.add(envelope, blobs)
    };
    let mut job_list = JobList::new(services.memo(), &mut take);
    let listed = list(&mut job_list);
    let known = job_list.known();
    drop(job_list);
    let finished = listed.and_then(|()| if jobs == 0 { Ok(Vec::new()) } else { finish(&mut open) });
    if !matches!(&finished, Ok(files) if !files.is_empty()) {
        open.iter().for_each(|shard| drop(fs::remove_file(&shard.part)));
    }
    Ok(Planned { files: finished?, jobs, known })
}

/// Gives all files their names. A shard without a job gets none.
fn finish(open: &mut [Shard]) -> Result<Vec<PathBuf>, RunError> {
    open.iter_mut().try_for_each(Shard::close)?;
    let mut files = Vec::new();
    for shard in open {
        if shard.jobs == 0 {
            shard.failing(|shard| fs::remove_file(&shard.part))?;
            continue;
        }
        shard.failing(|shard| fs::rename(&shard.part, &shard.path))?;
        files.push(shard.path.clone());
    }
    Ok(files)
}

impl ShardFiles<'_> {
    fn path(&self, shard: u32) -> PathBuf {
        self.folder.join(format!("{}.{shard}-of-{}.shard", self.name, self.shards))
    }

    fn header(&self, run: Option<RunId>, kind: &str, shard: u32) -> ShardHeader {
        let (of, program) = (self.shards.get(), env!("CARGO_PKG_VERSION").to_string());
        ShardHeader {
            version: VERSION,
            run: run.map(|run| run.to_string()),
            kind: kind.to_string(),
            shard,
            of,
            program,
        }
    }
}

/// A shard that is being written, under another name until it is complete.
struct Shard {
    path: PathBuf,
    part: PathBuf,
    out: BufWriter<File>,
    blobs: HashSet<Key>,
    jobs: u64,
}

impl Shard {
    fn create(path: &Path, header: &ShardHeader) -> Result<Shard, RunError> {
        let mut name = path.as_os_str().to_os_string();
        name.push(".part");
        let part = PathBuf::from(name);
        let file = File::create(&part)
            .map_err(|error| RunError::failed(format!("cannot write {}: {error}", part.display())))?;
        let out = BufWriter::new(file);
        let mut shard = Shard { path: path.to_path_buf(), part, out, blobs: HashSet::new(), jobs: 0 };
        shard.write(&line(header)?)?;
        Ok(shard)
    }

    fn add(&mut self, envelope: Envelope, blobs: &[Blob]) -> Result<(), RunError> {
        for blob in blobs {
            if self.blobs.insert(blob.name().key.clone()) {
                self.write(&line(&ShardLine::Blob(SentBlob::new(blob)))?)?;
            }
        }
        self.jobs += 1;
        self.write(&line(&ShardLine::Job(envelope))?)
    }

    fn close(&mut self) -> Result<(), RunError> {
        self.write(&line(&ShardLine::End(self.jobs))?)?;
        self.failing(|shard| {
            shard.out.flush()?;
            shard.out.get_ref().sync_all()
        })
    }

    fn write(&mut self, text: &str) -> Result<(), RunError> {
        self.failing(|shard| shard.out.write_all(text.as_bytes()))
    }

    fn failing<T>(&mut self, act: impl FnOnce(&mut Shard) -> std::io::Result<T>) -> Result<T, RunError> {
        act(self).map_err(|error| RunError::failed(format!("cannot write {}: {error}", self.part.display())))
    }
}
