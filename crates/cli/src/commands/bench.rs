//! `plysmith bench`: node-count signatures, speed and overhead.

use std::num::NonZeroUsize;

use clap::Args;
use plysmith_core::games::{self, chess};
use plysmith_engine::arena::time_control::parse_time;
use plysmith_runs::bench::{self, ArenaMatch, DriverTiming, SpeedTiming};

use crate::arguments::PatienceArgument;
use crate::arguments::count::count;
use crate::failure::Failure;
use crate::output::Output;
use crate::services::host;

/// Run fixed searches: print node-count signatures and speed
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  plysmith bench
  plysmith bench breakthrough --rounds 20 --json
  plysmith bench chess --against 'gnuchess --uci' --against toga2
  plysmith bench chess --driver uci:glaurung --driver 'plysmith engine chess --plug'
  plysmith bench --arena
  plysmith bench chess --arena --a uci:stockfish --b uci:stockfish --games 400 --nodes 500 --threads 2
  plysmith bench --mate
  plysmith bench --cluster nats://localhost/bench            workers against threads")]
pub struct Arguments {
    /// Game to search [default: all games; with --against and --driver, chess]
    game: Option<String>,

    /// Number of rounds. Searches take turns; medians are printed
    #[arg(long, value_name = "N", default_value_t = 5, value_parser = count::<u32>(1..=1000))]
    rounds: u32,

    /// Time a match instead, and print the share of it that is not search
    #[arg(long)]
    arena: bool,

    /// First player with --arena; by default classic+RdTt@0.5, or the built-in engine of the game
    #[arg(long, value_name = "PLAYER", requires = "arena", requires = "b")]
    a: Option<String>,

    /// Second player with --arena
    #[arg(long, value_name = "PLAYER", requires = "a")]
    b: Option<String>,

    /// Number of games with --arena [default: 60]
    #[arg(long, value_name = "N", requires = "arena")]
    games: Option<u64>,

    /// Number of games at a time with --arena [default: 1]
    #[arg(long, value_name = "N", alias = "concurrency", requires = "arena")]
    threads: Option<NonZeroUsize>,

    /// Compare the speed of the bundled mate-solving program with that of the bare move generator instead
    #[arg(long, conflicts_with_all = ["arena", "against"])]
    mate: bool,

    /// Compare the speed of the built-in engine with that of this UCI engine, like 'gnuchess --uci'. Can be given more
    /// than once
    #[arg(long, value_name = "COMMAND", conflicts_with = "arena")]
    against: Vec<String>,

    /// Time limit of each search with --against
    #[arg(long, value_name = "TIME", default_value = "500ms", requires = "against")]
    movetime: String,

    /// Time the overhead of measuring this external engine, like 'uci:glaurung' or a plug engine's command. Can be
    /// given more than once
    #[arg(long, value_name = "COMMAND", conflicts_with_all = ["arena", "against"])]
    driver: Vec<String>,

    /// Node limit for each search with --driver [default: 100000], or for each move with --arena [default: 50000]
    #[arg(long, value_name = "N", value_parser = count::<u64>(1..))]
    nodes: Option<u64>,

    /// Compare two workers of a cluster, started here, with two threads of this process: a broker without other workers, like
    /// nats://localhost/bench
    #[arg(long, value_name = "URL", conflicts_with_all = ["arena", "mate", "against", "driver"])]
    cluster: Option<String>,

    #[command(flatten)]
    patience: PatienceArgument,
}

pub fn run(arguments: &Arguments, output: &Output) -> Result<(), Failure> {
    let Arguments { rounds, .. } = *arguments;
    let nodes = arguments.nodes.unwrap_or(DRIVER_NODES);
    let host = host(None);
    if arguments.nodes.is_some() && !arguments.arena && arguments.driver.is_empty() {
        return Err(Failure::input("--nodes is for --arena and --driver; other searches have fixed limits"));
    }
    if let Some(url) = &arguments.cluster {
        return run_cluster(url, rounds, output);
    }
    if arguments.arena {
        return run_arena(arguments, output);
    }
    if arguments.mate {
        let report = bench::mate(rounds, &host)?;
        return output.print_view(&report, || report.view());
    }
    let game = arguments.game.as_deref().map(games::find).transpose()?;
    if !arguments.against.is_empty() {
        let time = parse_time(&arguments.movetime)?;
        let timing = SpeedTiming { game: game.unwrap_or(&chess::INFO), engines: &arguments.against, time, rounds };
        let report = bench::engines(&timing, &host)?;
        return output.print_view(&report, || report.view());
    }
    if !arguments.driver.is_empty() {
        let (game, engines) = (game.unwrap_or(&chess::INFO), &arguments.driver);
        let timing = DriverTiming { game, engines, nodes, rounds, patience: arguments.patience.patience };
        let lines = bench::drivers(&timing, &host)?;
        return output.print(&lines, || bench::drivers_view(&lines, nodes).to_string());
    }
    let lines = bench::signatures(game, rounds, &host)?;
    output.print(&lines, || bench::signatures_view(&lines, rounds).to_string())
}

/// Nodes of a search with --driver.
const DRIVER_NODES: u64 = 100_000;

fn run_arena(arguments: &Arguments, output: &Output) -> Result<(), Failure> {
    let usual = ArenaMatch::default();
    let game = arguments.game.as_deref().map_or(Ok(usual.game), games::find)?;
    let players = match (&arguments.a, &arguments.b) {
        (Some(a), Some(b)) => [a.clone(), b.clone()],
        _ if game.name == usual.game.name => usual.players.clone(),
        _ => ["modern", "classic"].map(str::to_string),
    };
    let plan = ArenaMatch {
        game,
        players,
        games: arguments.games.unwrap_or(usual.games),
        nodes: arguments.nodes.unwrap_or(usual.nodes),
        threads: arguments.threads.unwrap_or(usual.threads),
    };
    let folder = std::env::temp_dir().join(format!("plysmith-bench-{}", std::process::id()));
    let overhead = bench::arena(&plan, &folder, &host(None));
    // A folder of temporary files that stays behind does no harm.
    let _ = std::fs::remove_dir_all(&folder);
    let overhead = overhead?;
    output.print_view(&overhead, || overhead.view())
}

#[cfg(not(feature = "cluster"))]
fn run_cluster(url: &str, _: u32, _: &Output) -> Result<(), Failure> {
    Err(crate::cluster::without_feature(&format!("the cluster {url} cannot be timed")))
}

#[cfg(feature = "cluster")]
fn run_cluster(url: &str, rounds: u32, output: &Output) -> Result<(), Failure> {
    use std::time::Duration;

    use plysmith_cluster::Security;
    use plysmith_cluster::bench::{BenchOptions, bench};

    /// How long a job takes, and how many jobs a round has.
    const JOB: (Duration, usize) = (Duration::from_millis(50), 200);
    let folder = std::env::temp_dir().join(format!("plysmith-bench-{}", std::process::id()));
    let (job, jobs) = JOB;
    let (address, security, host) = (&url.parse()?, &Security::from_env(false)?, &host(None));
    let report = bench(&BenchOptions { address, security, job, jobs, rounds, folder: &folder, host });
    // A folder of temporary files that stays behind does no harm.
    let _ = std::fs::remove_dir_all(&folder);
    let report = report?;
    output.print(&report, || report.view().to_string())
}
