//! The score of a candidate: the nodes that the problems take with its weights.

/// The result of weights on a set of problems. Scores are comparable if they are on the same problems.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct SuiteScore {
    /// F of the paper: the sum of nodes to solve each problem, with the whole node limit for unsolved ones.
    pub nodes: u64,
    /// The number of solved problems.
    pub solved: u32,
    /// The number of problems.
    pub problems: u32,
    /// A hash of the results of all problems: equal only if every problem was searched identically.
    pub trace: u64,
}

impl SuiteScore {
    /// The sort key, better first: fewer nodes, then more solved problems.
    pub fn rank(&self) -> (u64, std::cmp::Reverse<u32>) {
        (self.nodes, std::cmp::Reverse(self.solved))
    }

    /// The relative difference of nodes to another score; negative if this one is better.
    pub fn relative_to(&self, other: &SuiteScore) -> f64 {
        (self.nodes as f64 - other.nodes as f64) / (other.nodes as f64).max(1.0)
    }

    /// Nodes per problem, comparable even if some problems were excluded.
    pub fn mean_nodes(&self) -> f64 {
        self.nodes as f64 / f64::from(self.problems.max(1))
    }
}

/// The index of the best score, the first one if several are equal.
pub fn best_of(scores: &[SuiteScore]) -> usize {
    (0..scores.len()).min_by_key(|&place| scores[place].rank()).unwrap_or(0)
}
