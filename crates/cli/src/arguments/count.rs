//! Numbers on the command line, as people write them: `50000`, `50k`, `1e6`, `2.5M`, `1_000_000`.

use std::ffi::OsStr;
use std::marker::PhantomData;
use std::num::{NonZeroU32, NonZeroU64, NonZeroUsize};
use std::ops::{Bound, RangeBounds};

use clap::builder::TypedValueParser;
use clap::error::ErrorKind;
use clap::{Arg, Command, Error};

/// A parser of whole numbers in a range.
pub struct Count<T> {
    low: u64,
    high: u64,
    target: PhantomData<fn() -> T>,
}

impl<T> Clone for Count<T> {
    fn clone(&self) -> Count<T> {
        Count { ..*self }
    }
}

/// A type that whole numbers become.
pub trait FromCount: Sized {
    /// The number; none if the type cannot hold it.
    fn from_count(count: u64) -> Option<Self>;
}

macro_rules! from_count {
    ($($type:ty),*) => {
        $(impl FromCount for $type {
            fn from_count(count: u64) -> Option<Self> {
                Self::try_from(count).ok()
            }
        })*
    };
}
from_count!(u16, u32, u64, usize, i32);

impl FromCount for NonZeroUsize {
    fn from_count(count: u64) -> Option<Self> {
        usize::try_from(count).ok().and_then(NonZeroUsize::new)
    }
}

impl FromCount for NonZeroU32 {
    fn from_count(count: u64) -> Option<Self> {
        u32::try_from(count).ok().and_then(NonZeroU32::new)
    }
}

impl FromCount for NonZeroU64 {
    fn from_count(count: u64) -> Option<Self> {
        NonZeroU64::new(count)
    }
}

/// A parser of whole numbers in this range.
pub fn count<T: FromCount>(range: impl RangeBounds<u64>) -> Count<T> {
    let low = match range.start_bound() {
        Bound::Included(low) => *low,
        Bound::Excluded(low) => low + 1,
        Bound::Unbounded => 0,
    };
    let high = match range.end_bound() {
        Bound::Included(high) => *high,
        Bound::Excluded(high) => high - 1,
        Bound::Unbounded => u64::MAX,
    };
    Count { low, high, target: PhantomData }
}

impl<T: FromCount> Count<T> {
    fn parse(&self, text: &str) -> Result<T, String> {
        let Count { low, high, .. } = self;
        let expected = || match high {
            &u64::MAX => format!("expected a whole number from {low} on"),
            high => format!("expected a whole number from {low} to {high}"),
        };
        let number = parse_count(text).ok_or_else(|| match text.strip_prefix('-').and_then(parse_count) {
            Some(_) => format!("{text} is negative; {}", expected()),
            None => format!("{}, like 50000, 50k or 1e6", expected()),
        })?;
        let in_range = Some(number).filter(|number| (low..=high).contains(&number)).and_then(T::from_count);
        in_range.ok_or_else(|| format!("{text} is not in {low}..{}; {}", end(*high), expected()))
    }
}

fn end(high: u64) -> String {
    if high == u64::MAX { String::new() } else { format!("={high}") }
}

impl<T: FromCount + Clone + Send + Sync + 'static> TypedValueParser for Count<T> {
    type Value = T;

    fn parse_ref(&self, command: &Command, argument: Option<&Arg>, value: &OsStr) -> Result<T, Error> {
        let text = value.to_string_lossy();
        self.parse(&text).map_err(|reason| {
            let name = argument.map_or_else(|| "...".to_string(), ToString::to_string);
            let message = format!("invalid value '{text}' for '{name}': {reason}\n");
            Error::raw(ErrorKind::ValueValidation, message).with_cmd(command)
        })
    }
}

/// A whole number without a sign: digits with `_` between them, `k`, `M` or `G` behind them (in thousands), or a power of
/// ten. A fraction is read if the number is whole: `2.5k`, `1.5e3`.
pub fn parse_count(text: &str) -> Option<u64> {
    let (number, power) = match text.char_indices().last()? {
        (at, 'k' | 'K') => (&text[..at], 3),
        (at, 'm' | 'M') => (&text[..at], 6),
        (at, 'g' | 'G') => (&text[..at], 9),
        _ => match text.split_once(['e', 'E']) {
            Some((number, power)) => (number, power.strip_prefix('+').unwrap_or(power).parse::<u8>().ok()?),
            None => (text, 0),
        },
    };
    let (whole, decimals) = number.split_once('.').unwrap_or((number, ""));
    if number.ends_with('.') || decimals.len() > usize::from(power) || !is_number(whole) || decimals.contains('_') {
        return None;
    }
    let digits = whole.replace('_', "") + decimals;
    let zeros = u32::from(power) - decimals.len() as u32;
    let digits = digits.bytes().all(|byte| byte.is_ascii_digit()).then(|| digits.parse::<u64>().ok())??;
    digits.checked_mul(10_u64.checked_pow(zeros)?)
}

/// Digits, with single underscores between them.
fn is_number(text: &str) -> bool {
    text.split('_').all(|part| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit()))
}

#[cfg(test)]
mod tests {
    use super::{count, parse_count};

    #[test]
    fn numbers_are_read_as_people_write_them() {
        for (text, number) in [
            ("0", 0),
            ("50000", 50_000),
            ("50k", 50_000),
            ("2.5k", 2_500),
            ("1e6", 1_000_000),
            ("1E+3", 1_000),
            ("1.25e2", 125),
            ("3M", 3_000_000),
            ("1G", 1_000_000_000),
            ("1_000_000", 1_000_000),
            ("18446744073709551615", u64::MAX),
        ] {
            assert_eq!(parse_count(text), Some(number), "{text}");
        }
        let wrong =
            ["", "k", "e", "1e", "e6", "1.5", "1.2345k", "-1", "+1", "1__0", "_1", "1_", "0x10", "1e20", "1 0", "½"];
        for text in wrong.into_iter().chain(["18446744073709551616", "1,000", "1.k", "99999999999G", "1e999"]) {
            assert_eq!(parse_count(text), None, "{text}");
        }
    }

    #[test]
    fn what_is_out_of_range_is_said() {
        let games = count::<u32>(1..=100);
        assert_eq!(games.parse("1e2"), Ok(100));
        assert!(games.parse("0").unwrap_err().contains("0 is not in 1..=100; expected a whole number from 1 to 100"));
        assert!(games.parse("-5").unwrap_err().contains("-5 is negative"));
        assert!(games.parse("many").unwrap_err().contains("like 50000, 50k or 1e6"));
        assert!(count::<u16>(..).parse("70k").is_err(), "more than the type holds");
    }
}
