//! One whole search: iterative deepening within its limits, and what there is to say about it.

use std::cmp::Reverse;
use std::fmt;
use std::sync::Arc;

use thiserror::Error;

pub use super::alphabeta::STRETCH;
use super::alphabeta::{HIGHEST, Line, Node, Search, Stopped};
use super::control::Control;
use super::order::Refutations;
use super::table::{EvalCache, Table};
use crate::depth::Depth;
use crate::eval_terms::EvalTermCache;
use crate::feature::Scheme;
use crate::game::{Game, Move};
use crate::random::Random;
use crate::score::{Score, Window};
use crate::settings::{Bare, Parts, Settings, Switches};

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
    /// What is special about the root.
    pub root: Root<'a>,
}

/// What is special about the root of a search; by default nothing.
#[derive(Copy, Clone, Default, Debug)]
pub struct Root<'a> {
    /// The keys of the positions that stood on the board before, the oldest first.
    pub past: &'a [u64],
    /// The only moves to be searched; none stands for all. What is not a legal move is passed over.
    pub only: &'a [String],
    /// How many more lines to search than the best, each begun with another move.
    pub more_lines: usize,
    /// How many of the first iterations to leave out, so that searches at the same time do not all do the same.
    pub skip: u32,
    /// Who is told what is best at the root, while iterations are still under way.
    pub watch: Option<Watch<'a>>,
}

/// Is told of every move that turns out to be the best so far at the root, once its score is more than a bound. The
/// [`Interrupt`] is asked right after it.
#[derive(Copy, Clone)]
pub struct Watch<'a>(pub &'a (dyn Fn(&Sight) + Sync));

/// What is best at the root at some moment of a search.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Sight {
    /// The move.
    pub best: String,
    /// Its value for the side to move.
    pub score: Score,
    /// Nodes searched so far.
    pub nodes: u64,
}

/// Whether a search should stop although its limit is not reached: a key was pressed, a clock ran out.
///
/// It is asked before the first node, then every [`STRETCH`] nodes, and after every observed iteration.
pub type Interrupt<'a> = dyn Fn() -> bool + Sync + 'a;

/// When a search stops if it has not proved a result before.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct Limit {
    /// Never more than this many nodes.
    pub nodes: u64,
    /// Never deeper than this many nominal plies.
    pub depth: u32,
    /// A forced win within this many plies is enough.
    pub win: u32,
}

/// Memory that searches use one after the other. No result is carried over from one to the next, unless it is told to.
#[derive(Debug, Default)]
pub struct Workspace {
    table: Arc<Table>,
    refutations: Refutations,
    guesses: EvalCache,
    notes: EvalTermCache,
    /// Whether the table belongs to another workspace, which sees to it.
    is_companion: bool,
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
    /// Which line this is, from the best, 0, on; see [`Root::more_lines`].
    pub rank: usize,
    /// How much of the transposition table is in use, of a thousand.
    pub fullness: u32,
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

impl fmt::Debug for Watch<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Watch")
    }
}

impl Workspace {
    /// A workspace that has the memory which searches with these settings need.
    pub fn with_memory(settings: &Settings) -> Result<Workspace, NoMemory> {
        let mib = settings.switches.table_mib;
        let mut table = Table::default();
        table.reserve(mib).map_err(|_| NoMemory { mib })?;
        Ok(Workspace { table: Arc::new(table), ..Workspace::default() })
    }

    /// Makes the table now that searches with these settings need, so that the first of them begins at once.
    pub fn make_room(&mut self, settings: &Settings) {
        self.own_table().prepare(settings.switches.table_mib);
    }

    /// Workspaces for searches at the same time that share this one's table. They must be gone before this one is used.
    pub fn companions(&mut self, settings: &Settings, count: usize) -> Vec<Workspace> {
        self.make_room(settings);
        let one = || Workspace { table: Arc::clone(&self.table), is_companion: true, ..Workspace::default() };
        std::iter::repeat_with(one).take(count).collect()
    }

    /// Forgets everything that was found, and says whether what is found from now on is kept from search to search.
    /// The workspace must have no companion.
    pub fn forget(&mut self, remember: bool) {
        self.own_table().forget(remember);
    }

    fn prepare(&mut self, mib: u32, codes: usize) {
        if !self.is_companion {
            self.own_table().prepare(mib);
        }
        self.refutations.prepare(HIGHEST, codes);
        self.notes.prepare();
        if mib > 0 {
            self.guesses.prepare();
        }
    }

    /// The table; a new one if, against the rules, a companion still holds it.
    fn own_table(&mut self) -> &mut Table {
        if Arc::get_mut(&mut self.table).is_none() {
            self.table = Arc::default();
        }
        Arc::get_mut(&mut self.table).expect("nobody else can have it yet")
    }
}

impl<M> Report<M> {
    /// The same report with its moves written in another way, from the first on.
    pub fn with_line<N>(self, write: impl FnMut(M) -> N) -> Report<N> {
        let Report { line, score, nodes, moves, depth, height, fired, end, rank, fullness } = self;
        let line = line.into_iter().map(write).collect();
        Report { line, score, nodes, moves, depth, height, fired, end, rank, fullness }
    }
}

impl Limit {
    /// The deepest iteration there is.
    pub const DEEPEST: u32 = HIGHEST as u32 - 1;

    /// So many nodes, at any depth.
    pub const fn nodes(nodes: u64) -> Limit {
        Limit { nodes, depth: Limit::DEEPEST, win: u32::MAX }
    }

    /// So many nominal plies, whatever they take.
    pub const fn depth(depth: u32) -> Limit {
        Limit { nodes: u64::MAX, depth, win: u32::MAX }
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
    if task.settings.switches == Switches::NONE {
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
    let mut search = begin(position, task, &control, parts, workspace);
    let choices = position.legal_moves().len() - search.left_out.len();
    let mut states: Vec<State<G::Move>> = (0..=task.root.more_lines).take(choices.max(1)).map(State::new).collect();
    let none_left_out = search.left_out.len();
    'iterations: for next in 1 + task.root.skip..=task.limit.depth.min(Limit::DEEPEST) {
        search.left_out.truncate(none_left_out);
        for state in &mut states {
            iterate(position, task, &mut search, state, next);
            if state.depth == next
                && let Some(observer) = &mut observer
            {
                observer(report(&search, task, state));
                // What the observer saw may be enough, so the interrupt is asked before anything else is searched.
                search.pause = search.nodes;
            }
            let is_over = if state.rank == 0 { state.end != End::Depth } else { state.is_cut_short() };
            if is_over {
                break 'iterations;
            }
            search.left_out.extend(state.line.first().map(|m| m.code()));
        }
        // Where lines were ranked by an iteration, the next begins with the best.
        states.sort_by_key(|state| Reverse(state.score));
        states.iter_mut().enumerate().for_each(|(rank, state)| state.rank = rank);
    }
    let mut best = states.swap_remove(0);
    // A limit too small for a single move must not leave a player without one.
    if best.line.is_empty() {
        let mut list = position.legal_moves();
        list.retain(|m| !search.left_out[..none_left_out].contains(&m.code()));
        best.line.extend(list.get(search.random.below(list.len().max(1))).copied());
    }
    report(&search, task, &best)
}

/// How far the iterations have come with one line.
struct State<M> {
    rank: usize,
    line: Line<M>,
    score: Score,
    depth: u32,
    iterations: u64,
    end: End,
}

impl<M> State<M> {
    fn new(rank: usize) -> State<M> {
        State { rank, line: Line::new(), score: Score::EVEN, depth: 0, iterations: 0, end: End::Depth }
    }

    fn is_cut_short(&self) -> bool {
        matches!(self.end, End::Nodes | End::Interrupted)
    }
}

/// One iteration of one line.
fn iterate<G: Game, P: Parts>(
    position: &G,
    task: &Task<'_>,
    search: &mut Search<'_, G, P>,
    state: &mut State<G::Move>,
    next: u32,
) {
    search.root_score = None;
    search.previous = state.line.clone();
    let result = aspire(position, task, search, state, next);
    // Even an unfinished iteration has something to say: its first move was the best one so far.
    if let Some(found) = search.root_score {
        state.score = found;
        state.line = search.lines[0].clone();
    }
    match result {
        Ok(()) => state.depth = next,
        Err(Stopped::Nodes) => state.end = End::Nodes,
        Err(Stopped::Interrupted) => state.end = End::Interrupted,
    }
    // One winning move proves a win; a loss is proved only when every move has been searched.
    let is_won = state.score.win_in().is_some_and(|plies| plies <= task.limit.win);
    let is_lost = state.depth == next && (-state.score).win_in().is_some();
    // What an interrupt cut short depends on its moment, and must not pass for a result.
    if state.end != End::Interrupted && (is_won || is_lost) {
        state.end = End::Proved;
    }
}

/// Searches the root with a window around the score before, and wider ones until the score is inside.
fn aspire<G: Game, P: Parts>(
    position: &G,
    task: &Task<'_>,
    search: &mut Search<'_, G, P>,
    state: &mut State<G::Move>,
    next: u32,
) -> Result<(), Stopped> {
    let narrow = task.settings.switches.aspiration && next > ASPIRE_FROM && !state.score.is_forced();
    let mut margin = if narrow { MARGIN } else { i32::MAX };
    let mut window = Window::around(state.score, margin);
    loop {
        let root = Node { depth: Depth::plies(next), window, height: 0, on_previous: true, after_pass: false };
        let before = search.nodes;
        let result = search.visit(position, root);
        state.iterations += u64::from(search.nodes > before);
        let score = result?;
        margin = if margin > WIDEST { i32::MAX } else { margin * 3 };
        if score <= window.alpha && window.alpha > Score::LOWEST {
            window.alpha = Window::around(state.score, margin).alpha;
        } else if score >= window.beta && window.beta < Window::FULL.beta {
            window.beta = Window::around(state.score, margin).beta;
            search.previous = search.lines[0].clone();
        } else {
            return Ok(());
        }
    }
}

/// Scores jump in the first iterations.
const ASPIRE_FROM: u32 = 4;
/// The first window reaches this far from the expected score to both sides; later ones three times as far each.
const MARGIN: i32 = 20;
/// Beyond this, any score is possible.
const WIDEST: i32 = 500;

fn begin<'a, G: Game, P: Parts>(
    position: &G,
    task: &'a Task<'_>,
    control: &'a Control,
    parts: P,
    workspace: &'a mut Workspace,
) -> Search<'a, G, P> {
    workspace.prepare(task.settings.switches.table_mib, G::Move::CODES);
    let mut path = Vec::with_capacity(task.root.past.len() + HIGHEST + 1);
    path.extend_from_slice(task.root.past);
    Search {
        control,
        parts,
        heuristic: task.settings.heuristic,
        random: Random::new(task.seed),
        table: &workspace.table,
        refutations: &mut workspace.refutations,
        guesses: &mut workspace.guesses,
        notes: &mut workspace.notes,
        limit: task.limit.nodes,
        interrupt: task.interrupt,
        nodes: 0,
        pause: 0,
        height: 0,
        fired: [0; Scheme::MOST_FEATURES],
        previous: Line::new(),
        lines: vec![Line::new(); HIGHEST + 1],
        root_score: None,
        path,
        past: task.root.past.len(),
        left_out: left_out(position, task.root.only),
        watch: task.root.watch,
    }
}

/// The codes of all moves but these; of none if that would leave nothing to search.
fn left_out<G: Game>(position: &G, only: &[String]) -> Vec<u16> {
    let list = position.legal_moves();
    let is_named = |m: &G::Move| only.iter().any(|text| *text == position.print_move(*m));
    if only.is_empty() || !list.iter().any(is_named) {
        return Vec::with_capacity(list.len());
    }
    let mut codes = Vec::with_capacity(list.len());
    codes.extend(list.iter().filter(|m| !is_named(m)).map(|m| m.code()));
    codes
}

fn report<G: Game, P: Parts>(search: &Search<'_, G, P>, task: &Task<'_>, state: &State<G::Move>) -> Report<G::Move> {
    Report {
        line: state.line.to_vec(),
        score: state.score,
        nodes: search.nodes,
        moves: search.nodes - state.iterations,
        depth: state.depth,
        height: search.height,
        fired: search.fired[..task.scheme.features().len()].to_vec(),
        end: state.end,
        rank: state.rank,
        fullness: search.table.fullness(),
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicU32, Ordering};

    use super::{End, Limit, Root, Task, Workspace, deepen, search};
    use crate::depth::Weight;
    use crate::feature::Scheme;
    use crate::game::Game;
    use crate::games::breakthrough::{AnySize, GUARDED, PRESETS, Position, Standard};
    use crate::random::Random;
    use crate::search::proof::Prover;
    use crate::settings::Bare;

    /// The positions of some random games on 5×5.
    fn positions(games: u64) -> Vec<Position<AnySize>> {
        let mut random = Random::new(games);
        let mut positions = Vec::new();
        for _ in 0..games {
            let mut position = Position::parse("ppppp/ppppp/5/PPPPP/PPPPP w").unwrap();
            while position.terminal_result().is_none() {
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
        let settings = PRESETS.classic(GUARDED);
        let mut workspace = Workspace::default();
        for (seed, position) in positions(8).iter().enumerate() {
            for scheme in [&Scheme::neutral(), &scheme] {
                let limit = Limit { depth: 6, ..Limit::nodes(5_000) };
                let task =
                    Task { settings, scheme, limit, seed: seed as u64, interrupt: &|| false, root: Root::default() };
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
                let settings = PRESETS.classic(GUARDED);
                let task =
                    Task { settings, scheme: &scheme, limit, seed: 1, interrupt: &|| false, root: Root::default() };
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
                let (settings, limit) = (PRESETS.classic(GUARDED), Limit::nodes(3_000_000));
                let task =
                    Task { settings, scheme: &scheme, limit, seed, interrupt: &interrupt, root: Root::default() };
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
