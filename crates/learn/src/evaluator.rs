//! Questions and answers: how good is this feature, and what settles that early.
//!
//! A learner asks, an [`Evaluator`] answers, and neither knows the other. The value of a feature is the
//! number of suite positions solved with it (paper section 3.6). Most candidates fail, and a candidate
//! has failed for certain as soon as the positions still open cannot lift it to what it must reach;
//! so an answer need not be exact unless the value itself is wanted. An [`Answer`] can only be made
//! from its question, which keeps "below" out of where it would mean nothing.

use plysmith_core::feature::{Atom, Conjunction};

/// One feature whose value is wanted.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Hash)]
pub struct Question {
    /// The feature to evaluate.
    pub feature: Conjunction,
    /// Where it comes from and what it must reach; none for Neutral and the atoms of the Base set,
    /// whose values are always wanted exactly.
    pub descent: Option<Descent>,
}

/// What a combined feature was made of, and what that demands of it.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Hash)]
pub struct Descent {
    /// The better parent, one generation older.
    pub first_parent: Conjunction,
    /// The atom that was added to it.
    pub second_parent: Atom,
    /// The least value to live: the first parent's plus epsilon.
    pub at_least: u32,
}

/// What an evaluator found out about a [`Question`].
#[derive(Copy, Clone, PartialEq, Eq, Debug, Hash)]
pub struct Answer {
    question: Question,
    value: Option<u32>,
}

/// Whoever finds out the values of features. Closures are evaluators too.
pub trait Evaluator {
    /// Why it could not.
    type Error;

    /// Answers one question, exactly or as soon as it is [settled](Question::settled).
    fn evaluate(&mut self, question: &Question) -> Result<Answer, Self::Error>;
}

impl<F, E> Evaluator for F
where
    F: FnMut(&Question) -> Result<Answer, E>,
{
    type Error = E;

    fn evaluate(&mut self, question: &Question) -> Result<Answer, E> {
        self(question)
    }
}

impl Question {
    /// A question that only the exact value answers.
    pub(crate) const fn exact(feature: Conjunction) -> Question {
        Question { feature, descent: None }
    }

    /// Which generation asks: 0 for Neutral, 1 for the Base set, then the number of atoms combined.
    pub const fn generation(&self) -> usize {
        self.feature.len()
    }

    /// The least value with which the feature lives, where there is one.
    pub fn at_least(&self) -> Option<u32> {
        self.descent.map(|descent| descent.at_least)
    }

    /// The answer that the feature has exactly this value.
    pub const fn exactly(&self, value: u32) -> Answer {
        Answer { question: *self, value: Some(value) }
    }

    /// The answer that the feature does not reach what it must. There is none where the exact value is
    /// wanted, nor where nothing could be below.
    pub fn below(&self) -> Option<Answer> {
        self.at_least().filter(|&least| least > 0).map(|_| Answer { question: *self, value: None })
    }

    /// The answer, if it stands with this many positions solved and this many still open.
    pub fn settled(&self, solved: u32, open: u32) -> Option<Answer> {
        if open == 0 {
            return Some(self.exactly(solved));
        }
        let best = solved.saturating_add(open);
        self.below().filter(|_| self.at_least().is_some_and(|least| best < least))
    }
}

impl Answer {
    /// What was asked.
    pub const fn question(&self) -> &Question {
        &self.question
    }

    /// The exact value, or none if all that is known is that it is too low.
    pub const fn value(&self) -> Option<u32> {
        self.value
    }
}

#[cfg(test)]
mod tests {
    use plysmith_core::feature::{Atom, Conjunction};

    use super::{Descent, Question};

    fn candidate(at_least: u32) -> Question {
        let (first_parent, second_parent) = (Conjunction::of([Atom(0)]), Atom(1));
        let feature = Conjunction::of([Atom(0), Atom(1)]);
        Question { feature, descent: Some(Descent { first_parent, second_parent, at_least }) }
    }

    #[test]
    fn a_candidate_is_settled_once_it_cannot_live() {
        let question = candidate(10);
        assert_eq!(question.settled(4, 6), None, "may still reach 10");
        assert_eq!(question.settled(4, 5), question.below());
        assert_eq!(question.settled(12, 5), None, "lives, but its children need the value");
        assert_eq!(question.settled(4, 0), Some(question.exactly(4)), "exact where that costs nothing");
    }

    #[test]
    fn below_cannot_be_said_where_it_means_nothing() {
        let exact = Question::exact(Conjunction::NEUTRAL);
        assert_eq!((exact.below(), exact.settled(0, 1)), (None, None));
        assert_eq!(exact.settled(7, 0), Some(exact.exactly(7)));
        assert_eq!((candidate(0).below(), candidate(0).settled(0, 1)), (None, None));
    }
}
