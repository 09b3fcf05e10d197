//! The atoms that conjunctions of a game can name.

use super::atoms::{Atom, AtomFacts};
use super::state;

/// The atoms of one game, in the order conjunctions are written in: those of moves, then those of the search state.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct Vocabulary {
    /// The atoms of moves, which the game defines.
    pub moves: &'static [AtomFacts],
    /// The atoms of the search state: those of our search for a game that it plays, else those that an engine lists.
    pub state: &'static [AtomFacts],
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

    /// These atoms in other groups: those that are named get the group beside them. The new list is never freed, which is a few
    /// kilobytes for each call.
    #[must_use]
    pub fn regrouped(self, groups: &[(&str, &'static str)]) -> Vocabulary {
        let regroup = |facts: &AtomFacts| {
            let group = groups.iter().find(|(name, _)| *name == facts.name).map_or(facts.group, |(_, group)| group);
            AtomFacts { group, ..*facts }
        };
        Vocabulary { moves: self.moves.iter().map(regroup).collect::<Vec<_>>().leak(), state: self.state }
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
