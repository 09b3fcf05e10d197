//! A tuning as it is stored: all that is needed to do it again.

use plysmith_core::parameter::{Parameter, Thousandths};
use plysmith_core::problem::Suite;
use plysmith_learn::tune::ParameterSpace;
use plysmith_learn::tune::RateSchedule;
use plysmith_learn::tune::{OptimiserKind, OptimiserSettings};
use plysmith_learn::tune::{Tuning, TuningLimits};
use serde::{Deserialize, Serialize};

use super::files::Files;
use crate::failure::Failure;
use crate::workbench::Experiment;

#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Config {
    pub experiment: Experiment,
    /// When a search agrees with the right move; of a plug engine, its own affair.
    pub policy: String,
    pub parameters: Vec<ParameterConfig>,
    pub method: MethodConfig,
    /// The names of the problems that are held out, in the order of the suite.
    pub held_out: Vec<String>,
    pub choice: Choice,
    #[serde(default, skip_serializing_if = "Files::are_none")]
    pub files: Files,
    /// Whether this is the paper's Figure 1.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub figure1: bool,
}

/// A parameter as it is stored; numbers as people write them.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct ParameterConfig {
    pub name: String,
    pub least: String,
    pub most: String,
    pub step: String,
    pub start: String,
}

/// The optimiser as it is stored.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct MethodConfig {
    pub optimiser: String,
    pub iterations: u32,
    pub patience: Option<u32>,
    /// In plies, like weights.
    pub delta: String,
    pub mu: f64,
    /// Whether mu decreases.
    pub decreasing: bool,
}

/// By which problems the weights to return are chosen.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize, clap::ValueEnum)]
#[serde(rename_all = "kebab-case")]
pub enum Choice {
    /// Fewest nodes on the training problems; the held-out ones only check
    #[default]
    Training,
    /// Fewest nodes on the held-out problems: early stopping, and their figure is then too good
    HeldOut,
}

/// The least progress that counts, as a share of nodes.
const PROGRESS: f64 = 0.001;

impl Config {
    /// What is tuned.
    pub fn space(&self) -> Result<ParameterSpace, Failure> {
        let parameters = self.parameters.iter().map(ParameterConfig::read).collect::<Result<_, _>>()?;
        ParameterSpace::new(parameters).map_err(Failure::input)
    }

    /// The learner at its start.
    pub fn tuning(&self) -> Result<Tuning, Failure> {
        let space = self.space()?;
        let MethodConfig { iterations, patience, .. } = self.method;
        let limits = TuningLimits { iterations, patience, progress: PROGRESS };
        Ok(Tuning::new(&space, self.method.method()?.build(space.clone(), &self.setup()?), limits))
    }

    /// How far weights are moved to see what they do.
    pub fn delta(&self) -> Result<i64, Failure> {
        Ok(self.method.delta.parse::<Thousandths>().map_err(Failure::input)?.0)
    }

    fn setup(&self) -> Result<OptimiserSettings, Failure> {
        Ok(OptimiserSettings {
            delta: self.delta()?,
            mu: self.method.mu,
            rate: if self.method.decreasing { RateSchedule::Decreasing } else { RateSchedule::Fixed },
            iterations: self.method.iterations,
            seed: self.experiment.seed,
        })
    }

    /// Training and held-out problems.
    pub fn split(&self) -> Result<[Suite; 2], Failure> {
        let suite = self.experiment.read_suite()?;
        let (held_out, training): (Vec<_>, Vec<_>) =
            suite.problems.iter().cloned().partition(|problem| self.held_out.contains(&problem.id));
        Ok([training, held_out].map(|problems| Suite { name: suite.name.clone(), problems }))
    }
}

impl MethodConfig {
    pub fn method(&self) -> Result<OptimiserKind, Failure> {
        self.optimiser.parse().map_err(Failure::input)
    }
}

impl ParameterConfig {
    fn read(&self) -> Result<Parameter, Failure> {
        let number = |text: &String| text.parse().map(|Thousandths(units)| units).map_err(Failure::input);
        Ok(Parameter {
            name: self.name.clone(),
            least: number(&self.least)?,
            most: number(&self.most)?,
            step: number(&self.step)?,
            start: number(&self.start)?,
        })
    }
}

impl From<&Parameter> for ParameterConfig {
    fn from(parameter: &Parameter) -> ParameterConfig {
        let Parameter { name, least, most, step, start } = parameter.clone();
        let [least, most, step, start] = [least, most, step, start].map(|units| Thousandths(units).to_string());
        ParameterConfig { name, least, most, step, start }
    }
}
