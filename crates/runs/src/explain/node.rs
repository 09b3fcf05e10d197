//! Nodes of a recorded tree as data, for JSON and for pages.

use plysmith_core::depth::Depth;
use plysmith_core::games::{AnyPosition, GameInfo};
use plysmith_core::score::Score;
use plysmith_core::search::{Step, TreeBound};
use serde::Serialize;

use super::recording::{FiredRule, Recording};
use crate::error::RunError;

/// A node of a recorded tree. Values are for the side to move at the root.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct NodeData {
    /// Its number in the tree.
    pub node: usize,
    /// The move that leads here.
    #[serde(rename = "move")]
    pub m: Option<String>,
    /// How it is reached.
    pub step: &'static str,
    /// Depth left to search, in plies.
    pub depth: f64,
    /// Depth that the move used up, in plies.
    pub cost: f64,
    /// The rules of the scheme that decided on that.
    pub features: Vec<FiredRule>,
    /// Whether late-move reductions reduced it.
    pub late_move: bool,
    /// Whether it is extended because it is singular.
    pub singular: bool,
    /// The lower end of the window.
    pub alpha: i32,
    /// The upper end of the window.
    pub beta: i32,
    /// The value; none if the search stopped here, or the move was not searched.
    pub value: Option<i32>,
    /// Whether the value is only a bound: `lower` or `upper`.
    pub bound: Option<&'static str>,
    /// Nodes of its subtree, with itself.
    pub nodes: u64,
    /// Why it has its value, or why the move was not searched.
    pub reason: &'static str,
    /// How many nodes are right below it in the record.
    pub children_count: usize,
    /// Whether what is below was not kept.
    pub dropped: bool,
    /// Whether quiet moves that are missing below were not searched.
    pub quiet_moves_skipped: bool,
    /// The nodes right below, where they were asked for.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub children: Vec<NodeData>,
}

/// A node with what is below it, this many plies deep; none if there is no such node.
pub fn node_data(recording: &Recording, node: usize, plies: u32) -> Option<NodeData> {
    let tree = &recording.tree;
    let found = tree.get(node)?;
    let window = found.root_window();
    let children = tree.children(node);
    Some(NodeData {
        node,
        m: tree.move_to(node).map(str::to_string),
        step: found.step.name(),
        depth: plies_of(found.depth.above(Depth::plies(0))),
        cost: plies_of(found.cost),
        features: recording.fired(node),
        late_move: found.is_late,
        singular: found.is_singular,
        alpha: window.alpha.units(),
        beta: window.beta.units(),
        value: found.root_value().map(Score::units),
        bound: found.root_bound().map(|bound| match bound {
            TreeBound::AtLeast => "lower",
            TreeBound::AtMost => "upper",
        }),
        nodes: found.nodes,
        reason: found.reason.name(),
        children_count: tree.children(node).count(),
        dropped: found.is_dropped,
        quiet_moves_skipped: found.skips_quiet_moves,
        children: match plies {
            0 => Vec::new(),
            plies => children.filter_map(|child| node_data(recording, child, plies - 1)).collect(),
        },
    })
}

/// The position of a node; none below a pass, after which no text of the game has a position.
pub fn position_at(
    game: &GameInfo,
    root: &str,
    recording: &Recording,
    node: usize,
) -> Result<Option<Box<dyn AnyPosition>>, RunError> {
    let mut position = game.parse_position(root).map_err(RunError::input)?;
    for place in recording.tree.path(node) {
        if recording.tree.get(place).is_some_and(|node| node.step == Step::Pass) {
            return Ok(None);
        }
        if let Some(m) = recording.tree.move_to(place) {
            position = position.play(m).map_err(RunError::failed)?;
        }
    }
    Ok(Some(position))
}

/// Plies of thousandths of a ply.
fn plies_of(units: i32) -> f64 {
    f64::from(units) / 1000.0
}
