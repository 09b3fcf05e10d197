//! The sequential probability ratio test: games are played until one of two hypotheses about the Elo
//! difference is left.
//!
//! The test is the generalized one (GSPRT; fishtest's and fastchess's): what a hypothesis leaves open,
//! such as how many games are drawn, is taken as the results make it most likely. The log-likelihood
//! ratio is Σ n_i ln(q1_i / q0_i) with the fits q0 and q1 of `likelihood`; the bounds are Wald's (1945),
//! ln(β/(1−α)) and ln((1−β)/α). An outcome that never happened counts 1/1000.
//!
//! In the logistic model every further win raises the ratio and every loss lowers it. In the normalized
//! model that need not be so: it weighs the score against the deviation, and a surprising win raises both.

use std::{fmt, str::FromStr};

use thiserror::Error;

use super::{elo::expected_score, likelihood::Sample, outcomes::Outcomes};

/// What the hypotheses are about.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Hash)]
pub enum Model {
    /// Logistic Elo.
    Logistic,
    /// Normalized Elo.
    Normalized,
}

/// The two Elo differences to choose between. Its text is both with a comma between them, like `0,2`.
#[derive(Copy, Clone, PartialEq, Debug)]
pub struct Hypotheses {
    /// The lower one: "it does not help".
    pub elo0: f64,
    /// The higher one: "it helps by this much".
    pub elo1: f64,
}

/// How often the test may be wrong.
#[derive(Copy, Clone, PartialEq, Debug)]
pub struct ErrorRates {
    /// How often it may accept H1 where H0 is true.
    pub alpha: f64,
    /// How often it may accept H0 where H1 is true.
    pub beta: f64,
}

/// A sequential test. It keeps no counts, so it can be asked about any.
#[derive(Copy, Clone, PartialEq, Debug)]
pub struct Sprt {
    model: Model,
    hypotheses: Hypotheses,
    rates: ErrorRates,
}

/// The log-likelihood ratios at which a test ends.
#[derive(Copy, Clone, PartialEq, Debug)]
pub struct Bounds {
    /// H0 is accepted here and below.
    pub lower: f64,
    /// H1 is accepted here and above.
    pub upper: f64,
}

/// What a test says.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Hash)]
pub enum Verdict {
    /// More games are needed.
    Continue,
    /// The lower Elo difference is accepted.
    AcceptH0,
    /// The higher Elo difference is accepted.
    AcceptH1,
}

/// A test that cannot be.
#[derive(Debug, Clone, PartialEq, Error)]
pub enum SprtError {
    /// Not two numbers.
    #[error("'{0}' is not a pair of hypotheses; expected two Elo differences, like '0,2'")]
    Text(String),
    /// The hypotheses are equal or the wrong way round.
    #[error("H0 at {} is not below H1 at {}; expected the lower Elo difference first, like '0,2'", .0.elo0, .0.elo1)]
    Order(Hypotheses),
    /// A hypothesis beyond what the model can test, or not a number.
    #[error(
        "an Elo difference of {elo} cannot be tested in the {model} model; expected one from -{most} to {most}",
        most = .model.most_elo()
    )]
    Range {
        /// What was given.
        elo: f64,
        /// The model.
        model: Model,
    },
    /// An error rate that makes no test.
    #[error("{name} = {value} is no error rate; expected more than 0 and at most 0.5, like 0.05")]
    Rate {
        /// `alpha` or `beta`.
        name: &'static str,
        /// What was given.
        value: f64,
    },
    /// Both error rates are one half.
    #[error("with alpha and beta both 0.5 a test is over before the first game; expected smaller ones, like 0.05")]
    CoinToss,
}

impl Sprt {
    /// A test between two hypotheses.
    pub fn new(model: Model, hypotheses: Hypotheses, rates: ErrorRates) -> Result<Sprt, SprtError> {
        let Hypotheses { elo0, elo1 } = hypotheses;
        let most = model.most_elo();
        if let Some(elo) = [elo0, elo1].into_iter().find(|elo| !(-most..=most).contains(elo)) {
            return Err(SprtError::Range { elo, model });
        }
        if elo0 >= elo1 {
            return Err(SprtError::Order(hypotheses));
        }
        for (name, value) in [("alpha", rates.alpha), ("beta", rates.beta)] {
            if !(value > 0.0 && value <= 0.5) {
                return Err(SprtError::Rate { name, value });
            }
        }
        if rates.alpha == 0.5 && rates.beta == 0.5 {
            return Err(SprtError::CoinToss);
        }
        Ok(Sprt { model, hypotheses, rates })
    }

    /// What the hypotheses are about.
    pub fn model(&self) -> Model {
        self.model
    }

    /// The Elo differences to choose between.
    pub fn hypotheses(&self) -> Hypotheses {
        self.hypotheses
    }

    /// How often it may be wrong.
    pub fn rates(&self) -> ErrorRates {
        self.rates
    }

    /// The log-likelihood ratios at which it ends.
    pub fn bounds(&self) -> Bounds {
        let ErrorRates { alpha, beta } = self.rates;
        Bounds { lower: (beta / (1.0 - alpha)).ln(), upper: ((1.0 - beta) / alpha).ln() }
    }

    /// The log-likelihood ratio of these outcomes: positive if they speak for H1. Finite for any counts,
    /// and zero for none.
    pub fn llr(&self, outcomes: &impl Outcomes) -> f64 {
        let Some(sample) = Sample::of(outcomes) else { return 0.0 };
        let fit = |elo| match self.model {
            Model::Logistic => sample.fit_score(expected_score(elo)),
            Model::Normalized => sample.fit_nelo(elo),
        };
        let (divisors0, divisors1) = (fit(self.hypotheses.elo0), fit(self.hypotheses.elo1));
        let fits = divisors0.iter().zip(divisors1);
        sample.counts().iter().zip(fits).map(|(count, (divisor0, divisor1))| count * (divisor0 / divisor1).ln()).sum()
    }

    /// What these outcomes decide.
    pub fn verdict(&self, outcomes: &impl Outcomes) -> Verdict {
        self.bounds().verdict(self.llr(outcomes))
    }
}

impl Bounds {
    /// What this log-likelihood ratio decides.
    pub fn verdict(self, llr: f64) -> Verdict {
        if llr >= self.upper {
            Verdict::AcceptH1
        } else if llr <= self.lower {
            Verdict::AcceptH0
        } else {
            Verdict::Continue
        }
    }
}

impl Model {
    /// Its one name, in stores and reports.
    pub const fn name(self) -> &'static str {
        match self {
            Model::Logistic => "logistic",
            Model::Normalized => "normalized",
        }
    }

    /// The largest difference, of either sign, that a hypothesis may name. The normalized fit starts
    /// from equal shares, and above 231 nElo the first condition of pairs could not be met from there.
    pub const fn most_elo(self) -> f64 {
        match self {
            Model::Logistic => 1000.0,
            Model::Normalized => 200.0,
        }
    }
}

impl Verdict {
    /// Its one name, in stores and reports.
    pub const fn name(self) -> &'static str {
        match self {
            Verdict::Continue => "continue",
            Verdict::AcceptH0 => "accept-h0",
            Verdict::AcceptH1 => "accept-h1",
        }
    }
}

impl Default for ErrorRates {
    /// One in twenty each.
    fn default() -> ErrorRates {
        ErrorRates { alpha: 0.05, beta: 0.05 }
    }
}

impl fmt::Display for Model {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl fmt::Display for Hypotheses {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&format!("{},{}", self.elo0, self.elo1))
    }
}

impl FromStr for Hypotheses {
    type Err = SprtError;

    fn from_str(text: &str) -> Result<Hypotheses, SprtError> {
        let number = |part: &str| part.trim().parse().ok().filter(|elo: &f64| elo.is_finite());
        let both = text.split_once(',').and_then(|(low, high)| Some((number(low)?, number(high)?)));
        let (elo0, elo1) = both.ok_or_else(|| SprtError::Text(text.to_string()))?;
        Ok(Hypotheses { elo0, elo1 })
    }
}

#[cfg(test)]
mod tests {
    use super::{ErrorRates, Hypotheses, Model, Sprt, SprtError, Verdict};
    use crate::stats::outcomes::{Penta, Wdl};

    fn test(model: Model, hypotheses: &str, alpha: f64, beta: f64) -> Result<Sprt, String> {
        let made = hypotheses.parse().and_then(|pair| Sprt::new(model, pair, ErrorRates { alpha, beta }));
        made.map_err(|error: SprtError| error.to_string())
    }

    #[test]
    fn bounds_are_walds() {
        let bounds = test(Model::Normalized, "0,2", 0.05, 0.05).unwrap().bounds();
        assert_eq!(format!("{:.6} {:.6}", bounds.lower, bounds.upper), "-2.944439 2.944439");
        let bounds = test(Model::Normalized, "0,2", 0.05, 0.1).unwrap().bounds();
        assert_eq!(format!("{:.6} {:.6}", bounds.lower, bounds.upper), "-2.251292 2.890372");
        let verdicts = [-2.26, bounds.lower, 0.0, 2.89, bounds.upper].map(|llr| bounds.verdict(llr).name());
        assert_eq!(verdicts, ["accept-h0", "accept-h0", "continue", "continue", "accept-h1"]);
    }

    #[test]
    fn nothing_decides_nothing() {
        for model in [Model::Logistic, Model::Normalized] {
            let sprt = test(model, "-3,2.5", 0.5, 0.01).unwrap();
            assert_eq!((sprt.llr(&Penta::default()), sprt.verdict(&Wdl::default())), (0.0, Verdict::Continue));
        }
    }

    #[test]
    fn tests_that_cannot_be_are_refused() {
        let refused = |hypotheses, alpha, beta| test(Model::Normalized, hypotheses, alpha, beta).unwrap_err();
        for text in ["", "2", "0;2", "0,2,4", "a,b", "0,nan", "inf,3"] {
            let expected = "is not a pair of hypotheses; expected two Elo differences, like '0,2'";
            assert_eq!(refused(text, 0.05, 0.05), format!("'{text}' {expected}"));
        }
        assert_eq!(
            refused("2,0.5", 0.05, 0.05),
            "H0 at 2 is not below H1 at 0.5; expected the lower Elo difference first, like '0,2'"
        );
        assert!(refused("2,2", 0.05, 0.05).starts_with("H0 at 2 is not below H1 at 2;"));
        assert_eq!(
            refused("0,201", 0.05, 0.05),
            "an Elo difference of 201 cannot be tested in the normalized model; expected one from -200 to 200"
        );
        assert!(test(Model::Logistic, "0,201", 0.05, 0.05).is_ok());
        for wrong in [0.0, -0.1, 0.51, 1.0, f64::NAN] {
            let expected = "is no error rate; expected more than 0 and at most 0.5, like 0.05";
            assert_eq!(refused("0,2", wrong, 0.05), format!("alpha = {wrong} {expected}"));
            assert_eq!(refused("0,2", 0.05, wrong), format!("beta = {wrong} {expected}"));
        }
        assert!(refused("0,2", 0.5, 0.5).starts_with("with alpha and beta both 0.5"));
        let nan = Hypotheses { elo0: f64::NAN, elo1: 2.0 };
        assert!(matches!(Sprt::new(Model::Logistic, nan, ErrorRates::default()), Err(SprtError::Range { .. })));
    }

    #[test]
    fn a_surprising_win_may_speak_against_a_normalized_difference() {
        let (before, after) = (Penta([0, 0, 1000, 100, 0]), Penta([0, 0, 1000, 100, 1]));
        let change = |model| {
            let test = test(model, "100,150", 0.05, 0.05).unwrap();
            test.llr(&after) - test.llr(&before)
        };
        assert!(change(Model::Logistic) > 0.1 && change(Model::Normalized) < -0.1);
    }

    #[test]
    fn hypotheses_parse_back() {
        for text in ["0,2", "-1.75,0.25"] {
            assert_eq!(text.parse::<Hypotheses>().unwrap().to_string(), text);
        }
    }
}
