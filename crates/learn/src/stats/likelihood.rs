//! The maximum-likelihood distribution of outcomes under a hypothesis, the core of the SPRT.
//!
//! Both models fit probabilities q_i to the observed shares p_i under one condition Σ q_i f_i = 0. With a Lagrange
//! multiplier x the solution is q_i = p_i / (1 + x f_i), where x solves the *secular equation* Σ p_i f_i / (1 + x f_i)
//! = 0 (Van den Bergh, "The generalized maximum likelihood ratio for the expectation value of a distribution"). The
//! test needs the divisors 1 + x f_i = p_i / q_i.
//!
//! The shares may differ by a factor of 10^22. Then x is too close to the end of its interval for a floating-point
//! number, so the equation is solved for the smallest divisor instead of x.

use super::{outcomes::Outcomes, scale::NELO_SCALE};

/// The largest number of different outcomes.
const MOST: usize = 5;

/// The count of an outcome that never occurred (fishtest's regularization).
const NEVER: f64 = 1e-3;

/// A value for each outcome, zero beyond the last one.
pub(super) type PerOutcome = [f64; MOST];

/// Outcomes prepared for the formulas: no count is zero.
#[derive(Copy, Clone, Debug)]
pub(super) struct Sample {
    counts: PerOutcome,
    shares: PerOutcome,
    scores: PerOutcome,
    categories: usize,
    total: f64,
    games_each: f64,
}

/// The first two moments of a distribution of scores.
#[derive(Copy, Clone, Debug)]
pub(super) struct Moments {
    pub mean: f64,
    /// 1 − mean, exact even if the mean is close to 1.
    pub rest: f64,
    /// The standard deviation of one outcome's score.
    pub deviation: f64,
}

impl Sample {
    /// `None` without outcomes.
    pub fn of<O: Outcomes>(outcomes: &O) -> Option<Sample> {
        if outcomes.total() == 0 {
            return None;
        }
        let counts = outcomes.counts();
        let categories = counts.as_ref().len();
        let mut sample = Sample {
            counts: [0.0; MOST],
            shares: [0.0; MOST],
            scores: [0.0; MOST],
            categories,
            total: 0.0,
            games_each: f64::from(O::GAMES_PER_OUTCOME),
        };
        for (index, &count) in counts.as_ref().iter().enumerate() {
            sample.counts[index] = if count == 0 { NEVER } else { count as f64 };
            sample.scores[index] = index as f64 / (categories - 1) as f64;
        }
        sample.total = sample.counts.iter().sum();
        sample.shares = sample.counts.map(|count| count / sample.total);
        Some(sample)
    }

    /// The count of each outcome.
    pub fn counts(&self) -> &[f64] {
        &self.counts[..self.categories]
    }

    /// The shares of the outcomes; their sum is 1.
    pub fn shares(&self) -> &PerOutcome {
        &self.shares
    }

    /// The number of outcomes.
    pub fn total(&self) -> f64 {
        self.total
    }

    /// The moments of a distribution over the outcomes.
    pub fn moments(&self, shares: &PerOutcome) -> Moments {
        let (mut mean, mut rest, mut variance) = (0.0, 0.0, 0.0);
        for (score, share) in self.scores[..self.categories].iter().zip(shares) {
            mean += share * score;
            rest += share * (1.0 - score);
        }
        for (score, share) in self.scores[..self.categories].iter().zip(shares) {
            variance += share * (score - mean) * (score - mean);
        }
        Moments { mean, rest, deviation: variance.sqrt() }
    }

    /// The divisors under the hypothesis that the mean score is `score`, between 0 and 1.
    pub fn fit_score(&self, score: f64) -> PerOutcome {
        self.solve(&self.scores.map(|own| own - score)).unwrap_or([1.0; MOST])
    }

    /// The divisors under the hypothesis that the normalized Elo is `nelo`.
    ///
    /// The condition mean − 1/2 = t · deviation is not linear in the shares, so it is linearized at the last fit and
    /// solved again, starting from equal shares. Common results take a few rounds, extreme ones some dozens. The rounds
    /// are limited, and if the next condition cannot be met, the last fit is kept: the divisors are always positive.
    pub fn fit_nelo(&self, nelo: f64) -> PerOutcome {
        const MOST_ROUNDS: u32 = 100;
        const STILL: f64 = 1e-9;
        if nelo == 0.0 {
            return self.fit_score(0.5);
        }
        let t = nelo / NELO_SCALE * self.games_each.sqrt();
        let mut divisors = [1.0; MOST];
        let mut fit = [1.0 / self.categories as f64; MOST];
        for _ in 0..MOST_ROUNDS {
            let Moments { mean, deviation, .. } = self.moments(&fit);
            let condition = self.scores.map(|score| {
                let deviations = (score - mean) / deviation;
                score - 0.5 - t * deviation * (1.0 + deviations * deviations) / 2.0
            });
            let Some(solved) = self.solve(&condition) else { break };
            divisors = solved;
            let mut moved: f64 = 0.0;
            for index in 0..self.categories {
                let share = self.shares[index] / divisors[index];
                moved = moved.max((share - fit[index]).abs());
                fit[index] = share;
            }
            if moved < STILL {
                break;
            }
        }
        divisors
    }

    /// Solves the secular equation for the values f. `None` unless some are positive and some negative.
    fn solve(&self, values: &PerOutcome) -> Option<PerOutcome> {
        let shares = &self.shares[..self.categories];
        // The smallest divisor belongs to the largest value if the sum at x = 0 is negative; otherwise the equation is
        // negated: −x solves it for −f, with the same divisors.
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
        let secular = Secular { shares, values: &values[..self.categories], top };
        // Negative terms have divisors above 1, which bounds the root from below.
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
    /// The largest value, positive.
    top: f64,
}

impl Secular<'_> {
    /// 1 + x f, where x is such that the largest value has the divisor `smallest`.
    fn divisor(&self, value: f64, smallest: f64) -> f64 {
        ((self.top - value) + smallest * value) / self.top
    }

    /// The sum and its derivative, which is negative.
    fn sum(&self, smallest: f64) -> (f64, f64) {
        let (mut sum, mut slope) = (0.0, 0.0);
        for (&share, &value) in self.shares.iter().zip(self.values) {
            let quotient = value / self.divisor(value, smallest);
            sum += share * quotient;
            slope -= share * quotient * quotient / self.top;
        }
        (sum, slope)
    }

    /// The smallest divisor, between `low` (positive) and 1. Newton's method, starting at 1. If a step would leave the
    /// interval known to contain the root, or is not at most half of the last step, the interval is bisected instead
    /// (in its logarithm, because the root may be tiny).
    fn root(&self, mut low: f64) -> f64 {
        const MOST_STEPS: u32 = 200;
        // The error after a Newton step is about the square of its size.
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

    use super::{PerOutcome, Sample};
    use crate::stats::{
        outcomes::{Outcomes, Penta, Wdl},
        scale::NELO_SCALE,
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
    fn fit(sample: &Sample, divisors: &PerOutcome) -> PerOutcome {
        let mut fit = [0.0; 5];
        for index in 0..sample.categories {
            fit[index] = sample.shares[index] / divisors[index];
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
            if (sum - 1.0).abs() > 1e-9
                || shares[..sample.categories].iter().any(|share| share.is_nan() || *share <= 0.0)
            {
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
            counts in [counts(), counts(), counts(), counts(), counts()],
            score in 0.01..0.99,
            nelo in -200.0..200.0,
        ) {
            let checked = check(&Penta(counts), score, nelo);
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
