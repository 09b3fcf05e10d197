//! The result of a game.

/// How a game ended, from one player's point of view: that of the side to move in the rules and the search, White's in
/// game records, the first player's in match statistics. From worst to best, so results compare.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Debug, Hash)]
pub enum Outcome {
    /// The player has lost.
    Loss,
    /// Nobody has won.
    Draw,
    /// The player has won.
    Win,
}

impl Outcome {
    /// Every outcome, from worst to best.
    pub const ALL: [Outcome; 3] = [Outcome::Loss, Outcome::Draw, Outcome::Win];

    /// The result for the opponent.
    #[must_use]
    #[inline]
    pub const fn reversed(self) -> Outcome {
        match self {
            Outcome::Loss => Outcome::Win,
            Outcome::Draw => Outcome::Draw,
            Outcome::Win => Outcome::Loss,
        }
    }

    /// The result for White, if this is the result for White (`is_white`) or for Black. It is its own inverse: it also
    /// converts White's result into that of either side.
    #[must_use]
    pub const fn for_white(self, is_white: bool) -> Outcome {
        if is_white { self } else { self.reversed() }
    }

    /// Points in halves: 0, 1 or 2.
    pub const fn half_points(self) -> u32 {
        match self {
            Outcome::Loss => 0,
            Outcome::Draw => 1,
            Outcome::Win => 2,
        }
    }

    /// Points: 0, ½ or 1.
    pub fn points(self) -> f64 {
        f64::from(self.half_points()) / 2.0
    }

    /// White's result as game records write it: `1-0`, `1/2-1/2` or `0-1`.
    pub const fn pgn(self) -> &'static str {
        match self {
            Outcome::Loss => "0-1",
            Outcome::Draw => "1/2-1/2",
            Outcome::Win => "1-0",
        }
    }

    /// White's result from the text of a game record; none for `*` and for other texts.
    pub fn from_pgn(text: &str) -> Option<Outcome> {
        Outcome::ALL.into_iter().find(|outcome| outcome.pgn() == text)
    }
}

#[cfg(test)]
mod tests {
    use super::Outcome;

    #[test]
    fn points_of_both_players_add_up_to_one() {
        for outcome in Outcome::ALL {
            assert_eq!(outcome.half_points() + outcome.reversed().half_points(), 2);
            assert_eq!(outcome.reversed().reversed(), outcome);
            assert_eq!((outcome.for_white(true), outcome.for_white(false)), (outcome, outcome.reversed()));
        }
        assert!(Outcome::ALL.is_sorted_by_key(|outcome| outcome.half_points()));
    }

    #[test]
    fn records_read_back() {
        for outcome in Outcome::ALL {
            assert_eq!(Outcome::from_pgn(outcome.pgn()), Some(outcome));
        }
        assert_eq!(Outcome::from_pgn("*"), None);
    }
}
