//! The basic algorithm (mate paper, Figure 1): every move, every reply, no order, no memory.

use cozy_chess::Board;
use plysmith_core::game::Game;

use super::{Answer, Question, Solver};
use crate::knowledge::is_mated;
use crate::run::Meter;
use crate::run::legal_moves;

/// Solves by trying everything.
#[derive(Copy, Clone, Debug, Default)]
pub struct Exhaustive;

impl Solver for Exhaustive {
    fn name(&self) -> String {
        "exhaustive".to_string()
    }

    fn solve(&mut self, question: &Question<'_>) -> Answer {
        let meter = Meter::new(question.budget, question.interrupt);
        let position = question.position;
        let found = position.legal_moves().into_iter().find(|m| {
            let after = made(position.board(), m.for_cozy(), &meter);
            check_opponents_turn(&after, question.moves, &meter) && !meter.is_stopped()
        });
        let mate = found.map(|_| question.moves);
        Answer { best: found, mate, nodes: meter.nodes(), is_cut: meter.is_stopped() && found.is_none(), proof: None }
    }
}

fn made(board: &Board, m: cozy_chess::Move, meter: &Meter<'_>) -> Board {
    meter.count();
    let mut after = board.clone();
    after.play_unchecked(m);
    after
}

/// `CheckOppTurn`: whether all of the opponent's moves lead to a mate in one move less.
fn check_opponents_turn(board: &Board, moves: u8, meter: &Meter<'_>) -> bool {
    if is_mated(board) {
        return true;
    }
    let replies = legal_moves(board);
    !replies.is_empty()
        && replies.into_iter().all(|m| {
            // The figure descends to the horizon before it sees that no move is left.
            !meter.is_stopped() && is_mate_in(&made(board, m, meter), moves - 1, meter)
        })
}

/// `Mate-In-N?`.
fn is_mate_in(board: &Board, moves: u8, meter: &Meter<'_>) -> bool {
    moves > 0
        && legal_moves(board)
            .into_iter()
            .any(|m| !meter.is_stopped() && check_opponents_turn(&made(board, m, meter), moves, meter))
}
