//! Fits of evaluations with very many weights, each of which counts or does not: patterns in windows of the board.
//!
//! Weights begin at zero. Each epoch visits all rows once in a random order and moves the weights of each row against
//! its gradient (AdaGrad: Duchi, Hazan and Singer 2011): a weight that occurred often moves little, a rare one moves
//! far. The learning rate decreases linearly to zero, so the last rows do not count more than the others.
//!
//! Features that occur rarely get no weight, as in GLEM (Buro 1999): they would only learn single games by heart.

use plysmith_core::random::Random;

use super::logistic::{cross_entropy, logistic};

/// The positions of a fit. They are asked for again in every epoch, so that features need not be kept in memory.
pub trait SparseRows {
    /// The number of rows.
    fn len(&self) -> usize;

    /// Appends the features of a row, with repetitions if one counts several times, and returns the label: the expected
    /// result for the side to move, from 0 to 1.
    fn row(&self, index: usize, features: &mut Vec<u32>) -> f32;

    /// Whether there are no rows.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

/// Settings of a fit.
#[derive(Copy, Clone, PartialEq, Debug)]
pub struct SparsePlan {
    /// How often every row is visited.
    pub epochs: u32,
    /// A feature that occurs less often has weight 0.
    pub min_count: u32,
    /// The learning rate: how far a weight moves, in logits, when it first occurs.
    pub rate: f32,
    /// The penalty on the square of a weight, in units of one row's loss.
    pub penalty: f32,
    /// The random order of rows follows from it.
    pub seed: u64,
}

/// A fit in progress. The caller advances it part by part, so it can show progress and stop.
#[derive(Debug)]
pub struct SparseFitting<'a, R> {
    rows: &'a R,
    plan: SparsePlan,
    cells: Vec<Cell>,
    /// The rows of this epoch in random order.
    order: Vec<u32>,
    /// Rows visited in all epochs.
    visited: u64,
    /// The features of the row at hand.
    features: Vec<u32>,
}

/// One feature.
#[derive(Copy, Clone, Default, Debug)]
struct Cell {
    weight: f32,
    /// The sum of the squares of all gradients so far.
    squares: f32,
    /// The share of the penalty's gradient that each occurrence applies, for a weight of 1.
    pull: f32,
    is_active: bool,
}

/// How many rows [`SparseFitting::advance`] visits: about a tenth of a second.
const ROWS_AT_ONCE: usize = 1 << 16;

/// What the sum of squares begins with: makes the first steps smaller, while nothing is known of other weights yet.
const INITIAL_SQUARES: f32 = 1.0;

impl<'a, R: SparseRows> SparseFitting<'a, R> {
    /// Starts a fit of weights for features 0 to `features`, which is not one of them. Visits all rows once to count.
    ///
    /// # Panics
    ///
    /// If a row has a feature that is not below `features`.
    pub fn new(rows: &'a R, features: usize, plan: SparsePlan) -> SparseFitting<'a, R> {
        let mut counts = vec![0_u32; features];
        let mut buffer = Vec::new();
        for index in 0..rows.len() {
            buffer.clear();
            rows.row(index, &mut buffer);
            for &feature in &buffer {
                counts[feature as usize] += 1;
            }
        }
        let cell = |&count: &u32| Cell {
            weight: 0.0,
            squares: INITIAL_SQUARES,
            pull: 2.0 * plan.penalty / count.max(1) as f32,
            is_active: count > 0 && count >= plan.min_count,
        };
        let cells = counts.iter().map(cell).collect();
        SparseFitting { rows, plan, cells, order: Vec::new(), visited: 0, features: buffer }
    }

    /// The number of features that occur often enough.
    pub fn active(&self) -> usize {
        self.cells.iter().filter(|cell| cell.is_active).count()
    }

    /// The weight of each feature so far, in logits.
    pub fn weights(&self) -> Vec<f32> {
        self.cells.iter().map(|cell| cell.weight).collect()
    }

    /// The number of epochs that are complete.
    pub fn epochs_done(&self) -> u32 {
        (self.visited / self.rows.len().max(1) as u64) as u32
    }

    /// The part of the work that is done, from 0 to 1.
    pub fn progress(&self) -> f64 {
        if self.total() == 0 { 1.0 } else { self.visited as f64 / self.total() as f64 }
    }

    /// Visits some rows, never of two epochs; returns `false` when all epochs are done.
    pub fn advance(&mut self) -> bool {
        if self.visited >= self.total() {
            return false;
        }
        let start = (self.visited % self.rows.len() as u64) as usize;
        if start == 0 {
            self.order = random_order(self.rows.len(), self.plan.seed, self.epochs_done());
        }
        let end = (start + ROWS_AT_ONCE).min(self.rows.len());
        for place in start..end {
            let left = (self.total() - self.visited) as f32 / self.total() as f32;
            self.visit(self.order[place] as usize, self.plan.rate * left);
            self.visited += 1;
        }
        true
    }

    fn total(&self) -> u64 {
        u64::from(self.plan.epochs) * self.rows.len() as u64
    }

    /// Moves the weights of a row.
    fn visit(&mut self, index: usize, rate: f32) {
        self.features.clear();
        let label = self.rows.row(index, &mut self.features);
        let logit: f32 = self.features.iter().map(|&feature| self.cells[feature as usize].weight).sum();
        let error = logistic(f64::from(logit)) as f32 - label;
        for &feature in &self.features {
            let cell = &mut self.cells[feature as usize];
            if cell.is_active {
                let gradient = error + cell.pull * cell.weight;
                cell.squares += gradient * gradient;
                cell.weight -= rate * gradient / cell.squares.sqrt();
            }
        }
    }
}

/// The loss of weights on rows, usually on some that were not fitted to: the mean cross entropy in nats.
pub fn sparse_loss(rows: &impl SparseRows, weights: &[f32]) -> f64 {
    let mut features = Vec::new();
    let mut sum = 0.0;
    for index in 0..rows.len() {
        features.clear();
        let label = rows.row(index, &mut features);
        let logit: f64 = features.iter().map(|&feature| f64::from(weights[feature as usize])).sum();
        sum += cross_entropy(logit, f64::from(label));
    }
    if rows.is_empty() { 0.0 } else { sum / rows.len() as f64 }
}

/// The numbers below `count` in an order that follows from seed and epoch.
fn random_order(count: usize, seed: u64, epoch: u32) -> Vec<u32> {
    let mut random = Random::for_purpose(seed, &format!("order of rows {epoch}"));
    let mut order: Vec<u32> = (0..count as u32).collect();
    // `Random::shuffle` is for short lists.
    for place in 0..count {
        let choices = (count - place) as u128;
        let other = place + ((u128::from(random.next_seed()) * choices) >> 64) as usize;
        order.swap(place, other);
    }
    order
}
