//! The basic algorithm (mate paper, Figure 1): every move and every reply, without move ordering or a hash table.

use cozy_chess::Board;
use plysmith_core::game::Game;

use super::solver::{MateAnswer, MateQuery, Solver};
use crate::interpreter::NodeCounter;
use crate::interpreter::legal_moves;
use crate::knowledge::is_mated;

/// Solves by exhaustive search.
#[derive(Copy, Clone, Debug, Default)]
pub struct Exhaustive;

impl Solver for Exhaustive {
    fn name(&self) -> String {
        "exhaustive".to_string()
    }

    fn solve(&mut self, query: &MateQuery<'_>) -> MateAnswer {
        let counter = NodeCounter::new(query.budget, query.interrupt);
        let position = query.position;
        let found = position.legal_moves().into_iter().find(|m| {
            let after = made(position.board(), m.for_cozy(), &counter);
            check_opponents_turn(&after, query.moves, &counter) && !counter.is_stopped()
        });
        let mate = found.map(|_| query.moves);
        MateAnswer {
            best: found,
            mate,
            nodes: counter.nodes(),
            is_cut: counter.is_stopped() && found.is_none(),
            proof: None,
        }
    }
}

fn made(board: &Board, m: cozy_chess::Move, counter: &NodeCounter<'_>) -> Board {
    counter.count();
    let mut after = board.clone();
    after.play_unchecked(m);
    after
}

/// `CheckOppTurn`: whether all of the opponent's moves lead to a mate in one move less.
fn check_opponents_turn(board: &Board, moves: u8, counter: &NodeCounter<'_>) -> bool {
    if is_mated(board) {
        return true;
    }
    let replies = legal_moves(board);
    !replies.is_empty()
        && replies.into_iter().all(|m| {
            // As in the figure, the search descends to the horizon before it notices that no move is left.
            !counter.is_stopped() && is_mate_in(&made(board, m, counter), moves - 1, counter)
        })
}

/// `Mate-In-N?`.
fn is_mate_in(board: &Board, moves: u8, counter: &NodeCounter<'_>) -> bool {
    moves > 0
        && legal_moves(board)
            .into_iter()
            .any(|m| !counter.is_stopped() && check_opponents_turn(&made(board, m, counter), moves, counter))
}
