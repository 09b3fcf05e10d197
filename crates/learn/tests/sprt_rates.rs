//! Error rates of the SPRT, by simulation with the true difference at H0 and at H1.
//!
//! The error rate of the test is 5 %. Over [`TESTS`] simulated tests its estimate is itself uncertain: it must be below
//! 5 % plus three standard deviations of √(0.05 · 0.95 / 2000), that is 6.46 %. The ratio is checked after every
//! outcome, as in a match. Everything is seeded, so the result is deterministic. The lengths of the simulated tests are also
//! what [`Sprt::expected_games`] must foretell.

use plysmith_core::random::Random;
use plysmith_learn::stats::{
    GamesToCome, Unbiased, expected_score,
    outcomes::{Outcomes, Penta, Wdl},
    sprt::{EloModel, ErrorRates, Hypotheses, Sprt, SprtVerdict},
};

const TESTS: u32 = 2000;
/// Estimates after the end take longer.
const ESTIMATES: usize = 300;
const H0: f64 = 0.0;
const H1: f64 = 60.0;

#[test]
fn normalized_pairs_with_draws() {
    let [at_h0, at_h1] = [H0, H1].map(|nelo| tilted([4.0, 20.0, 52.0, 20.0, 4.0], nelo));
    check("normalized pairs with draws", EloModel::Normalized, [pairs(at_h0), pairs(at_h1)]);
}

#[test]
fn normalized_pairs_without_draws() {
    let [at_h0, at_h1] = [H0, H1].map(|nelo| tilted([20.0, 0.0, 60.0, 0.0, 20.0], nelo));
    check("normalized pairs without draws", EloModel::Normalized, [pairs(at_h0), pairs(at_h1)]);
}

#[test]
fn logistic_games_without_draws() {
    let games = |elo: f64| {
        move |random: &mut Random| match uniform(random) < expected_score(elo) {
            true => Wdl { wins: 1, ..Wdl::default() },
            false => Wdl { losses: 1, ..Wdl::default() },
        }
    };
    check("logistic games without draws", EloModel::Logistic, [games(H0), games(H1)]);
}

/// Simulates tests with either hypothesis true and checks the error rates.
fn check<O: Outcomes + Default>(what: &str, model: EloModel, [at_h0, at_h1]: [impl Fn(&mut Random) -> O; 2]) {
    let test = Sprt::new(model, Hypotheses { elo0: H0, elo1: H1 }, ErrorRates::default()).unwrap();
    let games_per_outcome = if what.contains("pairs") { 2.0 } else { 1.0 };
    let most = 0.05 + 3.0 * (0.05 * 0.95 / f64::from(TESTS)).sqrt();
    for (truth, wrong, rate) in [
        ("H0", SprtVerdict::AcceptH1, simulate(what, test, at_h0, SprtVerdict::AcceptH1)),
        ("H1", SprtVerdict::AcceptH0, simulate(what, test, at_h1, SprtVerdict::AcceptH0)),
    ] {
        println!("{what}, {truth} true: {wrong} in {:.2} %, {:.0} outcomes a test", 100.0 * rate.wrong, rate.length);
        assert!(rate.wrong < most, "{what}, {truth} true: {wrong} in {:.2} %", 100.0 * rate.wrong);
        let elo = if truth == "H0" { H0 } else { H1 };
        let (games, accepts_h1) = test.expected_games(elo);
        // Simulated tests end beyond a bound, so they take a little longer.
        let ratio = rate.length * games_per_outcome / games;
        assert!(
            (0.9..1.25).contains(&ratio),
            "{what}, {truth} true: {games:.0} games foretold, {ratio:.2} times as many"
        );
        assert!((accepts_h1 - if truth == "H0" { 0.05 } else { 0.95 }).abs() < 0.01, "{accepts_h1}");
        check_foretold(what, test, elo, &rate, games_per_outcome);
        assert!(rate.wrong > 0.02, "an error rate far below the promise wastes games: {:.2} %", 100.0 * rate.wrong);
    }
}

/// What is foretold with the overshoot is within a few per cent of what happens.
fn check_foretold(what: &str, test: Sprt, elo: f64, rate: &Rate, games_per_outcome: f64) {
    let games = GamesToCome { draws: 0.0, most: None, games_each: games_per_outcome as u32 };
    let foretold = test.foretell(elo, games);
    let ratio = rate.length * games_per_outcome / foretold.mean_games;
    let wrong = if elo == H0 { foretold.accepts_h1 } else { foretold.accepts_h0 };
    println!("{what}, {elo}: {ratio:.3} times the games foretold, {:.2} % wrong foretold", 100.0 * wrong);
    assert!((0.93..1.07).contains(&ratio), "{what}: {} games foretold, {ratio:.3} times as many", foretold.mean_games);
    assert!((rate.wrong - wrong).abs() < 0.015, "{what}: {wrong} foretold, {}", rate.wrong);
    for (share, quantile) in [(0.5, foretold.quantiles[0]), (0.95, foretold.quantiles[1])] {
        let games = quantile.unwrap_or(f64::INFINITY) / games_per_outcome;
        let ended = rate.lengths.iter().filter(|&&length| f64::from(length) <= games).count() as f64;
        let ended = ended / rate.lengths.len() as f64;
        assert!((ended - share).abs() < 0.04, "{what}: {ended:.3} of the tests end where {share} should");
    }
    // Estimates are too high as often as too low, and their intervals hold the truth.
    let above = rate.estimates.iter().filter(|estimate| estimate.nelo > elo).count() as f64;
    let holds = |estimate: &&Unbiased| estimate.nelo_interval[0] <= elo && elo <= estimate.nelo_interval[1];
    let held = rate.estimates.iter().filter(holds).count() as f64;
    let count = rate.estimates.len() as f64;
    println!(
        "{what}, {elo}: {:.3} of the estimates are too high, {:.3} of the intervals hold",
        above / count,
        held / count
    );
    // Three standard deviations of so many tests, and the steps of short tests.
    assert!((above / count - 0.5).abs() < 0.1, "{what}: {above} of {count} estimates are too high");
    assert!((0.92..0.995).contains(&(held / count)), "{what}: {held} of {count} intervals hold the truth");
}

/// The results of many simulated tests.
struct Rate {
    /// The number of outcomes of each test.
    lengths: Vec<u32>,
    /// What each test says in the end.
    estimates: Vec<Unbiased>,
    /// The share of wrong verdicts.
    wrong: f64,
    /// The mean number of outcomes per test.
    length: f64,
}

fn simulate<O: Outcomes + Default>(
    what: &str,
    test: Sprt,
    play: impl Fn(&mut Random) -> O,
    wrong: SprtVerdict,
) -> Rate {
    let mut random = Random::for_purpose(3, &format!("{what}, {wrong}"));
    let (mut errors, mut length) = (0u32, 0);
    let (mut lengths, mut estimates) = (Vec::new(), Vec::new());
    for _ in 0..TESTS {
        let mut outcomes = O::default();
        let verdict = loop {
            outcomes = outcomes.checked_add(play(&mut random)).unwrap();
            match test.verdict(&outcomes) {
                SprtVerdict::Continue => {}
                decided => break decided,
            }
        };
        errors += u32::from(verdict == wrong);
        length += outcomes.total();
        lengths.push(outcomes.total() as u32);
        if estimates.len() < ESTIMATES {
            estimates.extend(test.unbiased(&outcomes));
        }
    }
    Rate { lengths, estimates, wrong: f64::from(errors) / f64::from(TESTS), length: length as f64 / f64::from(TESTS) }
}

/// Pairs with these shares of outcomes.
fn pairs(shares: [f64; 5]) -> impl Fn(&mut Random) -> Penta {
    move |random| {
        let mut left = uniform(random);
        let mut counts = [0; 5];
        let index = shares.iter().position(|share| {
            left -= share;
            left < 0.0
        });
        counts[index.unwrap_or(4)] = 1;
        Penta(counts)
    }
}

/// Shares in these proportions, tilted towards wins until the normalized Elo is as given.
fn tilted(proportions: [f64; 5], nelo: f64) -> [f64; 5] {
    let tilt = |strength: f64| {
        let weights = [0, 1, 2, 3, 4].map(|index| proportions[index] * (strength * index as f64).exp());
        let sum: f64 = weights.iter().sum();
        weights.map(|weight| weight / sum)
    };
    let reached = |shares: [f64; 5]| {
        let mean: f64 = (0..5).map(|index| shares[index] * index as f64 / 4.0).sum();
        let variance: f64 = (0..5).map(|index| shares[index] * (index as f64 / 4.0 - mean).powi(2)).sum();
        (mean - 0.5) / (2.0 * variance).sqrt() * 800.0 / 10f64.ln()
    };
    let (mut low, mut high) = (-2.0, 2.0);
    for _ in 0..60 {
        let middle = (low + high) / 2.0;
        if reached(tilt(middle)) < nelo { low = middle } else { high = middle }
    }
    tilt(low)
}

/// A number from 0 to 1, in steps of 2⁻³².
fn uniform(random: &mut Random) -> f64 {
    const STEPS: usize = 1 << 16;
    (random.below(STEPS) * STEPS + random.below(STEPS)) as f64 / (STEPS * STEPS) as f64
}

#[test]
fn expected_games_are_longest_between_the_hypotheses_and_finite_everywhere() {
    let hypotheses = Hypotheses { elo0: 0.0, elo1: 10.0 };
    let test = Sprt::new(EloModel::Normalized, hypotheses, ErrorRates::default()).unwrap();
    let at = |nelo: f64| test.expected_games(nelo);
    // Wald's value without drift: the product of the bounds over the variance of a step.
    assert!((at(5.0).0 - 2.944_439f64.powi(2) / (10.0 * 10f64.ln() / 800.0).powi(2)).abs() < 1.0, "{:?}", at(5.0));
    assert!((at(5.0).1 - 0.5).abs() < 1e-9);
    for nelo in [-2000.0, -100.0, -5.0, 4.999_999, 5.000_001, 20.0, 300.0, 5000.0] {
        let (games, accepts_h1) = at(nelo);
        assert!(games > 0.0 && games <= at(5.0).0 + 1e-6 && (0.0..=1.0).contains(&accepts_h1), "{nelo}: {games}");
        let (mirrored, accepts_h0) = at(10.0 - nelo);
        assert!((games / mirrored - 1.0).abs() < 1e-4 && (accepts_h1 + accepts_h0 - 1.0).abs() < 1e-6, "{nelo}");
    }
}
