//! Move features: atoms, their conjunctions, and schemes that give conjunctions a weight.
//!
//! An *atom* is one elementary property of a move (capture, passed, rank zone …). A *conjunction* is a
//! set of atoms that all must hold; the empty one is the papers' Neutral. A *scheme* says how much
//! depth a move with certain features costs. All three have one text form that parses and prints:
//! `Ud-RdTt` is a conjunction, `Ud-RdTt@0.5,PP@0.75` a scheme.

use std::fmt;

use thiserror::Error;

use crate::search::depth::{Weight, WeightError};

/// An elementary move feature: its number in the game's [`Vocabulary`].
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Debug, Hash)]
pub struct Atom(pub u8);

/// What a game says of one of its atoms (thesis Table 4.2).
#[derive(Debug, PartialEq, Eq)]
pub struct AtomFacts {
    /// The papers' short name.
    pub name: &'static str,
    /// Atoms of one group exclude or contain each other, so they are never combined.
    pub group: &'static str,
    /// The wider atom of the same group that this one is a part of.
    pub parent: Option<&'static str>,
    /// False where threshold pruning would lose good descendants ("domain knowledge").
    pub threshold_safe: bool,
    /// What exactly makes a move have this feature.
    pub meaning: &'static str,
    /// A position and the moves to play from it; the last one has the feature.
    pub example: (&'static str, &'static str),
}

/// The atoms of one game, in the order conjunctions are written in.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct Vocabulary(pub &'static [AtomFacts]);

/// A set of atoms that must all hold. The empty conjunction is Neutral: it has no effect.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Debug, Hash, Default)]
pub struct Conjunction(u64);

/// How much depth moves cost: the lowest weight among the features that match, one ply otherwise.
///
/// Features are kept by rising weight, so the first that matches decides.
#[derive(Clone, PartialEq, Eq, Debug, Hash, Default)]
pub struct Scheme(Vec<(Conjunction, Weight)>);

/// What is wrong with a conjunction or scheme that was written down.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum FeatureError {
    /// A name that the game does not know.
    #[error("'{name}' is not a feature; expected one of {known}, or several joined by '-'")]
    UnknownAtom {
        /// What was read.
        name: String,
        /// All names that would have been right.
        known: String,
    },
    /// The same atom twice in one conjunction, or the same conjunction twice in a scheme.
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
    /// A weight that is none.
    #[error(transparent)]
    Weight(#[from] WeightError),
    /// More features than a search can hold.
    #[error("a scheme has at most {most} features, this one has {count}")]
    TooMany {
        /// How many there were.
        count: usize,
        /// How many there may be.
        most: usize,
    },
}

impl Conjunction {
    /// The feature without effect.
    pub const NEUTRAL: Conjunction = Conjunction(0);

    /// The conjunction of these atoms.
    pub fn of(atoms: impl IntoIterator<Item = Atom>) -> Conjunction {
        Conjunction(atoms.into_iter().fold(0, |bits, atom| bits | 1 << atom.0))
    }

    /// Both at once: the papers' `combine`.
    pub const fn and(self, other: Conjunction) -> Conjunction {
        Conjunction(self.0 | other.0)
    }

    /// True if every atom of this one is in the other, so that the other is at least as narrow.
    pub const fn is_within(self, other: Conjunction) -> bool {
        self.0 & !other.0 == 0
    }

    /// Its atoms in vocabulary order.
    #[inline]
    pub fn atoms(self) -> impl Iterator<Item = Atom> {
        let mut bits = self.0;
        std::iter::from_fn(move || {
            let atom = (bits != 0).then(|| Atom(bits.trailing_zeros() as u8));
            bits &= bits.wrapping_sub(1);
            atom
        })
    }

    /// How many atoms it has.
    pub const fn len(self) -> usize {
        self.0.count_ones() as usize
    }

    /// True for Neutral.
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }
}

impl Scheme {
    /// The most features a scheme can have.
    pub const MOST_FEATURES: usize = 32;

    /// No feature: every move costs one ply.
    pub const fn neutral() -> Scheme {
        Scheme(Vec::new())
    }

    /// One feature with its weight; Neutral gives the neutral scheme.
    pub fn single(feature: Conjunction, weight: Weight) -> Scheme {
        Scheme(if feature.is_empty() { Vec::new() } else { vec![(feature, weight)] })
    }

    /// The features by rising weight.
    pub fn features(&self) -> &[(Conjunction, Weight)] {
        &self.0
    }
}

impl Vocabulary {
    /// Every atom.
    pub fn atoms(self) -> impl Iterator<Item = Atom> {
        (0..self.0.len() as u8).map(Atom)
    }

    /// What the game says of this atom.
    pub fn facts(self, atom: Atom) -> &'static AtomFacts {
        &self.0[usize::from(atom.0)]
    }

    /// The atom of this name.
    pub fn find(self, name: &str) -> Option<Atom> {
        self.atoms().find(|&atom| self.facts(atom).name == name)
    }

    /// Prints a conjunction: `Ud-RdTt`, or `Neutral`.
    pub fn print(self, feature: Conjunction) -> String {
        if feature.is_empty() {
            return "Neutral".to_string();
        }
        let names: Vec<_> = feature.atoms().map(|atom| self.facts(atom).name).collect();
        names.join("-")
    }

    /// Reads a conjunction, its atoms in any order.
    pub fn parse(self, text: &str) -> Result<Conjunction, FeatureError> {
        if text == "Neutral" {
            return Ok(Conjunction::NEUTRAL);
        }
        text.split('-').try_fold(Conjunction::NEUTRAL, |feature, name| {
            let atom = self.find(name).ok_or_else(|| self.unknown(name))?;
            let atom = Conjunction::of([atom]);
            if atom.is_within(feature) {
                return Err(FeatureError::Repeated { text: text.to_string(), what: name.to_string() });
            }
            Ok(feature.and(atom))
        })
    }

    /// Prints a scheme: `Ud-RdTt@0.5,PP@0.75`, or `Neutral`.
    pub fn print_scheme(self, scheme: &Scheme) -> String {
        if scheme.0.is_empty() {
            return self.print(Conjunction::NEUTRAL);
        }
        let features: Vec<_> =
            scheme.0.iter().map(|&(feature, weight)| format!("{}@{weight}", self.print(feature))).collect();
        features.join(",")
    }

    /// Reads a scheme. A feature without `@weight` gets the weight given here.
    pub fn parse_scheme(self, text: &str, default: Weight) -> Result<Scheme, FeatureError> {
        if text == "Neutral" {
            return Ok(Scheme::neutral());
        }
        let mut features: Vec<(Conjunction, Weight)> = Vec::new();
        for part in text.split(',') {
            let (name, weight) = match part.split_once('@') {
                Some((name, weight)) => (name, weight.parse()?),
                None => (part, default),
            };
            let feature = self.parse(name)?;
            if feature.is_empty() {
                return Err(FeatureError::WeightedNeutral { text: part.to_string() });
            }
            if features.iter().any(|&(known, _)| known == feature) {
                return Err(FeatureError::Repeated { text: text.to_string(), what: self.print(feature) });
            }
            features.push((feature, weight));
        }
        if features.len() > Scheme::MOST_FEATURES {
            return Err(FeatureError::TooMany { count: features.len(), most: Scheme::MOST_FEATURES });
        }
        features.sort_by_key(|&(feature, weight)| (weight, feature));
        Ok(Scheme(features))
    }

    fn unknown(self, name: &str) -> FeatureError {
        let known: Vec<_> = self.0.iter().map(|facts| facts.name).collect();
        FeatureError::UnknownAtom { name: name.to_string(), known: known.join(", ") }
    }
}

impl fmt::Display for Atom {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "#{}", self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::{AtomFacts, Conjunction, Vocabulary};
    use crate::search::depth::Weight;

    const fn atom(name: &'static str) -> AtomFacts {
        AtomFacts { name, group: name, parent: None, threshold_safe: true, meaning: "", example: ("", "") }
    }

    const LETTERS: Vocabulary = Vocabulary(&[atom("a"), atom("b"), atom("c"), atom("d")]);

    #[test]
    fn conjunctions_read_back_in_any_order() {
        for bits in 0..16 {
            let feature = Conjunction(bits);
            assert_eq!(LETTERS.parse(&LETTERS.print(feature)), Ok(feature));
        }
        assert_eq!(LETTERS.parse("c-a"), LETTERS.parse("a-c"));
        assert_eq!(LETTERS.print(LETTERS.parse("d-b").unwrap()), "b-d");
    }

    #[test]
    fn schemes_are_kept_by_rising_weight() {
        let scheme = LETTERS.parse_scheme("a,b-c@0.25,d@2", Weight::HALF).unwrap();
        assert_eq!(LETTERS.print_scheme(&scheme), "b-c@0.25,a@0.5,d@2");
        assert_eq!(LETTERS.parse_scheme("Neutral", Weight::HALF).unwrap().features(), []);
    }

    #[test]
    fn errors_name_what_was_read_and_what_to_write() {
        let error = |text| LETTERS.parse_scheme(text, Weight::HALF).unwrap_err().to_string();
        assert_eq!(error("a-x@1"), "'x' is not a feature; expected one of a, b, c, d, or several joined by '-'");
        assert_eq!(error("a-a"), "'a-a' names a twice; leave one out");
        assert_eq!(error("a-b,b-a@1"), "'a-b,b-a@1' names a-b twice; leave one out");
        assert!(error("a@fast").starts_with("'fast' is not a weight"));
        assert!(error("Neutral@0.5").contains("no effect"));
        assert!(error("").starts_with("'' is not a feature"));
    }

    #[test]
    fn narrower_conjunctions_contain_wider_ones() {
        let (ab, abc) = (LETTERS.parse("a-b").unwrap(), LETTERS.parse("a-b-c").unwrap());
        assert!(ab.is_within(abc) && !abc.is_within(ab) && Conjunction::NEUTRAL.is_within(ab));
        assert_eq!(ab.and(abc).len(), 3);
    }
}
