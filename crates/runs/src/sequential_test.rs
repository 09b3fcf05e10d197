//! Sequential tests of a match: what is tested, and what the games say so far.

use plysmith_learn::stats::foretold::Unbiased;
use plysmith_learn::stats::outcomes::{Outcomes, Penta, Wdl};
use plysmith_learn::stats::sprt::{EloModel, ErrorRates, Hypotheses, Sprt, SprtError, SprtVerdict};
use serde::{Deserialize, Serialize};

/// A sequential test, as it is stored.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct TestConfig {
    /// What the hypotheses are about.
    #[serde(with = "model_name")]
    pub model: EloModel,
    /// The lower Elo difference.
    pub elo0: f64,
    /// The higher Elo difference.
    pub elo1: f64,
    /// How often the test may accept H1 where H0 is true.
    pub alpha: f64,
    /// How often it may accept H0 where H1 is true.
    pub beta: f64,
}

/// What a sequential test says.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct TestResult {
    /// The test.
    #[serde(flatten)]
    pub test: TestConfig,
    /// The log-likelihood ratio.
    pub llr: f64,
    /// H0 is accepted at this ratio and below.
    pub lower: f64,
    /// H1 is accepted at this ratio and above.
    pub upper: f64,
    /// `continue`, `accept-h0` or `accept-h1`.
    pub verdict: String,
    /// The strength that an ended test shows. The usual estimates are biased then: a test ends early when it is lucky.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unbiased: Option<UnbiasedElo>,
    /// What makes the verdict doubtful.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub caution: Option<String>,
}

/// Elo differences with 95 % intervals that take the end of the test into account.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct UnbiasedElo {
    /// Logistic Elo.
    pub elo: f64,
    /// The ends of its interval.
    pub elo_interval: [f64; 2],
    /// Normalized Elo.
    pub nelo: f64,
    /// The ends of its interval.
    pub nelo_interval: [f64; 2],
}

impl From<Unbiased> for UnbiasedElo {
    fn from(unbiased: Unbiased) -> UnbiasedElo {
        let Unbiased { elo, elo_interval, nelo, nelo_interval } = unbiased;
        UnbiasedElo { elo, elo_interval, nelo, nelo_interval }
    }
}

impl TestConfig {
    /// The test itself.
    pub fn build(&self) -> Result<Sprt, SprtError> {
        let hypotheses = Hypotheses { elo0: self.elo0, elo1: self.elo1 };
        Sprt::new(self.model, hypotheses, ErrorRates { alpha: self.alpha, beta: self.beta })
    }
}

impl TestResult {
    /// What these outcomes decide.
    pub fn new(config: &TestConfig, outcomes: &impl Outcomes) -> Result<TestResult, SprtError> {
        let sprt = config.build()?;
        let bounds = sprt.bounds();
        let llr = sprt.llr(outcomes);
        let verdict = bounds.verdict(llr).name().to_string();
        let unbiased = sprt.unbiased(outcomes).map(UnbiasedElo::from);
        let (lower, upper) = (bounds.lower, bounds.upper);
        Ok(TestResult { test: config.clone(), llr, lower, upper, verdict, unbiased, caution: None })
    }

    /// What a match decides: its pairs, or in the BayesElo model its games.
    pub fn of_match(config: &TestConfig, pairs: &Penta, games: &Wdl) -> Result<TestResult, SprtError> {
        match config.model {
            EloModel::Bayesian => TestResult::new(config, games),
            EloModel::Logistic | EloModel::Normalized => TestResult::new(config, pairs),
        }
    }

    /// Whether a hypothesis was accepted.
    pub fn is_decided(&self) -> bool {
        self.verdict != SprtVerdict::Continue.name()
    }

    /// Adds what makes the verdict doubtful.
    #[must_use]
    pub fn with_caution(self, caution: Option<String>) -> TestResult {
        TestResult { caution, ..self }
    }

    /// The result as text: a line, and one more if the test has ended.
    pub fn text(&self) -> String {
        let TestConfig { model, elo0, elo1, alpha, beta } = &self.test;
        let caution = self.caution.as_ref().map_or(String::new(), |caution| format!(", but {caution}"));
        format!(
            "SPRT   LLR {:.4} in [{:.3}, {:.3}]: {}{caution}   ({model} Elo {elo0} against {elo1}, alpha {alpha}, beta {beta})\n{}",
            self.llr,
            self.lower,
            self.upper,
            self.verdict,
            self.unbiased.as_ref().map_or(String::new(), UnbiasedElo::text)
        )
    }
}

impl UnbiasedElo {
    fn text(&self) -> String {
        let UnbiasedElo { elo, elo_interval, nelo, nelo_interval } = self;
        let range = |value: &f64, [low, high]: &[f64; 2]| format!("{value:+.2} [{low:+.2}, {high:+.2}]");
        let (elo, nelo) = (range(elo, elo_interval), range(nelo, nelo_interval));
        format!("after the stop   Elo {elo}   nElo {nelo}   (median-unbiased, 95 %)\n")
    }
}

/// Models are stored by their names.
mod model_name {
    use plysmith_learn::stats::sprt::EloModel;
    use serde::de::Error;
    use serde::{Deserialize, Deserializer, Serializer};

    pub fn serialize<S: Serializer>(model: &EloModel, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(model.name())
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<EloModel, D::Error> {
        let text = String::deserialize(deserializer)?;
        let known = EloModel::ALL.into_iter().find(|model| model.name() == text);
        known.ok_or_else(|| D::Error::custom(format!("'{text}' is not a model of a test")))
    }
}
