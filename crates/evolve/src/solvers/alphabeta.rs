//! The modern alpha-beta search of core, as a reference solver.
//!
//! Null-move and futility pruning are off: a null move hides zugzwang, and futility pruning skips quiet moves,
//! including checks, of the side that is far behind. Both pay in games, but miss many mates. Its evaluation is that of
//! `classic`, so that the reference stays the same when weights are learned.

use plysmith_core::feature::Scheme;
use plysmith_core::game::Game;
use plysmith_core::games::chess::{Position, TUNED};
use plysmith_core::search::{End, Limit, Root, Task, Workspace, search};
use plysmith_core::settings::{Settings, Switches};

use super::solver::{MateAnswer, MateQuery, Solver};

/// Solves with the preset `modern,-null-move,-futility,heuristic=tuned`.
#[derive(Debug, Default)]
pub struct AlphaBeta {
    workspace: Workspace,
}

impl AlphaBeta {
    /// Its search settings.
    pub fn settings() -> Settings {
        let modern = Position::PRESETS.modern();
        let switches = Switches { null_move: false, futility: false, ..modern.switches };
        Settings { switches, heuristic: TUNED, ..modern }
    }

    /// About how many bytes it needs.
    pub fn bytes() -> u64 {
        Workspace::bytes(&Position::PRESETS.modern())
    }
}

impl Solver for AlphaBeta {
    fn name(&self) -> String {
        "alpha-beta".to_string()
    }

    fn solve(&mut self, query: &MateQuery<'_>) -> MateAnswer {
        if query.position.legal_moves().is_empty() {
            return MateAnswer::default();
        }
        let plies = 2 * u32::from(query.moves).max(1) - 1;
        let task = Task {
            settings: AlphaBeta::settings(),
            scheme: &Scheme::neutral(),
            limit: Limit { win: plies, ..Limit::nodes(query.budget) },
            seed: 1,
            interrupt: &query.interrupt,
            root: Root::default(),
        };
        let report = search(query.position, &task, &mut self.workspace);
        let mate = report.score.win_in().filter(|&found| found <= plies).map(|found| found.div_ceil(2) as u8);
        MateAnswer {
            best: report.line.first().copied(),
            mate,
            nodes: report.nodes,
            is_cut: mate.is_none() && matches!(report.end, End::Nodes | End::Interrupted),
            proof: None,
        }
    }
}
