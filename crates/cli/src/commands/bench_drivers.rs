//! `plysmith bench --driver`: what it costs to measure a foreign engine, beside what the engine itself takes.
//!
//! All by processor time, as the system counts it, so that a machine with other work to do says the same: ours, that of
//! the engines, and the time in which no processor had anything to do. Each search runs to its limit.

use std::fs;
use std::num::NonZeroUsize;
use std::time::Instant;

use plysmith_core::games::{self, GameInfo};
use plysmith_core::problem::{Criterion, Problem, Suite};
use plysmith_runs::suite_runner::{Lab, LabError, Limits, MeasureOptions, all_cores};
use plysmith_engine::measurement::Forgetful;
use serde::Serialize;

use crate::failure::Failure;
use crate::foreign::ForeignEngine;
use crate::signals;
use crate::output::{Output, percent, table};
use crate::progress;

/// What one engine took.
#[derive(Serialize)]
struct Line {
    engine: String,
    threads: usize,
    searches: usize,
    nodes_a_search: u64,
    /// Seconds by the clock.
    seconds: f64,
    /// Processor seconds of the engines.
    engine_seconds: f64,
    /// Processor seconds of ours.
    own_seconds: f64,
    /// Ours as a share of theirs.
    overhead: f64,
    /// Theirs as a share of what so many processors have to give.
    busy: f64,
    /// The share of all processors' time in which there was nothing to do for anybody.
    idle: f64,
}

/// What is timed.
pub struct Timing<'a> {
    /// The game.
    pub game: &'a str,
    /// The engines, each `uci:COMMAND` or a plug engine's command.
    pub engines: &'a [String],
    /// Nodes of each search.
    pub nodes: u64,
    /// How often each position is searched.
    pub rounds: u32,
}

pub fn run(timing: &Timing<'_>, output: &Output) -> Result<(), Failure> {
    let game = games::find(timing.game)?;
    let threads = all_cores();
    let counts = if threads.get() > 1 { vec![1, threads.get()] } else { vec![1] };
    let mut lines = Vec::new();
    for engine in timing.engines {
        for &threads in &counts {
            lines.push(time(game, engine, timing, NonZeroUsize::new(threads).unwrap_or(NonZeroUsize::MIN))?);
        }
    }
    output.print(&lines, || text(&lines, timing.nodes))
}

fn time(game: &'static GameInfo, engine: &str, timing: &Timing<'_>, threads: NonZeroUsize) -> Result<Line, Failure> {
    let is_uci = engine.starts_with("uci:");
    let known = is_uci || engine.starts_with("plug:");
    let foreign = ForeignEngine {
        engine: if known { engine.to_string() } else { format!("plug:{engine}") },
        mapping: None,
        // Whoever agrees would end before the limit.
        policy: is_uci.then(|| "stable".to_string()),
        weights: None,
    };
    let opened = foreign.open(Some(game))?;
    let control = opened.plain();
    let suite = positions(game, timing.rounds)?;
    let (searches, limits) = (suite.problems.len(), Limits { nodes: timing.nodes, seed: 1 });
    let mut lab = Lab::new(opened.into_subject(), suite, limits, threads).map_err(Failure::input)?;
    let progress = progress::begin(searches as u64);
    progress.message(format!("{engine}, {threads} at a time"));
    let options = MeasureOptions {
        at_least: None,
        interrupt: &signals::is_cancelled,
        progress: &|done| progress.set_part_done(done as u64),
        incident: &|incident| progress.note(incident),
    };
    let (begun, before) = (Instant::now(), Clocks::read()?);
    let measured = lab.measure(&control, &options, &mut Forgetful);
    let seconds = begun.elapsed().as_secs_f64();
    // Children's time counts once they have ended.
    drop(lab);
    let spent = Clocks::read()?.since(&before);
    measured.map_err(|error| match error {
        LabError::Interrupted => Failure::Interrupted(None),
        error => Failure::Failed(anyhow::anyhow!("{error}")),
    })?;
    Ok(Line {
        engine: engine.to_string(),
        threads: threads.get(),
        searches,
        nodes_a_search: timing.nodes,
        seconds,
        engine_seconds: spent.children,
        own_seconds: spent.own,
        overhead: spent.own / spent.children.max(1e-9),
        busy: spent.children / (seconds * threads.get() as f64),
        idle: spent.idle / spent.all.max(1e-9),
    })
}

/// The game's bench positions, so many times each, with a move that is hardly ever best.
fn positions(game: &GameInfo, rounds: u32) -> Result<Suite, Failure> {
    let mut problems = Vec::new();
    for round in 0..rounds {
        for (index, text) in game.bench.iter().enumerate() {
            let position = (game.open)(text).map_err(Failure::input)?;
            problems.push(Problem {
                position: position.text(),
                best: position.moves().into_iter().rev().take(1).collect(),
                avoid: Vec::new(),
                id: format!("{index}-{round}"),
                criterion: Criterion::BestMove,
                distance: None,
            });
        }
    }
    Ok(Suite { name: "bench".to_string(), problems })
}

/// Processor seconds since some moment.
struct Clocks {
    /// Of this process.
    own: f64,
    /// Of its children that have ended, and of theirs.
    children: f64,
    /// Of all processors together with nothing to do.
    idle: f64,
    /// Of all processors together.
    all: f64,
}

/// How the kernel counts: hundredths of a second, on every Linux there is.
const TICKS_A_SECOND: f64 = 100.0;

impl Clocks {
    fn read() -> Result<Clocks, Failure> {
        let unreadable = || {
            let reason = "processor time is read from /proc, which is not here; --driver needs Linux";
            Failure::Failed(anyhow::anyhow!(reason))
        };
        let process = fs::read_to_string("/proc/self/stat").map_err(|_| unreadable())?;
        // The name of the program stands in parentheses and may have anything in it.
        let (_, fields) = process.rsplit_once(')').ok_or_else(unreadable)?;
        let fields = numbers(fields);
        let machine = fs::read_to_string("/proc/stat").map_err(|_| unreadable())?;
        let shares = numbers(machine.lines().next().and_then(|line| line.strip_prefix("cpu ")).ok_or_else(unreadable)?);
        let ([.., user, system, child_user, child_system], [.., idle, waiting]) =
            (fields.get(..15).ok_or_else(unreadable)?, shares.get(..5).ok_or_else(unreadable)?)
        else {
            return Err(unreadable());
        };
        Ok(Clocks {
            own: (user + system) / TICKS_A_SECOND,
            children: (child_user + child_system) / TICKS_A_SECOND,
            idle: (idle + waiting) / TICKS_A_SECOND,
            all: shares.iter().take(8).sum::<f64>() / TICKS_A_SECOND,
        })
    }

    fn since(&self, before: &Clocks) -> Clocks {
        Clocks {
            own: self.own - before.own,
            children: self.children - before.children,
            idle: self.idle - before.idle,
            all: self.all - before.all,
        }
    }
}

/// The words of a line as numbers; what is none is 0.
fn numbers(text: &str) -> Vec<f64> {
    text.split_whitespace().map(|word| word.parse().unwrap_or(0.0)).collect()
}

fn text(lines: &[Line], nodes: u64) -> String {
    let row = |line: &Line| {
        vec![
            line.engine.clone(),
            line.threads.to_string(),
            line.searches.to_string(),
            format!("{:.2}", line.seconds),
            format!("{:.2}", line.engine_seconds),
            format!("{:.2}", line.own_seconds),
            percent(line.overhead),
            percent(line.busy),
            percent(line.idle),
        ]
    };
    let headings = [
        "engine",
        ">at a time",
        ">searches",
        ">seconds",
        ">its CPU",
        ">our CPU",
        ">overhead",
        ">busy",
        ">machine idle",
    ];
    format!(
        "Measuring foreign engines, {nodes} nodes a search: our processor time as a share of theirs, and how much of\n\
         the processors they were given they used:\n\n{}",
        table(&headings, lines.iter().map(row))
    )
}
