//! Whether an engine honours `go nodes N`. Some run for ever, one returns after the first iteration.

use std::ops::ControlFlow;
use std::time::Duration;

use plysmith_core::search::deepening::Interrupt;
use serde::Serialize;

use super::{Go, StopCause, UciEngine, UciSearchResult};
use crate::process::EngineError;

/// What an engine makes of a node limit.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum NodeLimits {
    /// Nobody has asked yet; it is trusted.
    Unknown,
    /// It stops near the limit.
    Honoured,
    /// It searches on.
    Ignored,
    /// It stops long before.
    TooEarly,
}

/// What a probe saw.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct NodeProbe {
    /// The limit.
    pub asked: u64,
    /// The most nodes that the engine told of.
    pub reported: u64,
    /// What follows.
    pub limits: NodeLimits,
    /// How long it took.
    pub time: Duration,
}

impl NodeLimits {
    /// Whether searches must be stopped by us.
    pub fn needs_stop(self) -> bool {
        matches!(self, NodeLimits::Ignored | NodeLimits::TooEarly)
    }
}

/// More than an engine that polls every 30,000 nodes needs to notice, and a tenth of a second for most.
const NODES: u64 = 50_000;
/// What is told last may be from the iteration before the limit; but no engine's last iteration is that much larger.
const FEW: u64 = NODES / 20;

impl UciEngine {
    /// Finds out, on a position with many moves, and searches accordingly from here on.
    pub fn probe_node_limits(&mut self, position: &str, interrupt: &Interrupt<'_>) -> Result<NodeProbe, EngineError> {
        self.set_node_limits(NodeLimits::Unknown);
        self.new_game()?;
        self.position(position, &[])?;
        // An engine that says nothing of nodes cannot be stopped at a number of them either.
        let answer = self.search(&Go::Nodes(NODES), interrupt, &mut |_, _| ControlFlow::Continue(()))?;
        let limits = match &answer {
            None => NodeLimits::Unknown,
            Some(UciSearchResult { cut: Some(StopCause::Nodes), .. }) => NodeLimits::Ignored,
            Some(UciSearchResult { nodes: 1..FEW, depth: ..=2, .. }) => NodeLimits::TooEarly,
            Some(_) => NodeLimits::Honoured,
        };
        let (reported, time) = answer.map_or((0, Duration::ZERO), |answer| (answer.nodes, answer.time));
        self.set_node_limits(limits);
        Ok(NodeProbe { asked: NODES, reported, limits, time })
    }
}
