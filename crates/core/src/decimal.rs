//! Decimal numbers with at most three places, kept as whole thousandths.
//!
//! Weights, tuned parameters and time controls are written as decimals. Stored as integers they print exactly as they
//! were read, compare exactly, and can be part of a key. This is the only decimal parser of the project.

use std::fmt;
use std::str::FromStr;

use thiserror::Error;

/// Thousandths in one.
pub const ONE: i64 = 1000;

/// Digits before the point: few enough that sums of parsed numbers never overflow.
const WHOLE_DIGITS: usize = 12;
/// The first number with more digits before the point.
const MOST: f64 = 1e12;
/// Digits after the point.
const PLACES: usize = 3;

/// A number of thousandths. Its text is a decimal without trailing zeros: `-0.5` for -500.
///
/// ```
/// use plysmith_core::Thousandths;
///
/// let number: Thousandths = "0.75".parse()?;
/// assert_eq!(number, Thousandths(750));
/// assert_eq!(Thousandths(-1250).to_string(), "-1.25");
/// assert!("0.1234".parse::<Thousandths>().is_err());
/// # Ok::<(), plysmith_core::decimal::DecimalError>(())
/// ```
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Debug, Hash)]
pub struct Thousandths(pub i64);

/// A text that is not a decimal with at most three places.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("'{text}' is not a number with at most three decimals; expected something like 0.75")]
pub struct DecimalError {
    /// What was read.
    pub text: String,
}

/// Reads a decimal without a sign, in thousandths.
pub fn parse_unsigned(text: &str) -> Result<u64, DecimalError> {
    let error = || DecimalError { text: text.to_string() };
    let (whole, decimals) = text.split_once('.').unwrap_or((text, "0"));
    let are_digits =
        |part: &str, most: usize| (1..=most).contains(&part.len()) && part.bytes().all(|byte| byte.is_ascii_digit());
    if !are_digits(whole, WHOLE_DIGITS) || !are_digits(decimals, PLACES) {
        return Err(error());
    }
    format!("{whole}{decimals:0<PLACES$}").parse().map_err(|_| error())
}

impl Thousandths {
    /// The nearest number to a real number in any decimal form: `0.769999`, `1.`, `.5`, `+1`, `1e-1`. Other programs write
    /// numbers as their language prints them.
    ///
    /// ```
    /// use plysmith_core::Thousandths;
    ///
    /// assert_eq!(Thousandths::nearest_to("7.7e-1")?, Thousandths(770));
    /// assert_eq!(Thousandths::nearest_to("0.76999998")?, Thousandths(770));
    /// assert!(Thousandths::nearest_to("0,77").is_err());
    /// # Ok::<(), plysmith_core::decimal::DecimalError>(())
    /// ```
    pub fn nearest_to(text: &str) -> Result<Thousandths, DecimalError> {
        // Words like "inf" and "nan" are floats too.
        let is_decimal = text.bytes().all(|byte| byte.is_ascii_digit() || b"+-.eE".contains(&byte));
        let number = text.parse::<f64>().ok().filter(|number| is_decimal && number.abs() < MOST);
        let error = || DecimalError { text: text.to_string() };
        number.map(|number| Thousandths((number * ONE as f64).round() as i64)).ok_or_else(error)
    }

    /// The nearest number to a float, if the float has at most three places and at most twelve digits before the
    /// point.
    pub fn from_float(number: f64) -> Result<Thousandths, DecimalError> {
        let scaled = number * ONE as f64;
        let is_exact = (scaled - scaled.round()).abs() < 1e-6 * number.abs().max(1.0);
        if is_exact && number.abs() < MOST {
            Ok(Thousandths(scaled.round() as i64))
        } else {
            Err(DecimalError { text: number.to_string() })
        }
    }
}

impl fmt::Display for Thousandths {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (whole, rest) = (self.0.unsigned_abs() / ONE as u64, self.0.unsigned_abs() % ONE as u64);
        let sign = if self.0 < 0 { "-" } else { "" };
        if rest == 0 {
            return write!(f, "{sign}{whole}");
        }
        let decimals = format!("{rest:0PLACES$}");
        write!(f, "{sign}{whole}.{}", decimals.trim_end_matches('0'))
    }
}

impl FromStr for Thousandths {
    type Err = DecimalError;

    fn from_str(text: &str) -> Result<Thousandths, DecimalError> {
        let (sign, digits) = text.strip_prefix('-').map_or((1, text), |digits| (-1, digits));
        let units = parse_unsigned(digits).map_err(|_| DecimalError { text: text.to_string() })?;
        Ok(Thousandths(sign * units as i64))
    }
}

#[cfg(test)]
mod tests {
    use super::{MOST, Thousandths, WHOLE_DIGITS};

    #[test]
    fn the_bound_has_one_digit_too_many() {
        assert_eq!(format!("{MOST:.0}").len(), WHOLE_DIGITS + 1);
    }

    #[test]
    fn decimals_parse_back_as_printed() {
        for units in (-2500..2500).chain([1_000_000, -999_999_999, 999_999_999_999_999]) {
            assert_eq!(Thousandths(units).to_string().parse(), Ok(Thousandths(units)));
        }
    }

    #[test]
    fn other_spellings_are_rejected_with_their_text() {
        for text in ["", ".", "1.", ".5", "+1", "0.1234", "1e3", "0,5", "--1", "NaN", "1234567890123", "٣", "-"] {
            let error = text.parse::<Thousandths>().unwrap_err().to_string();
            assert!(error.starts_with(&format!("'{text}'")), "{error}");
        }
    }

    #[test]
    fn every_decimal_form_of_a_real_number_is_read() {
        for text in ["0.77", "0.770", ".77", "00.77", "+.77", "7.7e-1", "77E-2", "0.77e0", "0.769999981", "770e-3"] {
            assert_eq!(Thousandths::nearest_to(text), Ok(Thousandths(770)), "{text}");
        }
        for (text, units) in [("1", 1000), ("1.", 1000), ("-0.5", -500), ("1e-1", 100), ("0.0005", 1), ("1e-9", 0)] {
            assert_eq!(Thousandths::nearest_to(text), Ok(Thousandths(units)), "{text}");
        }
        for text in ["", ".", "e1", "0,5", "1e", "--1", "nan", "NaN", "inf", "-infinity", "1e400", "1e12", "0x1", "1_0"]
        {
            assert!(Thousandths::nearest_to(text).is_err(), "{text}");
        }
    }

    #[test]
    fn floats_must_have_three_places() {
        assert_eq!(Thousandths::from_float(0.3), Ok(Thousandths(300)));
        assert_eq!(Thousandths::from_float(-1234.567), Ok(Thousandths(-1_234_567)));
        for number in [0.12345, f64::NAN, f64::INFINITY, 1e12] {
            assert!(Thousandths::from_float(number).is_err(), "{number}");
        }
    }
}
