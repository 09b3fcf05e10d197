//! Scores and search windows.

use std::fmt;
use std::ops::Neg;

use crate::outcome::Outcome;

/// A value for the side to move: an evaluation, or a forced win or loss with its distance in plies.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Debug, Hash)]
pub struct Score(i32);

impl Score {
    /// Worse than any score.
    pub const LOWEST: Score = Score(-32_001);
    /// Equal chances.
    pub const EVEN: Score = Score(0);

    const WIN: i32 = 32_000;
    /// The longest forced win that is distinct from an evaluation.
    const LONGEST_WIN: i32 = 1_000;

    /// An evaluation in the game's own units, kept out of the range of forced results.
    #[inline]
    pub const fn evaluation(units: i32) -> Score {
        debug_assert!(units.abs() < Score::WIN - Score::LONGEST_WIN);
        Score(units)
    }

    /// The result of a game that ended at this height above the root.
    #[inline]
    pub const fn of(outcome: Outcome, height: u32) -> Score {
        match outcome {
            Outcome::Win => Score(Score::WIN - height as i32),
            Outcome::Draw => Score::EVEN,
            Outcome::Loss => Score(height as i32 - Score::WIN),
        }
    }

    /// In how many plies from the root the side to move wins by force, if it does.
    pub const fn win_in(self) -> Option<u32> {
        if self.0 > Score::WIN - Score::LONGEST_WIN { Some((Score::WIN - self.0) as u32) } else { None }
    }

    /// Whether it is a forced win or loss.
    #[inline]
    pub const fn is_forced(self) -> bool {
        self.0.abs() > Score::WIN - Score::LONGEST_WIN
    }

    /// Whether it is a forced loss, or the lowest score.
    #[inline]
    pub const fn is_forced_loss(self) -> bool {
        self.0 < Score::LONGEST_WIN - Score::WIN
    }

    /// The score plus this number of units, clamped to the range of scores.
    #[inline]
    pub fn plus(self, units: i32) -> Score {
        Score((self.0 + units).clamp(Score::LOWEST.0, -Score::LOWEST.0))
    }

    /// The plain number.
    pub const fn units(self) -> i32 {
        self.0
    }

    /// The score of a plain number that was stored.
    pub const fn from_units(units: i32) -> Score {
        Score(units)
    }

    /// The next better score: the upper end of a null window that starts here.
    #[inline]
    pub const fn next(self) -> Score {
        Score(self.0 + 1)
    }

    /// The score with forced results counted from this node instead of the root, for a table that many paths share.
    pub const fn from_node(self, height: u32) -> Score {
        self.shifted(height as i32)
    }

    /// The inverse of [`Score::from_node`], at the height where the table is read.
    pub const fn from_root(self, height: u32) -> Score {
        self.shifted(-(height as i32))
    }

    const fn shifted(self, plies: i32) -> Score {
        if self.0 > Score::WIN - Score::LONGEST_WIN {
            Score(self.0 + plies)
        } else if self.0 < Score::LONGEST_WIN - Score::WIN {
            Score(self.0 - plies)
        } else {
            self
        }
    }
}

impl Neg for Score {
    type Output = Score;

    #[inline]
    fn neg(self) -> Score {
        Score(-self.0)
    }
}

impl fmt::Display for Score {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.win_in(), (-*self).win_in()) {
            (Some(plies), _) => write!(f, "win in {plies}"),
            (_, Some(plies)) => write!(f, "loss in {plies}"),
            _ => write!(f, "{:+}", self.0),
        }
    }
}

/// The scores that a search must distinguish: alpha is reached already, at beta the opponent avoids the position.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct Window {
    /// What the side to move has already.
    pub alpha: Score,
    /// What the opponent would not allow.
    pub beta: Score,
}

impl Window {
    /// Everything.
    pub const FULL: Window = Window { alpha: Score::LOWEST, beta: Score(-Score::LOWEST.0) };

    /// The window that reaches this far to both sides of a score.
    pub fn around(score: Score, margin: i32) -> Window {
        let margin = margin.min(-2 * Score::LOWEST.0);
        Window { alpha: score.plus(-margin), beta: score.plus(margin) }
    }

    /// The window from the opponent's point of view.
    #[inline]
    pub fn flipped(self) -> Window {
        Window { alpha: -self.beta, beta: -self.alpha }
    }

    /// Just enough to tell whether a score is above alpha.
    #[inline]
    pub fn null(self) -> Window {
        Window { alpha: self.alpha, beta: self.alpha.next() }
    }

    /// Whether there is no score strictly inside.
    #[inline]
    pub fn is_null(self) -> bool {
        self.alpha.next() >= self.beta
    }
}

#[cfg(test)]
mod tests {
    use super::Score;
    use crate::outcome::Outcome;

    #[test]
    fn sooner_wins_are_better_and_sooner_losses_worse() {
        assert!(Score::of(Outcome::Win, 3) > Score::of(Outcome::Win, 5));
        assert!(Score::of(Outcome::Loss, 3) < Score::of(Outcome::Loss, 5));
        assert_eq!(Score::of(Outcome::Win, 7).win_in(), Some(7));
        assert_eq!(Score::evaluation(500).win_in(), None);
        assert_eq!((-Score::of(Outcome::Loss, 4)).win_in(), Some(4));
    }

    #[test]
    fn table_scores_count_from_the_node() {
        let at_root = Score::of(Outcome::Loss, 9);
        assert_eq!(at_root.from_node(4), Score::of(Outcome::Loss, 5));
        assert_eq!(at_root.from_node(4).from_root(2), Score::of(Outcome::Loss, 7));
        assert_eq!(Score::evaluation(31).from_node(4), Score::evaluation(31));
    }
}
