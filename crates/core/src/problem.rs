//! A problem, when it counts as solved, and a suite of problems.

use std::fmt;
use std::str::FromStr;

use thiserror::Error;
use xxhash_rust::xxh3::xxh3_128;

use crate::score::Score;
use crate::search::Report;

/// A position with known best moves, moves to avoid, or a forced win to be found.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Problem {
    /// The position's canonical text.
    pub position: String,
    /// The moves that count as right; none if every move does that is not to be avoided.
    pub best: Vec<String>,
    /// The moves that count as wrong, whatever else is said.
    pub avoid: Vec<String>,
    /// Its name, unique in its suite.
    pub id: String,
    /// When it is solved.
    pub criterion: Criterion,
    /// In how many plies the best move wins by force, if that is known.
    pub distance: Option<u32>,
}

/// When a problem counts as solved.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Hash)]
pub enum Criterion {
    /// The right move, and a score that says it wins by force. Heuristics often find the
    /// right move by chance, so suites of forced wins are measured by this criterion.
    Proven,
    /// The right move on top when the search ends: for suites without proofs.
    BestMove,
}

/// Problems of one game, in order.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Suite {
    /// What to call it in reports.
    pub name: String,
    /// The problems.
    pub problems: Vec<Problem>,
}

/// An unknown solve criterion.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("'{0}' is not a solve criterion; expected 'proven' or 'best-move'")]
pub struct CriterionError(String);

impl Problem {
    /// Whether this move counts as right.
    pub fn is_right(&self, m: &String) -> bool {
        (self.best.is_empty() || self.best.contains(m)) && !self.avoid.contains(m)
    }

    /// Whether a search has solved it.
    pub fn is_solved_by(&self, report: &Report<String>) -> bool {
        report.line.first().is_some_and(|best| self.is_solved_with(best, report.score))
    }

    /// Whether it is solved if this is the best move, with this score.
    pub fn is_solved_with(&self, best: &String, score: Score) -> bool {
        match self.criterion {
            Criterion::Proven => self.is_right(best) && score.win_in().is_some(),
            Criterion::BestMove => self.is_right(best),
        }
    }
}

impl Suite {
    /// A key of exactly these problems in this order, whatever their names.
    pub fn content_key(&self) -> String {
        let content: String = self
            .problems
            .iter()
            .map(|problem| {
                let Problem { position, best, avoid, criterion, .. } = problem;
                // Only where there are any, so that suites without them keep the key under which results are stored.
                let avoid = if avoid.is_empty() { String::new() } else { format!(" not {}", avoid.join(",")) };
                format!("{position} {} {criterion}{avoid}\n", best.join(","))
            })
            .collect();
        format!("{:032x}", xxh3_128(content.as_bytes()))
    }

    /// The problems of these names, in the suite's order, or the first name that no problem has.
    pub fn named(&self, ids: &[String]) -> Result<Suite, String> {
        if let Some(id) = ids.iter().find(|id| !self.problems.iter().any(|problem| problem.id == **id)) {
            return Err(id.clone());
        }
        let problems = self.problems.iter().filter(|problem| ids.contains(&problem.id)).cloned().collect();
        Ok(Suite { name: self.name.clone(), problems })
    }

    /// The first `count` problems.
    #[must_use]
    pub fn first(&self, count: usize) -> Suite {
        Suite { name: self.name.clone(), problems: self.problems.iter().take(count).cloned().collect() }
    }
}

impl FromStr for Criterion {
    type Err = CriterionError;

    fn from_str(text: &str) -> Result<Criterion, CriterionError> {
        [Criterion::Proven, Criterion::BestMove]
            .into_iter()
            .find(|criterion| criterion.to_string() == text)
            .ok_or_else(|| CriterionError(text.to_string()))
    }
}

impl fmt::Display for Criterion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Criterion::Proven => "proven",
            Criterion::BestMove => "best-move",
        })
    }
}
