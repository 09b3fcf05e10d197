//! Fixed searches, their node counts as a signature, and their speed.
//!
//! The signature is the sum of the nodes of searches to a fixed depth: it changes exactly when the search does. The
//! searches of a game take turns, so that load on the machine slows all of them alike.

use std::time::Instant;

use plysmith_core::depth::Weight;
use plysmith_core::games::{self, AnyPosition, GameInfo};
use plysmith_core::search::{self, Limit, Root, Task, Workspace};
use serde::Serialize;

use super::median::median;
use crate::error::RunError;
use crate::job::Key;
use crate::services::Host;
use crate::view::{Cell, Table, View, thousands};

/// A search to time: its settings, its scheme and its depth in plies.
#[derive(Copy, Clone)]
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
            Set { preset: "modern", scheme: "Neutral", depth: 15 },
            Set { preset: "modern", scheme: "Ud-PP@0.5", depth: 12 },
            Set { preset: "modern,heuristic=guarded", scheme: "Neutral", depth: 12 },
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

/// The signature and the speed of one search.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Signature {
    /// The game.
    pub game: &'static str,
    /// Search settings.
    pub preset: &'static str,
    /// Scheme with weights.
    pub scheme: &'static str,
    /// Depth in plies.
    pub depth: u32,
    /// Nodes of all positions together.
    pub signature: u64,
    /// The median of all rounds.
    pub nodes_per_second: f64,
    /// Speed as a share of the same round's speed without features: the median of all rounds.
    pub relative: f64,
}

/// What the searches and solvers of this program do, in short, and how fast it searches.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct ShortSignature {
    /// The version, the revision of the search, and a hash of the nodes of all searches. Programs that give the same
    /// results to the same jobs have the same.
    pub text: String,
    /// Of one thread.
    pub nodes_per_second: f64,
}

/// By how many plies the searches of the short signature are shallower.
const LESS: u32 = 3;

/// Runs the fixed searches a few plies shallower, in a fraction of a second.
pub fn short_signature() -> Result<ShortSignature, RunError> {
    let (host, mut workspace) = (Host::default(), Workspace::default());
    let begun = Instant::now();
    let mut nodes = Vec::new();
    for (name, sets) in SETS {
        let game = games::find(name)?;
        let positions: Vec<_> =
            game.bench.iter().map(|text| (game.open)(text)).collect::<Result<_, _>>().map_err(RunError::input)?;
        for set in *sets {
            let set = Set { depth: set.depth - LESS, ..*set };
            nodes.push(search_all(game, &set, &positions, &mut workspace, &host)?);
        }
    }
    let (version, revision) = (env!("CARGO_PKG_VERSION"), search::REVISION);
    let key = Key::of(&format!("{version} {revision} {}\n{nodes:?}", plysmith_evolve::REVISION));
    let text = format!("{version}-{revision}-{}", &key.as_str()[..12]);
    Ok(ShortSignature { text, nodes_per_second: nodes.iter().sum::<u64>() as f64 / begun.elapsed().as_secs_f64() })
}

/// Runs the fixed searches of one game, or of all games.
pub fn signatures(only: Option<&GameInfo>, rounds: u32, host: &Host) -> Result<Vec<Signature>, RunError> {
    let mut lines = Vec::new();
    for (name, sets) in SETS {
        let game = games::find(name)?;
        if only.is_none_or(|only| only.name == game.name) {
            lines.extend(time_game(game, sets, rounds, host)?);
        }
    }
    Ok(lines)
}

fn time_game(
    game: &'static GameInfo,
    sets: &'static [Set],
    rounds: u32,
    host: &Host,
) -> Result<Vec<Signature>, RunError> {
    let positions: Vec<_> =
        game.bench.iter().map(|text| (game.open)(text)).collect::<Result<_, _>>().map_err(RunError::input)?;
    let progress = host.begin_progress(u64::from(rounds) * sets.len() as u64);
    let mut timed: Vec<(u64, Vec<f64>)> = vec![(0, Vec::new()); sets.len()];
    let mut workspace = Workspace::default();
    for _ in 0..rounds {
        for (set, (signature, speeds)) in sets.iter().zip(&mut timed) {
            progress.message(format!("{} {} {}", game.name, set.preset, set.scheme));
            let begun = Instant::now();
            *signature = search_all(game, set, &positions, &mut workspace, host)?;
            speeds.push(*signature as f64 / begun.elapsed().as_secs_f64());
            progress.finish_part(1);
        }
    }
    // The preset itself, whatever is changed in it.
    let reference = |preset: &str| {
        let plain = preset.split(',').next().unwrap_or(preset);
        sets.iter().position(|set| set.preset == plain).map_or(&[][..], |at| &timed[at].1)
    };
    let line = |(set, (signature, speeds)): (&Set, &(u64, Vec<f64>))| Signature {
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

fn search_all(
    game: &GameInfo,
    set: &Set,
    positions: &[Box<dyn AnyPosition>],
    workspace: &mut Workspace,
    host: &Host,
) -> Result<u64, RunError> {
    let task = Task {
        settings: game.parse_settings(set.preset)?,
        scheme: &game.vocabulary.parse_scheme(set.scheme, Weight::HALF)?,
        limit: Limit::depth(set.depth),
        seed: 1,
        interrupt: &|| host.cancel.is_cancelled(),
        root: Root::default(),
    };
    let nodes = positions.iter().map(|position| position.search(&task, workspace).nodes).sum();
    host.check_cancelled()?;
    Ok(nodes)
}

/// Signatures and speeds as a table.
pub fn signatures_view(lines: &[Signature], rounds: u32) -> View {
    let rows = lines.iter().map(|line| {
        vec![
            line.game.into(),
            line.preset.into(),
            line.scheme.into(),
            line.depth.to_string().into(),
            line.signature.to_string().into(),
            Cell::Number(line.nodes_per_second / 1e6, 1),
            Cell::Percent(line.relative),
        ]
    });
    let headings = ["game", "preset", "scheme", ">plies", ">signature", ">Mnodes/s", ">relative"];
    View::new().table(Table::new(&headings, rows)).text(format!(
        "\nOne thread, medians of {rounds} rounds. The signature is the number of nodes of searches to a fixed depth. \
         'relative' is\nthe speed as a share of that of the preset without features. A feature with a weight of 1 ply does not \
         change the tree: its line\nshows the cost of classifying moves. A feature with a weight of 0.5 plies does.\n\
         plysmith {}, search revision {}, {} nodes in all.\n",
        env!("CARGO_PKG_VERSION"),
        search::REVISION,
        thousands(lines.iter().map(|line| line.signature).sum())
    ))
}
