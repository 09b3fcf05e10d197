//! The functions that make moves (mate paper, Table 5).

use arrayvec::ArrayVec;
use cozy_chess::{BitBoard, Piece, PieceMoves};

use super::lazy_node::LazyNode;
use super::profile::Profiler;
use super::rules::{Moves, king_must_move, legal_moves};
use super::run::{BOTTOM, NOTHING, Run, TOP};
use crate::knowledge::is_mated;
use crate::language::Primitive as P;

/// The places of a function's arguments.
#[derive(Copy, Clone)]
struct Parts {
    /// The value after a move.
    then: usize,
    /// What moves are ordered by.
    order: Option<usize>,
    /// The value if no move fits.
    otherwise: Option<usize>,
}

/// The nodes after the legal moves.
#[expect(clippy::large_enum_variant, reason = "one for each node under search, on the stack: nothing is allocated")]
enum Children<'n> {
    /// Made when they are asked for.
    Plain(&'n LazyNode<'n>, <Moves as IntoIterator>::IntoIter),
    /// Rated and sorted.
    Rated(std::vec::IntoIter<LazyNode<'n>>),
}

impl<'n> Iterator for Children<'n> {
    type Item = LazyNode<'n>;

    fn next(&mut self) -> Option<LazyNode<'n>> {
        match self {
            Children::Plain(here, moves) => moves.next().map(|m| here.after(m)),
            Children::Rated(children) => children.next(),
        }
    }
}

impl<T: Profiler> Run<'_, '_, T> {
    /// The value of the function at `at` on this node.
    #[inline(never)]
    pub(super) fn make_moves(&self, function: P, at: usize, here: &LazyNode<'_>) -> i32 {
        let mut places = self.arguments(at);
        let mut next = || places.next().unwrap_or(at);
        match function {
            P::MakeBestMove => self.best(here, None, Parts { then: next(), order: None, otherwise: None }),
            P::MakeBestMoveInOrder => {
                let (order, then) = (Some(next()), next());
                self.best(here, None, Parts { then, order, otherwise: None })
            }
            P::MakeAnyOrAllMovesSuchThat => {
                let (wanted, then, otherwise) = (Some(next()), next(), Some(next()));
                self.best(here, wanted, Parts { then, order: None, otherwise })
            }
            P::IfPass => {
                let (then, otherwise) = (next(), next());
                let passed = if here.left == 0 { None } else { here.after_pass(self.counter) };
                passed.map_or_else(|| self.value(otherwise, here), |child| self.value(then, &child))
            }
            P::IfMyMoveExistsSuchThat => {
                let (wanted, then, otherwise) = (next(), next(), next());
                self.first(here, |child| self.makes(wanted, child).then(|| self.value(then, child)), otherwise)
            }
            P::IfForAllOpponentMoves => self.for_all(here, next(), next(), next()),
            P::MyMoveIter => {
                let (places, otherwise) = ([next(), next(), next()], next());
                self.first(here, |child| self.after_every_reply(child, places), otherwise)
            }
            P::IfKingMustMove => {
                let (then, otherwise) = (next(), next());
                if here.is_players_turn || !self.is_over(here) && !king_must_move(here.board(self.counter)) {
                    return self.value(otherwise, here);
                }
                self.of_replies(here, then)
            }
            P::IfSuicideCheck => {
                let (wanted, then, otherwise) = (next(), next(), next());
                let is_wanted = |child: &LazyNode<'_>| self.is_suicide_check(here, child) && self.makes(wanted, child);
                self.players(here, is_wanted, then, otherwise)
            }
            P::IfExistsCheckingMove => self.players(here, |child| child.is_check(self.counter), next(), next()),
            P::IfCaptureCloseToKingMove => self.players(here, |child| self.captures_close(here, child), next(), next()),
            P::IfAttackingKingMove => {
                let attacks = |child: &LazyNode<'_>| here.view(self.counter).attacks_zone_after(child.last);
                self.players(here, attacks, next(), next())
            }
            P::IfPinCloseToKingMove => self.players(here, |child| self.pins_close(here, child), next(), next()),
            P::IfClearingWayMove => self.players(here, |child| self.clears_way(here, child), next(), next()),
            // No other primitive is a function that makes moves.
            _ => NOTHING,
        }
    }

    /// `MakeBestMove` and its variants.
    fn best(&self, here: &LazyNode<'_>, wanted: Option<usize>, parts: Parts) -> i32 {
        let is_wanted = |child: &LazyNode<'_>| wanted.is_none_or(|wanted| self.makes(wanted, child));
        if here.is_players_turn { self.any(here, is_wanted, parts) } else { self.all(here, is_wanted, parts) }
    }

    /// Whether a condition holds after a move that is made for it.
    fn makes(&self, wanted: usize, child: &LazyNode<'_>) -> bool {
        self.make(child);
        self.holds(wanted, child)
    }

    /// Whether the move gives check with a piece that can be captured.
    fn is_suicide_check(&self, here: &LazyNode<'_>, child: &LazyNode<'_>) -> bool {
        child.is_check(self.counter) && here.view(self.counter).can_be_captured_after(child.last)
    }

    /// Whether the move captures close to the opponent's king.
    fn captures_close(&self, here: &LazyNode<'_>, child: &LazyNode<'_>) -> bool {
        child.is_capture(self.counter) && here.view(self.counter).close_to_king().has(child.last.to)
    }

    /// Whether the move pins a piece close to the opponent's king that was not pinned before.
    fn pins_close(&self, here: &LazyNode<'_>, child: &LazyNode<'_>) -> bool {
        let view = child.view(self.counter);
        !(view.pinned() & view.close_to_king() & !here.view(self.counter).pinned()).is_empty()
    }

    /// Whether the move enables a check by another piece that could not check before.
    fn clears_way(&self, here: &LazyNode<'_>, child: &LazyNode<'_>) -> bool {
        let (before, after) = (here.view(self.counter).can_check(), child.view(self.counter).can_check());
        !(after & !before & !child.last.to.bitboard()).is_empty()
    }

    /// The legal moves: cutoff and killer moves first, then the player's checks or the opponent's captures. The order
    /// changes no value, only the number of nodes. With the last move only checks can mate, so other moves are left
    /// out.
    fn ordered_moves(&self, here: &LazyNode<'_>) -> Moves {
        let board = here.board(self.counter);
        if self.is_bare {
            return legal_moves(board);
        }
        let only_forcing = here.is_players_turn && here.left == 1;
        let (mut moves, mut others) = (Moves::new(), ArrayVec::<PieceMoves, 32>::new());
        board.generate_moves(|mut list| {
            let forcing = self.forcing_targets(here, &list);
            let all = list.to;
            list.to = all & forcing;
            moves.extend(list);
            list.to = all & !forcing;
            if !only_forcing && !list.to.is_empty() {
                others.push(list);
            }
            false
        });
        others.into_iter().for_each(|list| moves.extend(list));
        let mut front = 0;
        for m in self.cache.borrow().preferred(here, self.counter).into_iter().flatten() {
            if let Some(place) = moves[front..].iter().position(|&other| other == m) {
                moves[front..=front + place].rotate_right(1);
                front += 1;
            }
        }
        moves
    }

    /// The target squares of this piece's checks, or of its captures if it is the opponent's.
    fn forcing_targets(&self, here: &LazyNode<'_>, list: &PieceMoves) -> BitBoard {
        let board = here.board(self.counter);
        if !here.is_players_turn {
            let sideways = if list.piece == Piece::Pawn { !list.from.file().bitboard() } else { BitBoard::EMPTY };
            return board.colors(!board.side_to_move()) | sideways;
        }
        here.check_squares(list, self.counter).unwrap_or_else(|| {
            let checks = list.into_iter().filter(|m| here.gives_check(*m, self.counter));
            checks.fold(BitBoard::EMPTY, |squares, m| squares | m.to.bitboard())
        })
    }

    /// The legal moves in generator order; with the last move only checks.
    fn moves_in_order_of_rules(&self, here: &LazyNode<'_>) -> Moves {
        let mut moves = legal_moves(here.board(self.counter));
        if here.left == 1 {
            moves.retain(|m| here.gives_check(*m, self.counter));
        }
        moves
    }

    /// Whether the game is over here: no legal move, or no move left for the player.
    fn is_over(&self, here: &LazyNode<'_>) -> bool {
        here.left == 0 || !self.can_move(here)
    }

    fn can_move(&self, here: &LazyNode<'_>) -> bool {
        here.board(self.counter).generate_moves(|_| true)
    }

    /// The value of a node where the game is over.
    fn terminal_value(&self, here: &LazyNode<'_>) -> i32 {
        // Without check there is no mate, and often the move alone decides that, so the board need not be made.
        if here.is_players_turn || !here.is_check(self.counter) || !is_mated(here.board(self.counter)) {
            return BOTTOM;
        }
        here.prove(0);
        TOP
    }

    /// A function of the player's turn: its last argument on the opponent's turn. In the paper's framework it makes the
    /// first move that fits ("make that move"); in ours it gives the best of all that fit.
    fn players(
        &self,
        here: &LazyNode<'_>,
        wanted: impl Fn(&LazyNode<'_>) -> bool,
        then: usize,
        otherwise: usize,
    ) -> i32 {
        if !here.is_players_turn {
            return self.value(otherwise, here);
        }
        if self.is_bare {
            let after = |child: &LazyNode<'_>| {
                wanted(child).then(|| {
                    self.make(child);
                    self.value(then, child)
                })
            };
            return self.first(here, after, otherwise);
        }
        self.any(here, wanted, Parts { then, order: None, otherwise: Some(otherwise) })
    }

    /// The least value of `then` after a reply; in the paper's framework, the value after the first reply.
    fn of_replies(&self, here: &LazyNode<'_>, then: usize) -> i32 {
        if !self.is_bare {
            return self.all(here, |_| true, Parts { then, order: None, otherwise: None });
        }
        match legal_moves(here.board(self.counter)).first() {
            Some(_) if self.counter.is_stopped() => BOTTOM,
            Some(&m) => {
                let child = here.after(m);
                self.make(&child);
                self.value(then, &child)
            }
            None => self.terminal_value(here),
        }
    }

    /// The nodes after these moves, with the moves to try first in front and the others in the order of an expression:
    /// the greatest first on the player's turn, the least on the opponent's.
    fn in_order<'n>(&self, here: &'n LazyNode<'_>, moves: &Moves, order: usize) -> Vec<LazyNode<'n>> {
        let preferred = self.cache.borrow().preferred(here, self.counter);
        let mut rated: Vec<(i32, LazyNode<'n>)> = Vec::with_capacity(moves.len());
        for &m in moves {
            let child = here.after(m);
            let value = if preferred.contains(&Some(m)) { i32::MIN } else { self.value(order, &child) };
            let is_greatest_first = here.is_players_turn && value != i32::MIN;
            rated.push((if is_greatest_first { value.saturating_neg() } else { value }, child));
        }
        rated.sort_by_key(|(value, _)| *value);
        rated.into_iter().map(|(_, child)| child).collect()
    }

    /// The nodes after all legal moves, in the order in which they are tried.
    fn children<'n>(&self, here: &'n LazyNode<'_>, order: Option<usize>) -> Children<'n> {
        let moves = self.ordered_moves(here);
        match order {
            Some(order) if moves.len() > 1 => Children::Rated(self.in_order(here, &moves, order).into_iter()),
            _ => Children::Plain(here, moves.into_iter()),
        }
    }

    /// The greatest value of `then` over the player's moves that satisfy `wanted`.
    fn any(&self, here: &LazyNode<'_>, wanted: impl Fn(&LazyNode<'_>) -> bool, parts: Parts) -> i32 {
        if here.left == 0 || here.is_lost() {
            return BOTTOM;
        }
        let mut best = None;
        for child in self.children(here, parts.order) {
            if self.counter.is_stopped() {
                break;
            }
            let value = if wanted(&child) {
                self.make(&child);
                Some(self.value(parts.then, &child))
            } else {
                None
            };
            if let Some(moves) = child.proved() {
                self.prove_by(here, child.last, moves + 1);
            }
            if here.is_won() {
                self.cache.borrow_mut().record_cutoff(here, child.last, self.counter);
                return TOP;
            }
            best = best.max(value);
            if best == Some(TOP) {
                break;
            }
        }
        match (best, parts.otherwise) {
            (Some(value), _) => value,
            (None, Some(otherwise)) if self.can_move(here) => self.value(otherwise, here),
            _ => BOTTOM,
        }
    }

    /// The least value of `then` over the opponent's moves that satisfy `wanted`.
    fn all(&self, here: &LazyNode<'_>, wanted: impl Fn(&LazyNode<'_>) -> bool, parts: Parts) -> i32 {
        if here.left == 0 || !self.can_move(here) {
            return self.terminal_value(here);
        }
        let mut least = None;
        let mut proof = Some(0);
        for child in self.children(here, parts.order) {
            if self.counter.is_stopped() {
                proof = None;
                break;
            }
            if wanted(&child) {
                self.make(&child);
                let value = self.value(parts.then, &child);
                let value = if child.is_won() { TOP } else { value };
                least = Some(least.map_or(value, |least: i32| least.min(value)));
            }
            proof = proof.zip(child.proved()).map(|(most, moves)| most.max(moves));
            if least == Some(BOTTOM) {
                self.cache.borrow_mut().record_cutoff(here, child.last, self.counter);
                return BOTTOM;
            }
        }
        if let Some(moves) = proof {
            here.prove(moves);
        }
        match (least, parts.otherwise) {
            _ if here.is_won() => TOP,
            (Some(value), _) => value,
            (None, Some(otherwise)) => self.value(otherwise, here),
            (None, None) => BOTTOM,
        }
    }

    /// The first `Some` that `value` returns over the player's moves; otherwise the value of `otherwise`.
    fn first(&self, here: &LazyNode<'_>, value: impl Fn(&LazyNode<'_>) -> Option<i32>, otherwise: usize) -> i32 {
        if !here.is_players_turn {
            return self.value(otherwise, here);
        }
        if here.left == 0 || here.is_lost() {
            return BOTTOM;
        }
        for &m in &self.moves_in_order_of_rules(here) {
            if self.counter.is_stopped() {
                break;
            }
            let child = here.after(m);
            let value = value(&child);
            if let Some(moves) = child.proved() {
                self.prove_by(here, m, moves + 1);
            }
            match value {
                _ if here.is_won() => return TOP,
                Some(value) => return value,
                None => {}
            }
        }
        self.value(otherwise, here)
    }

    /// `IfForAllOpponentMoves`.
    fn for_all(&self, here: &LazyNode<'_>, wanted: usize, then: usize, otherwise: usize) -> i32 {
        if here.is_players_turn {
            return self.value(otherwise, here);
        }
        if self.is_over(here) {
            return self.terminal_value(here);
        }
        if self.every_reply(here, wanted) { self.of_replies(here, then) } else { self.value(otherwise, here) }
    }

    /// Whether a condition holds after every move of the opponent, who has at least one.
    fn every_reply(&self, here: &LazyNode<'_>, wanted: usize) -> bool {
        let mut proof = Some(0);
        for &m in &self.ordered_moves(here) {
            if self.counter.is_stopped() {
                return false;
            }
            let child = here.after(m);
            let holds = self.makes(wanted, &child);
            proof = proof.zip(child.proved()).map(|(most, moves)| most.max(moves));
            if !holds {
                self.cache.borrow_mut().record_cutoff(here, m, self.counter);
                return false;
            }
        }
        if let Some(moves) = proof {
            here.prove(moves);
        }
        true
    }

    /// `MyMoveIter` after one move: the third argument, if the first holds here and the second after every reply.
    fn after_every_reply(&self, here: &LazyNode<'_>, [wanted, for_all, then]: [usize; 3]) -> Option<i32> {
        if !self.makes(wanted, here) {
            return None;
        }
        if self.is_over(here) {
            self.terminal_value(here);
            return None;
        }
        (self.every_reply(here, for_all) && !here.is_won()).then(|| self.value(then, here))
    }
}
