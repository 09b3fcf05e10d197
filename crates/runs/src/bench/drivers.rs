//! The overhead of measuring an external engine.
//!
//! All times are processor time as the system counts it, so that other work on the machine makes no difference: ours,
//! the engines', and the time in which all processors were idle. Each search runs to its node limit.

use std::fs;
use std::num::{NonZeroU64, NonZeroUsize};
use std::time::Instant;

use plysmith_core::games::GameInfo;
use plysmith_core::problem::{Criterion, Problem, Suite};
use plysmith_engine::driver::Policy;
use serde::Serialize;

use crate::error::RunError;
use crate::external_engine::ExternalEngine;
use crate::memo::Memo;
use crate::memory::ThreadNeed;
use crate::services::Host;
use crate::suite_runner::{MeasureOptions, SearchLimits, SuiteRunner};
use crate::view::{Cell, Table, View};

/// The times of one engine on one number of threads.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct DriverOverhead {
    /// The engine as it was named.
    pub engine: String,
    /// Engines that searched at the same time.
    pub threads: usize,
    /// Searches of all engines.
    pub searches: usize,
    /// Node limit for each search.
    #[serde(rename = "nodes_a_search")]
    pub nodes_per_search: u64,
    /// Wall time in seconds.
    pub seconds: f64,
    /// Processor seconds of the engines.
    pub engine_seconds: f64,
    /// Our processor seconds.
    pub own_seconds: f64,
    /// Our processor time as a share of the engines'.
    pub overhead: f64,
    /// The engines' processor time as a share of what the threads had.
    pub busy: f64,
    /// The share of all processors' time that was idle.
    pub idle: f64,
}

/// What to time.
#[derive(Clone, Debug)]
pub struct DriverTiming<'a> {
    /// The game.
    pub game: &'static GameInfo,
    /// The engines, each `uci:COMMAND` or a plug engine's command.
    pub engines: &'a [String],
    /// Node limit for each search.
    pub nodes: u64,
    /// Number of searches of each position.
    pub rounds: u32,
    /// The seconds in which a search has to make progress, if they were asked for.
    pub patience: Option<NonZeroU64>,
}

/// Times each engine, first one at a time, then on all threads.
pub fn drivers(timing: &DriverTiming<'_>, host: &Host) -> Result<Vec<DriverOverhead>, RunError> {
    let mut counts = vec![NonZeroUsize::MIN, host.threads];
    counts.dedup();
    let mut lines = Vec::new();
    for engine in timing.engines {
        for &threads in &counts {
            lines.push(time(engine, timing, threads, host)?);
        }
    }
    Ok(lines)
}

fn time(
    engine: &str,
    timing: &DriverTiming<'_>,
    threads: NonZeroUsize,
    host: &Host,
) -> Result<DriverOverhead, RunError> {
    let (game, cancel) = (timing.game, &host.cancel);
    // With 'first' or 'iteration' a search would end before the limit.
    let external = ExternalEngine::new(engine, None, None)?.with_patience(timing.patience);
    let policy = external.policy(None, Policy::End)?;
    let opened = external.open(Some(game), policy, cancel)?;
    let candidate = opened.plain();
    let suite = positions(game, timing.rounds)?;
    let (searches, limits) = (suite.problems.len(), SearchLimits { nodes: timing.nodes, seed: 1 });
    let subject = opened.into_subject();
    let need = ThreadNeed::of_engine(engine, subject.memory());
    let threads = Host { threads, ..host.clone() }.workers(searches as u64, &need)?;
    let mut runner = SuiteRunner::new(subject, suite, limits, threads).map_err(RunError::from)?;
    let progress = host.begin_progress(searches as u64);
    progress.message(format!("{engine}, {threads} threads"));
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
    Ok(DriverOverhead {
        engine: engine.to_string(),
        threads: threads.get(),
        searches,
        nodes_per_search: timing.nodes,
        seconds,
        engine_seconds: spent.children,
        own_seconds: spent.own,
        overhead: spent.own / spent.children.max(1e-9),
        busy: spent.children / (seconds * threads.get() as f64),
        idle: spent.idle / spent.all.max(1e-9),
    })
}

/// The game's bench positions, each this many times, with a move that is hardly ever best.
fn positions(game: &GameInfo, rounds: u32) -> Result<Suite, RunError> {
    let mut problems = Vec::new();
    for round in 0..rounds {
        for (index, text) in game.bench.iter().enumerate() {
            let position = (game.open)(text).map_err(RunError::input)?;
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
const TICKS_PER_SECOND: f64 = 100.0;

impl Clocks {
    fn read() -> Result<Clocks, RunError> {
        let unreadable =
            || RunError::failed("cannot read processor times from /proc; timing external engines needs Linux");
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
            own: (user + system) / TICKS_PER_SECOND,
            children: (child_user + child_system) / TICKS_PER_SECOND,
            idle: (idle + waiting) / TICKS_PER_SECOND,
            all: shares.iter().take(8).sum::<f64>() / TICKS_PER_SECOND,
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

/// The times as a table.
pub fn drivers_view(lines: &[DriverOverhead], nodes: u64) -> View {
    let row = |line: &DriverOverhead| {
        vec![
            line.engine.clone().into(),
            line.threads.to_string().into(),
            line.searches.to_string().into(),
            Cell::Number(line.seconds, 2),
            Cell::Number(line.engine_seconds, 2),
            Cell::Number(line.own_seconds, 2),
            Cell::Percent(line.overhead),
            Cell::Percent(line.busy),
            Cell::Percent(line.idle),
        ]
    };
    let headings = [
        "engine",
        ">threads",
        ">searches",
        ">seconds",
        ">engine CPU",
        ">our CPU",
        ">overhead",
        ">busy",
        ">machine idle",
    ];
    View::new()
        .text(format!(
            "External engines, {nodes} nodes per search. 'overhead' is our processor time as a share of the engines'; \
             'busy' is the\nengines' processor time as a share of the threads' wall time.\n\n"
        ))
        .table(Table::new(&headings, lines.iter().map(row)))
}
