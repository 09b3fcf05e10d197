//! What is wrong with the text of a conjunction, feature or scheme.

use thiserror::Error;

use super::cost::CostError;

/// A text that is not a conjunction, feature or scheme.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum FeatureError {
    /// A name that the game does not know.
    #[error("'{name}' is not a feature; {hint}xpected one of {known}, or several joined by '-'")]
    UnknownAtom {
        /// What was read.
        name: String,
        /// What was probably meant, and the first letter of what follows.
        hint: String,
        /// All names that would have been right.
        known: String,
    },
    /// An atom twice in one conjunction, or a feature twice in a feature or scheme.
    #[error("'{text}' names {what} twice; leave one out")]
    Repeated {
        /// The whole text that was read.
        text: String,
        /// What stands there twice.
        what: String,
    },
    /// A feature that no move can be searched by, because it has no atom.
    #[error("'{text}' gives Neutral a weight; Neutral has no effect, leave it out")]
    WeightedNeutral {
        /// What was read.
        text: String,
    },
    /// An alternative that every move has.
    #[error("'{text}' has Neutral as an alternative, and so every move; leave it out")]
    NeutralAlternative {
        /// The whole feature that was read.
        text: String,
    },
    /// An alternative that adds no move to another.
    #[error("'{text}' has no use for '{narrow}', which holds only where '{wide}' does; leave it out")]
    Subsumed {
        /// The whole feature that was read.
        text: String,
        /// The alternative without use.
        narrow: String,
        /// The one that holds wherever it does.
        wide: String,
    },
    /// Parentheses that do not surround one conjunction.
    #[error("'{text}' has parentheses where none can be; write alternatives like '({example})|({example})'")]
    Parentheses {
        /// The whole feature that was read.
        text: String,
        /// What may stand between a pair of them.
        example: String,
    },
    /// A pattern that no atom has.
    #[error("no feature begins like '{pattern}'; expected one of {known}, or the beginning of some with '*'")]
    NoMatch {
        /// What was read.
        pattern: String,
        /// All names there are.
        known: String,
    },
    /// A text that is not a cost.
    #[error(transparent)]
    Cost(#[from] CostError),
    /// More features than a search can hold.
    #[error("a scheme has at most {most} features, this one has {count}")]
    TooMany {
        /// How many there were.
        count: usize,
        /// How many there may be.
        most: usize,
    },
    /// More different atoms than a search can look up.
    #[error(
        "a scheme with reductions, probabilities or atoms of the search state names at most {most} different atoms, this \
         one {count}"
    )]
    TooManyAtoms {
        /// How many there were.
        count: usize,
        /// How many there may be.
        most: usize,
    },
    /// A mark behind something that cannot have one.
    #[error(
        "'{text}' has a '!' or '~' behind it, which only a weight can have: '!' exempts moves from pruning, '~' does not"
    )]
    Mark {
        /// What was read.
        text: String,
    },
    /// An amount for all other moves.
    #[error("'{text}' adds depth to all other moves; expected a weight like Other@1.5 or a probability like Other@3%")]
    OtherAmount {
        /// What was read.
        text: String,
    },
    /// A file that should have a scheme in it.
    #[error("{0}")]
    File(String),
    /// A rule of a partition that cannot be one.
    #[error("'{text}' has alternatives, which a partition cannot have: each move is in one class")]
    PartitionAlternatives {
        /// What was read.
        text: String,
    },
}
