//! Search depth in fixed point, and what a move costs of it (thesis section 2.2.3).
//!
//! A ply is a thousand units, so every decimal weight with three places, is exact. No floating point takes part in depth: the same search is the same tree on any machine.

use std::fmt;
use std::str::FromStr;

use thiserror::Error;

use crate::decimal::{Thousandths, parse_unsigned};

/// Depth left to search, in thousandths of a ply. Zero or less means: evaluate.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Depth(i32);

impl Depth {
    const UNITS_PER_PLY: i32 = 1000;

    /// This number of whole plies.
    pub const fn plies(plies: u32) -> Depth {
        Depth(plies as i32 * Depth::UNITS_PER_PLY)
    }

    /// True when nothing is left to search.
    #[inline]
    pub const fn is_spent(self) -> bool {
        self.0 <= 0
    }

    /// Whole plies left.
    pub const fn whole_plies(self) -> u32 {
        if self.is_spent() { 0 } else { (self.0 / Depth::UNITS_PER_PLY) as u32 }
    }

    /// The bits of [`Depth::to_bits`] that may be set.
    pub const BITS: u32 = (1 << 20) - 1;

    /// The depth in few bits, for a table: clamped to 0 and to about a thousand plies.
    #[inline]
    pub const fn to_bits(self) -> u32 {
        if self.is_spent() {
            0
        } else if self.0 as u32 > Depth::BITS {
            Depth::BITS
        } else {
            self.0 as u32
        }
    }

    /// The inverse of [`Depth::to_bits`].
    #[inline]
    pub const fn from_bits(bits: u32) -> Depth {
        Depth(bits as i32)
    }

    /// Thousandths of a ply left; none below zero.
    #[inline]
    pub const fn units(self) -> i32 {
        if self.is_spent() { 0 } else { self.0 }
    }

    /// The depth less this number of thousandths of a ply.
    pub const fn less(self, units: i32) -> Depth {
        Depth(self.0 - units)
    }

    /// By how much it is above another depth, in thousandths of a ply.
    pub const fn above(self, other: Depth) -> i32 {
        self.0 - other.0
    }

    /// The depth left after a move of this weight.
    #[inline]
    pub const fn after(self, cost: Weight) -> Depth {
        Depth(self.0 - cost.0 as i32)
    }
}

/// The fractional-ply value of a move: how much depth it uses up. Below one extends, above one reduces.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Debug, Hash)]
pub struct Weight(u16);

impl Weight {
    /// No depth at all.
    pub const NOTHING: Weight = Weight(0);
    /// An ordinary move: one ply.
    pub const ONE: Weight = Weight(Depth::UNITS_PER_PLY as u16);
    /// The fractional-ply value the papers discover features with.
    pub const HALF: Weight = Weight(Depth::UNITS_PER_PLY as u16 / 2);
    /// The largest weight that can be written.
    pub const MAX: Weight = Weight(16 * Depth::UNITS_PER_PLY as u16);

    /// The weight in thousandths of a ply.
    pub const fn units(self) -> u16 {
        self.0
    }

    /// A weight of this number of thousandths of a ply, not below zero and at most [`Weight::MAX`].
    pub const fn of_units(units: i32) -> Weight {
        if units > Weight::MAX.0 as i32 { Weight::MAX } else { Weight(units as u16) }
    }
}

/// A text that is not a weight.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("'{text}' is not a weight; expected plies from 0 to 16 with at most three decimals, like 0.5")]
pub struct WeightError {
    /// What was read.
    pub text: String,
}

impl FromStr for Weight {
    type Err = WeightError;

    fn from_str(text: &str) -> Result<Weight, WeightError> {
        let units = parse_unsigned(text).ok().and_then(|units| u16::try_from(units).ok());
        let weight = units.filter(|&units| units <= Weight::MAX.0).map(Weight);
        weight.ok_or_else(|| WeightError { text: text.to_string() })
    }
}

impl fmt::Display for Weight {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        Thousandths(i64::from(self.0)).fmt(f)
    }
}

#[cfg(test)]
mod tests {
    use super::{Depth, Weight};

    #[test]
    fn every_weight_reads_back_as_it_was_printed() {
        for units in 0..=Weight::MAX.0 {
            assert_eq!(Weight(units).to_string().parse(), Ok(Weight(units)));
        }
    }

    #[test]
    fn odd_spellings_are_refused_by_name() {
        for text in ["", ".", "0.", ".5", "-1", "0.1234", "17", "1e3", "0,5", "0.5 ", "+1", "999"] {
            let error = text.parse::<Weight>().unwrap_err().to_string();
            assert!(error.starts_with(&format!("'{text}'")), "{error}");
        }
    }

    #[test]
    fn two_halves_make_a_ply() {
        let depth = Depth::plies(3).after(Weight::HALF).after(Weight::HALF);
        assert_eq!(depth, Depth::plies(2));
        assert!(depth.after("2".parse().unwrap()).is_spent());
        assert!(!depth.after("1.999".parse().unwrap()).is_spent());
    }
}
