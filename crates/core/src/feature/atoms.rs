//! Atoms, conjunctions and features.

use std::fmt;
use std::iter::once;

/// An elementary move feature: its number in the game's [`Vocabulary`](super::Vocabulary).
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Debug, Hash)]
pub struct Atom(pub u8);

/// One atom of a game (thesis Table 4.2).
#[derive(Debug, PartialEq, Eq)]
pub struct AtomFacts {
    /// The papers' short name.
    pub name: &'static str,
    /// Atoms of one group exclude or contain each other, so they are never combined; see
    /// [`Guidance::overlapping`](super::Guidance::overlapping).
    pub group: &'static str,
    /// The wider atom of the same group that this one is a part of.
    pub parent: Option<&'static str>,
    /// False where threshold pruning would lose good descendants ("domain knowledge").
    pub threshold_safe: bool,
    /// What exactly makes a move have this feature.
    pub meaning: &'static str,
    /// A position and the moves to play from it; the last one has the feature. Empty for atoms of the search state.
    pub example: (&'static str, &'static str),
}

/// A set of atoms that must all hold. The empty conjunction is Neutral: it has no effect.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Debug, Hash, Default)]
pub struct Conjunction(u64);

/// One or more conjunctions, any of which must hold: what a scheme gives one cost.
///
/// They are kept in their order, and none is a part of another, so equal features are equal values.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug, Hash)]
pub struct Feature {
    /// Apart from the others, because most features are a single conjunction, and searches look at it in every node.
    first: Conjunction,
    others: Box<[Conjunction]>,
}

impl Conjunction {
    /// The feature without effect.
    pub const NEUTRAL: Conjunction = Conjunction(0);

    /// The conjunction of these atoms.
    pub fn of(atoms: impl IntoIterator<Item = Atom>) -> Conjunction {
        Conjunction(atoms.into_iter().fold(0, |bits, atom| bits | 1 << atom.0))
    }

    /// Moves that have both: the papers' `combine`.
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

impl fmt::Display for Atom {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "#{}", self.0)
    }
}
