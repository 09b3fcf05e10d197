//! How a discovery combines features, where it is to do other than the papers.

use std::fmt;
use std::str::FromStr;

use plysmith_core::feature::Vocabulary;
use plysmith_learn::focus::Survival;
use serde::{Deserialize, Serialize};
use thiserror::Error;

use super::Config;
use crate::error::RunError;
use crate::experiment::Features;
use crate::text_form;

/// How features are combined.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct Combining {
    /// The operators.
    #[serde(default, with = "text_form")]
    pub operators: Operators,
    /// The groups of atoms.
    #[serde(default, with = "text_form")]
    pub groups: GroupChoice,
    /// At most this many alternatives.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub most_alternatives: Option<usize>,
}

/// The operators that features are combined with.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct Operators {
    /// ∧: moves that have both.
    pub and: bool,
    /// ∨: moves that have either.
    pub or: bool,
}

/// Which of two papers says what groups the atoms form.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Default)]
pub enum GroupChoice {
    /// The thesis; for games that it does not have, the game.
    #[default]
    Thesis,
    /// The paper, whose groups are smaller.
    Paper,
}

/// A word that says nothing about combining.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum CombiningError {
    /// Not an operator.
    #[error("'{0}' is not an operator; expected 'and', 'or', or both as 'and,or'")]
    Operator(String),
    /// Exclusive or.
    #[error("'xor' would find what 'or' finds, because alternatives exclude each other; write 'or' for it")]
    Xor,
    /// Not a choice of groups.
    #[error("'{0}' is not a choice of groups; expected 'thesis' or 'paper'")]
    Groups(String),
}

impl Default for Operators {
    /// Those of the papers.
    fn default() -> Operators {
        Operators { and: true, or: false }
    }
}

impl fmt::Display for Operators {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match (self.and, self.or) {
            (true, true) => "and,or",
            (false, true) => "or",
            _ => "and",
        })
    }
}

impl FromStr for Operators {
    type Err = CombiningError;

    fn from_str(text: &str) -> Result<Operators, CombiningError> {
        let mut operators = Operators { and: false, or: false };
        for word in text.split(',').map(str::trim) {
            match word {
                "and" => operators.and = true,
                "or" => operators.or = true,
                "xor" => return Err(CombiningError::Xor),
                _ => return Err(CombiningError::Operator(word.to_string())),
            }
        }
        Ok(operators)
    }
}

impl fmt::Display for GroupChoice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            GroupChoice::Thesis => "thesis",
            GroupChoice::Paper => "paper",
        })
    }
}

impl FromStr for GroupChoice {
    type Err = CombiningError;

    fn from_str(text: &str) -> Result<GroupChoice, CombiningError> {
        match text {
            "thesis" => Ok(GroupChoice::Thesis),
            "paper" => Ok(GroupChoice::Paper),
            _ => Err(CombiningError::Groups(text.to_string())),
        }
    }
}

impl Combining {
    /// Whether features are combined as the papers do; not stored then, as by versions that could do nothing else.
    pub(super) fn is_default(&self) -> bool {
        *self == Combining::default()
    }

    /// The atoms in their groups.
    pub(super) fn vocabulary(&self, features: &Features) -> Result<Vocabulary, RunError> {
        match (self.groups, features.guidance.paper_groups) {
            (GroupChoice::Thesis, _) => Ok(features.vocabulary),
            (GroupChoice::Paper, []) => {
                Err(RunError::input("the paper has groups for Breakthrough's features only; leave out --groups paper"))
            }
            (GroupChoice::Paper, groups) => Ok(features.vocabulary.regrouped(groups)),
        }
    }

    /// What to say of the operators; nothing if they are the papers'.
    pub(super) fn explained(&self, epsilon: i32) -> Option<String> {
        self.operators.or.then(|| {
            let what = if epsilon < 0 {
                format!("at most {} fewer", epsilon.unsigned_abs())
            } else {
                format!("at least {epsilon} more")
            };
            format!(
                "Operators: {}. Alternatives differ within groups. They are kept if they solve {what} than the better part, and \
                 than each feature that all of them are parts of.",
                self.operators
            )
        })
    }
}

impl Config {
    /// Fails if alternatives are asked for where nothing says how to compare them.
    pub(super) fn check_combining(&self) -> Result<(), RunError> {
        if self.epsilon < 0 && self.survival() == Survival::Saves {
            return Err(RunError::input(
                "a negative --epsilon has no meaning where moves are to be searched less; write how many problems a feature \
                 may solve fewer, like --epsilon 2",
            ));
        }
        let is_by_problems = self.graded.is_none() && self.fitness.is_none() && self.survival() == Survival::Gains;
        if self.combining.operators.or && (!is_by_problems || self.error.is_some() || self.seeds > 1) {
            return Err(RunError::input(
                "--operators with 'or' counts solved problems: use it with --fitness solved, a number as --epsilon, one seed and \
                 weights below 1",
            ));
        }
        Ok(())
    }
}
