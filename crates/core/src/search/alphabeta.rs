//! The search function: negamax alpha-beta whose depth is counted in fractional plies.

use arrayvec::ArrayVec;

use super::control::{Classes, Control, Cost, Doubt};
use super::deepening::{Interrupt, Sight, Watch};
use super::margins::{self, Hopeless};
use super::order::{Picker, Refutations, Source};
use super::table::{Bound, EvalCache, Table, TableEntry};
use crate::depth::{Depth, Weight};
use crate::eval_terms::EvalTermCache;
use crate::feature::Scheme;
use crate::game::{Game, Move};
use crate::random::Random;
use crate::score::{Score, Window};
use crate::settings::{Heuristic, Parts};

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
    pub table: &'a Table,
    pub refutations: &'a mut Refutations,
    pub guesses: &'a mut EvalCache,
    pub notes: &'a mut EvalTermCache,
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
    /// The keys of the positions that led here: those of the game before the root, then those of the current path.
    pub path: Vec<u64>,
    /// How many of them were before the root.
    pub past: usize,
    /// Moves that are not searched at the root, by their codes.
    pub left_out: Vec<u16>,
    /// Who wants to know what is best at the root.
    pub watch: Option<Watch<'a>>,
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
    /// Whether the last move was a pass; two in a row would prove nothing.
    pub after_pass: bool,
}

/// What kind of move a node wants next.
#[derive(Copy, Clone)]
struct Ask {
    height: u32,
    /// The code of the move to begin with.
    hint: Option<u16>,
    /// Whether quiet moves are of no interest.
    only_tactical: bool,
}

/// How many nodes may pass between two looks at the interrupt: a millisecond or two.
pub const STRETCH: u64 = 1 << 11;

impl<G: Game, P: Parts> Search<'_, G, P> {
    /// Counts a node, and returns its score: at once if nothing is to be searched below it.
    #[inline(always)]
    pub fn visit(&mut self, position: &G, node: Node) -> Result<Score, Stopped> {
        if self.nodes == self.pause {
            self.check_limits()?;
        }
        self.nodes += 1;
        if let Some(outcome) = position.terminal_result() {
            self.height = self.height.max(node.height);
            return Ok(Score::of(outcome, node.height));
        }
        if self.parts.foresight()
            && node.height > 0
            && let Some((outcome, plies)) = position.race_result()
        {
            self.height = self.height.max(node.height);
            return Ok(Score::of(outcome, node.height + plies));
        }
        if G::DRAWS && node.height > 0 && (position.is_drawn() || self.parts.repetition() && self.comes_back(position))
        {
            self.height = self.height.max(node.height);
            return Ok(Score::EVEN);
        }
        if node.depth.is_spent() || node.height as usize >= HIGHEST - 1 {
            self.height = self.height.max(node.height);
            return if G::TACTICAL {
                self.quiesce(position, node)
            } else {
                Ok(position.evaluate_with(self.heuristic, self.notes))
            };
        }
        self.expand(position, node)
    }

    /// Searches the moves of a position.
    fn expand(&mut self, position: &G, node: Node) -> Result<Score, Stopped> {
        let Node { depth, mut window, height, on_previous, .. } = node;

        // Step 1: what the transposition table knows. At the root a move is wanted, not just a score; and where lines
        // may run in circles, those of the principal variation are not cut short.
        let key = if self.parts.table() || self.parts.repetition() { position.key() } else { 0 };
        let known = if self.parts.table() { self.table.get(key) } else { None };
        if height > 0
            && (!G::DRAWS || window.is_null())
            && let Some(score) = known.and_then(|known| known.answer(depth, window, height))
        {
            return Ok(score);
        }

        // Step 2: whether it is so good or so bad that no move needs to be searched.
        let checked = position.in_check();
        let guesses = self.parts.futility() || self.parts.null_move();
        let guess = (guesses && window.is_null() && !checked).then(|| self.evaluate(position, key));
        if self.parts.repetition() {
            self.path.truncate(self.past + height as usize);
            self.path.push(key);
        }
        if let Some(guess) = guess
            && let Some(score) = self.cut_short(position, node, guess)?
        {
            return Ok(score);
        }

        // Step 3: the moves, the most promising first; where the game can tell that the table's move is legal, all
        // others are made only if that one does not settle the matter.
        let followed = if on_previous { self.previous.get(height as usize).copied() } else { None };
        let hint = followed.map(|m| m.code()).or(known.and_then(|known| known.best));
        let mut picker =
            Picker::new(hint.filter(|code| self.allows(*code, height)).and_then(|code| position.recall(code)));

        // Step 4: sort all of them into the features of the scheme.
        let mut classes = Classes::default();
        self.control.classify(position, &mut classes);

        // Step 5: search each with what depth it leaves.
        let hopeless = Hopeless::new(self.parts, guess, node);
        // Where no quiet move can help, and the scheme takes no interest in any, they are not even made.
        let floor = guess.filter(|_| hopeless.are_quiet_moves() && classes.is_empty());
        let mut best = floor.unwrap_or(Score::LOWEST);
        let mut best_move = None;
        let mut searched = 0;
        let only_tactical = floor.is_some();
        while let Some(m) = self.next_move(&mut picker, position, Ask { height, hint, only_tactical }) {
            let is_quiet = !G::TACTICAL || !position.is_tactical(m);
            let mut cost = self.control.cost(&classes, m);
            let is_late = (searched > 0 || floor.is_some()) && !checked && cost.fired.is_none();
            if is_late && !best.is_forced_loss() && hopeless.has(position, m, is_quiet, searched) {
                // What comes after a hopeless quiet move is no better, unless the scheme takes an interest in it.
                if is_quiet && classes.is_empty() {
                    break;
                }
                continue;
            }
            let next = position.play(m);
            if is_late && self.parts.reductions() && is_quiet {
                cost = self.doubted(cost, m, &next, node, searched);
            }
            searched += 1;
            if let Some(feature) = cost.fired {
                self.fired[feature] += 1;
            }
            let child = Node {
                depth: depth.after(cost.weight),
                window: window.flipped(),
                height: height + 1,
                on_previous: followed == Some(m),
                after_pass: false,
            };
            // Leaves do not touch their line, so the one of an earlier sibling has to go.
            self.lines[height as usize + 1].clear();
            let score = self.search_move(&next, child, cost, best_move.is_some())?;
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
                    self.show_root(position, m, score, window);
                }
                if score >= window.beta {
                    if is_quiet {
                        let failed = picker
                            .tried()
                            .filter(|&other| other != m && (!G::TACTICAL || !position.is_tactical(other)));
                        self.refutations.record(self.parts, m, failed, height, depth.whole_plies());
                    }
                    break;
                }
            }
        }
        if searched == 0 && (floor.is_none() || !position.can_move()) {
            return Ok(Score::of(position.no_moves_result(), height));
        }

        // Step 6: remember the result.
        if self.parts.table() {
            let bound = Bound::of(best, node.window);
            let best_code = best_move.map(|m| m.code());
            self.table.put(key, TableEntry { best: best_code, score: best.from_node(height), depth, bound });
        }
        Ok(best)
    }

    /// The next move to try.
    #[inline(always)]
    fn next_move(&mut self, picker: &mut Picker<G::Move>, position: &G, ask: Ask) -> Option<G::Move> {
        let Ask { height, hint, only_tactical } = ask;
        let left_out: &[u16] = if height == 0 { &self.left_out } else { &[] };
        let (parts, refutations) = (self.parts, &*self.refutations);
        picker.next(&Source { position, parts, refutations, height, hint, only_tactical, left_out }, &mut self.random)
    }

    /// Whether the move with this code may be tried at this height.
    #[inline]
    fn allows(&self, code: u16, height: u32) -> bool {
        height > 0 || !self.left_out.contains(&code)
    }

    /// The score of a move: with a null window first, if there is a move already that it has to beat, and less deep if
    /// it is doubted. Whatever such a look finds to be better than expected is looked at again.
    #[inline(always)]
    fn search_move(&mut self, position: &G, child: Node, cost: Cost, beaten: bool) -> Result<Score, Stopped> {
        let window = child.window.flipped();
        let probe = Node { window: window.null().flipped(), ..child };
        if cost.doubt != Weight::NOTHING {
            let score = -self.visit(position, Node { depth: child.depth.after(cost.doubt), ..probe })?;
            if score <= window.alpha {
                return Ok(score);
            }
        }
        if self.parts.null_window() && beaten && !child.window.is_null() {
            let score = -self.visit(position, probe)?;
            if score <= window.alpha || score >= window.beta {
                return Ok(score);
            }
        }
        Ok(-self.visit(position, child)?)
    }

    /// How much a late move to this position is doubted.
    fn doubted(&self, cost: Cost, m: G::Move, next: &G, node: Node, tried: usize) -> Cost {
        let is_killer = self.parts.killers() && self.refutations.is_killer(m, node.height);
        let doubt = Doubt {
            depth: node.depth,
            tried,
            null_window: node.window.is_null(),
            is_sharp: is_killer || next.in_check(),
            history: if self.parts.history() { self.refutations.history(m) } else { 0 },
        };
        self.control.doubted(cost, &doubt)
    }

    /// The evaluation, which where there is a table is remembered too.
    #[inline]
    fn evaluate(&mut self, position: &G, key: u64) -> Score {
        if !self.parts.table() {
            return position.evaluate_with(self.heuristic, self.notes);
        }
        self.guesses.get_or(key, || position.evaluate_with(self.heuristic, self.notes))
    }

    /// The score of a position that is so far above the window that searching its moves is a waste.
    fn cut_short(&mut self, position: &G, node: Node, guess: Score) -> Result<Option<Score>, Stopped> {
        let Node { depth, window, height, after_pass, .. } = node;
        if height == 0 || !window.is_null() || window.beta.is_forced() {
            return Ok(None);
        }
        if self.parts.futility() && margins::is_far_above(guess, window.beta, depth) {
            return Ok(Some(guess));
        }
        let may_pass = self.parts.null_move() && !after_pass && guess >= window.beta && depth >= Depth::plies(2);
        if may_pass && let Some(passed) = position.pass() {
            let depth = self.control.after_pass(depth, guess.units() - window.beta.units());
            let child =
                Node { depth, window: window.flipped(), height: height + 1, on_previous: false, after_pass: true };
            self.lines[height as usize + 1].clear();
            let score = -self.visit(&passed, child)?;
            if score >= window.beta {
                // A win that relies on passing is none.
                return Ok(Some(if score.is_forced() { window.beta } else { score }));
            }
        }
        Ok(None)
    }

    /// Plays out the tactical moves, so that no position is evaluated in the middle of an exchange.
    ///
    /// The transposition table is left alone: waiting for its memory would take longer than most of these searches.
    fn quiesce(&mut self, position: &G, node: Node) -> Result<Score, Stopped> {
        let Node { mut window, height, .. } = node;
        let key = if self.parts.table() { position.key() } else { 0 };
        if height as usize >= HIGHEST - 1 {
            return Ok(self.evaluate(position, key));
        }

        // The side to move need not capture, so the evaluation is a floor; under check it may be worthless.
        let evades = self.parts.evasions() && position.in_check();
        let floor = if evades { Score::LOWEST } else { self.evaluate(position, key) };
        if floor >= window.beta {
            return Ok(floor);
        }
        window.alpha = window.alpha.max(floor);
        // What wins too little to matter is not even made.
        let least = if self.parts.exchange() && self.parts.futility() {
            margins::least_gain(floor, window.alpha)
        } else {
            i32::MIN
        };
        let mut picker = Picker::new(None);
        picker.fill(|list| if evades { position.moves(list) } else { position.tactical_moves(least, list) });
        if evades && picker.is_empty() {
            return Ok(Score::of(position.no_moves_result(), height));
        }
        picker.rank(&mut self.random, |m| position.capture_order(m));

        let mut best = floor;
        while let Some(m) = picker.pick(&mut self.random) {
            if !evades && self.parts.exchange() && !self.is_worth_it(position, m, floor, window.alpha) {
                continue;
            }
            let child =
                Node { window: window.flipped(), height: height + 1, on_previous: false, after_pass: false, ..node };
            self.lines[height as usize + 1].clear();
            let score = -self.visit(&position.play(m), child)?;
            if score <= best {
                continue;
            }
            best = score;
            if score > window.alpha {
                window.alpha = score;
                self.keep_line(m, height);
                if score >= window.beta {
                    break;
                }
            }
        }
        Ok(best)
    }

    /// Whether a capture can lift the score above alpha, and does not lose material.
    fn is_worth_it(&self, position: &G, m: G::Move, floor: Score, alpha: Score) -> bool {
        let in_reach = !self.parts.futility() || position.gain(m) >= margins::least_gain(floor, alpha);
        in_reach && position.wins_exchange(m, 0)
    }

    /// Whether this position stood on the board before: once on the path from the root, or twice in the game.
    fn comes_back(&self, position: &G) -> bool {
        let reach = (position.reversible_plies() as usize).min(self.path.len());
        if reach < 4 {
            return false;
        }
        let key = position.key();
        let mut before_root = 0;
        // The last position of the path is the one the opponent moved in, the one before it was ours.
        for place in (self.path.len() - reach..self.path.len() - 3).rev() {
            if (self.path.len() - place).is_multiple_of(2) && self.path[place] == key {
                before_root += u32::from(place < self.past);
                if place >= self.past || before_root == 2 {
                    return true;
                }
            }
        }
        false
    }

    /// The line that begins with this move is the best so far at this height.
    fn keep_line(&mut self, m: G::Move, height: u32) {
        let (upper, lower) = self.lines.split_at_mut(height as usize + 1);
        let line = &mut upper[height as usize];
        line.clear();
        line.push(m);
        line.extend(lower[0].iter().copied().take(HIGHEST - 1));
    }

    /// Tells the watch that this move is the best so far, unless its score is only a bound.
    fn show_root(&mut self, position: &G, m: G::Move, score: Score, window: Window) {
        if let Some(Watch(tell)) = self.watch
            && score < window.beta
        {
            tell(&Sight { best: position.print_move(m), score, nodes: self.nodes });
            // What was seen may be enough, so the interrupt is asked before anything else is searched.
            self.pause = self.nodes;
        }
    }

    /// Whether to go on: asked only now and then.
    #[cold]
    fn check_limits(&mut self) -> Result<(), Stopped> {
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
