//! How much Gradual Focus prunes: the rows of thesis Table 4.3, each adding one method to the row above.
//!
//! The methods are cumulative, so they are one ordered choice and not four switches: whatever compares
//! greater or equal to [`Pruning::Groups`] knows groups, and so on.

use std::{fmt, str::FromStr};

use plysmith_core::feature::{Atom, Conjunction, Vocabulary};
use thiserror::Error;

/// The pruning methods in use; each includes all before it.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Debug, Hash)]
pub enum Pruning {
    /// Every atom is a group of its own; only what does not improve on its first parent is cut off.
    None,
    /// Atoms of one group are never combined (thesis section 3.4).
    Groups,
    /// What an atom does not improve, its children in the hierarchy will not either (section 3.5).
    LinearTree,
    /// Atoms below delta are not combined at all, whatever their marks say (section 3.6).
    Threshold,
    /// The same, but atoms that the game marks as not threshold-safe stay ("domain knowledge").
    Knowledge,
}

/// A text that names no pruning.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("'{text}' is not a pruning; expected one of {}", Pruning::ALL.map(Pruning::name).join(", "))]
pub struct PruningError {
    /// What was read.
    pub text: String,
}

impl Pruning {
    /// All of them, from none to most knowing.
    pub const ALL: [Pruning; 5] =
        [Pruning::None, Pruning::Groups, Pruning::LinearTree, Pruning::Threshold, Pruning::Knowledge];

    /// Its one name, on the command line as in stores and reports.
    pub const fn name(self) -> &'static str {
        match self {
            Pruning::None => "none",
            Pruning::Groups => "groups",
            Pruning::LinearTree => "linear-tree",
            Pruning::Threshold => "threshold",
            Pruning::Knowledge => "knowledge",
        }
    }

    /// The papers' `belongToSameGroup`: true if this atom must not join this feature. A feature has the
    /// groups of all its atoms; without groups an atom excludes only itself.
    pub fn same_group(self, vocabulary: Vocabulary, feature: Conjunction, atom: Atom) -> bool {
        let group = vocabulary.facts(atom).group;
        feature.atoms().any(|other| other == atom || self >= Pruning::Groups && vocabulary.facts(other).group == group)
    }

    /// True if threshold pruning may drop this atom from the Base set.
    pub(crate) fn may_drop(self, vocabulary: Vocabulary, atom: Atom) -> bool {
        match self {
            Pruning::None | Pruning::Groups | Pruning::LinearTree => false,
            Pruning::Threshold => true,
            Pruning::Knowledge => vocabulary.facts(atom).threshold_safe,
        }
    }
}

impl fmt::Display for Pruning {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl FromStr for Pruning {
    type Err = PruningError;

    fn from_str(text: &str) -> Result<Pruning, PruningError> {
        let named = Pruning::ALL.into_iter().find(|pruning| pruning.name() == text);
        named.ok_or_else(|| PruningError { text: text.to_string() })
    }
}

#[cfg(test)]
mod tests {
    use super::Pruning;

    #[test]
    fn names_read_back() {
        for pruning in Pruning::ALL {
            assert_eq!(pruning.to_string().parse(), Ok(pruning));
        }
        assert!(Pruning::ALL.is_sorted());
    }

    #[test]
    fn a_wrong_name_is_answered_with_the_right_ones() {
        assert_eq!(
            "ltp".parse::<Pruning>().unwrap_err().to_string(),
            "'ltp' is not a pruning; expected one of none, groups, linear-tree, threshold, knowledge"
        );
    }
}
