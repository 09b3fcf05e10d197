//! `plysmith fit`: find the weights of the chess evaluation from self-play.

use std::fs;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum, value_parser};
use plysmith_core::game::Game;
use plysmith_core::games::chess::Position;
use plysmith_core::games::chess::fitting::{self, GamePlan, Sample};
use plysmith_core::games::{self, chess};
use plysmith_engine::parallel::all_cores;
use plysmith_engine::selfplay::gather;
use plysmith_learn::fitting::{FitData, FitPlan, FitRow, Fitting, Tapered, expected_result, fit_slope, loss};
use serde::Serialize;

use super::experiment::ThreadsArgument;
use crate::failure::Failure;
use plysmith_runs::files::{check_target, write_file};
use crate::signals;
use crate::output::{Output, say, thousands};
use crate::progress;

/// Find the weights of the chess evaluation: play games against itself, and fit evaluations to their results
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  plysmith fit chess --games 200 --nodes 500                      a first taste, printed
  plysmith fit chess --positions games.epd --force \\
      --out crates/core/src/games/chess/weights.rs                 for the next build to play with
  plysmith fit chess --positions games.epd --pull 0.01            again, without playing
  plysmith fit chess --guesses                                     where it all began

The weights are compiled in, which makes them fast. So a round is: fit, build, and fit again with another seed; the
next games are played with the weights of the last. `scripts/fit-chess` does all rounds.")]
pub struct Arguments {
    /// The game; only chess has weights to fit
    game: String,

    /// How many games to play
    #[arg(long, value_name = "N", default_value_t = 20_000, value_parser = value_parser!(u64).range(1..))]
    games: u64,

    /// Nodes a move
    #[arg(long, value_name = "N", default_value_t = 5_000, value_parser = value_parser!(u64).range(1..))]
    nodes: u64,

    /// Where all chances come from
    #[arg(long, value_name = "N", default_value_t = 1, allow_negative_numbers = true)]
    seed: u64,

    /// At most so many positions of each game
    #[arg(long, value_name = "N", default_value = "12")]
    samples: NonZeroUsize,

    /// Where the positions are kept; if the file exists, it is read and no games are played
    #[arg(long, value_name = "FILE")]
    positions: Option<PathBuf>,

    /// More positions to fit to, from earlier rounds; can be given several times
    #[arg(long, value_name = "FILE")]
    also: Vec<PathBuf>,

    /// Which weights to begin with, and to stay near where games say little
    #[arg(long, value_enum, default_value_t = Origin::Guesses)]
    start: Origin,

    /// How many steps of gradient descent
    #[arg(long, value_name = "N", default_value_t = 500, value_parser = value_parser!(u32).range(1..))]
    steps: u32,

    /// How far a weight moves in the first step, in hundredths of a pawn
    #[arg(long, value_name = "X", default_value_t = 3.0, allow_negative_numbers = true, value_parser = parse_positive)]
    rate: f64,

    /// How strongly weights are pulled back to where they began
    #[arg(long, value_name = "X", default_value_t = 0.005, allow_negative_numbers = true, value_parser = parse_positive)]
    pull: f64,

    /// Print the weights that fitting began with, and stop
    #[arg(long)]
    guesses: bool,

    /// Where to write the weights [default: standard output]
    #[arg(long, short, value_name = "FILE")]
    out: Option<PathBuf>,

    /// Write over a file that exists
    #[arg(long)]
    force: bool,

    #[command(flatten)]
    threads: ThreadsArgument,
}

/// Weights to begin with.
#[derive(Copy, Clone, PartialEq, Eq, Debug, ValueEnum)]
enum Origin {
    /// Plain values and formulas
    Guesses,
    /// What this program was built with
    Current,
}

/// One game in so many is not fitted to, but tells whether the fit holds for games that it has not seen.
const HELD_OUT: u64 = 10;
/// So many steps pass between two reports.
const REPORT: u32 = 50;

/// What came out.
#[derive(Serialize)]
struct Fitted {
    file: Option<String>,
    positions: usize,
    held_out: usize,
    slope: f64,
    /// Losses of the start and of the end; first of what was fitted to, then of what was held out.
    before: [f64; 2],
    after: [f64; 2],
    weights: String,
}

pub fn run(arguments: &Arguments, output: &Output) -> Result<(), Failure> {
    signals::cancel_token();
    let game = games::find(&arguments.game)?;
    if game.name != chess::INFO.name {
        return Err(Failure::input(format!("{} has no weights to fit; expected chess", game.name)));
    }
    if let Some(path) = &arguments.out {
        check_target(path, arguments.force)?;
    }
    if arguments.guesses {
        let text = fitting::print(&fitting::guesses(), "plysmith fit chess --guesses");
        return match &arguments.out {
            Some(path) => write_file(path, &text, arguments.force),
            None => output.write(&text),
        };
    }
    // Asked before the file is written: what is read from it does not depend on how to play.
    let command = arguments.command();
    let mut samples = arguments.samples()?;
    for path in &arguments.also {
        samples.extend(read_samples(path)?);
    }
    let (train, held_out) = rows_of(&samples)?;
    if train.is_empty() || held_out.is_empty() {
        return Err(Failure::input(format!(
            "{} positions are too few: some are needed to fit to, some to check with; try --games {}",
            samples.len(),
            (2 * HELD_OUT).max(10 * arguments.games)
        )));
    }
    drop(samples);
    let fitted = arguments.fit(&train, &held_out, &command)?;
    if let Some(path) = &arguments.out {
        write_file(path, &fitted.weights, arguments.force)?;
        say(format!("weights written to {}; build again to play with them", path.display()));
        if !output.is_json() {
            return Ok(());
        }
    }
    output.print(&fitted, || fitted.weights.clone())
}

impl Arguments {
    /// Positions from the file, or from games that are played now.
    fn samples(&self) -> Result<Vec<Sample>, Failure> {
        if let Some(path) = self.positions.as_deref().filter(|path| path.exists()) {
            return read_samples(path);
        }
        if let Some(path) = &self.positions {
            check_target(path, false)?;
        }
        let plan = GamePlan { seed: self.seed, nodes: self.nodes, samples: self.samples.get() };
        let progress = progress::begin(self.games);
        let tell = |games: u64, samples: usize| {
            progress.message(format!("{} positions from {} games", thousands(samples as u64), thousands(games)));
            progress.set_part_done(games);
        };
        let threads = self.threads.threads.unwrap_or_else(all_cores);
        let played = gather(&plan, self.games, threads, &signals::is_cancelled, &tell);
        drop(progress);
        let samples = played.map_err(|_| Failure::Interrupted(None))?;
        say(format!("{} positions from {} games", thousands(samples.len() as u64), thousands(self.games)));
        if let Some(path) = &self.positions {
            let lines: String = samples.iter().map(|sample| format!("{sample}\n")).collect();
            write_file(path, &format!("# Made by: {}\n{lines}", self.command()), false)?;
        }
        Ok(samples)
    }

    fn fit(&self, train: &FitData, held_out: &FitData, command: &str) -> Result<Fitted, Failure> {
        let origin = match self.start {
            Origin::Guesses => fitting::guesses(),
            Origin::Current => fitting::weights().to_vec(),
        };
        let start: Vec<Tapered> = origin.iter().map(|&(middle, end)| [middle.into(), end.into()]).collect();
        let slope = fit_slope(train, &start);
        let losses = |weights: &[Tapered]| [train, held_out].map(|rows| loss(rows, weights, slope));
        let before = losses(&start);
        say(format!(
            "{} positions, {} of them held out; a pawn more is worth {:.1} % of a game",
            thousands((train.len() + held_out.len()) as u64),
            thousands(held_out.len() as u64),
            100.0 * expected_result(100.0, slope) - 50.0
        ));
        say(report("start", before));
        let plan = FitPlan { steps: self.steps, rate: self.rate, pull: self.pull };
        let mut fitting = Fitting::new(train, start, slope, plan);
        let progress = progress::begin(self.steps.into());
        while fitting.advance() {
            let done = fitting.steps_done();
            progress.set_part_done(done.into());
            if done.is_multiple_of(REPORT) {
                progress.note(report(&format!("step {done}"), losses(fitting.weights())));
            }
            if signals::is_cancelled() {
                return Err(Failure::Interrupted(None));
            }
        }
        drop(progress);
        let whole: Vec<_> = fitting.weights().iter().map(|pair| (rounded(pair[0]), rounded(pair[1]))).collect();
        let after = losses(&whole.iter().map(|&(middle, end)| [middle.into(), end.into()]).collect::<Vec<Tapered>>());
        say(report("whole numbers", after));
        Ok(Fitted {
            file: self.out.as_ref().map(|path| path.display().to_string()),
            positions: train.len() + held_out.len(),
            held_out: held_out.len(),
            slope,
            before,
            after,
            weights: fitting::print(&whole, command),
        })
    }

    /// What makes the same weights again.
    fn command(&self) -> String {
        let Arguments { games, nodes, seed, samples, steps, rate, pull, .. } = self;
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
        if self.start == Origin::Current {
            command += " --start current";
        }
        command + &format!(" --steps {steps} --rate {rate} --pull {pull}")
    }
}

/// Reads positions; lines that begin with `#` are comments.
fn read_samples(path: &Path) -> Result<Vec<Sample>, Failure> {
    let name = path.display();
    let text = fs::read_to_string(path).map_err(|error| Failure::input(format!("cannot read {name}: {error}")))?;
    let lines = text.lines().enumerate().filter(|(_, line)| !line.starts_with('#') && !line.trim().is_empty());
    let read = |(index, line): (usize, &str)| {
        line.parse().map_err(|error| Failure::input(format!("{name}:{}: {error}", index + 1)))
    };
    let samples: Vec<_> = lines.map(read).collect::<Result<_, _>>()?;
    say(format!("{} positions read from {name}", thousands(samples.len() as u64)));
    Ok(samples)
}

/// What is fitted to, and what is held out. All positions of a game are on the same side: they share its result.
fn rows_of(samples: &[Sample]) -> Result<(FitData, FitData), Failure> {
    let (mut train, mut held_out) = (FitData::default(), FitData::default());
    for sample in samples {
        let position = Position::parse(&sample.position)
            .map_err(|error| Failure::input(format!("'{}' is no position: {error}", sample.position)))?;
        let Some(trace) = fitting::trace(&position) else { continue };
        let row = FitRow { counts: &trace.counts, shares: trace.shares, result: sample.ending.points() };
        let rows = if sample.game.is_multiple_of(HELD_OUT) { &mut held_out } else { &mut train };
        rows.push(&row);
    }
    Ok((train, held_out))
}

fn report(when: &str, [train, held_out]: [f64; 2]) -> String {
    format!("{when:>14}: loss {train:.5}, held out {held_out:.5}")
}

fn rounded(weight: f64) -> i16 {
    weight.round().clamp(-9_999.0, 9_999.0) as i16
}

fn parse_positive(text: &str) -> Result<f64, String> {
    text.parse()
        .ok()
        .filter(|&number: &f64| number.is_finite() && number >= 0.0)
        .ok_or_else(|| format!("'{text}' is not a number from 0 on; expected something like 0.5"))
}
