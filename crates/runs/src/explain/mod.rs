//! Why a search finds what another misses: two recorded searches of one position, compared.
//!
//! | file | what |
//! | --- | --- |
//! | here | the [`Question`]: position, settings and limits of both searches |
//! | `recording` | one search: its iterations, their lines with what each move cost, and its tree |
//! | `comparison` | the iteration that decides, the first divergence, and both in plain words |
//! | `node` | nodes of a tree as data for readers |
//! | `view` | the comparison as a table and text |
//!
//! Nothing here is stored: a search is repeated faster than its tree is read from a disk.

mod comparison;
mod node;
mod recording;
mod view;

use plysmith_core::feature::Scheme;
use plysmith_core::games::GameInfo;
use plysmith_core::problem::{Criterion, Problem};
use plysmith_core::search::{Limit, SearchTree, Workspace};
use plysmith_core::settings::Settings;

use crate::error::RunError;
use crate::memory::ThreadNeed;
use crate::services::Host;

pub use comparison::{Comparison, Divergence, DivergenceKind};
pub use node::{NodeData, node_data, position_at};
pub use recording::{FiredRule, Iteration, LineMove, NamedMove, Recording};

/// What is searched, and how.
#[derive(Clone, Debug)]
pub struct Question {
    /// The game.
    pub game: &'static GameInfo,
    /// The position, and what is known of its solution.
    pub problem: Problem,
    /// The suite that the problem is from.
    pub suite: Option<String>,
    /// The search settings.
    pub settings: Settings,
    /// When each search stops.
    pub limit: Limit,
    /// Random seed, as that of a measurement.
    pub seed: u64,
    /// The most nodes that are kept of each tree.
    pub most_nodes: usize,
}

impl Question {
    /// Nodes that are kept of each tree unless another number is asked for.
    pub const MOST_NODES: usize = 500_000;

    /// A position as a problem: some moves are right, or no solution is known.
    pub fn problem_at(game: &'static GameInfo, text: &str, best: &[String]) -> Result<Problem, RunError> {
        let position = game.parse_position(text).map_err(|error| RunError::input(format!("'{text}': {error}")))?;
        let best = best.iter().map(|m| position.canonical_move(m)).collect::<Result<_, _>>();
        Ok(Problem {
            position: position.text(),
            best: best.map_err(RunError::input)?,
            avoid: Vec::new(),
            id: String::new(),
            criterion: Criterion::BestMove,
            distance: None,
        })
    }

    /// Whether it is known which moves are right.
    pub fn has_solution(&self) -> bool {
        !self.problem.best.is_empty() || !self.problem.avoid.is_empty() || self.problem.criterion == Criterion::Proven
    }

    /// Searches with this scheme and records the tree. The search is the one that a measurement of the problem makes.
    pub fn record(&self, scheme: &Scheme, host: &Host) -> Result<Recording, RunError> {
        host.workers(1, &self.need())?;
        Recording::of(self, scheme, host)
    }

    /// The memory that one search needs with its tree.
    fn need(&self) -> ThreadNeed {
        // Moves that are skipped are recorded beside the nodes.
        let most = usize::try_from(self.limit.nodes.saturating_mul(4)).unwrap_or(usize::MAX).min(self.most_nodes);
        ThreadNeed::of_engine(&self.game.print_settings(&self.settings), Workspace::bytes(&self.settings))
            .and("the recorded tree", (most * SearchTree::BYTES_PER_NODE) as u64)
    }

    /// Compares the searches with two schemes.
    pub fn compare(&self, schemes: [&Scheme; 2], host: &Host) -> Result<Comparison, RunError> {
        let [first, second] = schemes;
        Comparison::new(self.clone(), [self.record(first, host)?, self.record(second, host)?])
    }
}
