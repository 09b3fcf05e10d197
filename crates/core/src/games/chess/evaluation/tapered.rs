//! Two values in one number: one addition adds both.

use std::ops::{Add, AddAssign, Mul, Neg, Sub, SubAssign};

/// A value for the middle and one for the end of a game, each within ±32,767.
///
/// The end stands in the upper half; where the lower half is negative, it has borrowed one from it.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Default)]
pub struct Tapered(i32);

impl Tapered {
    /// Nothing.
    pub const ZERO: Tapered = Tapered(0);

    /// From its two values.
    pub const fn new(middle: i16, end: i16) -> Tapered {
        Tapered(((end as i32) << 16) + middle as i32)
    }

    /// The value in the middle of the game.
    #[inline]
    pub const fn middle(self) -> i32 {
        self.0 as i16 as i32
    }

    /// The value at the end of the game.
    #[inline]
    pub const fn end(self) -> i32 {
        (self.0 + 0x8000) >> 16
    }

    /// Both values as one number, to be kept.
    #[inline]
    pub const fn to_bits(self) -> u32 {
        self.0 as u32
    }

    /// What was kept.
    #[inline]
    pub const fn from_bits(bits: u32) -> Tapered {
        Tapered(bits as i32)
    }

    /// `+` for constants.
    pub const fn plus(self, other: Tapered) -> Tapered {
        Tapered(self.0 + other.0)
    }

    /// `-` for constants.
    pub const fn negated(self) -> Tapered {
        Tapered(-self.0)
    }
}

impl Add for Tapered {
    type Output = Tapered;

    #[inline]
    fn add(self, other: Tapered) -> Tapered {
        Tapered(self.0 + other.0)
    }
}

impl AddAssign for Tapered {
    #[inline]
    fn add_assign(&mut self, other: Tapered) {
        self.0 += other.0;
    }
}

impl Sub for Tapered {
    type Output = Tapered;

    #[inline]
    fn sub(self, other: Tapered) -> Tapered {
        Tapered(self.0 - other.0)
    }
}

impl SubAssign for Tapered {
    #[inline]
    fn sub_assign(&mut self, other: Tapered) {
        self.0 -= other.0;
    }
}

impl Neg for Tapered {
    type Output = Tapered;

    #[inline]
    fn neg(self) -> Tapered {
        Tapered(-self.0)
    }
}

impl Mul<i32> for Tapered {
    type Output = Tapered;

    #[inline]
    fn mul(self, times: i32) -> Tapered {
        Tapered(self.0 * times)
    }
}

#[cfg(test)]
mod tests {
    use super::Tapered;

    #[test]
    fn both_values_come_back_whatever_their_signs() {
        for middle in [-20_000, -301, -1, 0, 1, 300, 20_000] {
            for end in [-20_000, -77, -1, 0, 1, 78, 20_000] {
                let packed = Tapered::new(middle, end);
                assert_eq!((packed.middle(), packed.end()), (i32::from(middle), i32::from(end)));
                let back = packed - Tapered::new(5, -9) * 3;
                assert_eq!((back.middle(), back.end()), (i32::from(middle) - 15, i32::from(end) + 27));
                assert_eq!((-packed).end(), -i32::from(end));
            }
        }
    }
}
