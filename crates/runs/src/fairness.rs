//! What makes the result of games doubtful: engines that do not keep a node limit, and games lost on time.

use plysmith_engine::arena::time_control::MoveLimit;

use crate::tally::Tally;
use crate::view::{percent, thousands};

/// Games lost on time are pointed out from this share on.
const MANY_TIME_LOSSES: f64 = 0.02;
/// A player that takes this much more than its limit on average does not keep it.
const MORE_NODES: f64 = 1.05;

/// What to do about engines that do not keep a node limit.
pub const NODES_REMEDY: &str = "play with --tc or --movetime, which every engine understands";

/// How the games of two players were played, as far as it is fair.
#[derive(Copy, Clone, Debug)]
pub struct Fairness<'a> {
    /// The players.
    pub names: [&'a str; 2],
    /// What their moves may take.
    pub limits: [MoveLimit; 2],
    /// Their games.
    pub tally: &'a Tally,
}

impl Fairness<'_> {
    /// Everything that is doubtful.
    pub fn warnings(&self) -> Vec<String> {
        let nodes = (0..2).filter_map(|player| self.node_warning(player));
        nodes.chain(self.time_warning()).collect()
    }

    /// Whether a player searches more than it may, with the numbers.
    pub fn node_warning(&self, player: usize) -> Option<String> {
        let (mean, limit) = self.excess(player)?;
        Some(format!(
            "{} searched {} nodes per move on average and at most {} where {} were set: it does not keep node limits, \
             and the result favours it; {NODES_REMEDY}",
            self.names[player],
            thousands(mean.round() as u64),
            thousands(self.tally.searched[player].most),
            thousands(limit)
        ))
    }

    /// Whether many games were lost on time, with the numbers and a remedy.
    pub fn time_warning(&self) -> Option<String> {
        let share = self.share_on_time()?;
        let oversteps = self.tally.sorted_oversteps();
        let milliseconds = |overstep: &u64| format!("{:.1} ms", *overstep as f64 / 1e3);
        let by = match (oversteps.get(oversteps.len() / 2), oversteps.last()) {
            (Some(median), Some(most)) => {
                format!(", by {} in the median and at most {}", milliseconds(median), milliseconds(most))
            }
            _ => String::new(),
        };
        Some(format!(
            "{} ({}) were lost on time{by}: the result is about clocks as much as about play; allow more with --margin, \
             give a larger increment, or play fewer games at once with --threads",
            self.on_time(),
            percent(share)
        ))
    }

    /// The doubts in a few words, to stand behind a verdict.
    pub fn caution(&self) -> Option<String> {
        let on_time = self.share_on_time().map(|_| format!("{} were lost on time", self.on_time()));
        let nodes = (0..2).filter_map(|player| {
            let (mean, limit) = self.excess(player)?;
            Some(format!("{} searched {:.1} times the nodes that were set", self.names[player], mean / limit as f64))
        });
        let all: Vec<_> = on_time.into_iter().chain(nodes).collect();
        (!all.is_empty()).then(|| all.join("; "))
    }

    /// The mean number of nodes and the limit, if a player exceeds it.
    fn excess(&self, player: usize) -> Option<(f64, u64)> {
        let MoveLimit::Nodes(limit) = self.limits[player] else { return None };
        let mean = self.tally.searched[player].mean()?;
        exceeds(mean, limit).then_some((mean, limit))
    }

    /// The share of games that were lost on time, if it is large.
    fn share_on_time(&self) -> Option<f64> {
        let games = self.tally.games().wins + self.tally.games().draws + self.tally.games().losses;
        let share = self.lost_on_time() as f64 / games.max(1) as f64;
        (self.lost_on_time() > 0 && share >= MANY_TIME_LOSSES).then_some(share)
    }

    fn on_time(&self) -> String {
        let games = self.tally.games().wins + self.tally.games().draws + self.tally.games().losses;
        format!("{} of {} games", self.lost_on_time(), games)
    }

    /// Games that either player lost on time.
    pub fn lost_on_time(&self) -> u64 {
        self.tally.on_time.iter().sum()
    }
}

/// Whether this number of nodes exceeds the limit.
pub fn exceeds(nodes: f64, limit: u64) -> bool {
    nodes > limit as f64 * MORE_NODES
}
