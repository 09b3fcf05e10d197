//! Credible intervals for few games: against a slow simulation of the posterior, against repeated matches whose truth is
//! known, and at the ends.

use plysmith_core::random::Random;
use plysmith_learn::stats::credible::{Credible, Posterior};
use plysmith_learn::stats::outcomes::{Outcomes, Penta, Wdl};

/// A number between 0 and 1, neither of them.
fn uniform(random: &mut Random) -> f64 {
    ((random.next_seed() >> 12) as f64 + 0.5) / (1u64 << 52) as f64
}

/// A gamma variable with shape `count` + ½: exponential variables, and half the square of a normal one.
fn gamma(random: &mut Random, count: u64) -> f64 {
    let normal = (-2.0 * uniform(random).ln()).sqrt() * (std::f64::consts::TAU * uniform(random)).cos();
    (0..count).map(|_| -uniform(random).ln()).sum::<f64>() + normal * normal / 2.0
}

/// The score and the normalized Elo of shares of outcomes.
fn score_and_nelo(shares: &[f64], games_each: u32) -> (f64, f64) {
    let total: f64 = shares.iter().sum();
    let own = |index: usize| index as f64 / (shares.len() - 1) as f64;
    let mean = shares.iter().enumerate().map(|(index, share)| share * own(index)).sum::<f64>() / total;
    let squares = shares.iter().enumerate().map(|(index, share)| share * (own(index) - mean).powi(2));
    let deviation = (squares.sum::<f64>() / total).sqrt();
    let scale = 800.0 / std::f64::consts::LN_10;
    (mean, (mean - 0.5) / deviation / f64::from(games_each).sqrt() * scale)
}

/// The share of these sorted values up to this one.
fn share_below(sorted: &[f64], value: f64) -> f64 {
    sorted.partition_point(|other| *other <= value) as f64 / sorted.len() as f64
}

fn compare<O: Outcomes>(outcomes: &O, seed: u64) {
    const DRAWS: usize = 40_000;
    let counts = outcomes.counts().as_ref().to_vec();
    let mut random = Random::for_purpose(seed, "posterior");
    let (mut scores, mut nelos): (Vec<f64>, Vec<f64>) = (0..DRAWS)
        .map(|_| {
            let shares: Vec<f64> = counts.iter().map(|&count| gamma(&mut random, count)).collect();
            score_and_nelo(&shares, O::GAMES_PER_OUTCOME)
        })
        .unzip();
    scores.sort_by(f64::total_cmp);
    nelos.sort_by(f64::total_cmp);
    let posterior = Posterior::of(outcomes).unwrap();
    let elo = posterior.logistic_elo();
    let as_score = |elo: f64| 1.0 / (1.0 + 10f64.powf(-elo / 400.0));
    for (found, draws) in [
        (posterior.score(), &scores),
        (Credible { median: as_score(elo.median), low: as_score(elo.low), high: as_score(elo.high) }, &scores),
        (posterior.normalized_elo(), &nelos),
    ] {
        // Five standard errors of the simulation at the median; more at the quantiles.
        for (value, expected, tolerance) in
            [(found.low, 0.025, 0.005), (found.median, 0.5, 0.0125), (found.high, 0.975, 0.005)]
        {
            let share = share_below(draws, value);
            assert!((share - expected).abs() < tolerance, "{counts:?}: {found:?} has {share} below {value}");
        }
    }
    let los = 1.0 - share_below(&scores, 0.5);
    assert!((posterior.likelihood_of_superiority() - los).abs() < 0.0125, "{counts:?}: {los}");
}

#[test]
fn quantiles_are_those_of_a_long_simulation() {
    for (seed, counts) in [
        [0, 0, 0, 0, 1],
        [0, 0, 1, 0, 0],
        [0, 0, 0, 0, 2],
        [1, 0, 0, 0, 1],
        [0, 1, 2, 3, 0],
        [0, 0, 10, 0, 0],
        [10, 0, 0, 0, 0],
        [2, 3, 30, 1, 4],
        [0, 0, 0, 0, 99],
        [19, 20, 20, 20, 20],
        [40, 0, 20, 0, 39],
    ]
    .into_iter()
    .enumerate()
    {
        compare(&Penta(counts), seed as u64);
    }
    for (seed, (wins, draws, losses)) in [(1, 0, 0), (0, 3, 0), (7, 20, 5), (0, 0, 199)].into_iter().enumerate() {
        compare(&Wdl { wins, draws, losses }, seed as u64);
    }
}

/// How often the intervals of simulated matches hold the true value.
fn coverage(truth: &[f64; 5], pairs: usize, matches: usize, value: f64, of: fn(&Posterior) -> Credible) -> f64 {
    let mut random = Random::for_purpose(7, &format!("{truth:?} {pairs}"));
    // Few pairs have few results; each is computed once.
    let mut known = std::collections::HashMap::new();
    let mut covered = 0;
    for _ in 0..matches {
        let mut counts = [0; 5];
        for _ in 0..pairs {
            let mut left = uniform(&mut random);
            let drawn = truth.iter().position(|share| {
                left -= share;
                left < 0.0
            });
            counts[drawn.unwrap_or(4)] += 1;
        }
        let holds = || {
            let interval = of(&Posterior::of(&Penta(counts)).unwrap());
            (interval.low..=interval.high).contains(&value)
        };
        covered += usize::from(*known.entry(counts).or_insert_with(holds));
    }
    covered as f64 / matches as f64
}

#[test]
fn intervals_hold_the_truth_as_often_as_they_say() {
    for (truth, pairs) in [
        ([0.2, 0.2, 0.2, 0.2, 0.2], 2),
        ([0.05, 0.2, 0.5, 0.2, 0.05], 5),
        ([0.25, 0.0, 0.5, 0.0, 0.25], 10),
        ([0.02, 0.1, 0.4, 0.3, 0.18], 30),
    ] {
        let (score, nelo) = score_and_nelo(&truth, 2);
        let share = coverage(&truth, pairs, 300, score, Posterior::score);
        assert!((0.92..=1.0).contains(&share), "{truth:?}, {pairs} pairs: {share}");
        if pairs <= 2 {
            let share = coverage(&truth, pairs, 300, nelo, Posterior::normalized_elo);
            assert!((0.92..=1.0).contains(&share), "{truth:?}, {pairs} pairs: nElo {share}");
        }
    }
}

#[test]
fn few_games_are_never_certain_and_always_bounded() {
    for counts in
        [[0, 0, 0, 0, 1], [0, 0, 0, 0, 2], [0, 0, 0, 0, 99], [0, 0, 1, 0, 0], [0, 0, 99, 0, 0], [1, 0, 0, 0, 0]]
    {
        let posterior = Posterior::of(&Penta(counts)).unwrap();
        for interval in [posterior.score(), posterior.logistic_elo(), posterior.normalized_elo()] {
            let Credible { median, low, high } = interval;
            assert!(low < median && median < high && [low, median, high].iter().all(|value| value.is_finite()));
        }
        let los = posterior.likelihood_of_superiority();
        assert!(los > 0.0 && los < 1.0, "{counts:?}: {los}");
    }
    let one = Posterior::of(&Penta([0, 0, 0, 0, 1])).unwrap();
    assert!(one.score().low < 0.35, "one pair won says little: {:?}", one.score());
    let drawn = Posterior::of(&Penta([0, 0, 1, 0, 0])).unwrap();
    assert!((drawn.likelihood_of_superiority() - 0.5).abs() < 1e-9);
}
