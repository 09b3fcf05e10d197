//! Atoms, conjunctions, features, and the vocabulary of a game.

use std::fmt;
use std::iter::once;

use super::state;

/// An elementary move feature: its number in the game's [`Vocabulary`].
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Debug, Hash)]
pub struct Atom(pub u8);

/// One atom of a game (thesis Table 4.2).
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
    /// A position and the moves to play from it; the last one has the feature. Empty for atoms of the search state.
    pub example: (&'static str, &'static str),
}

/// The atoms of one game, in the order conjunctions are written in: those of moves, then those of the search state.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct Vocabulary {
    /// The atoms of moves, which the game defines.
    pub moves: &'static [AtomFacts],
    /// The atoms of the search state: those of our search for a game that it plays, else those that an engine lists.
    pub state: &'static [AtomFacts],
}

/// What a game tells learners about combinations of its features.
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

impl Guidance {
    /// No advice: no blacklist, no overlapping groups, all atoms.
    pub const NONE: Guidance = Guidance { blacklist: &[], overlapping: &[], base: &[] };
}

impl Vocabulary {
    /// The most atoms of moves that a game can have: the numbers from here on are those of the search state.
    pub const MOST_MOVE_ATOMS: usize = state::FIRST as usize;

    /// The most atoms of the search state.
    pub const MOST_STATE_ATOMS: usize = 64 - Vocabulary::MOST_MOVE_ATOMS;

    /// A vocabulary of these atoms alone.
    pub const fn new(moves: &'static [AtomFacts]) -> Vocabulary {
        Vocabulary { moves, state: &[] }
    }

    /// The vocabulary of a game that our search plays: these atoms, and those of the search state.
    ///
    /// # Panics
    /// If there are more than [`Vocabulary::MOST_MOVE_ATOMS`].
    pub const fn of_game(moves: &'static [AtomFacts]) -> Vocabulary {
        assert!(moves.len() <= Vocabulary::MOST_MOVE_ATOMS, "a game has too many atoms");
        Vocabulary { moves, state: state::ALL }
    }

    /// The vocabulary of an engine that lists both.
    ///
    /// # Panics
    /// If there are atoms of the state, and more than [`Vocabulary::MOST_MOVE_ATOMS`] of moves, or more than
    /// [`Vocabulary::MOST_STATE_ATOMS`] of the state.
    pub const fn of_engine(moves: &'static [AtomFacts], state: &'static [AtomFacts]) -> Vocabulary {
        assert!(state.is_empty() || moves.len() <= Vocabulary::MOST_MOVE_ATOMS, "too many atoms of moves");
        assert!(state.len() <= Vocabulary::MOST_STATE_ATOMS, "too many atoms of the state");
        Vocabulary { moves, state }
    }

    /// Whether the atoms of the search state are those of our search.
    pub fn has_own_state(self) -> bool {
        self.state == state::ALL
    }

    /// Every atom of moves.
    pub fn atoms(self) -> impl Iterator<Item = Atom> {
        (0..self.moves.len() as u8).map(Atom)
    }

    /// Every atom of the search state.
    pub fn state_atoms(self) -> impl Iterator<Item = Atom> {
        (0..self.state.len() as u8).map(|number| Atom(state::FIRST + number))
    }

    /// Whether conjunctions may name this atom.
    pub fn contains(self, atom: Atom) -> bool {
        usize::from(atom.0) < self.moves.len() || self.is_state(atom)
    }

    /// Whether it is an atom of the search state.
    pub fn is_state(self, atom: Atom) -> bool {
        self.state_facts(atom).is_some()
    }

    /// The facts of this atom.
    pub fn facts(self, atom: Atom) -> &'static AtomFacts {
        self.state_facts(atom).unwrap_or_else(|| &self.moves[usize::from(atom.0)])
    }

    /// The facts of an atom of the search state; none for one of moves.
    fn state_facts(self, atom: Atom) -> Option<&'static AtomFacts> {
        atom.0.checked_sub(state::FIRST).and_then(|number| self.state.get(usize::from(number)))
    }

    /// The atom of this name.
    pub fn find(self, name: &str) -> Option<Atom> {
        self.atoms().chain(self.state_atoms()).find(|&atom| self.facts(atom).name == name)
    }
}

impl fmt::Display for Atom {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "#{}", self.0)
    }
}
