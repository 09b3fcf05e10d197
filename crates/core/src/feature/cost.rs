//! What a scheme says of a feature: a weight, a realization probability, or an amount.

use std::fmt;
use std::str::FromStr;

use thiserror::Error;

use crate::decimal::{Thousandths, parse_unsigned};
use crate::depth::Weight;

/// What moves with a feature cost.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Hash)]
pub enum Cost {
    /// The depth that a move uses up, like `0.5`: the lowest of all features that match decides. A weight above one
    /// reduces the move: if it raises alpha all the same, it is searched again at one ply.
    Weight(Weight),
    /// How often such a move is played, like `12.5%`; realization-probability search turns it into a weight.
    Probability(Probability),
    /// Depth that is added to the cost, like `+0.5`, or taken off, like `-0.25`: all features that match are summed up.
    Amount(Amount),
}

/// The probability that a move of a category is played, in millionths; never 0.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Debug, Hash)]
pub struct Probability(u32);

/// Depth that is added to what a move costs, in thousandths of a ply; below zero it is taken off.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Debug, Hash)]
pub struct Amount(i16);

/// A text that is not a cost.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error(
    "'{text}' is not a weight; expected plies from 0 to 16 with at most three decimals, like 0.5, a change of them like \
     +0.5 or -0.25, or a probability from 0.0001% to 100%"
)]
pub struct CostError {
    /// What was read.
    pub text: String,
}

impl Probability {
    /// Millionths in one.
    const ONE: u32 = 1_000_000;

    /// A probability of this many millionths, if it is above 0 and not above 1.
    pub const fn of_millionths(millionths: u32) -> Option<Probability> {
        if millionths == 0 || millionths > Probability::ONE { None } else { Some(Probability(millionths)) }
    }

    /// The probability in millionths.
    pub const fn millionths(self) -> u32 {
        self.0
    }
}

impl Amount {
    /// The largest amount in either direction: sixteen plies.
    pub const MOST_UNITS: i32 = Weight::MAX.units() as i32;

    /// An amount of this many thousandths of a ply, cut off at [`Amount::MOST_UNITS`].
    pub const fn of_units(units: i32) -> Amount {
        if units > Amount::MOST_UNITS {
            Amount(Amount::MOST_UNITS as i16)
        } else if units < -Amount::MOST_UNITS {
            Amount(-Amount::MOST_UNITS as i16)
        } else {
            Amount(units as i16)
        }
    }

    /// The amount in thousandths of a ply.
    pub const fn units(self) -> i32 {
        self.0 as i32
    }
}

impl From<Weight> for Cost {
    fn from(weight: Weight) -> Cost {
        Cost::Weight(weight)
    }
}

impl From<Amount> for Cost {
    fn from(amount: Amount) -> Cost {
        Cost::Amount(amount)
    }
}

impl Cost {
    /// The weight, if it is one.
    pub const fn weight(self) -> Option<Weight> {
        match self {
            Cost::Weight(weight) => Some(weight),
            _ => None,
        }
    }

    /// Whether such moves are searched less deep than others: a weight above one, or an amount above zero.
    pub fn is_reduction(self) -> bool {
        match self {
            Cost::Weight(weight) => weight > Weight::ONE,
            Cost::Probability(_) => false,
            Cost::Amount(amount) => amount.units() > 0,
        }
    }
}

impl FromStr for Cost {
    type Err = CostError;

    fn from_str(text: &str) -> Result<Cost, CostError> {
        let error = || CostError { text: text.to_string() };
        let parsed = if let Some(percent) = text.strip_suffix('%') {
            parse_percent(percent).and_then(Probability::of_millionths).map(Cost::Probability)
        } else if let Some(sign @ (b'+' | b'-')) = text.bytes().next() {
            let units = parse_unsigned(&text[1..]).ok().and_then(|units| i32::try_from(units).ok());
            let units = units.filter(|units| *units <= Amount::MOST_UNITS);
            units.map(|units| Cost::Amount(Amount::of_units(if sign == b'+' { units } else { -units })))
        } else {
            text.parse().ok().map(Cost::Weight)
        };
        parsed.ok_or_else(error)
    }
}

/// Millionths of a percentage with at most four decimals.
fn parse_percent(text: &str) -> Option<u32> {
    let (whole, decimals) = text.split_once('.').unwrap_or((text, "0"));
    let are_digits =
        |part: &str, most: usize| (1..=most).contains(&part.len()) && part.bytes().all(|byte| byte.is_ascii_digit());
    (are_digits(whole, 3) && are_digits(decimals, 4)).then(|| format!("{whole}{decimals:0<4}").parse().ok())?
}

impl fmt::Display for Cost {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Cost::Weight(weight) => weight.fmt(f),
            Cost::Probability(probability) => probability.fmt(f),
            Cost::Amount(amount) => amount.fmt(f),
        }
    }
}

impl fmt::Display for Probability {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (whole, rest) = (self.0 / 10_000, self.0 % 10_000);
        if rest == 0 {
            return write!(f, "{whole}%");
        }
        write!(f, "{whole}.{}%", format!("{rest:04}").trim_end_matches('0'))
    }
}

impl fmt::Display for Amount {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let sign = if self.0 < 0 { "" } else { "+" };
        write!(f, "{sign}{}", Thousandths(i64::from(self.0)))
    }
}

#[cfg(test)]
mod tests {
    use super::{Amount, Cost, Probability};

    #[test]
    fn every_cost_reads_back_as_it_was_printed() {
        let amounts = (-16_000..=16_000).map(|units| Cost::Amount(Amount::of_units(units)));
        let probabilities = (1..=1_000_000).step_by(37).filter_map(Probability::of_millionths).map(Cost::Probability);
        for cost in amounts.chain(probabilities) {
            assert_eq!(cost.to_string().parse(), Ok(cost));
        }
        for text in ["0.5", "+0.25", "-2", "12.5%", "0.0001%", "100%", "+0"] {
            assert_eq!(text.parse::<Cost>().unwrap().to_string(), text);
        }
    }

    #[test]
    fn what_is_not_a_cost_is_refused_by_name() {
        for text in
            ["", "+", "-", "%", "0%", "100.0001%", "101%", "0.00001%", "+17", "--1", "+-1", "1e3", "17", "-0.1234"]
        {
            let error = text.parse::<Cost>().unwrap_err().to_string();
            assert!(error.starts_with(&format!("'{text}' is not a weight")), "{error}");
        }
    }
}
