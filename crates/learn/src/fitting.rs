//! Logistic regression of game results on a linear evaluation, known as Texel's tuning method.
//!
//! A row holds how often each weight counts in a position, and the result of its game. The evaluation of a row is
//! linear in the weights; the logistic function of the evaluation times a slope is the expected result. The slope is
//! fitted first, with the given weights; then the weights, by full-batch gradient descent (Adam: Kingma and Ba 2015).
//! The loss is the mean cross entropy. It is convex in the weights, so there is one minimum. A quadratic penalty on the
//! distance to the start keeps weights near it that hardly any row counts.
//!
//! Sums run in row order: equal rows give equal weights, bit for bit.

/// A tapered weight: its middlegame and its endgame value.
pub type Tapered = [f64; 2];

/// One position: its weight counts and the result of its game.
#[derive(Clone, PartialEq, Debug)]
pub struct FitRow<'a> {
    /// Weight indices and how often each counts.
    pub counts: &'a [(u16, i16)],
    /// The factors of the middlegame and the endgame value.
    pub shares: Tapered,
    /// The result of the game: 0, ½ or 1.
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
        let mut start = 0;
        self.rows.iter().map(move |&(end, shares, result)| {
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

/// The expected result of an evaluation, from 0 to 1.
pub fn expected_result(value: f64, slope: f64) -> f64 {
    1.0 / (1.0 + (-value * slope).exp())
}

/// The loss of the weights: the mean cross entropy in nats.
pub fn loss(rows: &FitData, weights: &[Tapered], slope: f64) -> f64 {
    mean_cross_entropy(rows.iter().map(|row| (row.value(weights), row.result)), slope)
}

/// The slope with the smallest loss for these weights.
pub fn fit_slope(rows: &FitData, weights: &[Tapered]) -> f64 {
    // The loss is convex in the slope, so golden-section search converges to its minimum.
    const GOLDEN: f64 = 0.618_033_988_749_895;
    let values: Vec<_> = rows.iter().map(|row| (row.value(weights), row.result)).collect();
    let loss = |slope: f64| mean_cross_entropy(values.iter().copied(), slope);
    let (mut low, mut high) = (0.0, 0.05);
    for _ in 0..40 {
        let width = GOLDEN * (high - low);
        if loss(high - width) < loss(low + width) { high = low + width } else { low = high - width }
    }
    0.5 * (low + high)
}

fn mean_cross_entropy(values: impl Iterator<Item = (f64, f64)>, slope: f64) -> f64 {
    let (mut sum, mut count) = (0.0, 0.0);
    for (value, result) in values {
        let exponent = value * slope;
        // ln(1 + e^-x) + (1 - r) x, without overflow for large |x|.
        sum += (-exponent.abs()).exp().ln_1p() + exponent.max(0.0) - result * exponent;
        count += 1.0;
    }
    if count == 0.0 { 0.0 } else { sum / count }
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
}

impl<'a> Fitting<'a> {
    /// Starts a fit at these weights.
    pub fn new(rows: &'a FitData, start: Vec<Tapered>, slope: f64, plan: FitPlan) -> Fitting<'a> {
        let zeros = vec![[0.0; 2]; start.len()];
        Fitting { rows, weights: start.clone(), start, slope, plan, step: 0, mean: zeros.clone(), square: zeros }
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
        const KEEP_MEAN: f64 = 0.9;
        const KEEP_SQUARE: f64 = 0.999;
        const SMALL: f64 = 1e-12;
        if self.step >= self.plan.steps {
            return false;
        }
        let left = f64::from(self.plan.steps - self.step) / f64::from(self.plan.steps);
        self.step += 1;
        let gradient = self.gradient();
        let begun = |keep: f64| 1.0 - keep.powi(self.step as i32);
        let (mean_begun, square_begun) = (begun(KEEP_MEAN), begun(KEEP_SQUARE));
        for (index, pair) in gradient.iter().enumerate() {
            for (part, &slope) in pair.iter().enumerate() {
                let mean = &mut self.mean[index][part];
                *mean = KEEP_MEAN * *mean + (1.0 - KEEP_MEAN) * slope;
                let square = &mut self.square[index][part];
                *square = KEEP_SQUARE * *square + (1.0 - KEEP_SQUARE) * slope * slope;
                let direction = (*mean / mean_begun) / ((*square / square_begun).sqrt() + SMALL);
                self.weights[index][part] -= self.plan.rate * left * direction;
            }
        }
        true
    }

    /// The gradient of the loss, by weight.
    fn gradient(&self) -> Vec<Tapered> {
        let mut gradient = vec![[0.0; 2]; self.weights.len()];
        for row in self.rows.iter() {
            let error = expected_result(row.value(&self.weights), self.slope) - row.result;
            let steep = row.shares.map(|share| self.slope * error * share);
            for &(weight, count) in row.counts {
                let pair = &mut gradient[usize::from(weight)];
                pair[0] += steep[0] * f64::from(count);
                pair[1] += steep[1] * f64::from(count);
            }
        }
        let rows = self.rows.len().max(1) as f64;
        for (index, pair) in gradient.iter_mut().enumerate() {
            for (part, slope) in pair.iter_mut().enumerate() {
                let pulled = self.weights[index][part] - self.start[index][part];
                *slope = (*slope + 2.0 * self.plan.pull * pulled) / rows;
            }
        }
        gradient
    }
}
