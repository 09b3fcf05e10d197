//! The optimisers by name, and how each is set up.

use std::fmt;
use std::str::FromStr;

use thiserror::Error;

use super::Optimiser;
use super::adaptation::MatrixAdaptation;
use super::gradient::{self, Gradient, Rate, Update};
use super::space::Space;
use super::spsa::{self, Spsa};

/// An optimiser.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Hash)]
pub enum Method {
    /// The paper's coordinate gradient, divided by delta.
    Gradient,
    /// The same with the update as printed.
    PrintedGradient,
    /// Simultaneous perturbation.
    Spsa,
    /// Matrix adaptation evolution strategy.
    MatrixAdaptation,
}

/// What an optimiser is set up with. Those that have no use for a setting pass it over.
#[derive(Copy, Clone, PartialEq, Debug)]
pub struct Setup {
    /// How far weights are moved to see what they do, in thousandths.
    pub delta: i64,
    /// The learning rate.
    pub mu: f64,
    /// Whether it decreases.
    pub rate: Rate,
    /// How many iterations there will be at most.
    pub iterations: u32,
    /// Where chances come from.
    pub seed: u64,
}

/// A name that no optimiser has.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("'{name}' is not an optimiser; expected one of {known}", known = known())]
pub struct MethodError {
    /// What was read.
    pub name: String,
}

impl Method {
    /// All of them.
    pub const ALL: [Method; 4] = [Method::Gradient, Method::PrintedGradient, Method::Spsa, Method::MatrixAdaptation];

    /// Its name on the command line, in the store and in reports.
    pub const fn name(self) -> &'static str {
        match self {
            Method::Gradient => "gradient",
            Method::PrintedGradient => "printed-gradient",
            Method::Spsa => "spsa",
            Method::MatrixAdaptation => "matrix-adaptation",
        }
    }

    /// The learning rate that fits it unless another is asked for.
    pub const fn usual_mu(self) -> f64 {
        match self {
            // Each weight feels the changes of all others, so trust in any one direction is less.
            Method::Spsa => 0.5,
            _ => 1.0,
        }
    }

    /// The optimiser at its start.
    pub fn build(self, space: Space, setup: &Setup) -> Box<dyn Optimiser> {
        let Setup { delta, mu, rate, iterations, seed } = *setup;
        let descent = |update| gradient::Settings { delta, mu, rate, update };
        match self {
            Method::Gradient => Box::new(Gradient::new(space, descent(Update::Divided))),
            Method::PrintedGradient => Box::new(Gradient::new(space, descent(Update::Printed))),
            Method::Spsa => Box::new(Spsa::new(space, spsa::Settings { delta, mu, iterations, seed })),
            Method::MatrixAdaptation => Box::new(MatrixAdaptation::new(space, seed)),
        }
    }
}

fn known() -> String {
    Method::ALL.map(Method::name).join(", ")
}

impl fmt::Display for Method {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Method {
    type Err = MethodError;

    fn from_str(text: &str) -> Result<Method, MethodError> {
        let found = Method::ALL.into_iter().find(|method| method.name() == text);
        found.ok_or_else(|| MethodError { name: text.to_string() })
    }
}
