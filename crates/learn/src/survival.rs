//! The rule by which features survive Gradual Focus: they are to gain, as in the papers, or to save nodes.
//!
//! Where moves are to be searched less deep, a feature cannot be asked to solve more. A reduced move that raises alpha is
//! searched again, so a bad reduction costs nodes before it costs solutions, and a good one saves them.

/// What a feature needs to survive, compared with its first parent.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Default, Hash)]
pub enum Survival {
    /// A value that is higher by at least epsilon (paper, Algorithm 3).
    #[default]
    Gains,
    /// A value that is lower by at most epsilon, with fewer nodes: moves with the feature may be searched less deep.
    Saves,
}

impl Survival {
    /// The smallest value with which a child of a parent with this value can survive.
    pub const fn at_least(self, parent: u32, epsilon: i32) -> u32 {
        match self {
            Survival::Gains => parent.saturating_add_signed(epsilon),
            Survival::Saves => parent.saturating_add_signed(epsilon.saturating_neg()),
        }
    }
}
