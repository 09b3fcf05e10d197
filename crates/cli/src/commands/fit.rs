//! `plysmith fit`: learn the evaluation of a game from self-play.

use std::path::absolute;

use clap::Args;
use plysmith_core::games::{self, GameInfo};
use plysmith_engine::weights::parse_settings;
use plysmith_runs::kinds::fit::{Config, Fit, Form, Regression};

use crate::arguments::count::count;
use crate::arguments::start::StartArguments;
use crate::arguments::{OutputArguments, RunArguments, SeedArgument};
use crate::failure::Failure;
use crate::output::Output;
use crate::services::{run as run_kind, session};

/// Learn the evaluation of a game from self-play
#[derive(Debug, Args)]
#[command(
    mut_arg("output", |arg| arg.help("Write the best weights to this file [default: write none]")),
    after_help = "\
Each round plays games with the best evaluation so far, fits new weights to their positions, and plays a match of the new \
weights against the ones before. Weights that score above one half play the next round; others are dropped. The last match \
is of the best weights against the first player. docs/fit.md explains what is fitted, and how.

Examples:
  plysmith fit breakthrough --output new.weights                 learn from the hand-made heuristic
  plysmith fit breakthrough --rounds 2 --games 4000,8000 --nodes 1000,1500
  plysmith fit breakthrough --size 6x6 --games 2000 --output small.weights
  plysmith fit breakthrough --from new.weights --rounds 1        one more round
  plysmith fit chess --nodes 5000 --output chess.weights
  plysmith match --a modern,heuristic=new.weights --b modern     play with the weights

Games and fits are stored as they are made. After an interruption, `plysmith resume` continues."
)]
pub struct Arguments {
    /// Game: breakthrough or chess
    game: String,

    #[command(flatten)]
    start: StartArguments,

    /// Search settings of all players. Their heuristic is what is learned
    #[arg(long, value_name = "SETTINGS", default_value = "modern")]
    player: String,

    /// Heuristic of the first player: a name or a weight file [default: one without learned weights]
    #[arg(long, value_name = "NAME|FILE")]
    from: Option<String>,

    /// Number of rounds
    #[arg(long, value_name = "N", default_value_t = 4, value_parser = count::<u32>(1..=1000))]
    rounds: u32,

    /// Number of self-play games in each round; the last number of a list is that of all further rounds
    #[arg(long, value_name = "N,N,…", default_value = "10000", value_delimiter = ',')]
    games: Vec<u64>,

    /// Node limit for each move of self-play, in each round
    #[arg(long, value_name = "N,N,…", default_value = "1000", value_delimiter = ',')]
    nodes: Vec<u64>,

    /// Number of rounds whose games a fit uses: its own and those before
    #[arg(long, value_name = "N", default_value_t = 2, value_parser = count::<u32>(1..))]
    keep_rounds: u32,

    /// Maximum number of positions from each game [default: all for patterns, 16 for chess]
    #[arg(long, value_name = "N", value_parser = count::<u32>(1..))]
    samples: Option<u32>,

    /// Share of the game's result in the label of a position, from 0 to 1; the rest is the score of its search
    #[arg(long, value_name = "X", default_value_t = 0.5, allow_negative_numbers = true)]
    blend: f64,

    /// Number of times that the fit visits every position [default: 10 for patterns, 500 for chess]
    #[arg(long, value_name = "N", value_parser = count::<u32>(1..))]
    epochs: Option<u32>,

    /// Learning rate [default: 0.05 logits for patterns, 3 hundredths of a pawn for chess]
    #[arg(long, value_name = "X", allow_negative_numbers = true)]
    rate: Option<f64>,

    /// Patterns that occur less often get no weight [default: 20]
    #[arg(long, value_name = "N", conflicts_with = "pull", value_parser = count::<u32>(..))]
    min_count: Option<u32>,

    /// Penalty on the square of each pattern's weight [default: 0.1]
    #[arg(long, value_name = "X", allow_negative_numbers = true, conflicts_with = "pull")]
    l2: Option<f64>,

    /// Strength of the pull towards the initial weights, in chess [default: 0.005]
    #[arg(long, value_name = "X", allow_negative_numbers = true)]
    pull: Option<f64>,

    /// Number of games in the match of each round, and in the last match
    #[arg(long, value_name = "N", default_value_t = 400, value_parser = count::<u64>(..))]
    gate_games: u64,

    /// Node limit for each move of a match
    #[arg(long, value_name = "N", default_value_t = 5_000, value_parser = count::<u64>(1..))]
    gate_nodes: u64,

    #[command(flatten)]
    seed: SeedArgument,

    #[command(flatten)]
    output: OutputArguments,

    #[command(flatten)]
    run: RunArguments,
}

pub fn run(arguments: &Arguments, output: &Output) -> Result<(), Failure> {
    let config = arguments.resolve()?;
    run_kind::<Fit>(&config, &session(&arguments.run)?, output)
}

impl Arguments {
    fn resolve(&self) -> Result<Config, Failure> {
        let game = games::find(&self.game)?;
        let start = (game.start)(&self.start.resolve()?)?;
        let position = game.parse_position(&start).map_err(|error| Failure::input(error.to_string()))?;
        let form = Form::of(game, &*position)?;
        let output = self.output.output.as_ref().map(absolute).transpose();
        Ok(Config {
            game: game.name.to_string(),
            start,
            player: canonical_player(game, &self.player)?,
            from: self.from.as_deref().map(|from| canonical_heuristic(game, from)).transpose()?,
            rounds: self.rounds,
            games: self.games.clone(),
            nodes: self.nodes.clone(),
            keep_rounds: self.keep_rounds,
            samples: self.samples.or(matches!(form, Form::Terms(_)).then_some(16)),
            blend: self.blend,
            regression: self.regression(game, &form)?,
            gate_games: self.gate_games,
            gate_nodes: self.gate_nodes,
            seed: self.seed.seed,
            output: output.map_err(|error| Failure::input(format!("--output: {error}")))?,
            force: self.output.force.force,
        })
    }

    fn regression(&self, game: &GameInfo, form: &Form) -> Result<Regression, Failure> {
        let not_for = |option: &str, is_given: bool| match is_given {
            true => Err(Failure::input(format!("{option} has no meaning for {}; leave it out", game.name))),
            false => Ok(()),
        };
        match form {
            Form::Patterns(..) => {
                not_for("--pull", self.pull.is_some())?;
                Ok(Regression::Patterns {
                    epochs: self.epochs.unwrap_or(10),
                    min_count: self.min_count.unwrap_or(20),
                    rate: self.rate.unwrap_or(0.05),
                    l2: self.l2.unwrap_or(0.1),
                })
            }
            Form::Terms(_) => {
                not_for("--min-count", self.min_count.is_some())?;
                not_for("--l2", self.l2.is_some())?;
                Ok(Regression::Terms {
                    steps: self.epochs.unwrap_or(500),
                    rate: self.rate.unwrap_or(3.0),
                    pull: self.pull.unwrap_or(0.005),
                })
            }
        }
    }
}

/// The settings as stored runs have them, with the preset's heuristic: it does not count.
fn canonical_player(game: &GameInfo, text: &str) -> Result<String, Failure> {
    let settings = parse_settings(game, text).map_err(|error| Failure::input(format!("--player: {error}")))?;
    let (_, preset) = game.presets.nearest(&settings);
    Ok(game.print_settings(&settings.with_heuristic(preset.heuristic)))
}

/// The heuristic as stored runs have it: the content of a weight file stands behind its name.
fn canonical_heuristic(game: &GameInfo, text: &str) -> Result<String, Failure> {
    let settings = parse_settings(game, &format!("modern,heuristic={text}"));
    let settings = settings.map_err(|error| Failure::input(format!("--from: {error}")))?;
    Ok(game.presets.print_heuristic(settings.heuristic))
}
