//! What the numbers of a tuning are called: nodes, or what it was tuned by.

use super::config::Config;
use super::result::{MILLION, Totals, Tuned};
use crate::fitness::FitnessChoice;
use crate::view::{Cell, thousands};

/// The words for a tuning.
#[derive(Copy, Clone)]
pub(super) struct Words<'a> {
    /// What it is tuned by; none for nodes to the solution.
    pub fitness: Option<&'a FitnessChoice>,
    /// Whether it is tuned on graded positions, and not on problems.
    pub is_graded: bool,
}

impl Config {
    /// What its numbers are called.
    pub(super) fn words(&self) -> Words<'_> {
        Words { fitness: self.fitness.as_ref(), is_graded: self.graded.is_some() }
    }
}

impl Tuned {
    /// What its numbers are called.
    pub(super) fn words(&self) -> Words<'_> {
        Words { fitness: self.fitness.as_ref(), is_graded: self.judge.is_some() }
    }
}

impl Words<'_> {
    /// What is minimised.
    pub fn cost(self) -> &'static str {
        match self.fitness {
            None => "nodes",
            Some(fitness) if *fitness == FitnessChoice::regret() => "regret",
            Some(_) => "cost",
        }
    }

    /// What `solved` counts.
    pub fn solved(self) -> &'static str {
        if self.is_graded { "best moves" } else { "solved" }
    }

    /// What is searched.
    pub fn problems(self) -> &'static str {
        if self.is_graded { "positions" } else { "problems" }
    }

    /// All nodes in a measurement, or the mean cost of a problem.
    pub fn amount(self, totals: &Totals) -> String {
        match self.fitness {
            None => thousands(totals.nodes),
            Some(_) => format!("{:.4}", totals.mean() / MILLION),
        }
    }

    /// A cost as a cell of a table.
    pub fn cell(self, totals: Option<&Totals>) -> Cell {
        match (self.fitness, totals) {
            (_, None) => Cell::Missing,
            (None, Some(totals)) => Cell::Count(totals.nodes),
            (Some(_), Some(totals)) => Cell::Number(totals.mean() / MILLION, 4),
        }
    }
}
