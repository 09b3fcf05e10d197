//! A ready-made set of moves for games without mask algebra.
//!
//! Breakthrough and chess compute the moves with a feature by bit masks of their boards. A game that cannot, or does not
//! yet, uses [`CodeSet`]: one bit for each move code, filled by asking [`Game::has`] for every legal move. That is slower,
//! and right by construction.

use std::ops::{BitAnd, BitOr};

use crate::feature::Atom;
use crate::game::{Game, Move, MoveSet};

/// A set of moves with one bit for each [`Move::code`]; `WORDS` is [`words_for`] the game's number of codes.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct CodeSet<const WORDS: usize>([u64; WORDS]);

/// How many words a [`CodeSet`] needs for this number of move codes.
pub const fn words_for(codes: usize) -> usize {
    codes.div_ceil(u64::BITS as usize)
}

impl<const WORDS: usize> CodeSet<WORDS> {
    /// No move.
    pub const EMPTY: CodeSet<WORDS> = CodeSet([0; WORDS]);

    /// The set of these moves.
    ///
    /// # Panics
    /// If a move's code does not fit in the set.
    pub fn of<M: Move>(moves: impl IntoIterator<Item = M>) -> CodeSet<WORDS> {
        let mut set = CodeSet::EMPTY;
        for m in moves {
            let (word, bit) = place(m);
            set.0[word] |= bit;
        }
        set
    }

    /// All legal moves: for [`Game::all_moves`].
    pub fn all_moves<G: Game>(position: &G) -> CodeSet<WORDS> {
        CodeSet::of(position.legal_moves())
    }

    /// The legal moves that have this feature by definition: for [`Game::select`].
    pub fn select<G: Game>(position: &G, atom: Atom) -> CodeSet<WORDS> {
        CodeSet::of(position.legal_moves().into_iter().filter(|&m| position.has(m, atom)))
    }
}

/// The word and the bit of a move.
#[inline]
fn place<M: Move>(m: M) -> (usize, u64) {
    let code = usize::from(m.code());
    (code / u64::BITS as usize, 1 << (code % u64::BITS as usize))
}

impl<M: Move, const WORDS: usize> MoveSet<M> for CodeSet<WORDS> {
    #[inline]
    fn contains(&self, m: M) -> bool {
        let (word, bit) = place(m);
        self.0[word] & bit != 0
    }

    #[inline]
    fn is_empty(&self) -> bool {
        self.0 == [0; WORDS]
    }
}

impl<const WORDS: usize> BitAnd for CodeSet<WORDS> {
    type Output = CodeSet<WORDS>;

    #[inline]
    fn bitand(mut self, other: CodeSet<WORDS>) -> CodeSet<WORDS> {
        self.0.iter_mut().zip(other.0).for_each(|(mine, others)| *mine &= others);
        self
    }
}

impl<const WORDS: usize> BitOr for CodeSet<WORDS> {
    type Output = CodeSet<WORDS>;

    #[inline]
    fn bitor(mut self, other: CodeSet<WORDS>) -> CodeSet<WORDS> {
        self.0.iter_mut().zip(other.0).for_each(|(mine, others)| *mine |= others);
        self
    }
}

#[cfg(test)]
mod tests {
    use super::{CodeSet, words_for};
    use crate::game::{Move, MoveSet};

    #[derive(Copy, Clone, PartialEq, Eq, Debug)]
    struct Numbered(u16);

    impl Move for Numbered {
        const CODES: usize = 130;

        fn code(self) -> u16 {
            self.0
        }
    }

    type Set = CodeSet<{ words_for(Numbered::CODES) }>;

    /// The algebra of sets, against lists of numbers.
    #[test]
    fn sets_hold_what_was_put_in() {
        let multiples = |of: u16| Set::of((0..130).filter(|code| code % of == 0).map(Numbered));
        let (threes, fives) = (multiples(3), multiples(5));
        for code in 0..130 {
            let (three, five) = (code % 3 == 0, code % 5 == 0);
            assert_eq!(threes.contains(Numbered(code)), three);
            assert_eq!((threes & fives).contains(Numbered(code)), three && five);
            assert_eq!((threes | fives).contains(Numbered(code)), three || five);
        }
        let is_empty = |set: &Set| MoveSet::<Numbered>::is_empty(set);
        assert!(is_empty(&Set::EMPTY) && !is_empty(&Set::of([Numbered(129)])));
    }
}
