//! The most likely distribution of outcomes under a hypothesis: the inner part of the sequential test.
//!
//! Both models fit shares q_i to the measured p_i under one condition Σ q_i f_i = 0. With a multiplier x
//! the best are q_i = p_i / (1 + x f_i), where x solves the *secular equation* Σ p_i f_i / (1 + x f_i) = 0
//! (Van den Bergh, "The generalized maximum likelihood ratio for the expectation value of a
//! distribution"). What the test needs are the divisors 1 + x f_i: they are p_i / q_i.
//!
//! The shares may differ by a factor of 10^22, and then x lies too near the end of its interval for a
//! floating-point number to tell. So the unknown is not x but the smallest divisor.

use super::{elo::NELO_SCALE, outcomes::Outcomes};

/// The most outcomes a ladder has.
const MOST: usize = 5;

/// What an outcome counts that never happened (fishtest's regularization): it could have.
const NEVER: f64 = 1e-3;

/// A value for each rung of a ladder, zero beyond its end.
pub(super) type Rungs = [f64; MOST];

/// Outcomes prepared for the formulas: no count is zero.
#[derive(Copy, Clone, Debug)]
pub(super) struct Sample {
    counts: Rungs,
    shares: Rungs,
    scores: Rungs,
    rungs: usize,
    total: f64,
    games_each: f64,
}

/// The first two moments of a distribution of scores.
#[derive(Copy, Clone, Debug)]
pub(super) struct Moments {
    pub mean: f64,
    /// 1 − mean, exact also where the mean is nearly 1.
    pub rest: f64,
    /// The deviation of one outcome's score.
    pub deviation: f64,
}

impl Sample {
    /// None without outcomes.
    pub fn of<O: Outcomes>(outcomes: &O) -> Option<Sample> {
        if outcomes.total() == 0 {
            return None;
        }
        let ladder = outcomes.ladder();
        let rungs = ladder.as_ref().len();
        let mut sample = Sample {
            counts: [0.0; MOST],
            shares: [0.0; MOST],
            scores: [0.0; MOST],
            rungs,
            total: 0.0,
            games_each: f64::from(O::GAMES_EACH),
        };
        for (rung, &count) in ladder.as_ref().iter().enumerate() {
            sample.counts[rung] = if count == 0 { NEVER } else { count as f64 };
            sample.scores[rung] = rung as f64 / (rungs - 1) as f64;
        }
        sample.total = sample.counts.iter().sum();
        sample.shares = sample.counts.map(|count| count / sample.total);
        Some(sample)
    }

    /// How often each outcome happened.
    pub fn counts(&self) -> &[f64] {
        &self.counts[..self.rungs]
    }

    /// The shares of the outcomes; they add up to 1.
    pub fn shares(&self) -> &Rungs {
        &self.shares
    }

    /// How many outcomes there are.
    pub fn total(&self) -> f64 {
        self.total
    }

    /// The moments of any shares of this ladder's outcomes.
    pub fn moments(&self, shares: &Rungs) -> Moments {
        let (mut mean, mut rest, mut variance) = (0.0, 0.0, 0.0);
        for (score, share) in self.scores[..self.rungs].iter().zip(shares) {
            mean += share * score;
            rest += share * (1.0 - score);
        }
        for (score, share) in self.scores[..self.rungs].iter().zip(shares) {
            variance += share * (score - mean) * (score - mean);
        }
        Moments { mean, rest, deviation: variance.sqrt() }
    }

    /// The divisors if the mean score is `score`, between 0 and 1.
    pub fn fit_score(&self, score: f64) -> Rungs {
        self.solve(&self.scores.map(|own| own - score)).unwrap_or([1.0; MOST])
    }

    /// The divisors if the normalized Elo is `nelo`.
    ///
    /// The condition mean − 1/2 = t · deviation is not linear in the shares, so it is replaced by its
    /// linearization at the last fit and solved again, from equal shares on. Common results take a few
    /// rounds, wild ones some dozens. The rounds are limited, and where the next condition could not be
    /// met the last fit stands: the divisors are always positive numbers.
    pub fn fit_nelo(&self, nelo: f64) -> Rungs {
        const MOST_ROUNDS: u32 = 100;
        const STILL: f64 = 1e-9;
        if nelo == 0.0 {
            return self.fit_score(0.5);
        }
        let t = nelo / NELO_SCALE * self.games_each.sqrt();
        let mut divisors = [1.0; MOST];
        let mut fit = [1.0 / self.rungs as f64; MOST];
        for _ in 0..MOST_ROUNDS {
            let Moments { mean, deviation, .. } = self.moments(&fit);
            let condition = self.scores.map(|score| {
                let deviations = (score - mean) / deviation;
                score - 0.5 - t * deviation * (1.0 + deviations * deviations) / 2.0
            });
            let Some(solved) = self.solve(&condition) else { break };
            divisors = solved;
            let mut moved: f64 = 0.0;
            for rung in 0..self.rungs {
                let share = self.shares[rung] / divisors[rung];
                moved = moved.max((share - fit[rung]).abs());
                fit[rung] = share;
            }
            if moved < STILL {
                break;
            }
        }
        divisors
    }

    /// Solves the secular equation for the values f. None unless some are above zero and some below.
    fn solve(&self, values: &Rungs) -> Option<Rungs> {
        let shares = &self.shares[..self.rungs];
        // The smallest divisor belongs to the largest value if the sum at x = 0 is negative; if
        // not, the equation is turned round: −x solves it for −f, with the same divisors.
        let sum: f64 = shares.iter().zip(values).map(|(share, value)| share * value).sum();
        let mut values = *values;
        if sum > 0.0 {
            values = values.map(|value| -value);
        }
        let (mut top, mut bottom, mut top_share) = (0.0, 0.0, 0.0);
        for (&value, &share) in values.iter().zip(shares) {
            if value > top {
                (top, top_share) = (value, share);
            }
            bottom = value.min(bottom);
        }
        if !(top > 0.0 && bottom < 0.0) {
            return None;
        }
        let secular = Secular { shares, values: &values[..self.rungs], top };
        // Negative terms have divisors above 1 and so cannot outweigh the top's beyond this.
        let low = (top_share * top / -bottom).min(1.0);
        let smallest = secular.root(low);
        let mut divisors = [1.0; MOST];
        for (divisor, &value) in divisors.iter_mut().zip(secular.values) {
            *divisor = secular.divisor(value, smallest);
        }
        Some(divisors)
    }
}

/// The secular equation with the smallest divisor as its unknown.
struct Secular<'a> {
    shares: &'a [f64],
    values: &'a [f64],
    /// The largest value, above zero.
    top: f64,
}

impl Secular<'_> {
    /// 1 + x f, where x is such that the largest value has the divisor `smallest`.
    fn divisor(&self, value: f64, smallest: f64) -> f64 {
        ((self.top - value) + smallest * value) / self.top
    }

    /// The sum and its slope, which is negative.
    fn sum(&self, smallest: f64) -> (f64, f64) {
        let (mut sum, mut slope) = (0.0, 0.0);
        for (&share, &value) in self.shares.iter().zip(self.values) {
            let quotient = value / self.divisor(value, smallest);
            sum += share * quotient;
            slope -= share * quotient * quotient / self.top;
        }
        (sum, slope)
    }

    /// The smallest divisor, between `low` (above zero) and 1. Newton's method from 1 on; whenever it
    /// would leave the interval known to hold the root, or does not halve its last step, the interval
    /// is halved instead (in its logarithm, because the root may be tiny).
    fn root(&self, mut low: f64) -> f64 {
        const MOST_STEPS: u32 = 200;
        // A step of Newton's method leaves about the square of its size as error.
        const LAST_NEWTON: f64 = 1e-8;
        const PRECISION: f64 = 1e-14;
        let mut high: f64 = 1.0;
        let mut at = high;
        let mut last_step = f64::INFINITY;
        for _ in 0..MOST_STEPS {
            let (sum, slope) = self.sum(at);
            if sum > 0.0 {
                low = at;
            } else {
                high = at;
            }
            let mut next = at - sum / slope;
            let step = (next - at).abs();
            let newton = (low..=high).contains(&next) && step <= last_step / 2.0;
            if !newton {
                next = (low * high).sqrt();
            }
            if newton && step <= LAST_NEWTON * at || high - low <= PRECISION * low {
                return next;
            }
            last_step = (next - at).abs();
            at = next;
        }
        at
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::{Strategy, any, prop_assert, prop_oneof, proptest};

    use super::{Rungs, Sample};
    use crate::stats::{
        elo::NELO_SCALE,
        outcomes::{Outcomes, Penta, Wdl},
    };

    /// Counts of every size, zero and the largest among them.
    fn counts() -> impl Strategy<Value = u64> {
        prop_oneof![
            0..3u64,
            0..1000u64,
            (0..64u32, any::<u64>()).prop_map(|(bits, any)| any >> bits),
            u64::MAX..=u64::MAX
        ]
    }

    /// The shares that divisors stand for.
    fn fit(sample: &Sample, divisors: &Rungs) -> Rungs {
        let mut fit = [0.0; 5];
        for rung in 0..sample.rungs {
            fit[rung] = sample.shares[rung] / divisors[rung];
        }
        fit
    }

    /// Whether both fits are distributions that meet their condition.
    fn check(outcomes: &impl Outcomes, score: f64, nelo: f64) -> Result<(), String> {
        let Some(sample) = Sample::of(outcomes) else { return Ok(()) };
        let at_score = fit(&sample, &sample.fit_score(score));
        let at_nelo = fit(&sample, &sample.fit_nelo(nelo));
        for shares in [&at_score, &at_nelo] {
            let sum: f64 = shares.iter().sum();
            if (sum - 1.0).abs() > 1e-9 || shares[..sample.rungs].iter().any(|share| share.is_nan() || *share <= 0.0) {
                return Err(format!("not a distribution: {shares:?}"));
            }
        }
        let mean = sample.moments(&at_score).mean;
        if (mean - score).abs() > 1e-9 {
            return Err(format!("the score is {mean}, not {score}: {at_score:?}"));
        }
        let moments = sample.moments(&at_nelo);
        let lead = nelo / NELO_SCALE * sample.games_each.sqrt() * moments.deviation;
        if (moments.mean - 0.5 - lead).abs() > 1e-6 {
            return Err(format!("the score is {}, not {lead} above 1/2: {at_nelo:?}", moments.mean));
        }
        Ok(())
    }

    proptest! {
        #[test]
        fn pairs_fit_their_hypothesis(
            ladder in [counts(), counts(), counts(), counts(), counts()],
            score in 0.01..0.99,
            nelo in -200.0..200.0,
        ) {
            let checked = check(&Penta(ladder), score, nelo);
            prop_assert!(checked.is_ok(), "{:?}", checked);
        }

        #[test]
        fn games_fit_their_hypothesis(
            [losses, draws, wins] in [counts(), counts(), counts()],
            score in 0.01..0.99,
            nelo in -200.0..200.0,
        ) {
            let checked = check(&Wdl { wins, draws, losses }, score, nelo);
            prop_assert!(checked.is_ok(), "{:?}", checked);
        }
    }
}
