//! What a game tells learners about its atoms.

use super::atoms::Atom;
use super::error::FeatureError;
use super::vocabulary::Vocabulary;

/// What a game tells learners about combinations of its features.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct Guidance {
    /// Combinations that make no sense, each with the reason: the seeded blacklist of thesis section 3.4.
    pub blacklist: &'static [(&'static str, &'static str)],
    /// Groups whose atoms may hold together, each with the reason. Gradual Focus presumes that there are none. Where such a
    /// group has atoms in `base`, one outside is another reading of them.
    pub overlapping: &'static [(&'static str, &'static str)],
    /// Atoms whose group in the paper is another than in the thesis, each with its group there; none if that does not say.
    pub paper_groups: &'static [(&'static str, &'static str)],
    /// The atoms to begin with unless others are asked for, as [`Vocabulary::matching`] reads them; none for all.
    pub base: &'static [&'static str],
}

impl Guidance {
    /// No advice: no blacklist, no overlapping groups, all atoms.
    pub const NONE: Guidance = Guidance { blacklist: &[], overlapping: &[], paper_groups: &[], base: &[] };

    /// The atoms to begin with unless others are asked for.
    pub fn base_atoms(&self, vocabulary: Vocabulary) -> Result<Vec<Atom>, FeatureError> {
        match self.base {
            [] => Ok(vocabulary.atoms().collect()),
            base => vocabulary.matching(base.iter().copied()),
        }
    }

    /// The atoms of moves without those that are another reading of one in `base`: for choices among features that must not
    /// change when a reading is added.
    pub fn without_readings(&self, vocabulary: Vocabulary) -> Result<Vec<Atom>, FeatureError> {
        let base = self.base_atoms(vocabulary)?;
        let group = |atom: &Atom| vocabulary.facts(*atom).group;
        let is_reading = |atom: &Atom| {
            !base.contains(atom)
                && self.overlapping.iter().any(|(name, _)| *name == group(atom))
                && base.iter().any(|other| group(other) == group(atom))
        };
        Ok(vocabulary.atoms().filter(|atom| !is_reading(atom)).collect())
    }
}
