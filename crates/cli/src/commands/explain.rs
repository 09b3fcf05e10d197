//! `plysmith explain`: why a search finds what another one misses.

use std::num::NonZeroUsize;
use std::path::Path;

use clap::Args;
use plysmith_core::depth::Weight;
use plysmith_core::feature::Scheme;
use plysmith_core::games::{self, GameInfo};
use plysmith_core::problem::{Problem, Suite};
use plysmith_core::search::Limit;
use plysmith_core::suite::text;
use plysmith_engine::schemes::parse_scheme;
use plysmith_engine::weights::parse_settings;
use plysmith_runs::explain::Question;
use plysmith_runs::suites::{bundled_suite, default_suite};

use crate::arguments::count::count;
use crate::arguments::{SeedArgument, SkipBadArgument};
use crate::failure::Failure;
use crate::output::Output;
use crate::services::host;

/// The name of the suite that a game's experiments use by default.
const BUNDLED: &str = "bundled";
/// Columns of a page of text, where the terminal does not say how many it has.
const WIDTH: usize = 80;
/// No text is wider: lines that are longer are hard to read.
const MOST_WIDTH: usize = 120;

/// Show why one search solves a problem and another does not: both side by side, and where they first differ
#[derive(Debug, Args)]
#[command(
    override_usage = "plysmith explain [OPTIONS] GAME SUITE ID SCHEME [SCHEME]\n       \
                      plysmith explain [OPTIONS] --fen POSITION GAME SCHEME [SCHEME]",
    after_help = "\
With one scheme, the search without features is beside it. The searches are those of `plysmith measure`: the same preset, \
node limit and seed give the same search. Each line of the table is an iteration: its best move, the score, the nodes so \
far, and the best line. Moves of the line that were extended or reduced are marked with the feature that decided and \
the depth that they cost.

The searches first differ at the first node of the deciding line that has another depth in one of them, or that one of \
them does not search; if there is none, at the last node with different values. The deciding line is that of the search \
that solves the problem, in the first iteration from which on it does and the other does not.

Examples:
  plysmith explain chess bundled c5-004 AcK@0.5
  plysmith explain breakthrough bundled b7-001 Ud-RdTt@0.5 RdTt@0.5 --nodes 100000
  plysmith explain chess my.epd WAC.003 AcK@0.5 --preset modern --tree 3
  plysmith explain chess --fen '8/7k/R7/1R6/8/8/8/6K1 w - - 0 1' --move b5b7 AcK@0.5 --json"
)]
pub struct Arguments {
    /// Game: breakthrough or chess
    game: String,

    /// Suite and problem, then one scheme or two: 'bundled', the name of a bundled suite or a file; the problem's id;
    /// features with weights, like 'AcK@0.5,Rc@0.75', or 'Neutral'. With --fen, only the schemes
    #[arg(required = true, num_args = 1..=4, value_names = ["SUITE", "ID", "SCHEME", "SCHEME"])]
    words: Vec<String>,

    /// Explain the searches of this position instead of a problem of a suite
    #[arg(long, alias = "position", value_name = "POSITION")]
    fen: Option<String>,

    /// A move that solves the position of --fen. Can be given more than once
    #[arg(long = "move", value_name = "MOVE", requires = "fen")]
    moves: Vec<String>,

    #[command(flatten)]
    skip: SkipBadArgument,

    /// Search settings: 'classic' (the papers' search), 'modern', or either with changes, like 'classic,table=16'
    #[arg(long, default_value = "classic")]
    preset: String,

    /// Node limit of each search [default: that of the suite]
    #[arg(long, value_name = "N", value_parser = count::<u64>(1..))]
    nodes: Option<u64>,

    /// Stop after this iteration
    #[arg(long, value_name = "PLIES", value_parser = count::<u32>(1..=u64::from(Limit::DEEPEST)))]
    depth: Option<u32>,

    #[command(flatten)]
    seed: SeedArgument,

    /// Print the tree of the deciding iteration too, this many plies deep
    #[arg(long, value_name = "PLIES")]
    tree: Option<u32>,

    /// Nodes that are kept of each tree. Beyond them, the smallest subtrees are counted only
    #[arg(long, value_name = "N", default_value_t = Question::MOST_NODES)]
    keep: usize,

    /// Columns of the text [default: those of the terminal, from 80 to 120]
    #[arg(long, value_name = "COLUMNS", value_parser = parse_width)]
    width: Option<usize>,
}

pub fn run(arguments: &Arguments, output: &Output) -> Result<(), Failure> {
    let game = games::find(&arguments.game)?;
    let (suite, problem, schemes) = arguments.resolve(game)?;
    let schemes = schemes_of(game, schemes)?;
    let question = Question {
        game,
        problem,
        settings: parse_settings(game, &arguments.preset)?,
        limit: Limit {
            depth: arguments.depth.unwrap_or(Limit::DEEPEST),
            ..Limit::nodes(arguments.nodes.map_or_else(|| default_nodes(game, suite.as_deref()), Ok)?)
        },
        suite,
        seed: arguments.seed.seed,
        most_nodes: arguments.keep,
    };
    let comparison = question.compare([&schemes[0], &schemes[1]], &host(Some(NonZeroUsize::MIN)))?;
    let width = arguments.width.unwrap_or_else(terminal_width);
    output.print(&comparison.data(arguments.tree), || comparison.view(width, arguments.tree).to_string())
}

impl Arguments {
    /// The suite's name, the problem, and the texts of the schemes.
    fn resolve(&self, game: &'static GameInfo) -> Result<(Option<String>, Problem, &[String]), Failure> {
        if let Some(position) = &self.fen {
            if self.words.len() > 2 {
                return Err(Failure::input(format!(
                    "--fen names the position, so expected one scheme or two, not {} words",
                    self.words.len()
                )));
            }
            return Ok((None, Question::problem_at(game, position, &self.moves)?, &self.words));
        }
        let [suite, id, schemes @ ..] = self.words.as_slice() else {
            return Err(Failure::input("expected SUITE ID SCHEME, like 'bundled c5-001 AcK@0.5', or --fen POSITION"));
        };
        if schemes.is_empty() {
            return Err(Failure::input(format!("expected a scheme after '{suite} {id}', like AcK@0.5")));
        }
        let read = self.read_suite(game, suite)?;
        let find = |problem: &&Problem| problem.id == *id;
        let problem = read.problems.iter().find(find).ok_or_else(|| unknown_problem(&read, id))?;
        Ok((Some(suite.clone()), problem.clone(), schemes))
    }

    fn read_suite(&self, game: &GameInfo, name: &str) -> Result<Suite, Failure> {
        if name == BUNDLED {
            return Ok(bundled_suite(game)?);
        }
        match game.bundled_suite(name) {
            Some(suite) => text::parse(game, suite.name, suite.text).map_err(Failure::input),
            None if !Path::new(name).exists() => {
                let names: Vec<&str> = game.suites.iter().map(|suite| suite.name).collect();
                Err(Failure::input(format!(
                    "there is no file '{name}'; expected a file, '{BUNDLED}', or one of {}",
                    names.join(", ")
                )))
            }
            None => Ok(self.skip.read_suite(Some(game), Path::new(name))?.suite),
        }
    }
}

fn unknown_problem(suite: &Suite, id: &str) -> Failure {
    let all = match suite.problems.as_slice() {
        [] => "it has none".to_string(),
        [one] => format!("it has only '{}'", one.id),
        [first, .., last] => {
            format!("it has {}, from '{}' to '{}'", suite.problems.len(), first.id, last.id)
        }
    };
    Failure::input(format!("'{}' has no problem '{id}'; {all}", suite.name))
}

/// Two schemes; the first is the search without features if only one is named.
fn schemes_of(game: &GameInfo, texts: &[String]) -> Result<[Scheme; 2], Failure> {
    let parse = |text: &String| parse_scheme(game.vocabulary, text, Weight::HALF);
    match texts {
        [one] => Ok([Scheme::neutral(), parse(one)?]),
        [one, other] => Ok([parse(one)?, parse(other)?]),
        _ => Err(Failure::input(format!("expected one scheme or two, not {}", texts.len()))),
    }
}

/// The node limit of a bundled suite, or that of the game's default suite.
fn default_nodes(game: &GameInfo, suite: Option<&str>) -> Result<u64, Failure> {
    match suite.and_then(|name| game.bundled_suite(name)) {
        Some(suite) => Ok(suite.nodes),
        None => Ok(default_suite(game)?.nodes),
    }
}

/// The columns that the environment says the terminal has.
fn terminal_width() -> usize {
    let columns = std::env::var("COLUMNS").ok().and_then(|text| text.parse().ok());
    columns.unwrap_or(WIDTH).clamp(WIDTH, MOST_WIDTH)
}

fn parse_width(text: &str) -> Result<usize, String> {
    let width = text.parse().ok().filter(|width| (WIDTH..=1000).contains(width));
    width.ok_or_else(|| format!("expected a number of columns from {WIDTH} to 1000"))
}
