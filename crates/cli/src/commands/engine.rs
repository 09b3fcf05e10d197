//! `plysmith engine`: the engine for other programs, by UCI or by the plug protocol.

use std::io::{ErrorKind, stderr, stdin, stdout};
use std::path::PathBuf;

use clap::Args;
use plysmith_core::depth::Weight;
use plysmith_core::feature::{Conjunction, Rule};
use plysmith_core::games::{self, GameInfo, chess};
use plysmith_engine::driver::{BuiltIn, Policy};
use plysmith_engine::plug::server::{self, Channels};
use plysmith_engine::schemes::parse_scheme;
use plysmith_engine::uci::server::options::ServerOptions;
use plysmith_engine::uci::server::serve;
use plysmith_engine::weights::parse_settings;
use plysmith_runs::mates::mate_solvers;

use crate::arguments::SeedArgument;
use crate::failure::Failure;
use crate::output::{Output, Printable};

/// Run as a UCI engine, or as an engine of the plug protocol
#[derive(Debug, Args)]
#[command(after_help = "\
UCI commands (positions and moves are written as in the game):
  uci, isready, ucinewgame, ponderhit, stop, show, quit
  setoption name NAME value VALUE    see docs/engine.md for the options that 'uci' lists
  position startpos [moves M...]     or 'position fen POSITION [moves M...]'
  go [nodes N] [depth N] [mate N] [movetime MS] [wtime MS] [btime MS] [winc MS] [binc MS]
     [movestogo N] [searchmoves M...] [ponder] [infinite]

Examples:
  plysmith engine chess
  plysmith engine breakthrough --preset classic --scheme Ud-RdTt@0.5
  plysmith engine chess --plug --template AcK,Rc
  (echo 'go nodes 100000'; sleep 1) | plysmith engine breakthrough")]
pub struct Arguments {
    /// Game: breakthrough or chess
    game: String,

    /// Initial search settings: 'classic' (the papers' search), 'modern', or either with changes, like 'classic,table=16'
    #[arg(long, default_value = "modern")]
    preset: String,

    /// Initial features with weights, like 'Ud-RdTt@0.5', or '@FILE' for the scheme of a file
    #[arg(long, default_value = "Neutral")]
    scheme: String,

    /// Chess only: evolved program that answers `go mate N`, before df-pn [default: df-pn alone; the bundled program if the
    /// option MateSolver is 'evolved']
    #[arg(long, value_name = "FILE")]
    program: Option<PathBuf>,

    #[command(flatten)]
    seed: SeedArgument,

    /// Speak the plug protocol (docs/plug-protocol.md) instead of UCI
    #[arg(long, conflicts_with = "scheme")]
    plug: bool,

    /// With --plug, features whose weights 'setparam' sets, separated by commas [default: the atoms that `plysmith
    /// discover` combines]
    #[arg(long, value_name = "FEATURES", value_delimiter = ',', requires = "plug")]
    template: Vec<String>,
}

pub fn run(arguments: &Arguments, output: &Output) -> Result<(), Failure> {
    if output.is_json() {
        return Err(Failure::input("an engine has no JSON output; leave out --json"));
    }
    let game = games::find(&arguments.game)?;
    let settings = parse_settings(game, &arguments.preset)?;
    let scheme = parse_scheme(game.vocabulary, &arguments.scheme, Weight::HALF)?;
    let is_chess = game.name == chess::INFO.name;
    if arguments.program.is_some() && (!is_chess || arguments.plug) {
        return Err(Failure::input("--program is for `go mate` of UCI chess; leave it out"));
    }
    let served = if arguments.plug {
        let engine = BuiltIn::new(game, settings, Policy::First).with_template(arguments.template(game)?)?;
        let channels = Channels { answers: Printable(stdout()), diagnostics: Printable(stderr()) };
        server::serve(engine, arguments.seed.seed, stdin().lock(), channels)
    } else {
        let mut options = ServerOptions::new(game, settings, scheme, arguments.seed.seed);
        if is_chess {
            options = options.with_mate_solvers(mate_solvers(arguments.program.as_deref())?);
        }
        serve(options, stdin().lock(), Printable(stdout()))
    };
    served.map_err(|error| match error.kind() {
        ErrorKind::BrokenPipe => Failure::OutputClosed,
        _ => Failure::Failed(anyhow::Error::new(error).context("the connection to the other program failed")),
    })
}

impl Arguments {
    /// The features that weights are for.
    fn template(&self, game: &GameInfo) -> Result<Vec<Rule>, Failure> {
        let vocabulary = game.vocabulary;
        if !self.template.is_empty() {
            return Ok(self.template.iter().map(|text| BuiltIn::tuned_rule(game, text)).collect::<Result<_, _>>()?);
        }
        let atoms = game.guidance.base_atoms(vocabulary)?;
        let rule = |atom| Rule::new(Conjunction::of([atom]).into(), Weight::ONE.into());
        Ok(atoms.into_iter().map(rule).collect())
    }
}
