//! Searches of less depth that decide about a node before its own search: multi-cut pruning (thesis section 2.2.1) and
//! singular extensions.

use super::context::{Again, Node, NodeKind, Reached, Search, Stopped};
use super::order::{Picker, Source};
use super::policy::{DepthPolicy, multi_cut_depth, singular_depth};
use super::table::{Bound, TableEntry};
use super::trace::{Chosen, Reason, Step, Tracer};
use crate::game::{Game, Move, MoveList};
use crate::score::{Score, Window};
use crate::settings::Techniques;

/// What is decided about a node before its moves are searched.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Ahead {
    /// Its moves need not be searched.
    Cutoff(Score),
    /// The table's move is extended by this, in thousandths of a ply; 0 for an ordinary node.
    Extension(i32),
}

impl<G: Game, T: Techniques, P: DepthPolicy<G>, X: Tracer<G::Move>> Search<'_, G, T, P, X> {
    /// Takes the reason why the node that comes next is expanded once more.
    #[inline(always)]
    pub(super) fn take_again(&mut self) -> Option<Again> {
        if self.techniques.verification() || self.techniques.singular() { self.again.take() } else { None }
    }

    /// Expands a node once more, before its own search goes on.
    #[inline(never)]
    pub(super) fn look_again(&mut self, position: &G, node: Node, why: Again) -> Result<Score, Stopped> {
        self.again = Some(why);
        let score = self.expand_again(position, Node { on_previous: false, ..node })?;
        self.lines[node.height as usize].clear();
        Ok(score)
    }

    /// Expands a node that has put its key on the path already.
    #[inline(never)]
    pub(super) fn expand_again(&mut self, position: &G, node: Node) -> Result<Score, Stopped> {
        if self.keeps_path() {
            self.cut_path(node.height);
        }
        self.tracer.enter(&node, self.nodes);
        let result = self.expand(position, node);
        self.tracer.leave(result.ok(), self.nodes);
        result
    }

    /// All moves but the one with this code.
    #[inline(never)]
    pub(super) fn picker_without(&self, position: &G, code: u16) -> Picker<G::Move> {
        let mut list = MoveList::new();
        position.moves(&mut list);
        let excluded = list.into_iter().find(|m| m.code() == code);
        // No move has the code if two positions share a key.
        excluded.map_or_else(|| Picker::new(None), |m| Picker::without::<G, T>(m, self.techniques))
    }

    /// Searches of less depth. `hint` is the code of the move that comes first; `recalled` is that move, if it is known to
    /// be legal.
    #[inline(always)]
    pub(super) fn look_ahead(
        &mut self,
        position: &G,
        node: Node,
        hint: Option<u16>,
        recalled: Option<G::Move>,
        known: Option<TableEntry>,
    ) -> Result<Ahead, Stopped> {
        if self.techniques.multi_cut()
            && let Some(score) = self.multi_cut(position, node, hint, recalled)?
        {
            return Ok(Ahead::Cutoff(score));
        }
        if self.techniques.singular()
            && let Some(known) = known.filter(|known| known.best.is_some() && known.best == hint)
        {
            return self.singular(position, node, known);
        }
        Ok(Ahead::Extension(0))
    }

    /// Multi-cut pruning (Björnsson and Marsland 1998): where a cutoff is expected, the first moves are searched at reduced
    /// depth. If several of them fail high, one will at full depth, although the first may not.
    #[inline(never)]
    fn multi_cut(
        &mut self,
        position: &G,
        node: Node,
        hint: Option<u16>,
        recalled: Option<G::Move>,
    ) -> Result<Option<Score>, Stopped> {
        let (t, Node { depth, window, height, .. }) = (self.tunables, node);
        let is_wanted = node.kind == NodeKind::Cut
            && height > 0
            && window.is_null()
            && depth.units() >= t.multi_cut_min_depth
            && !window.beta.is_forced()
            && !position.in_check();
        if !is_wanted {
            return Ok(None);
        }
        let child = Node {
            depth: multi_cut_depth(t, depth),
            window: window.flipped(),
            height: height + 1,
            on_previous: false,
            reached: Reached::ByMove,
            kind: node.kind.after_move(),
        };
        let mut picker = Picker::new(recalled);
        let mut cutoffs = 0;
        for _ in 0..t.multi_cut_moves {
            let refutations = &*self.refutations;
            let source = Source { position, techniques: self.techniques, refutations, height, hint, left_out: &[] };
            let Some(m) = picker.next(&source, &mut self.random) else { break };
            self.lines[height as usize + 1].clear();
            self.tracer.choose(Chosen { m, fired: None, is_late: false, is_singular: false });
            self.tracer.announce(Step::MultiCut);
            let score = -self.visit_again(&position.play(m), child)?;
            cutoffs += i32::from(score >= window.beta);
            if cutoffs == t.multi_cut_cutoffs {
                self.tracer.decide(Reason::MultiCut);
                return Ok(Some(window.beta));
            }
        }
        Ok(None)
    }

    /// Singular extensions: whether all moves but the table's stay below its score by a margin, at half the depth. If they
    /// do not, and the bound is above the window, two moves fail high: then the node is pruned as by multi-cut.
    #[inline(never)]
    fn singular(&mut self, position: &G, node: Node, known: TableEntry) -> Result<Ahead, Stopped> {
        let (t, Node { depth, height, .. }) = (self.tunables, node);
        let score = known.score.from_root(height);
        let is_wanted = height > 0
            && depth.units() >= t.singular_min_depth
            && known.bound != Bound::Upper
            && known.depth.units() + t.singular_table_depth >= depth.units()
            && !score.is_forced()
            // Lines in which every move is singular must end.
            && height < 2 * self.iteration;
        let Some(code) = known.best.filter(|_| is_wanted) else { return Ok(Ahead::Extension(0)) };
        let alpha = score.plus(-(depth.units() * t.singular_margin / 1000) - 1);
        let window = Window { alpha, beta: alpha.next() };
        let others = Node { depth: singular_depth(depth), window, kind: node.kind.with_null_window(), ..node };
        self.tracer.announce(Step::Others);
        if self.look_again(position, others, Again::Without(code))? <= alpha {
            return Ok(Ahead::Extension(t.singular_extension));
        }
        if !node.window.is_null() || window.beta < node.window.beta {
            return Ok(Ahead::Extension(0));
        }
        self.tracer.decide(Reason::SingularCut);
        Ok(Ahead::Cutoff(window.beta))
    }
}

#[cfg(test)]
mod tests {
    use super::super::deepening::begin;
    use super::super::trace::NoTrace;
    use super::Ahead;
    use crate::depth::Depth;
    use crate::feature::Scheme;
    use crate::game::{Game, Move};
    use crate::games::chess::{MATERIAL, PRESETS, Position};
    use crate::score::{Score, Window};
    use crate::search::context::{Again, Node, NodeKind, Reached};
    use crate::search::policy::SchemePolicy;
    use crate::search::table::{Bound, TableEntry};
    use crate::search::{Limit, Root, Task, Workspace};
    use crate::settings::{Settings, Switches};

    /// White can take a queen; all other moves leave it there.
    const ONE_GOOD_MOVE: &str = "4k3/8/8/3q4/4P3/8/8/4K3 w - - 0 1";
    /// White can take either rook, and loses the pawn for it: a rook down.
    const TWO_GOOD_MOVES: &str = "4k3/8/8/3r1r2/4P3/8/8/4K3 w - - 0 1";
    /// The king has one move.
    const ONE_MOVE: &str = "7k/8/8/8/8/8/r7/7K w - - 0 1";

    fn node(plies: u32, beta: i32, kind: NodeKind) -> Node {
        let alpha = Score::evaluation(beta - 1);
        let window = Window { alpha, beta: alpha.next() };
        Node { depth: Depth::plies(plies), window, height: 1, on_previous: false, reached: Reached::ByMove, kind }
    }

    /// What is decided of a position in which the table knows this move, with this score, before it is searched; and the
    /// first move of the line that a search without the move finds.
    fn decide(text: &str, m: &str, units: i32, node: Node, switches: Switches) -> (Ahead, Option<String>) {
        let position = Position::parse(text).unwrap();
        let m = position.parse_move(m).unwrap();
        let settings = Settings { switches, ..PRESETS.modern() }.with_heuristic(MATERIAL);
        let (scheme, limit) = (Scheme::neutral(), Limit::nodes(1_000_000));
        let task = Task { settings, scheme: &scheme, limit, seed: 1, interrupt: &|| false, root: Root::default() };
        let mut workspace = Workspace::default();
        let policy = SchemePolicy::new(&scheme);
        let mut search = begin(&position, &task, settings.switches, &policy, &mut workspace, NoTrace);
        search.iteration = 8;
        let known = TableEntry {
            best: Some(m.code()),
            score: Score::evaluation(units),
            depth: node.depth.less(1000),
            bound: Bound::Lower,
        };
        let ahead = search.look_ahead(&position, node, known.best, Some(m), Some(known)).unwrap();
        search.lines[1].clear();
        search.again = Some(Again::Without(m.code()));
        let open = Node { window: Window::FULL, kind: NodeKind::Pv, ..node };
        search.expand(&position, Node { depth: Depth::plies(2), ..open }).unwrap();
        (ahead, search.lines[1].first().map(|m| position.print_move(*m)))
    }

    fn modern(change: impl Fn(&mut Switches)) -> Switches {
        let mut switches = Switches { table_mib: 1, ..PRESETS.modern().switches };
        change(&mut switches);
        switches
    }

    #[test]
    fn a_singular_move_is_extended_and_others_are_not() {
        let singular = modern(|switches| switches.singular = true);
        let low = node(6, 900, NodeKind::All);
        let (ahead, other) = decide(ONE_GOOD_MOVE, "e4d5", 100, low, singular);
        assert_eq!(ahead, Ahead::Extension(1000));
        assert!(other.is_some_and(|m| m != "e4d5"), "it is left out of the search that judges it");
        assert_eq!(decide(TWO_GOOD_MOVES, "e4d5", -520, low, singular).0, Ahead::Extension(0));
        let forced = decide(ONE_MOVE, "h1g1", -500, low, singular);
        assert_eq!(forced, (Ahead::Extension(1000), None), "the only move is singular");
        assert_eq!(decide(ONE_GOOD_MOVE, "e4d5", 100, low, modern(|_| ())).0, Ahead::Extension(0), "switched off");
        assert_eq!(decide(ONE_GOOD_MOVE, "e4d5", 100, node(4, 900, NodeKind::All), singular).0, Ahead::Extension(0));
    }

    #[test]
    fn a_second_move_above_beta_cuts_the_node_off() {
        let singular = modern(|switches| switches.singular = true);
        let high = node(6, -900, NodeKind::Cut);
        let (Ahead::Cutoff(score), _) = decide(TWO_GOOD_MOVES, "e4d5", -520, high, singular) else {
            panic!("no cutoff")
        };
        assert!(score >= high.window.beta && !score.is_forced());
        assert_eq!(decide(ONE_GOOD_MOVE, "e4d5", 100, node(6, 50, NodeKind::Cut), singular).0, Ahead::Extension(1000));
    }

    #[test]
    fn multi_cut_needs_several_cutoffs_at_a_cut_node() {
        let multi_cut = modern(|switches| switches.multi_cut = true);
        let decide = |node| decide(TWO_GOOD_MOVES, "e4d5", 0, node, multi_cut).0;
        let low = node(6, -2000, NodeKind::Cut);
        assert_eq!(decide(low), Ahead::Cutoff(low.window.beta));
        assert_eq!(decide(Node { kind: NodeKind::All, ..low }), Ahead::Extension(0));
        assert_eq!(decide(Node { height: 0, ..low }), Ahead::Extension(0));
        assert_eq!(decide(node(3, -2000, NodeKind::Cut)), Ahead::Extension(0));
        // Only the two captures are that good, and three cutoffs are wanted.
        assert_eq!(decide(node(6, -500, NodeKind::Cut)), Ahead::Extension(0));
    }
}
