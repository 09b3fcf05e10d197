//! What a sample costs, by different fitnesses. Lower is better.
//!
//! | text | cost of a problem or position | suite |
//! | --- | --- | --- |
//! | `solved` | 1 if it is not solved (the papers' fitness) | problems |
//! | `nodes` | nodes to the solution, as a share of the node limit | problems |
//! | `agreement` | 1 if the move is not the best known one | either |
//! | `regret` | expected points that the move gives away, at most 0.5 | graded |
//! | `regret+frequency=COST` | the same, plus COST times the share of moves whose cost a feature decided | as without |

use std::fmt;
use std::ops::Deref;
use std::str::FromStr;
use std::sync::Arc;

use thiserror::Error;

use super::sample::Sample;
use crate::examiner::MOST_REGRET;

/// What candidates are rated by.
pub trait Fitness: fmt::Debug + Send + Sync {
    /// The name on the command line, in stores and in reports.
    fn name(&self) -> String;

    /// What a cost is, in a few words.
    fn meaning(&self) -> String;

    /// The suites that have samples of it.
    fn suite(&self) -> SuiteKind;

    /// The largest cost of a sample.
    fn worst(&self) -> f64;

    /// What a sample costs; the largest cost if it does not say.
    fn cost(&self, sample: &Sample) -> f64;

    /// Whether the cost is that of one column of a report, and not put together.
    fn is_plain(&self) -> bool {
        true
    }

    /// Whether the cost depends on where a search finds the solution.
    fn needs_solution_nodes(&self) -> bool {
        false
    }
}

/// The kind of suite that has samples of a fitness.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum SuiteKind {
    /// Problems with solutions.
    Problems,
    /// Positions whose moves have values.
    Graded,
    /// Either.
    Either,
}

/// A fitness that was chosen by its text.
#[derive(Clone, Debug)]
pub struct FitnessChoice(Arc<dyn Fitness>);

/// A text that is not a fitness.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error(
    "'{text}' is not a fitness; expected 'solved', 'nodes', 'agreement' or 'regret', or one of them with a cost for \
     moves with a feature, like 'regret+frequency=0.02'"
)]
pub struct UnknownFitness {
    /// The text that was read.
    pub text: String,
}

/// Problems solved.
#[derive(Debug)]
struct Solved;

/// Nodes to the solution.
#[derive(Debug)]
struct Nodes;

/// Agreement with the best known move.
#[derive(Debug)]
struct Agreement;

/// Expected points given away.
#[derive(Debug)]
struct Regret;

/// Another fitness, plus a cost for moves with a feature: features that fire everywhere extend everything.
#[derive(Debug)]
struct WithFrequency {
    base: Arc<dyn Fitness>,
    /// Of a search in which every move has a feature.
    cost: f64,
}

/// The largest cost of frequency. With more, nothing else would matter.
const MOST_FREQUENCY_COST: f64 = 100.0;

impl Fitness for Solved {
    fn name(&self) -> String {
        "solved".to_string()
    }

    fn meaning(&self) -> String {
        "share of problems that are not solved".to_string()
    }

    fn suite(&self) -> SuiteKind {
        SuiteKind::Problems
    }

    fn worst(&self) -> f64 {
        1.0
    }

    fn cost(&self, sample: &Sample) -> f64 {
        if sample.solved == Some(true) { 0.0 } else { 1.0 }
    }
}

impl Fitness for Nodes {
    fn name(&self) -> String {
        "nodes".to_string()
    }

    fn meaning(&self) -> String {
        "nodes to the solution, as a share of the node limit".to_string()
    }

    fn suite(&self) -> SuiteKind {
        SuiteKind::Problems
    }

    fn worst(&self) -> f64 {
        1.0
    }

    fn cost(&self, sample: &Sample) -> f64 {
        sample.to_solution.unwrap_or(1.0)
    }

    fn needs_solution_nodes(&self) -> bool {
        true
    }
}

impl Fitness for Agreement {
    fn name(&self) -> String {
        "agreement".to_string()
    }

    fn meaning(&self) -> String {
        "share of moves that are not the best known ones".to_string()
    }

    fn suite(&self) -> SuiteKind {
        SuiteKind::Either
    }

    fn worst(&self) -> f64 {
        1.0
    }

    fn cost(&self, sample: &Sample) -> f64 {
        if sample.agrees { 0.0 } else { 1.0 }
    }
}

impl Fitness for Regret {
    fn name(&self) -> String {
        "regret".to_string()
    }

    fn meaning(&self) -> String {
        "expected points that a move gives away".to_string()
    }

    fn suite(&self) -> SuiteKind {
        SuiteKind::Graded
    }

    fn worst(&self) -> f64 {
        MOST_REGRET
    }

    fn cost(&self, sample: &Sample) -> f64 {
        sample.regret.unwrap_or(MOST_REGRET).min(MOST_REGRET)
    }
}

impl Fitness for WithFrequency {
    fn name(&self) -> String {
        format!("{}+frequency={}", self.base.name(), self.cost)
    }

    fn meaning(&self) -> String {
        format!("{}, plus {} times the share of moves with a feature", self.base.meaning(), self.cost)
    }

    fn suite(&self) -> SuiteKind {
        self.base.suite()
    }

    fn worst(&self) -> f64 {
        self.base.worst() + self.cost
    }

    fn cost(&self, sample: &Sample) -> f64 {
        self.base.cost(sample) + self.cost * sample.frequency
    }

    fn is_plain(&self) -> bool {
        false
    }

    fn needs_solution_nodes(&self) -> bool {
        self.base.needs_solution_nodes()
    }
}

impl FitnessChoice {
    /// What moves cost in ordinary positions.
    pub fn regret() -> FitnessChoice {
        FitnessChoice(Arc::new(Regret))
    }

    /// Whether this is the papers' fitness: problems solved.
    pub fn is_solved(&self) -> bool {
        self.name() == Solved.name()
    }

    /// Whether this is what weights are usually tuned by: nodes to the solution.
    pub fn is_nodes(&self) -> bool {
        self.name() == Nodes.name()
    }
}

impl Deref for FitnessChoice {
    type Target = dyn Fitness;

    fn deref(&self) -> &(dyn Fitness + 'static) {
        self.0.as_ref()
    }
}

impl PartialEq for FitnessChoice {
    fn eq(&self, other: &FitnessChoice) -> bool {
        self.name() == other.name()
    }
}

impl fmt::Display for FitnessChoice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.name())
    }
}

impl FromStr for FitnessChoice {
    type Err = UnknownFitness;

    fn from_str(text: &str) -> Result<FitnessChoice, UnknownFitness> {
        let unknown = || UnknownFitness { text: text.to_string() };
        let (base, cost) = match text.split_once('+') {
            Some((base, cost)) => (base, Some(cost.strip_prefix("frequency=").ok_or_else(unknown)?)),
            None => (text, None),
        };
        let base: Arc<dyn Fitness> = match base {
            "solved" => Arc::new(Solved),
            "nodes" => Arc::new(Nodes),
            "agreement" => Arc::new(Agreement),
            "regret" => Arc::new(Regret),
            _ => return Err(unknown()),
        };
        let Some(cost) = cost else { return Ok(FitnessChoice(base)) };
        let cost = cost.parse().ok().filter(|cost: &f64| *cost > 0.0 && *cost <= MOST_FREQUENCY_COST);
        Ok(FitnessChoice(Arc::new(WithFrequency { base, cost: cost.ok_or_else(unknown)? })))
    }
}

#[cfg(test)]
mod tests {
    use super::{FitnessChoice, Sample, SuiteKind};

    /// Every fitness, and some with a cost of frequency.
    const ALL: [&str; 7] = [
        "solved",
        "nodes",
        "agreement",
        "regret",
        "regret+frequency=0.02",
        "solved+frequency=1.5",
        "agreement+frequency=0.1",
    ];

    fn fitness(text: &str) -> FitnessChoice {
        text.parse().unwrap()
    }

    /// Samples of all kinds that the suites of a fitness have.
    fn samples(kind: SuiteKind) -> Vec<Sample> {
        let mut all = Vec::new();
        for frequency in [0.0, 0.3, 1.0] {
            for agrees in [false, true] {
                let base = Sample { agrees, frequency, ..Sample::default() };
                if kind != SuiteKind::Graded {
                    let solutions = [(false, 1.0), (true, 0.0), (true, 0.4), (true, 1.0)];
                    all.extend(solutions.map(|(solved, share)| Sample {
                        solved: Some(solved),
                        to_solution: Some(share),
                        ..base
                    }));
                }
                if kind != SuiteKind::Problems {
                    all.extend([-0.2, 0.0, 0.1, 0.9].map(|regret| Sample { regret: Some(regret), ..base }));
                }
            }
        }
        all
    }

    /// Whether a sample is at least as good as another in every respect.
    fn is_as_good(one: &Sample, other: &Sample) -> bool {
        one.solved >= other.solved
            && one.agrees >= other.agrees
            && one.to_solution <= other.to_solution
            && one.regret <= other.regret
            && one.frequency <= other.frequency
    }

    /// What every fitness must do: costs are bounded, repeatable, and no higher for what is better in every respect; its
    /// name reads back; and a sample that says nothing has the largest cost but for frequency.
    #[test]
    fn every_fitness_conforms() {
        for text in ALL {
            let fitness = fitness(text);
            assert_eq!(fitness.to_string(), text, "the name reads back");
            assert_eq!(text.parse::<FitnessChoice>().unwrap(), fitness);
            assert!(!fitness.meaning().is_empty() && fitness.worst() > 0.0, "{text}");
            let samples = samples(fitness.suite());
            let mut costs: Vec<f64> = samples.iter().map(|sample| fitness.cost(sample)).collect();
            for (sample, cost) in samples.iter().zip(&costs) {
                assert!((-1.0..=fitness.worst()).contains(cost), "{text}: {cost} of {sample:?}");
                assert_eq!(fitness.cost(&sample.clone()), *cost, "{text}: the same sample costs the same");
            }
            for one in &samples {
                for other in samples.iter().filter(|other| is_as_good(one, other)) {
                    assert!(fitness.cost(one) <= fitness.cost(other), "{text}: {one:?} against {other:?}");
                }
            }
            costs.sort_by(f64::total_cmp);
            assert!(costs[0] < costs[costs.len() - 1], "{text}: a fitness tells some samples apart");
            let silent = Sample { frequency: 1.0, ..Sample::default() };
            assert_eq!(fitness.cost(&silent), fitness.worst(), "{text}: what is not known costs most");
        }
    }

    #[test]
    fn frequency_costs_what_is_said() {
        let often = Sample { regret: Some(0.1), frequency: 0.5, ..Sample::default() };
        assert_eq!(fitness("regret").cost(&often), 0.1);
        assert!((fitness("regret+frequency=0.02").cost(&often) - 0.11).abs() < 1e-12);
        assert_eq!(fitness("regret+frequency=0.020").to_string(), "regret+frequency=0.02");
        assert!(fitness("nodes+frequency=1").needs_solution_nodes() && !fitness("regret").needs_solution_nodes());
    }

    #[test]
    fn what_is_not_a_fitness_is_named() {
        for text in ["", "speed", "regret+", "regret+frequency", "regret+frequency=x", "regret+frequency=-1"] {
            let error = text.parse::<FitnessChoice>().unwrap_err().to_string();
            assert!(error.starts_with(&format!("'{text}' is not a fitness; expected 'solved'")), "{error}");
        }
        for text in ["regret+frequency=NaN", "regret+frequency=0", "regret+frequency=inf", "regret+frequency=101"] {
            assert!(text.parse::<FitnessChoice>().is_err(), "{text}");
        }
    }
}
