//! Parameters to tune, with ranges and steps, and weights for them.
//!
//! Weights are whole numbers in thousandths, so that their text and the names of measurements are exact. Optimisers move
//! real numbers; only what is measured is rounded to steps.

use std::fmt;
use std::str::FromStr;

use thiserror::Error;

use crate::decimal::DecimalError;
pub use crate::decimal::{ONE, Thousandths};

/// A parameter that can be tuned, all numbers in thousandths.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Parameter {
    /// Its name.
    pub name: String,
    /// The smallest weight.
    pub least: i64,
    /// The largest weight.
    pub most: i64,
    /// The smallest change that can make a difference: a unit of an integer option, or a thousandth.
    pub step: i64,
    /// The weight that tuning starts from.
    pub start: i64,
}

/// Weights in thousandths, one for each tuned parameter. As text: `1 0.77 -0.5`.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug, Hash, Default)]
pub struct Weights(pub Vec<i64>);

/// Which way from a weight.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Side {
    /// To greater weights.
    Above,
    /// To smaller ones.
    Below,
}

/// A text that is not a list of weights.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("'{text}' is not a weight; expected a number with at most three decimals, like 0.77")]
pub struct WeightsError {
    /// What was read.
    pub text: String,
}

/// Weights that do not fit the parameters.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum MisfitError {
    /// More or fewer weights than parameters.
    #[error("{given} weights were given for {expected} parameters ({names}); expected one for each")]
    Count {
        /// How many were given.
        given: usize,
        /// How many there should be.
        expected: usize,
        /// The names of the parameters.
        names: String,
    },
    /// A weight outside its range.
    #[error("the weight {weight} of '{name}' is not from {least} to {most}")]
    Range {
        /// The parameter.
        name: String,
        /// What was given.
        weight: Thousandths,
        /// The smallest.
        least: Thousandths,
        /// The largest.
        most: Thousandths,
    },
}

impl Parameter {
    /// The largest weight that is a whole number of steps above the smallest.
    pub fn top(&self) -> i64 {
        self.least + (self.most - self.least) / self.step * self.step
    }

    /// The nearest weight that is a whole number of steps above the smallest.
    pub fn snap(&self, value: f64) -> i64 {
        let steps = ((value - self.least as f64) / self.step as f64).round();
        let most = ((self.most - self.least) / self.step) as f64;
        // NaN becomes the smallest weight; no measurement can lead there.
        self.least + steps.max(0.0).min(most) as i64 * self.step
    }

    /// The nearest real number within the range.
    pub fn clamp(&self, value: f64) -> f64 {
        value.max(self.least as f64).min(self.top() as f64)
    }

    /// A weight that is at least `delta` and a step away: on this side if there is room, else on the other, else the end
    /// of the range that is further away.
    pub fn neighbour(&self, weight: i64, delta: i64, side: Side) -> i64 {
        let far = ((delta.max(1) - 1) / self.step + 1).saturating_mul(self.step);
        let (up, down) = (weight.saturating_add(far), weight.saturating_sub(far));
        match (up <= self.top(), down >= self.least) {
            (true, true) if side == Side::Above => up,
            (_, true) => down,
            (true, _) => up,
            _ if self.top() - weight >= weight - self.least => self.top(),
            _ => self.least,
        }
    }

    /// Whether the weight is in range and on a step.
    pub fn takes(&self, weight: i64) -> bool {
        (self.least..=self.most).contains(&weight) && (weight - self.least) % self.step == 0
    }
}

impl Weights {
    /// One weight for each parameter, each in its range; or why not.
    pub fn fits(&self, parameters: &[Parameter]) -> Result<(), MisfitError> {
        if self.0.len() != parameters.len() {
            let names: Vec<_> = parameters.iter().map(|parameter| parameter.name.as_str()).collect();
            let (given, expected) = (self.0.len(), parameters.len());
            return Err(MisfitError::Count { given, expected, names: names.join(", ") });
        }
        self.0.iter().zip(parameters).try_for_each(|(&weight, Parameter { name, least, most, .. })| {
            if (*least..=*most).contains(&weight) {
                return Ok(());
            }
            let [weight, least, most] = [weight, *least, *most].map(Thousandths);
            Err(MisfitError::Range { name: name.clone(), weight, least, most })
        })
    }

    /// A copy in which one weight is replaced.
    #[must_use]
    pub fn with(&self, place: usize, weight: i64) -> Weights {
        let mut weights = self.clone();
        weights.0[place] = weight;
        weights
    }

    /// The only place in which two lists differ, if there is exactly one.
    pub fn only_difference(&self, other: &Weights) -> Option<usize> {
        let mut places = (0..self.0.len()).filter(|&place| self.0.get(place) != other.0.get(place));
        let first = places.next();
        if places.next().is_none() { first } else { None }
    }
}

impl fmt::Display for Weights {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let words: Vec<_> = self.0.iter().map(|&weight| Thousandths(weight).to_string()).collect();
        f.write_str(&words.join(" "))
    }
}

impl FromStr for Weights {
    type Err = WeightsError;

    fn from_str(text: &str) -> Result<Weights, WeightsError> {
        let read = |word: &str| match word.parse() {
            Ok(Thousandths(weight)) => Ok(weight),
            Err(DecimalError { text }) => Err(WeightsError { text }),
        };
        text.split_whitespace().map(read).collect::<Result<_, _>>().map(Weights)
    }
}

#[cfg(test)]
mod tests {
    use super::{Parameter, Side, Weights};

    fn parameter(least: i64, most: i64, step: i64) -> Parameter {
        Parameter { name: "w".into(), least, most, step, start: least }
    }

    #[test]
    fn weights_read_back_as_they_were_printed() {
        let weights = Weights(vec![1000, 770, -500, 0, 1]);
        assert_eq!(weights.to_string(), "1 0.77 -0.5 0 0.001");
        assert_eq!(weights.to_string().parse(), Ok(weights));
        let error = "1 0.1234".parse::<Weights>().unwrap_err().to_string();
        assert!(error.starts_with("'0.1234' is not a weight"), "{error}");
    }

    #[test]
    fn weights_are_as_many_as_parameters_and_in_their_ranges() {
        let parameter = |name: &str| Parameter { name: name.into(), ..parameter(100, 2000, 1) };
        let parameters = [parameter("check"), parameter("reply")];
        assert_eq!(Weights(vec![100, 2000]).fits(&parameters), Ok(()));
        let error = |weights: &[i64]| Weights(weights.to_vec()).fits(&parameters).unwrap_err().to_string();
        assert_eq!(error(&[1000]), "1 weights were given for 2 parameters (check, reply); expected one for each");
        assert_eq!(error(&[1000, 2001]), "the weight 2.001 of 'reply' is not from 0.1 to 2");
    }

    #[test]
    fn a_neighbour_is_a_step_at_least_and_on_the_other_side_of_a_bound() {
        let of = |parameter: &Parameter, weights: [i64; 3]| {
            [Side::Above, Side::Below].map(|side| weights.map(|weight| parameter.neighbour(weight, 150, side)))
        };
        let real = parameter(100, 2000, 1);
        assert_eq!(of(&real, [1000, 1900, 100]), [[1150, 1750, 250], [850, 1750, 250]]);
        let halves = parameter(0, 1000, 500);
        assert_eq!(of(&halves, [1000, 500, 0]), [[500, 1000, 500], [500, 0, 500]]);
        let narrow = parameter(900, 1000, 1);
        assert_eq!(of(&narrow, [930, 960, 950]), [[1000, 900, 1000]; 2], "as far as there is room");
        assert_eq!(parameter(0, 1000, 300).top(), 900, "the last whole step");
    }

    #[test]
    fn whatever_is_snapped_can_be_taken() {
        let coarse = parameter(-300, 1000, 250);
        for value in [-1e18, -300.0, -176.0, -175.0, 0.0, 699.0, 5e17, f64::INFINITY, f64::NEG_INFINITY, f64::NAN] {
            let weight = coarse.snap(value);
            assert!(coarse.takes(weight), "{value} became {weight}");
        }
        assert_eq!([coarse.snap(-176.0), coarse.snap(-174.0), coarse.snap(1e9)], [-300, -50, 950]);
    }

    #[test]
    fn the_only_difference_is_found() {
        let weights = Weights(vec![1, 2, 3]);
        assert_eq!(weights.only_difference(&weights), None);
        assert_eq!(weights.only_difference(&weights.with(1, 5)), Some(1));
        assert_eq!(weights.only_difference(&Weights(vec![0, 2, 4])), None);
    }
}
