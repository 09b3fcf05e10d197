//! Rank correlations: do two measures put candidates into the same order?

use plysmith_core::random::Random;

use super::intervals::Interval;

/// A correlation with its 95 % bootstrap interval over the pairs.
#[derive(Copy, Clone, PartialEq, Debug)]
pub struct Correlation {
    /// From -1 to 1.
    pub value: f64,
    /// Where 95 % of resampled pairs put it.
    pub interval: Interval,
}

/// Resamples of a bootstrap.
const RESAMPLES: usize = 2_000;

/// Spearman's rank correlation: Pearson's of the ranks. Equal values share the mean of their ranks. Zero if all values of
/// a side are equal.
pub fn spearman(pairs: &[(f64, f64)]) -> f64 {
    let first = ranks(pairs.iter().map(|pair| pair.0));
    let second = ranks(pairs.iter().map(|pair| pair.1));
    let mean = (pairs.len() as f64 + 1.0) / 2.0;
    let sum = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| (a - mean) * (b - mean)).sum::<f64>();
    let spread = (sum(&first, &first) * sum(&second, &second)).sqrt();
    if spread == 0.0 { 0.0 } else { sum(&first, &second) / spread }
}

/// Kendall's tau-b: pairs of candidates in the same order less pairs in opposite order, as a share. Zero if all values of a
/// side are equal.
pub fn kendall(pairs: &[(f64, f64)]) -> f64 {
    let (mut balance, mut first_differs, mut second_differs) = (0.0, 0.0, 0.0);
    for (index, one) in pairs.iter().enumerate() {
        for other in &pairs[..index] {
            let signs = [(one.0, other.0), (one.1, other.1)].map(|(a, b)| f64::from(i8::from(a > b) - i8::from(a < b)));
            balance += signs[0] * signs[1];
            first_differs += signs[0].abs();
            second_differs += signs[1].abs();
        }
    }
    let spread = (first_differs * second_differs).sqrt();
    if spread == 0.0 { 0.0 } else { balance / spread }
}

/// A statistic of pairs with its bootstrap interval.
pub fn bootstrap(pairs: &[(f64, f64)], seed: u64, statistic: impl Fn(&[(f64, f64)]) -> f64) -> Correlation {
    let mut random = Random::for_purpose(seed, "bootstrap");
    let mut resampled: Vec<f64> = (0..RESAMPLES)
        .map(|_| statistic(&(0..pairs.len()).map(|_| pairs[random.below(pairs.len())]).collect::<Vec<_>>()))
        .collect();
    resampled.sort_by(f64::total_cmp);
    let at = |share: f64| resampled[((RESAMPLES as f64 - 1.0) * share).round() as usize];
    Correlation { value: statistic(pairs), interval: Interval { low: at(0.025), high: at(0.975) } }
}

/// The slope of a line through zero that fits best: how much `y` changes with `x`.
pub fn slope(pairs: &[(f64, f64)]) -> f64 {
    let squares: f64 = pairs.iter().map(|(x, _)| x * x).sum();
    if squares == 0.0 { 0.0 } else { pairs.iter().map(|(x, y)| x * y).sum::<f64>() / squares }
}

fn ranks(values: impl Iterator<Item = f64>) -> Vec<f64> {
    let values: Vec<f64> = values.collect();
    let rank = |value: &f64| {
        let below = values.iter().filter(|other| *other < value).count();
        let equal = values.iter().filter(|other| *other == value).count();
        below as f64 + (equal as f64 + 1.0) / 2.0
    };
    values.iter().map(rank).collect()
}

#[cfg(test)]
mod tests {
    use super::{bootstrap, kendall, slope, spearman};

    #[test]
    fn known_values() {
        let same = [(1.0, 10.0), (2.0, 20.0), (3.0, 1e9)];
        let opposite = [(1.0, 3.0), (2.0, 2.0), (3.0, 1.0)];
        assert_eq!((spearman(&same), kendall(&same)), (1.0, 1.0));
        assert_eq!((spearman(&opposite), kendall(&opposite)), (-1.0, -1.0));
        // By another program, from the definitions.
        let pairs = [(1.0, 2.0), (2.0, 1.0), (2.0, 4.0), (4.0, 3.0), (5.0, 5.0)];
        assert!((spearman(&pairs) - 0.666_885_928_855_35).abs() < 1e-9, "{}", spearman(&pairs));
        assert!((kendall(&pairs) - 0.527_046_276_694_73).abs() < 1e-9, "{}", kendall(&pairs));
        assert_eq!((spearman(&[(1.0, 1.0), (1.0, 2.0)]), kendall(&[(1.0, 1.0), (1.0, 2.0)])), (0.0, 0.0));
    }

    #[test]
    fn intervals_contain_the_value_and_depend_on_the_seed_alone() {
        let pairs: Vec<_> = (0..30).map(|n| (f64::from(n), f64::from((n * 7) % 30 + n))).collect();
        let found = bootstrap(&pairs, 1, spearman);
        assert!(found.interval.contains(found.value) && found.interval.half_width() < 0.5, "{found:?}");
        assert_eq!(found, bootstrap(&pairs, 1, spearman));
    }

    #[test]
    fn a_line_through_zero_has_its_slope() {
        assert_eq!(slope(&[(1.0, 3.0), (-2.0, -6.0)]), 3.0);
        assert_eq!(slope(&[(0.0, 3.0)]), 0.0);
    }
}
