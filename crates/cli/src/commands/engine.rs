//! `plysmith engine`: the engine for other programs, by UCI or by the plug protocol.

use std::io::{ErrorKind, stdin, stdout};
use std::path::PathBuf;

use clap::Args;
use plysmith_core::depth::Weight;
use plysmith_core::feature::{Conjunction, Feature};
use plysmith_core::games::{self, GameInfo, chess};
use plysmith_core::depth::Weight;
use plysmith_engine::driver::Policy;
use plysmith_engine::driver::{BuiltIn, Count};
use plysmith_engine::plug::server;
use plysmith_engine::uci::server::options::ServerOptions;
use plysmith_engine::uci::server::serve;

use super::engine_mates::mate_solvers;
use crate::failure::Failure;
use crate::output::Output;

/// Be an engine for other programs: UCI, or the plug protocol, on standard input and output
#[derive(Debug, Args)]
#[command(after_help = "\
Commands are those of UCI, with the game's own text for positions and moves:
  uci, isready, ucinewgame, ponderhit, stop, show, quit
  setoption name NAME value VALUE    'uci' lists them: Hash, Threads, MultiPV, every part of the search, the
                                     scheme and each weight in it; docs/engine.md explains them
  position startpos [moves M...]     or, in place of startpos, a position's text
  go [nodes N] [depth N] [mate N] [movetime MS] [wtime MS] [btime MS] [winc MS] [binc MS]
     [movestogo N] [searchmoves M...] [ponder] [infinite]

Examples:
  plysmith engine chess
  (printf 'position fen 6k1/5ppp/8/8/8/8/5PPP/3R2K1 w - - 0 1\\ngo mate 3\\n'; sleep 1) | plysmith engine chess
  plysmith engine breakthrough --preset classic --scheme Ud-RdTt@0.5
  plysmith engine chess --plug --template AcK,Rc    docs/plug-protocol.md explains it
  (echo 'go nodes 100000'; sleep 1) | plysmith engine breakthrough")]
pub struct Arguments {
    /// The game
    game: String,

    /// How to search until an option says otherwise: 'classic', 'modern', or either with changes
    #[arg(long, default_value = "modern")]
    preset: String,

    /// Which moves to search deeper or shallower until an option says otherwise
    #[arg(long, default_value = "Neutral")]
    scheme: String,

    /// For chess: the program that answers `go mate N` while the option MateSolver says 'evolved' [default: the bundled one]
    #[arg(long, value_name = "FILE")]
    program: Option<PathBuf>,

    /// Where all chances come from until an option says otherwise
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,

    /// Speak the plug protocol: problems to be solved with features or weights
    #[arg(long, conflicts_with = "scheme")]
    plug: bool,

    /// With --plug, the features whose weights 'setparam' sets, separated by commas [default: those that discovery
    /// begins with]
    #[arg(long, value_name = "FEATURES", value_delimiter = ',', requires = "plug")]
    template: Vec<String>,
}

pub fn run(arguments: &Arguments, output: &Output) -> Result<(), Failure> {
    if output.is_json() {
        return Err(Failure::input("an engine speaks its protocol, never JSON; leave out --json"));
    }
    let game = games::find(&arguments.game)?;
    let settings = game.parse_settings(&arguments.preset)?;
    let scheme = game.vocabulary.parse_scheme(&arguments.scheme, Weight::HALF)?;
    let is_chess = game.name == chess::INFO.name;
    if arguments.program.is_some() && (!is_chess || arguments.plug) {
        return Err(Failure::input("--program is for `go mate` of UCI chess; leave it out"));
    }
    let conversation = if arguments.plug {
        let engine =
            BuiltIn::new(game, settings, Count::ToSolution(Policy::First)).with_template(arguments.template(game)?)?;
        server::serve(engine, arguments.seed, stdin().lock(), stdout())
    } else {
        let mut options = ServerOptions::new(game, settings, scheme, arguments.seed);
        if is_chess {
            options = options.with_mate_solvers(mate_solvers(arguments.program.as_deref())?);
        }
        serve(options, stdin().lock(), stdout())
    };
    conversation.map_err(|error| match error.kind() {
        ErrorKind::BrokenPipe => Failure::OutputClosed,
        _ => Failure::Failed(anyhow::Error::new(error).context("the conversation broke off")),
    })
}

impl Arguments {
    /// The features that weights are for.
    fn template(&self, game: &GameInfo) -> Result<Vec<Feature>, Failure> {
        let vocabulary = game.vocabulary;
        if !self.template.is_empty() {
            return Ok(self.template.iter().map(|text| vocabulary.parse_feature(text)).collect::<Result<_, _>>()?);
        }
        let atoms = match game.guidance.base {
            [] => vocabulary.atoms().collect(),
            base => vocabulary.matching(base.iter().copied())?,
        };
        Ok(atoms.into_iter().map(|atom| Conjunction::of([atom]).into()).collect())
    }
}
