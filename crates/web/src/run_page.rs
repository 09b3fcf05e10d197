//! The page of a run: what it is, how far it is, what can be done with it, and what it shows.

mod actions;
mod stream;

use maud::{Markup, html};
use plysmith_core::printable::printable;
use plysmith_runs::listing;
use plysmith_runs::runs::can_continue;
use plysmith_runs::time::{duration, local};
use plysmith_store::{Run, Status};

use crate::error::WebError;
use crate::launch::command_line;
use crate::layout::Page;
use crate::pages;
use crate::reply::Reply;
use crate::request::{Request, encode};
use crate::router::{Route, get, post};
use crate::run_list::{progress, status};
use crate::shared::Shared;

/// The page of a run, and what its buttons do.
pub const ROUTES: &[Route] = &[
    get("/runs/{run}", show),
    get("/runs/{run}/head", show_head),
    get("/runs/{run}/changes", stream::changes),
    get("/runs/{run}/events", stream::stored_events),
    get("/compare", actions::compare),
    get("/report", actions::save_report),
    get("/delete", actions::ask_to_delete),
    post("/delete", actions::delete),
    post("/runs/{run}/label", actions::label),
    post("/runs/{run}/stop", actions::stop),
    post("/runs/{run}/resume", actions::resume),
];

fn show(shared: &Shared, request: &Request) -> Result<Reply, WebError> {
    let run = shared.run_of(request)?;
    let mark = shared.live.all()?.mark;
    let body = match pages::body(shared, &run, request) {
        Ok(body) => body,
        // The head with its buttons is useful all the same.
        Err(error) => html! { p.error role="alert" { (error.message) } },
    };
    if request.is_fragment() {
        return Ok(Reply::html(body));
    }
    let live = (run.status != Status::Finished).then_some("run");
    let content = html! {
        h1 { "Run " (run.id) @if let Some(label) = &run.label { ": " (printable(label)) } }
        p.facts { (printable(&run.kind)) " · " (printable(&run.game)) " · begun " (local(run.created_at)) " · seed " (run.seed) " · plysmith " (printable(&run.version)) " · " a href={ "/explore?game=" (encode(&run.game)) } { "explore searches" } @if let Some(parent) = run.parent { " · follows from " a href={ "/runs/" (parent) } { "run " (parent) } } }
        @if run.command.len() > 1 { (command_line(run.command.iter().skip(1).map(String::as_str))) }
        div #run-head data-live=[live] data-run=(run.id) data-mark=(mark.to_string()) data-status=(run.status) { (head(shared, &run)) }
        (rename(shared, &run))
        div #run-body { (body) }
    };
    let title = match &run.label {
        Some(label) => format!("Run {}: {}", run.id, printable(label)),
        None => format!("Run {}", run.id),
    };
    let mut page = Page::new(title, content);
    page.scripts.extend_from_slice(pages::SCRIPTS);
    Ok(page.reply())
}

fn show_head(shared: &Shared, request: &Request) -> Result<Reply, WebError> {
    Ok(Reply::html(head(shared, &shared.run_of(request)?)))
}

/// Status, progress and buttons.
fn head(shared: &Shared, run: &Run) -> Markup {
    let line = listing::line(&shared.store, run);
    html! {
        div.row.state {
            (status(run.status)) (progress(&line))
            @if let Some(seconds) = line.seconds { span.quiet { (duration(seconds)) } }
            @if run.status != Status::Finished && let Some(doing) = &line.doing { span.quiet { (printable(doing)) } }
            (buttons(shared, run))
        }
    }
}

fn buttons(shared: &Shared, run: &Run) -> Markup {
    let launcher = shared.launcher.as_ref().filter(|_| !shared.store.is_read_only());
    let button = |action: &str, text: &str| {
        html! {
            form method="post" action={ "/runs/" (run.id) "/" (action) } { (shared.token_field()) button type="submit" { (text) } }
        }
    };
    html! {
        @match (run.status, launcher) {
            (Status::Running, Some(launcher)) if launcher.owns(&shared.store, run.id) => (button("stop", "Stop")),
            (Status::Running, _) => span.hint { "Started elsewhere; it can be stopped there." },
            (Status::Interrupted, Some(_)) => @match can_continue(run) {
                Ok(()) => (button("resume", "Resume")),
                Err(error) => span.hint { (printable(&error.to_string())) },
            },
            (Status::Interrupted, None) => span.hint { "Continue it with " code { "plysmith resume " (run.id) } },
            (Status::Finished, _) => {},
        }
        @if let Some(address) = launcher.and_then(|launcher| launcher.again(run.command.get(1..)?)) {
            a.button href=(address) { "Start again…" }
        }
        a.button href={ "/report?run=" (run.id) } { "Save report" }
        @if run.status != Status::Running { a.button href={ "/delete?run=" (run.id) } { "Delete…" } }
    }
}

fn rename(shared: &Shared, run: &Run) -> Markup {
    html! {
        details.rename {
            summary { @if run.label.is_some() { "Change label" } @else { "Add a label" } }
            form.row method="post" action={ "/runs/" (run.id) "/label" } {
                (shared.token_field())
                label { span.visually-hidden { "Label" } input name="label" value=[run.label.as_deref().map(printable)] maxlength="100" placeholder="Label"; }
                button type="submit" { "Save" }
            }
        }
    }
}
