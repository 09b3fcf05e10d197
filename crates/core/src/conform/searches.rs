//! The search against plain minimax, and its other guarantees: limits, determinism, interrupts.

use std::sync::atomic::{AtomicU32, Ordering};

use super::features::cost_by_definition;
use super::{forced, random_heuristic, random_scheme};
use crate::depth::Depth;
use crate::feature::Scheme;
use crate::game::Game;
use crate::outcome::Outcome;
use crate::random::Random;
use crate::score::Score;
use crate::search::proof::Prover;
use crate::search::{End, Limit, Report, Root, Task, Workspace, search};
use crate::settings::{Heuristic, Settings, Switches, Tunables};

/// To this depth the search is compared with minimax.
const DEEPEST: u32 = 3;
/// Choices of switches that each position is searched with, to see whether their proofs are true.
const ROUNDS: usize = 4;
/// The longest forced result that is checked by exhaustive search.
const PROVABLE: u32 = 5;
/// Node limit of minimax; extensions make some trees large.
const BUDGET: u64 = 200_000;

/// Random schemes, the classic search: score, depth and line are those of minimax.
pub fn check_schemes_against_minimax<G: Game>(positions: &[G], random: &mut Random) {
    let mut workspace = Workspace::default();
    let mut compared = 0;
    for position in positions {
        let scheme = random_scheme::<G>(random);
        let heuristic = random_heuristic::<G>(random);
        for depth in 1..=DEEPEST {
            let settings = G::PRESETS.classic().with_heuristic(heuristic);
            let Some(expected) = deepened_minimax(position, &scheme, &settings, depth) else { continue };
            let task = task(settings, &scheme, Limit::depth(depth), random.next_seed());
            let report = search(position, &task, &mut workspace);
            let what = format!("{depth} plies, {}, of {position}", G::VOCABULARY.print_scheme(&scheme));
            assert_eq!((report.depth, report.score), expected, "(depth, score) to {what}");
            check_line(position, &report, heuristic);
            check_counts(&report, &what);
            compared += 1;
        }
    }
    assert!(compared >= positions.len(), "only {compared} searches were small enough to compare");
}

/// The neutral scheme, every choice of switches: the scores are those of minimax, as the module documents.
pub fn check_switches_against_minimax<G: Game>(position: &G, random: &mut Random) {
    let scheme = Scheme::neutral();
    let heuristic = random_heuristic::<G>(random);
    let mut workspace = Workspace::default();
    let [quiescence, captures] = [(); 2].map(|()| random.below(2) == 0);
    let switches = Switches { quiescence, captures, ..Switches::NONE };
    let base = Settings { switches, tunables: Tunables::DEFAULT, heuristic };
    for depth in 1..=DEEPEST {
        let Some((_, expected)) = deepened_minimax(position, &scheme, &base, depth) else { break };
        for switches in every_switch(&base.switches) {
            let settings = Settings { switches, ..base };
            let task = task(settings, &scheme, Limit::depth(depth), random.next_seed());
            let report = search(position, &task, &mut workspace);
            let what = format!("{depth} plies of {position}, {switches:?}");
            check_counts(&report, &what);
            if switches.table_mib == 0 {
                check_line(position, &report, heuristic);
            }
            if switches.table_mib == 0 || depth <= 2 {
                assert_eq!(report.score, expected, "score to {what}");
                continue;
            }
            let within_depth = |score: Score| (forced(score)? <= depth).then_some(score);
            assert_eq!(within_depth(report.score), within_depth(expected), "forced result to {what}");
            if let Some(plies) = report.score.win_in() {
                let proof = Prover::default().shortest_win(position, plies);
                assert!(proof.is_some(), "a win in {plies} that is none, to {what}");
            }
        }
    }
}

/// Random choices of all switches, with constants that let every technique work close to the horizon: forced results that
/// a search claims are true.
pub fn check_proofs_of_any_switches<G: Game>(position: &G, random: &mut Random) {
    let scheme = Scheme::neutral();
    let mut workspace = Workspace::default();
    for round in 0..ROUNDS {
        let mut switches = Switches { table_mib: u32::from(random.below(4) > 0), ..Switches::NONE };
        // In the first round all are on.
        Switches::ALL.iter().for_each(|switch| (switch.set)(&mut switches, round == 0 || random.below(3) > 0));
        let settings = Settings { switches, tunables: shallow_tunables(), heuristic: random_heuristic::<G>(random) };
        let limit = Limit { depth: DEEPEST + 3, ..Limit::nodes(1000) };
        let task = task(settings, &scheme, limit, random.next_seed());
        let report = search(position, &task, &mut workspace);
        let what = format!("{position}, {switches:?}");
        assert!(report.moves <= report.nodes && report.nodes <= 1000, "{report:?} of {what}");
        if let Some(plies) = report.score.win_in().filter(|plies| *plies <= PROVABLE) {
            let proof = Prover::default().shortest_win(position, plies);
            assert!(proof.is_some(), "a win in {plies} that is none: {what}");
        }
        if let Some(plies) = (-report.score).win_in().filter(|plies| report.end == End::Proved && *plies <= PROVABLE) {
            for m in position.legal_moves() {
                let next = position.play(m);
                let is_lost = next.terminal_result() == Some(Outcome::Win)
                    || Prover::default().shortest_win(&next, plies).is_some();
                assert!(is_lost, "a loss in {plies} that is none because of {m:?}: {what}");
            }
        }
    }
}

/// Constants with which the techniques that need depth work with little of it.
fn shallow_tunables() -> Tunables {
    Tunables {
        lmr_min_depth: 2,
        lmr_keep: 1000,
        null_move_base: 2000,
        adaptive_null_depth: 3000,
        verification_min_depth: 1000,
        limited_razor_margin: 100,
        multi_cut_min_depth: 2000,
        multi_cut_reduction: 1000,
        multi_cut_cutoffs: 2,
        singular_min_depth: 2000,
        singular_margin: 10,
        ..Tunables::DEFAULT
    }
}

/// The line can be played, and the score is what its last position is worth.
fn check_line<G: Game>(position: &G, report: &Report<G::Move>, heuristic: Heuristic) {
    let mut end = position.clone();
    for &m in &report.line {
        assert!(end.legal_moves().contains(&m), "the line of {position} plays {m:?} in {end}, which is not legal");
        end = end.play(m);
    }
    let height = report.line.len() as u32;
    let stuck = end.legal_moves().is_empty().then(|| Score::of(end.no_moves_result(), height));
    let drawn = (height > 0 && end.is_drawn()).then_some(Score::EVEN);
    let value = end.terminal_result().map(|outcome| Score::of(outcome, height)).or(drawn).or(stuck);
    let sided = |value: Score| if height.is_multiple_of(2) { value } else { -value };
    // At the horizon the search does not test whether there are moves left.
    let at_horizon = sided(end.evaluate(heuristic)) == report.score;
    let right = at_horizon || value.is_some_and(|value| sided(value) == report.score);
    assert!(right, "the line of {position} ends in {end}, which is not worth {}", report.score);
}

/// The numbers of a report fit together.
fn check_counts<M>(report: &Report<M>, what: &str) {
    assert!(report.moves <= report.nodes, "moves are nodes: {what}");
    assert!(report.fired.iter().sum::<u64>() <= report.moves, "a move is decided by one feature: {what}");
    assert!(report.line.len() as u32 <= Limit::DEEPEST, "lines end: {what}");
    let proved = forced(report.score).is_some();
    assert_eq!(report.end == End::Proved, proved, "a proof is called so, and nothing else: {what}");
}

/// No search makes more nodes than it may, or stops short of them without a reason.
pub fn check_limits<G: Game>(positions: &[G], random: &mut Random) {
    let mut workspace = Workspace::default();
    for position in positions {
        let scheme = random_scheme::<G>(random);
        for settings in [G::PRESETS.classic().with_heuristic(random_heuristic::<G>(random)), everything::<G>(random)] {
            for limit in [0, 1, 2, 17, 1000] {
                let task = task(settings, &scheme, Limit::nodes(limit), random.next_seed());
                let report = search(position, &task, &mut workspace);
                let what = format!("{limit} nodes of {position}, {settings:?}");
                assert!(report.nodes <= limit, "{} nodes, not {what}", report.nodes);
                assert!(report.end != End::Nodes || report.nodes == limit, "{} nodes, not {what}", report.nodes);
                assert_ne!(report.end, End::Interrupted, "no interrupt was raised in {what}");
            }
        }
    }
}

/// A task gives the same report again, whatever the workspace was used for in between.
pub fn check_determinism<G: Game>(positions: &[G], random: &mut Random) {
    let mut workspace = Workspace::default();
    for pair in positions.windows(2) {
        let schemes = [(); 2].map(|()| random_scheme::<G>(random));
        let others = [G::PRESETS.classic().with_heuristic(Heuristic::BuiltIn(0)), everything::<G>(random)];
        for settings in [G::PRESETS.classic().with_heuristic(random_heuristic::<G>(random)), everything::<G>(random)] {
            let task = task(settings, &schemes[0], Limit::nodes(2000), random.next_seed());
            let first = search(&pair[0], &task, &mut Workspace::default());
            for other in others {
                let disturbance = Task { settings: other, scheme: &schemes[1], ..task.clone() };
                search(&pair[1], &disturbance, &mut workspace);
                let second = search(&pair[0], &task, &mut workspace);
                assert_eq!(first, second, "searching {} twice, {settings:?}", pair[0]);
            }
        }
    }
}

/// An interrupt that is raised from the start prevents any search; one that comes later is noticed soon.
pub fn check_interrupt<G: Game>(start: &G) {
    let scheme = Scheme::neutral();
    for patience in [0, 1] {
        let questions = AtomicU32::new(0);
        let interrupt = || questions.fetch_add(1, Ordering::Relaxed) >= patience;
        let limit = Limit::nodes(10_000_000);
        let settings = G::PRESETS.classic().with_heuristic(Heuristic::BuiltIn(0));
        let task = Task { settings, scheme: &scheme, limit, seed: 1, interrupt: &interrupt, root: Root::default() };
        let report = search(start, &task, &mut Workspace::default());
        let most = u64::from(patience) * 100_000;
        assert!(report.nodes <= most, "{} nodes of {start} after an interrupt", report.nodes);
        let asked_twice = questions.load(Ordering::Relaxed) > patience;
        assert_eq!(report.end == End::Interrupted, asked_twice, "the interrupt ends the search of {start}");
    }
}

/// What iterative deepening must end with: the first depth with a forced result, or the last; and its score.
fn deepened_minimax<G: Game>(position: &G, scheme: &Scheme, settings: &Settings, deepest: u32) -> Option<(u32, Score)> {
    let quiescence = settings.switches.quiescence;
    let mut minimax = Minimax { scheme, heuristic: settings.heuristic, quiescence, left: BUDGET };
    let mut depth = 1;
    loop {
        let score = minimax.score(position, Depth::plies(depth), 0)?;
        if depth == deepest || forced(score).is_some() {
            return Some((depth, score));
        }
        depth += 1;
    }
}

/// The search as its definition has it.
struct Minimax<'a> {
    scheme: &'a Scheme,
    heuristic: Heuristic,
    /// Whether tactical moves are played out.
    quiescence: bool,
    /// Nodes until it gives up.
    left: u64,
}

impl Minimax<'_> {
    fn score<G: Game>(&mut self, position: &G, depth: Depth, height: u32) -> Option<Score> {
        self.left = self.left.checked_sub(1)?;
        if let Some(outcome) = position.terminal_result() {
            return Some(Score::of(outcome, height));
        }
        if height > 0 && position.is_drawn() {
            return Some(Score::EVEN);
        }
        if depth.is_spent() || height >= Limit::DEEPEST {
            return self.quiet_score(position, depth, height);
        }
        let mut best = None;
        for m in position.legal_moves() {
            let rest = depth.after(cost_by_definition(position, m, self.scheme));
            best = best.max(Some(-self.score(&position.play(m), rest, height + 1)?));
        }
        best.or(Some(Score::of(position.no_moves_result(), height)))
    }

    /// The side to move may leave it at the evaluation, or in quiescence play one of its tactical moves.
    fn quiet_score<G: Game>(&mut self, position: &G, depth: Depth, height: u32) -> Option<Score> {
        let mut best = position.evaluate(self.heuristic);
        if height < Limit::DEEPEST && self.quiescence {
            for m in position.legal_moves().into_iter().filter(|&m| position.is_tactical(m)) {
                best = best.max(-self.score(&position.play(m), depth, height + 1)?);
            }
        }
        Some(best)
    }
}

/// Every choice of these parts, which leave scores as they are, with the other parts as given.
fn every_switch(base: &Switches) -> impl Iterator<Item = Switches> {
    (0..32).map(|bits: u32| {
        let on = |bit: u32| bits >> bit & 1 == 1;
        Switches {
            null_window: on(0),
            table_mib: u32::from(on(1)),
            killers: on(2),
            history: on(3),
            aspiration: on(4),
            ..*base
        }
    })
}

/// All parts on, or all that the modern preset has; with a table that is quickly made.
fn everything<G: Game>(random: &mut Random) -> Settings {
    let modern = G::PRESETS.modern().with_heuristic(random_heuristic::<G>(random));
    let mut switches = Switches { table_mib: 1, ..modern.switches };
    if random.below(2) == 0 {
        Switches::ALL.iter().for_each(|switch| (switch.set)(&mut switches, true));
    }
    Settings { switches, ..modern }
}

fn task(settings: Settings, scheme: &Scheme, limit: Limit, seed: u64) -> Task<'_> {
    Task { settings, scheme, limit, seed, interrupt: &|| false, root: Root::default() }
}
