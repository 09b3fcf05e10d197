//! Runs for other programs: JSON with everything, CSV with one row for each measurement or game.

use std::io::Write;

use plysmith_store::{Run, RunExport, Store};

use crate::consistency::check_counts;
use crate::error::RunError;
use crate::events::resolve;
use crate::runs::kind_of;

/// A whole run, to be written as one JSON object. Games are whole, also where events refer to them.
pub fn json<'a>(store: &'a Store, run: &'a Run) -> Result<RunExport<'a>, RunError> {
    check_counts(run)?;
    Ok(store.export_json(run.id)?.resolving(move |event| resolve(store, run, event)))
}

/// Writes the run's data as CSV: a header, then a line for each event of the kind that [`kind_of`] says.
pub fn csv(store: &Store, run: &Run, writer: impl Write) -> Result<(), RunError> {
    check_counts(run)?;
    let rows = kind_of(run)?.rows(run)?;
    let resolve = |event| resolve(store, run, event);
    store.export_csv_resolving(run.id, rows.event, rows.columns, writer, &resolve)?;
    Ok(())
}
