//! What is stored of a tuning: everything needed to do it again.

use std::fmt;
use std::str::FromStr;

use plysmith_core::parameter::{Parameter, Thousandths, Weights};
use plysmith_core::problem::Suite;
use plysmith_engine::driver::{Policy, PolicyError};
use plysmith_learn::tune::gradient::RateSchedule;
use plysmith_learn::tune::holdout::HoldOutSplit;
use plysmith_learn::tune::kind::{OptimiserKind, OptimiserSettings};
use plysmith_learn::tune::space::ParameterSpace;
use plysmith_learn::tune::tuning::{Tuning, TuningLimits};
use serde::{Deserialize, Serialize};

use super::files::Files;
use super::scale::Scale;
use crate::error::RunError;
use crate::experiment::Experiment;
use crate::text_form;

/// What to tune, on what and how.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Config {
    /// On what.
    pub experiment: Experiment,
    /// When a problem counts as solved.
    #[serde(with = "text_form")]
    pub policy: SolutionPolicy,
    /// Weights that are tuned, with ranges and starts: features of a built-in engine, or parameters of an external one.
    #[serde(with = "parameters")]
    pub parameters: Vec<Parameter>,
    /// Search constants of a built-in engine that are tuned, with ranges and starts. In lists of weights they stand
    /// behind the parameters.
    #[serde(default, with = "parameters", skip_serializing_if = "Vec::is_empty")]
    pub tunables: Vec<Parameter>,
    /// The optimiser and its settings.
    pub method: MethodConfig,
    /// The names of the held-out problems, in the order of the suite.
    pub held_out: Vec<String>,
    /// By which problems the weights to return are chosen.
    pub choice: Choice,
    /// Files to write.
    #[serde(default, skip_serializing_if = "Files::are_none")]
    pub files: Files,
    /// What is shown with the result.
    #[serde(default, rename = "figure1", skip_serializing_if = "Report::is_plain")]
    pub report: Report,
}

/// The optimiser and its settings.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct MethodConfig {
    /// The optimiser.
    #[serde(with = "text_form")]
    pub optimiser: OptimiserKind,
    /// Number of iterations at most.
    pub iterations: u32,
    /// Stop after this many iterations without progress.
    pub patience: Option<u32>,
    /// How far weights are moved to see their effect, in plies like weights.
    #[serde(with = "text_form")]
    pub delta: Thousandths,
    /// The learning rate.
    pub mu: f64,
    /// Whether the learning rate decreases.
    pub decreasing: bool,
}

/// When a problem counts as solved. As text: `first`, `iteration`, `stable`, or `its own`.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum SolutionPolicy {
    /// Plysmith watches the search.
    Watched(Policy),
    /// A plug engine decides by itself.
    EnginesOwn,
}

/// By which problems the weights to return are chosen.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Choice {
    /// Fewest nodes on the training problems. The held-out problems have no part in it.
    #[default]
    Training,
    /// Fewest nodes on the held-out problems: early stopping. Their figure is then too good.
    HeldOut,
}

/// What is shown with the result. Stored as a flag that is true for Figure 1.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(from = "bool", into = "bool")]
pub enum Report {
    /// Nothing.
    #[default]
    Plain,
    /// The paper's Figure 1.
    Figure1,
}

/// How weights are learned. The default is the paper's gradient descent with half of the problems held out.
#[derive(Clone, PartialEq, Debug)]
pub struct LearningOptions {
    /// The optimiser.
    pub optimiser: OptimiserKind,
    /// Number of iterations at most.
    pub iterations: u32,
    /// Stop after this many iterations without progress.
    pub patience: Option<u32>,
    /// Percentage of problems that are held out.
    pub holdout: u32,
    /// By which problems the weights to return are chosen.
    pub choice: Choice,
    /// Where weights start.
    pub start: Start,
    /// When a problem counts as solved.
    pub policy: SolutionPolicy,
    /// How far weights are moved to see their effect.
    pub delta: Thousandths,
    /// The learning rate; by default the optimiser's usual one.
    pub mu: Option<f64>,
    /// Whether the learning rate of the gradient decreases.
    pub decreasing: bool,
}

/// What is tuned.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct TunedParameters {
    /// Weights of features, or parameters of an external engine.
    pub weights: Vec<Parameter>,
    /// Search constants of a built-in engine.
    pub tunables: Vec<Parameter>,
}

/// Where weights start.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub enum Start {
    /// Where the parameters say.
    #[default]
    Parameters,
    /// At these weights: one for each parameter, or one for all. One for all leaves search constants where they are.
    At(Weights),
    /// Anywhere in the range, drawn by the seed.
    Random,
}

/// The least progress that counts, as a share of nodes.
const PROGRESS: f64 = 0.001;

impl Default for LearningOptions {
    fn default() -> LearningOptions {
        LearningOptions {
            optimiser: OptimiserKind::Gradient,
            iterations: 20,
            patience: Some(8),
            holdout: 50,
            choice: Choice::default(),
            start: Start::default(),
            policy: SolutionPolicy::default(),
            // The paper's.
            delta: Thousandths(150),
            mu: None,
            decreasing: false,
        }
    }
}

impl Config {
    /// Tunes these parameters. The held-out problems are drawn by the experiment's seed.
    pub fn new(
        experiment: Experiment,
        parameters: impl Into<TunedParameters>,
        options: &LearningOptions,
    ) -> Result<Config, RunError> {
        let parameters = parameters.into();
        let weights = parameters.weights.len();
        let space = options.start.apply(parameters, experiment.seed)?;
        let (parameters, tunables) = space.parameters().split_at(weights);
        let problems = &experiment.suite.problems;
        let split = HoldOutSplit::draw(problems.len(), options.holdout, experiment.seed);
        let held_out: Vec<_> = split.held_out.iter().map(|&index| problems[index].id.clone()).collect();
        if options.choice == Choice::HeldOut && held_out.is_empty() {
            return Err(RunError::input(
                "--choose held-out needs held-out problems; set their share with --holdout PERCENT",
            ));
        }
        if options.delta.0 <= 0 {
            let delta = options.delta;
            return Err(RunError::input(format!(
                "--delta {delta} changes nothing; expected a number above 0, like 0.15"
            )));
        }
        Ok(Config {
            policy: options.policy,
            parameters: parameters.to_vec(),
            tunables: tunables.to_vec(),
            method: MethodConfig {
                optimiser: options.optimiser,
                iterations: options.iterations,
                patience: options.patience,
                delta: options.delta,
                mu: options.mu.unwrap_or(options.optimiser.default_mu()),
                decreasing: options.decreasing,
            },
            held_out,
            choice: options.choice,
            files: Files::default(),
            report: Report::Plain,
            experiment,
        })
    }

    /// Everything that is tuned, as the engine sees it.
    pub fn space(&self) -> Result<ParameterSpace, RunError> {
        ParameterSpace::new(self.all().cloned().collect()).map_err(RunError::input)
    }

    /// The optimiser's run at its start. It sees parameters through [`Config::scales`].
    pub(super) fn tuning(&self) -> Result<Tuning, RunError> {
        let scaled = self.all().zip(self.scales()).map(|(parameter, scale)| scale.scaled(parameter));
        let space = ParameterSpace::new(scaled.collect()).map_err(RunError::input)?;
        let MethodConfig { optimiser, iterations, patience, .. } = self.method;
        let limits = TuningLimits { iterations, patience, progress: PROGRESS };
        Ok(Tuning::new(&space, optimiser.build(space.clone(), &self.setup()), limits))
    }

    /// How the optimiser sees each parameter.
    pub(super) fn scales(&self) -> Vec<Scale> {
        let same = self.parameters.iter().map(|_| Scale::Same);
        same.chain(self.tunables.iter().map(Scale::of_constant)).collect()
    }

    fn all(&self) -> impl Iterator<Item = &Parameter> {
        self.parameters.iter().chain(&self.tunables)
    }

    fn setup(&self) -> OptimiserSettings {
        OptimiserSettings {
            delta: self.method.delta.0,
            mu: self.method.mu,
            rate: if self.method.decreasing { RateSchedule::Decreasing } else { RateSchedule::Fixed },
            iterations: self.method.iterations,
            seed: self.experiment.seed,
        }
    }

    /// The training and the held-out problems.
    pub fn split(&self) -> [Suite; 2] {
        let Suite { name, problems } = &self.experiment.suite;
        let (held_out, training): (Vec<_>, Vec<_>) =
            problems.iter().cloned().partition(|problem| self.held_out.contains(&problem.id));
        [training, held_out].map(|problems| Suite { name: name.clone(), problems })
    }

    /// The names of what is tuned.
    pub fn names(&self) -> Vec<&str> {
        self.all().map(|parameter| parameter.name.as_str()).collect()
    }
}

impl From<Vec<Parameter>> for TunedParameters {
    fn from(weights: Vec<Parameter>) -> TunedParameters {
        TunedParameters { weights, tunables: Vec::new() }
    }
}

impl Start {
    /// The space with its starts.
    fn apply(&self, parameters: TunedParameters, seed: u64) -> Result<ParameterSpace, RunError> {
        let TunedParameters { weights, tunables } = parameters;
        // One number for all is a weight; search constants have other units.
        let alike = if weights.is_empty() { tunables.len() } else { weights.len() };
        let mut parameters = [weights, tunables].concat();
        if let Start::At(Weights(starts)) = self {
            let mut starts = starts.clone();
            if let [one] = starts[..] {
                starts = vec![one; alike];
                starts.extend(parameters[alike..].iter().map(|parameter| parameter.start));
            }
            Weights(starts.clone()).fits(&parameters).map_err(RunError::input)?;
            parameters.iter_mut().zip(starts).for_each(|(parameter, start)| parameter.start = start);
        }
        let space = ParameterSpace::new(parameters).map_err(RunError::input)?;
        Ok(if *self == Start::Random { space.with_random_start(seed) } else { space })
    }
}

impl FromStr for Start {
    type Err = plysmith_core::parameter::WeightsError;

    fn from_str(text: &str) -> Result<Start, Self::Err> {
        if text == "random" { Ok(Start::Random) } else { text.parse().map(Start::At) }
    }
}

impl Default for SolutionPolicy {
    fn default() -> SolutionPolicy {
        SolutionPolicy::Watched(Policy::default())
    }
}

/// The text of [`SolutionPolicy::EnginesOwn`].
const ENGINES_OWN: &str = "its own";

impl fmt::Display for SolutionPolicy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            SolutionPolicy::Watched(policy) => policy.fmt(f),
            SolutionPolicy::EnginesOwn => f.write_str(ENGINES_OWN),
        }
    }
}

impl FromStr for SolutionPolicy {
    type Err = PolicyError;

    fn from_str(text: &str) -> Result<SolutionPolicy, PolicyError> {
        match text {
            ENGINES_OWN => Ok(SolutionPolicy::EnginesOwn),
            text => text.parse().map(SolutionPolicy::Watched),
        }
    }
}

impl Report {
    fn is_plain(&self) -> bool {
        *self == Report::Plain
    }
}

impl From<bool> for Report {
    fn from(is_figure1: bool) -> Report {
        if is_figure1 { Report::Figure1 } else { Report::Plain }
    }
}

impl From<Report> for bool {
    fn from(report: Report) -> bool {
        report == Report::Figure1
    }
}

/// Parameters as they are stored: numbers as people write them.
mod parameters {
    use plysmith_core::parameter::{Parameter, Thousandths};
    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    use crate::text_form;

    #[derive(Serialize, Deserialize)]
    struct Stored {
        name: String,
        #[serde(with = "text_form")]
        least: Thousandths,
        #[serde(with = "text_form")]
        most: Thousandths,
        #[serde(with = "text_form")]
        step: Thousandths,
        #[serde(with = "text_form")]
        start: Thousandths,
    }

    pub fn serialize<S: Serializer>(parameters: &[Parameter], serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(parameters.iter().cloned().map(|Parameter { name, least, most, step, start }| {
            let [least, most, step, start] = [least, most, step, start].map(Thousandths);
            Stored { name, least, most, step, start }
        }))
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<Parameter>, D::Error> {
        let stored = Vec::<Stored>::deserialize(deserializer)?;
        Ok(stored
            .into_iter()
            .map(|Stored { name, least, most, step, start }| {
                let [least, most, step, start] = [least, most, step, start].map(|Thousandths(units)| units);
                Parameter { name, least, most, step, start }
            })
            .collect())
    }
}
