//! The terminals (mate paper, Tables 3 and 6); [`crate::language::TABLE`] defines their meanings.

use super::lazy_node::LazyNode;
use super::profile::Profiler;
use super::rules::{king_must_move, legal_moves};
use super::run::Run;
use crate::knowledge::is_mated;
use crate::language::Primitive as P;
use crate::language::Real;

impl<T: Profiler> Run<'_, '_, T> {
    /// The value of a terminal on this node; Booleans are 0 and 1.
    #[inline(never)]
    pub(super) fn terminal(&self, terminal: P, here: &LazyNode<'_>) -> i32 {
        let counter = self.counter;
        let view = || here.view(counter);
        match terminal {
            P::IsCheck => i32::from(here.is_check(counter)),
            P::IsMaterialChange => i32::from(here.is_capture(counter)),
            P::IsMateInOneOrLess => i32::from(self.is_mate_in_one_or_less(here)),
            P::IsNextMoveForced => i32::from(!here.is_players_turn && self.count_replies(here) == 1),
            P::IsNextMoveForcedWithKing => {
                Real::whole(i32::from(!here.is_players_turn && king_must_move(here.board(counter)))).0
            }
            P::IsPinCloseToKing => i32::from(!(view().pinned() & view().close_to_king()).is_empty()),
            P::NumMyPiecesCanCheck => Real::whole(view().can_check().len() as i32).0,
            P::DidNumAttackingKingIncrease => {
                let before = here.view_before(counter).map(|view| view.attackers_of_zone());
                i32::from(before.is_some_and(|before| view().attackers_of_zone() > before))
            }
            P::IsDiscoveredCheck => i32::from(here.is_check(counter) && !here.discovered_checkers(counter).is_empty()),
            P::IsDiscoveredProtectedCheck => {
                i32::from(here.is_check(counter) && view().is_protected(here.discovered_checkers(counter)))
            }
            P::OppKingProximityToEdges => Real::whole(view().edge_proximity()).0,
            P::NumOppPiecesAttacked => Real::whole(view().attacked_close() as i32).0,
            P::IsCheckFork => i32::from(here.is_check(counter) && view().is_check_fork()),
            P::NumNotMovesOppKing => Real::whole(view().impossible_steps()).0,
            P::NumNotMovesOppBigger => {
                let before = here.view_before(counter).map(|view| view.impossible_steps());
                i32::from(before.is_some_and(|before| view().impossible_steps() > before))
            }
            P::IsOppKingProtectingPiece => i32::from(view().is_king_protecting()),
            P::EvaluateMaterial => Real::whole(view().material()).0,
            P::IsOppKingStuck => i32::from(view().is_king_stuck()),
            P::IsOppPiecePinned => i32::from(!view().pinned().is_empty()),
            _ => self.rich_terminal(terminal, here),
        }
    }

    /// The value of a terminal that the paper does not have.
    fn rich_terminal(&self, terminal: P, here: &LazyNode<'_>) -> i32 {
        let counter = self.counter;
        let of_last_move = || here.view_of_last_move(counter);
        match terminal {
            P::MovesLeft => Real::whole(here.left.into()).0,
            P::Attempt => Real::whole(self.attempt.into()).0,
            P::NumQuietMoves => Real::whole(here.quiet_moves(counter).into()).0,
            P::NumReplies if here.is_players_turn => 0,
            P::NumReplies => Real::whole(legal_moves(here.board(counter)).len() as i32).0,
            P::LastMoveDistance => Real::whole(of_last_move().map_or(0, |view| view.distance_to_king(here.last))).0,
            P::IsLastMoveAttacking => i32::from(of_last_move().is_some_and(|view| view.attacks_zone_after(here.last))),
            P::IsLastMoveCapturable => {
                i32::from(of_last_move().is_some_and(|view| view.can_be_captured_after(here.last)))
            }
            // No other primitive is a terminal.
            _ => 0,
        }
    }

    /// The number of legal moves of the side to move; counting stops above one.
    fn count_replies(&self, here: &LazyNode<'_>) -> usize {
        let board = here.board(self.counter);
        let mut count = 0;
        board.generate_moves(|moves| {
            count += moves.len();
            count > 1
        });
        count
    }

    /// `IsMateInOneOrLess`: only checks are made, and each of them counts as a node.
    fn is_mate_in_one_or_less(&self, here: &LazyNode<'_>) -> bool {
        let board = here.board(self.counter);
        if !here.is_players_turn {
            let mated = is_mated(board);
            if mated {
                here.prove(0);
            }
            return mated;
        }
        for &m in &legal_moves(board) {
            let child = here.after(m);
            if self.counter.is_stopped() {
                return false;
            }
            if child.is_check(self.counter) && is_mated(child.board(self.counter)) {
                self.prove_by(here, m, 1);
                return true;
            }
        }
        here.note_no_mate_in_one();
        false
    }
}
