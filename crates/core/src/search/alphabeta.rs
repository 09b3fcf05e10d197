//! The search function: negamax alpha-beta whose depth is counted in fractional plies.

use arrayvec::ArrayVec;

use super::control::{Classes, Control};
use super::deepening::Interrupt;
use super::depth::Depth;
use super::order::{Picker, Refutations};
use super::score::{Score, Window};
use super::settings::Parts;
use super::table::{Bound, Known, Table};
use crate::feature::Scheme;
use crate::game::{Game, Heuristic, Move};
use crate::random::Random;

/// No line is searched further than this above the root, whatever its moves cost.
pub const HIGHEST: usize = 128;

/// A line of moves.
pub type Line<M> = ArrayVec<M, HIGHEST>;

/// A search in progress.
pub struct Search<'a, G: Game, P: Parts> {
    pub control: &'a Control,
    pub parts: P,
    pub heuristic: Heuristic,
    pub random: Random,
    pub table: &'a mut Table,
    pub refutations: &'a mut Refutations,
    pub limit: u64,
    pub interrupt: &'a Interrupt<'a>,
    /// Calls of the search function so far, which is what a node is.
    pub nodes: u64,
    /// The node count at which to look up from the work next.
    pub pause: u64,
    /// The highest a line has reached above the root.
    pub height: u32,
    /// How often each feature of the scheme decided over a move's cost.
    pub fired: [u64; Scheme::MOST_FEATURES],
    /// The best line of the iteration before.
    pub previous: Line<G::Move>,
    /// The best line found in each node of the current path.
    pub lines: Vec<Line<G::Move>>,
    /// The root's score in this iteration, as soon as one move is through.
    pub root_score: Option<Score>,
}

/// The search ended before its time.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Stopped {
    /// The node limit is used up.
    Nodes,
    /// The caller raised the interrupt.
    Interrupted,
}

/// Where in the tree a call stands.
#[derive(Copy, Clone)]
pub struct Node {
    pub depth: Depth,
    pub window: Window,
    /// Plies from the root.
    pub height: u32,
    /// Whether all moves that led here are those of the previous iteration's best line.
    pub on_previous: bool,
}

/// How many nodes may pass between two looks at the interrupt.
const STRETCH: u64 = 1 << 12;

impl<G: Game, P: Parts> Search<'_, G, P> {
    /// Counts a node, and returns its score: at once if nothing is to be searched below it.
    #[inline(always)]
    pub fn visit(&mut self, position: &G, node: Node) -> Result<Score, Stopped> {
        if self.nodes == self.pause {
            self.look_up()?;
        }
        self.nodes += 1;
        if let Some(outcome) = position.decided() {
            self.height = self.height.max(node.height);
            return Ok(Score::of(outcome, node.height));
        }
        if node.depth.is_spent() || node.height as usize >= HIGHEST - 1 {
            self.height = self.height.max(node.height);
            return Ok(position.evaluate(self.heuristic));
        }
        self.expand(position, node)
    }

    /// Searches the moves of a position.
    fn expand(&mut self, position: &G, node: Node) -> Result<Score, Stopped> {
        let Node { depth, mut window, height, on_previous } = node;

        // Step 1: what the transposition table knows. At the root a move is wanted, not just a score.
        let key = if self.parts.table() { position.key() } else { 0 };
        let known = if self.parts.table() { self.table.get(key) } else { None };
        if height > 0
            && let Some(score) = known.and_then(|known| known.answer(depth, window, height))
        {
            return Ok(score);
        }

        // Step 2: the moves, the most promising first.
        let mut picker = Picker::new();
        position.moves(picker.list());
        let followed = if on_previous { self.previous.get(height as usize).copied() } else { None };
        if let Some(code) = followed.map(|m| m.code()).or(known.and_then(|known| known.best)) {
            picker.put_first(code);
        }
        if self.parts.killers() || self.parts.history() {
            picker.rank(self.parts, self.refutations, height, &mut self.random);
        }
        if picker.is_empty() {
            return Ok(Score::of(position.stuck(), height));
        }

        // Step 3: sort all of them into the features of the scheme.
        let mut classes = Classes::default();
        self.control.classify(position, &mut classes);

        // Step 4: search each with what depth it leaves.
        let mut best = Score::LOWEST;
        let mut best_move = None;
        while let Some(m) = picker.pick(&mut self.random) {
            let cost = self.control.cost(&classes, m);
            if let Some(feature) = cost.fired {
                self.fired[feature] += 1;
            }
            let child = Node {
                depth: depth.after(cost.weight),
                window: window.flipped(),
                height: height + 1,
                on_previous: followed == Some(m),
            };
            // Leaves do not touch their line, so the one of an earlier sibling has to go.
            self.lines[height as usize + 1].clear();
            let score = self.search_move(&position.play(m), child, best_move.is_some())?;
            if score <= best {
                continue;
            }
            best = score;
            if score > window.alpha {
                best_move = Some(m);
                window.alpha = score;
                self.keep_line(m, height);
                if height == 0 {
                    self.root_score = Some(score);
                }
                if score >= window.beta {
                    self.refutations.record(self.parts, m, height, depth.whole_plies());
                    break;
                }
            }
        }

        // Step 5: remember the result.
        if self.parts.table() {
            let bound = Bound::of(best, node.window);
            let best_code = best_move.map(|m| m.code());
            self.table.put(key, Known { best: best_code, score: best.from_node(height), depth, bound });
        }
        Ok(best)
    }

    /// The score of a move: with a null window first, if there is a move already that it has to beat.
    #[inline(always)]
    fn search_move(&mut self, position: &G, child: Node, beaten: bool) -> Result<Score, Stopped> {
        if self.parts.null_window() && beaten && !child.window.is_null() {
            let window = child.window.flipped();
            let probe = Node { window: window.null().flipped(), ..child };
            let score = -self.visit(position, probe)?;
            if score <= window.alpha || score >= window.beta {
                return Ok(score);
            }
        }
        Ok(-self.visit(position, child)?)
    }

    /// The line that begins with this move is the best so far at this height.
    fn keep_line(&mut self, m: G::Move, height: u32) {
        let (upper, lower) = self.lines.split_at_mut(height as usize + 1);
        let line = &mut upper[height as usize];
        line.clear();
        line.push(m);
        line.extend(lower[0].iter().copied().take(HIGHEST - 1));
    }

    /// Whether to go on: asked only now and then.
    #[cold]
    fn look_up(&mut self) -> Result<(), Stopped> {
        if self.nodes >= self.limit {
            return Err(Stopped::Nodes);
        }
        if (self.interrupt)() {
            return Err(Stopped::Interrupted);
        }
        self.pause = self.limit.min(self.nodes + STRETCH);
        Ok(())
    }
}
