//! What all experiments on a suite have in common: their options, and a finding in them.

use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};

use clap::{Args, value_parser};
use plysmith_core::games::{self, BundledSuite, GameInfo};
use plysmith_core::problem::Suite;
use plysmith_core::suite::text;
use plysmith_engine::measurement::Measurement;
use serde::{Deserialize, Serialize};

use crate::failure::Failure;
use crate::files::{counted, read_text, skip_or_fail};
use crate::foreign::ForeignEngine;
use crate::output::{percent, thousands};
use crate::workbench::Experiment;

/// The papers' set-up.
const DEFAULT_PRESET: &str = "classic";
/// Nodes a problem for foreign engines: their speed is not known.
const FOREIGN_NODES: u64 = 100_000;
const FOREIGN_QUICK_NODES: u64 = 20_000;

/// What `--quick` cuts a suite to.
const QUICK_PROBLEMS: usize = 50;

/// More threads than any machine has cores.
const MOST_THREADS: usize = 1024;

/// On what, how long and by which chance to measure.
#[derive(Debug, Args)]
pub struct ExperimentArguments {
    /// The suite to measure on [default: the one bundled with the game]
    #[arg(long, value_name = "FILE")]
    pub suite: Option<PathBuf>,

    #[command(flatten)]
    pub skip: SkipBadArgument,

    /// Use only the first N problems of the suite
    #[arg(long, value_name = "N")]
    problems: Option<NonZeroUsize>,

    /// How to search: 'classic' as the papers did, 'modern', or either with changes, like 'classic,table=16' [default:
    /// classic]
    #[arg(long)]
    preset: Option<String>,

    /// Nodes to search for each problem [default: breakthrough 500000, chess 50000, foreign engines 100000]
    #[arg(long, value_name = "N", value_parser = value_parser!(u64).range(1..))]
    pub nodes: Option<u64>,

    /// A first taste: fewer nodes and fewer problems
    #[arg(long)]
    pub quick: bool,

    /// Where all chances come from
    #[arg(long, value_name = "N", default_value_t = 1, allow_negative_numbers = true)]
    seed: u64,

    #[command(flatten)]
    pub threads: ThreadsArgument,
}

/// What to do about lines of a file that cannot be read.
#[derive(Debug, Default, Args)]
pub struct SkipBadArgument {
    /// Leave out what cannot be read in the file, and list it, instead of giving up
    #[arg(long)]
    pub skip_bad: bool,
}

/// How many threads to use. No result depends on it.
#[derive(Debug, Args)]
pub struct ThreadsArgument {
    /// Threads to use [default: all cores]
    #[arg(long, value_name = "N", alias = "concurrency", value_parser = parse_threads)]
    pub threads: Option<NonZeroUsize>,
}

impl ExperimentArguments {
    /// What is meant by what was typed.
    pub fn resolve(&self, game: &str) -> Result<Experiment, Failure> {
        let entry = games::find(game)?;
        let (suite_name, suite) = self.read_suite(Some(entry))?;
        let settings = entry.parse_settings(self.preset.as_deref().unwrap_or(DEFAULT_PRESET))?;
        Ok(Experiment {
            game: game.to_string(),
            suite_name,
            suite: text::print(&suite, ""),
            preset: entry.print_settings(&settings),
            nodes: match self.nodes {
                Some(nodes) => nodes,
                None if self.quick => bundled(game)?.quick_nodes,
                None => bundled(game)?.nodes,
            },
            seed: self.seed,
            engine: None,
        })
    }

    /// The same for a foreign engine, which plays this game, or the one that it says itself.
    pub fn resolve_foreign(&self, game: Option<&str>, engine: ForeignEngine) -> Result<Experiment, Failure> {
        if self.preset.is_some() {
            return Err(Failure::input(
                "--preset is for built-in engines; a foreign engine is told by its own options",
            ));
        }
        let opened = engine.open(game.map(games::find).transpose()?)?;
        let (suite_name, suite) = self.read_suite(opened.game())?;
        Ok(Experiment {
            game: opened.game_name(),
            suite_name,
            suite: text::print(&suite, ""),
            preset: engine.engine.clone(),
            nodes: self.nodes.unwrap_or(if self.quick { FOREIGN_QUICK_NODES } else { FOREIGN_NODES }),
            seed: self.seed,
            engine: Some(engine),
        })
    }

    /// The suite; of a game that is not known, as it is written.
    fn read_suite(&self, game: Option<&GameInfo>) -> Result<(String, Suite), Failure> {
        let (name, suite) = match (&self.suite, game) {
            (Some(path), game) => match read_any_suite(game, path, &self.skip)? {
                (suite, 0) => (path.display().to_string(), suite),
                (suite, skipped) => (format!("{} without {}", path.display(), counted(skipped, "bad line")), suite),
            },
            (None, Some(game)) => bundled_suite(game.name)?,
            (None, None) => {
                return Err(Failure::input("the engine's game is not known here; name a suite with --suite FILE"));
            }
        };
        let most = self.problems.map(NonZeroUsize::get).or(self.quick.then_some(QUICK_PROBLEMS));
        match most {
            Some(most) if most < suite.problems.len() => Ok((format!("{name}, first {most}"), suite.first(most))),
            _ => Ok((name, suite)),
        }
    }
}

fn parse_threads(text: &str) -> Result<NonZeroUsize, String> {
    let threads = text.parse().ok().filter(|threads: &NonZeroUsize| threads.get() <= MOST_THREADS);
    threads.ok_or_else(|| format!("expected a number of threads from 1 to {MOST_THREADS}"))
}

/// Reads a suite of this game from a file; also says how many of its lines were skipped.
pub fn read_suite(game: &str, path: &Path, skip: &SkipBadArgument) -> Result<(Suite, usize), Failure> {
    read_any_suite(Some(games::find(game)?), path, skip)
}

/// The same; of a game that is not known, as it is written.
fn read_any_suite(game: Option<&GameInfo>, path: &Path, skip: &SkipBadArgument) -> Result<(Suite, usize), Failure> {
    let name = path.display().to_string();
    let contents = read_text(path, "a suite, one problem a line", skip.skip_bad)?;
    let text::Reading { suite, wrong } = match game {
        Some(game) => text::read(game, &name, &contents),
        None => text::read_relayed(&name, &contents),
    };
    let wrong: Vec<String> = wrong.iter().map(ToString::to_string).collect();
    skip_or_fail(&name, &wrong, skip.skip_bad)?;
    let suite = text::not_empty(suite).map_err(|error| Failure::input(format!("{name}:{error}")))?;
    Ok((suite, wrong.len()))
}

/// The suite that comes with this game, and its name.
pub fn bundled_suite(game: &str) -> Result<(String, Suite), Failure> {
    let bundled = bundled(game)?;
    let name = format!("bundled {}", bundled.name);
    let suite = text::parse(games::find(game)?, &name, bundled.text);
    let suite = suite.map_err(|error| Failure::input(format!("{name}:{error}")))?;
    Ok((name, suite))
}

fn bundled(game: &str) -> Result<&'static BundledSuite, Failure> {
    let found = games::find(game)?.suites.first();
    found.ok_or_else(|| Failure::input(format!("no suite comes with {game}; name one with --suite FILE")))
}

/// What a measurement said of a feature, as it is stored and printed.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Finding {
    /// The feature or scheme.
    pub feature: String,
    /// Problems solved; none if the question was settled before all were tried.
    pub solved: Option<u32>,
    /// Problems tried.
    pub tried: usize,
    /// Nodes in all.
    pub nodes: u64,
    /// Mean depth of the deepest finished iteration.
    pub mean_depth: f64,
    /// Mean length of the longest line.
    pub mean_height: f64,
    /// The share of moves each feature of the scheme decided over.
    pub frequencies: Vec<f64>,
    /// The names of the solved problems.
    pub solved_ids: Vec<String>,
    /// The problems that are excluded, because a foreign engine fails at them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub excluded: Vec<Exclusion>,
}

/// A problem that says nothing of a candidate.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Exclusion {
    /// Its name.
    pub id: String,
    /// Why, with all that is needed to see it again.
    pub failure: String,
}

impl Finding {
    /// Column headings for [`Finding::cells`].
    pub const HEADINGS: [&'static str; 6] = ["feature", ">solved", ">nodes", ">depth", ">height", ">frequency"];

    /// Puts a measurement into words.
    pub fn new(feature: String, measurement: &Measurement, suite: &Suite) -> Finding {
        let attempts = measurement.attempts.iter().zip(&suite.problems);
        Finding {
            feature,
            solved: measurement.is_complete().then(|| measurement.solved()),
            tried: measurement.attempts.len(),
            nodes: measurement.nodes(),
            mean_depth: measurement.mean_depth(),
            mean_height: measurement.mean_height(),
            frequencies: measurement.frequencies(),
            excluded: measurement
                .excluded()
                .filter_map(|(index, failure)| {
                    Some(Exclusion { id: suite.problems.get(index)?.id.clone(), failure: failure.to_string() })
                })
                .collect(),
            solved_ids: attempts.filter(|(attempt, _)| attempt.solved).map(|(_, problem)| problem.id.clone()).collect(),
        }
    }

    /// A row for a table.
    pub fn cells(&self) -> Vec<String> {
        let frequencies: Vec<_> = self.frequencies.iter().map(|&share| percent(share)).collect();
        let solved = self
            .solved
            .map_or_else(|| format!("({} of {} tried)", self.solved_ids.len(), self.tried), |n| n.to_string());
        vec![
            self.feature.clone(),
            if self.excluded.is_empty() { solved } else { format!("{solved} ({} excluded)", self.excluded.len()) },
            thousands(self.nodes),
            format!("{:.2}", self.mean_depth),
            format!("{:.2}", self.mean_height),
            if frequencies.is_empty() { "–".to_string() } else { frequencies.join(", ") },
        ]
    }
}

/// Says which problems are excluded for any of these, if there are any.
pub fn exclusions<'a>(findings: impl IntoIterator<Item = &'a Finding>) -> String {
    let mut ids: Vec<&str> = Vec::new();
    for exclusion in findings.into_iter().flat_map(|finding| &finding.excluded) {
        if !ids.contains(&exclusion.id.as_str()) {
            ids.push(&exclusion.id);
        }
    }
    match ids.is_empty() {
        true => String::new(),
        false => {
            format!("Excluded for some, because the engine fails there, and scored for none: {}.\n", ids.join(", "))
        }
    }
}
