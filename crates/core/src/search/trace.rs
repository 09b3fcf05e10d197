//! What a search tells of its tree while it runs: the trait [`Tracer`], and the tracer of ordinary searches, which is told
//! nothing.
//!
//! The search is compiled for its tracer. For [`NoTrace`] every call below is an empty function, so that an ordinary search
//! has not one instruction more. [`super::recorder`] is the other tracer.

use std::fmt;

use super::context::Node;
use crate::score::Score;

/// Is told about every node of a search, in the order in which they are visited.
///
/// A node is entered, then its moves are chosen or skipped one by one, and it is left when its score is known.
pub trait Tracer<M> {
    /// Whether it wants to be told anything.
    const ON: bool;

    /// This move of the current node is searched next, perhaps several times.
    #[inline(always)]
    fn choose(&mut self, _chosen: Chosen<M>) {}

    /// The node that is entered next is reached in this way.
    #[inline(always)]
    fn announce(&mut self, _step: Step) {}

    /// A node is searched. `nodes` is how many were before it.
    #[inline(always)]
    fn enter(&mut self, _node: &Node, _nodes: u64) {}

    /// What decides on the score of the current node, unless it is told again.
    #[inline(always)]
    fn decide(&mut self, _reason: Reason) {}

    /// This move of the current node is not searched.
    #[inline(always)]
    fn skip(&mut self, _m: M, _reason: Reason) {}

    /// The quiet moves of the current node that have not come up are not searched.
    #[inline(always)]
    fn skip_quiet_moves(&mut self) {}

    /// The current node is finished; none if the search was stopped in it.
    #[inline(always)]
    fn leave(&mut self, _score: Option<Score>, _nodes: u64) {}
}

/// The tracer of ordinary searches.
#[derive(Copy, Clone, Debug)]
pub struct NoTrace;

impl<M> Tracer<M> for NoTrace {
    const ON: bool = false;
}

/// A move that is searched, and what decided on its depth.
#[derive(Copy, Clone, Debug)]
pub struct Chosen<M> {
    /// The move.
    pub m: M,
    /// The counter of the rules that fired; see [`super::policy::DepthPolicy::rules`].
    pub fired: Option<usize>,
    /// Whether late-move reductions reduce it further than its rules.
    pub is_late: bool,
    /// Whether it is extended because it is singular.
    pub is_singular: bool,
}

/// How a node is reached, and for which of the searches of a move.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Step {
    /// The root of an iteration.
    Root,
    /// By a move, searched with the window of the node above.
    Full,
    /// By a move, searched with a null window to see whether it is better than the best so far.
    NullWindow,
    /// By a move that is searched less deep first.
    Reduced,
    /// By a move whose reduced search failed high, at an intermediate depth.
    Intermediate,
    /// By a pass.
    Pass,
    /// By one of the first moves, at the depth of multi-cut pruning.
    MultiCut,
    /// By a move of quiescence search.
    Quiescence,
    /// The node above once more, without a pass, to verify null-move pruning.
    Verification,
    /// The node above once more, without the move of the transposition table, to see whether that one is singular.
    Others,
    /// The node above once more, a ply less deep, by limited razoring.
    Razored,
}

/// Why a node has its score, or why a move was not searched.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Reason {
    /// Every move was searched, and the best is inside the window. Also what a node has until its reason is known.
    Exact,
    /// A move reached beta.
    Beta,
    /// Every move was searched, and none reached alpha.
    Alpha,
    /// The game is over.
    GameOver,
    /// A rule of the game predicts the result.
    Predicted,
    /// A draw by rule or by repetition.
    Draw,
    /// No depth is left: the evaluation.
    Evaluation,
    /// No depth is left: quiescence search.
    Quiescence,
    /// The evaluation of quiescence search is above beta.
    StandPat,
    /// The transposition table has the score.
    Table,
    /// Reverse futility pruning.
    ReverseFutility,
    /// Razoring.
    Razoring,
    /// Limited razoring.
    LimitedRazoring,
    /// Null-move pruning.
    NullMove,
    /// Multi-cut pruning.
    MultiCut,
    /// A move beside a singular one fails high.
    SingularCut,
    /// There is no legal move.
    NoMoves,
    /// A quiet move: futility pruning.
    Futility,
    /// A quiet move: late-move pruning.
    LateMove,
    /// A capture that loses material: exchange pruning.
    Exchange,
    /// A move that leaves the opponent a win at once.
    IgnoresCheck,
    /// The search was stopped in this node.
    Stopped,
}

impl Step {
    /// A short name.
    pub const fn name(self) -> &'static str {
        match self {
            Step::Root => "root",
            Step::Full => "full",
            Step::NullWindow => "null window",
            Step::Reduced => "reduced",
            Step::Intermediate => "intermediate",
            Step::Pass => "pass",
            Step::MultiCut => "multi-cut",
            Step::Quiescence => "quiescence",
            Step::Verification => "verification",
            Step::Others => "singular test",
            Step::Razored => "limited razoring",
        }
    }

    /// Whether it is one of the searches that decide on a move.
    pub const fn is_move(self) -> bool {
        matches!(self, Step::Full | Step::NullWindow | Step::Reduced | Step::Intermediate | Step::Quiescence)
    }

    /// Whether the position is that of the node above.
    pub const fn is_again(self) -> bool {
        matches!(self, Step::Verification | Step::Others | Step::Razored)
    }
}

impl Reason {
    /// A short name.
    pub const fn name(self) -> &'static str {
        match self {
            Reason::Exact => "exact",
            Reason::Beta => "beta cutoff",
            Reason::Alpha => "below alpha",
            Reason::GameOver => "game over",
            Reason::Predicted => "predicted by rule",
            Reason::Draw => "draw",
            Reason::Evaluation => "evaluation",
            Reason::Quiescence => "quiescence",
            Reason::StandPat => "stand pat",
            Reason::Table => "transposition table",
            Reason::ReverseFutility => "reverse futility",
            Reason::Razoring => "razoring",
            Reason::LimitedRazoring => "limited razoring",
            Reason::NullMove => "null move",
            Reason::MultiCut => "multi-cut",
            Reason::SingularCut => "multi-cut by singular test",
            Reason::NoMoves => "no legal move",
            Reason::Futility => "skipped: futility",
            Reason::LateMove => "skipped: late move",
            Reason::Exchange => "skipped: loses material",
            Reason::IgnoresCheck => "skipped: ignores check",
            Reason::Stopped => "stopped",
        }
    }

    /// Whether it is that of a move that was not searched.
    pub const fn is_skip(self) -> bool {
        matches!(self, Reason::Futility | Reason::LateMove | Reason::Exchange | Reason::IgnoresCheck)
    }
}

impl fmt::Display for Step {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}
