//! `plysmith bench --driver`: the overhead of measuring an external engine.
//!
//! Everything is processor time as the system counts it, so that other work on the machine makes no difference: ours,
//! the engines', and the time in which all processors were idle. Each search runs to its node limit.

use std::fs;
use std::num::NonZeroUsize;
use std::time::Instant;

use plysmith_core::games::{self, GameInfo};
use plysmith_core::problem::{Criterion, Problem, Suite};
use plysmith_engine::driver::Policy;
use plysmith_engine::parallel::all_cores;
use plysmith_runs::error::RunError;
use plysmith_runs::external_engine::ExternalEngine;
use plysmith_runs::memo::Memo;
use plysmith_runs::suite_runner::{MeasureOptions, SearchLimits, SuiteRunner};
use serde::Serialize;

use crate::failure::Failure;
use crate::output::{Output, percent, table};
use crate::{progress, signals};

/// The times of one engine.
#[derive(Serialize)]
struct Line {
    engine: String,
    threads: usize,
    searches: usize,
    nodes_a_search: u64,
    /// Wall time in seconds.
    seconds: f64,
    /// Processor seconds of the engines.
    engine_seconds: f64,
    /// Our processor seconds.
    own_seconds: f64,
    /// Our processor time as a share of the engines'.
    overhead: f64,
    /// The engines' processor time as a share of what the threads had.
    busy: f64,
    /// The share of all processors' time that was idle.
    idle: f64,
}

/// What to time.
pub struct Timing<'a> {
    /// The game.
    pub game: &'a str,
    /// The engines, each `uci:COMMAND` or a plug engine's command.
    pub engines: &'a [String],
    /// Node limit of each search.
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
    // With 'first' or 'iteration' a search would end before the limit.
    let policy = engine.starts_with("uci:").then_some(Policy::Stable);
    let cancel = signals::cancel_token();
    let opened = ExternalEngine::new(engine, None, policy, None)?.open(Some(game), &cancel)?;
    let candidate = opened.plain();
    let suite = positions(game, timing.rounds)?;
    let (searches, limits) = (suite.problems.len(), SearchLimits { nodes: timing.nodes, seed: 1 });
    let mut runner = SuiteRunner::new(opened.into_subject(), suite, limits, threads).map_err(RunError::from)?;
    let progress = progress::begin(searches as u64);
    progress.message(format!("{engine}, {threads} at a time"));
    let options = MeasureOptions {
        at_least: None,
        interrupt: &|| cancel.is_cancelled(),
        progress: &|done| progress.set_part_done(done as u64),
        incident: &|incident| progress.note(incident.to_string()),
    };
    let (begun, before) = (Instant::now(), Clocks::read()?);
    let measured = runner.measure(&candidate, &options, Memo::Disabled);
    let seconds = begun.elapsed().as_secs_f64();
    // The time of child processes counts when they have ended.
    drop(runner);
    let spent = Clocks::read()?.since(&before);
    measured.map_err(RunError::from)?;
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

/// The game's bench positions, each this many times, with a move that is hardly ever best.
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
    /// Of all processors together, idle.
    idle: f64,
    /// Of all processors together.
    all: f64,
}

/// Linux counts in hundredths of a second.
const TICKS_A_SECOND: f64 = 100.0;

impl Clocks {
    fn read() -> Result<Clocks, Failure> {
        let unreadable = || {
            let reason = "processor time is read from /proc, which is not here; --driver needs Linux";
            Failure::Failed(anyhow::anyhow!(reason))
        };
        let process = fs::read_to_string("/proc/self/stat").map_err(|_| unreadable())?;
        // The program's name is in parentheses and may contain anything.
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

/// The words of a line as numbers; 0 for a word that is not a number.
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
        "Measuring external engines, {nodes} nodes per search: our processor time as a share of theirs, and their share of\n\
         the processors that they had:\n\n{}",
        table(&headings, lines.iter().map(row))
    )
}
