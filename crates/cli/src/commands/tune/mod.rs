//! `plysmith tune`: learns the weights of features or engine options (*Learning Control of Search Extensions*).
//!
//! | file | what |
//! | --- | --- |
//! | `arguments` | what was typed, and what is meant by it |
//! | `config` | a tuning as it is stored |
//! | `session` | measuring and telling, iteration by iteration |
//! | `result` | what came of it |
//! | `text` | the same for people |
//! | `compare` | all optimisers on the same problems, with equally many evaluations |
//! | `files` | the resulting weights and charts for other programs |

mod arguments;
pub mod compare;
mod config;
mod files;
mod result;
mod session;
mod text;

use std::num::NonZeroUsize;

pub use arguments::{Arguments, FilesArguments, LearningArguments};
pub use config::Config;
pub use result::{IterationRow, Setting, Tuned};
pub use session::{Session, learn};
pub use text::rows_text;

use crate::failure::Failure;
use crate::journal::Journal;
use crate::output::{Output, say};
use crate::progress;

pub const KIND: &str = "tune";
pub const ITERATION: &str = "iteration";
const PROBE: &str = "probe";

pub fn run(arguments: &Arguments, output: &Output) -> Result<(), Failure> {
    let config = arguments.resolve()?;
    match arguments.compare {
        Some(evaluations) => {
            compare::begin(&arguments.learning.rivals(config, evaluations)?, arguments.threads(), output)
        }
        None => begin(&config, arguments.threads(), output),
    }
}

/// Begins a run.
pub fn begin(config: &Config, threads: Option<NonZeroUsize>, output: &Output) -> Result<(), Failure> {
    config.files.check()?;
    // The session first: what cannot even be set up leaves no row in the store.
    let session = Session::set_up(config, threads)?;
    let journal = Journal::begin(KIND, &config.experiment.game, config.experiment.seed, config)?;
    finish(config, session, journal, output)
}

/// Goes on with a run.
pub fn perform(
    config: &Config,
    journal: Journal,
    threads: Option<NonZeroUsize>,
    output: &Output,
) -> Result<(), Failure> {
    finish(config, Session::set_up(config, threads)?, journal, output)
}

fn finish(config: &Config, mut session: Session, journal: Journal, output: &Output) -> Result<(), Failure> {
    let run = journal.run();
    let progress = progress::begin(1);
    let tuned = learn(config, &mut session, &journal, &progress)?;
    drop(progress);
    journal.finish(&tuned)?;
    for path in config.files.write(&tuned)? {
        say(format!("wrote {}", path.display()));
    }
    output.print(&tuned, || {
        format!("{}\nRun {run}: `plysmith show {run}` prints this again.\n", tuned.text(config.figure1))
    })
}
