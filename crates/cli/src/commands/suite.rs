//! `plysmith suite`: make suites, and prove them again; `select` has a file of its own.

use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};

use clap::{Args, Subcommand, value_parser};
use plysmith_core::games::{self, GameInfo, Start, chess};
use plysmith_core::generate::{Goal, Plan};
use plysmith_core::problem::Suite;
use plysmith_core::suite::check::Finding;
use plysmith_core::suite::text;
use plysmith_engine::parallel::all_cores;
use plysmith_engine::suite_maker::{Order, Workers, check_all, generate};
use serde::Serialize;

use super::experiment::{SkipBadArgument, ThreadsArgument, bundled_suite, read_suite};
use super::perft::{First, StartArguments};
use super::select;
use super::suite_games::SuiteGames;
use super::suite_mates::{MateOrder, MateRange};
use crate::failure::Failure;
use plysmith_runs::files::{check_target, write_file};
use crate::signals;
use crate::output::{Output, say, table};
use crate::progress;

/// Make suites of problems, check them, and select from them
#[derive(Debug, Args)]
pub struct Arguments {
    #[command(subcommand)]
    action: Action,
}

#[derive(Debug, Subcommand)]
enum Action {
    Generate(GenerateArguments),
    Check(CheckArguments),
    Select(select::Arguments),
}

/// Make a suite from seeded self-play: forced wins of exact length, or tactics, each with one winning move
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  plysmith suite generate breakthrough --output my.suite
  plysmith suite generate breakthrough --count 50 --plies 5 --size 6x6 --seed 7
  plysmith suite generate chess --count 100 --margin 300 --output tactics.epd
  plysmith suite generate chess --count 100 --plies 3 --output mates.epd
  plysmith suite generate chess --count 100 --mate 1-5 --output mates.epd     20 of each, for `plysmith evolve`")]
struct GenerateArguments {
    /// The game
    game: String,

    /// How many problems
    #[arg(long, value_name = "N", default_value = "302")]
    count: NonZeroUsize,

    /// Forced wins, in exactly this many plies; odd [default: what suits the game: breakthrough 7]
    #[arg(long, value_name = "N", value_parser = value_parser!(u32).range(1..=21))]
    plies: Option<u32>,

    /// Mates in exactly this many moves, or from so many to so many, like '1-5'; for chess
    #[arg(long, value_name = "N", conflicts_with_all = ["plies", "margin"])]
    mate: Option<MateRange>,

    /// With --mate, at least this many men on the board
    #[arg(long, value_name = "N", default_value_t = 12, requires = "mate", value_parser = value_parser!(u32).range(3..=32))]
    men: u32,

    /// Tactics: one move better than all others by at least this much [default: what suits the game: chess 200]
    #[arg(long, value_name = "UNITS", conflicts_with = "plies", value_parser = value_parser!(i32).range(1..=5000))]
    margin: Option<i32>,

    /// Nodes to make sure of a tactic, and again four times as many
    #[arg(long, value_name = "N", default_value_t = 100_000, value_parser = value_parser!(u64).range(1..))]
    verify: u64,

    /// Where all chances come from
    #[arg(long, value_name = "N", default_value_t = 1, allow_negative_numbers = true)]
    seed: u64,

    /// Nodes a move in self-play
    #[arg(long, value_name = "N", default_value_t = 1000, value_parser = value_parser!(u64).range(1..))]
    nodes: u64,

    #[command(flatten)]
    start: StartArguments,

    /// Where to write it [default: standard output]
    #[arg(long, short, value_name = "FILE")]
    output: Option<PathBuf>,

    /// Write over a file that exists
    #[arg(long)]
    force: bool,

    #[command(flatten)]
    threads: ThreadsArgument,
}

/// Prove every problem of a suite again
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  plysmith suite check my.suite
  plysmith suite check breakthrough          the suite that comes with the game")]
struct CheckArguments {
    /// The suite's file; or a game, for its bundled suite, or for the file that follows
    #[arg(value_name = "FILE", num_args = 1..=2)]
    what: Vec<String>,

    #[command(flatten)]
    skip: SkipBadArgument,

    #[command(flatten)]
    threads: ThreadsArgument,
}

pub fn run(arguments: &Arguments, output: &Output) -> Result<(), Failure> {
    signals::cancel_token();
    match &arguments.action {
        Action::Generate(arguments) => run_generate(arguments, output),
        Action::Check(arguments) => run_check(arguments, output),
        Action::Select(arguments) => select::run(arguments, output),
    }
}

#[derive(Serialize)]
struct Generated {
    game: String,
    file: Option<String>,
    problems: usize,
    suite: String,
}

fn run_generate(arguments: &GenerateArguments, output: &Output) -> Result<(), Failure> {
    let game = games::find(&arguments.game)?;
    let goal = arguments.goal(game);
    if let Goal::ForcedWin { plies } = goal
        && plies.is_multiple_of(2)
    {
        return Err(Failure::input(format!(
            "--plies {plies} is even, but a winner makes the first and the last move; try {}",
            plies + 1
        )));
    }
    if let Some(path) = &arguments.output {
        check_target(path, arguments.force)?;
    }
    if let Some(range) = arguments.mate {
        let suite = arguments.mate_order(game, range)?.generate(arguments.threads.threads.unwrap_or_else(all_cores))?;
        return arguments.deliver(game, &suite, &arguments.mate_header(range), output);
    }
    let order = Order {
        start: (game.start)(&arguments.start.resolve()?)?,
        count: arguments.count.get(),
        plan: Plan { goal, seed: arguments.seed, nodes: arguments.nodes },
    };
    let progress = progress::begin(order.count as u64);
    let tell = |found: usize, games: u64| {
        progress.message(format!("{found} problems from {games} games"));
        progress.set_part_done(found as u64);
    };
    let suite_games = SuiteGames::open(&format!("{} from {}: {:?}", game.name, order.start, order.plan))?;
    let workers = Workers {
        threads: arguments.threads.threads.unwrap_or_else(all_cores),
        interrupt: &signals::is_cancelled,
        progress: &tell,
        memo: &suite_games,
    };
    let suite = generate(game, &order, &workers).map_err(|error| suite_games.explain(error))?;
    drop(progress);
    arguments.deliver(game, &suite, &arguments.header(goal), output)
}

impl GenerateArguments {
    /// Writes the suite where it belongs.
    fn deliver(&self, game: &GameInfo, suite: &Suite, header: &str, output: &Output) -> Result<(), Failure> {
        let contents = text::print(suite, header);
        let file = self.output.as_ref().map(|path| path.display().to_string());
        if let Some(path) = &self.output {
            write_file(path, &contents, self.force)?;
            say(format!("{} problems written to {}", suite.problems.len(), path.display()));
            if !output.is_json() {
                return Ok(());
            }
        }
        let generated =
            Generated { game: game.name.to_string(), file, problems: suite.problems.len(), suite: contents };
        output.print(&generated, || generated.suite.clone())
    }

    fn mate_order(&self, game: &GameInfo, range: MateRange) -> Result<MateOrder, Failure> {
        let Start { size, black_first } = self.start.resolve()?;
        if game.name != chess::INFO.name || size.is_some() || black_first {
            return Err(Failure::input(
                "--mate is for chess from its usual start; expected `suite generate chess --mate N`",
            ));
        }
        let count = self.count.get();
        if !count.is_multiple_of(range.lengths()) {
            return Err(Failure::input(format!(
                "--count {count} cannot be shared out evenly among {} lengths of mate; try --count {}",
                range.lengths(),
                count.next_multiple_of(range.lengths())
            )));
        }
        Ok(MateOrder { range, count, men: self.men, seed: self.seed, nodes: self.nodes })
    }

    fn mate_header(&self, range: MateRange) -> String {
        let GenerateArguments { count, men, seed, nodes, .. } = self;
        format!(
            "{count} problems of chess: each a mate in exactly so many moves, with one key where it is named.\nMade by: plysmith \
             suite generate chess --count {count} --mate {range} --men {men} --seed {seed} --nodes {nodes}"
        )
    }

    /// What makes the same suite again.
    fn goal(&self, game: &GameInfo) -> Goal {
        match (self.plies, self.margin, game.goal) {
            (Some(plies), _, _) => Goal::ForcedWin { plies },
            (_, Some(margin), _) | (_, _, Goal::Tactic { margin, .. }) => Goal::Tactic { margin, nodes: self.verify },
            (_, _, goal) => goal,
        }
    }

    fn header(&self, goal: Goal) -> String {
        let Start { size, black_first } = self.start.resolve().unwrap_or_default();
        let (options, what) = match goal {
            Goal::ForcedWin { plies } => {
                (format!("--plies {plies}"), format!("a forced win in exactly {plies} plies, with one winning move"))
            }
            Goal::Tactic { margin, nodes } => (
                format!("--margin {margin} --verify {nodes}"),
                format!("with one move that wins and is better than all others by {margin} or more"),
            ),
        };
        let mut command = format!(
            "plysmith suite generate {} --count {} {options} --seed {} --nodes {}",
            self.game, self.count, self.seed, self.nodes
        );
        if let Some((columns, rows)) = size {
            command += &format!(" --size {columns}x{rows}");
        }
        if black_first {
            command += &format!(" --first {}", First::Black.name());
        }
        format!("{} problems of {}: each {what}.\nMade by: {command}", self.count, self.game)
    }
}

#[derive(Serialize)]
struct Checked {
    suite: String,
    problems: usize,
    /// Lines of the file that could not be read.
    skipped: usize,
    proved: usize,
    not_provable: usize,
    wrong: Vec<WrongProblem>,
}

#[derive(Serialize)]
struct WrongProblem {
    id: String,
    position: String,
    mistake: String,
}

fn run_check(arguments: &CheckArguments, output: &Output) -> Result<(), Failure> {
    let Chosen { game, name, suite, skipped } = arguments.read()?;
    let progress = progress::begin(suite.problems.len() as u64);
    progress.message(format!("proving {name}"));
    let threads = arguments.threads.threads.unwrap_or_else(all_cores);
    let findings = check_all(game, &suite, threads, &signals::is_cancelled, &|done| progress.set_part_done(done as u64));
    drop(progress);
    if findings.len() < suite.problems.len() {
        return Err(Failure::Interrupted(None));
    }
    let count = |wanted: &Finding| findings.iter().filter(|finding| *finding == wanted).count();
    let wrong = suite.problems.iter().zip(&findings).filter_map(|(problem, finding)| match finding {
        Finding::Wrong(mistake) => Some(WrongProblem {
            id: problem.id.clone(),
            position: problem.position.clone(),
            mistake: mistake.to_string(),
        }),
        _ => None,
    });
    let checked = Checked {
        suite: name,
        problems: suite.problems.len(),
        skipped,
        proved: count(&Finding::Proved),
        not_provable: count(&Finding::NotProvable),
        wrong: wrong.collect(),
    };
    output.print(&checked, || checked.text())?;
    if checked.wrong.is_empty() {
        return Ok(());
    }
    Err(Failure::CheckFailed(format!("{} of {} problems are wrong", checked.wrong.len(), checked.problems)))
}

/// What is to be checked.
struct Chosen {
    game: &'static GameInfo,
    name: String,
    suite: Suite,
    skipped: usize,
}

impl CheckArguments {
    fn read(&self) -> Result<Chosen, Failure> {
        let (game, file) = match self.what.as_slice() {
            [game] if games::find(game).is_ok() => {
                let (name, suite) = bundled_suite(game)?;
                return Ok(Chosen { game: games::find(game)?, name, suite, skipped: 0 });
            }
            [file] => {
                if !Path::new(file).exists() && !file.contains(['.', '/']) {
                    games::find(file)?;
                }
                (games::GAMES[0].name, file)
            }
            [game, file, ..] => (game.as_str(), file),
            [] => return Err(Failure::input("name a suite file, or a game")),
        };
        let (suite, skipped) = read_suite(game, Path::new(file), &self.skip)?;
        Ok(Chosen { game: games::find(game)?, name: file.clone(), suite, skipped })
    }
}

impl Checked {
    fn text(&self) -> String {
        let rows = self.wrong.iter().map(|wrong| vec![wrong.id.clone(), wrong.mistake.clone(), wrong.position.clone()]);
        let mut text = String::new();
        if !self.wrong.is_empty() {
            text += &table(&["problem", "mistake", "position"], rows);
            text += "\n";
        }
        text += &format!(
            "{}: {} problems, {} proved, {} wrong, {} without a claim that can be proved\n",
            self.suite,
            self.problems,
            self.proved,
            self.wrong.len(),
            self.not_provable
        );
        text
    }
}
