//! The test of a program as the paper made it: in its framework, by its rules, on problems that it was not evolved on.

use std::collections::BTreeMap;

use plysmith_evolve::fitness::{FitnessCase, FitnessMeasure};
use plysmith_evolve::interpreter::Framework;
use plysmith_evolve::language::Program;
use serde::Serialize;

use super::reference::{Budgets, Reference};
use crate::error::RunError;
use crate::services::Services;
use crate::view::{Cell, Table, View};

/// The results of a program in the paper's framework, by the length of the mate.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct PaperTest {
    /// The reference solver.
    pub reference: String,
    /// One row for each length.
    pub lengths: Vec<PaperRow>,
}

/// Results on the problems of one length.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize)]
pub struct PaperRow {
    /// Moves to mate.
    pub moves: u8,
    /// Number of problems.
    pub problems: u64,
    /// How often the program chose a key move.
    pub solved: u64,
    /// Boards of the program in all.
    pub boards: u64,
    /// Nodes of the reference solver in all.
    pub reference: u64,
}

impl PaperTest {
    /// Runs a program on problems; it may make one and a half times the boards of the reference solver.
    pub fn run(
        program: &Program,
        mut cases: Vec<FitnessCase>,
        reference: &str,
        limit: u64,
        services: &Services,
    ) -> Result<PaperTest, RunError> {
        let solver = Reference::open(reference, services)?;
        let threads = services.workers(cases.len() as u64, &solver.need(limit))?;
        let progress = services.begin_progress(cases.len() as u64);
        let budgets = Budgets { fitness: FitnessMeasure::Paper, framework: Framework::Paper, limit };
        budgets.set(&mut cases, &solver, threads, services, &progress)?;
        let mut rows: BTreeMap<u8, PaperRow> = BTreeMap::new();
        for case in &cases {
            let result = case.evaluate(program, Framework::Paper, &|| services.cancel.is_cancelled());
            let row = rows.entry(case.moves).or_insert(PaperRow { moves: case.moves, ..PaperRow::default() });
            row.problems += 1;
            row.solved += u64::from(result.is_solved);
            row.boards += result.nodes;
            row.reference += case.reference;
            progress.finish_part(1);
        }
        if services.cancel.is_cancelled() {
            return Err(RunError::Cancelled(None));
        }
        Ok(PaperTest { reference: reference.to_string(), lengths: rows.into_values().collect() })
    }

    /// As a table.
    pub fn view(&self) -> View {
        let rows = self.lengths.iter().map(|row| {
            vec![
                Cell::Count(row.moves.into()),
                format!("{} of {}", row.solved, row.problems).into(),
                Cell::Count(row.boards / row.problems.max(1)),
                Cell::Count(row.reference / row.problems.max(1)),
            ]
        });
        let reference = format!(">{} (mean)", self.reference);
        View::new().table(Table::new(&[">mate in", ">right move", ">boards (mean)", reference.as_str()], rows))
    }
}
