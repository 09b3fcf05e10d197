//! Logistic regression of results on linear evaluations, known to chess programmers as Texel's tuning method.
//!
//! A row says how often each weight counts in a position, and how its game ended. The value of a row is linear in
//! the weights, and the logistic function of that value, times a slope, is the result to expect. The slope is
//! fitted first, with the weights given; then the weights, by gradient descent on all rows at once (Adam: Kingma
//! and Ba 2015). What expects the results best has the smallest loss: the mean cross entropy, which is convex in
//! the weights, so that there is one best answer. A gentle pull towards the start keeps weights sane that hardly
//! any row counts.
//!
//! Sums run in the order of the rows: the same rows give the same weights, bit for bit.

/// A weight for the middle and one for the end of a game.
pub type Pair = [f64; 2];

/// What is known of one position.
#[derive(Clone, PartialEq, Debug)]
pub struct Row<'a> {
    /// The weights that count, and how often.
    pub counts: &'a [(u16, i16)],
    /// What the two weights of a pair are multiplied with.
    pub shares: Pair,
    /// The result of the game: 0, ½ or 1.
    pub result: f64,
}

/// Many rows, close together in memory: fitting goes through them hundreds of times.
#[derive(Clone, Debug, Default)]
pub struct Rows {
    counts: Vec<(u16, i16)>,
    /// For each row: where its counts end, its shares and its result.
    rows: Vec<(usize, Pair, f64)>,
}

impl Rows {
    /// Adds a row.
    pub fn push(&mut self, row: &Row<'_>) {
        self.counts.extend_from_slice(row.counts);
        self.rows.push((self.counts.len(), row.shares, row.result));
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.rows.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    fn iter(&self) -> impl Iterator<Item = Row<'_>> {
        let mut start = 0;
        self.rows.iter().map(move |&(end, shares, result)| {
            let counts = &self.counts[start..end];
            start = end;
            Row { counts, shares, result }
        })
    }
}

impl Row<'_> {
    fn value(&self, weights: &[Pair]) -> f64 {
        let mut sums = [0.0; 2];
        for &(weight, count) in self.counts {
            let pair = weights[usize::from(weight)];
            sums[0] += pair[0] * f64::from(count);
            sums[1] += pair[1] * f64::from(count);
        }
        sums[0] * self.shares[0] + sums[1] * self.shares[1]
    }
}

/// The result to expect of a value, from 0 to 1.
pub fn expected(value: f64, slope: f64) -> f64 {
    1.0 / (1.0 + (-value * slope).exp())
}

/// How badly the weights expect the results: the mean cross entropy, in nats.
pub fn loss(rows: &Rows, weights: &[Pair], slope: f64) -> f64 {
    mean_surprise(rows.iter().map(|row| (row.value(weights), row.result)), slope)
}

/// The slope with which these weights expect the results best.
pub fn fit_slope(rows: &Rows, weights: &[Pair]) -> f64 {
    // The loss is convex in the slope, so the golden section closes in on its minimum.
    const GOLDEN: f64 = 0.618_033_988_749_895;
    let values: Vec<_> = rows.iter().map(|row| (row.value(weights), row.result)).collect();
    let loss = |slope: f64| mean_surprise(values.iter().copied(), slope);
    let (mut low, mut high) = (0.0, 0.05);
    for _ in 0..40 {
        let width = GOLDEN * (high - low);
        if loss(high - width) < loss(low + width) { high = low + width } else { low = high - width }
    }
    0.5 * (low + high)
}

fn mean_surprise(values: impl Iterator<Item = (f64, f64)>, slope: f64) -> f64 {
    let (mut sum, mut count) = (0.0, 0.0);
    for (value, result) in values {
        let exponent = value * slope;
        // ln(1 + e^-x) + (1 - r) x, without overflow for large |x|.
        sum += (-exponent.abs()).exp().ln_1p() + exponent.max(0.0) - result * exponent;
        count += 1.0;
    }
    if count == 0.0 { 0.0 } else { sum / count }
}

/// How to fit.
#[derive(Copy, Clone, PartialEq, Debug)]
pub struct FitPlan {
    /// How many steps.
    pub steps: u32,
    /// How far a weight moves in the first step; steps become shorter and end at nothing.
    pub rate: f64,
    /// How strongly a weight is pulled back to its start: so much of a row's loss for each unit squared.
    pub pull: f64,
}

/// Weights on their way. It is told nothing but to go on, so that the caller can show progress and stop.
#[derive(Debug)]
pub struct Fitting<'a> {
    rows: &'a Rows,
    start: Vec<Pair>,
    weights: Vec<Pair>,
    slope: f64,
    plan: FitPlan,
    step: u32,
    /// Adam's running means of the gradient and of its square.
    mean: Vec<Pair>,
    square: Vec<Pair>,
}

impl<'a> Fitting<'a> {
    /// Begins at these weights.
    pub fn new(rows: &'a Rows, start: Vec<Pair>, slope: f64, plan: FitPlan) -> Fitting<'a> {
        let zeros = vec![[0.0; 2]; start.len()];
        Fitting { rows, weights: start.clone(), start, slope, plan, step: 0, mean: zeros.clone(), square: zeros }
    }

    /// The weights so far.
    pub fn weights(&self) -> &[Pair] {
        &self.weights
    }

    /// How many steps were made.
    pub fn steps_done(&self) -> u32 {
        self.step
    }

    /// Goes one step; false if the plan has no more.
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

    /// Where the loss grows, by weight.
    fn gradient(&self) -> Vec<Pair> {
        let mut gradient = vec![[0.0; 2]; self.weights.len()];
        for row in self.rows.iter() {
            let error = expected(row.value(&self.weights), self.slope) - row.result;
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
