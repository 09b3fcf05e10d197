//! Whether an engine honours `go nodes N`. Some search on, one returns after the first iteration.

use std::ops::ControlFlow;
use std::time::Duration;

use plysmith_core::search::Interrupt;

use super::{Go, NodeLimits, StopCause, UciEngine, UciSearchResult};
use crate::process::EngineError;

/// The result of a probe.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct NodeProbe {
    /// The limit.
    pub asked: u64,
    /// The most nodes that the engine reported.
    pub reported: u64,
    /// How the engine treats node limits.
    pub limits: NodeLimits,
    /// The time it took.
    pub time: Duration,
}

/// More than an engine that polls every 30,000 nodes needs, and a tenth of a second for most engines.
const NODES: u64 = 50_000;
/// The last report may be from the iteration before the limit, but no engine's last iteration is that much larger.
const FEW: u64 = NODES / 20;

impl UciEngine {
    /// Probes the engine on a position with many moves, and searches accordingly from here on.
    pub fn probe_node_limits(&mut self, position: &str, interrupt: &Interrupt<'_>) -> Result<NodeProbe, EngineError> {
        self.set_node_limits(NodeLimits::Unknown);
        self.new_game()?;
        self.position(position, &[])?;
        // An engine that reports no nodes cannot be stopped at a number of them either.
        let answer = self.search(&Go::Nodes(NODES), interrupt, &mut |_, _| ControlFlow::Continue(()))?;
        let limits = match &answer {
            None => NodeLimits::Unknown,
            Some(UciSearchResult { stopped: Some(StopCause::Nodes), .. }) => NodeLimits::Ignored,
            Some(UciSearchResult { nodes: 1..FEW, depth: ..=2, .. }) => NodeLimits::TooEarly,
            Some(_) => NodeLimits::Honoured,
        };
        let (reported, time) = answer.map_or((0, Duration::ZERO), |answer| (answer.nodes, answer.time));
        self.set_node_limits(limits);
        Ok(NodeProbe { asked: NODES, reported, limits, time })
    }
}
