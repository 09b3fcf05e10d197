//! Core's modern search, as the reference of our own.
//!
//! Two of its parts are off: null moves do not see that a quiet move leaves nothing but bad moves, and futility gives up
//! the quiet moves, checks among them, of whoever is far behind. In games both pay; as solvers of mates they are blind to many.

use plysmith_core::feature::Scheme;
use plysmith_core::game::Game;
use plysmith_core::games::chess::Position;
use plysmith_core::search::{End, Limit, Root, Task, Workspace, search};
use plysmith_core::settings::{Settings, Switches};

use super::{Answer, Question, Solver};

/// Solves by `modern,-null-move,-futility`.
#[derive(Debug, Default)]
pub struct AlphaBeta {
    workspace: Workspace,
}

impl Solver for AlphaBeta {
    fn name(&self) -> String {
        "alpha-beta".to_string()
    }

    fn solve(&mut self, question: &Question<'_>) -> Answer {
        if question.position.legal_moves().is_empty() {
            return Answer::default();
        }
        let modern = Position::PRESETS.modern(Position::PRESETS.heuristic);
        let plies = 2 * u32::from(question.moves).max(1) - 1;
        let task = Task {
            settings: Settings {
                switches: Switches { null_move: false, futility: false, ..modern.switches },
                ..modern
            },
            scheme: &Scheme::neutral(),
            limit: Limit { win: plies, ..Limit::nodes(question.budget) },
            seed: 1,
            interrupt: &question.interrupt,
            root: Root::default(),
        };
        let report = search(question.position, &task, &mut self.workspace);
        let mate = report.score.win_in().filter(|&found| found <= plies).map(|found| found.div_ceil(2) as u8);
        Answer {
            best: report.line.first().copied(),
            mate,
            nodes: report.nodes,
            is_cut: mate.is_none() && matches!(report.end, End::Nodes | End::Interrupted),
            proof: None,
        }
    }
}
