//! `plysmith screen`: compare two players by their moves on a graded suite.

use std::path::PathBuf;
use std::time::Instant;

use clap::Args;
use plysmith_core::games::{self, GameInfo};
use plysmith_core::suite::graded::{self, GradedSuite};
use plysmith_engine::player::Participant;
use plysmith_runs::calibration::Calibration;
use plysmith_runs::files::read_text;
use plysmith_runs::kinds::screen::{Config, Screen};
use plysmith_runs::suites::graded_suite;

use crate::arguments::count::count;
use crate::arguments::{PatienceArgument, RunArguments, SeedArgument};
use crate::failure::Failure;
use crate::output::{Output, say};
use crate::services::{run as run_kind, session};

/// Compare two players by the moves that they choose in graded positions
#[derive(Debug, Args)]
#[command(after_help = "\
Both players choose a move in every position of a graded suite, after searching the positions in which they moved before, \
so that their tables are warm. Where they differ, a judge searches the position behind each move with many more nodes. The \
run ends as soon as the sign of the mean difference is known. A screening takes minutes where a match takes hours, but \
moves are not games: `plysmith calibrate` shows how far the two agree. Players that evaluate differently \
need an independent judge.

Examples:
  plysmith screen breakthrough --a modern --b modern,-reductions --nodes 5000
  plysmith screen chess --a modern+AcK@0.75 --b modern
  plysmith screen chess --a uci:./new --b uci:./old --judge uci:stockfish --judge-nodes 50000
  plysmith screen chess --a modern --b modern,-null-move --suite STS1.epd

Choices and judgements are stored as they are made. After an interruption, `plysmith resume` continues.")]
pub struct Arguments {
    /// Game: breakthrough or chess
    game: String,

    /// First player: search settings with an optional scheme, or a UCI engine as 'uci:COMMAND;OPTION=VALUE'
    #[arg(long, value_name = "PLAYER")]
    a: String,

    /// Second player
    #[arg(long, value_name = "PLAYER")]
    b: String,

    /// Graded suite: a file of positions, with or without values of moves [default: the one that comes with the game]
    #[arg(long, value_name = "FILE")]
    suite: Option<PathBuf>,

    /// Node limit of each search of the players; that of the games in question
    #[arg(long, value_name = "N", default_value_t = 5_000, value_parser = count::<u64>(1..))]
    nodes: u64,

    /// Player who values moves [default: the judge of the suite, else modern]
    #[arg(long, value_name = "PLAYER")]
    judge: Option<String>,

    /// Node limit of the judge for each move [default: that of the suite's judge, else 20 times --nodes]
    #[arg(long, value_name = "N", value_parser = count::<u64>(1..))]
    judge_nodes: Option<u64>,

    /// What differences on the suite are worth in games: a file of `plysmith calibrate --output` [default: the one that comes
    /// with the game, for its bundled suite]
    #[arg(long, value_name = "FILE")]
    calibration: Option<PathBuf>,

    /// Error rate of the verdict
    #[arg(long, value_name = "X", default_value_t = 0.05)]
    error: f64,

    #[command(flatten)]
    seed: SeedArgument,

    /// Random seed of the second player, to compare a player with itself [default: that of --seed]
    #[arg(long, value_name = "N", allow_negative_numbers = true, value_parser = count::<u64>(..))]
    seed_b: Option<u64>,

    #[command(flatten)]
    patience: PatienceArgument,

    #[command(flatten)]
    run: RunArguments,
}

pub fn run(arguments: &Arguments, output: &Output) -> Result<(), Failure> {
    let config = arguments.resolve()?;
    let start = Instant::now();
    run_kind::<Screen>(&config, &session(&arguments.run)?, output)?;
    say(format!("took {:.1} s", start.elapsed().as_secs_f64()));
    Ok(())
}

impl Arguments {
    fn resolve(&self) -> Result<Config, Failure> {
        let game = games::find(&self.game)?;
        let suite = graded_suite(game, self.suite.as_deref())?;
        let known = suite.judge().filter(|judge| self.judge.as_ref().is_none_or(|asked| *asked == judge.player));
        let judge = self.judge.clone().or(known.map(|judge| judge.player.clone())).unwrap_or("modern".to_string());
        let judge_nodes = self.judge_nodes.or(known.map(|judge| judge.nodes));
        Ok(Config {
            game: game.name.to_string(),
            suite_name: suite.name.clone(),
            suite: graded::print(&suite, ""),
            a: canonical(game, &self.a)?,
            b: canonical(game, &self.b)?,
            nodes: self.nodes,
            judge: canonical(game, &judge)?,
            judge_nodes: judge_nodes.unwrap_or(self.nodes.saturating_mul(20)),
            error: self.error,
            seed: self.seed.seed,
            seed_b: self.seed_b.unwrap_or(self.seed.seed),
            patience: self.patience.patience,
            calibration: self.calibration(game, &suite)?,
        })
    }

    fn calibration(&self, game: &GameInfo, suite: &GradedSuite) -> Result<Option<Calibration>, Failure> {
        let Some(path) = &self.calibration else { return Ok(Calibration::bundled(game, suite)?) };
        let name = path.display().to_string();
        let calibration = Calibration::parse(&name, &read_text(path, "a calibration", false)?)?;
        if calibration.suite != suite.content_key() {
            return Err(Failure::input(format!(
                "{name} was made with another suite than {}; calibrate with this one: plysmith calibrate {} --suite …",
                suite.name, game.name
            )));
        }
        Ok(Some(calibration))
    }
}

/// The player's canonical text.
pub fn canonical(game: &GameInfo, text: &str) -> Result<String, Failure> {
    Ok(Participant::parse(game, text).map_err(|error| Failure::input(error.to_string()))?.print(game))
}
