//! Iterative deepening: one whole search within its limits.

use std::cmp::Reverse;

use super::context::{Line, Node, NodeKind, Reached, Search, Stopped};
use super::policy::{AnyPolicy, ControlPolicy, DepthPolicy, Reductions, SchemePolicy};
use super::recorder::Recorder;
use super::report::{End, Observer, Report};
use super::task::{Limit, MAX_HEIGHT, Task};
use super::trace::{NoTrace, Step, Tracer};
use super::tree::SearchTree;
use super::workspace::Workspace;
use crate::depth::Depth;
use crate::game::{Game, Move};
use crate::random::Random;
use crate::score::{Score, Window};
use crate::settings::{Bare, Switches, Techniques};

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
    let position = &position.prepared(task.settings.heuristic);
    let (switches, tunables) = (task.settings.switches, &task.settings.tunables);
    if !task.scheme.is_plain() {
        let policy = Reductions::new(ControlPolicy::new(workspace.control_table(task)), tunables);
        return deepen(position, task, switches, &policy, workspace, observer);
    }
    let policy = SchemePolicy::new(task.scheme);
    // The papers' set-up gets code of its own, in which no technique is compiled.
    if switches == Switches::NONE {
        return deepen(position, task, Bare, &policy, workspace, observer);
    }
    let policy = Reductions::new(policy, tunables);
    deepen(position, task, switches, &policy, workspace, observer)
}

/// Searches a position that is not decided, as [`search_observed`] does, and records the tree: at most this many nodes.
pub fn search_recorded<G: Game>(
    position: &G,
    task: &Task<'_>,
    workspace: &mut Workspace,
    most: usize,
    observer: Observer<'_, G::Move>,
) -> (Report<G::Move>, SearchTree) {
    let position = &position.prepared(task.settings.heuristic);
    let policy = match task.scheme.is_plain() {
        true => AnyPolicy::Scheme(Box::new(SchemePolicy::new(task.scheme))),
        false => AnyPolicy::Control(ControlPolicy::new(workspace.control_table(task))),
    };
    let policy = Reductions::new(policy, &task.settings.tunables);
    let (switches, recorder) = (task.settings.switches, Recorder::new(most));
    let (report, recorder) = deepen_traced(position, task, switches, &policy, workspace, Some(observer), recorder);
    let (records, smallest) = recorder.finish();
    let rules_of = |counter| DepthPolicy::<G>::rules(&policy, counter);
    (report, SearchTree::of(position, &records, smallest, rules_of))
}

pub(super) fn deepen<G: Game, T: Techniques, P: DepthPolicy<G>>(
    position: &G,
    task: &Task<'_>,
    techniques: T,
    policy: &P,
    workspace: &mut Workspace,
    observer: Option<Observer<'_, G::Move>>,
) -> Report<G::Move> {
    deepen_traced(position, task, techniques, policy, workspace, observer, NoTrace).0
}

#[inline(always)]
fn deepen_traced<G: Game, T: Techniques, P: DepthPolicy<G>, X: Tracer<G::Move>>(
    position: &G,
    task: &Task<'_>,
    techniques: T,
    policy: &P,
    workspace: &mut Workspace,
    mut observer: Option<Observer<'_, G::Move>>,
    tracer: X,
) -> (Report<G::Move>, X) {
    let mut search = begin(position, task, techniques, policy, workspace, tracer);
    let choices = position.legal_moves().len() - search.left_out.len();
    let mut states: Vec<State<G::Move>> = (0..=task.root.more_lines).take(choices.max(1)).map(State::new).collect();
    let none_left_out = search.left_out.len();
    'iterations: for next in 1 + task.root.skip..=task.limit.depth.min(Limit::DEEPEST) {
        search.left_out.truncate(none_left_out);
        // A line that is decided is not searched again, and no other line may begin with its move.
        search.left_out.extend(states.iter().filter(|state| state.is_decided()).filter_map(State::code));
        for index in 0..states.len() {
            let state = &mut states[index];
            if state.is_decided() {
                state.depth = next;
            } else {
                iterate(position, task, &mut search, state, next);
                search.left_out.extend(state.code());
            }
            if state.depth == next
                && let Some(observer) = &mut observer
            {
                observer(report(&search, state));
                // The observer may want no more, so the interrupt is asked before anything else is searched.
                search.pause = search.nodes;
            }
            if state.is_cut_short() {
                // Scores of other depths do not compare.
                rank(&mut states[..=index]);
                break 'iterations;
            }
        }
        // Where lines were ranked by an iteration, the next begins with the best.
        rank(&mut states);
        // A search for a win within some plies has what it wants; any other goes on while a line is open.
        let has_win = task.limit.win < u32::MAX && states[0].is_decided();
        if has_win || states.iter().all(State::is_decided) {
            break;
        }
    }
    let mut best = states.swap_remove(0);
    // Even with a limit too small for a single move there must be a move to play.
    if best.line.is_empty() {
        let mut list = position.legal_moves();
        list.retain(|m| !search.left_out[..none_left_out].contains(&m.code()));
        best.line.extend(list.get(search.random.below(list.len().max(1))).copied());
    }
    (report(&search, &best), search.tracer)
}

/// The state of one line between iterations.
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

    fn is_decided(&self) -> bool {
        self.end == End::Proved
    }
}

impl<M: Move> State<M> {
    /// The code of the line's first move.
    fn code(&self) -> Option<u16> {
        self.line.first().map(|m| m.code())
    }
}

/// Ranks the lines by score. Lines that no iteration has reached come last.
fn rank<M>(states: &mut [State<M>]) {
    states.sort_by_key(|state| (state.line.is_empty(), Reverse(state.score)));
    states.iter_mut().enumerate().for_each(|(rank, state)| state.rank = rank);
}

/// One iteration of one line.
fn iterate<G: Game, T: Techniques, P: DepthPolicy<G>, X: Tracer<G::Move>>(
    position: &G,
    task: &Task<'_>,
    search: &mut Search<'_, G, T, P, X>,
    state: &mut State<G::Move>,
    next: u32,
) {
    search.root_score = None;
    search.iteration = next;
    search.previous = state.line.clone();
    let result = aspire(position, task, search, state, next);
    // Even an unfinished iteration has a result: its first move was the best one so far.
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
    // Where an interrupt cuts a search short depends on timing, so that is never a proof.
    if state.end != End::Interrupted && (is_won || is_lost) {
        state.end = End::Proved;
    }
}

/// Searches the root with a window around the score before, and wider ones until the score is inside.
fn aspire<G: Game, T: Techniques, P: DepthPolicy<G>, X: Tracer<G::Move>>(
    position: &G,
    task: &Task<'_>,
    search: &mut Search<'_, G, T, P, X>,
    state: &mut State<G::Move>,
    next: u32,
) -> Result<(), Stopped> {
    let tunables = &task.settings.tunables;
    let narrow = search.techniques.aspiration() && next > tunables.aspiration_from as u32 && !state.score.is_forced();
    let mut margin = if narrow { tunables.aspiration_window } else { i32::MAX };
    let mut window = Window::around(state.score, margin);
    loop {
        let root = Node {
            depth: Depth::plies(next),
            window,
            height: 0,
            on_previous: true,
            reached: Reached::ByMove,
            kind: NodeKind::Pv,
        };
        let before = search.nodes;
        search.tracer.announce(Step::Root);
        let result = search.visit(position, root);
        state.iterations += u64::from(search.nodes > before);
        let score = result?;
        margin = match margin > tunables.aspiration_limit {
            true => i32::MAX,
            false => margin * tunables.aspiration_growth / 100,
        };
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

/// A search that has not visited a node yet.
pub(super) fn begin<'a, G: Game, T: Techniques, P: DepthPolicy<G>, X: Tracer<G::Move>>(
    position: &G,
    task: &'a Task<'_>,
    techniques: T,
    policy: &'a P,
    workspace: &'a mut Workspace,
    tracer: X,
) -> Search<'a, G, T, P, X> {
    workspace.prepare(task.settings.switches.table_mib, G::Move::CODES);
    let mut path = Vec::with_capacity(task.root.past.len() + MAX_HEIGHT + 1);
    path.extend_from_slice(task.root.past);
    Search {
        policy,
        techniques,
        tunables: &task.settings.tunables,
        heuristic: task.settings.heuristic,
        random: Random::new(task.seed),
        table: &workspace.table,
        refutations: &mut workspace.refutations,
        eval_cache: &mut workspace.eval_cache,
        eval_terms: &mut workspace.eval_terms,
        limit: task.limit.nodes,
        interrupt: task.interrupt,
        nodes: 0,
        pause: 0,
        height: 0,
        fired: vec![0; policy.counters()],
        evals: vec![None; MAX_HEIGHT + 1],
        previous: Line::new(),
        lines: vec![Line::new(); MAX_HEIGHT + 1],
        again: None,
        iteration: 0,
        root_score: None,
        path,
        past: task.root.past.len(),
        left_out: left_out(position, task.root.only),
        watch: task.root.watch,
        tracer,
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

fn report<G: Game, T: Techniques, P: DepthPolicy<G>, X: Tracer<G::Move>>(
    search: &Search<'_, G, T, P, X>,
    state: &State<G::Move>,
) -> Report<G::Move> {
    Report {
        line: state.line.to_vec(),
        score: state.score,
        nodes: search.nodes,
        moves: search.nodes - state.iterations,
        depth: state.depth,
        height: search.height,
        fired: search.policy.fired(&search.fired),
        end: state.end,
        rank: state.rank,
        fullness: search.table.fullness(),
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicU32, Ordering};

    use super::{ControlPolicy, Reductions, SchemePolicy, deepen, search};
    use crate::depth::Weight;
    use crate::feature::Scheme;
    use crate::game::Game;
    use crate::games::breakthrough::{AnySize, PRESETS, Position, Standard};
    use crate::random::Random;
    use crate::search::proof::Prover;
    use crate::search::{End, Limit, Root, Task, Workspace};
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

    /// No public function tells which of the two was used, so this is tested here.
    #[test]
    fn the_bare_search_is_the_one_with_all_parts_off_node_for_node() {
        let scheme = Position::<AnySize>::VOCABULARY.parse_scheme("Ud-PP,C@0.75", Weight::HALF).unwrap();
        let settings = PRESETS.classic();
        let mut workspace = Workspace::default();
        for (seed, position) in positions(8).iter().enumerate() {
            for scheme in [&Scheme::neutral(), &scheme] {
                let limit = Limit { depth: 6, ..Limit::nodes(5_000) };
                let task =
                    Task { settings, scheme, limit, seed: seed as u64, interrupt: &|| false, root: Root::default() };
                let policy = SchemePolicy::new(scheme);
                let bare = deepen(position, &task, Bare, &policy, &mut workspace, None);
                let switched = deepen(position, &task, settings.switches, &policy, &mut workspace, None);
                assert_eq!(bare, switched, "{position}");
            }
        }
    }

    /// The policy of all schemes does for plain ones what their own policy does.
    #[test]
    fn plain_schemes_have_the_same_search_by_either_policy() {
        let scheme =
            Position::<AnySize>::VOCABULARY.parse_scheme("Ud-PP,C@0.75,(Edg-Rc)|Bv2@0.25", Weight::HALF).unwrap();
        let mut workspace = Workspace::default();
        for (seed, position) in positions(6).iter().enumerate() {
            for settings in [PRESETS.classic(), PRESETS.modern()] {
                let limit = Limit { depth: 6, ..Limit::nodes(5_000) };
                let scheme = &scheme;
                let task =
                    Task { settings, scheme, limit, seed: seed as u64, interrupt: &|| false, root: Root::default() };
                let (tunables, switches) = (&task.settings.tunables, task.settings.switches);
                let plain = Reductions::new(SchemePolicy::new(scheme), tunables);
                let plain = deepen(position, &task, switches, &plain, &mut workspace, None);
                let control = Reductions::new(ControlPolicy::new(workspace.control_table(&task)), tunables);
                assert_eq!(deepen(position, &task, switches, &control, &mut workspace, None), plain, "{position}");
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
                let settings = PRESETS.classic();
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
    fn an_interrupted_search_is_never_a_proof() {
        let position = Position::<Standard>::parse("8/2pp4/4p3/pp1pp2p/7P/PPPP3P/1P2P2P/8 b").unwrap();
        let scheme = Position::<Standard>::VOCABULARY.parse_scheme("RdTt", Weight::HALF).unwrap();
        let mut hits = 0;
        for seed in 0..12 {
            let run = |most_looks: u32| {
                let looks = AtomicU32::new(0);
                let interrupt = || looks.fetch_add(1, Ordering::Relaxed) >= most_looks;
                let (settings, limit) = (PRESETS.classic(), Limit::nodes(3_000_000));
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
