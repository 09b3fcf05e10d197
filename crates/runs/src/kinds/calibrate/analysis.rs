//! How well measurements predict games.

use plysmith_learn::stats::rank::{self, Correlation};
use serde::{Deserialize, Serialize};

use super::VariantRow;

/// A measurement on positions.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Measure {
    /// Less regret than the base.
    Regret,
    /// The share of positions with the best known move.
    Agreement,
}

/// Correlations of measurements with results of games.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Analysis {
    /// One for each measurement.
    pub correlations: Vec<MeasureCorrelation>,
    /// Elo for each unit of regret less, with its 95 % interval over the variants.
    pub slope: Estimate,
    /// How often the sign of the gain was that of the games, among variants whose gain differs from zero.
    pub right_signs: u64,
    /// Variants whose gain differs from zero.
    pub clear_gains: u64,
}

/// How a measurement correlates with results of games.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct MeasureCorrelation {
    /// The measurement.
    pub measure: Measure,
    /// Spearman's rank correlation.
    pub spearman: Estimate,
    /// Kendall's rank correlation.
    pub kendall: Estimate,
}

/// A number with its 95 % interval.
#[derive(Copy, Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Estimate {
    /// The number.
    pub value: f64,
    /// The lower end.
    pub low: f64,
    /// The upper end.
    pub high: f64,
}

impl Measure {
    /// All measurements.
    pub const ALL: [Measure; 2] = [Measure::Regret, Measure::Agreement];

    /// Its value for a variant; more is better.
    pub fn of(self, row: &VariantRow) -> f64 {
        match self {
            Measure::Regret => row.gain,
            Measure::Agreement => row.agreement,
        }
    }

    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Measure::Regret => "regret",
            Measure::Agreement => "agreement",
        }
    }
}

impl Analysis {
    /// The analysis of these variants; the seed is that of the bootstrap.
    pub fn of(rows: &[VariantRow], seed: u64) -> Analysis {
        let correlation = |measure: Measure| {
            let pairs: Vec<_> = rows.iter().map(|row| (measure.of(row), row.score)).collect();
            MeasureCorrelation {
                measure,
                spearman: rank::bootstrap(&pairs, seed, rank::spearman).into(),
                kendall: rank::bootstrap(&pairs, seed, rank::kendall).into(),
            }
        };
        let gains: Vec<_> = rows.iter().map(|row| (row.gain, row.elo.map_or(0.0, |elo| elo.value()))).collect();
        let clear: Vec<_> = rows.iter().filter(|row| row.gain.abs() > row.gain_error).collect();
        let right = clear.iter().filter(|row| (row.gain > 0.0) == (row.score > 0.5)).count();
        Analysis {
            correlations: Measure::ALL.map(correlation).to_vec(),
            slope: rank::bootstrap(&gains, seed, rank::slope).into(),
            right_signs: right as u64,
            clear_gains: clear.len() as u64,
        }
    }

    /// The analysis in words.
    pub fn text(&self) -> String {
        let mut text =
            "\nRank correlation with the score in games (95 % bootstrap intervals over the variants):\n\n".to_string();
        for MeasureCorrelation { measure, spearman, kendall } in &self.correlations {
            let [spearman, kendall] =
                [spearman, kendall].map(|e| format!("{:+.2} [{:+.2}, {:+.2}]", e.value, e.low, e.high));
            text += &format!("{:12} Spearman {spearman}   Kendall {kendall}\n", measure.name());
        }
        let Estimate { value, low, high } = self.slope;
        text += &format!(
            "\nA regret of 0.01 less is worth {:+.0} Elo [{:+.0}, {:+.0}]. Of {} variants whose regret differs from the \
             base's, {} have games of the same sign.\n",
            value / 100.0,
            low / 100.0,
            high / 100.0,
            self.clear_gains,
            self.right_signs,
        );
        text
    }
}

impl From<Correlation> for Estimate {
    fn from(Correlation { value, interval }: Correlation) -> Estimate {
        Estimate { value, low: interval.low, high: interval.high }
    }
}
