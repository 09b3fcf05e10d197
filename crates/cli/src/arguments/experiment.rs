//! Arguments of experiments on a suite.

use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};

use clap::Args;
use plysmith_core::games::{self, GameInfo};
use plysmith_core::problem::Suite;
use plysmith_core::suite::graded::GradedSuite;
use plysmith_engine::driver::Policy;
use plysmith_engine::weights::parse_settings;
use plysmith_runs::cancel::CancelToken;
use plysmith_runs::experiment::{EngineChoice, Experiment};
use plysmith_runs::external_engine::ExternalEngine;
use plysmith_runs::solution_policy::SolutionPolicy;
use plysmith_runs::suites::{SuiteFile, bundled_suite, default_suite, graded_suite};
use plysmith_runs::view::counted;

use super::count::count;
use super::{RunArguments, SeedArgument, SkipBadArgument};
use crate::failure::Failure;

/// The papers' engine.
const DEFAULT_PRESET: &str = "classic";
/// Nodes per problem for external engines, whose speed is not known.
const EXTERNAL_NODES: u64 = 100_000;
const EXTERNAL_QUICK_NODES: u64 = 20_000;
/// Problems that `--quick` uses.
const QUICK_PROBLEMS: usize = 50;

/// The suite, the engine and the limits of an experiment.
#[derive(Debug, Args)]
pub struct ExperimentArguments {
    /// Suite of problems: an EPD file or a file of `plysmith suite generate` [default: the game's bundled suite]
    #[arg(long, value_name = "FILE")]
    pub suite: Option<PathBuf>,

    #[command(flatten)]
    pub skip: SkipBadArgument,

    /// Use only the first N problems, or positions, of the suite
    #[arg(long, value_name = "N", value_parser = count::<NonZeroUsize>(1..))]
    problems: Option<NonZeroUsize>,

    /// Search settings: 'classic' (the papers' search), 'modern', or either with changes, like 'classic,table=16'
    /// [default: classic]
    #[arg(long)]
    preset: Option<String>,

    /// Node limit for each problem [default: breakthrough 500000, chess 50000, external engines 100000]
    #[arg(long, value_name = "N", value_parser = count::<u64>(1..))]
    pub nodes: Option<u64>,

    /// Do a small, fast run: fewer nodes and at most 50 problems
    #[arg(long)]
    pub quick: bool,

    #[command(flatten)]
    seed: SeedArgument,

    #[command(flatten)]
    pub run: RunArguments,
}

impl ExperimentArguments {
    /// The experiment on a built-in engine.
    pub fn built_in(&self, game: &str, policy: Policy) -> Result<Experiment, Failure> {
        self.built_in_from(game, policy, DEFAULT_PRESET)
    }

    /// The experiment on a built-in engine, with these settings unless others are named.
    pub fn built_in_from(&self, game: &str, policy: Policy, preset: &str) -> Result<Experiment, Failure> {
        let game = games::find(game)?;
        let settings = parse_settings(game, self.preset.as_deref().unwrap_or(preset))?;
        Ok(Experiment {
            game: game.name.to_string(),
            suite: self.read_suite(Some(game))?,
            engine: EngineChoice::BuiltIn(settings),
            policy: Some(SolutionPolicy::Watched(policy)),
            nodes: match self.nodes {
                Some(nodes) => nodes,
                None if self.quick => default_suite(game)?.quick_nodes,
                None => default_suite(game)?.nodes,
            },
            seed: self.seed.seed,
        })
    }

    /// The experiment on an external engine, which plays this game, or the one that it names itself.
    pub fn external(
        &self,
        game: Option<&str>,
        engine: ExternalEngine,
        policy: SolutionPolicy,
        cancel: &CancelToken,
    ) -> Result<Experiment, Failure> {
        if self.preset.is_some() {
            return Err(Failure::input(
                "--preset is for built-in engines; an external engine is configured by its own options",
            ));
        }
        let opened = engine.open(game.map(games::find).transpose()?, policy, cancel)?;
        Ok(Experiment {
            game: opened.game_name(),
            suite: self.read_suite(opened.game())?,
            engine: EngineChoice::External(engine),
            policy: Some(policy),
            nodes: self.nodes.unwrap_or(if self.quick { EXTERNAL_QUICK_NODES } else { EXTERNAL_NODES }),
            seed: self.seed.seed,
        })
    }

    /// A graded suite: that of a file, or the game's; the first positions of it if fewer are asked for.
    pub fn graded_suite(&self, game: &GameInfo, path: Option<&Path>) -> Result<GradedSuite, Failure> {
        let mut suite = graded_suite(game, path)?;
        if let Some(most) = self.most_problems().filter(|most| *most < suite.positions.len()) {
            suite.positions.truncate(most);
            suite.name = format!("{}, first {most}", suite.name);
        }
        Ok(suite)
    }

    /// How many problems are used at most.
    fn most_problems(&self) -> Option<usize> {
        self.problems.map(NonZeroUsize::get).or(self.quick.then_some(QUICK_PROBLEMS))
    }

    fn read_suite(&self, game: Option<&GameInfo>) -> Result<Suite, Failure> {
        let mut suite = match (&self.suite, game) {
            (Some(path), game) => match self.skip.read_suite(game, path)? {
                SuiteFile { suite, skipped: 0 } => suite,
                SuiteFile { suite, skipped } => {
                    Suite { name: format!("{} without {}", path.display(), counted(skipped, "bad line")), ..suite }
                }
            },
            (None, Some(game)) => bundled_suite(game)?,
            (None, None) => {
                return Err(Failure::input("the engine's game has no bundled suite; name a suite with --suite FILE"));
            }
        };
        if let Some(most) = self.most_problems().filter(|most| *most < suite.problems.len()) {
            suite = Suite { name: format!("{}, first {most}", suite.name), ..suite.first(most) };
        }
        Ok(suite)
    }
}
