//! Atoms of the search state: what kind of node a move comes up in, and how. They are the same for every game.
//!
//! Engines reduce moves by sums over such conditions, chosen and tuned by hand. As atoms they are combined with those of
//! moves by the same conjunctions: `cut-late-quiet`. Their names begin with a small letter, those of moves with a capital.
//!
//! Node atoms hold for all moves of a node. Where both answers to a question may matter, both are atoms, because
//! conjunctions have no negation.

use std::ops::BitOr;

use super::atoms::{Atom, AtomFacts};

/// A set of atoms of the search state.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Default, Hash)]
pub struct StateAtoms(u32);

/// The number of the first atom of the search state. Those of moves are below.
pub(super) const FIRST: u8 = 40;

/// Declares each atom once: its constant in [`StateAtoms`] and its line in [`ALL`].
macro_rules! state_atoms {
    ($($constant:ident $name:literal in $group:literal $(within $parent:literal)?: $meaning:literal;)+) => {
        #[expect(clippy::upper_case_acronyms, non_camel_case_types, reason = "the numbers of the constants below")]
        #[derive(Copy, Clone)]
        enum Number { $($constant,)+ }

        impl StateAtoms {
            $(#[doc = $meaning] pub const $constant: StateAtoms = StateAtoms(1 << Number::$constant as u32);)+
        }

        /// Every atom of the search state.
        pub const ALL: &[AtomFacts] = &[$(AtomFacts {
            name: $name,
            group: $group,
            parent: state_atoms!(@parent $($parent)?),
            threshold_safe: false,
            meaning: $meaning,
            example: ("", ""),
        },)+];
    };
    (@parent) => { None };
    (@parent $parent:literal) => { Some($parent) };
}

state_atoms! {
    PV "pv" in "node": "The node is searched with an open window.";
    CUT "cut" in "node": "The node has a null window and is expected to fail high: the first null window below an open one, then every other ply.";
    ALL_NODE "all" in "node": "The node has a null window and is expected to fail low.";
    IN_CHECK "incheck" in "trend": "The side to move is in check.";
    IMPROVING "improving" in "trend": "The evaluation is higher than two plies before, where the same side was to move.";
    WORSENING "worsening" in "trend": "The evaluation is not higher than two plies before, or not known there.";
    TABLE_HIT "ttmove" in "table": "The transposition table, or the line of the iteration before, has a move for the node.";
    TABLE_CAPTURE "ttcapture" in "table" within "ttmove": "The table's move is tactical, such as a capture.";
    NO_TABLE_HIT "nottmove" in "table": "The transposition table has no move for the node.";
    SHALLOW "shallow" in "depth": "Less than three plies are left.";
    MIDDLE "middle" in "depth": "Three to less than six plies are left.";
    DEEP "deep" in "depth": "Six plies or more are left.";
    TABLE_MOVE "tablemove" in "stage": "The move of the transposition table, or of the line of the iteration before.";
    GOOD_CAPTURE "goodcapture" in "stage": "A tactical move that does not lose material.";
    BAD_CAPTURE "badcapture" in "stage": "A tactical move that loses material.";
    KILLER "killer" in "stage": "A quiet move that caused a cutoff in a sibling node.";
    QUIET "quiet" in "stage": "Any other quiet move.";
    HISTORY_HIGH "highhistory" in "history": "A quiet move that caused cutoffs more often than it failed to: the history value is above a tenth of the limit.";
    HISTORY_LOW "lowhistory" in "history": "A quiet move that mostly failed to cause cutoffs: the history value is below minus a tenth of the limit.";
    FIRST_MOVE "first" in "number": "The first move of the node to be searched.";
    EARLY "early" in "number": "The second to fourth move of the node to be searched.";
    LATE "late" in "number": "The fifth move of the node or a later one.";
    VERY_LATE "verylate" in "number" within "late": "The thirteenth move of the node or a later one.";
    CHECK "check" in "check": "The move gives check.";
}

/// Combinations that make no sense, or that another conjunction already says, each with the reason.
pub const BLACKLIST: &[(&str, &str)] = &[
    ("ttmove-tablemove", "a table move comes from the table"),
    ("nottmove-tablemove", "a table move comes from the table"),
    ("goodcapture-highhistory", "only quiet moves have a history"),
    ("goodcapture-lowhistory", "only quiet moves have a history"),
    ("badcapture-highhistory", "only quiet moves have a history"),
    ("badcapture-lowhistory", "only quiet moves have a history"),
    ("badcapture-first", "captures that lose material come last"),
    ("tablemove-early", "the table's move is the first"),
    ("tablemove-late", "the table's move is the first"),
    ("tablemove-verylate", "the table's move is the first"),
    ("tablemove-first", "the table's move is the first"),
];

impl StateAtoms {
    /// No atom.
    pub const NONE: StateAtoms = StateAtoms(0);

    /// The atoms of this kind in a conjunction's atoms.
    pub fn of(atoms: impl IntoIterator<Item = Atom>) -> StateAtoms {
        let state = atoms.into_iter().filter(|atom| facts(*atom).is_some());
        StateAtoms(state.fold(0, |bits, atom| bits | 1 << (atom.0 - FIRST)))
    }

    /// All atoms of these sets, for constants.
    pub const fn union(sets: &[StateAtoms]) -> StateAtoms {
        let (mut bits, mut place) = (0, 0);
        while place < sets.len() {
            bits |= sets[place].0;
            place += 1;
        }
        StateAtoms(bits)
    }

    /// Whether there is none.
    #[inline(always)]
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// Whether one of these is among them.
    #[inline(always)]
    pub const fn intersects(self, others: StateAtoms) -> bool {
        self.0 & others.0 != 0
    }

    /// Those that are also in the other set.
    #[inline(always)]
    pub const fn and(self, others: StateAtoms) -> StateAtoms {
        StateAtoms(self.0 & others.0)
    }

    /// These atoms if the condition holds, otherwise none.
    #[inline(always)]
    #[must_use]
    pub const fn when(self, condition: bool) -> StateAtoms {
        if condition { self } else { StateAtoms::NONE }
    }
}

impl BitOr for StateAtoms {
    type Output = StateAtoms;

    #[inline(always)]
    fn bitor(self, other: StateAtoms) -> StateAtoms {
        StateAtoms(self.0 | other.0)
    }
}

/// The facts of an atom of the search state; none for one of moves.
pub(super) fn facts(atom: Atom) -> Option<&'static AtomFacts> {
    atom.0.checked_sub(FIRST).and_then(|number| ALL.get(usize::from(number)))
}

const _: () = assert!(FIRST as usize + ALL.len() <= 64, "a conjunction holds 64 atoms");
