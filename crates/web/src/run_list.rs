//! The list of runs.

use maud::{Markup, html};
use plysmith_store::{Run, Status};

use crate::error::WebError;
use crate::layout::{Page, empty_state};
use crate::reply::Reply;
use crate::request::Request;
use crate::router::{Route, get};
use crate::shared::Shared;
use crate::words::duration;

/// The list.
pub const ROUTES: &[Route] = &[get("/", show)];

fn show(shared: &Shared, _: &Request) -> Result<Reply, WebError> {
    let runs = shared.store.runs()?;
    let content = html! {
        h1 { "Runs" }
        @if runs.is_empty() {
            (empty_state("There are no runs yet", &html! { p { "Start one: " code { "plysmith discover breakthrough --quick" } } }))
        } @else {
            div.scroll {
                table.runs {
                    thead { tr { th.number { "Run" } th { "Kind" } th { "Game" } th { "Label" } th { "Status" } th.number { "Duration" } } }
                    tbody { @for run in &runs { (row(run)) } }
                }
            }
        }
    };
    Ok(Page::new("Runs", content).reply())
}

fn row(run: &Run) -> Markup {
    html! {
        tr id={ "run-" (run.id) } {
            td.number { a href={ "/runs/" (run.id) } { (run.id) } }
            td { (run.kind) }
            td { (run.game) }
            td { @if let Some(label) = &run.label { (label) } }
            td { (status(run.status)) }
            td.number { @if let Some(end) = run.finished_at { (duration(end.saturating_sub(run.created_at))) } }
        }
    }
}

/// A status, with a mark that does not depend on colour.
pub fn status(status: Status) -> Markup {
    let (class, mark) = match status {
        Status::Running => ("running", "●"),
        Status::Interrupted => ("interrupted", "◐"),
        Status::Finished => ("finished", "✓"),
    };
    html! { span class={ "status " (class) } { span aria-hidden="true" { (mark) } " " (status) } }
}
