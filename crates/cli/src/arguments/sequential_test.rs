//! Arguments of sequential tests.

use clap::{Args, ValueEnum};
use plysmith_learn::stats::sprt::{EloModel, Hypotheses};
use plysmith_runs::sequential_test::TestConfig;

use crate::failure::Failure;

/// A sequential test.
#[derive(Debug, Args)]
pub struct TestArguments {
    /// Run a sequential test (SPRT) of two normalized Elo differences, like '0,5'
    #[arg(long, value_name = "H0,H1", allow_hyphen_values = true, conflicts_with = "elo")]
    nelo: Option<String>,

    /// Run a sequential test (SPRT) of two Elo differences, like '0,5'; logistic unless --model says otherwise
    #[arg(long, value_name = "H0,H1", allow_hyphen_values = true)]
    elo: Option<String>,

    /// What the differences of --elo are measured in [default: logistic]
    #[arg(long, value_enum, value_name = "MODEL", requires = "elo")]
    model: Option<Model>,

    /// Probability that the test accepts H1 although H0 is true
    #[arg(long, value_name = "SHARE", default_value_t = 0.05)]
    alpha: f64,

    /// Probability that the test accepts H0 although H1 is true
    #[arg(long, value_name = "SHARE", default_value_t = 0.05)]
    beta: f64,
}

/// Scales of Elo differences.
#[derive(Copy, Clone, PartialEq, Eq, Debug, ValueEnum)]
enum Model {
    /// Standard deviations of a game, times 347: as --nelo
    Normalized,
    /// The expected score alone
    Logistic,
    /// BayesElo, of single games, with the draw rate that fits the results
    Bayesian,
}

impl From<Model> for EloModel {
    fn from(model: Model) -> EloModel {
        match model {
            Model::Normalized => EloModel::Normalized,
            Model::Logistic => EloModel::Logistic,
            Model::Bayesian => EloModel::Bayesian,
        }
    }
}

impl TestArguments {
    /// Whether differences are BayesElo.
    pub fn is_bayesian(&self) -> bool {
        self.model == Some(Model::Bayesian)
    }

    /// The test, if one is requested.
    pub fn resolve(&self) -> Result<Option<TestConfig>, Failure> {
        let (model, text) = match (&self.nelo, &self.elo) {
            (Some(text), _) => (EloModel::Normalized, text),
            (None, Some(text)) => (self.model.map_or(EloModel::Logistic, EloModel::from), text),
            (None, None) => return Ok(None),
        };
        let Hypotheses { elo0, elo1 } = text.parse()?;
        let config = TestConfig { model, elo0, elo1, alpha: self.alpha, beta: self.beta };
        config.build()?;
        Ok(Some(config))
    }
}
