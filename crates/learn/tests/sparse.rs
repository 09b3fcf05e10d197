//! Sparse fits recover known weights, agree with plain gradient descent, and are repeatable.

use plysmith_core::random::Random;
use plysmith_learn::fitting::logistic::logistic;
use plysmith_learn::{SparseFitting, SparsePlan, SparseRows, sparse_loss};

const PLAN: SparsePlan = SparsePlan { epochs: 20, min_count: 1, rate: 0.1, penalty: 0.0, seed: 1 };

/// Rows in memory.
struct Rows(Vec<(Vec<u32>, f32)>);

impl SparseRows for Rows {
    fn len(&self) -> usize {
        self.0.len()
    }

    fn row(&self, index: usize, features: &mut Vec<u32>) -> f32 {
        let (row, label) = &self.0[index];
        features.extend(row);
        *label
    }
}

fn planted(count: usize) -> Vec<f32> {
    let mut random = Random::for_purpose(1, "planted weights");
    (0..count).map(|_| random.below(201) as f32 / 100.0 - 1.0).collect()
}

/// Rows with one feature of each of several groups of ten, labelled by chance as the known weights expect.
fn rows(seed: u64, count: usize, groups: u32, weights: &[f32]) -> Rows {
    let mut random = Random::new(seed);
    let row = |random: &mut Random| {
        let features: Vec<u32> = (0..groups).map(|group| 10 * group + random.below(10) as u32).collect();
        let logit: f32 = features.iter().map(|&feature| weights[feature as usize]).sum();
        let is_won = (random.below(65_536) as f64) < logistic(f64::from(logit)) * 65_536.0;
        (features, f32::from(u8::from(is_won)))
    };
    Rows((0..count).map(|_| row(&mut random)).collect())
}

fn fit(rows: &Rows, features: usize, plan: SparsePlan) -> Vec<f32> {
    let mut fitting = SparseFitting::new(rows, features, plan);
    while fitting.advance() {}
    assert_eq!(fitting.epochs_done(), plan.epochs);
    assert_eq!(fitting.progress(), 1.0);
    fitting.weights()
}

#[test]
fn known_weights_are_recovered_and_predict_new_rows() {
    let known = planted(50);
    let (train, unseen) = (rows(1, 100_000, 5, &known), rows(2, 20_000, 5, &known));
    let found = fit(&train, 50, SparsePlan { epochs: 10, ..PLAN });
    // A constant can move between groups, of which each row has one feature: compare differences within a group.
    for (found, known) in found.chunks(10).zip(known.chunks(10)) {
        for place in 1..10 {
            let error = (found[place] - found[0]) - (known[place] - known[0]);
            assert!(error.abs() < 0.12, "{error}");
        }
    }
    let (nothing, best) = (sparse_loss(&unseen, &[0.0; 50]), sparse_loss(&unseen, &known));
    assert!((nothing - 2_f64.ln()).abs() < 1e-12);
    assert!(sparse_loss(&unseen, &found) < best + 0.001, "{} {best}", sparse_loss(&unseen, &found));
}

#[test]
fn the_loss_falls_from_epoch_to_epoch() {
    let rows = rows(3, 5_000, 8, &planted(80));
    let mut fitting = SparseFitting::new(&rows, 80, PLAN);
    let mut losses = vec![sparse_loss(&rows, &fitting.weights())];
    while fitting.advance() {
        losses.push(sparse_loss(&rows, &fitting.weights()));
    }
    // Small parts: each call of `advance` is one epoch.
    assert_eq!(losses.len(), PLAN.epochs as usize + 1);
    assert!(losses[1] < losses[0] - 0.02 && losses[PLAN.epochs as usize] < losses[1], "{losses:?}");
    assert!(losses.windows(2).skip(1).all(|pair| pair[1] < pair[0] + 0.001), "{losses:?}");
}

/// Full-batch gradient descent with the gradient as it is defined.
fn plain_descent(rows: &Rows, features: usize, penalty: f64) -> Vec<f64> {
    let mut weights = vec![0.0; features];
    for _ in 0..20_000 {
        let mut gradient: Vec<f64> = weights.iter().map(|weight| 2.0 * penalty * weight).collect();
        for (row, label) in &rows.0 {
            let logit: f64 = row.iter().map(|&feature| weights[feature as usize]).sum();
            let error = 1.0 / (1.0 + (-logit).exp()) - f64::from(*label);
            row.iter().for_each(|&feature| gradient[feature as usize] += error);
        }
        weights.iter_mut().zip(&gradient).for_each(|(weight, slope)| *weight -= 0.02 * slope);
    }
    weights
}

#[test]
fn it_agrees_with_plain_gradient_descent() {
    let labels = [0.9, 0.2, 0.6, 0.75, 0.1, 0.5];
    let features = [vec![0, 1], vec![1, 2, 2], vec![0, 3], vec![0, 0, 1], vec![2, 3], vec![1]];
    let rows = Rows(features.into_iter().zip(labels).collect());
    for penalty in [0.05, 0.5] {
        let plan = SparsePlan { epochs: 20_000, penalty, ..PLAN };
        let (found, expected) = (fit(&rows, 4, plan), plain_descent(&rows, 4, f64::from(penalty)));
        for (found, expected) in found.iter().zip(&expected) {
            assert!((f64::from(*found) - expected).abs() < 0.002, "{found} {expected}");
        }
    }
}

#[test]
fn equal_rows_and_seeds_give_equal_weights() {
    // More rows than one call of `advance` visits.
    let rows = rows(4, 70_000, 4, &planted(40));
    let plan = SparsePlan { epochs: 2, ..PLAN };
    let bits =
        |seed: u64| -> Vec<u32> { fit(&rows, 40, SparsePlan { seed, ..plan }).into_iter().map(f32::to_bits).collect() };
    assert_eq!(bits(1), bits(1));
    assert_ne!(bits(1), bits(2));
}

#[test]
fn rare_features_have_no_weight() {
    let mut rows = rows(5, 1_000, 2, &planted(20));
    for row in &mut rows.0[..7] {
        row.0.push(20);
    }
    let active = |min_count: u32| SparseFitting::new(&rows, 22, SparsePlan { min_count, ..PLAN }).active();
    // Feature 21 never occurs.
    assert_eq!((active(0), active(1), active(7), active(8)), (21, 21, 21, 20));
    assert_ne!(fit(&rows, 22, SparsePlan { min_count: 7, ..PLAN })[20], 0.0);
    assert_eq!(fit(&rows, 22, SparsePlan { min_count: 8, ..PLAN })[20..], [0.0, 0.0]);
}

#[test]
fn no_rows_give_no_weights() {
    let none = Rows(Vec::new());
    let mut fitting = SparseFitting::new(&none, 3, PLAN);
    assert!(!fitting.advance());
    assert_eq!((fitting.weights(), fitting.active(), fitting.progress()), (vec![0.0; 3], 0, 1.0));
    assert_eq!(sparse_loss(&none, &[]), 0.0);
}
