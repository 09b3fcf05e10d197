//! Matrix adaptation evolution strategy (Beyer and Sendhoff, 2017): CMA-ES, the strongest general method without
//! derivatives, in a form that needs no decomposition of matrices.
//!
//! A generation of candidates is drawn around a centre; the better half pulls the centre, the length of steps and the
//! matrix that shapes them. Only the order of scores counts, so neither their scale nor a few wild ones matter.
//!
//! It is written here and not taken from a crate because every crate that was weighed draws its own chances (rand's
//! distributions, which may change between versions: a stored run could not be gone on with after an update), and
//! because none knows weights that move in coarse steps. What differs from the publication:
//!
//! - Everything happens in a unit cube; what is drawn outside is moved to the wall, and so is the centre.
//! - A weight that an engine takes in coarse steps is spread over at least half a step, or it would freeze.
//! - The better half weighs linearly, exp is a repeated square, and a normal number is a sum of twelve even ones: within
//!   a few per cent of the textbook's, and the same on every machine.
//! - If all of a generation are alike, steps grow: it stands on a plateau.

use plysmith_core::parameter::Weights;
use plysmith_core::random::Random;

use super::score::{Score, best_of};
use super::space::Space;
use super::{Optimiser, Step};

/// The state of a run between two generations.
#[derive(Clone, Debug)]
pub struct MatrixAdaptation {
    space: Space,
    random: Random,
    constants: Constants,
    /// The centre, in the unit cube.
    centre: Vec<f64>,
    /// The length of steps, as a share of every range.
    sigma: f64,
    /// What turns even directions into promising ones.
    matrix: Vec<Vec<f64>>,
    /// Where the centre has been heading.
    path: Vec<f64>,
    generation: Vec<Candidate>,
    /// In the first generation also the start, in front.
    batch: Vec<Weights>,
}

#[derive(Clone, Debug)]
struct Candidate {
    /// What was drawn.
    direction: Vec<f64>,
    /// Where that leads in the cube.
    place: Vec<f64>,
}

/// The strategy's parameters, all of which follow from the number of weights.
#[derive(Clone, Debug)]
struct Constants {
    offspring: usize,
    /// How much each of the better half counts, the best first; together 1.
    pulls: Vec<f64>,
    /// The number of parents that these pulls are worth.
    parents: f64,
    path_rate: f64,
    one_rate: f64,
    many_rate: f64,
    damping: f64,
    /// The length that a random direction has on average.
    usual_length: f64,
}

/// The first steps, as a share of every range.
const FIRST_SIGMA: f64 = 0.2;
/// Longer steps would only hit the walls.
const MOST_SIGMA: f64 = 0.5;
/// How much of its step a coarse weight is spread over at least.
const LEAST_SPREAD: f64 = 0.5;

impl MatrixAdaptation {
    /// A run at its start.
    pub fn new(space: Space, seed: u64) -> MatrixAdaptation {
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
        adaptation.draw();
        adaptation.batch.insert(0, adaptation.space.start());
        adaptation
    }

    /// Draws the next generation.
    fn draw(&mut self) {
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

    /// By how much a weight must be spread further, so that candidates differ in it.
    fn stretch(&self, row: usize) -> f64 {
        let parameter = &self.space.parameters()[row];
        let step = parameter.step as f64 / (parameter.top() - parameter.least) as f64;
        let spread = self.sigma * dot(&self.matrix[row], &self.matrix[row]).sqrt();
        // A thousandth is fine enough for anybody; then nothing is stretched and the run can converge.
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

    /// The better half of a generation pulls everything towards it; `order` is the places of all, the best first.
    fn adapt(&mut self, order: &[usize]) {
        let (size, constants) = (self.space.size(), &self.constants);
        let chosen: Vec<(f64, &Candidate)> =
            constants.pulls.iter().zip(order).map(|(&pull, &place)| (pull, &self.generation[place])).collect();
        let pulled = |part: fn(&Candidate) -> &Vec<f64>, row: usize| -> f64 {
            chosen.iter().map(|(pull, candidate)| pull * part(candidate)[row]).sum()
        };
        // The places lie in the cube, and so does their mean.
        let centre = (0..size).map(|row| pulled(|candidate| &candidate.place, row)).collect();
        let fresh = (constants.parents * constants.path_rate * (2.0 - constants.path_rate)).sqrt();
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
        let growth = constants.path_rate / constants.damping * (length / constants.usual_length - 1.0);
        self.sigma = (self.sigma * exp(growth.clamp(-1.0, 1.0))).min(MOST_SIGMA);
        (self.centre, self.matrix) = (centre, matrix);
    }
}

impl Optimiser for MatrixAdaptation {
    fn ask(&self) -> &[Weights] {
        &self.batch
    }

    fn tell(&mut self, scores: &[Score]) -> Step {
        assert_eq!(scores.len(), self.batch.len(), "one score for each of the batch");
        // In the first generation the start was measured too; it has no direction to learn from.
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
        self.draw();
        let converged = self.batch.iter().all(|weights| *weights == self.batch[0]);
        Step { chosen, converged }
    }
}

impl Constants {
    fn of(size: usize) -> Constants {
        let offspring = 4 + 2 * size.ilog2() as usize;
        let half = offspring / 2;
        let sum = (half * (half + 1) / 2) as f64;
        let pulls: Vec<f64> = (1..=half).rev().map(|rank| rank as f64 / sum).collect();
        let parents = 1.0 / dot(&pulls, &pulls);
        let size = size as f64;
        let path_rate = (parents + 2.0) / (size + parents + 5.0);
        let one_rate = 2.0 / ((size + 1.3) * (size + 1.3) + parents);
        let many_rate = 2.0 * (parents - 2.0 + 1.0 / parents) / ((size + 2.0) * (size + 2.0) + parents);
        Constants {
            offspring,
            parents,
            path_rate,
            one_rate,
            many_rate: many_rate.max(0.0).min(1.0 - one_rate),
            damping: 1.0 + path_rate + 2.0 * (((parents - 1.0) / (size + 1.0)).sqrt() - 1.0).max(0.0),
            usual_length: size.sqrt() * (1.0 - 1.0 / (4.0 * size) + 1.0 / (21.0 * size * size)),
            pulls,
        }
    }

    /// One entry of what the matrix is multiplied with.
    fn change(&self, path: &[f64], chosen: &[(f64, &Candidate)], (row, column): (usize, usize)) -> f64 {
        let unit = if row == column { 1.0 } else { 0.0 };
        let one = path[row] * path[column] - unit;
        let many: f64 =
            chosen.iter().map(|(pull, candidate)| pull * candidate.direction[row] * candidate.direction[column]).sum();
        unit + self.one_rate / 2.0 * one + self.many_rate / 2.0 * (many - unit)
    }
}

/// About a normal number: the sum of twelve even ones has mean 6 and variance 1.
fn normal(random: &mut Random) -> f64 {
    let sum: usize = (0..12).map(|_| random.below(1 << 16)).sum();
    (sum as f64 + 6.0) / f64::from(1 << 16) - 6.0
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

/// The exponential of a small number.
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
