//! What results say about the strength of two sides: score, Elo, normalized Elo, likelihood of superiority.
//!
//! From 100 pairs on, the formulas of fishtest hold: a value with an error bar. Below that they do not, and the values are
//! medians with 95 % credible intervals ([`plysmith_learn::stats::credible`]).

use plysmith_learn::stats::credible::{Credible, Posterior, is_few};
use plysmith_learn::stats::elo::{EloEstimate, likelihood_of_superiority, logistic_elo, normalized_elo};
use plysmith_learn::stats::outcomes::Outcomes;
use serde::{Deserialize, Serialize};

use crate::view::percent;

/// What counted results say. Without results there is nothing to say.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Estimates {
    /// The 95 % credible interval of the score, if there are too few results for an error bar.
    pub score: Option<[f64; 2]>,
    /// Logistic Elo difference.
    pub elo: Option<Range>,
    /// Normalized Elo difference.
    pub nelo: Option<Range>,
    /// Likelihood of superiority.
    pub los: Option<f64>,
}

/// A value with its 95 % interval.
#[derive(Copy, Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Range {
    /// A median with its credible interval: of few results.
    Credible {
        /// The median.
        value: f64,
        /// The ends of the interval.
        credible: [f64; 2],
    },
    /// A value with its error bar.
    Normal {
        /// The value.
        value: f64,
        /// Half the width of the interval, if it is known.
        error: Option<f64>,
    },
}

/// What is said below a table or a line with such intervals.
pub const CREDIBLE: &str = "[low, high] is a 95 % credible interval; there are fewer than 100 pairs";

impl Estimates {
    /// What these results say.
    pub fn of(outcomes: &impl Outcomes) -> Estimates {
        if !is_few(outcomes) {
            return Estimates {
                score: None,
                elo: logistic_elo(outcomes).map(Range::from),
                nelo: normalized_elo(outcomes).map(Range::from),
                los: likelihood_of_superiority(outcomes),
            };
        }
        let Some(posterior) = Posterior::of(outcomes) else { return Estimates::default() };
        let Credible { low, high, .. } = posterior.score();
        Estimates {
            score: Some([low, high]),
            elo: Some(posterior.logistic_elo().into()),
            nelo: Some(posterior.normalized_elo().into()),
            los: Some(posterior.likelihood_of_superiority()),
        }
    }
}

/// JSON has no infinity, and nobody is that much stronger.
fn bounded(value: f64) -> f64 {
    value.clamp(-9999.0, 9999.0)
}

impl From<EloEstimate> for Range {
    fn from(estimate: EloEstimate) -> Range {
        Range::Normal { value: bounded(estimate.value), error: estimate.error }
    }
}

impl From<Credible> for Range {
    fn from(Credible { median, low, high }: Credible) -> Range {
        Range::Credible { value: bounded(median), credible: [low, high].map(bounded) }
    }
}

impl Range {
    /// The value.
    pub fn value(&self) -> f64 {
        match self {
            Range::Credible { value, .. } | Range::Normal { value, .. } => *value,
        }
    }

    /// Whether the interval is all above or all below zero.
    pub fn excludes_zero(&self) -> bool {
        match self {
            Range::Credible { credible: [low, high], .. } => *low > 0.0 || *high < 0.0,
            Range::Normal { value, error } => error.is_some_and(|error| value.abs() > error),
        }
    }

    /// `+12.34 ± 5.67`, or `+12 [-120, +151]`. Few results do not say more digits.
    pub fn text(&self) -> String {
        match self {
            Range::Credible { value, credible: [low, high] } => {
                format!("{} [{}, {}]", whole(*value), whole(*low), whole(*high))
            }
            Range::Normal { value, error: Some(error) } => format!("{value:+.2} ± {error:.2}"),
            Range::Normal { value, error: None } => format!("{value:+.2} (no error bar)"),
        }
    }

    /// The text, or a dash if there is no value.
    pub fn text_or_dash(range: Option<Range>) -> String {
        range.map_or("–".to_string(), |range| range.text())
    }
}

/// A whole number with its sign, and no negative zero.
fn whole(value: f64) -> String {
    format!("{:+}", value.round() as i64)
}

/// The interval of a score in per cent: `± 1.23`, or `[26.8, 93.5]` for few results.
pub fn score_interval(credible: Option<[f64; 2]>, plain: f64) -> String {
    match credible {
        Some([low, high]) => format!("[{:.1}, {:.1}]", 100.0 * low, 100.0 * high),
        None => format!("± {:.2}", 100.0 * plain),
    }
}

/// A likelihood of superiority. Few results are never certain.
pub fn los_text(los: Option<f64>, is_credible: bool) -> String {
    match los {
        None => "–".to_string(),
        Some(los) if is_credible && los > 0.9999 => "> 99.99 %".to_string(),
        Some(los) if is_credible && los < 0.0001 => "< 0.01 %".to_string(),
        Some(los) => percent(los),
    }
}

#[cfg(test)]
mod tests {
    use plysmith_learn::stats::outcomes::Penta;

    use super::{Estimates, Range, los_text};

    #[test]
    fn few_pairs_have_intervals_and_many_have_error_bars() {
        let estimates = Estimates::of(&Penta([0, 0, 0, 0, 2]));
        assert!(matches!(estimates.elo, Some(Range::Credible { .. })) && estimates.score.is_some());
        assert_eq!(Range::text_or_dash(estimates.elo), "+185 [-90, +535]");
        let estimates = Estimates::of(&Penta([34, 54, 63, 64, 75]));
        assert_eq!(Range::text_or_dash(estimates.elo), "+55.58 ± 27.65");
        assert!(estimates.score.is_none());
        assert_eq!(Estimates::of(&Penta::default()), Estimates::default());
    }

    #[test]
    fn nothing_is_certain_after_few_games() {
        let text = |counts| los_text(Estimates::of(&Penta(counts)).los, true);
        assert_eq!((text([0, 0, 0, 0, 99]), text([99, 0, 0, 0, 0])), ("> 99.99 %".into(), "< 0.01 %".into()));
        assert_eq!(text([0, 0, 3, 0, 0]), "50.00 %");
    }

    #[test]
    fn ranges_of_all_versions_read_back() {
        for text in
            [r#"{"value":1.5,"error":0.5}"#, r#"{"value":1.5,"error":null}"#, r#"{"value":1.5,"credible":[0.0,3.0]}"#]
        {
            let range: Range = serde_json::from_str(text).unwrap();
            assert_eq!(serde_json::to_string(&range).unwrap(), text);
            assert!(!range.text().contains('?'), "{}", range.text());
        }
    }
}
