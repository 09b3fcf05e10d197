//! The search function: negamax alpha-beta whose depth is counted in fractional plies.
//!
//! Steps are numbered through [`Search::visit`], which ends lines, and `expand`, which searches moves.

use super::context::{Again, Node, Reached, Search, Stopped};
use super::look_ahead::Ahead;
use super::order::{Cutoff, Picker, Source};
use super::policy::{DepthPolicy, LateMove, MoveContext, Plan};
use super::pruning::{self, MovePruning};
use super::state::TREND;
use super::table::{Bound, TableEntry};
use super::trace::{Chosen, Reason, Step, Tracer};
use crate::depth::Weight;
use crate::feature::StateAtoms;
use crate::game::{Game, Move};
use crate::score::{Score, Window};
use crate::settings::Techniques;

/// What is known of a node before its moves are searched.
struct Facts<M> {
    /// The move of the previous iteration's best line, if the node is on it.
    followed: Option<M>,
    /// The code of the move to begin with.
    hint: Option<u16>,
    /// What that move is extended by, in thousandths of a ply.
    extension: i32,
    checked: bool,
    /// The evaluation, where it stands for all quiet moves: they are not even generated.
    floor: Option<Score>,
    pruning: MovePruning,
}

/// What searching the moves of a node has found so far.
struct Found<M> {
    best: Score,
    best_move: Option<M>,
    /// How many moves were searched.
    searched: usize,
}

impl<G: Game, T: Techniques, P: DepthPolicy<G>, X: Tracer<G::Move>> Search<'_, G, T, P, X> {
    /// Counts a node, and returns its score, without a search if the line ends here.
    #[inline(always)]
    pub fn visit(&mut self, position: &G, node: Node) -> Result<Score, Stopped> {
        if X::ON { self.visit_traced(position, node) } else { self.visit_now(position, node) }
    }

    /// A visit that the tracer is told about.
    #[inline(never)]
    fn visit_traced(&mut self, position: &G, node: Node) -> Result<Score, Stopped> {
        self.tracer.enter(&node, self.nodes);
        let result = self.visit_now(position, node);
        self.tracer.leave(result.ok(), self.nodes);
        result
    }

    #[inline(always)]
    fn visit_now(&mut self, position: &G, node: Node) -> Result<Score, Stopped> {
        if self.nodes == self.pause {
            self.check_limits()?;
        }
        self.nodes += 1;

        // Step 1. The game is over.
        if let Some(outcome) = position.terminal_result() {
            self.height = self.height.max(node.height);
            self.tracer.decide(Reason::GameOver);
            return Ok(Score::of(outcome, node.height));
        }

        // Step 2. A rule of the game predicts the result.
        if self.techniques.foresight()
            && node.height > 0
            && let Some((outcome, plies)) = position.race_result()
        {
            self.height = self.height.max(node.height);
            self.tracer.decide(Reason::Predicted);
            return Ok(Score::of(outcome, node.height + plies));
        }

        // Step 3. Draws, by rule or by repetition.
        if self.keeps_path() {
            self.cut_path(node.height);
        }
        if G::DRAWS
            && node.height > 0
            && (position.is_drawn() || self.techniques.repetition() && self.is_repetition(position))
        {
            self.height = self.height.max(node.height);
            self.tracer.decide(Reason::Draw);
            return Ok(Score::EVEN);
        }

        // Step 4. No depth is left: evaluate, with quiescence search after playing tactical moves out.
        if Self::ends_line(node.depth, node.height) {
            self.height = self.height.max(node.height);
            return if G::TACTICAL && self.techniques.quiescence() {
                self.tracer.decide(Reason::Quiescence);
                self.quiesce(position, node)
            } else {
                self.tracer.decide(Reason::Evaluation);
                Ok(position.evaluate_with(self.heuristic, self.eval_terms))
            };
        }
        self.expand(position, node)
    }

    /// A visit that is rare enough not to be inlined.
    #[inline(never)]
    pub(super) fn visit_again(&mut self, position: &G, node: Node) -> Result<Score, Stopped> {
        self.visit(position, node)
    }

    /// Searches the moves of a position.
    pub(super) fn expand(&mut self, position: &G, node: Node) -> Result<Score, Stopped> {
        let Node { depth, window, height, on_previous, .. } = node;
        let again = self.take_again();
        let excluded = again.and_then(Again::excluded);

        // Step 5. Transposition table. At the root a move is wanted, not just a score; and where positions can repeat,
        // the lines of the principal variation are not cut short. It says nothing of a node without one of its moves.
        let key = if self.techniques.table() || self.keeps_path() { position.key() } else { 0 };
        let known = if self.techniques.table() { self.table.get(key) } else { None };
        if height > 0
            && excluded.is_none()
            && (!G::DRAWS || window.is_null())
            && let Some(score) = known.and_then(|known| known.answer(depth, window, height))
        {
            self.tracer.decide(Reason::Table);
            return Ok(score);
        }

        // Step 6. Pruning of the node by its evaluation: see `prune_node`.
        let evaluates = pruning::evaluates(self.techniques);
        let asks_for_check = evaluates || self.techniques.reductions() || self.techniques.evasions();
        let checked = asks_for_check && position.in_check();
        let eval = (evaluates && window.is_null() && !checked).then(|| self.evaluate(position, key));
        if self.policy.state_atoms().intersects(TREND) {
            self.evals[height as usize] = (!position.in_check()).then(|| self.evaluate(position, key));
        }
        if self.keeps_path() {
            self.path.push(key);
        }
        if again.is_none()
            && let Some(eval) = eval
            && let Some(score) = self.prune_node(position, node, eval)?
        {
            return Ok(score);
        }

        // Step 7. The moves, the most promising first. Where the game can tell that the table's move is legal, all
        // others are generated only if that one does not cause a cutoff.
        let followed = if on_previous { self.previous.get(height as usize).copied() } else { None };
        let hint = followed.map(|m| m.code()).or(known.and_then(|known| known.best));
        let recalled = hint
            .filter(|code| self.has_tactical_moves() && self.allows(*code, height))
            .and_then(|code| position.recall(code));
        let mut picker = match excluded {
            None => Picker::new(recalled),
            Some(code) => self.picker_without(position, code),
        };

        // Step 8. Searches of less depth: multi-cut pruning, and whether the table's move is singular.
        let ahead = match again {
            None => self.look_ahead(position, node, hint, recalled, known)?,
            Some(_) => Ahead::Extension(0),
        };
        let extension = match ahead {
            Ahead::Cutoff(score) => return Ok(score),
            Ahead::Extension(units) => units,
        };

        // Step 9. The depth policy classifies all moves together.
        let mut classes = P::Classes::default();
        let state = match self.policy.state_atoms() {
            wanted if wanted.is_empty() => StateAtoms::NONE,
            wanted => self.node_state(position, node, hint, wanted),
        };
        self.policy.classify(position, state, &mut classes);
        let pruning = MovePruning::new(self.techniques, self.tunables, eval, node);
        let floor = eval.filter(|_| pruning.skips_all_quiet_moves() && !self.policy.has_exempt_moves(&classes));
        if floor.is_some() {
            picker.skip_quiet_moves();
            self.tracer.skip_quiet_moves();
        }

        // Step 10. Each is searched as the policy plans.
        let facts = Facts { followed, hint, extension, checked, floor, pruning };
        let Found { best, best_move, searched } = self.search_moves(position, node, &facts, &mut picker, &classes)?;
        if searched == 0 && (floor.is_none() || !position.can_move()) {
            self.tracer.decide(Reason::NoMoves);
            // Where the only move was left out, no other comes near it.
            let no_moves = Score::of(position.no_moves_result(), height);
            return Ok(if excluded.is_some() { window.alpha } else { no_moves });
        }

        // Step 11. The result goes to the transposition table.
        if self.techniques.table() && excluded.is_none() {
            let bound = Bound::of(best, node.window);
            let best_code = best_move.map(|m| m.code());
            self.table.put(key, TableEntry { best: best_code, score: best.from_node(height), depth, bound });
        }
        Ok(best)
    }

    /// Searches moves until one causes a cutoff.
    #[inline(always)]
    fn search_moves(
        &mut self,
        position: &G,
        node: Node,
        facts: &Facts<G::Move>,
        picker: &mut Picker<G::Move>,
        classes: &P::Classes,
    ) -> Result<Found<G::Move>, Stopped> {
        let Node { depth, mut window, height, .. } = node;
        let mut found = Found { best: facts.floor.unwrap_or(Score::LOWEST), best_move: None, searched: 0 };
        while let Some(m) = self.next_move(picker, position, height, facts) {
            // Step 10a. Futility, late-move and exchange pruning; moves that ignore a check.
            let is_quiet = !self.has_tactical_moves() || !position.is_tactical(m);
            let coming = MoveContext {
                state: match self.policy.state_atoms() {
                    wanted if wanted.is_empty() => StateAtoms::NONE,
                    wanted => self.move_state(position, m, node, facts.hint, found.searched, wanted),
                },
                depth,
                tried: found.searched,
                has_alpha: window.alpha > Score::LOWEST,
            };
            let mut plan = self.policy.plan(classes, m, &coming);
            if facts.extension > 0 && facts.hint == Some(m.code()) {
                plan = plan.extended(facts.extension);
            }
            let is_late = (found.searched > 0 || facts.floor.is_some()) && !facts.checked && !plan.is_exempt;
            let may_skip = self.techniques.futility() && is_late && !found.best.is_forced_loss();
            let skips_quiet = may_skip && is_quiet && facts.pruning.skips_quiet_moves(found.searched);
            // What comes after a skipped quiet move is no better, unless it is exempt.
            if skips_quiet && !self.policy.has_exempt_moves(classes) {
                picker.skip_quiet_moves();
                self.tracer.skip_quiet_moves();
            }
            let is_skipped = skips_quiet || may_skip && facts.pruning.skips_exchange(position, m);
            if is_skipped && !(is_quiet && self.is_check(position, m, picker))
                || found.searched > 0 && self.ignores_check(position, m, facts)
            {
                self.tracer.skip(m, skip_reason(is_skipped, skips_quiet, &facts.pruning));
                continue;
            }

            // Step 10b. Late-move reductions. Checks are exempt here, too.
            let next = position.play(m);
            let is_reducible = is_late && is_quiet && !(self.techniques.checks() && next.in_check());
            let planned = plan;
            if is_reducible && self.techniques.reductions() {
                plan = self.reduced(plan, m, &next, node, found.searched);
            }
            self.tracer.choose(Chosen {
                m,
                fired: plan.fired,
                is_late: plan.reduction > planned.reduction,
                is_singular: facts.extension > 0 && facts.hint == Some(m.code()),
            });
            plan = plan.settled(depth, self.tunables.lmr_keep);
            found.searched += 1;
            if let Some(feature) = plan.fired {
                self.fired[feature] += 1;
            }

            // Step 10c. The move is searched. Leaves do not touch their line, so that of an earlier sibling is cleared.
            let child = Node {
                depth: depth.after(plan.weight),
                window: window.flipped(),
                height: height + 1,
                on_previous: facts.followed == Some(m),
                reached: Reached::ByMove,
                kind: node.kind.after_move(),
            };
            self.lines[height as usize + 1].clear();
            let score = self.search_move(&next, child, plan, found.best_move.is_some())?;

            // Step 10d. A better move; a cutoff if it is too good.
            if score <= found.best {
                continue;
            }
            found.best = score;
            if score > window.alpha {
                found.best_move = Some(m);
                window.alpha = score;
                self.raise_alpha(position, m, window, height);
                if score >= window.beta {
                    if is_quiet {
                        self.record_cutoff(position, m, picker, node);
                    }
                    break;
                }
            }
        }
        Ok(found)
    }

    /// Whether a quiet move that was just picked gives check, and checks are exempt from pruning.
    #[inline(always)]
    fn is_check(&self, position: &G, m: G::Move, picker: &Picker<G::Move>) -> bool {
        self.techniques.checks() && (picker.has_only_checks() || position.play(m).in_check())
    }

    /// Whether a move leaves the opponent a win at once, and such moves are skipped.
    #[inline(always)]
    fn ignores_check(&self, position: &G, m: G::Move, facts: &Facts<G::Move>) -> bool {
        facts.checked && self.techniques.evasions() && position.ignores_check(m)
    }

    /// The next move to search.
    #[inline(always)]
    fn next_move(
        &mut self,
        picker: &mut Picker<G::Move>,
        position: &G,
        height: u32,
        facts: &Facts<G::Move>,
    ) -> Option<G::Move> {
        let source = Source {
            position,
            techniques: self.techniques,
            refutations: &*self.refutations,
            height,
            hint: facts.hint,
            left_out: if height == 0 { &self.left_out } else { &[] },
        };
        picker.next(&source, &mut self.random)
    }

    /// The score of a move: with a null window first, if there is a move already that it has to beat, and less deep if
    /// its plan says so. A search that fails high is followed by the next one of the plan.
    #[inline(always)]
    fn search_move(&mut self, position: &G, child: Node, plan: Plan, has_best: bool) -> Result<Score, Stopped> {
        if Self::IS_LEAN && !child.on_previous && !Self::ends_line(child.depth, child.height) {
            return Ok(-self.visit_lean(position, child.into())?);
        }
        let window = child.window.flipped();
        let probe = Node { window: window.null().flipped(), kind: child.kind.with_null_window(), ..child };
        if plan.reduction != Weight::NOTHING {
            self.tracer.announce(Step::Reduced);
            let score = -self.visit(position, Node { depth: child.depth.after(plan.reduction), ..probe })?;
            if score <= window.alpha {
                return Ok(score);
            }
            if plan.second_reduction != Weight::NOTHING {
                self.tracer.announce(Step::Intermediate);
                let score =
                    -self.visit_again(position, Node { depth: child.depth.after(plan.second_reduction), ..probe })?;
                if score <= window.alpha {
                    return Ok(score);
                }
            }
        }
        if self.techniques.null_window() && has_best && !child.window.is_null() {
            self.tracer.announce(Step::NullWindow);
            let score = -self.visit(position, probe)?;
            if score <= window.alpha || score >= window.beta {
                return Ok(score);
            }
        }
        self.tracer.announce(Step::Full);
        Ok(-self.visit(position, child)?)
    }

    /// The plan of a late move that leads to this position.
    fn reduced(&self, plan: Plan, m: G::Move, next: &G, node: Node, tried: usize) -> Plan {
        let is_killer = self.techniques.killers() && self.refutations.is_killer(m, node.height);
        let history = if self.techniques.history() { self.refutations.history(m, self.tunables) } else { 0 };
        let late = LateMove {
            depth: node.depth,
            tried,
            null_window: node.window.is_null(),
            is_sharp: is_killer || next.in_check(),
            history,
        };
        self.policy.reduce(plan, &late)
    }

    /// Keeps a move whose score is the new alpha.
    #[inline(always)]
    fn raise_alpha(&mut self, position: &G, m: G::Move, window: Window, height: u32) {
        self.keep_line(m, height);
        if height == 0 {
            self.root_score = Some(window.alpha);
            self.show_root(position, m, window.alpha, window);
        }
    }

    /// Remembers a quiet move that caused a cutoff, and the quiet moves before it that did not.
    #[inline(always)]
    fn record_cutoff(&mut self, position: &G, m: G::Move, picker: &Picker<G::Move>, node: Node) {
        let has_tactical_moves = self.has_tactical_moves();
        let is_quiet = |other: &G::Move| !has_tactical_moves || !position.is_tactical(*other);
        let failed = picker.tried().filter(|other| *other != m && is_quiet(other));
        let cutoff = Cutoff { m, height: node.height, plies: node.depth.whole_plies() };
        self.refutations.record(self.techniques, self.tunables, cutoff, failed);
    }
}

/// Why a move is skipped, of the reasons in step 10a.
#[inline(always)]
fn skip_reason(is_skipped: bool, skips_quiet: bool, pruning: &MovePruning) -> Reason {
    match (is_skipped, skips_quiet) {
        (false, _) => Reason::IgnoresCheck,
        (true, true) => pruning.quiet_reason(),
        (true, false) => Reason::Exchange,
    }
}
