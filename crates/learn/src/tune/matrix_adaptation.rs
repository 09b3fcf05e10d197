//! Matrix adaptation evolution strategy (Beyer and Sendhoff, 2017): a variant of CMA-ES, the strongest general
//! derivative-free method, that needs no matrix decomposition.
//!
//! A generation of candidates is sampled around a mean. The better half moves the mean and adapts the step size and the
//! transformation matrix. Only the ranking of scores is used, so neither their scale nor outliers matter.
//!
//! It is implemented here because every crate that was considered uses its own random distributions, which may change
//! between versions (a stored run could not be resumed after an update), and none supports weights with coarse steps.
//! Differences from the publication:
//!
//! - All coordinates are in the unit cube; samples outside are clamped to its boundary, and so is the mean.
//! - A weight with coarse steps is spread over at least half a step; otherwise it would stop changing.
//! - The better half has linearly decreasing recombination weights, exp is computed by repeated squaring, and a normal
//!   variate is a sum of twelve uniform ones: within a few per cent of the textbook values, and equal on every machine.
//! - If all scores of a generation are equal, the step size grows: the mean is on a plateau.

use plysmith_core::parameter::Weights;
use plysmith_core::random::Random;

use super::optimiser::{Optimiser, OptimiserStep};
use super::score::{SuiteScore, best_of};
use super::space::ParameterSpace;

/// A run between two generations.
#[derive(Clone, Debug)]
pub struct MatrixAdaptation {
    space: ParameterSpace,
    random: Random,
    constants: Constants,
    /// The mean, in the unit cube.
    centre: Vec<f64>,
    /// The step size sigma, as a share of every range.
    sigma: f64,
    /// The transformation matrix M: maps normal samples to candidates.
    matrix: Vec<Vec<f64>>,
    /// The evolution path: recent movement of the mean.
    path: Vec<f64>,
    generation: Vec<Candidate>,
    /// The candidates to measure; in the first generation the start comes first.
    batch: Vec<Weights>,
}

#[derive(Clone, Debug)]
struct Candidate {
    /// The normal sample.
    direction: Vec<f64>,
    /// The resulting point in the unit cube.
    place: Vec<f64>,
}

/// The strategy parameters, which all follow from the number of weights.
#[derive(Clone, Debug)]
struct Constants {
    offspring: usize,
    /// The recombination weights of the better half, the best first; their sum is 1.
    recombination: Vec<f64>,
    /// The variance-effective number of parents, mu_eff.
    mu_eff: f64,
    path_rate: f64,
    rank_one_rate: f64,
    rank_mu_rate: f64,
    damping: f64,
    /// The expected length of a normal sample.
    expected_length: f64,
}

/// The initial step size, as a share of every range.
const FIRST_SIGMA: f64 = 0.2;
/// The largest step size; larger steps would only hit the boundary.
const MOST_SIGMA: f64 = 0.5;
/// The smallest spread of a coarse weight, in steps.
const LEAST_SPREAD: f64 = 0.5;

impl MatrixAdaptation {
    /// Starts a run.
    pub fn new(space: ParameterSpace, seed: u64) -> MatrixAdaptation {
        let size = space.size();
        let unit = |row: usize| (0..size).map(|column| if row == column { 1.0 } else { 0.0 }).collect();
        let centre = space
            .parameters()
            .iter()
            .map(|parameter| (parameter.start - parameter.least) as f64 / (parameter.top() - parameter.least) as f64);
        let mut adaptation = MatrixAdaptation {
            random: Random::for_purpose(seed, "matrix adaptation"),
            constants: Constants::of(size),
            centre: centre.collect(),
            sigma: FIRST_SIGMA,
            matrix: (0..size).map(unit).collect(),
            path: vec![0.0; size],
            generation: Vec::new(),
            batch: Vec::new(),
            space,
        };
        adaptation.sample();
        adaptation.batch.insert(0, adaptation.space.start());
        adaptation
    }

    /// Samples the next generation.
    fn sample(&mut self) {
        let size = self.space.size();
        let stretch: Vec<f64> = (0..size).map(|row| self.stretch(row)).collect();
        self.generation.clear();
        for _ in 0..self.constants.offspring {
            let direction: Vec<f64> = (0..size).map(|_| normal(&mut self.random)).collect();
            let place = (0..size).map(|row| {
                let shift = self.sigma * stretch[row] * dot(&self.matrix[row], &direction);
                (self.centre[row] + shift).clamp(0.0, 1.0)
            });
            self.generation.push(Candidate { place: place.collect(), direction });
        }
        self.batch = self.generation.iter().map(|candidate| self.weights(&candidate.place)).collect();
    }

    /// The factor by which a weight is spread further, so that candidates differ in it.
    fn stretch(&self, row: usize) -> f64 {
        let parameter = &self.space.parameters()[row];
        let step = parameter.step as f64 / (parameter.top() - parameter.least) as f64;
        let spread = self.sigma * dot(&self.matrix[row], &self.matrix[row]).sqrt();
        // Weights with a step of a thousandth are not stretched, so that the run can converge.
        if parameter.step == 1 { 1.0 } else { (LEAST_SPREAD * step / spread.max(1e-12)).max(1.0) }
    }

    fn weights(&self, place: &[f64]) -> Weights {
        let values = self
            .space
            .parameters()
            .iter()
            .zip(place)
            .map(|(parameter, share)| parameter.least as f64 + share * (parameter.top() - parameter.least) as f64);
        self.space.snap(&values.collect::<Vec<_>>())
    }

    /// Adapts mean, matrix and step size to the better half of a generation; `order` holds all indices, the best first.
    fn adapt(&mut self, order: &[usize]) {
        let (size, constants) = (self.space.size(), &self.constants);
        let chosen: Vec<(f64, &Candidate)> =
            constants.recombination.iter().zip(order).map(|(&pull, &place)| (pull, &self.generation[place])).collect();
        let pulled = |part: fn(&Candidate) -> &Vec<f64>, row: usize| -> f64 {
            chosen.iter().map(|(pull, candidate)| pull * part(candidate)[row]).sum()
        };
        // All points lie in the unit cube, and so does their weighted mean.
        let centre = (0..size).map(|row| pulled(|candidate| &candidate.place, row)).collect();
        let fresh = (constants.mu_eff * constants.path_rate * (2.0 - constants.path_rate)).sqrt();
        for row in 0..size {
            let heading = pulled(|candidate| &candidate.direction, row);
            self.path[row] = (1.0 - constants.path_rate) * self.path[row] + fresh * heading;
        }
        let change: Vec<Vec<f64>> = (0..size)
            .map(|row| (0..size).map(|column| constants.change(&self.path, &chosen, (row, column))).collect())
            .collect();
        let times = |old: &Vec<f64>| -> Vec<f64> {
            (0..size).map(|column| (0..size).map(|inner| old[inner] * change[inner][column]).sum()).collect()
        };
        let matrix = self.matrix.iter().map(times).collect();
        let length = dot(&self.path, &self.path).sqrt();
        let growth = constants.path_rate / constants.damping * (length / constants.expected_length - 1.0);
        self.sigma = (self.sigma * exp(growth.clamp(-1.0, 1.0))).min(MOST_SIGMA);
        (self.centre, self.matrix) = (centre, matrix);
    }
}

impl Optimiser for MatrixAdaptation {
    fn ask(&self) -> &[Weights] {
        &self.batch
    }

    fn tell(&mut self, scores: &[SuiteScore]) -> OptimiserStep {
        assert_eq!(scores.len(), self.batch.len(), "expected one score per candidate");
        // In the first generation the start was measured too; it has no sample to learn from.
        let with_start = scores.len() - self.generation.len();
        let chosen = if with_start == 1 { 0 } else { best_of(scores) };
        let offspring = &scores[with_start..];
        let mut order: Vec<usize> = (0..offspring.len()).collect();
        order.sort_by_key(|&place| offspring[place].rank());
        if offspring.iter().all(|score| score.rank() == offspring[0].rank()) {
            self.sigma = (self.sigma * 1.5).min(MOST_SIGMA);
        } else {
            self.adapt(&order);
        }
        self.sample();
        let converged = self.batch.iter().all(|weights| *weights == self.batch[0]);
        OptimiserStep { chosen, converged }
    }
}

impl Constants {
    fn of(size: usize) -> Constants {
        let offspring = 4 + 2 * size.ilog2() as usize;
        let half = offspring / 2;
        let sum = (half * (half + 1) / 2) as f64;
        let recombination: Vec<f64> = (1..=half).rev().map(|rank| rank as f64 / sum).collect();
        let mu_eff = 1.0 / dot(&recombination, &recombination);
        let size = size as f64;
        let path_rate = (mu_eff + 2.0) / (size + mu_eff + 5.0);
        let rank_one_rate = 2.0 / ((size + 1.3) * (size + 1.3) + mu_eff);
        let rank_mu_rate = 2.0 * (mu_eff - 2.0 + 1.0 / mu_eff) / ((size + 2.0) * (size + 2.0) + mu_eff);
        Constants {
            offspring,
            mu_eff,
            path_rate,
            rank_one_rate,
            rank_mu_rate: rank_mu_rate.max(0.0).min(1.0 - rank_one_rate),
            damping: 1.0 + path_rate + 2.0 * (((mu_eff - 1.0) / (size + 1.0)).sqrt() - 1.0).max(0.0),
            expected_length: size.sqrt() * (1.0 - 1.0 / (4.0 * size) + 1.0 / (21.0 * size * size)),
            recombination,
        }
    }

    /// One entry of the matrix update.
    fn change(&self, path: &[f64], chosen: &[(f64, &Candidate)], (row, column): (usize, usize)) -> f64 {
        let unit = if row == column { 1.0 } else { 0.0 };
        let one = path[row] * path[column] - unit;
        let many: f64 =
            chosen.iter().map(|(pull, candidate)| pull * candidate.direction[row] * candidate.direction[column]).sum();
        unit + self.rank_one_rate / 2.0 * one + self.rank_mu_rate / 2.0 * (many - unit)
    }
}

/// An approximately normal variate: the sum of twelve uniform ones has mean 6 and variance 1.
fn normal(random: &mut Random) -> f64 {
    let sum: usize = (0..12).map(|_| random.below(1 << 16)).sum();
    (sum as f64 + 6.0) / f64::from(1 << 16) - 6.0
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

/// The exponential of a small number, equal on every machine.
fn exp(number: f64) -> f64 {
    let mut power = 1.0 + number / 256.0;
    for _ in 0..8 {
        power *= power;
    }
    power
}

#[cfg(test)]
mod tests {
    use plysmith_core::random::Random;

    use super::{exp, normal};

    #[test]
    fn chances_are_about_normal_and_exp_is_about_exp() {
        let mut random = Random::new(3);
        let draws: Vec<f64> = (0..20_000).map(|_| normal(&mut random)).collect();
        let mean = draws.iter().sum::<f64>() / 20_000.0;
        let variance = draws.iter().map(|draw| (draw - mean) * (draw - mean)).sum::<f64>() / 20_000.0;
        assert!(mean.abs() < 0.03 && (variance - 1.0).abs() < 0.03, "{mean} {variance}");
        for number in [-1.0, -0.3, 0.0, 0.2, 1.0_f64] {
            assert!((exp(number) / number.exp() - 1.0).abs() < 0.003, "{number}");
        }
    }
}
