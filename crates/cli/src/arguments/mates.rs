//! Arguments of the commands that solve mate problems.

use clap::{Args, ValueEnum};
use plysmith_runs::mates::{MateSuite, SolverChoice, SolverName, read_all_mates, read_mates};
use std::path::PathBuf;

use super::SkipBadArgument;
use crate::failure::Failure;
use crate::output::say;

/// Which solver to use.
#[derive(Debug, Args)]
pub struct SolverArguments {
    /// Solver [default: df-pn; with --program, evolved]
    #[arg(long, value_enum)]
    solver: Option<SolverValue>,

    /// Evolved program to solve with [default: the bundled program]
    #[arg(long, value_name = "FILE")]
    program: Option<PathBuf>,
}

#[derive(Copy, Clone, PartialEq, Eq, Debug, ValueEnum)]
enum SolverValue {
    /// Tries every move and every reply (Figure 1 of the mate paper)
    Exhaustive,
    /// The modern search of `plysmith engine chess`
    AlphaBeta,
    /// Depth-first proof-number search with a hash table: the fastest
    DfPn,
    /// An evolved program: the bundled program, or that of --program
    Evolved,
}

impl SolverArguments {
    /// Whether one was asked for.
    pub fn is_chosen(&self) -> bool {
        self.solver.is_some() || self.program.is_some()
    }

    /// The solver.
    pub fn resolve(&self) -> Result<SolverChoice, Failure> {
        Ok(SolverChoice::new(self.solver.map(SolverName::from), self.program.as_deref())?)
    }
}

impl SkipBadArgument {
    /// Reads a suite of mates: a bundled one by its name, or a file.
    pub fn read_mates(&self, name: &str) -> Result<MateSuite, Failure> {
        Ok(read_mates(name, self.skip_bad, &|note| say(note))?)
    }
}

impl SkipBadArgument {
    /// Reads several suites of mates as one.
    pub fn read_all_mates(&self, names: &[String], default: &str) -> Result<MateSuite, Failure> {
        let names: Vec<&str> =
            if names.is_empty() { vec![default] } else { names.iter().map(String::as_str).collect() };
        Ok(read_all_mates(&names, self.skip_bad, &|note| say(note))?)
    }
}

impl From<SolverValue> for SolverName {
    fn from(value: SolverValue) -> SolverName {
        match value {
            SolverValue::Exhaustive => SolverName::Exhaustive,
            SolverValue::AlphaBeta => SolverName::AlphaBeta,
            SolverValue::DfPn => SolverName::DfPn,
            SolverValue::Evolved => SolverName::Evolved,
        }
    }
}
