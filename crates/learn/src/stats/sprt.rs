//! The sequential probability ratio test (SPRT): games are played until one of two hypotheses about the Elo difference
//! is accepted.
//!
//! It is the generalized test (GSPRT) of fishtest and fastchess: parameters that a hypothesis leaves open, such as the
//! draw rate, take their maximum-likelihood values. The log-likelihood ratio (LLR) is Σ n_i ln(q1_i / q0_i) with the
//! fits q0 and q1 of `likelihood`; the bounds are Wald's (1945), ln(β/(1−α)) and ln((1−β)/α). An outcome that never
//! occurred counts as 1/1000.
//!
//! The BayesElo model is that of cutechess and of fishtest before 2019: it counts single games, and a hypothesis gives the
//! probabilities of a win and of a loss as 1 / (1 + 10^((d ∓ e)/400)), with the draw parameter d that fits the results best.
//!
//! In the logistic model every win raises the LLR and every loss lowers it. In the normalized model this does not
//! always hold: it compares the score with the deviation, and a surprising win raises both.

use std::{fmt, str::FromStr};

use thiserror::Error;

use super::{
    likelihood::{PerOutcome, Sample},
    outcomes::{Outcomes, Penta, Wdl},
    scale::{NELO_SCALE, expected_score},
};

/// The Elo scale of the hypotheses.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Hash)]
pub enum EloModel {
    /// Logistic Elo.
    Logistic,
    /// Normalized Elo.
    Normalized,
    /// BayesElo, of single games.
    Bayesian,
}

/// The two Elo differences to decide between. Its text has a comma between them, like `0,2`.
#[derive(Copy, Clone, PartialEq, Debug)]
pub struct Hypotheses {
    /// H0, the lower one: "no improvement".
    pub elo0: f64,
    /// H1, the higher one: "an improvement by this much".
    pub elo1: f64,
}

/// The error rates of the test.
#[derive(Copy, Clone, PartialEq, Debug)]
pub struct ErrorRates {
    /// Alpha: the probability to accept H1 if H0 is true.
    pub alpha: f64,
    /// Beta: the probability to accept H0 if H1 is true.
    pub beta: f64,
}

/// A sequential probability ratio test. It holds no counts, so one test can be applied to any outcomes.
#[derive(Copy, Clone, PartialEq, Debug)]
pub struct Sprt {
    model: EloModel,
    hypotheses: Hypotheses,
    rates: ErrorRates,
}

/// The LLR bounds at which a test stops.
#[derive(Copy, Clone, PartialEq, Debug)]
pub struct Bounds {
    /// H0 is accepted here and below.
    pub lower: f64,
    /// H1 is accepted here and above.
    pub upper: f64,
}

/// The decision of a test.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Hash)]
pub enum SprtVerdict {
    /// More games are needed.
    Continue,
    /// The lower Elo difference is accepted.
    AcceptH0,
    /// The higher Elo difference is accepted.
    AcceptH1,
}

/// Parameters that do not define a test.
#[derive(Debug, Clone, PartialEq, Error)]
pub enum SprtError {
    /// A text that is not two numbers.
    #[error("'{0}' is not a pair of hypotheses; expected two Elo differences, like '0,2'")]
    Text(String),
    /// The hypotheses are equal or in the wrong order.
    #[error("H0 at {} is not below H1 at {}; expected the lower Elo difference first, like '0,2'", .0.elo0, .0.elo1)]
    Order(Hypotheses),
    /// A hypothesis outside the range of the model, or not a number.
    #[error(
        "an Elo difference of {elo} cannot be tested in the {model} model; expected one from -{most} to {most}",
        most = .model.most_elo()
    )]
    Range {
        /// The value that was given.
        elo: f64,
        /// The model.
        model: EloModel,
    },
    /// An error rate outside its range.
    #[error("{name} = {value} is no error rate; expected more than 0 and at most 0.5, like 0.05")]
    Rate {
        /// `alpha` or `beta`.
        name: &'static str,
        /// The value that was given.
        value: f64,
    },
    /// Both error rates are one half.
    #[error("with alpha and beta both 0.5 a test is over before the first game; expected smaller ones, like 0.05")]
    BothHalf,
}

impl Sprt {
    /// Creates a test.
    pub fn new(model: EloModel, hypotheses: Hypotheses, rates: ErrorRates) -> Result<Sprt, SprtError> {
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
            return Err(SprtError::BothHalf);
        }
        Ok(Sprt { model, hypotheses, rates })
    }

    /// The Elo scale of the hypotheses.
    pub fn model(&self) -> EloModel {
        self.model
    }

    /// The Elo differences to decide between.
    pub fn hypotheses(&self) -> Hypotheses {
        self.hypotheses
    }

    /// The error rates.
    pub fn rates(&self) -> ErrorRates {
        self.rates
    }

    /// The LLR bounds at which the test stops.
    pub fn bounds(&self) -> Bounds {
        let ErrorRates { alpha, beta } = self.rates;
        Bounds { lower: (beta / (1.0 - alpha)).ln(), upper: ((1.0 - beta) / alpha).ln() }
    }

    /// The log-likelihood ratio of these outcomes: positive if they favour H1. It is finite for any counts, and zero
    /// without outcomes.
    ///
    /// The BayesElo model knows only single games: pairs of a win and a loss, or of two draws, are taken for the former.
    /// [`Sprt::llr_of`] knows better.
    pub fn llr(&self, outcomes: &impl Outcomes) -> f64 {
        if self.model == EloModel::Bayesian && outcomes.counts().as_ref().len() > 3 {
            return self.llr(&single_games(outcomes.counts().as_ref()));
        }
        let Some(sample) = Sample::of(outcomes) else { return 0.0 };
        let fit = |elo| match self.model {
            EloModel::Logistic => sample.fit_score(expected_score(elo)),
            EloModel::Normalized => sample.fit_nelo(elo),
            EloModel::Bayesian => fit_bayesian(sample.shares(), elo),
        };
        let (divisors0, divisors1) = (fit(self.hypotheses.elo0), fit(self.hypotheses.elo1));
        let fits = divisors0.iter().zip(divisors1);
        sample.counts().iter().zip(fits).map(|(count, (divisor0, divisor1))| count * (divisor0 / divisor1).ln()).sum()
    }

    /// The log-likelihood ratio of a match: of its pairs, or in the BayesElo model of its games.
    pub fn llr_of(&self, pairs: &Penta, games: &Wdl) -> f64 {
        if self.model == EloModel::Bayesian { self.llr(games) } else { self.llr(pairs) }
    }

    /// The decision for a match.
    pub fn verdict_of(&self, pairs: &Penta, games: &Wdl) -> SprtVerdict {
        self.bounds().verdict(self.llr_of(pairs, games))
    }

    /// The games that the test takes on average if the true difference is this, and the probability that it accepts H1:
    /// Wald's approximation, in which the LLR is a random walk with drift that ends exactly on a bound. The difference is
    /// on the scale of the hypotheses. In the logistic model, games have a standard deviation of one half, as without draws.
    pub fn expected_games(&self, elo: f64) -> (f64, f64) {
        // All in standard deviations of a game.
        let scaled = |elo: f64| match self.model {
            EloModel::Logistic | EloModel::Bayesian => 2.0 * (expected_score(elo) - 0.5),
            EloModel::Normalized => elo / NELO_SCALE,
        };
        let [h0, h1, truth] = [self.hypotheses.elo0, self.hypotheses.elo1, elo].map(scaled);
        let (step, variance) = ((h1 - h0) * (truth - (h0 + h1) / 2.0), (h1 - h0).powi(2));
        let Bounds { lower, upper } = self.bounds();
        // Without drift: the limits of the formulas below.
        if (step / variance).abs() < 1e-6 {
            return (-lower * upper / variance, -lower / (upper - lower));
        }
        let [to_lower, to_both] = [lower, lower - upper].map(|height| 2.0 * step * height / variance);
        // Large exponentials cancel.
        let accepts_h1 = if to_both > 50.0 { (to_lower - to_both).exp() } else { to_lower.exp_m1() / to_both.exp_m1() };
        ((accepts_h1 * upper + (1.0 - accepts_h1) * lower) / step, accepts_h1)
    }

    /// The decision for these outcomes.
    pub fn verdict(&self, outcomes: &impl Outcomes) -> SprtVerdict {
        self.bounds().verdict(self.llr(outcomes))
    }
}

/// The games of pairs, as far as they are known.
fn single_games(pairs: &[u64]) -> Wdl {
    let pair = |index: usize| pairs.get(index).copied().unwrap_or_default();
    let double = |count: u64, more: u64| count.saturating_mul(2).saturating_add(more).saturating_add(pair(2));
    Wdl { wins: double(pair(4), pair(3)), draws: pair(1).saturating_add(pair(3)), losses: double(pair(0), pair(1)) }
}

/// The divisors of losses, draws and wins at this BayesElo, with the draw parameter that fits these shares.
///
/// With A = 10^(d/400) and x = 10^(e/400): wins x/(x+A), losses 1/(1+Ax), and draws the rest, which is written as a product
/// because subtracting would lose its digits. The fit is A² = (1−l)(1−w)/(lw) = 1 + d/(lw).
fn fit_bayesian(shares: &PerOutcome, elo: f64) -> PerOutcome {
    let [losses, draws, wins, ..] = *shares;
    let excess = draws / (losses * wins);
    let (a, x) = ((1.0 + excess).sqrt(), 10f64.powf(elo / 400.0));
    let mut divisors = [1.0; 5];
    divisors[0] = losses * (1.0 + a * x);
    divisors[1] = draws * (x + a) * (1.0 + a * x) / (excess * x);
    divisors[2] = wins * (x + a) / x;
    divisors
}

impl Bounds {
    /// The decision for this log-likelihood ratio.
    pub fn verdict(self, llr: f64) -> SprtVerdict {
        if llr >= self.upper {
            SprtVerdict::AcceptH1
        } else if llr <= self.lower {
            SprtVerdict::AcceptH0
        } else {
            SprtVerdict::Continue
        }
    }
}

impl EloModel {
    /// All of them.
    pub const ALL: [EloModel; 3] = [EloModel::Logistic, EloModel::Normalized, EloModel::Bayesian];

    /// The name used in stores and reports.
    pub const fn name(self) -> &'static str {
        match self {
            EloModel::Logistic => "logistic",
            EloModel::Normalized => "normalized",
            EloModel::Bayesian => "bayesian",
        }
    }

    /// The largest absolute Elo difference of a hypothesis. The normalized fit starts from equal shares, and above 231
    /// nElo the first condition for pairs cannot be met from there.
    pub const fn most_elo(self) -> f64 {
        match self {
            EloModel::Logistic | EloModel::Bayesian => 1000.0,
            EloModel::Normalized => 200.0,
        }
    }
}

impl SprtVerdict {
    /// The name used in stores and reports.
    pub const fn name(self) -> &'static str {
        match self {
            SprtVerdict::Continue => "continue",
            SprtVerdict::AcceptH0 => "accept-h0",
            SprtVerdict::AcceptH1 => "accept-h1",
        }
    }
}

impl Default for ErrorRates {
    /// 5 % each.
    fn default() -> ErrorRates {
        ErrorRates { alpha: 0.05, beta: 0.05 }
    }
}

impl fmt::Display for EloModel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl fmt::Display for SprtVerdict {
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
    use super::{EloModel, ErrorRates, Hypotheses, Sprt, SprtError, SprtVerdict};
    use crate::stats::outcomes::{Penta, Wdl};

    fn test(model: EloModel, hypotheses: &str, alpha: f64, beta: f64) -> Result<Sprt, String> {
        let made = hypotheses.parse().and_then(|pair| Sprt::new(model, pair, ErrorRates { alpha, beta }));
        made.map_err(|error: SprtError| error.to_string())
    }

    #[test]
    fn bounds_are_walds() {
        let bounds = test(EloModel::Normalized, "0,2", 0.05, 0.05).unwrap().bounds();
        assert_eq!(format!("{:.6} {:.6}", bounds.lower, bounds.upper), "-2.944439 2.944439");
        let bounds = test(EloModel::Normalized, "0,2", 0.05, 0.1).unwrap().bounds();
        assert_eq!(format!("{:.6} {:.6}", bounds.lower, bounds.upper), "-2.251292 2.890372");
        let verdicts = [-2.26, bounds.lower, 0.0, 2.89, bounds.upper].map(|llr| bounds.verdict(llr).name());
        assert_eq!(verdicts, ["accept-h0", "accept-h0", "continue", "continue", "accept-h1"]);
    }

    /// The formula of cutechess, written as it is usually given.
    fn bayesian_llr(games: Wdl, elo0: f64, elo1: f64) -> f64 {
        let [w, d, l] = [games.wins, games.draws, games.losses].map(|count| count as f64);
        let (pw, pl) = (w / (w + d + l), l / (w + d + l));
        let draw_elo = 200.0 * ((1.0 - pl) / pl * (1.0 - pw) / pw).log10();
        let shares = |elo: f64| {
            let share = |elo: f64| 1.0 / (1.0 + 10f64.powf((draw_elo - elo) / 400.0));
            (share(elo), 1.0 - share(elo) - share(-elo), share(-elo))
        };
        let ((w0, d0, l0), (w1, d1, l1)) = (shares(elo0), shares(elo1));
        w * (w1 / w0).ln() + d * (d1 / d0).ln() + l * (l1 / l0).ln()
    }

    #[test]
    fn bayesian_ratios_are_those_of_cutechess() {
        for (games, hypotheses) in [
            (Wdl { wins: 136, draws: 111, losses: 96 }, (0.0, 5.0)),
            (Wdl { wins: 36_433, draws: 68_692, losses: 36_027 }, (-1.5, 4.5)),
            (Wdl { wins: 10, draws: 1, losses: 300 }, (-20.0, 30.0)),
        ] {
            let (elo0, elo1) = hypotheses;
            let test = test(EloModel::Bayesian, &format!("{elo0},{elo1}"), 0.05, 0.05).unwrap();
            let expected = bayesian_llr(games, elo0, elo1);
            assert!((test.llr(&games) - expected).abs() < 1e-6 * expected.abs().max(1.0), "{games}: {expected}");
        }
        let test = test(EloModel::Bayesian, "0,5", 0.05, 0.05).unwrap();
        let extreme = Wdl { wins: u64::MAX, draws: 0, losses: 0 };
        assert!(test.llr(&extreme).is_finite() && test.llr(&Penta([0, 0, 3, 0, u64::MAX])).is_finite());
        let (pairs, games) = (Penta([0, 0, 5, 0, 0]), Wdl { wins: 0, draws: 10, losses: 0 });
        assert_eq!(test.llr_of(&pairs, &games), test.llr(&games));
    }

    #[test]
    fn nothing_decides_nothing() {
        for model in EloModel::ALL {
            let sprt = test(model, "-3,2.5", 0.5, 0.01).unwrap();
            assert_eq!((sprt.llr(&Penta::default()), sprt.verdict(&Wdl::default())), (0.0, SprtVerdict::Continue));
        }
    }

    #[test]
    fn tests_that_cannot_be_are_refused() {
        let refused = |hypotheses, alpha, beta| test(EloModel::Normalized, hypotheses, alpha, beta).unwrap_err();
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
        assert!(test(EloModel::Logistic, "0,201", 0.05, 0.05).is_ok());
        for wrong in [0.0, -0.1, 0.51, 1.0, f64::NAN] {
            let expected = "is no error rate; expected more than 0 and at most 0.5, like 0.05";
            assert_eq!(refused("0,2", wrong, 0.05), format!("alpha = {wrong} {expected}"));
            assert_eq!(refused("0,2", 0.05, wrong), format!("beta = {wrong} {expected}"));
        }
        assert!(refused("0,2", 0.5, 0.5).starts_with("with alpha and beta both 0.5"));
        let nan = Hypotheses { elo0: f64::NAN, elo1: 2.0 };
        assert!(matches!(Sprt::new(EloModel::Logistic, nan, ErrorRates::default()), Err(SprtError::Range { .. })));
    }

    #[test]
    fn a_surprising_win_may_speak_against_a_normalized_difference() {
        let (before, after) = (Penta([0, 0, 1000, 100, 0]), Penta([0, 0, 1000, 100, 1]));
        let change = |model| {
            let test = test(model, "100,150", 0.05, 0.05).unwrap();
            test.llr(&after) - test.llr(&before)
        };
        assert!(change(EloModel::Logistic) > 0.1 && change(EloModel::Normalized) < -0.1);
    }

    #[test]
    fn hypotheses_parse_back() {
        for text in ["0,2", "-1.75,0.25"] {
            assert_eq!(text.parse::<Hypotheses>().unwrap().to_string(), text);
        }
    }
}
