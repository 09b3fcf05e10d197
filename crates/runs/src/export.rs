//! Runs for other programs: JSON with everything, CSV with one row for each measurement or game, learned tables as code.

use std::io::Write;

use plysmith_store::{Run, RunExport, Store};

use crate::consistency::check_counts;
use crate::error::RunError;
use crate::events::resolve;
use crate::kind::RunKind;
use crate::kinds::reductions::{LearnReductions, Learned, TableFormat};
use crate::rows::DataRows;

/// A whole run, to be written as one JSON object. Games are whole, also where events refer to them.
pub fn json<'a>(store: &'a Store, run: &'a Run) -> Result<RunExport<'a>, RunError> {
    check_counts(run)?;
    Ok(store.export_json(run.id)?.resolving(move |event| resolve(store, run, event)))
}

/// Writes the run's data as CSV: a header, then a line for each measurement or game; see [`rows`](crate::rows).
pub fn csv(store: &Store, run: &Run, writer: impl Write) -> Result<(), RunError> {
    DataRows::new(store, run)?.write_csv(writer)
}

/// Writes the run's data as JSON, an object a line, with the columns of [`csv()`].
pub fn json_lines(store: &Store, run: &Run, writer: impl Write) -> Result<(), RunError> {
    DataRows::new(store, run)?.write_json_lines(writer)
}

/// The table of a run that learned reductions.
pub fn table(run: &Run, format: TableFormat) -> Result<String, RunError> {
    if run.kind != LearnReductions::NAME {
        return Err(RunError::input(format!(
            "run {} is of kind '{}' and has no table; {format} is for runs of `plysmith reductions`",
            run.id, run.kind
        )));
    }
    let Some(result) = &run.result else {
        return Err(RunError::input(format!(
            "run {} is not finished; `plysmith resume {}` goes on with it",
            run.id, run.id
        )));
    };
    let learned: Learned = serde_json::from_value(result.clone())
        .map_err(|error| RunError::failed(format!("the result of run {} cannot be read: {error}", run.id)))?;
    learned.print(format)
}
