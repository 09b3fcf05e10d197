//! Counts of game results: of single games ([`Wdl`], the trinomial model), or of pairs of games with colours swapped
//! ([`Penta`], the pentanomial model).
//!
//! In both, the scores of the outcomes are evenly spaced from 0 to 1, and the trait [`Outcomes`] covers both. Totals
//! are 128 bits wide, so they cannot overflow.

use std::{fmt, str::FromStr};

use plysmith_core::outcome::Outcome;
use thiserror::Error;

/// Games won, drawn and lost. Its text is `W,D,L`, like `136,111,96`.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Hash, Default)]
pub struct Wdl {
    /// Games won.
    pub wins: u64,
    /// Games drawn.
    pub draws: u64,
    /// Games lost.
    pub losses: u64,
}

/// Pairs of games by their points: `[LL, LD, WL+DD, WD, WW]`, each in either order. Its text is in this order, like
/// `34,54,63,64,75`.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Hash, Default)]
pub struct Penta(pub [u64; 5]);

/// Counted outcomes, of games or of game pairs.
pub trait Outcomes: Copy {
    /// The number of games of one outcome.
    const GAMES_PER_OUTCOME: u32;

    /// The count of each outcome, from worst to best. Their scores are evenly spaced from 0 to 1.
    fn counts(&self) -> impl AsRef<[u64]>;

    /// The counts from the other side's point of view.
    fn reversed(self) -> Self;

    /// The sum of both counts; `None` on overflow.
    fn checked_add(self, other: Self) -> Option<Self>;

    /// The number of outcomes.
    fn total(&self) -> u128 {
        self.counts().as_ref().iter().copied().map(u128::from).sum()
    }

    /// The number of games.
    fn games(&self) -> u128 {
        self.total() * u128::from(Self::GAMES_PER_OUTCOME)
    }

    /// The mean score, between 0 and 1; `None` without outcomes.
    fn mean(&self) -> Option<f64> {
        let counts = self.counts();
        let steps: u128 = (0..).zip(counts.as_ref()).map(|(steps, &count)| steps * u128::from(count)).sum();
        let most = self.total() * (counts.as_ref().len() as u128 - 1);
        (most > 0).then(|| steps as f64 / most as f64)
    }

    /// The variance of one outcome's score; `None` without outcomes.
    fn variance(&self) -> Option<f64> {
        let mean = self.mean()?;
        let counts = self.counts();
        let top = (counts.as_ref().len() - 1) as f64;
        let squares = counts.as_ref().iter().enumerate();
        let sum: f64 = squares.map(|(index, &count)| count as f64 * (index as f64 / top - mean).powi(2)).sum();
        Some(sum / self.total() as f64)
    }
}

/// A text that is not counts of outcomes.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum OutcomesError {
    /// The wrong number of counts.
    #[error("'{text}' has {found} counts; expected {expected}, like '{example}'")]
    Length {
        /// The text that was read.
        text: String,
        /// The number of counts in it.
        found: usize,
        /// The names of the expected counts.
        expected: &'static str,
        /// A correct text.
        example: &'static str,
    },
    /// Something that is not a count.
    #[error("'{part}' in '{text}' is not a count; expected a whole number from 0 to {most}", most = u64::MAX)]
    Count {
        /// The text that was read.
        text: String,
        /// The part that is wrong.
        part: String,
    },
}

impl Wdl {
    /// The counts of one game.
    pub const fn of_game(result: Outcome) -> Wdl {
        let none = Wdl { wins: 0, draws: 0, losses: 0 };
        match result {
            Outcome::Win => Wdl { wins: 1, ..none },
            Outcome::Draw => Wdl { draws: 1, ..none },
            Outcome::Loss => Wdl { losses: 1, ..none },
        }
    }
}

impl Penta {
    /// The counts of one pair of games.
    pub const fn of_pair(pair: [Outcome; 2]) -> Penta {
        let mut counts = [0; 5];
        counts[Penta::index(pair)] = 1;
        Penta(counts)
    }

    /// The index of a pair in the counts: its half points.
    pub const fn index(pair: [Outcome; 2]) -> usize {
        (pair[0].half_points() + pair[1].half_points()) as usize
    }
}

impl Outcomes for Wdl {
    const GAMES_PER_OUTCOME: u32 = 1;

    fn counts(&self) -> impl AsRef<[u64]> {
        [self.losses, self.draws, self.wins]
    }

    fn reversed(self) -> Wdl {
        Wdl { wins: self.losses, losses: self.wins, ..self }
    }

    fn checked_add(self, other: Wdl) -> Option<Wdl> {
        Some(Wdl {
            wins: self.wins.checked_add(other.wins)?,
            draws: self.draws.checked_add(other.draws)?,
            losses: self.losses.checked_add(other.losses)?,
        })
    }
}

impl Outcomes for Penta {
    const GAMES_PER_OUTCOME: u32 = 2;

    fn counts(&self) -> impl AsRef<[u64]> {
        self.0
    }

    fn reversed(mut self) -> Penta {
        self.0.reverse();
        self
    }

    fn checked_add(mut self, other: Penta) -> Option<Penta> {
        for (count, more) in self.0.iter_mut().zip(other.0) {
            *count = count.checked_add(more)?;
        }
        Some(self)
    }
}

impl fmt::Display for Wdl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&join(&[self.wins, self.draws, self.losses]))
    }
}

impl fmt::Display for Penta {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&join(&self.0))
    }
}

impl FromStr for Wdl {
    type Err = OutcomesError;

    fn from_str(text: &str) -> Result<Wdl, OutcomesError> {
        let [wins, draws, losses] = split(text, "W,D,L", "136,111,96")?;
        Ok(Wdl { wins, draws, losses })
    }
}

impl FromStr for Penta {
    type Err = OutcomesError;

    fn from_str(text: &str) -> Result<Penta, OutcomesError> {
        split(text, "LL,LD,WL+DD,WD,WW", "34,54,63,64,75").map(Penta)
    }
}

fn join(counts: &[u64]) -> String {
    counts.iter().map(u64::to_string).collect::<Vec<_>>().join(",")
}

/// Parses counts separated by commas; spaces around a count are ignored.
fn split<const N: usize>(text: &str, expected: &'static str, example: &'static str) -> Result<[u64; N], OutcomesError> {
    let found = if text.trim().is_empty() { 0 } else { text.split(',').count() };
    if found != N {
        return Err(OutcomesError::Length { text: text.to_string(), found, expected, example });
    }
    let mut counts = [0; N];
    for (count, part) in counts.iter_mut().zip(text.split(',').map(str::trim)) {
        let digits = part.bytes().all(|byte| byte.is_ascii_digit());
        let error = || OutcomesError::Count { text: text.to_string(), part: part.to_string() };
        *count = part.parse().ok().filter(|_| digits).ok_or_else(error)?;
    }
    Ok(counts)
}

#[cfg(test)]
mod tests {
    use plysmith_core::outcome::Outcome;

    use super::{Outcomes, Penta, Wdl};

    const RESULTS: [Outcome; 3] = Outcome::ALL;

    #[test]
    fn pairs_are_counted_by_their_points() {
        let table = RESULTS.map(|first| RESULTS.map(|second| Penta::index([first, second])));
        assert_eq!(table, [[0, 1, 2], [1, 2, 3], [2, 3, 4]]);
    }

    /// Properties of every kind of outcomes. `one` is a single best outcome, `some` is any counts.
    fn conforms<O: Outcomes + PartialEq + std::fmt::Debug>(one: O, some: O) {
        assert_eq!((one.total(), one.mean(), one.variance()), (1, Some(1.0), Some(0.0)));
        assert_eq!(one.reversed().mean(), Some(0.0));
        assert_eq!(some.reversed().reversed(), some);
        assert!((some.mean().unwrap() + some.reversed().mean().unwrap() - 1.0).abs() < 1e-15);
        assert!((some.variance().unwrap() - some.reversed().variance().unwrap()).abs() < 1e-15);
        let sum = some.checked_add(one).unwrap();
        assert_eq!(sum.total(), some.total() + 1);
        assert_eq!(sum.games(), sum.total() * u128::from(O::GAMES_PER_OUTCOME));
        assert!(sum.mean() > some.mean());
    }

    #[test]
    fn both_kinds_conform() {
        conforms(Wdl::of_game(Outcome::Win), Wdl { wins: 5, draws: 2, losses: 9 });
        conforms(Penta::of_pair([Outcome::Win; 2]), Penta([34, 54, 63, 64, 75]));
    }

    #[test]
    fn a_pair_of_games_scores_as_its_games() {
        for pair in RESULTS.into_iter().flat_map(|first| RESULTS.map(|second| [first, second])) {
            let games = Wdl::of_game(pair[0]).checked_add(Wdl::of_game(pair[1])).unwrap();
            let counted = Penta::of_pair(pair);
            assert_eq!((games.games(), games.mean()), (counted.games(), counted.mean()));
            assert_eq!(Penta::of_pair(pair.map(Outcome::reversed)), counted.reversed());
        }
    }

    #[test]
    fn nothing_and_too_much() {
        assert_eq!((Wdl::default().mean(), Penta::default().variance()), (None, None));
        let full = Penta([u64::MAX; 5]);
        assert_eq!((full.games(), full.mean(), full.variance()), (10 * u128::from(u64::MAX), Some(0.5), Some(0.125)));
        assert_eq!(full.checked_add(Penta::of_pair(RESULTS[..2].try_into().unwrap())), None);
        assert_eq!(Wdl { draws: u64::MAX, ..Wdl::default() }.checked_add(Wdl::of_game(Outcome::Draw)), None);
    }

    #[test]
    fn text_parses_back_and_errors_tell() {
        assert_eq!(Penta([34, 54, 63, 64, 75]).to_string(), "34,54,63,64,75");
        assert_eq!("136, 111 ,96".parse(), Ok(Wdl { wins: 136, draws: 111, losses: 96 }));
        assert_eq!(
            Wdl { wins: u64::MAX, draws: 0, losses: 1 }.to_string().parse(),
            Ok(Wdl { wins: u64::MAX, draws: 0, losses: 1 })
        );
        let wrong = |text: &str| text.parse::<Wdl>().unwrap_err().to_string();
        assert_eq!(wrong("1,2"), "'1,2' has 2 counts; expected W,D,L, like '136,111,96'");
        assert_eq!(wrong(" "), "' ' has 0 counts; expected W,D,L, like '136,111,96'");
        for (text, part) in [
            ("1,x,2", "x"),
            ("1,,2", ""),
            ("+1,0,0", "+1"),
            ("0,-1,0", "-1"),
            ("0,0,18446744073709551616", "18446744073709551616"),
        ] {
            let expected = "expected a whole number from 0 to 18446744073709551615";
            assert_eq!(wrong(text), format!("'{part}' in '{text}' is not a count; {expected}"));
        }
        assert_eq!(
            "1,2,3,4,5,6".parse::<Penta>().unwrap_err().to_string(),
            "'1,2,3,4,5,6' has 6 counts; expected LL,LD,WL+DD,WD,WW, like '34,54,63,64,75'"
        );
    }
}
