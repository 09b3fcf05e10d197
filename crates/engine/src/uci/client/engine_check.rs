//! The checks of `plysmith check-engine`: walks an engine through the protocol and reports what it honours.
//!
//! An engine that ignores node limits or is not deterministic can still be used, and the report shows how. One that
//! answers illegal moves cannot. Only an engine that dies or falls silent ends the checks; then the report has the
//! results so far, and the fault.

use std::ops::ControlFlow;
use std::time::{Duration, Instant};

use plysmith_core::games::GameInfo;
use plysmith_core::search::Interrupt;
use serde::Serialize;

use super::legality::{IllegalAnswer, LegalityCheck};
use super::options::EngineOption;
use super::{Go, Identity, NodeLimits, UciEngine, UciSearchResult, UciTimeouts, VARIANT};
use crate::process::{EngineCommand, EngineError, SpawnMode};

/// The results of the checks. Those that were not reached are none.
#[derive(Clone, Debug, Default, Serialize)]
pub struct EngineCheckReport {
    /// Its command line.
    pub command: String,
    /// Its name and author.
    pub identity: Option<Identity>,
    /// The time from the start to `uciok`, in milliseconds.
    pub handshake_ms: Option<f64>,
    /// The time from `isready` to `readyok`, in microseconds.
    pub ready_us: Option<f64>,
    /// Its options.
    pub options: Vec<EngineOption>,
    /// Options that were set so that searches can be compared: one thread, no book.
    #[serde(rename = "calmed")]
    pub comparable_options: Vec<String>,
    /// How it treats `go nodes N`.
    pub node_limits: Option<NodeLimitCheck>,
    /// Whether its moves are legal.
    pub legality: Option<LegalityCheck>,
    /// How it treats `go depth N`.
    pub depth_limits: Option<DepthLimitCheck>,
    /// Whether equal searches give equal results.
    pub determinism: Option<Determinism>,
    /// The time from `stop` to `bestmove`, in milliseconds.
    pub stop_ms: Option<f64>,
    /// Whether it answers `isready` while it searches.
    pub ready_while_searching: Option<bool>,
    /// The time that `go movetime 200` took, in milliseconds.
    pub move_time_200_ms: Option<f64>,
    /// Its answer in a position without legal moves: `none`, or an impossible move.
    pub without_moves: Option<String>,
    /// Nodes a second in these searches, by our clock.
    pub nodes_per_second: Option<f64>,
    /// The fault that ended the checks, if there was one.
    pub fault: Option<String>,
}

/// The effect of a node limit.
#[derive(Clone, Debug, Serialize)]
pub struct NodeLimitCheck {
    /// How the engine treats node limits.
    pub verdict: NodeLimits,
    /// The limit.
    pub asked: u64,
    /// The nodes that the engine reported.
    pub reported: u64,
    /// The excess as a share of the limit.
    pub overshoot: f64,
}

/// The effect of a depth limit.
#[derive(Clone, Debug, Serialize)]
pub struct DepthLimitCheck {
    /// The limit.
    pub asked: u32,
    /// The deepest iteration that was reported.
    pub reported: u32,
}

/// Whether searches of the same position to the same depth give the same nodes and move.
#[derive(Clone, Debug, Serialize)]
pub struct Determinism {
    /// Twice in a row, `ucinewgame` between.
    pub repeated: bool,
    /// After other positions, `ucinewgame` between.
    pub reordered: bool,
    /// After other positions, with a tiny search of another position after `ucinewgame`.
    pub with_prelude: bool,
    /// In another process.
    pub restarted: bool,
}

/// The checks of one engine.
#[derive(Clone, Debug)]
pub struct EngineCheck<'a> {
    /// The engine.
    pub command: &'a EngineCommand,
    /// The game that it plays. At least two of its bench positions are searched.
    pub game: &'static GameInfo,
    /// Options to set first.
    pub options: &'a [(String, String)],
    /// A position without a legal move, if the game has one.
    pub over: Option<&'a str>,
    /// How it is started.
    pub spawn_mode: SpawnMode,
    /// Its timeouts.
    pub timeouts: UciTimeouts,
}

/// Deep enough for a transposition table to matter, and a fraction of a second for most.
const DEPTH: u32 = 7;
/// How long a search runs before it is stopped.
const HEAD_START: Duration = Duration::from_millis(100);

impl EngineCheck<'_> {
    /// Runs the checks. Results before a fault are part of the report.
    pub fn run(&self, interrupt: &Interrupt<'_>) -> EngineCheckReport {
        let mut report = EngineCheckReport { command: self.command.to_string(), ..EngineCheckReport::default() };
        if let Err(error) = self.steps(&mut report, interrupt) {
            report.fault = Some(error.report());
        }
        report
    }

    fn start(&self) -> Result<(UciEngine, Vec<String>), EngineError> {
        let mut engine = UciEngine::start(self.command, self.spawn_mode, self.timeouts)?;
        let comparable = engine.set_comparable_options()?;
        if !self.options.iter().any(|(name, _)| name == VARIANT) {
            engine.select_game(self.game, "check-engine")?;
        }
        for (name, value) in self.options {
            engine.set(name, value)?;
        }
        engine.sync()?;
        Ok((engine, comparable))
    }

    fn steps(&self, report: &mut EngineCheckReport, interrupt: &Interrupt<'_>) -> Result<(), EngineError> {
        // Step 1: the handshake.
        let (mut engine, comparable) = self.start()?;
        report.identity = Some(engine.identity().clone());
        report.handshake_ms = Some(milliseconds(engine.handshake_time()));
        report.options = engine.options().to_vec();
        report.comparable_options = comparable;
        let begun = Instant::now();
        for _ in 0..10 {
            engine.sync()?;
        }
        report.ready_us = Some(begun.elapsed().as_secs_f64() * 1e6 / 10.0);
        // Step 2: limits.
        let probe = engine.probe_node_limits(self.game.bench[0], interrupt)?;
        let over = probe.reported as f64 / probe.asked as f64 - 1.0;
        report.node_limits = Some(NodeLimitCheck {
            verdict: probe.limits,
            asked: probe.asked,
            reported: probe.reported,
            overshoot: over.max(0.0),
        });
        let deep = self.search(&mut engine, self.game.bench[0], &Go::Depth(DEPTH), interrupt)?;
        report.depth_limits = deep.map(|answer| DepthLimitCheck { asked: DEPTH, reported: answer.depth });
        report.legality = Some(LegalityCheck::run(&mut engine, self.game, interrupt)?);
        // Step 3: determinism: again, in another order, and in a new process.
        report.determinism = self.determinism(&mut engine, interrupt)?;
        // Step 4: time and stopping.
        let timed = self.search(&mut engine, self.game.bench[1], &Go::MoveTime(2 * HEAD_START), interrupt)?;
        report.move_time_200_ms = timed.as_ref().map(|answer| milliseconds(answer.time));
        report.nodes_per_second = timed.map(|answer| answer.nodes as f64 / answer.time.as_secs_f64().max(1e-6));
        engine.position(self.game.bench[1], &[])?;
        report.stop_ms = engine.stop_latency(HEAD_START)?.map(milliseconds);
        engine.position(self.game.bench[1], &[])?;
        report.ready_while_searching = Some(engine.is_ready_while_searching(HEAD_START)?);
        // Step 5: a finished game. Some engines do not survive this, so it comes last.
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
            self.search(engine, self.game.bench[index], &go, interrupt).map(result)
        };
        let count = self.game.bench.len();
        let forwards = (0..count).map(|index| plain(engine, index)).collect::<Result<Vec<_>, _>>()?;
        let again = plain(engine, count - 1)?;
        let mut backwards = (0..count).rev().map(|index| plain(engine, index)).collect::<Result<Vec<_>, _>>()?;
        backwards.reverse();
        let (mut other, _) = self.start()?;
        let restarted = plain(&mut other, 0)?;
        other.quit();
        let preluded = |engine: &mut UciEngine, index: usize| {
            // Not the position that is searched next.
            engine.new_game_with_prelude(self.game.bench[(index + 1) % count])?;
            engine.position(self.game.bench[index], &[])?;
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
    /// The first illegal answer, if there was one.
    pub fn illegal(&self) -> Option<&IllegalAnswer> {
        self.legality.as_ref()?.illegal.first()
    }

    /// Whether the engine cannot be used.
    pub fn is_unusable(&self) -> bool {
        // A timed search with a legal answer is all that a match needs.
        self.fault.is_some() && self.move_time_200_ms.is_none() || self.illegal().is_some()
    }
}

fn milliseconds(time: Duration) -> f64 {
    time.as_secs_f64() * 1e3
}
