//! `plysmith suite check`: proves every problem of a suite again.

use std::path::Path;

use clap::Args;
use plysmith_core::games::{self, GameInfo};
use plysmith_core::problem::Suite;
use plysmith_core::suite::check::Finding;
use plysmith_engine::parallel::all_cores;
use plysmith_runs::suite_maker::check_all;
use plysmith_runs::suites::{SuiteFile, bundled_suite, game_of};
use serde::Serialize;

use crate::arguments::{SkipBadArgument, ThreadsArgument};
use crate::failure::Failure;
use crate::output::{Output, table};
use crate::{progress, signals};

/// Verify the solutions of a suite
#[derive(Debug, Args)]
#[command(
    override_usage = "plysmith suite check [OPTIONS] [GAME] [FILE]",
    after_help = "\
Examples:
  plysmith suite check my.suite
  plysmith suite check chess my.epd
  plysmith suite check breakthrough    check the bundled suite"
)]
pub struct Arguments {
    /// Game [default: the one that the file names, or breakthrough], then the suite's file [default: the game's bundled suite]
    #[arg(value_name = "GAME|FILE", num_args = 1..=2)]
    what: Vec<String>,

    #[command(flatten)]
    skip: SkipBadArgument,

    #[command(flatten)]
    threads: ThreadsArgument,
}

#[derive(Serialize)]
struct Checked {
    suite: String,
    problems: usize,
    /// Lines of the file that could not be read.
    skipped: usize,
    proved: usize,
    not_provable: usize,
    wrong: Vec<WrongProblem>,
}

#[derive(Serialize)]
struct WrongProblem {
    id: String,
    position: String,
    mistake: String,
}

pub fn run(arguments: &Arguments, output: &Output) -> Result<(), Failure> {
    signals::cancel_token();
    let Chosen { game, name, suite, skipped } = arguments.read()?;
    let progress = progress::begin(suite.problems.len() as u64);
    progress.message(format!("proving {name}"));
    let threads = arguments.threads.threads.unwrap_or_else(all_cores);
    let findings =
        check_all(game, &suite, threads, &signals::is_cancelled, &|done| progress.set_part_done(done as u64));
    drop(progress);
    if findings.len() < suite.problems.len() {
        return Err(Failure::Interrupted(None));
    }
    let count = |wanted: &Finding| findings.iter().filter(|finding| *finding == wanted).count();
    let wrong = suite.problems.iter().zip(&findings).filter_map(|(problem, finding)| match finding {
        Finding::Wrong(mistake) => Some(WrongProblem {
            id: problem.id.clone(),
            position: problem.position.clone(),
            mistake: mistake.to_string(),
        }),
        _ => None,
    });
    let checked = Checked {
        suite: name,
        problems: suite.problems.len(),
        skipped,
        proved: count(&Finding::Proved),
        not_provable: count(&Finding::NotProvable),
        wrong: wrong.collect(),
    };
    output.print(&checked, || checked.text())?;
    if checked.wrong.is_empty() {
        return Ok(());
    }
    Err(Failure::CheckFailed(format!("{} of {} problems are wrong", checked.wrong.len(), checked.problems)))
}

/// The suite to check.
struct Chosen {
    game: &'static GameInfo,
    name: String,
    suite: Suite,
    skipped: usize,
}

impl Arguments {
    fn read(&self) -> Result<Chosen, Failure> {
        let (game, file) = match self.what.as_slice() {
            [game] if games::find(game).is_ok() => {
                let game = games::find(game)?;
                let suite = bundled_suite(game)?;
                return Ok(Chosen { game, name: suite.name.clone(), suite, skipped: 0 });
            }
            [file] => {
                if !Path::new(file).exists() && !file.contains(['.', '/']) {
                    games::find(file)?;
                }
                let contents = std::fs::read(file).unwrap_or_default();
                let game = game_of(&String::from_utf8_lossy(&contents)).unwrap_or(&games::GAMES[0]);
                (game.name, file)
            }
            [game, file, ..] => (game.as_str(), file),
            [] => return Err(Failure::input("name a suite file, or a game")),
        };
        let game = games::find(game)?;
        let SuiteFile { suite, skipped } = self.skip.read_suite(Some(game), Path::new(file))?;
        Ok(Chosen { game, name: file.clone(), suite, skipped })
    }
}

impl Checked {
    fn text(&self) -> String {
        let rows = self.wrong.iter().map(|wrong| vec![wrong.id.clone(), wrong.mistake.clone(), wrong.position.clone()]);
        let mut text = String::new();
        if !self.wrong.is_empty() {
            text += &table(&["problem", "mistake", "position"], rows);
            text += "\n";
        }
        text += &format!(
            "{}: {} problems, {} proved, {} wrong, {} without a claim that can be proved\n",
            self.suite,
            self.problems,
            self.proved,
            self.wrong.len(),
            self.not_provable
        );
        text
    }
}
