//! 95 % credible intervals for few games.
//!
//! The usual error bars ([`super::elo`]) are normal approximations and hold from about 100 pairs on; two pairs that
//! happen to be equal have no variance at all. Below that, the shares of the outcomes get a Dirichlet prior with ½ for
//! each outcome (Jeffreys), so that the posterior is Dirichlet(count + ½). Its median and its quantiles at 2.5 % and
//! 97.5 % are always finite, lie on both sides of each other, and need not be symmetric.
//!
//! Everything is computed by quadrature, nothing is drawn:
//!
//! - The score is Σ pᵢaᵢ. With pᵢ = γᵢ/Σγ for independent gamma variables, P(score ≤ x) = P(Σ γᵢ(aᵢ−x) ≤ 0), which
//!   is one integral over the characteristic function (Gil-Pelaez 1951, Imhof 1961). Logistic Elo is a function of the
//!   score, so its quantiles are those of the score.
//! - Normalized Elo is the ratio μ/σ of one outcome's score above ½. It is at most t if μ ≤ z√q, where q = E(a−½)² and
//!   z = t/√(1+t²). The outer outcomes (0 and 1), the inner ones (¼ and ¾) and the middle one have beta-distributed
//!   shares of the whole and of each other: three integrals, and the distribution function of the fourth variable.

use std::f64::consts::{FRAC_PI_2, LN_10, PI};

use super::{outcomes::Outcomes, scale::NELO_SCALE};

/// A posterior median with its 95 % credible interval.
#[derive(Copy, Clone, PartialEq, Debug)]
pub struct Credible {
    /// The median.
    pub median: f64,
    /// The quantile at 2.5 %.
    pub low: f64,
    /// The quantile at 97.5 %.
    pub high: f64,
}

/// What counted outcomes say about the shares of all outcomes.
#[derive(Clone, PartialEq, Debug)]
pub struct Posterior {
    /// The parameters of the Dirichlet distribution, from the worst outcome to the best.
    alphas: Vec<f64>,
    games_each: f64,
}

/// The error bars of normal approximations hold from this number of games on: 100 pairs.
pub const ENOUGH_GAMES: u128 = 200;

/// The prior's weight of each outcome.
const PRIOR: f64 = 0.5;
/// The probabilities of the quantiles.
const QUANTILES: [f64; 3] = [0.025, 0.5, 0.975];
/// No probability is printed or stored as certain.
const NEARLY_ZERO: f64 = 1e-9;
/// Where quantiles are looked for: logarithms of the odds of a score, and inverse hyperbolic sines of μ/σ.
const WIDEST: f64 = 40.0;
/// To how much they are determined.
const TOLERANCE: f64 = 1e-7;

/// Whether these are too few games for a normal approximation.
pub fn is_few(outcomes: &impl Outcomes) -> bool {
    outcomes.games() < ENOUGH_GAMES
}

impl Posterior {
    /// The posterior; `None` without outcomes, which say nothing.
    pub fn of<O: Outcomes>(outcomes: &O) -> Option<Posterior> {
        let counts = outcomes.counts();
        let alphas = counts.as_ref().iter().map(|&count| count as f64 + PRIOR).collect();
        (outcomes.total() > 0).then_some(Posterior { alphas, games_each: f64::from(O::GAMES_PER_OUTCOME) })
    }

    /// The expected score, between 0 and 1.
    pub fn score(&self) -> Credible {
        self.log_odds().map(|log_odds| 1.0 / (1.0 + (-log_odds).exp()))
    }

    /// The logistic Elo difference.
    pub fn logistic_elo(&self) -> Credible {
        self.log_odds().map(|log_odds| 400.0 / LN_10 * log_odds)
    }

    /// The normalized Elo difference.
    pub fn normalized_elo(&self) -> Credible {
        let shares = Shares::new(&self.alphas);
        let ratio = Credible::at(|v| shares.probability(v.tanh()));
        ratio.map(|v| v.sinh() / self.games_each.sqrt() * NELO_SCALE)
    }

    /// The probability that the side is stronger: never 0 and never 1.
    pub fn likelihood_of_superiority(&self) -> f64 {
        (1.0 - self.score_below(0.0)).clamp(NEARLY_ZERO, 1.0 - NEARLY_ZERO)
    }

    /// The logarithm of the odds of the score.
    fn log_odds(&self) -> Credible {
        Credible::at(|log_odds| self.score_below(log_odds))
    }

    /// The probability that the logarithm of the score's odds is at most this.
    fn score_below(&self, log_odds: f64) -> f64 {
        // In steps of the logarithm of the characteristic function's argument. The integrand falls off exponentially on
        // both sides, so the trapezoidal rule is exact but for rounding.
        const STEP: f64 = 0.1;
        const NEGLIGIBLE: f64 = 1e-16;
        let (score, rest) = (1.0 / (1.0 + (-log_odds).exp()), 1.0 / (1.0 + log_odds.exp()));
        let top = (self.alphas.len() - 1) as f64;
        let terms: Vec<(f64, f64)> = (self.alphas.iter().enumerate())
            .map(|(index, &alpha)| (alpha, index as f64 / top))
            // aᵢ − x, without a difference of nearly equal numbers near 0 and 1.
            .map(|(alpha, own)| (alpha, own * rest - (1.0 - own) * score))
            .collect();
        let slope: f64 = terms.iter().map(|(alpha, value)| alpha * value.abs()).sum();
        let mut sum = 0.0;
        let mut exponent = (NEGLIGIBLE / slope).ln();
        loop {
            let argument = exponent.exp();
            let (mut angle, mut size) = (0.0, 0.0);
            for (alpha, value) in &terms {
                let product = value * argument;
                angle += alpha * product.atan();
                size += alpha / 2.0 * (product * product).ln_1p();
            }
            let height = (-size).exp();
            sum += angle.sin() * height;
            if height < NEGLIGIBLE {
                break;
            }
            exponent += STEP;
        }
        (0.5 - sum * STEP / PI).clamp(0.0, 1.0)
    }
}

impl Credible {
    /// The quantiles of a distribution function.
    fn at(distribution: impl Fn(f64) -> f64) -> Credible {
        let [low, median, high] = QUANTILES.map(|probability| root(|value| distribution(value) - probability));
        Credible { median, low, high }
    }

    fn map(self, rising: impl Fn(f64) -> f64) -> Credible {
        Credible { median: rising(self.median), low: rising(self.low), high: rising(self.high) }
    }
}

/// Where a rising function crosses zero: regula falsi with halved weights (Illinois).
fn root(function: impl Fn(f64) -> f64) -> f64 {
    // Outwards from the middle, where most crossings are.
    let mut high = 1.0;
    while high < WIDEST && function(high) < 0.0 {
        high *= 2.0;
    }
    let mut low = -1.0;
    while low > -WIDEST && function(low) > 0.0 {
        low *= 2.0;
    }
    let (mut at_low, mut at_high) = (function(low), function(high));
    while high - low > TOLERANCE {
        let falsi = low + (high - low) * at_low / (at_low - at_high);
        // Bisection wherever the function says nothing.
        let guess = if falsi > low && falsi < high { falsi } else { (low + high) / 2.0 };
        let at_guess = function(guess);
        if at_guess.abs() < 1e-12 {
            return guess;
        }
        let width = high - low;
        if at_guess < 0.0 {
            (low, at_low) = (guess, at_guess);
            at_high /= 2.0;
        } else {
            (high, at_high) = (guess, at_guess);
            at_low /= 2.0;
        }
        // Halving weights may take many steps on a flat side.
        if high - low > 0.75 * width {
            let middle = (low + high) / 2.0;
            let at_middle = function(middle);
            if at_middle < 0.0 { (low, at_low) = (middle, at_middle) } else { (high, at_high) = (middle, at_middle) }
        }
    }
    (low + high) / 2.0
}

/// Shares of outer, inner and middle outcomes, for the distribution of μ/√q.
struct Shares {
    /// Places in the space of all but one variable, each with its weight.
    nodes: Vec<Node>,
    /// The distribution of the share of the best among the outer outcomes.
    best: Cumulative,
}

struct Node {
    weight: f64,
    /// The share of the outer outcomes.
    outer: f64,
    /// What the inner outcomes add to μ.
    inner: f64,
    /// √q.
    root: f64,
}

impl Shares {
    fn new(alphas: &[f64]) -> Shares {
        const OUTER: usize = 40;
        const INNER: usize = 32;
        let (first, last) = (alphas[0], alphas[alphas.len() - 1]);
        let middle = alphas[alphas.len() / 2];
        // Single games have no inner outcomes.
        let inner = (alphas.len() == 5).then(|| (alphas[1], alphas[3]));
        let inner_alpha = inner.map_or(0.0, |(low, high)| low + high);
        let inner_nodes =
            inner.map(|(low, high)| (beta_nodes(low + high, middle, INNER), beta_nodes(high, low, INNER)));
        let mut nodes = Vec::new();
        for (outer, outer_weight) in beta_nodes(first + last, inner_alpha + middle, OUTER) {
            let Some((shares, winners)) = &inner_nodes else {
                nodes.push(Node { weight: outer_weight, outer, inner: 0.0, root: outer.sqrt() / 2.0 });
                continue;
            };
            for &(of_rest, inner_weight) in shares {
                let inner = (1.0 - outer) * of_rest;
                let root = (outer / 4.0 + inner / 16.0).sqrt();
                for &(better, better_weight) in winners {
                    let weight = outer_weight * inner_weight * better_weight;
                    nodes.push(Node { weight, outer, inner: inner * (2.0 * better - 1.0) / 4.0, root });
                }
            }
        }
        nodes.retain(|node| node.weight > 1e-11);
        let total: f64 = nodes.iter().map(|node| node.weight).sum();
        nodes.iter_mut().for_each(|node| node.weight /= total);
        Shares { nodes, best: Cumulative::new(last, first) }
    }

    /// The probability that μ ≤ z√q.
    fn probability(&self, z: f64) -> f64 {
        let threshold = |node: &Node| (z * node.root - node.inner) / node.outer + 0.5;
        self.nodes.iter().map(|node| node.weight * self.best.below(threshold(node))).sum()
    }
}

/// With x = sin²φ, the logarithm of the density of φ for a beta-distributed x, up to a constant.
fn log_density(alpha: f64, beta: f64, angle: f64) -> f64 {
    let part = |parameter: f64, value: f64| match 2.0 * parameter - 1.0 {
        0.0 => 0.0,
        exponent => exponent * value.max(f64::MIN_POSITIVE).ln(),
    };
    part(alpha, angle.sin()) + part(beta, angle.cos())
}

/// Where that density is not negligible, and the logarithm of its maximum.
fn support(alpha: f64, beta: f64) -> (f64, f64, f64) {
    const STEPS: usize = 400;
    const NEGLIGIBLE: f64 = -30.0;
    let angle = |index: usize| FRAC_PI_2 * index as f64 / STEPS as f64;
    let heights: Vec<f64> = (0..=STEPS).map(|index| log_density(alpha, beta, angle(index))).collect();
    let top = heights.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let is_high = |height: &f64| *height > top + NEGLIGIBLE;
    let first = heights.iter().position(is_high).unwrap_or(0).saturating_sub(1);
    let last = heights.iter().rposition(is_high).map_or(STEPS, |index| (index + 1).min(STEPS));
    (angle(first), angle(last), top)
}

/// Values of a beta-distributed variable with weights whose sum is 1.
fn beta_nodes(alpha: f64, beta: f64, count: usize) -> Vec<(f64, f64)> {
    let (begin, end, top) = support(alpha, beta);
    let mut nodes: Vec<(f64, f64)> = gauss_legendre(count)
        .map(|(place, weight)| {
            let angle = begin + (end - begin) * (place + 1.0) / 2.0;
            (angle.sin().powi(2), weight * (log_density(alpha, beta, angle) - top).exp())
        })
        .collect();
    let total: f64 = nodes.iter().map(|(_, weight)| weight).sum();
    nodes.iter_mut().for_each(|(_, weight)| *weight /= total);
    nodes
}

/// Places and weights of Gauss-Legendre quadrature on −1 to 1.
fn gauss_legendre(count: usize) -> impl Iterator<Item = (f64, f64)> {
    (1..=count).map(move |index| {
        let mut place = (PI * (index as f64 - 0.25) / (count as f64 + 0.5)).cos();
        let mut slope = 1.0;
        // Newton's method doubles the digits of a good guess.
        for _ in 0..6 {
            let (mut before, mut value) = (0.0, 1.0);
            for degree in 1..=count {
                let degree = degree as f64;
                (before, value) = (value, ((2.0 * degree - 1.0) * place * value - (degree - 1.0) * before) / degree);
            }
            slope = count as f64 * (place * value - before) / (place * place - 1.0);
            place -= value / slope;
        }
        (place, 2.0 / ((1.0 - place * place) * slope * slope))
    })
}

/// The distribution function of a beta-distributed variable, as a table.
struct Cumulative {
    begin: f64,
    end: f64,
    /// At equal distances in φ.
    sums: Vec<f64>,
}

impl Cumulative {
    fn new(alpha: f64, beta: f64) -> Cumulative {
        const STEPS: usize = 4000;
        let (begin, end, top) = support(alpha, beta);
        let density =
            |index: usize| (log_density(alpha, beta, begin + (end - begin) * index as f64 / STEPS as f64) - top).exp();
        let mut sums = vec![0.0];
        let mut before = density(0);
        for index in 1..=STEPS {
            let next = density(index);
            sums.push(sums[index - 1] + (before + next) / 2.0);
            before = next;
        }
        let total = sums[STEPS];
        sums.iter_mut().for_each(|sum| *sum /= total);
        Cumulative { begin, end, sums }
    }

    /// The probability of a value up to this one.
    fn below(&self, value: f64) -> f64 {
        if value <= 0.0 {
            return 0.0;
        }
        if value >= 1.0 {
            return 1.0;
        }
        let steps = self.sums.len() - 1;
        let place = (value.sqrt().asin() - self.begin) / (self.end - self.begin) * steps as f64;
        if place <= 0.0 {
            return 0.0;
        }
        let index = place as usize;
        match self.sums.get(index..index + 2) {
            Some(&[low, high]) => low + (high - low) * (place - index as f64),
            _ => 1.0,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Posterior, is_few};
    use crate::stats::outcomes::{Outcomes, Penta, Wdl};

    #[test]
    fn the_other_side_sees_the_mirror_image() {
        for counts in [[0, 0, 0, 0, 1], [3, 1, 0, 7, 2], [0, 0, 40, 0, 0], [0, 0, 0, 0, 99]] {
            let (one, other) = (Penta(counts), Penta(counts).reversed());
            let (one, other) = (Posterior::of(&one).unwrap(), Posterior::of(&other).unwrap());
            for (here, there) in
                [(one.logistic_elo(), other.logistic_elo()), (one.normalized_elo(), other.normalized_elo())]
            {
                assert!((here.median + there.median).abs() < 0.05 && (here.low + there.high).abs() < 0.05);
            }
            let sum = one.likelihood_of_superiority() + other.likelihood_of_superiority();
            assert!((sum - 1.0).abs() < 1e-9, "{sum}");
        }
    }

    #[test]
    fn few_are_fewer_than_a_hundred_pairs() {
        assert!(is_few(&Penta([0, 0, 99, 0, 0])) && !is_few(&Penta([0, 0, 100, 0, 0])));
        assert!(is_few(&Wdl { wins: 199, ..Wdl::default() }) && !is_few(&Wdl { wins: 200, ..Wdl::default() }));
        assert!(Posterior::of(&Penta::default()).is_none());
    }
}
