//! One whole search: iterative deepening within its limits, and what there is to say about it.

use thiserror::Error;

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
    /// The best line, from the last iteration in which at least one move was searched; any legal move
    /// if there was none.
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

/// Is given a report after every finished iteration.
pub type Observer<'a, M> = &'a mut dyn FnMut(Report<M>);

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

/// There is not enough memory for a transposition table.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Error)]
#[error("there is no memory for a table of {mib} MiB for each thread; choose a smaller one with table=MIB")]
pub struct NoMemory {
    /// The size that was asked for.
    pub mib: u32,
}

impl Workspace {
    /// A workspace that has the memory which searches with these settings need.
    pub fn with_memory(settings: &Settings) -> Result<Workspace, NoMemory> {
        let mib = settings.switches.table_mib;
        let mut workspace = Workspace::default();
        workspace.table.reserve(mib).map_err(|_| NoMemory { mib })?;
        Ok(workspace)
    }
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
    search_observed(position, task, workspace, None)
}

/// Searches a position that is not decided, and reports after every finished iteration.
pub fn search_observed<G: Game>(
    position: &G,
    task: &Task<'_>,
    workspace: &mut Workspace,
    observer: Option<Observer<'_, G::Move>>,
) -> Report<G::Move> {
    // The papers' set-up gets code of its own, in which no switch is asked.
    if task.settings == Settings::classic(task.settings.heuristic) {
        deepen(position, task, Bare, workspace, observer)
    } else {
        deepen(position, task, task.settings.switches, workspace, observer)
    }
}

fn deepen<G: Game, P: Parts>(
    position: &G,
    task: &Task<'_>,
    parts: P,
    workspace: &mut Workspace,
    mut observer: Option<Observer<'_, G::Move>>,
) -> Report<G::Move> {
    let control = Control::new(task.scheme);
    let mut search = begin(task, &control, parts, workspace);
    let mut state = State { score: Score::EVEN, depth: 0, iterations: 0, end: End::Depth };
    for next in 1..=task.limit.depth.min(Limit::DEEPEST) {
        search.root_score = None;
        let root = Node { depth: Depth::plies(next), window: Window::FULL, height: 0, on_previous: true };
        let before = search.nodes;
        let result = search.visit(position, root);
        state.iterations += u64::from(search.nodes > before);
        // Even an unfinished iteration has something to say: its first move was the best one so far.
        if let Some(found) = search.root_score {
            state.score = found;
            search.previous = search.lines[0].clone();
        }
        match result {
            Ok(_) => state.depth = next,
            Err(Stopped::Nodes) => state.end = End::Nodes,
            Err(Stopped::Interrupted) => state.end = End::Interrupted,
        }
        // One winning move proves a win; a loss is proved only when every move has been searched.
        let is_lost = state.depth == next && (-state.score).win_in().is_some();
        // What an interrupt cut short depends on its moment, and must not pass for a result.
        if state.end != End::Interrupted && (state.score.win_in().is_some() || is_lost) {
            state.end = End::Proved;
        }
        if state.depth == next
            && let Some(observer) = &mut observer
        {
            observer(report(&search, task, &state));
        }
        if state.end != End::Depth {
            break;
        }
    }
    // A limit too small for a single move must not leave a player without one.
    if search.previous.is_empty() {
        let list = position.legal_moves();
        search.previous.extend(list.get(search.random.below(list.len().max(1))).copied());
    }
    report(&search, task, &state)
}

/// How far the iterations have come.
struct State {
    score: Score,
    depth: u32,
    iterations: u64,
    end: End,
}

fn begin<'a, G: Game, P: Parts>(
    task: &'a Task<'_>,
    control: &'a Control,
    parts: P,
    workspace: &'a mut Workspace,
) -> Search<'a, G, P> {
    workspace.table.prepare(task.settings.switches.table_mib);
    workspace.refutations.prepare(HIGHEST, G::Move::CODES);
    Search {
        control,
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
    }
}

fn report<G: Game, P: Parts>(search: &Search<'_, G, P>, task: &Task<'_>, state: &State) -> Report<G::Move> {
    Report {
        line: search.previous.to_vec(),
        score: state.score,
        nodes: search.nodes,
        moves: search.nodes - state.iterations,
        depth: state.depth,
        height: search.height,
        fired: search.fired[..task.scheme.features().len()].to_vec(),
        end: state.end,
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicU32, Ordering};

    use super::{End, Limit, Task, Workspace, deepen, search};
    use crate::feature::Scheme;
    use crate::game::Game;
    use crate::games::breakthrough::{AnySize, GUARDED, Position, Standard};
    use crate::random::Random;
    use crate::search::depth::Weight;
    use crate::search::proof::Prover;
    use crate::search::settings::{Bare, Settings};

    /// The positions of some random games on 5×5.
    fn positions(games: u64) -> Vec<Position<AnySize>> {
        let mut random = Random::new(games);
        let mut positions = Vec::new();
        for _ in 0..games {
            let mut position = Position::parse("ppppp/ppppp/5/PPPPP/PPPPP w").unwrap();
            while position.decided().is_none() {
                positions.push(position);
                let list = position.legal_moves();
                position = position.play(list[random.below(list.len())]);
            }
        }
        positions
    }

    /// Nothing outside this file can see which one was compiled in, so it is shown here.
    #[test]
    fn the_bare_search_is_the_one_with_all_parts_off_node_for_node() {
        let scheme = Position::<AnySize>::VOCABULARY.parse_scheme("Ud-PP,C@0.75", Weight::HALF).unwrap();
        let settings = Settings::classic(GUARDED);
        let mut workspace = Workspace::default();
        for (seed, position) in positions(8).iter().enumerate() {
            for scheme in [&Scheme::neutral(), &scheme] {
                let limit = Limit { nodes: 5_000, depth: 6 };
                let task = Task { settings, scheme, limit, seed: seed as u64, interrupt: &|| false };
                let bare = deepen(position, &task, Bare, &mut workspace, None);
                let switched = deepen(position, &task, settings.switches, &mut workspace, None);
                assert_eq!(bare, switched, "{position}");
            }
        }
    }

    /// A move that loses proves nothing while other moves were not tried: the limit may come in between.
    #[test]
    fn a_loss_is_called_proved_only_when_every_move_loses() {
        let scheme = Scheme::neutral();
        let mut workspace = Workspace::default();
        let mut losses = 0;
        for position in positions(40) {
            for nodes in [50, 200, 1_000] {
                let limit = Limit::nodes(nodes);
                let settings = Settings::classic(GUARDED);
                let task = Task { settings, scheme: &scheme, limit, seed: 1, interrupt: &|| false };
                let report = search(&position, &task, &mut workspace);
                let (End::Proved, Some(plies)) = (report.end, (-report.score).win_in()) else { continue };
                for m in position.legal_moves() {
                    let refuted = Prover::default().shortest_win(&position.play(m), plies).is_some();
                    assert!(refuted, "{nodes} nodes of {position} prove a {}, but {m:?} is not lost", report.score);
                }
                losses += 1;
            }
        }
        assert!(losses > 20, "only {losses} losses");
    }

    /// An interrupt may come after a win was found and before its iteration is through.
    #[test]
    fn what_was_interrupted_never_passes_for_a_result() {
        let position = Position::<Standard>::parse("8/2pp4/4p3/pp1pp2p/7P/PPPP3P/1P2P2P/8 b").unwrap();
        let scheme = Position::<Standard>::VOCABULARY.parse_scheme("RdTt", Weight::HALF).unwrap();
        let mut hits = 0;
        for seed in 0..12 {
            let run = |most_looks: u32| {
                let looks = AtomicU32::new(0);
                let interrupt = || looks.fetch_add(1, Ordering::Relaxed) >= most_looks;
                let (settings, limit) = (Settings::classic(GUARDED), Limit::nodes(3_000_000));
                let task = Task { settings, scheme: &scheme, limit, seed, interrupt: &interrupt };
                let report = search(&position, &task, &mut Workspace::default());
                (report, looks.into_inner())
            };
            let (whole, looks) = run(u32::MAX);
            assert_eq!(whole.end, End::Proved);
            for most in looks.saturating_sub(12)..looks {
                let (cut, _) = run(most);
                assert_eq!(cut.end, End::Interrupted, "seed {seed}, after {most} of {looks} looks");
                hits += u32::from(cut.score.win_in().is_some());
            }
        }
        assert!(hits > 0, "no interrupt came at the moment that matters");
    }
}
