//! What an optimiser is told of weights: how many nodes the problems took with them.

/// What weights came to on some problems. Scores can be compared if they are over the same problems.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct Score {
    /// The paper's F: nodes to the solution of every problem, the whole limit for those that were not solved.
    pub nodes: u64,
    /// How many were solved.
    pub solved: u32,
    /// How many problems there were.
    pub problems: u32,
    /// A hash of what happened problem by problem: equal only if all went alike.
    pub trace: u64,
}

impl Score {
    /// What is better comes first: fewer nodes, then more solved.
    pub fn rank(&self) -> (u64, std::cmp::Reverse<u32>) {
        (self.nodes, std::cmp::Reverse(self.solved))
    }

    /// By how much more nodes this is than another score, relative to that one; less than zero if it is better.
    pub fn relative_to(&self, other: &Score) -> f64 {
        (self.nodes as f64 - other.nodes as f64) / (other.nodes as f64).max(1.0)
    }

    /// Nodes a problem, which can be compared even if some problems had to be left out.
    pub fn mean_nodes(&self) -> f64 {
        self.nodes as f64 / f64::from(self.problems.max(1))
    }
}

/// The place of the best score, the first of them if there are several.
pub fn best_of(scores: &[Score]) -> usize {
    (0..scores.len()).min_by_key(|&place| scores[place].rank()).unwrap_or(0)
}
