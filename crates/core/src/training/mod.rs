//! Self-play games that evaluations are fitted to.
//!
//! A training game begins with random moves. Then both sides play the same settings with the same number of nodes, and
//! every move is kept with the score of its search. At every second ply a *branch* is tried as well: another random move,
//! whose position is searched in the same way. Players who play well never show an evaluation what a blunder looks like;
//! branches do.
//!
//! A game depends on its plan and its number alone. It is kept as text of about a kilobyte; its positions are found by
//! playing its moves again.
//!
//! | file | what |
//! | --- | --- |
//! | `mod` | how games are played: plan and rules |
//! | `game` | one game |
//! | `record` | a game as text |
//! | `replay` | the positions of a game, with their scores and results |
//! | `terms` | what a game with an evaluation of its own gives a fit |

mod game;
mod record;
mod replay;
mod terms;

use crate::settings::Settings;

pub use game::{fair_opening, play};
pub use record::{Branch, TrainingGame, TrainingGameError, TrainingPly};
pub use replay::{ReplayError, Sample, replay};
pub use terms::{TermFit, Trace};

/// Raised when the same plan leads to other games.
pub const REVISION: u32 = 1;

/// Games to play.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct TrainingPlan {
    /// How both sides search.
    pub settings: Settings,
    /// Nodes per move.
    pub nodes: u64,
    /// Random seed of all games.
    pub seed: u64,
    /// How games begin and end.
    pub rules: TrainingRules,
}

/// How the training games of a game begin and end, and which of their positions an evaluation is fitted to.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct TrainingRules {
    /// Fewest random plies of an opening.
    pub least_plies: usize,
    /// Most random plies of an opening.
    pub most_plies: usize,
    /// An opening is drawn again if its first search finds a larger advantage for either side, or a forced result.
    pub fair: Option<i32>,
    /// When a game counts as decided before its end; by forced results alone if there is no such rule.
    pub adjudication: Option<Adjudication>,
    /// Fits to quiet positions only; to all if there is no such rule.
    pub quiet: Option<QuietRule>,
}

/// When a game counts as decided: by what both players agree on, in units of the evaluation.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct Adjudication {
    /// The game is won if one side has at least this advantage
    pub decisive: i32,
    /// for this number of plies.
    pub decisive_plies: usize,
    /// The game is drawn if neither side has more than this
    pub level: i32,
    /// for this number of plies,
    pub level_plies: usize,
    /// after this number of plies.
    pub level_after: usize,
}

/// Which positions are quiet: the side to move is not in check, and its best move is not tactical.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct QuietRule {
    /// The first plies behind the opening, which are left out.
    pub unsettled: usize,
    /// Positions with at least this advantage for either side are left out.
    pub decisive: i32,
}

impl TrainingRules {
    /// For games whose evaluation is learned from patterns, in whatever units: all positions, until a result is forced.
    pub const PATTERNS: TrainingRules =
        TrainingRules { least_plies: 2, most_plies: 9, fair: None, adjudication: None, quiet: None };
}
