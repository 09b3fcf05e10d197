//! Sequential tests of a match: what is tested, and what the games say so far.

use plysmith_learn::stats::outcomes::Outcomes;
use plysmith_learn::stats::sprt::{EloModel, ErrorRates, Hypotheses, Sprt, SprtError};
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
    /// What makes the verdict doubtful.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub caution: Option<String>,
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
        Ok(TestResult { test: config.clone(), llr, lower: bounds.lower, upper: bounds.upper, verdict, caution: None })
    }

    /// Adds what makes the verdict doubtful.
    #[must_use]
    pub fn with_caution(self, caution: Option<String>) -> TestResult {
        TestResult { caution, ..self }
    }

    /// The result as one line of text.
    pub fn text(&self) -> String {
        let TestConfig { model, elo0, elo1, alpha, beta } = &self.test;
        let caution = self.caution.as_ref().map_or(String::new(), |caution| format!(", but {caution}"));
        format!(
            "SPRT   LLR {:.4} in [{:.3}, {:.3}]: {}{caution}   ({model} Elo {elo0} against {elo1}, alpha {alpha}, beta {beta})\n",
            self.llr, self.lower, self.upper, self.verdict
        )
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
        let known = [EloModel::Logistic, EloModel::Normalized].into_iter().find(|model| model.name() == text);
        known.ok_or_else(|| D::Error::custom(format!("'{text}' is not a model of a test")))
    }
}
