//! `plysmith match`: one player against another, until all games are played or a sequential test has ended.

use clap::Args;
use plysmith_core::games;
use plysmith_runs::kinds::match_::{Config, Match};

use crate::arguments::count::count;
use crate::arguments::play::PlayArguments;
use crate::arguments::sequential_test::TestArguments;
use crate::arguments::sides::SideArguments;
use crate::failure::Failure;
use crate::output::Output;
use crate::services::{run as run_kind, session_with_reports};

/// Play a match between two players
#[derive(Debug, Args)]
#[command(after_help = "\
A player is PRESET or PRESET+SCHEME for the built-in engine, 'modern,table=64+Ud-RdTt@0.5' (`plysmith measure --help` \
explains schemes), or 'uci:COMMAND' for an external one, 'uci:gnuchess --uci'. Behind it, after semicolons:
  name=NAME        what it is called in tables and PGN; players that differ only in name are different players
  dir=FOLDER       the folder that an external engine is started in
  nodes=N, depth=N, tc=TIME or movetime=TIME (and margin=TIME)   its own limit, instead of the match's
  OPTION=VALUE     an option of an external engine: 'uci:stockfish;name=base;nodes=5000;Hash=16'
  option.X=VALUE   the same for an option X that is called like one of these words

Games are played in pairs: each opening twice, with colours swapped. With --nelo or --elo the match is a sequential test \
(SPRT) and ends as soon as one hypothesis is accepted. `plysmith export RUN --format pgn` writes the games; \
`plysmith resume RUN --games N` extends a match. docs/matches.md has the rest.

By default an external engine uses one thread and no opening book. A crash, a timeout or an illegal move loses the game, and the engine is restarted. Games \
with a time control or with external engines are not deterministic; other runs do not reuse them.

Below 100 pairs, Elo is printed with a 95 % credible interval, [low, high]. Engines that take more nodes than the limit, \
and games lost on time, are pointed out in a warning.

Examples:
  plysmith match --a classic+RdTt@0.5 --b classic --games 400
  plysmith match --a 'modern+Rc-Rdb@0.5' --b modern --nelo 0,10 --games 20000
  plysmith match chess --a modern --b classic --openings book.pgn --opening-plies 16
  plysmith match chess --a modern --b 'uci:gnuchess --uci' --tc 1+0.01
  plysmith match --a modern --b uci:fairy-stockfish --movetime 100ms
  plysmith match chess --a 'uci:./new;name=new' --b 'uci:./old;name=old' --tc 10+0.1 --resign score=600,moves=3 \
--draw score=10,moves=8,from=40 --report-every 100
  plysmith match chess --a modern --a-nodes 50000 --b uci:stockfish --b-depth 4")]
pub struct Arguments {
    /// Game: breakthrough or chess
    #[arg(default_value = "breakthrough")]
    game: String,

    /// First player
    #[arg(long, value_name = "PLAYER")]
    a: String,

    /// Second player
    #[arg(long, value_name = "PLAYER")]
    b: String,

    /// Number of games; with a sequential test, the maximum [default: 200, with a test 20000]
    #[arg(long, value_name = "N", value_parser = count::<u64>(1..))]
    games: Option<u64>,

    #[command(flatten)]
    test: TestArguments,

    #[command(flatten)]
    play: PlayArguments,

    #[command(flatten)]
    sides: SideArguments,
}

const GAMES: u64 = 200;
const MOST_GAMES_IN_A_TEST: u64 = 20_000;

pub fn run(arguments: &Arguments, output: &Output) -> Result<(), Failure> {
    let config = arguments.resolve()?;
    let play = &arguments.play;
    let session = session_with_reports(&play.run, play.report_interval())?.changed(|all| play.traffic.with(all))?;
    run_kind::<Match>(&config, &session, output)
}

impl Arguments {
    fn resolve(&self) -> Result<Config, Failure> {
        let test = self.test.resolve()?;
        let default = if test.is_some() { MOST_GAMES_IN_A_TEST } else { GAMES };
        let play = self.play.resolve(games::find(&self.game)?, self.games.unwrap_or(default))?;
        self.play.check_margin(self.sides.is_timed())?;
        let [a, b] = self.sides.add_to([&self.a, &self.b], self.play.margin());
        Ok(Config::new([play.player(&a)?, play.player(&b)?], play, test))
    }
}
