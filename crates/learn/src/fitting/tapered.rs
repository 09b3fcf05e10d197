//! Fits of evaluations with a few hundred weights, each with a middlegame and an endgame value.
//!
//! A row holds how often each weight counts in a position, and the expected result: that of its game, or a blend with a
//! search's. The evaluation of a row is linear in the weights; the logistic function of the evaluation times a slope is
//! the expected result. The slope is fitted first, with the given weights; then the weights, by full-batch gradient
//! descent (Adam: Kingma and Ba 2015). The loss is the mean cross entropy. It is convex in the weights, so there is one
//! minimum. A quadratic penalty on the distance to the start keeps weights near it that hardly any row counts.
//!
//! The gradient is a sum over parts of the rows, whose size is fixed. Parts can be computed at the same time; they are
//! added in their order.

use std::ops::Range;

use super::logistic::{cross_entropy, expected_result, slope_of_scores};

/// A tapered weight: its middlegame and its endgame value.
pub type Tapered = [f64; 2];

/// One position: its weight counts and the expected result.
#[derive(Clone, PartialEq, Debug)]
pub struct FitRow<'a> {
    /// Weight indices and how often each counts.
    pub counts: &'a [(u16, i16)],
    /// The factors of the middlegame and the endgame value.
    pub shares: Tapered,
    /// The result for the side whose evaluation it is, from 0 to 1.
    pub result: f64,
}

/// The rows of a fit, stored contiguously because fitting passes over them hundreds of times.
#[derive(Clone, Debug, Default)]
pub struct FitData {
    counts: Vec<(u16, i16)>,
    /// For each row: the end of its counts, its shares and its result.
    rows: Vec<(usize, Tapered, f64)>,
}

impl FitData {
    /// Adds a row.
    pub fn push(&mut self, row: &FitRow<'_>) {
        self.counts.extend_from_slice(row.counts);
        self.rows.push((self.counts.len(), row.shares, row.result));
    }

    /// The number of rows.
    pub fn len(&self) -> usize {
        self.rows.len()
    }

    /// Whether there are no rows.
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    fn iter(&self) -> impl Iterator<Item = FitRow<'_>> {
        self.range(0..self.len())
    }

    fn range(&self, rows: Range<usize>) -> impl Iterator<Item = FitRow<'_>> {
        let mut start = rows.start.checked_sub(1).map_or(0, |before| self.rows[before].0);
        self.rows[rows].iter().map(move |&(end, shares, result)| {
            let counts = &self.counts[start..end];
            start = end;
            FitRow { counts, shares, result }
        })
    }
}

impl FitRow<'_> {
    fn value(&self, weights: &[Tapered]) -> f64 {
        let mut sums = [0.0; 2];
        for &(weight, count) in self.counts {
            let pair = weights[usize::from(weight)];
            sums[0] += pair[0] * f64::from(count);
            sums[1] += pair[1] * f64::from(count);
        }
        sums[0] * self.shares[0] + sums[1] * self.shares[1]
    }
}

/// The loss of the weights: the mean cross entropy in nats.
pub fn loss(rows: &FitData, weights: &[Tapered], slope: f64) -> f64 {
    let sum: f64 = rows.iter().map(|row| cross_entropy(row.value(weights) * slope, row.result)).sum();
    if rows.is_empty() { 0.0 } else { sum / rows.len() as f64 }
}

/// The slope with the smallest loss for these weights.
pub fn fit_slope(rows: &FitData, weights: &[Tapered]) -> f64 {
    let values: Vec<_> = rows.iter().map(|row| (row.value(weights), row.result)).collect();
    slope_of_scores(&values)
}

/// Settings of a fit.
#[derive(Copy, Clone, PartialEq, Debug)]
pub struct FitPlan {
    /// The number of gradient steps.
    pub steps: u32,
    /// The learning rate: how far a weight moves in the first step. It decreases linearly to zero.
    pub rate: f64,
    /// The penalty on the squared distance of a weight to its start, in units of one row's loss.
    pub pull: f64,
}

/// A fit in progress. The caller advances it step by step, so it can show progress and stop.
#[derive(Debug)]
pub struct Fitting<'a> {
    rows: &'a FitData,
    start: Vec<Tapered>,
    weights: Vec<Tapered>,
    slope: f64,
    plan: FitPlan,
    step: u32,
    /// Adam's first and second moment estimates of the gradient.
    mean: Vec<Tapered>,
    square: Vec<Tapered>,
    /// What is left in these estimates of the zeros that they began with.
    mean_zeros: f64,
    square_zeros: f64,
}

/// What one part of the rows adds to the gradient, by weight.
#[derive(Clone, PartialEq, Debug)]
pub struct GradientPart(Vec<Tapered>);

/// Rows of a part. The last bits of fitted weights depend on it.
const PART: usize = 1 << 14;

impl<'a> Fitting<'a> {
    /// Starts a fit at these weights.
    pub fn new(rows: &'a FitData, start: Vec<Tapered>, slope: f64, plan: FitPlan) -> Fitting<'a> {
        let zeros = vec![[0.0; 2]; start.len()];
        Fitting {
            rows,
            weights: start.clone(),
            start,
            slope,
            plan,
            step: 0,
            mean: zeros.clone(),
            square: zeros,
            mean_zeros: 1.0,
            square_zeros: 1.0,
        }
    }

    /// The weights so far.
    pub fn weights(&self) -> &[Tapered] {
        &self.weights
    }

    /// The number of steps made.
    pub fn steps_done(&self) -> u32 {
        self.step
    }

    /// Makes one step; returns `false` when all steps of the plan are made.
    pub fn advance(&mut self) -> bool {
        self.advance_with(|parts, compute| (0..parts).map(compute).collect())
    }

    /// Makes one step like [`Fitting::advance`], with the help of threads that the caller has. `run` is told the number of
    /// parts and how to compute one by its index; it returns all of them in their order.
    pub fn advance_with(
        &mut self,
        run: impl FnOnce(usize, &(dyn Fn(usize) -> GradientPart + Sync)) -> Vec<GradientPart>,
    ) -> bool {
        if self.step >= self.plan.steps {
            return false;
        }
        let parts = run(self.rows.len().div_ceil(PART), &|part| self.gradient_part(part));
        let gradient = self.gradient(&parts);
        self.descend(&gradient);
        true
    }

    /// Moves the weights against the gradient.
    fn descend(&mut self, gradient: &[Tapered]) {
        const KEEP_MEAN: f64 = 0.9;
        const KEEP_SQUARE: f64 = 0.999;
        const SMALL: f64 = 1e-12;
        let left = f64::from(self.plan.steps - self.step) / f64::from(self.plan.steps);
        self.step += 1;
        self.mean_zeros *= KEEP_MEAN;
        self.square_zeros *= KEEP_SQUARE;
        let (mean_begun, square_begun) = (1.0 - self.mean_zeros, 1.0 - self.square_zeros);
        for (index, pair) in gradient.iter().enumerate() {
            for (half, &slope) in pair.iter().enumerate() {
                let mean = &mut self.mean[index][half];
                *mean = KEEP_MEAN * *mean + (1.0 - KEEP_MEAN) * slope;
                let square = &mut self.square[index][half];
                *square = KEEP_SQUARE * *square + (1.0 - KEEP_SQUARE) * slope * slope;
                let direction = (*mean / mean_begun) / ((*square / square_begun).sqrt() + SMALL);
                self.weights[index][half] -= self.plan.rate * left * direction;
            }
        }
    }

    /// What the rows of a part add to the gradient of the loss.
    fn gradient_part(&self, part: usize) -> GradientPart {
        let mut gradient = vec![[0.0; 2]; self.weights.len()];
        let first = part * PART;
        for row in self.rows.range(first..self.rows.len().min(first + PART)) {
            let error = expected_result(row.value(&self.weights), self.slope) - row.result;
            let steep = row.shares.map(|share| self.slope * error * share);
            for &(weight, count) in row.counts {
                let pair = &mut gradient[usize::from(weight)];
                pair[0] += steep[0] * f64::from(count);
                pair[1] += steep[1] * f64::from(count);
            }
        }
        GradientPart(gradient)
    }

    /// The gradient of the loss and its penalty, by weight.
    fn gradient(&self, parts: &[GradientPart]) -> Vec<Tapered> {
        let rows = self.rows.len().max(1) as f64;
        let slope = |index: usize, half: usize| {
            let sum: f64 = parts.iter().map(|part| part.0[index][half]).sum();
            let pulled = self.weights[index][half] - self.start[index][half];
            (sum + 2.0 * self.plan.pull * pulled) / rows
        };
        (0..self.weights.len()).map(|index| [slope(index, 0), slope(index, 1)]).collect()
    }
}
