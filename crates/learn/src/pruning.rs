//! The pruning levels of Gradual Focus: the rows of thesis Table 4.3, each adding one method to the row above.
//!
//! The levels of the thesis are cumulative, so they form one enum instead of four switches. Two more have threshold pruning
//! without linear tree pruning.

use std::{fmt, str::FromStr};

use plysmith_core::feature::{Atom, Conjunction, Vocabulary};
use thiserror::Error;

/// A pruning level; each of the first five includes all levels before it.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Hash)]
pub enum Pruning {
    /// Every atom is its own group; only combinations that do not improve on their first parent are pruned.
    None,
    /// Atoms of one group are never combined (thesis section 3.4).
    Groups,
    /// If a combination with an atom fails, the combinations with its children are skipped (section 3.5).
    LinearTree,
    /// Atoms with a value below delta are not combined, whatever their marks (section 3.6).
    Threshold,
    /// Threshold pruning that spares atoms the game marks as not threshold-safe ("domain knowledge").
    Knowledge,
    /// Groups and threshold pruning, without linear tree pruning.
    GroupsThreshold,
    /// Groups and threshold pruning that spares marked atoms, without linear tree pruning.
    GroupsKnowledge,
}

/// An unknown pruning level.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("'{text}' is not a pruning; expected one of {}", Pruning::ALL.map(Pruning::name).join(", "))]
pub struct PruningError {
    /// The text that was read.
    pub text: String,
}

impl Pruning {
    /// All levels: those of the thesis in ascending order, then the others.
    pub const ALL: [Pruning; 7] = [
        Pruning::None,
        Pruning::Groups,
        Pruning::LinearTree,
        Pruning::Threshold,
        Pruning::Knowledge,
        Pruning::GroupsThreshold,
        Pruning::GroupsKnowledge,
    ];

    /// The name used on the command line, in stores and in reports.
    pub const fn name(self) -> &'static str {
        match self {
            Pruning::None => "none",
            Pruning::Groups => "groups",
            Pruning::LinearTree => "linear-tree",
            Pruning::Threshold => "threshold",
            Pruning::Knowledge => "knowledge",
            Pruning::GroupsThreshold => "groups+threshold",
            Pruning::GroupsKnowledge => "groups+knowledge",
        }
    }

    /// `belongToSameGroup` of the papers: whether this atom must not be added to this feature. A feature has the groups
    /// of all its atoms; without groups an atom excludes only itself.
    pub fn same_group(self, vocabulary: Vocabulary, feature: Conjunction, atom: Atom) -> bool {
        let group = vocabulary.facts(atom).group;
        feature.atoms().any(|other| other == atom || self != Pruning::None && vocabulary.facts(other).group == group)
    }

    /// Whether the children of an atom that fails are skipped.
    pub(crate) fn uses_linear_tree(self) -> bool {
        matches!(self, Pruning::LinearTree | Pruning::Threshold | Pruning::Knowledge)
    }

    /// Whether threshold pruning may drop this atom from the Base set.
    pub(crate) fn may_drop(self, vocabulary: Vocabulary, atom: Atom) -> bool {
        match self {
            Pruning::None | Pruning::Groups | Pruning::LinearTree => false,
            Pruning::Threshold | Pruning::GroupsThreshold => true,
            Pruning::Knowledge | Pruning::GroupsKnowledge => vocabulary.facts(atom).threshold_safe,
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
    }

    #[test]
    fn a_wrong_name_is_answered_with_the_right_ones() {
        assert_eq!(
            "ltp".parse::<Pruning>().unwrap_err().to_string(),
            "'ltp' is not a pruning; expected one of none, groups, linear-tree, threshold, knowledge, groups+threshold, \
             groups+knowledge"
        );
    }
}
