//! The recorded tree of a search, as text: what the layers above the search work with.

use std::collections::HashMap;
use std::mem::size_of;

use super::recorder::Record;
use super::trace::{Reason, Step};
use crate::depth::Depth;
use crate::game::Game;
use crate::score::{Score, Window};

/// The recorded tree of a search.
///
/// Nodes have numbers. The roots of the iterations come one after the other, each before its subtree; a root whose score
/// was outside its window is followed by another of the same iteration.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct SearchTree {
    nodes: Vec<TreeNode>,
    /// The texts of all moves.
    moves: Vec<String>,
    /// Sets of rules that fired together, each rule by its place in the scheme.
    rules: Vec<Vec<usize>>,
    /// What was below nodes with fewer nodes than this is not kept; 0 if everything is.
    smallest: u64,
}

/// A node of the tree: a call of the search function, or a move that was not searched.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct TreeNode {
    /// The node above; none for a root.
    pub parent: Option<usize>,
    m: Option<u32>,
    fired: Option<u32>,
    /// How it was reached.
    pub step: Step,
    /// Why it has its value, or why the move was not searched.
    pub reason: Reason,
    /// Whether late-move reductions made it less deep.
    pub is_late: bool,
    /// Whether the move is extended because it is singular.
    pub is_singular: bool,
    /// Whether quiet moves that are missing below were not searched.
    pub skips_quiet_moves: bool,
    /// Whether what was below is not kept.
    pub is_dropped: bool,
    /// Depth left to search.
    pub depth: Depth,
    /// Depth that the move used up, in thousandths of a ply.
    pub cost: i32,
    /// The window, for the side to move.
    pub window: Window,
    /// The value, for the side to move; none if it was not searched, or not to the end.
    pub value: Option<Score>,
    /// How many nodes its search took, with itself.
    pub nodes: u64,
    /// Plies from the root.
    pub height: u32,
    /// How many nodes after this one are below it.
    below: usize,
}

impl SearchTree {
    /// The bytes of a recorded node at most, while it is recorded and afterwards.
    pub const BYTES_PER_NODE: usize = size_of::<TreeNode>() + size_of::<Record<[u16; 4]>>();

    /// The tree of a search from this position. `rules_of` says which rules a counter stands for.
    pub(crate) fn of<G: Game>(
        position: &G,
        records: &[Record<G::Move>],
        smallest: u64,
        rules_of: impl Fn(usize) -> Vec<usize>,
    ) -> SearchTree {
        let mut tree = SearchTree { smallest, ..SearchTree::default() };
        tree.nodes.reserve_exact(records.len());
        let (mut names, mut sets) = (HashMap::new(), HashMap::new());
        // The nodes above, each with its place and the position in which its moves are played.
        let mut above: Vec<(usize, G)> = Vec::new();
        for (place, record) in records.iter().enumerate() {
            while above.last().is_some_and(|(parent, _)| *parent + records[*parent].below < place) {
                above.pop();
            }
            let before = above.last().map_or(position, |(_, position)| position);
            let m = record.m.map(|m| {
                let text = before.print_move(m);
                *names.entry(text).or_insert_with_key(|text| intern(&mut tree.moves, text.clone()))
            });
            let fired = record
                .fired
                .map(|counter| *sets.entry(counter).or_insert_with(|| intern(&mut tree.rules, rules_of(counter))));
            tree.nodes.push(TreeNode { parent: above.last().map(|(parent, _)| *parent), m, fired, ..node(record) });
            if record.below > 0 {
                let after = match (record.m, record.step) {
                    (Some(m), _) => before.play(m),
                    (None, Step::Pass) => before.pass().unwrap_or_else(|| before.clone()),
                    (None, _) => before.clone(),
                };
                above.push((place, after));
            }
        }
        tree
    }

    /// How many nodes are kept.
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Whether nothing was searched.
    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    /// What was below nodes with fewer nodes than this is not kept, unless it is on a best line; none if everything is kept.
    pub fn dropped_below(&self) -> Option<u64> {
        (self.smallest > 0).then_some(self.smallest)
    }

    /// A node by its number.
    pub fn get(&self, node: usize) -> Option<&TreeNode> {
        self.nodes.get(node)
    }

    /// The move that leads to a node; none for a root, a pass, and a node that is searched once more.
    pub fn move_to(&self, node: usize) -> Option<&str> {
        let m = self.get(node)?.m?;
        self.moves.get(m as usize).map(String::as_str)
    }

    /// The rules of the scheme that decided on the depth of a move, by their places in the scheme.
    pub fn rules(&self, node: usize) -> &[usize] {
        let set = self.get(node).and_then(|node| node.fired);
        set.and_then(|set| self.rules.get(set as usize)).map_or(&[], Vec::as_slice)
    }

    /// The roots, in order.
    pub fn roots(&self) -> impl Iterator<Item = usize> {
        self.siblings(0, self.nodes.len())
    }

    /// The nodes right below a node, in the order in which they were searched or skipped.
    pub fn children(&self, node: usize) -> impl Iterator<Item = usize> {
        let below = self.get(node).map_or(0, |node| node.below);
        self.siblings(node + 1, node + 1 + below)
    }

    fn siblings(&self, first: usize, end: usize) -> impl Iterator<Item = usize> {
        let inside = move |node: usize| (node < end).then_some(node);
        std::iter::successors(inside(first), move |node| inside(node + 1 + self.nodes[*node].below))
    }

    /// The nodes from the root to this one.
    pub fn path(&self, node: usize) -> Vec<usize> {
        let mut path: Vec<usize> =
            std::iter::successors(Some(node), |node| self.get(*node).and_then(|node| node.parent)).collect();
        path.reverse();
        path
    }

    /// The search of a move that decided: of those right below this node the last that is not a test.
    pub fn child_by(&self, node: usize, m: &str) -> Option<usize> {
        let is_it = |child: &usize| self.move_to(*child) == Some(m) && self.nodes[*child].step.is_move();
        self.children(node).filter(is_it).last()
    }
}

impl TreeNode {
    /// The value for the side to move at the root.
    pub fn root_value(&self) -> Option<Score> {
        self.value.map(|value| if self.height.is_multiple_of(2) { value } else { -value })
    }

    /// The window for the side to move at the root.
    pub fn root_window(&self) -> Window {
        if self.height.is_multiple_of(2) { self.window } else { self.window.flipped() }
    }

    /// Whether its value is only a bound, and whether the true one is at least or at most that, for the side to move at the
    /// root.
    pub fn root_bound(&self) -> Option<TreeBound> {
        let Window { alpha, beta } = self.root_window();
        match self.root_value()? {
            value if value >= beta => Some(TreeBound::AtLeast),
            value if value <= alpha => Some(TreeBound::AtMost),
            _ => None,
        }
    }
}

/// How a value relates to the true one.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum TreeBound {
    /// The true one is this or higher.
    AtLeast,
    /// The true one is this or lower.
    AtMost,
}

fn intern<T>(list: &mut Vec<T>, item: T) -> u32 {
    list.push(item);
    list.len() as u32 - 1
}

fn node<M>(record: &Record<M>) -> TreeNode {
    TreeNode {
        parent: None,
        m: None,
        fired: None,
        step: record.step,
        reason: record.reason,
        is_late: record.is_late,
        is_singular: record.is_singular,
        skips_quiet_moves: record.skips_quiet_moves,
        is_dropped: record.is_dropped,
        depth: record.depth,
        cost: record.cost,
        window: record.window,
        value: record.value,
        nodes: record.nodes,
        height: record.height,
        below: record.below,
    }
}
