//! Fitting recovers known weights, and equal data give equal weights.

use std::thread;

use plysmith_core::random::Random;
use plysmith_learn::fitting::{FitData, FitPlan, FitRow, Fitting, Tapered, expected_result, fit_slope, loss};

const SLOPE: f64 = 0.004;
const PLANTED: [Tapered; 5] = [[100.0, 120.0], [320.0, 280.0], [-40.0, 15.0], [0.0, -60.0], [55.0, 55.0]];

/// Rows whose results are drawn from the expectations of the known weights.
fn rows(seed: u64, count: usize) -> FitData {
    let mut random = Random::new(seed);
    let mut rows = FitData::default();
    for _ in 0..count {
        let counts: Vec<_> = (0..5).map(|weight| (weight, random.below(5) as i16 - 2)).collect();
        let middle = random.below(25) as f64 / 24.0;
        let shares = [middle, 1.0 - middle];
        let value: f64 = counts.iter().map(|&(weight, count)| value_of(weight, count, shares)).sum();
        let is_won = (random.below(65_536) as f64) < expected_result(value, SLOPE) * 65_536.0;
        rows.push(&FitRow { counts: &counts, shares, result: f64::from(u8::from(is_won)) });
    }
    rows
}

fn value_of(weight: u16, count: i16, shares: Tapered) -> f64 {
    let pair = PLANTED[usize::from(weight)];
    f64::from(count) * (pair[0] * shares[0] + pair[1] * shares[1])
}

fn fit(rows: &FitData, pull: f64) -> Vec<Tapered> {
    let plan = FitPlan { steps: 120, rate: 15.0, pull };
    let mut fitting = Fitting::new(rows, vec![[50.0, 50.0]; PLANTED.len()], SLOPE, plan);
    while fitting.advance() {}
    assert_eq!(fitting.steps_done(), 120);
    fitting.weights().to_vec()
}

#[test]
fn planted_weights_are_found_and_expect_new_rows_better() {
    let (train, unseen) = (rows(1, 20_000), rows(2, 10_000));
    let found = fit(&train, 0.0);
    for (found, planted) in found.iter().zip(PLANTED) {
        for part in 0..2 {
            assert!((found[part] - planted[part]).abs() < 20.0, "{found:?} instead of {planted:?}");
        }
    }
    let start = [[50.0; 2]; PLANTED.len()];
    assert!(loss(&unseen, &found, SLOPE) < loss(&unseen, &start, SLOPE) - 0.05);
    assert!(loss(&unseen, &found, SLOPE) < loss(&unseen, &PLANTED, SLOPE) + 0.002);
}

#[test]
fn the_slope_is_found() {
    let found = fit_slope(&rows(3, 30_000), &PLANTED);
    assert!((found / SLOPE - 1.0).abs() < 0.05, "{found}");
}

#[test]
fn the_same_rows_give_the_same_weights() {
    assert_eq!(fit(&rows(4, 2_000), 0.001), fit(&rows(4, 2_000), 0.001));
}

/// Parts can be computed in any order and at the same time; 40,000 rows are three of them.
#[test]
fn threads_change_no_bit() {
    let rows = rows(6, 40_000);
    let plan = FitPlan { steps: 5, rate: 15.0, pull: 0.001 };
    let start = || vec![[50.0, 50.0]; PLANTED.len()];
    let mut alone = Fitting::new(&rows, start(), SLOPE, plan);
    while alone.advance() {}
    let mut shared = Fitting::new(&rows, start(), SLOPE, plan);
    while shared.advance_with(|parts, compute| {
        assert_eq!(parts, 3);
        thread::scope(|scope| {
            let threads: Vec<_> = (0..parts).map(|part| scope.spawn(move || compute(part))).collect();
            threads.into_iter().map(|thread| thread.join().unwrap()).collect()
        })
    }) {}
    assert_eq!(alone.weights(), shared.weights());
}

/// What another machine must find as well.
#[test]
fn the_last_bits_are_pinned() {
    let found = fit(&rows(4, 20_000), 0.001);
    let bits = found.iter().flatten().fold(0_u64, |sum, weight| sum.rotate_left(7) ^ weight.to_bits());
    assert_eq!(format!("{bits:016x}"), "0485a3a69a9434d1");
}

#[test]
fn a_weight_that_nothing_counts_stays_and_a_rare_one_is_pulled_back() {
    let mut rare = FitData::default();
    rare.push(&FitRow { counts: &[(0, 1)], shares: [1.0, 0.0], result: 1.0 });
    let free = fit(&rare, 0.0);
    let pulled = fit(&rare, 0.001);
    assert_eq!(free[3], [50.0, 50.0]);
    assert_eq!(free[0][1], 50.0);
    assert!(free[0][0] > 200.0, "one game that was won says: the more the better ({free:?})");
    assert!(pulled[0][0] < 70.0, "but one game does not say much ({pulled:?})");
}

#[test]
fn the_loss_of_knowing_nothing_is_the_logarithm_of_two() {
    let rows = rows(5, 1_000);
    assert!((loss(&rows, &[[0.0; 2]; PLANTED.len()], SLOPE) - 2_f64.ln()).abs() < 1e-12);
    assert_eq!(loss(&FitData::default(), &PLANTED, SLOPE), 0.0);
    // Values too large for the exponential function must not overflow.
    assert!(loss(&rows, &PLANTED.map(|pair| pair.map(|weight| weight * 1e6)), 1.0).is_finite());
}
