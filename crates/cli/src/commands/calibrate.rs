//! `plysmith calibrate`: which measurement on positions predicts games?

use std::path::{PathBuf, absolute};

use clap::Args;
use plysmith_core::games::{self, GameInfo};
use plysmith_core::suite::graded;
use plysmith_engine::arena::openings::OpeningPlan;
use plysmith_engine::player::Participant;
use plysmith_runs::kinds::calibrate::panel::{self, panel};
use plysmith_runs::kinds::calibrate::{Calibrate, CalibrationFile, Config};
use plysmith_runs::play::{DEFAULT_OPENING_PLIES, PlayConfig};
use plysmith_runs::suites::graded_suite;

use super::screen::canonical;
use crate::arguments::count::count;
use crate::arguments::start::StartArguments;
use crate::arguments::{OutputArguments, RunArguments, SeedArgument};
use crate::failure::Failure;
use crate::output::Output;
use crate::services::{run as run_kind, session};

/// Compare measurements on positions with results of games
#[derive(Debug, Args)]
#[command(
    mut_arg("output", |arg| arg.help("Write what `plysmith screen` needs to this file [default: write none]")),
    after_help = "\
Variants of a player choose moves in the positions of a graded suite, solve the problems of the bundled suite, and play \
matches against it with the same node limit. The result is how well each measurement predicts the games (rank correlations \
with intervals over the variants), how much Elo a difference in regret is worth, and what it costs to tell a variant from \
the player by moves and by games. `plysmith screen` uses the file of --output.

Examples:
  plysmith calibrate breakthrough --nodes 2000 --games 300
  plysmith calibrate chess --nodes 1000,5000 --games 200 --suite my.graded --output my.calibration
  plysmith calibrate breakthrough --variants modern,-history --variants modern+Ud@0.5 --variants modern,table=1

Choices, judgements and games are stored as they are made. After an interruption, `plysmith resume` continues.")]
pub struct Arguments {
    /// Game: breakthrough or chess
    game: String,

    /// Player that all variants play
    #[arg(long, value_name = "PLAYER", default_value = "modern")]
    base: String,

    /// A variant; give the option once for each [default: the player with one to three changes drawn at random: switches turned,
    /// constants multiplied by 1/3 to 3, features added. Another drawing than the one that chooses critical positions]
    #[arg(long, value_name = "PLAYER")]
    variants: Vec<String>,

    /// Number of variants that are drawn, if none is named
    #[arg(long, value_name = "N", default_value_t = panel::PANEL, conflicts_with = "variants", value_parser = count::<usize>(..))]
    panel: usize,

    /// Node limits for each move, in games and on the suite, separated by commas
    #[arg(long, value_name = "N,…", default_value = "2000", value_delimiter = ',', value_parser = count::<u64>(1..))]
    nodes: Vec<u64>,

    /// Number of games of each variant
    #[arg(long, value_name = "N", default_value_t = 300, value_parser = count::<u64>(1..))]
    games: u64,

    /// Graded suite [default: the one that comes with the game]
    #[arg(long, value_name = "FILE")]
    suite: Option<PathBuf>,

    /// Node limit of the judge for each move [default: that of the suite's judge, else 20 times --nodes]
    #[arg(long, value_name = "N", value_parser = count::<u64>(1..))]
    judge_nodes: Option<u64>,

    #[command(flatten)]
    output: OutputArguments,

    #[command(flatten)]
    seed: SeedArgument,

    #[command(flatten)]
    start: StartArguments,

    #[command(flatten)]
    run: RunArguments,
}

pub fn run(arguments: &Arguments, output: &Output) -> Result<(), Failure> {
    let config = arguments.resolve()?;
    run_kind::<Calibrate>(&config, &session(&arguments.run)?, output)
}

impl Arguments {
    fn resolve(&self) -> Result<Config, Failure> {
        let [nodes, further @ ..] = self.nodes.as_slice() else {
            return Err(Failure::input("--nodes needs a node limit"));
        };
        let nodes = *nodes;
        let game = games::find(&self.game)?;
        let suite = graded_suite(game, self.suite.as_deref())?;
        let start = (game.start)(&self.start.resolve()?)?;
        let openings = OpeningPlan { start, plies: DEFAULT_OPENING_PLIES, seed: self.seed.seed };
        let base = canonical(game, &self.base)?;
        let variants = if self.variants.is_empty() { self.drawn(game, &base)? } else { self.variants.clone() };
        let judge = suite.judge();
        Ok(Config {
            play: PlayConfig { adjudicate: true, ..PlayConfig::new(game, nodes, self.games, openings)? },
            further_nodes: further.to_vec(),
            base,
            variants: variants.iter().map(|text| canonical(game, text)).collect::<Result<_, _>>()?,
            judge: judge.map_or("modern".to_string(), |judge| judge.player.clone()),
            judge_nodes: self.judge_nodes.or(judge.map(|judge| judge.nodes)).unwrap_or(nodes.saturating_mul(20)),
            suite_name: suite.name.clone(),
            suite: graded::print(&suite, ""),
            output: self.file()?,
        })
    }

    /// Variants of the base, drawn at random.
    fn drawn(&self, game: &GameInfo, base: &str) -> Result<Vec<String>, Failure> {
        let player = Participant::parse(game, base).map_err(|error| Failure::input(error.to_string()))?;
        match player.built_in() {
            Some(player) => Ok(panel(game, &player.settings, panel::JUDGING, self.panel)),
            None => {
                Err(Failure::input(format!("'{base}' is not a built-in player; a calibration needs built-in ones")))
            }
        }
    }

    /// The file to write. It names the whole command.
    fn file(&self) -> Result<Option<CalibrationFile>, Failure> {
        let Some(path) = &self.output.output else { return Ok(None) };
        let path = absolute(path).map_err(|error| Failure::input(format!("--output: {error}")))?;
        let words = std::env::args().skip(1).collect::<Vec<_>>().join(" ");
        Ok(Some(CalibrationFile { path, force: self.output.force.force, command: format!("plysmith {words}") }))
    }
}
