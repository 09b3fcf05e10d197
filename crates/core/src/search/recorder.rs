//! Records the tree of a search, within a limit of memory.
//!
//! Records stand in the order in which nodes were entered; each knows how many records follow that belong to its subtree.
//! When there are too many, the subtrees with the fewest nodes are dropped, and only their top stays, with its count of
//! nodes. What is kept longest is what explains a search: the largest subtrees, and the best line of every iteration.

use super::context::{Node, NodeKind};
use super::trace::{Chosen, Reason, Step, Tracer};
use crate::depth::Depth;
use crate::score::{Score, Window};

/// Records the tree of a search.
#[derive(Debug)]
pub struct Recorder<M> {
    records: Vec<Record<M>>,
    /// The nodes from the root to the current one.
    open: Vec<Frame<M>>,
    /// How the next node is reached.
    step: Step,
    /// The most records that are kept.
    most: usize,
    /// Subtrees with fewer nodes are dropped when they are finished.
    smallest: u64,
}

/// A node that is not finished.
#[derive(Copy, Clone, Debug)]
struct Frame<M> {
    place: usize,
    /// The node count when it was entered.
    start: u64,
    chosen: Option<Chosen<M>>,
}

/// A node of the tree, or a move that was not searched.
#[derive(Copy, Clone, Debug)]
pub struct Record<M> {
    /// The move that leads here; none for the root, a pass, and a node that is searched once more.
    pub m: Option<M>,
    pub step: Step,
    pub reason: Reason,
    pub kind: NodeKind,
    /// The counter of the rules that fired for the move.
    pub fired: Option<usize>,
    pub is_late: bool,
    pub is_singular: bool,
    /// Whether the quiet moves that are missing were not searched.
    pub skips_quiet_moves: bool,
    /// Whether what was below is not kept.
    pub is_dropped: bool,
    pub depth: Depth,
    /// By how much the depth is less than that of the node above, in thousandths of a ply.
    pub cost: i32,
    pub window: Window,
    /// For the side to move; none if it was not searched to the end.
    pub value: Option<Score>,
    /// Nodes of its subtree, with itself.
    pub nodes: u64,
    pub height: u32,
    /// How many records after this one belong to its subtree.
    pub below: usize,
}

impl<M: Copy> Recorder<M> {
    /// The fewest records that a recorder may be limited to: the longest lines must fit.
    pub const LEAST: usize = 1 << 15;

    /// A recorder that keeps at most this many nodes, or [`Recorder::LEAST`].
    pub fn new(most: usize) -> Recorder<M> {
        let most = most.max(Self::LEAST);
        Recorder { records: Vec::new(), open: Vec::new(), step: Step::Root, most, smallest: 0 }
    }

    /// The records, and the number of nodes below which subtrees were dropped; 0 if none was.
    pub fn finish(self) -> (Vec<Record<M>>, u64) {
        (self.records, self.smallest)
    }

    fn push(&mut self, record: Record<M>) {
        while self.records.len() >= self.most {
            self.smallest = (2 * self.smallest).max(2);
            self.compact();
            if self.smallest > u64::from(u32::MAX) {
                break;
            }
        }
        self.records.push(record);
    }

    /// Drops what is below nodes with too few nodes, unless they are on a line that is the best so far.
    fn compact(&mut self) {
        let on_line = self.lines();
        let old = std::mem::take(&mut self.records);
        self.records.reserve(self.most);
        // Finished nodes above the current one: where they end in the old list, and where they stand in the new one.
        let mut above: Vec<(usize, usize)> = Vec::new();
        let (mut place, mut unfinished) = (0, 0);
        while place < old.len() {
            close(&mut above, &mut self.records, place);
            let mut record = old[place];
            let end = place + 1 + record.below;
            let at = self.records.len();
            if self.open.get(unfinished).is_some_and(|frame| frame.place == place) {
                self.open[unfinished].place = at;
                unfinished += 1;
                place += 1;
            } else if record.below > 0 && record.nodes < self.smallest && !on_line[place] {
                (record.below, record.is_dropped) = (0, true);
                place = end;
            } else {
                above.push((end, at));
                place += 1;
            }
            self.records.push(record);
        }
        close(&mut above, &mut self.records, old.len());
    }

    /// For each record, whether it is on the best line of an iteration, or on the best line so far below an open node.
    fn lines(&self) -> Vec<bool> {
        let mut on_line = vec![false; self.records.len()];
        let open = self.open.iter().map(|frame| frame.place);
        let mut starts: Vec<usize> = open.collect();
        let mut place = 0;
        while place < self.records.len() && !starts.contains(&place) {
            starts.push(place);
            place += 1 + self.records[place].below;
        }
        for start in starts {
            let mut next = Some(start);
            while let Some(place) = next {
                on_line[place] = true;
                next = self.best_child(place);
            }
        }
        on_line
    }

    /// The last child with a score inside the window: the move that is best.
    fn best_child(&self, place: usize) -> Option<usize> {
        let is_open = |place: usize| self.open.iter().any(|frame| frame.place == place);
        let end = if is_open(place) { self.records.len() } else { place + 1 + self.records[place].below };
        let (mut child, mut best) = (place + 1, None);
        while child < end {
            let record = &self.records[child];
            if is_open(child) {
                break;
            }
            let is_inside = |score: Score| record.window.alpha < score && score < record.window.beta;
            if record.step.is_move() && record.value.is_some_and(is_inside) {
                best = Some(child);
            }
            child += 1 + record.below;
        }
        best
    }
}

/// Sets the sizes of the subtrees that end at this place of the old list.
fn close<M>(above: &mut Vec<(usize, usize)>, records: &mut [Record<M>], place: usize) {
    while let Some(&(end, at)) = above.last()
        && end <= place
    {
        records[at].below = records.len() - at - 1;
        above.pop();
    }
}

impl<M: Copy> Tracer<M> for Recorder<M> {
    const ON: bool = true;

    fn choose(&mut self, chosen: Chosen<M>) {
        if let Some(frame) = self.open.last_mut() {
            frame.chosen = Some(chosen);
        }
    }

    fn announce(&mut self, step: Step) {
        self.step = step;
    }

    fn enter(&mut self, node: &Node, nodes: u64) {
        let above = self.open.last().copied();
        let chosen =
            above.and_then(|frame| frame.chosen).filter(|_| self.step.is_move() || self.step == Step::MultiCut);
        let depth_above = above.map_or(node.depth, |frame| self.records[frame.place].depth);
        self.push(Record {
            m: chosen.map(|chosen| chosen.m),
            step: self.step,
            reason: Reason::Exact,
            kind: node.kind,
            fired: chosen.and_then(|chosen| chosen.fired),
            is_late: chosen.is_some_and(|chosen| chosen.is_late) && self.step == Step::Reduced,
            is_singular: chosen.is_some_and(|chosen| chosen.is_singular),
            skips_quiet_moves: false,
            is_dropped: false,
            depth: node.depth,
            cost: depth_above.above(node.depth),
            window: node.window,
            value: None,
            nodes: 0,
            height: node.height,
            below: 0,
        });
        self.open.push(Frame { place: self.records.len() - 1, start: nodes, chosen: None });
    }

    fn decide(&mut self, reason: Reason) {
        if let Some(frame) = self.open.last() {
            self.records[frame.place].reason = reason;
        }
    }

    fn skip(&mut self, m: M, reason: Reason) {
        let Some(frame) = self.open.last() else { return };
        let above = self.records[frame.place];
        self.push(Record {
            m: Some(m),
            step: Step::Full,
            reason,
            fired: None,
            is_late: false,
            is_singular: false,
            skips_quiet_moves: false,
            is_dropped: false,
            cost: 0,
            window: above.window.flipped(),
            kind: above.kind.after_move(),
            value: None,
            nodes: 0,
            height: above.height + 1,
            below: 0,
            ..above
        });
    }

    fn skip_quiet_moves(&mut self) {
        if let Some(frame) = self.open.last() {
            self.records[frame.place].skips_quiet_moves = true;
        }
    }

    fn leave(&mut self, score: Option<Score>, nodes: u64) {
        let Some(Frame { place, start, .. }) = self.open.pop() else { return };
        let below = self.records.len() - place - 1;
        let record = &mut self.records[place];
        (record.value, record.nodes, record.below) = (score, nodes - start, below);
        let Some(score) = score else {
            record.reason = Reason::Stopped;
            if record.nodes == 0 && below == 0 {
                // The limit came before it was visited.
                self.records.truncate(place);
            }
            return;
        };
        let Window { alpha, beta } = record.window;
        if record.reason == Reason::Exact {
            record.reason = match score {
                score if score >= beta => Reason::Beta,
                score if score <= alpha => Reason::Alpha,
                _ => Reason::Exact,
            };
        }
        let is_exact = alpha < score && score < beta;
        if below > 0 && record.nodes < self.smallest && !is_exact {
            (record.below, record.is_dropped) = (0, true);
            self.records.truncate(place + 1);
        }
    }
}
