//! The optimisers by name, and their common settings.

use std::fmt;
use std::str::FromStr;

use thiserror::Error;

use super::gradient::{Gradient, GradientSettings, GradientUpdate, RateSchedule};
use super::matrix_adaptation::MatrixAdaptation;
use super::optimiser::Optimiser;
use super::space::ParameterSpace;
use super::spsa::{Spsa, SpsaSettings};

/// The available optimisers.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Hash)]
pub enum OptimiserKind {
    /// Coordinate gradient descent, divided by delta.
    Gradient,
    /// Coordinate gradient descent with the update as printed in the paper.
    PrintedGradient,
    /// Simultaneous perturbation stochastic approximation.
    Spsa,
    /// Matrix adaptation evolution strategy.
    MatrixAdaptation,
}

/// Settings of an optimiser. Each optimiser ignores those that it does not use.
#[derive(Copy, Clone, PartialEq, Debug)]
pub struct OptimiserSettings {
    /// How far weights are moved to measure their effect, in thousandths.
    pub delta: i64,
    /// The learning rate.
    pub mu: f64,
    /// The schedule of the learning rate.
    pub rate: RateSchedule,
    /// The largest number of iterations.
    pub iterations: u32,
    /// The random seed.
    pub seed: u64,
}

/// A name that is not an optimiser.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("'{name}' is not an optimiser; expected one of {known}", known = known())]
pub struct UnknownOptimiser {
    /// The text that was read.
    pub name: String,
}

impl OptimiserKind {
    /// All optimisers.
    pub const ALL: [OptimiserKind; 4] =
        [OptimiserKind::Gradient, OptimiserKind::PrintedGradient, OptimiserKind::Spsa, OptimiserKind::MatrixAdaptation];

    /// The name used on the command line, in stores and in reports.
    pub const fn name(self) -> &'static str {
        match self {
            OptimiserKind::Gradient => "gradient",
            OptimiserKind::PrintedGradient => "printed-gradient",
            OptimiserKind::Spsa => "spsa",
            OptimiserKind::MatrixAdaptation => "matrix-adaptation",
        }
    }

    /// The default learning rate.
    pub const fn default_mu(self) -> f64 {
        match self {
            // The slope of one weight contains noise from the moves of all others, so steps are shorter.
            OptimiserKind::Spsa => 0.5,
            _ => 1.0,
        }
    }

    /// Creates the optimiser.
    pub fn build(self, space: ParameterSpace, setup: &OptimiserSettings) -> Box<dyn Optimiser> {
        let OptimiserSettings { delta, mu, rate, iterations, seed } = *setup;
        let descent = |update| GradientSettings { delta, mu, rate, update };
        match self {
            OptimiserKind::Gradient => Box::new(Gradient::new(space, descent(GradientUpdate::Divided))),
            OptimiserKind::PrintedGradient => Box::new(Gradient::new(space, descent(GradientUpdate::Printed))),
            OptimiserKind::Spsa => Box::new(Spsa::new(space, SpsaSettings { delta, mu, iterations, seed })),
            OptimiserKind::MatrixAdaptation => Box::new(MatrixAdaptation::new(space, seed)),
        }
    }
}

fn known() -> String {
    OptimiserKind::ALL.map(OptimiserKind::name).join(", ")
}

impl fmt::Display for OptimiserKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for OptimiserKind {
    type Err = UnknownOptimiser;

    fn from_str(text: &str) -> Result<OptimiserKind, UnknownOptimiser> {
        let found = OptimiserKind::ALL.into_iter().find(|method| method.name() == text);
        found.ok_or_else(|| UnknownOptimiser { name: text.to_string() })
    }
}
