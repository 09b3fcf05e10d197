//! `plysmith transitions`: realization probabilities from game records.

use std::path::{PathBuf, absolute};

use clap::{ArgGroup, Args, ValueEnum};
use plysmith_core::games::{self, GameInfo};
use plysmith_engine::weights::parse_settings;
use plysmith_runs::kinds::transitions::{CategoryChoice, Config, CountBy, RecordFile, Source, Transitions};
use plysmith_store::RunId;

use crate::arguments::count::count;
use crate::arguments::start::StartArguments;
use crate::arguments::{OutputArguments, RunArguments, SeedArgument, SkipBadArgument};
use crate::failure::Failure;
use crate::output::Output;
use crate::services::{open_store_to_read, run as run_kind, session};

/// Count how often moves of a category are played: probabilities for realization-probability search
#[derive(Debug, Args)]
#[command(
    group(ArgGroup::new("categories").required(true).args(["features", "partition", "discovery"])),
    mut_arg("output", |arg| arg.help("Write the counts and the scheme to this file [default: write none]")),
    after_help = "\
The probability of a category is the number of its moves that were played, divided by the number that could be played \
(--count per-move), or by the number of positions in which one could be (--count per-position: formula 2.1 of the thesis, for \
narrow categories). Both are counted. Positions with a single legal move are left out, and so are positions that the side to \
move is known to lose.

The games are those of PGN files. Without files, the built-in search plays against itself, after random openings.

The result is a scheme like '=Ud-C@31%,Other@2%'. Wherever a scheme is typed, '@FILE' stands for the scheme of the file that \
--output wrote. The tunables RpsConstant, RpsLeast, RpsMost and RpsThreshold turn probabilities into depth, and the switch erps \
adds the rules of the enhanced search.

Examples:
  plysmith transitions breakthrough --partition C,Rc,Ud,RdBb,RdBt,RdTb --games 400 --output mine.transitions
  plysmith transitions breakthrough --features 'Ud-RdTt,Rc,PP' --player modern --nodes 2000
  plysmith transitions chess masters.pgn more.pgn --features '(CcB-LcB)|(CcR-LcR),AcK' --skip-bad
  plysmith transitions breakthrough --discovery 12 --top 5 --count per-position
  plysmith match breakthrough --a modern,erps+@mine.transitions --b modern

Games are stored as they are played. After an interruption, `plysmith resume` continues."
)]
pub struct Arguments {
    /// Game: breakthrough or chess
    game: String,

    /// Game records as PGN, also those of `plysmith export --format pgn` [default: play games]
    #[arg(value_name = "FILE", conflicts_with_all = ["games", "nodes", "player", "size", "first", "seed"])]
    records: Vec<PathBuf>,

    /// Categories: features, separated by commas. They may overlap; moves with none of them are the category 'Other'
    #[arg(long, value_name = "FEATURES")]
    features: Option<String>,

    /// Categories: the cells of a partition by these atoms, separated by commas. Each move is in the cell of exactly the atoms
    /// that it has
    #[arg(long, value_name = "ATOMS")]
    partition: Option<String>,

    /// Categories: the best features that this discovery found
    #[arg(long, value_name = "RUN")]
    discovery: Option<String>,

    /// Number of features of the discovery to take
    #[arg(long, value_name = "N", default_value_t = 10, requires = "discovery", value_parser = count::<u16>(1..=256))]
    top: u16,

    /// What the probability is counted by
    #[arg(long, value_enum, value_name = "WHAT", default_value = "per-move")]
    count: Count,

    /// Strength of smoothing: rates are drawn to the overall rate as if N more moves, or positions, had been seen with it
    #[arg(long, value_name = "N", default_value_t = 10.0, allow_negative_numbers = true)]
    smoothing: f64,

    /// Search settings of both sides of the games that are played
    #[arg(long, value_name = "SETTINGS", default_value = "modern")]
    player: String,

    /// Node limit for each move
    #[arg(long, value_name = "N", default_value_t = 10_000, value_parser = count::<u64>(1..))]
    nodes: u64,

    /// Number of games to play
    #[arg(long, value_name = "N", default_value_t = 400, value_parser = count::<u64>(1..))]
    games: u64,

    #[command(flatten)]
    start: StartArguments,

    #[command(flatten)]
    seed: SeedArgument,

    #[command(flatten)]
    skip: SkipBadArgument,

    #[command(flatten)]
    output: OutputArguments,

    #[command(flatten)]
    run: RunArguments,
}

#[derive(Copy, Clone, PartialEq, Eq, Debug, ValueEnum)]
enum Count {
    /// Moves played of those that could be
    PerMove,
    /// Moves played of the positions in which one could be
    PerPosition,
}

pub fn run(arguments: &Arguments, output: &Output) -> Result<(), Failure> {
    let config = arguments.resolve()?;
    run_kind::<Transitions>(&config, &session(&arguments.run)?, output)
}

impl Arguments {
    fn resolve(&self) -> Result<Config, Failure> {
        let game = games::find(&self.game)?;
        let output = self.output.output.as_ref().map(absolute).transpose();
        Ok(Config {
            game: game.name.to_string(),
            categories: self.categories(game)?,
            source: self.source(game)?,
            count: match self.count {
                Count::PerMove => CountBy::PerMove,
                Count::PerPosition => CountBy::PerPosition,
            },
            smoothing: self.smoothing,
            output: output.map_err(|error| Failure::input(format!("--output: {error}")))?,
            force: self.output.force.force,
        })
    }

    fn categories(&self, game: &GameInfo) -> Result<CategoryChoice, Failure> {
        if let Some(run) = &self.discovery {
            let id: RunId = run.parse()?;
            let run = open_store_to_read()?.run(id)?;
            return Ok(CategoryChoice::of_discovery(game, &run, self.top.into())?);
        }
        let features = self.features.clone().map(CategoryChoice::Features);
        let partition = self.partition.clone().map(CategoryChoice::Partition);
        // One of the three is required.
        let choice = features.or(partition).unwrap_or(CategoryChoice::Features(String::new()));
        Ok(choice.canonical(game)?)
    }

    fn source(&self, game: &GameInfo) -> Result<Source, Failure> {
        let skip_bad = self.skip.skip_bad;
        if !self.records.is_empty() {
            let files = self.records.iter().map(|path| RecordFile::read(path, skip_bad));
            return Ok(Source::Records { files: files.collect::<Result<_, _>>()?, skip_bad });
        }
        let player = parse_settings(game, &self.player);
        let player = player.map_err(|error| Failure::input(format!("--player: {error}")))?;
        Ok(Source::SelfPlay {
            start: (game.start)(&self.start.resolve()?)?,
            player: game.print_settings(&player),
            nodes: self.nodes,
            games: self.games,
            seed: self.seed.seed,
        })
    }
}
