//! `plysmith tournament`: many players against one, or each against each.

use clap::{Args, ValueEnum};
use plysmith_core::games::{self, GameInfo};
use plysmith_runs::kinds::tournament::{self, Config, Tournament};

use crate::arguments::count::count;
use crate::arguments::play::PlayArguments;
use crate::failure::Failure;
use crate::output::Output;
use crate::services::{run as run_kind, session_with_reports};

/// Play a gauntlet or a round-robin tournament
#[derive(Debug, Args)]
#[command(
    override_usage = "plysmith tournament [OPTIONS] [GAME] <PLAYER>...",
    after_help = "\
Players are written as for `plysmith match`. A player that fails too often (--max-failures), or cannot be started any more, \
forfeits the rest of its games; the others play on.

Examples:
  plysmith tournament --baseline classic classic+RdTt classic+Ud-Rdt classic+Ud
  plysmith tournament --mode round-robin classic modern modern+RdTt@0.5 --games 100
  plysmith tournament chess --baseline modern 'uci:gnuchess --uci' uci:toga2 --tc 1+0.01"
)]
pub struct Arguments {
    /// Game [default: breakthrough], then players: presets with schemes, like 'classic+Ud-RdTt@0.5', or external engines,
    /// like 'uci:gnuchess --uci'
    #[arg(required = true, value_name = "PLAYER")]
    game_and_players: Vec<String>,

    /// The game; all words are players then
    #[arg(long, hide = true)]
    game: Option<String>,

    /// Pairings
    #[arg(long, value_enum, default_value = "gauntlet")]
    mode: Mode,

    /// Opponent of all players in a gauntlet
    #[arg(long, value_name = "PLAYER", default_value = "classic")]
    baseline: String,

    /// Number of games for each pairing
    #[arg(long, value_name = "N", default_value_t = 200, value_parser = count::<u64>(1..))]
    games: u64,

    #[command(flatten)]
    play: PlayArguments,
}

#[derive(Copy, Clone, PartialEq, Eq, Debug, ValueEnum)]
enum Mode {
    /// Each player against the baseline
    Gauntlet,
    /// Each player against each other
    RoundRobin,
}

const DEFAULT_GAME: &str = "breakthrough";

pub fn run(arguments: &Arguments, output: &Output) -> Result<(), Failure> {
    let config = arguments.resolve()?;
    let play = &arguments.play;
    let session = session_with_reports(&play.run, play.report_interval())?.changed(|all| play.traffic.with(all))?;
    run_kind::<Tournament>(&config, &session, output)
}

impl Arguments {
    fn resolve(&self) -> Result<Config, Failure> {
        let (game, players) = self.game_and_players()?;
        self.play.check_margin(false)?;
        let play = self.play.resolve(game, self.games)?;
        let (mode, baseline) = match self.mode {
            Mode::Gauntlet => (tournament::Mode::Gauntlet, Some(&self.baseline)),
            Mode::RoundRobin => (tournament::Mode::RoundRobin, None),
        };
        let players = players.iter().chain(baseline).map(|text| play.player(text)).collect::<Result<_, _>>()?;
        Ok(Config::new(players, mode, play)?)
    }

    /// The first word is the game if it names one. No player is written like a game.
    fn game_and_players(&self) -> Result<(&'static GameInfo, &[String]), Failure> {
        let words = self.game_and_players.as_slice();
        match (&self.game, words) {
            (Some(game), players) => Ok((games::find(game)?, players)),
            (None, [first, players @ ..]) if games::find(first).is_ok() => Ok((games::find(first)?, players)),
            (None, players) => Ok((games::find(DEFAULT_GAME)?, players)),
        }
    }
}
