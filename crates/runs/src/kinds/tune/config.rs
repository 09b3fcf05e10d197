//! What is stored of a tuning: everything needed to do it again.

use std::str::FromStr;

use plysmith_core::games;
use plysmith_core::parameter::{Parameter, Thousandths, Weights};
use plysmith_core::problem::Suite;
use plysmith_engine::driver::Policy;
use plysmith_learn::tune::gradient::RateSchedule;
use plysmith_learn::tune::holdout::HoldOutSplit;
use plysmith_learn::tune::kind::{OptimiserKind, OptimiserSettings};
use plysmith_learn::tune::space::ParameterSpace;
use plysmith_learn::tune::tuning::{Tuning, TuningLimits};
use serde::{Deserialize, Serialize};

use super::files::Files;
use super::scale::Scale;
use super::verify::GamesConfig;
use crate::error::RunError;
use crate::experiment::Experiment;
use crate::external_engine::ExternalEngine;
use crate::fitness::{FitnessChoice, GradedFitness};
use crate::solution_policy::SolutionPolicy;
use crate::text_form;

/// What to tune, on what and how.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(from = "StoredConfig", into = "StoredConfig")]
pub struct Config {
    /// On what. Its policy says when a problem counts as solved.
    pub experiment: Experiment,
    /// Weights that are tuned, with ranges and starts: features of a built-in engine, or parameters of an external one.
    pub parameters: Vec<Parameter>,
    /// Search constants of a built-in engine that are tuned, with ranges and starts. In lists of weights they stand
    /// behind the parameters.
    pub tunables: Vec<Parameter>,
    /// The optimiser and its settings.
    pub method: MethodConfig,
    /// The names of the held-out problems, in the order of the suite.
    pub held_out: Vec<String>,
    /// By which problems the weights to return are chosen.
    pub choice: Choice,
    /// Files to write.
    pub files: Files,
    /// What is shown with the result.
    pub report: Report,
    /// Which steps a tuning has.
    pub procedure: Procedure,
    /// Games of the tuned engine against the engine as shipped.
    pub games: Option<GamesConfig>,
    /// What is minimised; none for nodes to the solution.
    pub fitness: Option<FitnessChoice>,
    /// The graded suite, if weights are tuned on one and not on problems.
    pub graded: Option<GradedFitness>,
}

/// A tuning as it is stored. The policy stands beside the experiment, as in version 0.1.
#[derive(Serialize, Deserialize)]
struct StoredConfig {
    experiment: Experiment,
    policy: SolutionPolicy,
    #[serde(with = "parameters")]
    parameters: Vec<Parameter>,
    #[serde(default, with = "parameters", skip_serializing_if = "Vec::is_empty")]
    tunables: Vec<Parameter>,
    method: MethodConfig,
    held_out: Vec<String>,
    choice: Choice,
    #[serde(default, skip_serializing_if = "Files::are_none")]
    files: Files,
    #[serde(default, rename = "figure1", skip_serializing_if = "Report::is_plain")]
    report: Report,
    #[serde(default, skip_serializing_if = "Procedure::is_first")]
    procedure: Procedure,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    games: Option<GamesConfig>,
    #[serde(default, skip_serializing_if = "Option::is_none", with = "text_form::option")]
    fitness: Option<FitnessChoice>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    graded: Option<GradedFitness>,
}

/// Which steps a tuning has. A stored run is resumed with the steps that it was started with.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub enum Procedure {
    /// Those of version 0.1: every batch is an iteration, and the engine as shipped is not measured.
    #[default]
    #[serde(rename = "1")]
    First,
    /// The engine as shipped is measured too, and a batch in which every setting was measured before is no iteration.
    #[serde(rename = "2")]
    Second,
    /// Iterations also say what engines did where they failed.
    #[serde(rename = "3")]
    Third,
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
    /// What is minimised; none for nodes to the solution.
    pub fitness: Option<FitnessChoice>,
    /// The graded suite, if weights are tuned on one and not on problems.
    pub graded: Option<GradedFitness>,
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

/// The policy of tunings that do not ask for another one: the one whose training results say most about held-out
/// problems (docs/decisions.md).
pub const USUAL_POLICY: Policy = Policy::Stable;

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
            policy: SolutionPolicy::Watched(USUAL_POLICY),
            // The paper's.
            delta: Thousandths(150),
            mu: None,
            decreasing: false,
            fitness: None,
            graded: None,
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
        let counts_nodes = options.fitness.as_ref().is_none_or(|fitness| fitness.needs_solution_nodes());
        if counts_nodes && options.policy == SolutionPolicy::Watched(Policy::End) {
            return Err(RunError::input(
                "--policy end counts all nodes of a search, so there is nothing to minimise; --policy stable solves the same \
                 problems and counts the nodes to the solution",
            ));
        }
        let experiment = Experiment { policy: Some(options.policy), ..experiment };
        let weights = parameters.weights.len();
        let space = options.start.apply(parameters, experiment.seed)?;
        let (parameters, tunables) = space.parameters().split_at(weights);
        let problems = problem_names(&experiment, options.graded.as_ref())?;
        let split = HoldOutSplit::draw(problems.len(), options.holdout, experiment.seed);
        let held_out: Vec<_> = split.held_out.iter().map(|&index| problems[index].clone()).collect();
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
            procedure: Procedure::Third,
            games: None,
            fitness: options.fitness.clone(),
            graded: options.graded.clone(),
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

    /// When a problem counts as solved.
    pub fn policy(&self) -> Result<SolutionPolicy, RunError> {
        self.experiment.policy()
    }

    /// The policy's name.
    pub(super) fn policy_text(&self) -> String {
        self.policy().map_or(String::new(), |policy| policy.to_string())
    }

    /// Fails if games are asked for that cannot be played.
    pub(super) fn validate_games(&self) -> Result<(), RunError> {
        let Some(games) = &self.games else { return Ok(()) };
        if self.experiment.external().is_some_and(ExternalEngine::is_plug) {
            return Err(RunError::input(
                "--verify-games needs an engine that can play: a built-in one or a UCI engine; leave it out",
            ));
        }
        games.play(games::find(&self.experiment.game)?, self.experiment.seed)?.validate()
    }

    /// How many iterations this many evaluations are enough for.
    pub(crate) fn iterations_within(&self, evaluations: u32) -> Result<u32, RunError> {
        // The first batch may have the start besides.
        let size = self.tuning()?.ask().map_or(1, |batch| batch.len().max(2) - 1);
        Ok((evaluations / size as u32).max(1))
    }

    /// The names of what is tuned.
    pub fn names(&self) -> Vec<&str> {
        self.all().map(|parameter| parameter.name.as_str()).collect()
    }
}

/// The names of the problems or positions that weights are tuned on, in the order of the suite.
fn problem_names(experiment: &Experiment, graded: Option<&GradedFitness>) -> Result<Vec<String>, RunError> {
    let Some(graded) = graded else {
        return Ok(experiment.suite.problems.iter().map(|problem| problem.id.clone()).collect());
    };
    let suite = graded.read(games::find(&experiment.game)?)?;
    Ok(suite.positions.into_iter().map(|position| position.id).collect())
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

impl From<StoredConfig> for Config {
    fn from(stored: StoredConfig) -> Config {
        let StoredConfig { experiment, policy, parameters, tunables, method, held_out, choice, .. } = stored;
        let StoredConfig { files, report, procedure, games, fitness, graded, .. } = stored;
        Config {
            experiment: Experiment { policy: Some(policy), ..experiment },
            parameters,
            tunables,
            method,
            held_out,
            choice,
            files,
            report,
            procedure,
            games,
            fitness,
            graded,
        }
    }
}

impl From<Config> for StoredConfig {
    fn from(config: Config) -> StoredConfig {
        let Config { experiment, parameters, tunables, method, held_out, choice, .. } = config;
        let Config { files, report, procedure, games, fitness, graded, .. } = config;
        let policy = experiment.policy.unwrap_or(SolutionPolicy::EnginesOwn);
        let experiment = Experiment { policy: None, ..experiment };
        StoredConfig {
            experiment,
            policy,
            parameters,
            tunables,
            method,
            held_out,
            choice,
            files,
            report,
            procedure,
            games,
            fitness,
            graded,
        }
    }
}

impl Procedure {
    pub(super) fn is_first(&self) -> bool {
        *self == Procedure::First
    }

    pub(super) fn names_failures(self) -> bool {
        self == Procedure::Third
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
