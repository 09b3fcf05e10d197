//! Arguments that several commands share, each declared once.

pub mod book;
pub mod cluster;
pub mod count;
pub mod engine;
pub mod experiment;
pub mod fitness;
pub mod follow_up;
pub mod mates;
pub mod pgn;
pub mod play;
pub mod sequential_test;
pub mod sides;
pub mod start;
pub mod traffic;

use std::num::{NonZeroU64, NonZeroUsize};
use std::path::{Path, PathBuf};

use clap::Args;
use plysmith_core::games::GameInfo;
use plysmith_runs::external_engine::MOST_PATIENCE;
use plysmith_runs::files::{check_target, write_file};
use plysmith_runs::suites::{self, SuiteFile};

use self::cluster::ClusterArguments;
use self::count::count;
use crate::failure::Failure;
use crate::output::say;

/// No machine has more cores.
const MOST_THREADS: usize = 1024;

/// The random seed.
#[derive(Debug, Args)]
pub struct SeedArgument {
    /// Random seed. The same seed and options give the same result on any number of threads
    #[arg(long, value_name = "N", default_value_t = 1, allow_negative_numbers = true, value_parser = count::<u64>(..))]
    pub seed: u64,
}

/// How many threads to use. No result depends on it.
#[derive(Debug, Default, Args)]
pub struct ThreadsArgument {
    /// Number of threads; refused if there is no memory for their tables [default: all cores, or as many as fit]
    #[arg(long, value_name = "N", alias = "concurrency", value_parser = parse_threads)]
    pub threads: Option<NonZeroUsize>,
}

/// Where work is done.
#[derive(Debug, Default, Args)]
pub struct WorkArguments {
    #[command(flatten)]
    pub threads: ThreadsArgument,

    #[command(flatten)]
    pub cluster: ClusterArguments,
}

/// Arguments of commands that start a run.
#[derive(Debug, Args)]
pub struct RunArguments {
    #[command(flatten)]
    pub work: WorkArguments,

    /// Label of the run, for `plysmith runs`; it may be used instead of the run's number
    #[arg(long, value_name = "TEXT")]
    pub label: Option<String>,

    /// Store the run without starting it: `plysmith plan` writes its jobs into files, `plysmith resume` starts it
    #[arg(long)]
    pub later: bool,
}

/// How long an external engine may search without progress.
#[derive(Debug, Default, Args)]
pub struct PatienceArgument {
    /// Seconds in which a search of an external engine has to make progress, or it counts as hung: its nodes must rise by
    /// a hundredth of the node limit, and by one a second. Does not apply to timed moves [default: 60]
    #[arg(long, visible_alias = "engine-patience", value_name = "SECONDS", value_parser = parse_patience)]
    pub patience: Option<NonZeroU64>,
}

/// What to do about lines of a file that cannot be read.
#[derive(Debug, Default, Args)]
pub struct SkipBadArgument {
    /// Skip invalid lines of the file and list them, instead of stopping at the first
    #[arg(long)]
    pub skip_bad: bool,
}

/// A file to write to.
#[derive(Debug, Default, Args)]
pub struct OutputArguments {
    /// Write to this file [default: standard output]
    #[arg(long, short, value_name = "FILE", alias = "out")]
    pub output: Option<PathBuf>,

    #[command(flatten)]
    pub force: ForceArgument,
}

/// Whether files may be replaced.
#[derive(Copy, Clone, Debug, Default, Args)]
pub struct ForceArgument {
    /// Overwrite existing files
    #[arg(long)]
    pub force: bool,
}

impl OutputArguments {
    /// Fails if the file cannot be written, before work is done for it.
    pub fn check(&self) -> Result<(), Failure> {
        match &self.output {
            Some(path) => Ok(check_target(path, self.force.force)?),
            None => Ok(()),
        }
    }

    /// Writes the file; `false` if none was named.
    pub fn write(&self, contents: &str) -> Result<bool, Failure> {
        match &self.output {
            Some(path) => {
                write_file(path, contents, self.force.force)?;
                Ok(true)
            }
            None => Ok(false),
        }
    }

    /// The file's name.
    pub fn name(&self) -> Option<String> {
        self.output.as_ref().map(|path| path.display().to_string())
    }
}

impl SkipBadArgument {
    /// Reads a suite of this game; of an unknown game, as it is written.
    pub fn read_suite(&self, game: Option<&GameInfo>, path: &Path) -> Result<SuiteFile, Failure> {
        Ok(suites::read_suite(game, path, self.skip_bad, &|note| say(note))?)
    }
}

/// Seconds of patience.
pub fn parse_patience(text: &str) -> Result<NonZeroU64, String> {
    let seconds = text.parse().ok().filter(|seconds: &NonZeroU64| seconds.get() <= MOST_PATIENCE);
    seconds.ok_or(format!("expected whole seconds from 1 to {MOST_PATIENCE}, like '120'"))
}

fn parse_threads(text: &str) -> Result<NonZeroUsize, String> {
    let threads = text.parse().ok().filter(|threads: &NonZeroUsize| threads.get() <= MOST_THREADS);
    threads.ok_or_else(|| format!("expected a number of threads from 1 to {MOST_THREADS}"))
}
