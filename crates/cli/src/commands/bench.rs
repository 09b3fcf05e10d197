//! `plysmith bench`: fixed searches, their node counts as a signature, and how fast they are.
//!
//! The signature is the sum of nodes of searches to a fixed depth: it changes exactly when the search
//! does. Speeds of one run can be compared with each other, for the searches take turns.

use std::time::Instant;

use clap::{Args, value_parser};
use plysmith_core::games::{self, AnyPosition, Entry};
use plysmith_core::search::deepening::{Limit, Task, Workspace};
use plysmith_core::search::depth::Weight;
use serde::Serialize;

use crate::failure::Failure;
use crate::interrupt;
use crate::output::{Output, percent, table, thousands};
use crate::progress::Progress;

/// Fixed searches: node-count signatures, and speed
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  plysmith bench
  plysmith bench breakthrough --rounds 20 --json")]
pub struct Arguments {
    /// Only this game [default: all]
    game: Option<String>,

    /// How often each search is run; the quickest counts
    #[arg(long, value_name = "N", default_value_t = 5, value_parser = value_parser!(u32).range(1..=1000))]
    rounds: u32,
}

/// A search to time: its settings, its scheme and its depth in plies.
struct Set {
    preset: &'static str,
    scheme: &'static str,
    depth: u32,
}

const SETS: &[(&str, &[Set])] = &[(
    "breakthrough",
    &[
        Set { preset: "classic", scheme: "Neutral", depth: 7 },
        Set { preset: "classic", scheme: "Ud-RdTt@0.5", depth: 7 },
        Set { preset: "classic", scheme: "Ud-PP@0.5", depth: 6 },
        Set { preset: "modern", scheme: "Neutral", depth: 9 },
        Set { preset: "modern", scheme: "Ud-RdTt@0.5", depth: 9 },
    ],
)];

#[derive(Serialize)]
struct Line {
    game: &'static str,
    preset: &'static str,
    scheme: &'static str,
    depth: u32,
    signature: u64,
    nodes_per_second: f64,
    /// Speed as a share of the first line of the same preset.
    relative: f64,
}

pub fn run(arguments: &Arguments, output: &Output) -> Result<(), Failure> {
    interrupt::listen();
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

fn time_game(game: &'static Entry, sets: &'static [Set], rounds: u32) -> Result<Vec<Line>, Failure> {
    let positions: Vec<_> =
        game.bench.iter().map(|text| (game.open)(text)).collect::<Result<_, _>>().map_err(Failure::input)?;
    let progress = Progress::new(u64::from(rounds) * sets.len() as u64);
    let mut best: Vec<Option<(u64, f64)>> = vec![None; sets.len()];
    let mut workspace = Workspace::default();
    for _ in 0..rounds {
        for (set, best) in sets.iter().zip(&mut best) {
            progress.say(format!("{} {} {}", game.name, set.preset, set.scheme));
            let begun = Instant::now();
            let nodes = search_all(game, set, &positions, &mut workspace)?;
            let speed = nodes as f64 / begun.elapsed().as_secs_f64();
            if best.is_none_or(|(_, other)| speed > other) {
                *best = Some((nodes, speed));
            }
            progress.finish_part(1);
        }
    }
    let timed: Vec<_> = sets.iter().zip(best.into_iter().flatten()).collect();
    let reference = |preset| timed.iter().find(|(set, _)| set.preset == preset).map_or(1.0, |(_, (_, speed))| *speed);
    Ok(timed
        .iter()
        .map(|(set, (signature, speed))| Line {
            game: game.name,
            preset: set.preset,
            scheme: set.scheme,
            depth: set.depth,
            signature: *signature,
            nodes_per_second: *speed,
            relative: speed / reference(set.preset),
        })
        .collect())
}

fn search_all(
    game: &Entry,
    set: &Set,
    positions: &[Box<dyn AnyPosition>],
    workspace: &mut Workspace,
) -> Result<u64, Failure> {
    let task = Task {
        settings: game.parse_settings(set.preset)?,
        scheme: &game.vocabulary.parse_scheme(set.scheme, Weight::HALF)?,
        limit: Limit::depth(set.depth),
        seed: 1,
        interrupt: &interrupt::is_raised,
    };
    let nodes = positions.iter().map(|position| position.search(&task, workspace).nodes).sum();
    if interrupt::is_raised() { Err(Failure::Interrupted(None)) } else { Ok(nodes) }
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
        "{}\nOne thread, best of {rounds} rounds. The signature counts the nodes of searches to a fixed depth; \
         plysmith {}, search revision {}, {} nodes in all.\n",
        table(&["game", "preset", "scheme", ">plies", ">signature", ">Mnodes/s", ">relative"], rows),
        env!("CARGO_PKG_VERSION"),
        plysmith_core::search::REVISION,
        thousands(lines.iter().map(|line| line.signature).sum())
    )
}
