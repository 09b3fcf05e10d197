//! `plysmith calibrate`: which measurement on positions predicts games?

use std::path::PathBuf;

use clap::{Args, value_parser};
use plysmith_core::games;
use plysmith_core::suite::graded;
use plysmith_engine::arena::openings::OpeningPlan;
use plysmith_runs::kinds::calibrate::panel::{self, panel};
use plysmith_runs::kinds::calibrate::{Calibrate, Config};
use plysmith_runs::play::{DEFAULT_OPENING_PLIES, PlayConfig};
use plysmith_runs::suites::graded_suite;

use super::screen::canonical;
use crate::arguments::start::StartArguments;
use crate::arguments::{SeedArgument, ThreadsArgument};
use crate::failure::Failure;
use crate::output::Output;
use crate::services::{run as run_kind, services};

/// Compare measurements on positions with results of games
#[derive(Debug, Args)]
#[command(after_help = "\
Variants of a player choose moves in the positions of a graded suite, and play matches against it with the same node limit. \
The result is how well regret and agreement predict the games: rank correlations with intervals over the variants, and how \
much Elo a difference in regret is worth.

Examples:
  plysmith calibrate breakthrough --nodes 2000 --games 300
  plysmith calibrate chess --nodes 1000 --games 200
  plysmith calibrate breakthrough --variants modern,-history --variants modern+Ud@0.5 --variants modern,table=1

Choices, judgements and games are stored as they are made. After an interruption, `plysmith resume` continues.")]
pub struct Arguments {
    /// Game: breakthrough or chess
    game: String,

    /// Player that all variants play
    #[arg(long, value_name = "PLAYER", default_value = "modern")]
    base: String,

    /// A variant; give the option once for each [default: every switch of 'modern' changed, some constants halved and
    /// doubled, every atom as a feature of half a ply]
    #[arg(long, value_name = "PLAYER")]
    variants: Vec<String>,

    /// Node limit for each move, in games and on the suite
    #[arg(long, value_name = "N", default_value_t = 2_000, value_parser = value_parser!(u64).range(1..))]
    nodes: u64,

    /// Number of games of each variant
    #[arg(long, value_name = "N", default_value_t = 300)]
    games: u64,

    /// Graded suite [default: the one that comes with the game]
    #[arg(long, value_name = "FILE")]
    suite: Option<PathBuf>,

    /// Node limit of the judge for each move [default: that of the suite's judge, else 20 times --nodes]
    #[arg(long, value_name = "N", value_parser = value_parser!(u64).range(1..))]
    judge_nodes: Option<u64>,

    #[command(flatten)]
    seed: SeedArgument,

    #[command(flatten)]
    start: StartArguments,

    #[command(flatten)]
    threads: ThreadsArgument,
}

pub fn run(arguments: &Arguments, output: &Output) -> Result<(), Failure> {
    let config = arguments.resolve()?;
    run_kind::<Calibrate>(&config, &services(arguments.threads.threads)?, output)
}

impl Arguments {
    fn resolve(&self) -> Result<Config, Failure> {
        let game = games::find(&self.game)?;
        let suite = graded_suite(game, self.suite.as_deref())?;
        let start = (game.start)(&self.start.resolve()?)?;
        let openings = OpeningPlan { start, plies: DEFAULT_OPENING_PLIES, seed: self.seed.seed };
        let variants =
            if self.variants.is_empty() { panel(game, panel::JUDGING, panel::PANEL) } else { self.variants.clone() };
        let judge = suite.judge();
        Ok(Config {
            play: PlayConfig { adjudicate: true, ..PlayConfig::new(game, self.nodes, self.games, openings)? },
            base: canonical(game, &self.base)?,
            variants: variants.iter().map(|text| canonical(game, text)).collect::<Result<_, _>>()?,
            judge: judge.map_or("modern".to_string(), |judge| judge.player.clone()),
            judge_nodes: self.judge_nodes.or(judge.map(|judge| judge.nodes)).unwrap_or(20 * self.nodes),
            suite_name: suite.name.clone(),
            suite: graded::print(&suite, ""),
        })
    }
}
