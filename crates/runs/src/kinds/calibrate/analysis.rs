//! How well measurements predict games, and what a decision costs by either.
//!
//! Whoever tries several measurements and reports the best overstates it. So the first half of the variants chooses the
//! measurement, and the second half says how good it is.

use plysmith_learn::stats::rank::{self, Correlation};
use plysmith_learn::stats::{EloModel, ErrorRates, Hypotheses, Sprt};
use serde::{Deserialize, Serialize};

use super::rows::VariantRow;
use crate::screening::{USUAL_ERROR, Verdict, positions_to_tell};
use crate::summary::Range;

/// A measurement on positions.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Measure {
    /// Less regret than the base.
    Regret,
    /// The share of positions with the best known move.
    Agreement,
    /// Problems solved.
    Solved,
    /// Problems solved with ten times the nodes.
    SolvedWithMore,
    /// Nodes to the solution of problems.
    SolutionNodes,
    /// The share of problems solved less the share of moves with a feature: the papers' idea against features that are so
    /// frequent that they extend everything.
    SolvedLessFrequency,
}

/// Correlations of measurements with results of games.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Analysis {
    /// One for each measurement.
    pub correlations: Vec<MeasureCorrelation>,
    /// The measurement that the first half of the variants chooses, and its rank correlation on the second half.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub chosen: Option<(Measure, Estimate)>,
    /// Elo for each unit of regret less, with its 95 % interval over the variants.
    pub slope: Estimate,
    /// Variants that a screening tells from the base and whose games have the same sign.
    pub right_signs: u64,
    /// Variants that a screening tells from the base.
    pub clear_gains: u64,
    /// What it costs to tell variants from the base whose games differ clearly.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub decisions: Vec<Decision>,
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

/// What it costs to tell a variant from the base.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Decision {
    /// The variant.
    pub player: String,
    /// Its normalized Elo difference to the base.
    pub nelo: f64,
    /// Positions that a screening needs, and their nodes; none if its regret does not show the difference, or shows the
    /// opposite.
    pub screening: Option<[u64; 2]>,
    /// Games that an SPRT needs, and their nodes.
    pub sprt: [u64; 2],
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

/// The hypotheses of the SPRT that screenings are compared with: what engine authors use for larger changes.
pub const SPRT: Hypotheses = Hypotheses { elo0: 0.0, elo1: 10.0 };

impl Measure {
    /// All measurements; the first is the default.
    pub const ALL: [Measure; 6] = [
        Measure::Regret,
        Measure::Agreement,
        Measure::Solved,
        Measure::SolvedWithMore,
        Measure::SolutionNodes,
        Measure::SolvedLessFrequency,
    ];

    /// Its value for a variant; more is better. None if it was not measured.
    fn of(self, row: &VariantRow) -> Option<f64> {
        match self {
            Measure::Regret => Some(row.gain),
            Measure::Agreement => Some(row.agreement),
            Measure::Solved => row.solved.map(f64::from),
            Measure::SolvedWithMore => row.solved_with_more.map(f64::from),
            Measure::SolutionNodes => row.solution_nodes.map(|nodes| -(nodes as f64)),
            Measure::SolvedLessFrequency => row.solved_share.map(|share| share - row.frequency),
        }
    }

    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Measure::Regret => "regret",
            Measure::Agreement => "agreement",
            Measure::Solved => "solved",
            Measure::SolvedWithMore => "solved, 10 × nodes",
            Measure::SolutionNodes => "nodes to solution",
            Measure::SolvedLessFrequency => "solved - frequency",
        }
    }

    /// Its values with the results of games.
    fn pairs<'a>(self, rows: impl Iterator<Item = &'a VariantRow>) -> Option<Vec<(f64, f64)>> {
        rows.map(|row| Some((self.of(row)?, row.score))).collect()
    }
}

impl Analysis {
    /// The analysis of these variants on a suite of this size; the seed is that of the bootstrap.
    pub fn of(rows: &[VariantRow], positions: usize, seed: u64) -> Analysis {
        let correlations = Measure::ALL.into_iter().filter_map(|measure| {
            let pairs = measure.pairs(rows.iter())?;
            Some(MeasureCorrelation {
                measure,
                spearman: rank::bootstrap(&pairs, seed, rank::spearman).into(),
                kendall: rank::bootstrap(&pairs, seed, rank::kendall).into(),
            })
        });
        let gains: Vec<_> = rows.iter().map(|row| (row.gain, row.elo.map_or(0.0, |elo| elo.value()))).collect();
        let told: Vec<_> = rows.iter().filter(|row| row.verdict.is_some_and(|v| v != Verdict::CannotTell)).collect();
        let right = told.iter().filter(|row| (row.verdict == Some(Verdict::Better)) == (row.score > 0.5)).count();
        Analysis {
            correlations: correlations.collect(),
            chosen: chosen(rows, seed),
            slope: rank::bootstrap(&gains, seed, rank::slope).into(),
            right_signs: right as u64,
            clear_gains: told.len() as u64,
            decisions: rows.iter().filter_map(|row| Decision::of(row, positions)).collect(),
        }
    }

    /// The correlation of a measurement.
    pub fn correlation(&self, measure: Measure) -> Option<&MeasureCorrelation> {
        self.correlations.iter().find(|correlation| correlation.measure == measure)
    }

    /// How many times fewer nodes a screening takes than an SPRT, over the variants that both tell from the base: the
    /// median.
    pub fn median_saving(&self) -> Option<f64> {
        let mut savings: Vec<f64> = self.decisions.iter().filter_map(Decision::saving).collect();
        savings.sort_by(f64::total_cmp);
        savings.get(savings.len() / 2).copied()
    }
}

/// The measurement with the highest correlation on every other variant, and its correlation on the rest.
fn chosen(rows: &[VariantRow], seed: u64) -> Option<(Measure, Estimate)> {
    let half = |first: usize| rows.iter().skip(first).step_by(2);
    let on_first = |measure: &Measure| measure.pairs(half(0)).map(|pairs| rank::spearman(&pairs));
    // The first of several equals.
    let best = Measure::ALL.into_iter().rev().filter_map(|measure| Some((measure, on_first(&measure)?)));
    let (measure, _) = best.max_by(|one, other| one.1.total_cmp(&other.1))?;
    let pairs = measure.pairs(half(1)).filter(|pairs| !pairs.is_empty())?;
    Some((measure, rank::bootstrap(&pairs, seed, rank::spearman).into()))
}

impl Decision {
    /// The costs for a variant whose games differ clearly from those of equals.
    fn of(row: &VariantRow, positions: usize) -> Option<Decision> {
        let nelo = row.nelo.filter(Range::excludes_zero)?.value();
        let same_sign = (row.gain > 0.0) == (nelo > 0.0);
        let needed = positions_to_tell(USUAL_ERROR, positions, row.gain, row.deviation?).filter(|_| same_sign);
        let screening =
            needed.map(|needed| [needed, needed.saturating_mul(row.screening_nodes / positions.max(1) as u64)]);
        let sprt = Sprt::new(EloModel::Normalized, SPRT, ErrorRates { alpha: USUAL_ERROR, beta: USUAL_ERROR }).ok()?;
        let games = sprt.expected_games(nelo.abs()).0.ceil() as u64;
        let nodes_per_game = row.nodes[0] / row.games.max(1);
        Some(Decision {
            player: row.player.clone(),
            nelo,
            screening,
            sprt: [games, games.saturating_mul(nodes_per_game)],
        })
    }

    /// How many times fewer nodes a screening takes; none if it cannot tell.
    pub fn saving(&self) -> Option<f64> {
        self.screening.map(|[_, nodes]| self.sprt[1] as f64 / nodes.max(1) as f64)
    }
}

impl From<Correlation> for Estimate {
    fn from(Correlation { value, interval }: Correlation) -> Estimate {
        Estimate { value, low: interval.low, high: interval.high }
    }
}

impl Estimate {
    /// `[value, low, high]`.
    pub fn three(self) -> [f64; 3] {
        [self.value, self.low, self.high]
    }
}
