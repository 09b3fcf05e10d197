//! One whole search: iterative deepening within its limits, and what there is to say about it.

use super::alphabeta::{HIGHEST, Line, Node, Search, Stopped};
use super::control::Control;
use super::depth::Depth;
use super::order::Refutations;
use super::score::{Score, Window};
use super::settings::{Bare, Parts, Settings};
use super::table::Table;
use crate::feature::Scheme;
use crate::game::{Game, Move};
use crate::random::Random;

/// Everything a search depends on but the position.
#[derive(Clone)]
pub struct Task<'a> {
    /// How to search.
    pub settings: Settings,
    /// Which moves to search deeper or shallower.
    pub scheme: &'a Scheme,
    /// When to stop.
    pub limit: Limit,
    /// What the order of moves is drawn from.
    pub seed: u64,
    /// Asked now and then whether to stop early.
    pub interrupt: &'a Interrupt<'a>,
}

/// Whether a search should stop although its limit is not reached: a key was pressed, a clock ran out.
pub type Interrupt<'a> = dyn Fn() -> bool + Sync + 'a;

/// When a search stops if it has not proved a result before.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct Limit {
    /// Never more than this many nodes.
    pub nodes: u64,
    /// Never deeper than this many nominal plies.
    pub depth: u32,
}

/// Memory that searches use one after the other. No result is carried over from one to the next.
#[derive(Debug, Default)]
pub struct Workspace {
    table: Table,
    refutations: Refutations,
}

/// What a search found, and what it took.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Report<M> {
    /// The best line, from the last iteration in which at least one move was searched.
    pub line: Vec<M>,
    /// The value of that line for the side to move at the root.
    pub score: Score,
    /// Calls of the search function: every made move, and the root once an iteration.
    pub nodes: u64,
    /// Of these, made moves.
    pub moves: u64,
    /// The deepest iteration that was finished, in nominal plies.
    pub depth: u32,
    /// The longest line that was looked at.
    pub height: u32,
    /// For each feature of the scheme, how many made moves it decided the cost of.
    pub fired: Vec<u64>,
    /// Why it ended.
    pub end: End,
}

/// Why a search ended.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum End {
    /// A win or loss is proved.
    Proved,
    /// The depth limit was reached.
    Depth,
    /// The node limit was reached.
    Nodes,
    /// It was interrupted.
    Interrupted,
}

impl<M> Report<M> {
    /// The same report with its moves written in another way, from the first on.
    pub fn with_line<N>(self, write: impl FnMut(M) -> N) -> Report<N> {
        let Report { line, score, nodes, moves, depth, height, fired, end } = self;
        Report { line: line.into_iter().map(write).collect(), score, nodes, moves, depth, height, fired, end }
    }
}

impl Limit {
    /// The deepest iteration there is.
    pub const DEEPEST: u32 = HIGHEST as u32 - 1;

    /// So many nodes, at any depth.
    pub const fn nodes(nodes: u64) -> Limit {
        Limit { nodes, depth: Limit::DEEPEST }
    }

    /// So many nominal plies, whatever they take.
    pub const fn depth(depth: u32) -> Limit {
        Limit { nodes: u64::MAX, depth }
    }
}

/// Searches a position that is not decided.
pub fn search<G: Game>(position: &G, task: &Task<'_>, workspace: &mut Workspace) -> Report<G::Move> {
    // The papers' set-up gets code of its own, in which no switch is asked.
    if task.settings == Settings::classic(task.settings.heuristic) {
        deepen(position, task, Bare, workspace)
    } else {
        deepen(position, task, task.settings.switches, workspace)
    }
}

fn deepen<G: Game, P: Parts>(position: &G, task: &Task<'_>, parts: P, workspace: &mut Workspace) -> Report<G::Move> {
    workspace.table.prepare(task.settings.switches.table_mib);
    workspace.refutations.prepare(HIGHEST, G::Move::CODES);
    let mut search = Search {
        control: &Control::new(task.scheme),
        parts,
        heuristic: task.settings.heuristic,
        random: Random::new(task.seed),
        table: &mut workspace.table,
        refutations: &mut workspace.refutations,
        limit: task.limit.nodes,
        interrupt: task.interrupt,
        nodes: 0,
        pause: 0,
        height: 0,
        fired: [0; Scheme::MOST_FEATURES],
        previous: Line::new(),
        lines: vec![Line::new(); HIGHEST + 1],
        root_score: None,
    };
    let (mut score, mut depth, mut iterations, mut end) = (Score::EVEN, 0, 0, End::Depth);
    for next in 1..=task.limit.depth.min(Limit::DEEPEST) {
        search.root_score = None;
        let root = Node { depth: Depth::plies(next), window: Window::FULL, height: 0, on_previous: true };
        let before = search.nodes;
        let result = search.visit(position, root);
        iterations += u64::from(search.nodes > before);
        // Even an unfinished iteration has something to say: its first move was the best one so far.
        if let Some(found) = search.root_score {
            score = found;
            search.previous = search.lines[0].clone();
        }
        match result {
            Ok(_) => depth = next,
            Err(Stopped::Nodes) => end = End::Nodes,
            Err(Stopped::Interrupted) => end = End::Interrupted,
        }
        if score.win_in().or((-score).win_in()).is_some() {
            end = End::Proved;
        }
        if end != End::Depth {
            break;
        }
    }
    Report {
        line: search.previous.to_vec(),
        score,
        nodes: search.nodes,
        moves: search.nodes - iterations,
        depth,
        height: search.height,
        fired: search.fired[..task.scheme.features().len()].to_vec(),
        end,
    }
}
