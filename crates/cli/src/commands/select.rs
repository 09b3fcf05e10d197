//! `plysmith suite select`: the problems of a suite that features decide over.
//!
//! A problem that the bare search solves says nothing about features, and one that nothing solves no more. The
//! thesis kept what at least one feature solves and the bare search does not: 102 of the 879 positions of the
//! Encyclopedia of Chess Middlegames.

use std::collections::HashSet;
use std::path::PathBuf;

use clap::{Args, value_parser};
use plysmith_core::depth::Weight;
use plysmith_core::feature::{Conjunction, Scheme};
use plysmith_core::games::{self, GameInfo};
use plysmith_core::problem::{Problem, Suite};
use plysmith_core::suite::text;
use plysmith_engine::driver::{BuiltIn, Candidate, Count};
use plysmith_runs::suite_runner::{Lab, Limits, all_cores};
use plysmith_store::Store;
use serde::Serialize;

use crate::arguments::{SkipBadArgument, ThreadsArgument};
use crate::failure::Failure;
use plysmith_runs::files::{check_target, write_file};
use crate::services::open_store;
use crate::output::{Output, say};
use crate::progress;
use crate::workbench::Assistant;

/// Keep the problems that features solve and the bare search does not
#[derive(Debug, Args)]
#[command(after_help = "\
A problem is kept if at least one of the schemes solves it and the search without features (Neutral) does not.
A scheme with commas is one scheme with several features; for several schemes, write --with several times.
What was measured is remembered, so an interrupted selection goes on where it was when it is begun again.

Examples:
  plysmith suite select breakthrough --suite my.suite --with RdTt --with Ud-RdTt --nodes 20000 --output hard.suite
  plysmith suite select chess --suite ecm879.epd --nodes 500000 --output ecm-selected.suite")]
pub struct Arguments {
    /// The game
    game: String,

    /// The suite to select from
    #[arg(long, value_name = "FILE")]
    suite: PathBuf,

    #[command(flatten)]
    skip: SkipBadArgument,

    /// A scheme, like 'RdTt' or 'Ud-RdTt@0.5,PP@0.75'; may be given several times [default: each atom of the game by
    /// itself]
    #[arg(long, value_name = "SCHEME")]
    with: Vec<String>,

    /// How to search: 'classic' as the papers did, 'modern', or either with changes, like 'classic,table=16'
    #[arg(long, default_value = "classic")]
    preset: String,

    /// Nodes to search for each problem
    #[arg(long, value_name = "N", default_value_t = 500_000, value_parser = value_parser!(u64).range(1..))]
    nodes: u64,

    /// Where all chances come from
    #[arg(long, value_name = "N", default_value_t = 1, allow_negative_numbers = true)]
    seed: u64,

    /// Where to write it [default: standard output]
    #[arg(long, visible_alias = "out", short, value_name = "FILE")]
    output: Option<PathBuf>,

    /// Write over a file that exists
    #[arg(long)]
    force: bool,

    #[command(flatten)]
    threads: ThreadsArgument,
}

#[derive(Serialize)]
struct Selected {
    game: String,
    file: Option<String>,
    /// Problems in the suite that was selected from.
    of: usize,
    /// Lines of its file that could not be read.
    skipped: usize,
    /// What the bare search solves of them.
    neutral: usize,
    problems: usize,
    suite: String,
}

pub fn run(arguments: &Arguments, output: &Output) -> Result<(), Failure> {
    let game = games::find(&arguments.game)?;
    let schemes = arguments.schemes(game)?;
    let subject = BuiltIn::new(game, game.parse_settings(&arguments.preset)?, Count::Whole);
    let (suite, skipped) = read_suite(&arguments.game, &arguments.suite, &arguments.skip)?;
    if let Some(path) = &arguments.output {
        check_target(path, arguments.force)?;
    }
    let (of, sieve) = (suite.problems.len(), Sieve { subject, store: open_store()?, arguments });
    let Kept { neutral, suite } = sieve.select(suite, &schemes)?;
    let problems = suite.problems.len();
    say(format!("{problems} of {of} problems are kept; the bare search solves {neutral}"));
    if problems == 0 {
        return Err(Failure::Failed(anyhow::anyhow!(
            "no problem is left; try more or fewer nodes with --nodes, or other schemes with --with"
        )));
    }
    let contents = text::print(&suite, &arguments.header(game, &schemes, of));
    let file = arguments.output.as_ref().map(|path| path.display().to_string());
    if let Some(path) = &arguments.output {
        write_file(path, &contents, arguments.force)?;
        say(format!("{problems} problems written to {}", path.display()));
        if !output.is_json() {
            return Ok(());
        }
    }
    let game = game.name.to_string();
    let selected = Selected { game, file, of, skipped, neutral, problems, suite: contents };
    output.print(&selected, || selected.suite.clone())
}

impl Arguments {
    fn schemes(&self, game: &GameInfo) -> Result<Vec<Scheme>, Failure> {
        let vocabulary = game.vocabulary;
        if self.with.is_empty() {
            let alone = |atom| Scheme::single(Conjunction::of([atom]), Weight::HALF);
            return Ok(vocabulary.atoms().map(alone).collect());
        }
        let scheme = |text: &String| Ok(vocabulary.parse_scheme(text, Weight::HALF)?);
        self.with.iter().map(scheme).collect()
    }

    /// What makes the same selection again.
    fn header(&self, game: &GameInfo, schemes: &[Scheme], of: usize) -> String {
        let Arguments { suite, nodes, seed, .. } = self;
        let preset = game.parse_settings(&self.preset).map_or(self.preset.clone(), |known| game.print_settings(&known));
        let with: String = match self.with.as_slice() {
            [] => String::new(),
            _ => schemes
                .iter()
                .map(|scheme| format!(" --with {}", quoted(game.vocabulary.print_scheme(scheme))))
                .collect(),
        };
        let skip = if self.skip.skip_bad { " --skip-bad" } else { "" };
        let suite = quoted(suite.display().to_string());
        format!(
            "What features solve and the bare search does not, of the {of} problems of {suite}.\n\
             Made by: plysmith suite select {} --suite {suite}{skip}{with} --preset {preset} --nodes {nodes} --seed {seed}",
            game.name
        )
    }
}

/// A word as a shell takes it.
fn quoted(word: String) -> String {
    let is_plain = |letter: char| letter.is_alphanumeric() || "-_./@,=".contains(letter);
    if word.chars().all(is_plain) { word } else { format!("'{word}'") }
}

/// Measures and keeps.
struct Sieve<'a> {
    subject: BuiltIn,
    store: Store,
    arguments: &'a Arguments,
}

struct Kept {
    /// How many problems the bare search solves.
    neutral: usize,
    suite: Suite,
}

impl Sieve<'_> {
    /// The problems that one of the schemes solves and the bare search does not, in the suite's order.
    fn select(&self, suite: Suite, schemes: &[Scheme]) -> Result<Kept, Failure> {
        let all = suite.problems.len() as u64;
        let progress = progress::begin(all * (1 + schemes.len() as u64));
        let neutral = self.solved(&suite, &Scheme::neutral(), &progress)?;
        progress.finish_part(all);
        let mut left = without(&suite, &neutral);
        let mut kept = HashSet::new();
        for scheme in schemes {
            // What one scheme has solved is kept whatever the others do: only the rest is searched again.
            let solved = self.solved(&left, scheme, &progress)?;
            progress.finish_part(all);
            left = without(&left, &solved);
            kept.extend(solved);
        }
        let Suite { name, problems } = suite;
        let problems = problems.into_iter().filter(|problem| kept.contains(&problem.id)).collect();
        Ok(Kept { neutral: neutral.len(), suite: Suite { name, problems } })
    }

    /// The names of the problems that the scheme solves.
    fn solved(&self, suite: &Suite, scheme: &Scheme, progress: &Progress) -> Result<HashSet<String>, Failure> {
        if suite.problems.is_empty() {
            return Ok(HashSet::new());
        }
        progress.message(self.subject.game().vocabulary.print_scheme(scheme));
        let threads = self.arguments.threads.threads.unwrap_or_else(all_cores);
        let limits = Limits { nodes: self.arguments.nodes, seed: self.arguments.seed };
        let mut lab =
            Lab::new(Box::new(self.subject.clone()), suite.clone(), limits, threads).map_err(Failure::input)?;
        let assistant = Assistant { progress, store: &self.store };
        let measurement = assistant.measure(&mut lab, &Candidate::Scheme(scheme.clone()), None)?;
        let solved = suite.problems.iter().zip(&measurement.attempts).filter(|(_, attempt)| attempt.solved);
        Ok(solved.map(|(problem, _)| problem.id.clone()).collect())
    }
}

fn without(suite: &Suite, solved: &HashSet<String>) -> Suite {
    let left = |problem: &&Problem| !solved.contains(&problem.id);
    Suite { name: suite.name.clone(), problems: suite.problems.iter().filter(left).cloned().collect() }
}
