//! Logarithms by integers alone, so that depths are the same on every machine.

/// The logarithm to base 2 of a ratio of at least one, in 1/65536.
///
/// Squaring a number doubles its logarithm: each squaring gives one more bit of the fraction.
pub fn log2(numerator: u64, denominator: u64) -> u32 {
    let ratio = (u128::from(numerator.max(denominator)) << 32) / u128::from(denominator.max(1));
    let whole = ratio.ilog2() - 32;
    // From one to less than two, with 62 bits behind the point.
    let mut rest = (ratio << 30) >> whole;
    let mut fraction = 0;
    for bit in (0..16).rev() {
        rest = (rest * rest) >> 62;
        if rest >= 2 << 62 {
            rest >>= 1;
            fraction |= 1 << bit;
        }
    }
    whole << 16 | fraction
}

#[cfg(test)]
mod tests {
    use super::log2;

    #[test]
    fn logarithms_are_right() {
        for numerator in 1..2000_u64 {
            for denominator in [1, 3, 10, 170, 999] {
                let exact = (numerator.max(denominator) as f64 / denominator as f64).log2() * 65_536.0;
                let found = f64::from(log2(numerator, denominator));
                assert!((found - exact).abs() <= 1.01, "{numerator}/{denominator}: {found} {exact}");
            }
        }
    }
}
