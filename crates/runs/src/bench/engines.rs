//! The speed of the built-in engine and of UCI engines, in one run on the same positions.
//!
//! All take turns, position by position and round by round, with the same time each, so that load on the machine slows
//! all alike. An external engine's nodes are its own count, divided by our clock at the moment it was reported. Engines
//! do not agree on what a node is, so this compares the growth of trees, not strength.

use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use plysmith_core::feature::Scheme;
use plysmith_core::games::{AnyPosition, GameInfo};
use plysmith_core::search::{Limit, Root, Task, Workspace};
use plysmith_engine::uci::client::{Go, UciEngine};
use serde::Serialize;

use super::median::median;
use crate::error::RunError;
use crate::external_engine::start_uci;
use crate::services::Host;
use crate::view::{Cell, Table, View};

/// What to time.
#[derive(Clone, Debug)]
pub struct SpeedTiming<'a> {
    /// The game.
    pub game: &'static GameInfo,
    /// Commands of UCI engines.
    pub engines: &'a [String],
    /// Time limit of each search.
    pub time: Duration,
    /// Number of searches of each position.
    pub rounds: u32,
}

/// The speeds of all engines.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct SpeedReport {
    /// The game.
    pub game: &'static str,
    /// Time limit of each search.
    pub milliseconds: u64,
    /// Number of searches of each position.
    pub rounds: u32,
    /// Number of positions.
    pub positions: usize,
    /// The built-in engine, then the others in the order in which they were named.
    pub engines: Vec<EngineSpeed>,
}

/// The speed of one engine.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct EngineSpeed {
    /// The name that it gives itself.
    pub engine: String,
    /// The median of all rounds.
    pub nodes_per_second: f64,
    /// Our speed as a multiple of its speed in the same round: the median of all rounds.
    pub ours: f64,
}

/// Nodes per second of each round.
type Speeds = Vec<f64>;

const PRESET: &str = "modern";

/// Times the built-in engine and these engines.
pub fn engines(timing: &SpeedTiming<'_>, host: &Host) -> Result<SpeedReport, RunError> {
    let SpeedTiming { game, time, rounds, .. } = *timing;
    let positions = game.bench.iter().map(|text| (game.open)(text)).collect::<Result<Vec<_>, _>>();
    let positions = positions.map_err(RunError::input)?;
    let mut external = timing.engines.iter().map(|text| start_uci(game, text)).collect::<Result<Vec<_>, _>>()?;
    let mut ours: Speeds = Vec::new();
    let mut theirs: Vec<Speeds> = vec![Vec::new(); external.len()];
    let mut workspace = Workspace::with_memory(&game.parse_settings(PRESET)?)?;
    let progress = host.begin_progress(u64::from(rounds) * positions.len() as u64);
    for _ in 0..rounds {
        let mut sums = vec![(0, Duration::ZERO); 1 + external.len()];
        for position in &positions {
            progress.message(position.text());
            add(&mut sums[0], search_ours(timing, position.as_ref(), &mut workspace, host)?);
            for (engine, sum) in external.iter_mut().zip(&mut sums[1..]) {
                add(sum, search_theirs(engine, &position.text(), time, host)?);
            }
            progress.finish_part(1);
        }
        let mut speeds = sums.iter().map(|(nodes, time)| *nodes as f64 / time.as_secs_f64().max(1e-9));
        ours.extend(speeds.next());
        theirs.iter_mut().zip(speeds).for_each(|(speeds, speed)| speeds.push(speed));
    }
    drop(progress);
    let line = |name: String, speeds: &Speeds| EngineSpeed {
        engine: name,
        nodes_per_second: median(speeds.clone()),
        ours: median(ours.iter().zip(speeds).map(|(ours, theirs)| ours / theirs).collect()),
    };
    let mut lines = vec![line(format!("plysmith {PRESET}"), &ours)];
    lines.extend(external.iter().zip(&theirs).map(|(engine, speeds)| line(engine.identity().name.clone(), speeds)));
    external.into_iter().for_each(UciEngine::quit);
    let (milliseconds, positions) = (time.as_millis() as u64, positions.len());
    Ok(SpeedReport { game: game.name, milliseconds, rounds, positions, engines: lines })
}

fn add(sum: &mut (u64, Duration), (nodes, time): (u64, Duration)) {
    sum.0 += nodes;
    sum.1 += time;
}

fn search_ours(
    timing: &SpeedTiming<'_>,
    position: &dyn AnyPosition,
    workspace: &mut Workspace,
    host: &Host,
) -> Result<(u64, Duration), RunError> {
    let begun = Instant::now();
    // The first question comes before the first node.
    let was_asked = AtomicBool::new(false);
    let is_due = || was_asked.swap(true, Ordering::Relaxed) && begun.elapsed() >= timing.time;
    let task = Task {
        settings: timing.game.parse_settings(PRESET)?,
        scheme: &Scheme::neutral(),
        limit: Limit::nodes(u64::MAX),
        seed: 1,
        interrupt: &|| host.cancel.is_cancelled() || is_due(),
        root: Root::default(),
    };
    let report = position.search(&task, workspace);
    let elapsed = begun.elapsed();
    host.check_cancelled()?;
    Ok((report.nodes, elapsed))
}

fn search_theirs(
    engine: &mut UciEngine,
    position: &str,
    time: Duration,
    host: &Host,
) -> Result<(u64, Duration), RunError> {
    engine.new_game()?;
    engine.position(position, &[])?;
    let mut last = (0, Duration::ZERO);
    let answer = engine.search(&Go::MoveTime(time), &|| host.cancel.is_cancelled(), &mut |info, elapsed| {
        if let Some(nodes) = info.nodes.filter(|&nodes| nodes > last.0) {
            last = (nodes, elapsed);
        }
        ControlFlow::Continue(())
    })?;
    answer.map(|_| last).ok_or(RunError::Cancelled(None))
}

impl SpeedReport {
    /// The speeds as a table.
    pub fn view(&self) -> View {
        let rows = self.engines.iter().map(|line| {
            let speed = Cell::Count(line.nodes_per_second.round() as u64);
            vec![line.engine.clone().into(), speed, Cell::Number(line.ours, 2)]
        });
        View::new().table(Table::new(&["engine", ">nodes/s", ">ours"], rows)).text(format!(
            "\n{}, {} positions, {} ms each, medians of {} rounds, one thread. 'ours' is our speed as a multiple of the \
             engine's.\nEngines count nodes differently.\n",
            self.game, self.positions, self.milliseconds, self.rounds
        ))
    }
}
