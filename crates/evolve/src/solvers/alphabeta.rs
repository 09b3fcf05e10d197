//! Core's search with everything on, as the reference of our own.

use plysmith_core::feature::Scheme;
use plysmith_core::game::Game;
use plysmith_core::games::chess::Position;
use plysmith_core::search::deepening::{End, Limit, Root, Task, Workspace, search};

use super::{Answer, Question, Solver};

/// Solves by the preset `modern`.
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
        let plies = 2 * u32::from(question.moves).max(1) - 1;
        let task = Task {
            settings: Position::PRESETS.modern(Position::PRESETS.heuristic),
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
