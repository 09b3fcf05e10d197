//! What can be done with runs: compare, label, stop, resume, delete.

use maud::{Markup, html};
use plysmith_core::printable::printable;
use plysmith_runs::origin::parse_label;
use plysmith_runs::view::counted;
use plysmith_runs::{compare as comparing, listing};
use plysmith_store::{Run, RunId};

use crate::error::WebError;
use crate::launch::command_line;
use crate::layout::Page;
use crate::pages;
use crate::reply::Reply;
use crate::report::{self, Reported};
use crate::request::{Fields, Request};
use crate::run_list::status;
use crate::shared::Shared;

/// Runs that are compared at most: a table has no room for more.
const MOST_COMPARED: usize = 12;

/// Two or more runs side by side.
pub fn compare(shared: &Shared, request: &Request) -> Result<Reply, WebError> {
    let mut ids = chosen(&request.query)?;
    // The list has the newest first; differences are read from the older to the newer.
    ids.sort_unstable();
    if ids.len() < 2 {
        return Err(WebError::invalid("tick at least two runs in the list to compare them"));
    }
    if ids.len() > MOST_COMPARED {
        return Err(WebError::invalid(format!("at most {MOST_COMPARED} runs can be compared at once")));
    }
    let runs = ids.iter().map(|run| shared.store.run(*run)).collect::<Result<Vec<Run>, _>>()?;
    let comparison = comparing::compare(&shared.store, &runs)?;
    let numbers: Vec<_> = ids.iter().map(ToString::to_string).collect();
    let content = html! {
        h1 { "Runs " (numbers.join(", ")) " compared" }
        p.row { @for run in &runs { a href={ "/runs/" (run.id) } { "Run " (run.id) @if let Some(label) = &run.label { ": " (printable(label)) } } } }
        (command_line(std::iter::once("compare").chain(numbers.iter().map(String::as_str))))
        (pages::view(&comparison.view(), "compare-"))
    };
    Ok(Page::new("Compare", content).reply())
}

/// Runs as a file to keep: what their pages show, without network.
pub fn save_report(shared: &Shared, request: &Request) -> Result<Reply, WebError> {
    let ids = chosen(&request.query)?;
    if ids.is_empty() || ids.len() > MOST_COMPARED {
        return Err(WebError::invalid(format!("tick from one to {MOST_COMPARED} runs in the list for a report")));
    }
    let read = |run: &RunId| Ok(Reported::read(&shared.store, shared.store.run(*run)?)?);
    let reported = ids.iter().map(read).collect::<Result<Vec<_>, WebError>>()?;
    let numbers: Vec<_> = ids.iter().map(ToString::to_string).collect();
    let name = format!("plysmith-{}.html", numbers.join("-"));
    Ok(Reply::new("text/html; charset=utf-8", report::html(&reported)).download(&name))
}

/// Gives a run a label, or takes it away.
pub fn label(shared: &Shared, request: &Request) -> Result<Reply, WebError> {
    shared.require_writable()?;
    let run = shared.run_of(request)?.id;
    let label = request.form.filled("label").map(parse_label).transpose()?;
    shared.store.set_label(run, label.as_deref())?;
    shared.live.touch();
    Ok(Reply::redirect(&format!("/runs/{run}")))
}

/// Stops a run of this server. It can be resumed.
pub fn stop(shared: &Shared, request: &Request) -> Result<Reply, WebError> {
    let run = shared.run_of(request)?.id;
    shared.require_launcher()?.stop(&shared.store, run)?;
    shared.live.touch();
    Ok(Reply::redirect(&format!("/runs/{run}")))
}

/// Continues an interrupted run.
pub fn resume(shared: &Shared, request: &Request) -> Result<Reply, WebError> {
    let run = shared.run_of(request)?;
    let launcher = shared.require_launcher()?;
    plysmith_runs::runs::can_continue(&run)?;
    launcher.resume(&shared.store, run.id)?;
    shared.live.touch();
    Ok(Reply::redirect(&format!("/runs/{}", run.id)))
}

/// Asks whether runs are to be deleted.
pub fn ask_to_delete(shared: &Shared, request: &Request) -> Result<Reply, WebError> {
    let ids = chosen(&request.query)?;
    if ids.is_empty() {
        return Err(WebError::invalid("tick at least one run in the list to delete it"));
    }
    let runs = ids.iter().map(|run| shared.store.run(*run)).collect::<Result<Vec<Run>, _>>()?;
    let children = children_of(shared, &ids)?;
    Ok(Page::new("Delete", question(shared, &runs, &children)).reply())
}

fn question(shared: &Shared, runs: &[Run], children: &[RunId]) -> Markup {
    html! {
        h1 { "Delete " (counted(runs.len(), "run")) "?" }
        p { "The runs and their events are deleted for good. Results of searches and games stay in the cache, for other runs." }
        ul { @for run in runs {
            li { "Run " (run.id) ": " (printable(&run.kind)) " " (printable(&run.game)) @if let Some(label) = &run.label { ", " (printable(label)) } " " (status(run.status)) }
        } }
        form.stack method="post" action="/delete" {
            (shared.token_field())
            @for run in runs { input type="hidden" name="run" value=(run.id); }
            @if !children.is_empty() {
                label.check { span {
                    input type="checkbox" name="with-children" value="yes";
                    " Delete also the " (counted(children.len(), "run")) " that follow from them: "
                    @for (index, run) in children.iter().enumerate() { @if index > 0 { ", " } a href={ "/runs/" (run) } { (run) } }
                } }
            }
            p.row { button.danger type="submit" { "Delete for good" } a.button href="/" { "Keep" } }
        }
    }
}

/// Deletes runs, all or none.
pub fn delete(shared: &Shared, request: &Request) -> Result<Reply, WebError> {
    shared.require_writable()?;
    let ids = chosen(&request.form)?;
    if ids.is_empty() {
        return Err(WebError::invalid("no run was named"));
    }
    let with_children = request.form.get("with-children") == Some("yes");
    listing::delete(&shared.store, &ids, with_children)?;
    shared.live.touch();
    Ok(Reply::redirect("/"))
}

/// The runs that a form names.
fn chosen(fields: &Fields) -> Result<Vec<RunId>, WebError> {
    let mut runs = Vec::new();
    for text in fields.all("run") {
        let run = text.parse().map_err(WebError::bad_request)?;
        if !runs.contains(&run) {
            runs.push(run);
        }
    }
    Ok(runs)
}

/// Runs that follow from these, directly or not, and are not among them.
fn children_of(shared: &Shared, runs: &[RunId]) -> Result<Vec<RunId>, WebError> {
    let mut found = runs.to_vec();
    // The oldest first: a child is younger than its parent.
    for entry in shared.live.all()?.changed.iter().rev() {
        let parent = entry.line.as_ref().ok().and_then(|line| line.parent);
        if parent.is_some_and(|parent| found.contains(&parent)) && !found.contains(&entry.run) {
            found.push(entry.run);
        }
    }
    Ok(found.split_off(runs.len()))
}
