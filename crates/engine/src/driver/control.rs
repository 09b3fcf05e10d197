//! What a candidate is: a scheme of features, or the weights of parameters that are tuned.

use std::fmt;
use std::str::FromStr;

use plysmith_core::feature::{FeatureError, Scheme};
use thiserror::Error;

/// What is to be measured.
#[derive(Clone, PartialEq, Eq, Debug, Hash)]
pub enum Control {
    /// Features with weights.
    Scheme(Scheme),
    /// A weight for each tuned parameter.
    Weights(Weights),
}

/// Weights in thousandths, one for each tuned parameter: whole numbers, so that their text and the name of a
/// measurement are exact. As text: `1 0.77 -0.5`.
#[derive(Clone, PartialEq, Eq, Debug, Hash, Default)]
pub struct Weights(pub Vec<i64>);

/// A parameter that can be tuned, all numbers in thousandths.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Parameter {
    /// Its name.
    pub name: String,
    /// The smallest weight.
    pub least: i64,
    /// The largest weight.
    pub most: i64,
    /// The smallest change that may make a difference: a unit of an integer option, or a thousandth.
    pub step: i64,
    /// Where to begin.
    pub start: i64,
}

/// A candidate that this subject cannot be.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum ControlError {
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
    #[error("the weight {weight} of '{name}' is not from {least} to {most}", weight = Thousandths(*weight),
        least = Thousandths(*least), most = Thousandths(*most))]
    Range {
        /// The parameter.
        name: String,
        /// What was given.
        weight: i64,
        /// The smallest.
        least: i64,
        /// The largest.
        most: i64,
    },
    /// Schemes are for engines whose features are known.
    #[error("{engine} takes no schemes: {reason}")]
    NoSchemes {
        /// Who.
        engine: String,
        /// Why.
        reason: String,
    },
    /// What the weights make is no scheme.
    #[error(transparent)]
    Feature(#[from] FeatureError),
}

/// What is wrong with weights that were written down.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("'{text}' is not a weight; expected a number with at most three decimals, like 0.77")]
pub struct WeightsError {
    /// What was read.
    pub text: String,
}

/// A number of thousandths, as people write it: `-0.5` for -500.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct Thousandths(pub i64);

/// Thousandths in one.
pub const ONE: i64 = 1000;

impl Weights {
    /// One weight for each parameter, each in its range; or why not.
    pub fn fits(&self, parameters: &[Parameter]) -> Result<(), ControlError> {
        if self.0.len() != parameters.len() {
            let names: Vec<_> = parameters.iter().map(|parameter| parameter.name.as_str()).collect();
            let (given, expected) = (self.0.len(), parameters.len());
            return Err(ControlError::Count { given, expected, names: names.join(", ") });
        }
        self.0.iter().zip(parameters).try_for_each(|(&weight, Parameter { name, least, most, .. })| {
            if (*least..=*most).contains(&weight) {
                return Ok(());
            }
            Err(ControlError::Range { name: name.clone(), weight, least: *least, most: *most })
        })
    }
}

impl fmt::Display for Thousandths {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (whole, rest) = (self.0.unsigned_abs() / ONE as u64, self.0.unsigned_abs() % ONE as u64);
        let sign = if self.0 < 0 { "-" } else { "" };
        if rest == 0 {
            return write!(f, "{sign}{whole}");
        }
        let decimals = format!("{rest:03}");
        write!(f, "{sign}{whole}.{}", decimals.trim_end_matches('0'))
    }
}

impl FromStr for Thousandths {
    type Err = WeightsError;

    fn from_str(text: &str) -> Result<Thousandths, WeightsError> {
        let error = || WeightsError { text: text.to_string() };
        let (sign, digits) = text.strip_prefix('-').map_or((1, text), |digits| (-1, digits));
        let (whole, decimals) = digits.split_once('.').unwrap_or((digits, "0"));
        let are_digits = |part: &str, most: usize| {
            (1..=most).contains(&part.len()) && part.bytes().all(|byte| byte.is_ascii_digit())
        };
        // Up to twelve digits before the point, so that sums of weights stay far from the end of their type.
        if !are_digits(whole, 12) || !are_digits(decimals, 3) {
            return Err(error());
        }
        let units: i64 = format!("{whole}{decimals:0<3}").parse().map_err(|_| error())?;
        Ok(Thousandths(sign * units))
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
        let read = |word: &str| word.parse().map(|Thousandths(weight)| weight);
        text.split_whitespace().map(read).collect::<Result<_, _>>().map(Weights)
    }
}

#[cfg(test)]
mod tests {
    use super::{Parameter, Thousandths, Weights};

    #[test]
    fn weights_read_back_as_they_were_printed() {
        for units in (-2500..2500).chain([1_000_000, -999_999_999]) {
            assert_eq!(Thousandths(units).to_string().parse(), Ok(Thousandths(units)));
        }
        let weights = Weights(vec![1000, 770, -500, 0, 1]);
        assert_eq!(weights.to_string(), "1 0.77 -0.5 0 0.001");
        assert_eq!(weights.to_string().parse(), Ok(weights));
    }

    #[test]
    fn odd_spellings_are_refused_by_name() {
        for text in ["", ".", "1.", ".5", "+1", "0.1234", "1e3", "0,5", "--1", "NaN", "1234567890123"] {
            let error = text.parse::<Thousandths>().unwrap_err().to_string();
            assert!(error.starts_with(&format!("'{text}'")), "{error}");
        }
    }

    #[test]
    fn weights_are_as_many_as_parameters_and_in_their_ranges() {
        let parameter = |name: &str| Parameter { name: name.into(), least: 100, most: 2000, step: 1, start: 1000 };
        let parameters = [parameter("check"), parameter("reply")];
        assert_eq!(Weights(vec![100, 2000]).fits(&parameters), Ok(()));
        let error = |weights: &[i64]| Weights(weights.to_vec()).fits(&parameters).unwrap_err().to_string();
        assert_eq!(error(&[1000]), "1 weights were given for 2 parameters (check, reply); expected one for each");
        assert_eq!(error(&[1000, 2001]), "the weight 2.001 of 'reply' is not from 0.1 to 2");
    }
}
