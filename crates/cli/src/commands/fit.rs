//! `plysmith fit`: find the weights of the chess evaluation from self-play.

use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum, value_parser};
use plysmith_core::games::chess::fitting::{self, GamePlan, Sample};
use plysmith_core::games::{self, chess};
use plysmith_learn::fitting::FitPlan;
use plysmith_runs::files::{check_target, write_file};
use plysmith_runs::fit::{Fitted, HELD_OUT, Origin, SplitData, play_samples, read_samples};
use plysmith_runs::services::Host;

use crate::arguments::{OutputArguments, SeedArgument, ThreadsArgument};
use crate::failure::Failure;
use crate::output::{Output, say};
use crate::services::host;

/// Fit the weights of the chess evaluation to self-play games
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  plysmith fit chess --games 200 --nodes 500              do a small, fast run
  plysmith fit chess --positions games.epd --force \\
      --output crates/core/src/games/chess/evaluation/weights.rs
  plysmith fit chess --positions games.epd --pull 0.01    fit to stored positions
  plysmith fit chess --guesses                            print the initial weights

The weights are compiled into the program. A round is: fit, build, and fit again with another seed, so that the next \
games are played with the last weights. `scripts/fit-chess` does all rounds.")]
pub struct Arguments {
    /// Game: chess
    game: String,

    /// Number of games to play
    #[arg(long, value_name = "N", default_value_t = 20_000, value_parser = value_parser!(u64).range(1..))]
    games: u64,

    /// Node limit for each move
    #[arg(long, value_name = "N", default_value_t = 5_000, value_parser = value_parser!(u64).range(1..))]
    nodes: u64,

    #[command(flatten)]
    seed: SeedArgument,

    /// Maximum number of positions from each game
    #[arg(long, value_name = "N", default_value = "12")]
    samples: NonZeroUsize,

    /// Write the positions to this file. If it exists, read it and play no games
    #[arg(long, value_name = "FILE")]
    positions: Option<PathBuf>,

    /// Also fit to the positions of this file. Can be given more than once
    #[arg(long, value_name = "FILE")]
    also: Vec<PathBuf>,

    /// Initial weights. Weights that few positions depend on stay near them
    #[arg(long, value_enum, default_value_t = OriginValue::Guesses)]
    start: OriginValue,

    /// Number of steps of gradient descent
    #[arg(long, value_name = "N", default_value_t = 500, value_parser = value_parser!(u32).range(1..))]
    steps: u32,

    /// Learning rate: change of a weight in the first step, in hundredths of a pawn
    #[arg(long, value_name = "X", default_value_t = 3.0, allow_negative_numbers = true, value_parser = parse_positive)]
    rate: f64,

    /// Strength of the pull towards the initial weights
    #[arg(long, value_name = "X", default_value_t = 0.005, allow_negative_numbers = true, value_parser = parse_positive)]
    pull: f64,

    /// Print the initial weights of the first fit, and exit
    #[arg(long)]
    guesses: bool,

    #[command(flatten)]
    output: OutputArguments,

    #[command(flatten)]
    threads: ThreadsArgument,
}

/// Weights to begin with.
#[derive(Copy, Clone, PartialEq, Eq, Debug, ValueEnum)]
enum OriginValue {
    /// Textbook values and formulas
    Guesses,
    /// The weights that this program was built with
    Current,
}

pub fn run(arguments: &Arguments, output: &Output) -> Result<(), Failure> {
    let game = games::find(&arguments.game)?;
    if game.name != chess::INFO.name {
        return Err(Failure::input(format!("{} has no weights to fit; expected chess", game.name)));
    }
    arguments.output.check()?;
    if arguments.guesses {
        let text = fitting::print(&fitting::file_of_guesses()).unwrap_or_default();
        return if arguments.output.write(&text)? { Ok(()) } else { output.write(&text) };
    }
    let fitted = arguments.fit()?;
    if arguments.output.write(&fitted.weights)? {
        let file = fitted.file.as_deref().unwrap_or_default();
        say(format!("weights written to {file}; rebuild to use them"));
        if !output.is_json() {
            return Ok(());
        }
    }
    output.print(&fitted, || fitted.weights.clone())
}

impl Arguments {
    fn fit(&self) -> Result<Fitted, Failure> {
        let host = host(self.threads.threads);
        // Before the positions are written: fitting to a file that exists does not depend on how games are played.
        let command = self.command();
        let mut samples = self.samples(&command, &host)?;
        for path in &self.also {
            samples.extend(read_samples(path, &host)?);
        }
        let data = SplitData::new(&samples)?;
        if data.train.is_empty() || data.held_out.is_empty() {
            return Err(Failure::input(format!(
                "{} positions are too few to fit to and to check with; try --games {}",
                samples.len(),
                (2 * HELD_OUT).max(10 * self.games)
            )));
        }
        drop(samples);
        let plan = FitPlan { steps: self.steps, rate: self.rate, pull: self.pull };
        let fitted = data.fit(self.start.into(), plan, &command, &host)?;
        Ok(Fitted { file: self.output.name(), ..fitted })
    }

    /// Positions from the file, or from games that are played now.
    fn samples(&self, command: &str, host: &Host) -> Result<Vec<Sample>, Failure> {
        if let Some(path) = self.positions.as_deref().filter(|path| path.exists()) {
            return Ok(read_samples(path, host)?);
        }
        if let Some(path) = &self.positions {
            check_target(path, false)?;
        }
        let plan = GamePlan { seed: self.seed.seed, nodes: self.nodes, samples: self.samples.get() };
        let samples = play_samples(&plan, self.games, host)?;
        if let Some(path) = &self.positions {
            let lines: String = samples.iter().map(|sample| format!("{sample}\n")).collect();
            write_file(path, &format!("# Made by: {command}\n{lines}"), false)?;
        }
        Ok(samples)
    }

    /// The command that makes the same weights.
    fn command(&self) -> String {
        let Arguments { games, nodes, seed: SeedArgument { seed }, samples, steps, rate, pull, .. } = self;
        let name = |path: &Path| path.file_name().map_or(String::new(), |name| name.to_string_lossy().into_owned());
        let mut command = match self.positions.as_deref().filter(|path| path.exists()) {
            Some(path) => format!("plysmith fit chess --positions {}", name(path)),
            None => {
                format!("plysmith fit chess --games {games} --nodes {nodes} --seed {seed} --samples {samples}")
            }
        };
        for path in &self.also {
            command += &format!(" --also {}", name(path));
        }
        if self.start == OriginValue::Current {
            command += " --start current";
        }
        command + &format!(" --steps {steps} --rate {rate} --pull {pull}")
    }
}

impl From<OriginValue> for Origin {
    fn from(value: OriginValue) -> Origin {
        match value {
            OriginValue::Guesses => Origin::Guesses,
            OriginValue::Current => Origin::Current,
        }
    }
}

fn parse_positive(text: &str) -> Result<f64, String> {
    text.parse()
        .ok()
        .filter(|&number: &f64| number.is_finite() && number >= 0.0)
        .ok_or_else(|| format!("'{text}' is not a number of at least 0; expected a number like 0.5"))
}
