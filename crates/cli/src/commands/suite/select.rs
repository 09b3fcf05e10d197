//! `plysmith suite select`: keeps the problems that features solve and the bare search does not, or those that are named.

use std::path::{Path, PathBuf};

use clap::Args;
use plysmith_core::depth::Weight;
use plysmith_core::feature::{Conjunction, Scheme};
use plysmith_core::games::{self, GameInfo};
use plysmith_core::problem::Suite;
use plysmith_core::suite::text;
use plysmith_engine::driver::{BuiltIn, Policy};
use plysmith_engine::schemes::parse_scheme;
use plysmith_engine::weights::parse_settings;
use plysmith_runs::suite_runner::SearchLimits;
use plysmith_runs::suite_select::Selection;
use plysmith_runs::suites::SuiteFile;
use serde::Serialize;

use crate::arguments::count::count;
use crate::arguments::{OutputArguments, SeedArgument, SkipBadArgument, WorkArguments};
use crate::failure::Failure;
use crate::output::{Output, say};
use crate::services::services;

/// Select the problems that extensions solve and the plain search does not
#[derive(Debug, Args)]
#[command(after_help = "\
A problem is kept if at least one scheme solves it and the search without features does not. Measurements are stored: \
repeat an interrupted command to continue it.

Features that select problems are not fairly rated on them: each is measured on problems that were chosen because it \
solves them. So select by extensions that are not in question, or by all together, as the thesis did in chess. Where \
candidates of `plysmith discover` select, a warning says so.

Examples:
  plysmith suite select breakthrough --suite my.suite --with RdTt --with Ud-RdTt -o hard.suite
  plysmith suite select chess --suite ecm879.epd --nodes 500000 --output ecm-selected.suite
  plysmith suite select chess --suite ecm879.epd --ids ECM.027,ECM.043,ECM.046 --output three.suite")]
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
    /// [default: chess: checks, recaptures, single replies and promotions together, like the thesis's engine; breakthrough:
    /// each atom that discovery begins with as a scheme of its own]
    #[arg(long, value_name = "SCHEME")]
    with: Vec<String>,

    /// Keep the problems of these names, separated by commas, and search nothing
    #[arg(long, value_name = "NAMES", value_delimiter = ',', conflicts_with_all = ["with", "preset", "nodes", "seed", "threads"])]
    ids: Vec<String>,

    /// Search settings: 'classic' (the papers' search), 'modern', or either with changes, like 'classic,table=16'
    #[arg(long, default_value = "classic")]
    preset: String,

    /// Node limit for each problem
    #[arg(long, value_name = "N", default_value_t = 500_000, value_parser = count::<u64>(1..))]
    nodes: u64,

    #[command(flatten)]
    seed: SeedArgument,

    #[command(flatten)]
    output: OutputArguments,

    #[command(flatten)]
    work: WorkArguments,
}

#[derive(Serialize)]
struct Selected {
    game: String,
    file: Option<String>,
    /// Problems in the suite that was selected from.
    of: usize,
    /// Lines of its file that could not be read.
    skipped: usize,
    /// What the bare search solves of them; none if they were picked by name.
    neutral: Option<usize>,
    problems: usize,
    suite: String,
}

pub fn run(arguments: &Arguments, output: &Output) -> Result<(), Failure> {
    let game = games::find(&arguments.game)?;
    let schemes = arguments.schemes(game)?;
    let SuiteFile { suite, skipped } = arguments.skip.read_suite(Some(game), &arguments.suite)?;
    arguments.output.check()?;
    let of = suite.problems.len();
    let (neutral, suite) = match arguments.ids.as_slice() {
        [] => arguments.search(game, &schemes, suite)?,
        ids => (None, suite.named(ids).map_err(|id| unknown(&id, &arguments.suite))?),
    };
    let problems = suite.problems.len();
    let contents = text::print(&suite, &arguments.header(game, &schemes, of));
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

fn unknown(id: &str, suite: &Path) -> Failure {
    Failure::input(format!("'{id}' is not the name of a problem of {}; names are in its 'id' fields", suite.display()))
}

impl Arguments {
    /// What the search without features solves, and the problems that the schemes solve besides.
    fn search(
        &self,
        game: &'static GameInfo,
        schemes: &[Scheme],
        suite: Suite,
    ) -> Result<(Option<usize>, Suite), Failure> {
        warn_of_candidates(game, schemes)?;
        let selection = Selection {
            subject: BuiltIn::new(game, parse_settings(game, &self.preset)?, Policy::End),
            schemes,
            limits: SearchLimits { nodes: self.nodes, seed: self.seed.seed },
        };
        let of = suite.problems.len();
        let selected = selection.select(suite, &services(&self.work)?)?;
        let (neutral, problems) = (selected.neutral, selected.suite.problems.len());
        say(format!("{problems} of {of} problems are kept; the search without features solves {neutral}"));
        if problems == 0 {
            return Err(Failure::Failed(anyhow::anyhow!(
                "no problem is left; try more or fewer nodes with --nodes, or other schemes with --with"
            )));
        }
        Ok((Some(neutral), selected.suite))
    }

    fn schemes(&self, game: &GameInfo) -> Result<Vec<Scheme>, Failure> {
        let vocabulary = game.vocabulary;
        let scheme = |text: &str| parse_scheme(vocabulary, text, Weight::HALF);
        if self.with.is_empty() && game.known_extensions.is_empty() {
            let alone = |atom| Scheme::single(Conjunction::of([atom]), Weight::HALF);
            return Ok(game.guidance.base_atoms(vocabulary)?.into_iter().map(alone).collect());
        }
        match self.with.as_slice() {
            [] => Ok(vec![scheme(game.known_extensions)?]),
            given => Ok(given.iter().map(|text| scheme(text)).collect::<Result<_, _>>()?),
        }
    }

    /// What the suite is, and the command that makes it again.
    fn header(&self, game: &GameInfo, schemes: &[Scheme], of: usize) -> String {
        let Arguments { suite, nodes, seed: SeedArgument { seed }, .. } = self;
        let (skip, suite) = (if self.skip.skip_bad { " --skip-bad" } else { "" }, quoted(suite.display().to_string()));
        let command = format!("plysmith suite select {} --suite {suite}{skip}", game.name);
        if !self.ids.is_empty() {
            let ids = quoted(self.ids.join(","));
            return format!("Picked by name of the {of} problems of {suite}.\nMade by: {command} --ids {ids}");
        }
        let preset = game.parse_settings(&self.preset).map_or(self.preset.clone(), |known| game.print_settings(&known));
        // The default is named too: it may change.
        let with: String = match self.with.as_slice() {
            [] if game.known_extensions.is_empty() => String::new(),
            _ => schemes
                .iter()
                .map(|scheme| format!(" --with {}", quoted(game.vocabulary.print_scheme(scheme))))
                .collect(),
        };
        format!(
            "What features solve and the bare search does not, of the {of} problems of {suite}.\n\
             Made by: {command}{with} --preset {preset} --nodes {nodes} --seed {seed}"
        )
    }
}

/// Warns if a feature selects alone that discovery would rate on what it selects.
fn warn_of_candidates(game: &GameInfo, schemes: &[Scheme]) -> Result<(), Failure> {
    let base = Conjunction::of(game.guidance.base_atoms(game.vocabulary)?);
    let is_candidate = |scheme: &&Scheme| match scheme.rules() {
        [rule] => !rule.feature.is_neutral() && rule.feature.alternatives().all(|one| one.is_within(base)),
        _ => false,
    };
    let candidates: Vec<String> =
        schemes.iter().filter(is_candidate).map(|one| game.vocabulary.print_scheme(one)).collect();
    if !candidates.is_empty() {
        say(format!(
            "warning: {} are features that `plysmith discover {}` rates; on this suite each of them would be measured on \
             problems that were kept because it solves them",
            candidates.join(", "),
            game.name
        ));
    }
    Ok(())
}

/// A word quoted for a shell.
fn quoted(word: String) -> String {
    let is_plain = |letter: char| letter.is_alphanumeric() || "-_./@,=".contains(letter);
    if word.chars().all(is_plain) { word } else { format!("'{word}'") }
}
