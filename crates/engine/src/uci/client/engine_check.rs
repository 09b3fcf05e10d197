//! Walks an engine through the protocol and notes what it honours: everything `plysmith check-engine` reports.
//!
//! Each step is a question with an answer, not a test that ends the walk: an engine that ignores node limits or
//! is not deterministic can still be used, and the report says how. Only an engine that dies or goes silent
//! ends it; then the report has what was found until then, and the fault.

use std::ops::ControlFlow;
use std::time::{Duration, Instant};

use plysmith_core::search::deepening::Interrupt;
use serde::Serialize;

use super::options::EngineOption;
use super::{Go, Identity, NodeLimits, UciEngine, UciSearchResult, UciTimeouts};
use crate::process::{EngineCommand, EngineError, SpawnMode};

/// What an engine honours. What was not found out is missing.
#[derive(Clone, Debug, Default, Serialize)]
pub struct EngineCheckReport {
    /// How it was started.
    pub command: String,
    /// Who it says it is.
    pub identity: Option<Identity>,
    /// From its start to `uciok`, in milliseconds.
    pub handshake_ms: Option<f64>,
    /// An `isready` and its answer, in microseconds.
    pub ready_us: Option<f64>,
    /// Its options.
    pub options: Vec<EngineOption>,
    /// Options that are set so that searches can be compared: one thread, no book.
    pub calmed: Vec<String>,
    /// What it makes of `go nodes N`.
    pub node_limits: Option<NodeLimitCheck>,
    /// What it makes of `go depth N`.
    pub depth_limits: Option<DepthLimitCheck>,
    /// Whether equal searches give equal results.
    pub determinism: Option<Determinism>,
    /// From `stop` to `bestmove`, in milliseconds.
    pub stop_ms: Option<f64>,
    /// Whether it answers `isready` while it searches.
    pub ready_while_searching: Option<bool>,
    /// How long `go movetime 200` took, in milliseconds.
    pub move_time_200_ms: Option<f64>,
    /// What it answers where there is no legal move: `none`, or a move that cannot be one.
    pub without_moves: Option<String>,
    /// Nodes a second in these searches, by our clock.
    pub nodes_per_second: Option<f64>,
    /// What ended the walk, if it did not come to its end.
    pub fault: Option<String>,
}

/// What a node limit does.
#[derive(Clone, Debug, Serialize)]
pub struct NodeLimitCheck {
    /// In a word.
    pub verdict: NodeLimits,
    /// The limit.
    pub asked: u64,
    /// What the engine reported.
    pub reported: u64,
    /// How far above the limit, as a share of it.
    pub overshoot: f64,
}

/// What a depth limit does.
#[derive(Clone, Debug, Serialize)]
pub struct DepthLimitCheck {
    /// The limit.
    pub asked: u32,
    /// The deepest iteration that was told.
    pub reported: u32,
}

/// Whether searches of the same position to the same depth give the same nodes and move.
#[derive(Clone, Debug, Serialize)]
pub struct Determinism {
    /// Twice in a row, `ucinewgame` between.
    pub repeated: bool,
    /// After other positions, `ucinewgame` between.
    pub reordered: bool,
    /// The same, with a tiny search on another position behind `ucinewgame`.
    pub with_prelude: bool,
    /// In another process.
    pub restarted: bool,
}

/// What a walk needs.
#[derive(Clone, Debug)]
pub struct EngineCheck<'a> {
    /// The engine.
    pub command: &'a EngineCommand,
    /// Options to be set first.
    pub options: &'a [(String, String)],
    /// Positions with legal moves, at least two.
    pub positions: &'a [&'a str],
    /// A position without a legal move, if the game has one.
    pub over: Option<&'a str>,
    /// How it is started.
    pub spawn_mode: SpawnMode,
    /// How long it may take.
    pub timeouts: UciTimeouts,
}

/// Deep enough for a transposition table to matter, and a fraction of a second for most.
const DEPTH: u32 = 7;
/// A search that is not over when it is stopped.
const HEAD_START: Duration = Duration::from_millis(100);

impl EngineCheck<'_> {
    /// Walks. What was found until a fault is part of the report.
    pub fn walk(&self, interrupt: &Interrupt<'_>) -> EngineCheckReport {
        let mut report = EngineCheckReport { command: self.command.to_string(), ..EngineCheckReport::default() };
        if let Err(error) = self.steps(&mut report, interrupt) {
            report.fault = Some(error.report());
        }
        report
    }

    fn start(&self) -> Result<(UciEngine, Vec<String>), EngineError> {
        let mut engine = UciEngine::start(self.command, self.spawn_mode, self.timeouts)?;
        let calmed = engine.set_comparable_options()?;
        for (name, value) in self.options {
            engine.set(name, value)?;
        }
        engine.sync()?;
        Ok((engine, calmed))
    }

    fn steps(&self, report: &mut EngineCheckReport, interrupt: &Interrupt<'_>) -> Result<(), EngineError> {
        // Step 1: the handshake.
        let (mut engine, calmed) = self.start()?;
        report.identity = Some(engine.identity().clone());
        report.handshake_ms = Some(milliseconds(engine.handshake_time()));
        report.options = engine.options().to_vec();
        report.calmed = calmed;
        let begun = Instant::now();
        for _ in 0..10 {
            engine.sync()?;
        }
        report.ready_us = Some(begun.elapsed().as_secs_f64() * 1e6 / 10.0);
        // Step 2: limits.
        let probe = engine.probe_node_limits(self.positions[0], interrupt)?;
        let over = probe.reported as f64 / probe.asked as f64 - 1.0;
        report.node_limits = Some(NodeLimitCheck {
            verdict: probe.limits,
            asked: probe.asked,
            reported: probe.reported,
            overshoot: over.max(0.0),
        });
        let deep = self.search(&mut engine, self.positions[0], &Go::Depth(DEPTH), interrupt)?;
        report.depth_limits = deep.map(|answer| DepthLimitCheck { asked: DEPTH, reported: answer.depth });
        // Step 3: the same again, in the same and in another order, and in a new process.
        report.determinism = self.determinism(&mut engine, interrupt)?;
        // Step 4: time and stopping.
        let timed = self.search(&mut engine, self.positions[1], &Go::MoveTime(2 * HEAD_START), interrupt)?;
        report.move_time_200_ms = timed.as_ref().map(|answer| milliseconds(answer.time));
        report.nodes_per_second = timed.map(|answer| answer.nodes as f64 / answer.time.as_secs_f64().max(1e-6));
        engine.position(self.positions[1], &[])?;
        report.stop_ms = engine.stop_latency(HEAD_START)?.map(milliseconds);
        engine.position(self.positions[1], &[])?;
        report.ready_while_searching = Some(engine.is_ready_while_searching(HEAD_START)?);
        // Step 5: a game that is over. Some engines do not survive this, so it comes last.
        if let Some(over) = self.over {
            let answer = self.search(&mut engine, over, &Go::Depth(1), interrupt)?;
            report.without_moves = answer.map(|answer| answer.best.m.unwrap_or("none".to_string()));
        }
        engine.quit();
        Ok(())
    }

    fn search(
        &self,
        engine: &mut UciEngine,
        position: &str,
        go: &Go,
        interrupt: &Interrupt<'_>,
    ) -> Result<Option<UciSearchResult>, EngineError> {
        engine.new_game()?;
        engine.position(position, &[])?;
        engine.search(go, interrupt, &mut |_, _| ControlFlow::Continue(()))
    }

    fn determinism(
        &self,
        engine: &mut UciEngine,
        interrupt: &Interrupt<'_>,
    ) -> Result<Option<Determinism>, EngineError> {
        let go = Go::Depth(DEPTH);
        let result = |answer: Option<UciSearchResult>| answer.map(|answer| (answer.nodes, answer.best.m));
        let plain = |engine: &mut UciEngine, index: usize| {
            self.search(engine, self.positions[index], &go, interrupt).map(result)
        };
        let count = self.positions.len();
        let forwards = (0..count).map(|index| plain(engine, index)).collect::<Result<Vec<_>, _>>()?;
        let again = plain(engine, count - 1)?;
        let mut backwards = (0..count).rev().map(|index| plain(engine, index)).collect::<Result<Vec<_>, _>>()?;
        backwards.reverse();
        let (mut other, _) = self.start()?;
        let restarted = plain(&mut other, 0)?;
        other.quit();
        let preluded = |engine: &mut UciEngine, index: usize| {
            // Another one than is asked for next.
            engine.new_game_with_prelude(self.positions[(index + 1) % count])?;
            engine.position(self.positions[index], &[])?;
            engine.search(&go, interrupt, &mut |_, _| ControlFlow::Continue(())).map(result)
        };
        let first = (0..count).map(|index| preluded(engine, index)).collect::<Result<Vec<_>, _>>()?;
        let mut second = (0..count).rev().map(|index| preluded(engine, index)).collect::<Result<Vec<_>, _>>()?;
        second.reverse();
        if forwards.iter().any(Option::is_none) {
            return Ok(None);
        }
        Ok(Some(Determinism {
            repeated: again == forwards[count - 1],
            reordered: backwards == forwards,
            with_prelude: first == second,
            restarted: restarted == forwards[0],
        }))
    }
}

impl EngineCheckReport {
    /// Whether it cannot be used at all.
    pub fn is_unusable(&self) -> bool {
        // A walk that got as far as a timed search has seen all that a match needs.
        self.fault.is_some() && self.move_time_200_ms.is_none()
    }
}

fn milliseconds(time: Duration) -> f64 {
    time.as_secs_f64() * 1e3
}
