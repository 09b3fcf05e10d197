//! `plysmith suite generate`: suites from seeded self-play.

use std::fmt;
use std::num::{NonZeroU32, NonZeroUsize};
use std::path::PathBuf;
use std::str::FromStr;

use clap::Args;
use plysmith_core::games::{self, GameInfo, Start, chess};
use plysmith_core::generate::Goal;
use plysmith_core::problem::{Problem, Suite};
use plysmith_core::suite::graded::{self, Judge};
use plysmith_core::suite::text;
use plysmith_engine::player::Participant;
use plysmith_runs::error::RunError;
use plysmith_runs::graded_maker::{self, Critical, GradedPlan, MadeSuite, Power};
use plysmith_runs::kinds::calibrate::panel::{self, panel};
use plysmith_runs::mates::MateRange;
use plysmith_runs::progress::Progress;
use plysmith_runs::services::Services;
use plysmith_runs::shards::{ShardFiles, plan_with};
use plysmith_runs::suite_maker::{MateConditions, NodeBand, SuiteSource, gather, list_jobs};
use serde::Serialize;

use crate::arguments::count::count;
use crate::arguments::start::StartArguments;
use crate::arguments::{OutputArguments, SeedArgument, WorkArguments};
use crate::commands::plan::print;
use crate::failure::Failure;
use crate::output::{Output, say};
use crate::services::{local_services, services};

/// Generate a suite of problems from self-play
#[derive(Debug, Args)]
#[command(after_help = "\
Problems are forced wins of an exact length, or tactics; each has one winning move. Games are stored as they are \
played: repeat an interrupted command to continue it.

Examples:
  plysmith suite generate breakthrough --output my.suite
  plysmith suite generate breakthrough --count 50 --plies 5 --size 6x6 --seed 7
  plysmith suite generate chess --count 100 --margin 300 --output tactics.epd
  plysmith suite generate chess --count 100 --plies 3 --output mates.epd
  plysmith suite generate chess --count 100 --mate 1-5 --output mates.epd
  plysmith suite generate chess --count 20 --mate 5 --reference uci:stockfish --band 5:200000-3000000
  plysmith suite generate breakthrough --graded --count 600 --output my.graded
  plysmith suite generate chess --graded --count 500 --critical 4000 --nodes 5000 --output critical.graded
  plysmith suite generate breakthrough --graded --player classic --judge classic --nodes 10000 --output classic.graded
  plysmith suite generate breakthrough --count 1000 --plan-games 50000 --shards 20 --shard-folder shards")]
pub struct Arguments {
    /// Game: breakthrough or chess
    game: String,

    /// Number of problems
    #[arg(long, value_name = "N", default_value = "302", value_parser = count::<NonZeroUsize>(1..))]
    count: NonZeroUsize,

    /// Generate forced wins in exactly N plies; N is odd [default: 7 for breakthrough]
    #[arg(long, value_name = "N", value_parser = count::<u32>(1..=21))]
    plies: Option<u32>,

    /// Chess only: generate mates in exactly N moves, or the same number of each length in a range like '1-5'
    #[arg(long, value_name = "N", conflicts_with_all = ["plies", "margin"])]
    mate: Option<MateRange>,

    /// With --mate, minimum number of pieces and pawns on the board
    #[arg(long, value_name = "N", default_value_t = 12, requires = "mate", value_parser = count::<u32>(3..=32))]
    men: u32,

    /// With --mate, make problems like composed ones: the only key move gives no check, captures nothing and does not
    /// promote. Men of positions from games are moved or taken away at random, because games hardly have such mates
    #[arg(long, requires = "mate")]
    quiet_keys: bool,

    /// With --band, the solver whose nodes count: exhaustive, alpha-beta, df-pn, two-elements, or uci:COMMAND
    #[arg(long, value_name = "SOLVER", requires = "band")]
    reference: Option<String>,

    /// With --mate, take only mates in N that the reference solver solves with FROM to TO nodes. Can be given once for each N
    #[arg(long, value_name = "N:FROM-TO", requires_all = ["mate", "reference"])]
    band: Vec<Band>,

    /// Generate tactics: one move is better than all others by at least this much, in units of the evaluation (chess:
    /// centipawns) [default: 200 for chess]
    #[arg(long, value_name = "UNITS", conflicts_with = "plies", value_parser = count::<i32>(1..=5000))]
    margin: Option<i32>,

    /// Generate a graded suite: ordinary positions from all phases of games, with values of moves, for 'plysmith screen'
    #[arg(long, conflicts_with_all = ["plies", "mate", "margin"])]
    graded: bool,

    /// With --graded, search settings of both sides in the games, and of the player whose variants choose critical positions
    #[arg(long, value_name = "PRESET", default_value = "modern", requires = "graded")]
    player: String,

    /// With --graded, player who values moves
    #[arg(long, value_name = "PLAYER", default_value = "modern", requires = "graded")]
    judge: String,

    /// With --graded, node limit of the judge for each move
    #[arg(long, value_name = "N", default_value_t = 100_000, requires = "graded", value_parser = count::<u64>(1..))]
    judge_nodes: u64,

    /// With --graded, choose the positions out of this many on which the regrets of variants of the player differ most
    #[arg(long, value_name = "N", requires = "graded", value_parser = count::<usize>(..))]
    critical: Option<usize>,

    /// Node limit to verify a tactic; a second search uses four times as many
    #[arg(long, value_name = "N", default_value_t = 100_000, value_parser = count::<u64>(1..))]
    verify: u64,

    #[command(flatten)]
    seed: SeedArgument,

    /// Node limit for each move in self-play
    #[arg(long, value_name = "N", default_value_t = 1000, value_parser = count::<u64>(1..))]
    nodes: u64,

    #[command(flatten)]
    start: StartArguments,

    #[command(flatten)]
    output: OutputArguments,

    #[command(flatten)]
    work: WorkArguments,

    /// Play no game, but write the first N games of each kind of problem that are not played yet into files for other
    /// machines. When `plysmith merge` has stored their results, the same command without this option finds them
    #[arg(long, value_name = "N", requires = "shards", conflicts_with = "graded", value_parser = count::<u64>(1..=100_000_000))]
    plan_games: Option<u64>,

    /// With --plan-games, number of files
    #[arg(long, value_name = "K", requires = "plan_games", value_parser = count::<NonZeroU32>(1..))]
    shards: Option<NonZeroU32>,

    /// With --plan-games, folder of the files
    #[arg(long, value_name = "DIR", requires = "plan_games", default_value = ".")]
    shard_folder: PathBuf,
}

/// How hard mates of one length must be.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
struct Band {
    moves: u8,
    from: u64,
    to: u64,
}

impl FromStr for Band {
    type Err = String;

    fn from_str(text: &str) -> Result<Band, String> {
        let parts = text.split_once(':').and_then(|(moves, band)| Some((moves, band.split_once('-')?)));
        let band = parts.and_then(|(moves, (from, to))| {
            Some(Band { moves: moves.parse().ok()?, from: from.parse().ok()?, to: to.parse().ok()? })
        });
        band.filter(|band| band.moves > 0 && band.from <= band.to)
            .ok_or_else(|| "expected N:FROM-TO, like '4:20000-500000'".to_string())
    }
}

impl fmt::Display for Band {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Band { moves, from, to } = self;
        write!(f, "{moves}:{from}-{to}")
    }
}

#[derive(Serialize)]
struct Generated {
    game: String,
    file: Option<String>,
    problems: usize,
    suite: String,
}

pub fn run(arguments: &Arguments, output: &Output) -> Result<(), Failure> {
    let game = games::find(&arguments.game)?;
    if arguments.graded {
        return arguments.run_graded(game, output);
    }
    let goal = arguments.goal(game);
    if let Goal::ForcedWin { plies } = goal
        && plies.is_multiple_of(2)
    {
        return Err(Failure::input(format!(
            "--plies {plies} is even, but a winner makes the first and the last move; try {}",
            plies + 1
        )));
    }
    if let (Some(games), Some(shards)) = (arguments.plan_games, arguments.shards) {
        return arguments.plan(game, goal, games, shards, output);
    }
    arguments.output.check()?;
    let (problems, header) = match arguments.mate {
        Some(range) => {
            arguments.check_mates(game, range)?;
            (arguments.make_mates(range)?, arguments.mate_header(range))
        }
        None => (arguments.make(game, goal)?, arguments.header(goal)),
    };
    let suite = Suite { name: game.name.to_string(), problems };
    let (contents, problems) = (text::print(&suite, &header), suite.problems.len());
    arguments.deliver(game, contents, problems, "problems", output)
}

impl Arguments {
    fn run_graded(&self, game: &'static GameInfo, output: &Output) -> Result<(), Failure> {
        self.output.check()?;
        let settings = game.parse_settings(&self.player)?;
        let player = Participant::parse(game, &self.judge).map_err(|error| Failure::input(error.to_string()))?;
        let plan = GradedPlan {
            game,
            start: (game.start)(&self.start.resolve()?)?,
            count: self.count.get(),
            settings,
            nodes: self.nodes,
            seed: self.seed.seed,
            judge: Judge { player: player.print(game), nodes: self.judge_nodes },
            critical: self
                .critical
                .map(|pool| Critical { pool, panel: panel(game, &settings, panel::CHOOSING, panel::PANEL) }),
        };
        let MadeSuite { suite, power } = graded_maker::make(&plan, &services(&self.work)?)?;
        let contents = graded::print(&suite, &self.graded_header(&plan.judge, power.as_ref()));
        if let (Some(power), Some(pool)) = (&power, self.critical) {
            say(self.power_text(power, pool));
        }
        self.deliver(game, contents, suite.positions.len(), "positions", output)
    }

    /// Writes the suite to the file, or prints it.
    fn deliver(
        &self,
        game: &GameInfo,
        contents: String,
        count: usize,
        what: &str,
        output: &Output,
    ) -> Result<(), Failure> {
        let file = self.output.name();
        if self.output.write(&contents)? {
            say(format!("{count} {what} written to {}", file.as_deref().unwrap_or_default()));
            if !output.is_json() {
                return Ok(());
            }
        }
        let generated = Generated { game: game.name.to_string(), file, problems: count, suite: contents };
        output.print(&generated, || generated.suite.clone())
    }

    fn graded_header(&self, judge: &Judge, power: Option<&Power>) -> String {
        let Arguments { game, count, nodes, seed, player, .. } = self;
        let (seed, start) = (seed.seed, self.start.options());
        let player = if player == "modern" { String::new() } else { format!(" --player '{player}'") };
        let (what, critical) = match (self.critical, power) {
            (Some(pool), Some(power)) => (self.power_text(power, pool) + "\n", format!(" --critical {pool}")),
            _ => (String::new(), String::new()),
        };
        format!(
            "{count} positions of {game} from all phases of games, with values of moves.\n{what}\
             Made by: plysmith suite generate {game} --graded --count {count}{critical}{player} --seed {seed} --nodes {nodes} --judge \
             '{}' --judge-nodes {}{start}",
            judge.player, judge.nodes
        )
    }

    /// What the chosen positions can tell.
    fn power_text(&self, power: &Power, pool: usize) -> String {
        let Power { share, variants, told, told_at_random, smallest } = power;
        let (count, share) = (self.count, 100.0 * share);
        format!(
            "Chosen out of {pool}; they have {share:.0} % of the variance of regrets.\n\
             Of {variants} variants without a say, {count} such positions tell {told} from '{}' (error rate 5 %), {count} \
             positions at random {told_at_random}.\n\
             A typical pair of players is told apart if its mean regrets differ by {smallest:.3}.",
            self.player
        )
    }

    fn make(&self, game: &GameInfo, goal: Goal) -> Result<Vec<Problem>, Failure> {
        let start = (game.start)(&self.start.resolve()?)?;
        let services = services(&self.work)?;
        let progress = services.begin_progress(self.count.get() as u64);
        let tell = |found: usize, games: u64| {
            progress.message(format!("{found} problems from {games} games"));
            progress.set_part_done(found as u64);
        };
        // Names of problems begin with the game's first letter, and the length of the win or 't'.
        let kind = match goal {
            Goal::ForcedWin { plies } => plies.to_string(),
            Goal::Tactic { .. } => "t".to_string(),
        };
        let prefix = format!("{}{kind}", &game.name[..1]);
        let source = self.source(game, start, goal);
        gathered(gather(&source, &prefix, self.count.get(), &services, &tell))
    }

    /// Writes games into files instead of playing them.
    fn plan(
        &self,
        game: &'static GameInfo,
        goal: Goal,
        games: u64,
        shards: NonZeroU32,
        output: &Output,
    ) -> Result<(), Failure> {
        let services = local_services(self.work.threads.threads)?;
        let sources = match self.mate {
            Some(range) => {
                self.check_mates(game, range)?;
                range.moves().map(|moves| self.mate_source(moves, &services)).collect::<Result<Vec<_>, _>>()?
            }
            None => vec![self.source(game, (game.start)(&self.start.resolve()?)?, goal)],
        };
        let name = format!("suite-{}-{}", game.name, self.seed.seed);
        let files = ShardFiles { shards, folder: &self.shard_folder, name: &name, force: self.output.force.force };
        let planned = plan_with(&files, None, "suite", &services, |jobs| {
            sources.iter().try_for_each(|source| list_jobs(source, games, jobs))
        })?;
        print(&planned, "this command without --plan-games", output)
    }

    fn source(&self, game: &GameInfo, start: String, goal: Goal) -> SuiteSource {
        let (seed, nodes) = (self.seed.seed, self.nodes);
        SuiteSource::SelfPlay { game: game.name.to_string(), start, goal: goal.into(), seed, nodes }
    }

    fn mate_source(&self, moves: u8, services: &Services) -> Result<SuiteSource, Failure> {
        let band = self.band.iter().find(|band| band.moves == moves).zip(self.reference.as_ref());
        let band = band.map(|(band, reference)| NodeBand::new(reference, band.from, band.to, services));
        let conditions = MateConditions { is_quiet: self.quiet_keys, band: band.transpose()? };
        Ok(SuiteSource::Mates { moves, men: self.men, seed: self.seed.seed, nodes: self.nodes, conditions })
    }

    fn make_mates(&self, range: MateRange) -> Result<Vec<Problem>, Failure> {
        let services = services(&self.work)?;
        let progress = services.begin_progress(self.count.get() as u64);
        let mut problems = Vec::new();
        for moves in range.moves() {
            problems.extend(self.make_mates_in(moves, self.count.get() / range.lengths(), &services, &progress)?);
        }
        Ok(problems)
    }

    fn make_mates_in(
        &self,
        moves: u8,
        count: usize,
        services: &Services,
        progress: &Progress,
    ) -> Result<Vec<Problem>, Failure> {
        let tell = |found: usize, games: u64| {
            progress.message(format!("mates in {moves}: {found} of {count} from {games} games"));
            progress.set_part_done(found as u64);
        };
        let kind = match (self.quiet_keys, self.reference.is_some()) {
            (true, _) => "q",
            (false, true) => "h",
            (false, false) => "m",
        };
        let source = self.mate_source(moves, services)?;
        let problems = gathered(gather(&source, &format!("{kind}{moves}"), count, services, &tell))?;
        progress.finish_part(count as u64);
        Ok(problems)
    }

    fn check_mates(&self, game: &GameInfo, range: MateRange) -> Result<(), Failure> {
        let Start { size, black_first } = self.start.resolve()?;
        if game.name != chess::INFO.name || size.is_some() || black_first {
            return Err(Failure::input(
                "--mate is for chess from its usual start; expected `suite generate chess --mate N`",
            ));
        }
        if let Some(band) = self.band.iter().find(|band| !range.moves().any(|moves| moves == band.moves)) {
            return Err(Failure::input(format!("--band {band} is for mates in {}, but --mate is {range}", band.moves)));
        }
        let count = self.count.get();
        if !count.is_multiple_of(range.lengths()) {
            return Err(Failure::input(format!(
                "--count {count} is not a multiple of the {} mate lengths; try --count {}",
                range.lengths(),
                count.next_multiple_of(range.lengths())
            )));
        }
        Ok(())
    }

    fn goal(&self, game: &GameInfo) -> Goal {
        match (self.plies, self.margin, game.goal) {
            (Some(plies), _, _) => Goal::ForcedWin { plies },
            (_, Some(margin), _) | (_, _, Goal::Tactic { margin, .. }) => Goal::Tactic { margin, nodes: self.verify },
            (_, _, goal) => goal,
        }
    }

    fn mate_header(&self, range: MateRange) -> String {
        let Arguments { count, men, seed: SeedArgument { seed }, nodes, .. } = self;
        let quiet = if self.quiet_keys { " --quiet-keys" } else { "" };
        let reference = self.reference.as_ref().map_or(String::new(), |name| format!(" --reference '{name}'"));
        let bands: String = self.band.iter().map(|band| format!(" --band {band}")).collect();
        format!(
            "{count} chess problems with a forced mate. 'distance' is its length in plies: no shorter mate exists. 'bm' \
             is the only\nmove that mates in time; a problem without 'bm' may have several.\nMade by: plysmith suite \
             generate chess --count {count} --mate {range} --men {men}{quiet}{reference}{bands} --seed {seed} --nodes \
             {nodes}"
        )
    }

    /// What the suite is, and the command that makes it again.
    fn header(&self, goal: Goal) -> String {
        let (options, what) = match goal {
            Goal::ForcedWin { plies } => {
                (format!("--plies {plies}"), format!("a forced win in exactly {plies} plies, with one winning move"))
            }
            Goal::Tactic { margin, nodes } => (
                format!("--margin {margin} --verify {nodes}"),
                format!("with one move that wins and is better than all others by {margin} or more"),
            ),
        };
        let Arguments { game, count, nodes, seed, .. } = self;
        let (seed, start) = (seed.seed, self.start.options());
        format!(
            "{count} problems of {game}: each {what}.\nMade by: plysmith suite generate {game} --count {count} {options} \
             --seed {seed} --nodes {nodes}{start}"
        )
    }
}

/// Says how to continue if it was interrupted.
fn gathered(result: Result<Vec<Problem>, RunError>) -> Result<Vec<Problem>, Failure> {
    if matches!(result, Err(RunError::Cancelled(_))) {
        say("the games played so far are kept: repeat the command to continue");
    }
    Ok(result?)
}
