//! `plysmith bench --against`: our speed beside that of foreign engines, in one run on the same positions.
//!
//! All take turns, position by position and round by round, with the same time each, so whatever else the machine does
//! hits all alike. A foreign engine's nodes are its own count, divided by our clock at the moment it was told; engines
//! do not agree on what a node is, so this compares trees grown, not strength.

use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use plysmith_core::feature::Scheme;
use plysmith_core::games::{self, AnyPosition, GameInfo};
use plysmith_core::search::deepening::{Limit, Root, Task, Workspace};
use plysmith_engine::arena::time_control::parse_time;
use plysmith_engine::player::{Participant, UCI_PREFIX};
use plysmith_engine::process::SpawnMode;
use plysmith_engine::uci::client::{Go, UciEngine, UciTimeouts};
use serde::Serialize;

use super::bench::median;
use crate::failure::Failure;
use crate::signals;
use crate::output::{Output, table, thousands};
use crate::progress;

#[derive(Serialize)]
struct Report {
    game: &'static str,
    /// Of one search.
    milliseconds: u64,
    rounds: u32,
    positions: usize,
    engines: Vec<Line>,
}

#[derive(Serialize)]
struct Line {
    engine: String,
    /// The median of all rounds.
    nodes_per_second: f64,
    /// Our speed as a multiple of its speed in the same round: the median of all rounds.
    ours: f64,
}

/// Nodes and seconds of one round.
type Speeds = Vec<f64>;

const PRESET: &str = "modern";
/// How much longer than told an engine may take: the clock is ours, so it does not matter.
const MARGIN: Duration = Duration::from_secs(5);

pub fn run(game: &str, engines: &[String], time: &str, rounds: u32, output: &Output) -> Result<(), Failure> {
    let game = games::find(game)?;
    let time = parse_time(time)?;
    let positions = game.bench.iter().map(|text| (game.open)(text)).collect::<Result<Vec<_>, _>>();
    let positions = positions.map_err(Failure::input)?;
    let mut foreign = engines.iter().map(|text| start(game, text)).collect::<Result<Vec<_>, _>>()?;
    let mut ours: Speeds = Vec::new();
    let mut theirs: Vec<Speeds> = vec![Vec::new(); foreign.len()];
    let mut workspace = Workspace::with_memory(&game.parse_settings(PRESET)?)?;
    let progress = progress::begin(u64::from(rounds) * positions.len() as u64);
    for _ in 0..rounds {
        let mut sums = vec![(0, Duration::ZERO); 1 + foreign.len()];
        for position in &positions {
            progress.message(position.text());
            add(&mut sums[0], search_ours(game, position.as_ref(), time, &mut workspace)?);
            for (engine, sum) in foreign.iter_mut().zip(&mut sums[1..]) {
                add(sum, search_theirs(engine, &position.text(), time)?);
            }
            progress.finish_part(1);
        }
        let mut speeds = sums.iter().map(|(nodes, time)| *nodes as f64 / time.as_secs_f64().max(1e-9));
        ours.extend(speeds.next());
        theirs.iter_mut().zip(speeds).for_each(|(speeds, speed)| speeds.push(speed));
    }
    drop(progress);
    let line = |name: String, speeds: &Speeds| Line {
        engine: name,
        nodes_per_second: median(speeds.clone()),
        ours: median(ours.iter().zip(speeds).map(|(ours, theirs)| ours / theirs).collect()),
    };
    let mut lines = vec![line(format!("plysmith {PRESET}"), &ours)];
    lines.extend(foreign.iter().zip(&theirs).map(|(engine, speeds)| line(engine.identity().name.clone(), speeds)));
    let (milliseconds, positions) = (time.as_millis() as u64, positions.len());
    let report = Report { game: game.name, milliseconds, rounds, positions, engines: lines };
    foreign.into_iter().for_each(UciEngine::quit);
    output.print(&report, || report.text())
}

/// Starts an engine that was named with or without `uci:`.
pub fn start(game: &'static GameInfo, text: &str) -> Result<UciEngine, Failure> {
    let text = format!("{UCI_PREFIX}{}", text.trim_start_matches(UCI_PREFIX));
    match Participant::parse(game, &text)? {
        Participant::Uci(player) => {
            Ok(player.start(game, SpawnMode::Guarded, UciTimeouts { margin: MARGIN, ..UciTimeouts::default() })?)
        }
        Participant::BuiltIn(_) => Err(Failure::input(format!("'{text}' is not a foreign engine"))),
    }
}

fn add(sum: &mut (u64, Duration), (nodes, time): (u64, Duration)) {
    sum.0 += nodes;
    sum.1 += time;
}

fn search_ours(
    game: &GameInfo,
    position: &dyn AnyPosition,
    time: Duration,
    workspace: &mut Workspace,
) -> Result<(u64, Duration), Failure> {
    let begun = Instant::now();
    // The first question comes before the first node.
    let was_asked = AtomicBool::new(false);
    let is_due = || was_asked.swap(true, Ordering::Relaxed) && begun.elapsed() >= time;
    let task = Task {
        settings: game.parse_settings(PRESET)?,
        scheme: &Scheme::neutral(),
        limit: Limit::nodes(u64::MAX),
        seed: 1,
        interrupt: &|| signals::is_cancelled() || is_due(),
        root: Root::default(),
    };
    let report = position.search(&task, workspace);
    if signals::is_cancelled() { Err(Failure::Interrupted(None)) } else { Ok((report.nodes, begun.elapsed())) }
}

fn search_theirs(engine: &mut UciEngine, position: &str, time: Duration) -> Result<(u64, Duration), Failure> {
    engine.new_game()?;
    engine.position(position, &[])?;
    let mut last = (0, Duration::ZERO);
    let answer = engine.search(&Go::MoveTime(time), &signals::is_cancelled, &mut |info, elapsed| {
        if let Some(nodes) = info.nodes.filter(|&nodes| nodes > last.0) {
            last = (nodes, elapsed);
        }
        ControlFlow::Continue(())
    })?;
    answer.map(|_| last).ok_or(Failure::Interrupted(None))
}

impl Report {
    fn text(&self) -> String {
        let rows = self.engines.iter().map(|line| {
            let speed = thousands(line.nodes_per_second.round() as u64);
            vec![line.engine.clone(), speed, format!("{:.2}", line.ours)]
        });
        format!(
            "{}\n{}, {} positions, {} ms each, medians of {} rounds, one thread. 'Ours' is our speed as a multiple of \
             theirs.\nEngines do not agree on what a node is.\n",
            table(&["engine", ">nodes/s", ">ours"], rows),
            self.game,
            self.positions,
            self.milliseconds,
            self.rounds
        )
    }
}
