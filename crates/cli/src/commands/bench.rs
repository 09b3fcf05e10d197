//! `plysmith bench`: fixed searches, their node counts as a signature, and how fast they are.
//!
//! The signature is the sum of nodes of searches to a fixed depth: it changes exactly when the search
//! does. Speeds of one run can be compared with each other, for the searches take turns.

use std::time::Instant;

use clap::{Args, value_parser};
use plysmith_core::depth::Weight;
use plysmith_core::games::{self, AnyPosition, GameInfo};
use plysmith_core::search::deepening::{Limit, Root, Task, Workspace};
use serde::Serialize;

use super::bench_drivers::Timing;
use super::{bench_arena, bench_drivers, bench_engines, bench_mate};
use crate::failure::Failure;
use crate::signals;
use crate::output::{Output, percent, table, thousands};
use crate::progress;

/// Fixed searches: node-count signatures, and speed
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  plysmith bench
  plysmith bench breakthrough --rounds 20 --json
  plysmith bench chess --against 'gnuchess --uci' --against toga2
  plysmith bench chess --driver uci:glaurung --driver 'plysmith engine chess --plug'
  plysmith bench --mate                     the evolved program's boards a second beside the bare move generator's")]
pub struct Arguments {
    /// Only this game [default: all]
    game: Option<String>,

    /// How often each search is run, all in turn; medians are printed
    #[arg(long, value_name = "N", default_value_t = 5, value_parser = value_parser!(u32).range(1..=1000))]
    rounds: u32,

    /// Time a match instead: how much of it is not search
    #[arg(long)]
    arena: bool,

    /// Time an evolved program on the held-out mates beside the bare move generator
    #[arg(long, conflicts_with_all = ["arena", "against"])]
    mate: bool,

    /// Time our speed beside that of this UCI engine, like 'gnuchess --uci'; may be repeated
    #[arg(long, value_name = "COMMAND", conflicts_with = "arena")]
    against: Vec<String>,

    /// With --against, how long each search takes
    #[arg(long, value_name = "TIME", default_value = "500ms", requires = "against")]
    movetime: String,

    /// Time what measuring this foreign engine costs, like 'uci:glaurung' or a plug engine's command; may be repeated
    #[arg(long, value_name = "COMMAND", conflicts_with_all = ["arena", "against"])]
    driver: Vec<String>,

    /// With --driver, nodes of each search
    #[arg(long, value_name = "N", default_value_t = 100_000, requires = "driver", value_parser = value_parser!(u64).range(1..))]
    nodes: u64,
}

/// A search to time: its settings, its scheme and its depth in plies.
struct Set {
    preset: &'static str,
    scheme: &'static str,
    depth: u32,
}

const SETS: &[(&str, &[Set])] = &[
    (
        "breakthrough",
        &[
            Set { preset: "classic", scheme: "Neutral", depth: 7 },
            Set { preset: "classic", scheme: "Ud-RdTt@1", depth: 7 },
            Set { preset: "classic", scheme: "Ud-PP@1", depth: 7 },
            Set { preset: "classic", scheme: "Ud-RdTt@0.5", depth: 7 },
            Set { preset: "classic", scheme: "Ud-PP@0.5", depth: 6 },
            Set { preset: "modern", scheme: "Neutral", depth: 9 },
            Set { preset: "modern", scheme: "Ud-RdTt@0.5", depth: 9 },
        ],
    ),
    (
        "chess",
        &[
            Set { preset: "classic", scheme: "Neutral", depth: 6 },
            Set { preset: "classic", scheme: "AcK@1", depth: 6 },
            Set { preset: "classic", scheme: "Rc-Rdb@1", depth: 6 },
            Set { preset: "classic", scheme: "AcK@0.5", depth: 6 },
            Set { preset: "modern", scheme: "Neutral", depth: 13 },
            Set { preset: "modern", scheme: "AcK@0.5", depth: 13 },
        ],
    ),
];

#[derive(Serialize)]
struct Line {
    game: &'static str,
    preset: &'static str,
    scheme: &'static str,
    depth: u32,
    signature: u64,
    /// The median of all rounds.
    nodes_per_second: f64,
    /// Speed as a share of the same round's speed without features: the median of all rounds.
    relative: f64,
}

pub fn run(arguments: &Arguments, output: &Output) -> Result<(), Failure> {
    signals::cancel_token();
    if arguments.arena {
        return bench_arena::run(output);
    }
    if arguments.mate {
        return bench_mate::run(arguments.rounds, output);
    }
    if !arguments.against.is_empty() {
        let game = arguments.game.as_deref().unwrap_or("chess");
        return bench_engines::run(game, &arguments.against, &arguments.movetime, arguments.rounds, output);
    }
    if !arguments.driver.is_empty() {
        let game = arguments.game.as_deref().unwrap_or("chess");
        let Arguments { driver, nodes, rounds, .. } = arguments;
        return bench_drivers::run(&Timing { game, engines: driver, nodes: *nodes, rounds: *rounds }, output);
    }
    let wanted = arguments.game.as_deref().map(games::find).transpose()?;
    let mut lines = Vec::new();
    for (name, sets) in SETS {
        let game = games::find(name)?;
        if wanted.is_none_or(|wanted| wanted.name == game.name) {
            lines.extend(time_game(game, sets, arguments.rounds)?);
        }
    }
    output.print(&lines, || text(&lines, arguments.rounds))
}

fn time_game(game: &'static GameInfo, sets: &'static [Set], rounds: u32) -> Result<Vec<Line>, Failure> {
    let positions: Vec<_> =
        game.bench.iter().map(|text| (game.open)(text)).collect::<Result<_, _>>().map_err(Failure::input)?;
    let progress = progress::begin(u64::from(rounds) * sets.len() as u64);
    let mut timed: Vec<(u64, Vec<f64>)> = vec![(0, Vec::new()); sets.len()];
    let mut workspace = Workspace::default();
    for _ in 0..rounds {
        for (set, (signature, speeds)) in sets.iter().zip(&mut timed) {
            progress.message(format!("{} {} {}", game.name, set.preset, set.scheme));
            let begun = Instant::now();
            *signature = search_all(game, set, &positions, &mut workspace)?;
            speeds.push(*signature as f64 / begun.elapsed().as_secs_f64());
            progress.finish_part(1);
        }
    }
    let reference = |preset| sets.iter().position(|set| set.preset == preset).map_or(&[][..], |at| &timed[at].1);
    let line = |(set, (signature, speeds)): (&Set, &(u64, Vec<f64>))| Line {
        game: game.name,
        preset: set.preset,
        scheme: set.scheme,
        depth: set.depth,
        signature: *signature,
        nodes_per_second: median(speeds.clone()),
        relative: median(speeds.iter().zip(reference(set.preset)).map(|(speed, plain)| speed / plain).collect()),
    };
    Ok(sets.iter().zip(&timed).map(line).collect())
}

/// The middle one; 0 if there is none.
pub fn median(mut numbers: Vec<f64>) -> f64 {
    numbers.sort_by(f64::total_cmp);
    numbers.get(numbers.len() / 2).copied().unwrap_or(0.0)
}

fn search_all(
    game: &GameInfo,
    set: &Set,
    positions: &[Box<dyn AnyPosition>],
    workspace: &mut Workspace,
) -> Result<u64, Failure> {
    let task = Task {
        settings: game.parse_settings(set.preset)?,
        scheme: &game.vocabulary.parse_scheme(set.scheme, Weight::HALF)?,
        limit: Limit::depth(set.depth),
        seed: 1,
        interrupt: &signals::is_cancelled,
        root: Root::default(),
    };
    let nodes = positions.iter().map(|position| position.search(&task, workspace).nodes).sum();
    if signals::is_cancelled() { Err(Failure::Interrupted(None)) } else { Ok(nodes) }
}

fn text(lines: &[Line], rounds: u32) -> String {
    let rows = lines.iter().map(|line| {
        vec![
            line.game.to_string(),
            line.preset.to_string(),
            line.scheme.to_string(),
            line.depth.to_string(),
            line.signature.to_string(),
            format!("{:.1}", line.nodes_per_second / 1e6),
            percent(line.relative),
        ]
    });
    format!(
        "{}\nOne thread, medians of {rounds} rounds. The signature counts the nodes of searches to a fixed depth. A \
         feature at one ply leaves\nthe tree as it is, so that line shows what classifying costs; at half a ply the tree \
         is another one.\nplysmith {}, search revision {}, {} nodes in all.\n",
        table(&["game", "preset", "scheme", ">plies", ">signature", ">Mnodes/s", ">relative"], rows),
        env!("CARGO_PKG_VERSION"),
        plysmith_core::search::REVISION,
        thousands(lines.iter().map(|line| line.signature).sum())
    )
}
