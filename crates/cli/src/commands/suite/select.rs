//! `plysmith suite select`: keeps the problems that features solve and the bare search does not.

use std::path::PathBuf;

use clap::{Args, value_parser};
use plysmith_core::depth::Weight;
use plysmith_core::feature::{Conjunction, Scheme};
use plysmith_core::games::{self, GameInfo};
use plysmith_core::suite::text;
use plysmith_engine::driver::{BuiltIn, Policy};
use plysmith_engine::schemes::parse_scheme;
use plysmith_engine::weights::parse_settings;
use plysmith_runs::suite_runner::SearchLimits;
use plysmith_runs::suite_select::Selection;
use plysmith_runs::suites::SuiteFile;
use serde::Serialize;

use crate::arguments::{OutputArguments, SeedArgument, SkipBadArgument, ThreadsArgument};
use crate::failure::Failure;
use crate::output::{Output, say};
use crate::services::services;

/// Select the problems that features solve and the plain search does not
#[derive(Debug, Args)]
#[command(after_help = "\
A problem is kept if at least one scheme solves it and the search without features does not. Measurements are stored: \
repeat an interrupted command to continue it.

Examples:
  plysmith suite select breakthrough --suite my.suite --with RdTt --with Ud-RdTt -o hard.suite
  plysmith suite select chess --suite ecm879.epd --nodes 500000 --output ecm-selected.suite")]
pub struct Arguments {
    /// Game: breakthrough or chess
    game: String,

    /// Suite to select from
    #[arg(long, value_name = "FILE")]
    suite: PathBuf,

    #[command(flatten)]
    skip: SkipBadArgument,

    /// Scheme to try: one or more features with weights, like 'RdTt' or 'Ud-RdTt@0.5,PP@0.75'. Can be given more than
    /// once
    /// [default: each atom of the game as a scheme]
    #[arg(long, value_name = "SCHEME")]
    with: Vec<String>,

    /// Search settings: 'classic' (the papers' search), 'modern', or either with changes, like 'classic,table=16'
    #[arg(long, default_value = "classic")]
    preset: String,

    /// Node limit for each problem
    #[arg(long, value_name = "N", default_value_t = 500_000, value_parser = value_parser!(u64).range(1..))]
    nodes: u64,

    #[command(flatten)]
    seed: SeedArgument,

    #[command(flatten)]
    output: OutputArguments,

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
    let selection = Selection {
        subject: BuiltIn::new(game, parse_settings(game, &arguments.preset)?, Policy::End),
        schemes: &schemes,
        limits: SearchLimits { nodes: arguments.nodes, seed: arguments.seed.seed },
    };
    let SuiteFile { suite, skipped } = arguments.skip.read_suite(Some(game), &arguments.suite)?;
    arguments.output.check()?;
    let of = suite.problems.len();
    let selected = selection.select(suite, &services(arguments.threads.threads)?)?;
    let (neutral, problems) = (selected.neutral, selected.suite.problems.len());
    say(format!("{problems} of {of} problems are kept; the search without features solves {neutral}"));
    if problems == 0 {
        return Err(Failure::Failed(anyhow::anyhow!(
            "no problem is left; try more or fewer nodes with --nodes, or other schemes with --with"
        )));
    }
    let contents = text::print(&selected.suite, &arguments.header(game, &schemes, of));
    let file = arguments.output.name();
    if arguments.output.write(&contents)? {
        say(format!("{problems} problems written to {}", file.as_deref().unwrap_or_default()));
        if !output.is_json() {
            return Ok(());
        }
    }
    let selected = Selected { game: game.name.to_string(), file, of, skipped, neutral, problems, suite: contents };
    output.print(&selected, || selected.suite.clone())
}

impl Arguments {
    fn schemes(&self, game: &GameInfo) -> Result<Vec<Scheme>, Failure> {
        let vocabulary = game.vocabulary;
        if self.with.is_empty() {
            let alone = |atom| Scheme::single(Conjunction::of([atom]), Weight::HALF);
            return Ok(vocabulary.atoms().map(alone).collect());
        }
        let scheme = |text: &String| Ok(parse_scheme(vocabulary, text, Weight::HALF)?);
        self.with.iter().map(scheme).collect()
    }

    /// What the suite is, and the command that makes it again.
    fn header(&self, game: &GameInfo, schemes: &[Scheme], of: usize) -> String {
        let Arguments { suite, nodes, seed: SeedArgument { seed }, .. } = self;
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

/// A word quoted for a shell.
fn quoted(word: String) -> String {
    let is_plain = |letter: char| letter.is_alphanumeric() || "-_./@,=".contains(letter);
    if word.chars().all(is_plain) { word } else { format!("'{word}'") }
}
