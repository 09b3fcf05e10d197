//! The search of most nodes where no technique is on: the same tree as by [`super::node`], in fewer instructions.
//!
//! The papers' set-up measures features on millions of nodes, so what a node costs decides how long a discovery takes. Where
//! no technique is on and the depth policy only extends, little of the plain loop is left to do. This loop searches all nodes
//! but the root and those of the previous iteration's best line. It saves:
//!
//! - Leaves are valued in place, without playing the move that leads to them ([`Game::value_after`]).
//! - Frontier nodes, all of whose children are leaves, have a loop of their own. Most nodes are children of these.
//! - A line is kept only for a score inside the window. Nobody reads the others.
//!
//! Every count, every random number and every look at the limits comes in the order of the plain loop, so the reports are
//! the same even where a limit ends the search. The tests compare them.

use super::context::{Node, Search, Stopped};
use super::policy::{DepthPolicy, MoveContext};
use super::task::MAX_HEIGHT;
use super::trace::Tracer;
use crate::depth::{Depth, Weight};
use crate::feature::StateAtoms;
use crate::game::{Game, MoveList};
use crate::random::Random;
use crate::score::{Score, Window};
use crate::settings::Techniques;

/// A call of this search: less than a [`Node`], so that it fits in registers.
#[derive(Copy, Clone)]
pub(super) struct LeanNode {
    depth: Depth,
    window: Window,
    /// Plies from the root.
    height: u32,
}

impl From<Node> for LeanNode {
    #[inline(always)]
    fn from(node: Node) -> LeanNode {
        LeanNode { depth: node.depth, window: node.window, height: node.height }
    }
}

impl<G: Game, T: Techniques, P: DepthPolicy<G>, X: Tracer<G::Move>> Search<'_, G, T, P, X> {
    /// Whether nodes off the previous line are searched here.
    pub(super) const IS_LEAN: bool = !T::ANY && P::ONLY_EXTENDS && !X::ON;

    /// Whether a line ends at this depth and height, at the latest.
    #[inline(always)]
    pub(super) fn ends_line(depth: Depth, height: u32) -> bool {
        depth.is_spent() || height as usize >= MAX_HEIGHT - 1
    }

    /// Counts a node that is no leaf by its depth, and searches it.
    pub(super) fn visit_lean(&mut self, position: &G, node: LeanNode) -> Result<Score, Stopped> {
        let LeanNode { depth, height, .. } = node;
        if self.nodes == self.pause {
            self.check_limits()?;
        }
        self.nodes += 1;
        if let Some(outcome) = position.terminal_result() {
            self.height = self.height.max(height);
            return Ok(Score::of(outcome, height));
        }
        if G::DRAWS && position.is_drawn() {
            self.height = self.height.max(height);
            return Ok(Score::EVEN);
        }

        let mut list = MoveList::new();
        position.moves(&mut list);
        if list.is_empty() {
            return Ok(Score::of(position.no_moves_result(), height));
        }
        let mut classes = P::Classes::default();
        self.policy.classify(position, StateAtoms::NONE, &mut classes);
        if Self::ends_line(depth.after(self.policy.least_weight(&classes)), height + 1) {
            self.search_leaves(position, &mut list, &classes, node)
        } else {
            self.search_children(position, &mut list, &classes, node)
        }
    }

    /// Searches the moves of a frontier node: all of them lead to leaves.
    #[inline(always)]
    fn search_leaves(
        &mut self,
        position: &G,
        mut moves: &mut [G::Move],
        classes: &P::Classes,
        node: LeanNode,
    ) -> Result<Score, Stopped> {
        let LeanNode { window, height, .. } = node;
        let (mut best, mut best_move) = (Score::LOWEST, moves[0]);
        let (before, heuristic) = (self.nodes, self.heuristic);
        while let Some(m) = pick(&mut moves, &mut self.random) {
            self.weigh(classes, m);
            if self.nodes == self.pause {
                self.look_between_leaves(before, height)?;
            }
            self.nodes += 1;
            let score = position.value_after(m, height + 1, heuristic, self.eval_terms);
            if score > best {
                (best, best_move) = (score, m);
            }
            if best >= window.beta {
                break;
            }
        }
        self.height = self.height.max(height + 1);
        if best > window.alpha && best < window.beta {
            self.lines[height as usize].clear();
            self.lines[height as usize].push(best_move);
        }
        Ok(best)
    }

    /// Looks at the limits before a leaf. The height is brought up to date only at the end of a frontier node, and here.
    #[cold]
    fn look_between_leaves(&mut self, before: u64, height: u32) -> Result<(), Stopped> {
        if self.nodes > before {
            self.height = self.height.max(height + 1);
        }
        self.check_limits()
    }

    /// Searches the moves of any other node.
    #[inline(always)]
    fn search_children(
        &mut self,
        position: &G,
        mut moves: &mut [G::Move],
        classes: &P::Classes,
        node: LeanNode,
    ) -> Result<Score, Stopped> {
        let LeanNode { depth, mut window, height } = node;
        let mut best = Score::LOWEST;
        while let Some(m) = pick(&mut moves, &mut self.random) {
            let depth = depth.after(self.weigh(classes, m));
            self.lines[height as usize + 1].clear();
            let score = if Self::ends_line(depth, height + 1) {
                if self.nodes == self.pause {
                    self.check_limits()?;
                }
                self.nodes += 1;
                self.height = self.height.max(height + 1);
                position.value_after(m, height + 1, self.heuristic, self.eval_terms)
            } else {
                let child = LeanNode { depth, window: window.flipped(), height: height + 1 };
                -self.visit_lean(&position.play(m), child)?
            };
            best = best.max(score);
            if score >= window.beta {
                break;
            }
            if score > window.alpha {
                window.alpha = score;
                self.keep_line(m, height);
            }
        }
        Ok(best)
    }

    /// What a move costs; counts what decided on it.
    #[inline(always)]
    fn weigh(&mut self, classes: &P::Classes, m: G::Move) -> Weight {
        let coming = MoveContext { state: StateAtoms::NONE, depth: Depth::plies(0), tried: 0, has_alpha: false };
        let plan = self.policy.plan(classes, m, &coming);
        if let Some(feature) = plan.fired {
            self.fired[feature] += 1;
        }
        plan.weight
    }
}

/// Takes a move at random: the one that `Picker::pick` would pick, by the same random number.
#[inline(always)]
fn pick<M: Copy>(moves: &mut &mut [M], random: &mut Random) -> Option<M> {
    let (first, _) = moves.split_first()?;
    let (first, place) = (*first, random.below(moves.len()));
    let m = std::mem::replace(&mut moves[place], first);
    *moves = std::mem::take(moves).split_first_mut()?.1;
    Some(m)
}

/// The reports of this search and of the plain loop, which the general code runs with all techniques off.
#[cfg(test)]
mod tests {
    use std::sync::Mutex;
    use std::sync::atomic::{AtomicU32, Ordering};

    use crate::depth::Weight;
    use crate::feature::Scheme;
    use crate::game::Game;
    use crate::games::breakthrough::{self, AnySize, Standard};
    use crate::games::chess;
    use crate::random::Random;
    use crate::search::deepening::deepen;
    use crate::search::policy::SchemePolicy;
    use crate::search::{End, Limit, Report, Root, Sight, Task, Watch, Workspace};
    use crate::settings::{Bare, Switches, Techniques};

    const CHOICES: &[&str] = &["0", "0.25", "0.333", "0.5", "0.75", "0.999", "1"];

    /// How to search; what is not in here is random.
    struct Case<G> {
        position: G,
        seed: u64,
        limit: Limit,
    }

    /// A random scheme of up to three rules, with alternatives.
    fn scheme<G: Game>(random: &mut Random) -> Scheme {
        let atoms = G::VOCABULARY.moves;
        let conjunction = |random: &mut Random| {
            let names: Vec<_> = (0..=random.below(2)).map(|_| atoms[random.below(atoms.len())].name).collect();
            names.join("-")
        };
        let rule = |random: &mut Random| {
            let alternatives: Vec<_> = (0..=random.below(2)).map(|_| format!("({})", conjunction(random))).collect();
            format!("{}@{}", alternatives.join("|"), CHOICES[random.below(CHOICES.len())])
        };
        let rules: Vec<_> = (0..random.below(4)).map(|_| rule(random)).collect();
        let text = if rules.is_empty() { "Neutral".to_string() } else { rules.join(",") };
        // A text that names a feature twice is no scheme.
        G::VOCABULARY.parse_scheme(&text, Weight::HALF).unwrap_or_else(|_| Scheme::neutral())
    }

    /// A position of a random game.
    fn position<G: Game>(start: &str, random: &mut Random) -> G {
        let mut position = G::parse(start).unwrap();
        for _ in 0..random.below(60) {
            let list = position.legal_moves();
            let next = (!list.is_empty()).then(|| position.play(list[random.below(list.len())]));
            match next {
                Some(next) if !next.legal_moves().is_empty() => position = next,
                _ => break,
            }
        }
        position
    }

    /// Everything that a caller learns of a search.
    type Story<M> = (Report<M>, Vec<Report<M>>, Vec<Sight>, u32);

    fn story<G: Game, T: Techniques>(
        position: &G,
        task: &Task<'_>,
        techniques: T,
        most_looks: u32,
        workspace: &mut Workspace,
    ) -> Story<G::Move> {
        let (looks, sights) = (AtomicU32::new(0), Mutex::new(Vec::new()));
        let interrupt = || looks.fetch_add(1, Ordering::Relaxed) >= most_looks;
        let watch = |sight: &Sight| sights.lock().unwrap().push(sight.clone());
        let root = Root { watch: task.root.watch.map(|_| Watch(&watch)), ..task.root };
        let task = Task { interrupt: &interrupt, root, ..task.clone() };
        let mut reports = Vec::new();
        let mut observer = |report| reports.push(report);
        let policy = SchemePolicy::new(task.scheme);
        let report = deepen(position, &task, techniques, &policy, workspace, Some(&mut observer));
        (report, reports, sights.into_inner().unwrap(), looks.into_inner())
    }

    /// Compares both searches of a case, and returns why they ended and whether the scheme decided on a move.
    fn compare<G: Game>(case: &Case<G>, workspace: &mut Workspace) -> (End, bool) {
        let Case { position, seed, limit } = case;
        let random = &mut Random::for_purpose(*seed, "case");
        let heuristics: Vec<_> = G::PRESETS.built_in().collect();
        let mut settings = G::PRESETS.classic();
        settings.switches = Switches::NONE;
        settings.heuristic = heuristics[random.below(heuristics.len())];
        let scheme = scheme::<G>(random);
        let is_named = random.below(4) == 0;
        let only: Vec<_> = position
            .legal_moves()
            .iter()
            .filter(|_| is_named && random.below(2) == 0)
            .map(|m| position.print_move(*m))
            .collect();
        let more_lines = if random.below(4) == 0 { random.below(3) } else { 0 };
        let watch = (random.below(4) == 0).then_some(Watch(&|_| ()));
        let root = Root { only: &only, more_lines, watch, skip: random.below(2) as u32, past: &[] };
        let most_looks = if random.below(4) == 0 { random.below(12) as u32 } else { u32::MAX };
        let position = &position.prepared(settings.heuristic);
        let task = Task { settings, scheme: &scheme, limit: *limit, seed: *seed, interrupt: &|| false, root };
        let lean = story(position, &task, Bare, most_looks, workspace);
        let plain = story(position, &task, Switches::NONE, most_looks, workspace);
        let scheme = G::VOCABULARY.print_scheme(&scheme);
        assert_eq!(lean, plain, "{position} by {scheme}, seed {seed}, {limit:?}, {:?}", task.settings.heuristic);
        (lean.0.end, lean.0.fired.iter().any(|count| *count > 0))
    }

    /// Compares searches of `count` positions, each with another limit; small ones one after the other.
    fn compare_many<G: Game>(starts: &[&str], count: u64, most_nodes: usize) {
        let (mut workspace, mut ends, mut firing) = (Workspace::default(), Vec::new(), 0);
        for seed in 0..count {
            let random = &mut Random::for_purpose(seed, "limits");
            let position = position::<G>(starts[random.below(starts.len())], random);
            let nodes = match seed % 4 {
                0 => random.below(most_nodes) as u64,
                1 => u64::from(u32::MAX),
                _ => seed / 4 % 200,
            };
            // A search without a limit of nodes has one of depth, and weights of nothing are searched to any height.
            let depth = if seed % 4 == 1 { 1 + random.below(3) as u32 } else { Limit::DEEPEST };
            let nodes = if seed % 4 == 1 { nodes.min(2 * most_nodes as u64) } else { nodes };
            let win = if random.below(8) == 0 { random.below(6) as u32 } else { u32::MAX };
            let (end, fired) = compare(&Case { position, seed, limit: Limit { nodes, depth, win } }, &mut workspace);
            ends.push(end);
            firing += u64::from(fired);
        }
        for end in [End::Proved, End::Depth, End::Nodes, End::Interrupted] {
            assert!(ends.contains(&end), "no search ended by {end:?}");
        }
        assert!(firing > count / 4, "only {firing} schemes decided on a move");
    }

    #[test]
    fn reports_are_those_of_the_plain_loop_on_boards_of_any_size() {
        let sizes = (4..=8).flat_map(|columns| (4..=8).map(move |rows| (columns, rows)));
        let starts: Vec<_> =
            sizes.filter_map(|(columns, rows)| breakthrough::start(columns, rows, breakthrough::Side::White)).collect();
        let starts: Vec<_> = starts.iter().map(String::as_str).collect();
        compare_many::<breakthrough::Position<AnySize>>(&starts, 3_000, 20_000);
    }

    #[test]
    fn reports_are_those_of_the_plain_loop_on_the_standard_board() {
        let starts = [
            "pppppppp/pppppppp/8/8/8/8/PPPPPPPP/PPPPPPPP w",
            "2p2p1p/pp4p1/2p1p3/3P2P1/1P2p3/P4P2/2P3PP/1P2P3 b",
            "8/2pp4/4p3/pp1pp2p/7P/PPPP3P/1P2P2P/8 b",
        ];
        compare_many::<breakthrough::Position<Standard>>(&starts, 3_000, 20_000);
    }

    #[test]
    fn reports_are_those_of_the_plain_loop_in_chess() {
        let starts = [
            "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
            "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 90 50",
            "7k/5K2/8/6Q1/8/8/8/8 w - - 96 80",
        ];
        compare_many::<chess::Position>(&starts, 1_000, 5_000);
    }
}
