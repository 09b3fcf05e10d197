//! Move features: atoms, their conjunctions, and schemes that give features a weight.
//!
//! An *atom* is one elementary property of a move (capture, passed, rank zone …). A *conjunction* is a
//! set of atoms that all must hold; the empty one is the papers' Neutral. A *feature* is one conjunction
//! or several, any of which must hold (thesis section 4.2.3 joins recaptures of bishops and rooks so). A
//! *scheme* says how much depth a move with certain features costs. All have one text form that parses
//! and prints: `Ud-RdTt` is a conjunction, `(CcB-LcB)|(CcR-LcR)` a feature of two alternatives,
//! `Ud-RdTt@0.5,PP@0.75` a scheme.

use std::fmt;
use std::iter::once;

use thiserror::Error;

use crate::depth::{Weight, WeightError};

/// An elementary move feature: its number in the game's [`Vocabulary`].
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Debug, Hash)]
pub struct Atom(pub u8);

/// What a game says of one of its atoms (thesis Table 4.2).
#[derive(Debug, PartialEq, Eq)]
pub struct AtomFacts {
    /// The papers' short name.
    pub name: &'static str,
    /// Atoms of one group exclude or contain each other, so they are never combined; see
    /// [`Guidance::overlapping`].
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

/// What a game tells the learners about its features, beyond each atom by itself.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct Guidance {
    /// Combinations that make no sense, each with the reason: the seeded blacklist of thesis section 3.4.
    pub blacklist: &'static [(&'static str, &'static str)],
    /// Groups whose atoms may hold together, each with the reason. Gradual Focus presumes that there are none.
    pub overlapping: &'static [(&'static str, &'static str)],
    /// The atoms to begin with unless others are asked for, as [`Vocabulary::matching`] reads them; none for all.
    pub base: &'static [&'static str],
}

/// A set of atoms that must all hold. The empty conjunction is Neutral: it has no effect.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Debug, Hash, Default)]
pub struct Conjunction(u64);

/// One or more conjunctions, any of which must hold: what a scheme gives one weight.
///
/// They are kept in their order, and none is a part of another, so equal features are equal values.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug, Hash)]
pub struct Feature {
    /// Apart from the others, because most features are a single conjunction, and searches look at it in every node.
    first: Conjunction,
    others: Box<[Conjunction]>,
}

/// How much depth moves cost: the lowest weight among the features that match, one ply otherwise.
///
/// Features are kept by rising weight, so the first that matches decides.
#[derive(Clone, PartialEq, Eq, Debug, Hash, Default)]
pub struct Scheme(Vec<(Feature, Weight)>);

/// What is wrong with a conjunction, feature or scheme that was written down.
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
    /// The same atom twice in one conjunction, or the same feature twice in a feature or scheme.
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

impl Feature {
    /// The feature of moves that have any of these. What adds nothing to the others is left out.
    pub fn any_of(alternatives: impl IntoIterator<Item = Conjunction>) -> Feature {
        let mut kept: Vec<Conjunction> = Vec::new();
        for new in alternatives {
            if !kept.iter().any(|known| known.is_within(new)) {
                kept.retain(|known| !new.is_within(*known));
                kept.push(new);
            }
        }
        kept.sort();
        let mut kept = kept.into_iter();
        Feature { first: kept.next().unwrap_or_default(), others: kept.collect() }
    }

    /// Its first alternative, and the only one of most features.
    #[inline(always)]
    pub fn first(&self) -> Conjunction {
        self.first
    }

    /// The alternatives after the first.
    #[inline(always)]
    pub fn others(&self) -> &[Conjunction] {
        &self.others
    }

    /// All its alternatives in order.
    pub fn alternatives(&self) -> impl Iterator<Item = Conjunction> {
        once(self.first).chain(self.others.iter().copied())
    }

    /// True for Neutral.
    pub const fn is_neutral(&self) -> bool {
        self.first.is_empty()
    }
}

impl From<Conjunction> for Feature {
    fn from(conjunction: Conjunction) -> Feature {
        Feature { first: conjunction, others: Box::default() }
    }
}

impl Guidance {
    /// Nothing to say: no combination is senseless, groups exclude, learners begin with all atoms.
    pub const NONE: Guidance = Guidance { blacklist: &[], overlapping: &[], base: &[] };
}

impl Scheme {
    /// The most features a scheme can have.
    pub const MOST_FEATURES: usize = 32;

    /// No feature: every move costs one ply.
    pub const fn neutral() -> Scheme {
        Scheme(Vec::new())
    }

    /// One feature with its weight; Neutral gives the neutral scheme.
    pub fn single(feature: impl Into<Feature>, weight: Weight) -> Scheme {
        let feature = feature.into();
        Scheme(if feature.is_neutral() { Vec::new() } else { vec![(feature, weight)] })
    }

    /// These features with their weights, in any order. What has no effect is left out: Neutral, and a feature that
    /// stands there again with a higher weight.
    pub fn of(features: impl IntoIterator<Item = (Feature, Weight)>) -> Result<Scheme, FeatureError> {
        let mut features: Vec<_> = features.into_iter().filter(|(feature, _)| !feature.is_neutral()).collect();
        features.sort_by(|(one, lighter), (other, heavier)| (lighter, one).cmp(&(heavier, other)));
        let mut kept: Vec<(Feature, Weight)> = Vec::new();
        for (feature, weight) in features {
            if !kept.iter().any(|(known, _)| *known == feature) {
                kept.push((feature, weight));
            }
        }
        match kept.len() {
            0..=Scheme::MOST_FEATURES => Ok(Scheme(kept)),
            count => Err(FeatureError::TooMany { count, most: Scheme::MOST_FEATURES }),
        }
    }

    /// The features by rising weight.
    pub fn features(&self) -> &[(Feature, Weight)] {
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

    /// The atoms that these patterns name, in vocabulary order: names, or beginnings of names followed by `*`.
    pub fn matching<'a>(self, patterns: impl IntoIterator<Item = &'a str>) -> Result<Vec<Atom>, FeatureError> {
        let mut found = Conjunction::NEUTRAL;
        for pattern in patterns {
            found = found.and(match pattern.strip_suffix('*') {
                Some(beginning) => {
                    let begins = |&atom: &Atom| self.facts(atom).name.starts_with(beginning);
                    let atoms = Conjunction::of(self.atoms().filter(begins));
                    if atoms.is_empty() {
                        return Err(FeatureError::NoMatch { pattern: pattern.to_string(), known: self.names() });
                    }
                    atoms
                }
                None => Conjunction::of([self.find(pattern).ok_or_else(|| self.unknown(pattern))?]),
            });
        }
        Ok(found.atoms().collect())
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

    /// Prints a feature: a single conjunction as it is, alternatives by the alphabet, like `AcK|(CcR-LcR)`.
    pub fn print_feature(self, feature: &Feature) -> String {
        if feature.others.is_empty() {
            return self.print(feature.first);
        }
        let mut names: Vec<_> = feature.alternatives().map(|conjunction| self.print(conjunction)).collect();
        names.sort();
        let alternatives: Vec<_> =
            names.into_iter().map(|name| if name.contains('-') { format!("({name})") } else { name }).collect();
        alternatives.join("|")
    }

    /// Reads a feature: alternatives in any order, each with or without parentheses around it.
    pub fn parse_feature(self, text: &str) -> Result<Feature, FeatureError> {
        let mut alternatives: Vec<Conjunction> = Vec::new();
        for part in text.split('|') {
            let inner = part.strip_prefix('(').and_then(|part| part.strip_suffix(')')).unwrap_or(part);
            if inner.contains(['(', ')']) {
                let example = self.print(Conjunction::of(self.atoms().take(2)));
                return Err(FeatureError::Parentheses { text: text.to_string(), example });
            }
            let new = self.parse(inner)?;
            for &known in &alternatives {
                let (wide, narrow) = if known.len() <= new.len() { (known, new) } else { (new, known) };
                let text = text.to_string();
                match wide.is_within(narrow) {
                    _ if wide.is_empty() => return Err(FeatureError::NeutralAlternative { text }),
                    true if wide == narrow => return Err(FeatureError::Repeated { text, what: self.print(new) }),
                    true => {
                        let (narrow, wide) = (self.print(narrow), self.print(wide));
                        return Err(FeatureError::Subsumed { text, narrow, wide });
                    }
                    false => {}
                }
            }
            alternatives.push(new);
        }
        Ok(Feature::any_of(alternatives))
    }

    /// Prints a scheme: `Ud-RdTt@0.5,PP@0.75`, or `Neutral`.
    pub fn print_scheme(self, scheme: &Scheme) -> String {
        if scheme.0.is_empty() {
            return self.print(Conjunction::NEUTRAL);
        }
        let features: Vec<_> =
            scheme.0.iter().map(|(feature, weight)| format!("{}@{weight}", self.print_feature(feature))).collect();
        features.join(",")
    }

    /// Reads a scheme. A feature without `@weight` gets the weight given here.
    pub fn parse_scheme(self, text: &str, default: Weight) -> Result<Scheme, FeatureError> {
        if text == "Neutral" {
            return Ok(Scheme::neutral());
        }
        let mut features: Vec<(Feature, Weight)> = Vec::new();
        for part in text.split(',') {
            let (name, weight) = match part.split_once('@') {
                Some((name, weight)) => (name, weight.parse()?),
                None => (part, default),
            };
            let feature = self.parse_feature(name)?;
            if feature.is_neutral() {
                return Err(FeatureError::WeightedNeutral { text: part.to_string() });
            }
            if features.iter().any(|(known, _)| *known == feature) {
                return Err(FeatureError::Repeated { text: text.to_string(), what: self.print_feature(&feature) });
            }
            features.push((feature, weight));
        }
        Scheme::of(features)
    }

    fn unknown(self, name: &str) -> FeatureError {
        FeatureError::UnknownAtom { name: name.to_string(), known: self.names() }
    }

    fn names(self) -> String {
        self.0.iter().map(|facts| facts.name).collect::<Vec<_>>().join(", ")
    }
}

impl fmt::Display for Atom {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "#{}", self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::{Atom, AtomFacts, Conjunction, Feature, FeatureError, Scheme, Vocabulary};
    use crate::depth::Weight;

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
    fn a_scheme_of_features_is_the_scheme_that_is_written_so() {
        let feature = |text| LETTERS.parse_feature(text).unwrap();
        let weight = |text: &str| text.parse::<Weight>().unwrap();
        let scheme = Scheme::of(
            [("a", "2"), ("b-c", "0.25"), ("Neutral", "0"), ("a", "0.5"), ("d", "0.25")]
                .map(|(name, plies)| (feature(name), weight(plies))),
        );
        assert_eq!(scheme, LETTERS.parse_scheme("b-c@0.25,d@0.25,a@0.5", Weight::HALF));
        assert!(matches!(
            Scheme::of((1..=33).map(|bits| (Feature::from(Conjunction(bits)), Weight::HALF))),
            Err(FeatureError::TooMany { count: 33, most: 32 })
        ));
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
    fn alternatives_read_back_in_any_order_and_with_or_without_parentheses() {
        for text in ["a|b", "a|(b-c)", "(a-b)|(c-d)", "(a-b)|c|d", "a-b", "a"] {
            let feature = LETTERS.parse_feature(text).unwrap();
            assert_eq!(LETTERS.print_feature(&feature), text);
            let bare = LETTERS.parse_feature(&text.replace(['(', ')'], "")).unwrap();
            let mut turned: Vec<_> = text.split('|').collect();
            turned.reverse();
            assert_eq!((&bare, LETTERS.parse_feature(&turned.join("|"))), (&feature, Ok(feature.clone())));
        }
        assert_eq!(LETTERS.parse_feature("(a)"), LETTERS.parse_feature("a"));
        let scheme = LETTERS.parse_scheme("d,(c-d)|(b-a)@0.25,a-b@0.25", Weight::HALF).unwrap();
        assert_eq!(LETTERS.print_scheme(&scheme), "a-b@0.25,(a-b)|(c-d)@0.25,d@0.5");
    }

    #[test]
    fn alternatives_without_use_are_refused_or_left_out() {
        let error = |text| LETTERS.parse_feature(text).unwrap_err().to_string();
        assert_eq!(error("a-b|(b-a)"), "'a-b|(b-a)' names a-b twice; leave one out");
        assert_eq!(error("a-b|c|b"), "'a-b|c|b' has no use for 'a-b', which holds only where 'b' does; leave it out");
        assert_eq!(error("b|a-b"), "'b|a-b' has no use for 'a-b', which holds only where 'b' does; leave it out");
        assert!(error("a|Neutral").contains("Neutral as an alternative"));
        assert!(error("a|").starts_with("'' is not a feature"));
        for text in ["(a", "a)", "(a|b)", "((a))", "(a)-b", "()(a)"] {
            assert!(error(text).contains("parentheses") && error(text).contains("'(a-b)|(a-b)'"), "{}", error(text));
        }
        let [a, ab, cd] = ["a", "a-b", "c-d"].map(|text| LETTERS.parse(text).unwrap());
        assert_eq!(Feature::any_of([ab, cd, a, cd]), Feature::any_of([a, cd]));
        assert_eq!(Feature::any_of([a, cd]).alternatives().collect::<Vec<_>>(), [a, cd]);
        assert!(Feature::any_of([]).is_neutral() && Feature::any_of([a, Conjunction::NEUTRAL]).is_neutral());
    }

    #[test]
    fn patterns_name_atoms() {
        const NAMES: Vocabulary = Vocabulary(&[atom("PcK"), atom("PcQ"), atom("Rc")]);
        assert_eq!(NAMES.matching(["Rc", "Pc*", "PcQ"]), Ok([0, 1, 2].map(Atom).to_vec()));
        assert_eq!(NAMES.matching(["*"]).unwrap().len(), 3);
        assert!(NAMES.matching(["Pc"]).unwrap_err().to_string().starts_with("'Pc' is not a feature"));
        assert!(NAMES.matching(["X*"]).unwrap_err().to_string().starts_with("no feature begins like 'X*'"));
    }

    #[test]
    fn narrower_conjunctions_contain_wider_ones() {
        let (ab, abc) = (LETTERS.parse("a-b").unwrap(), LETTERS.parse("a-b-c").unwrap());
        assert!(ab.is_within(abc) && !abc.is_within(ab) && Conjunction::NEUTRAL.is_within(ab));
        assert_eq!(ab.and(abc).len(), 3);
    }
}
