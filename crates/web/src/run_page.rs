//! The page of a run: what it is, what can be done with it, and what it shows.

use maud::{Markup, html};
use plysmith_store::Run;

use crate::error::WebError;
use crate::layout::Page;
use crate::pages;
use crate::reply::Reply;
use crate::request::Request;
use crate::router::{Route, get};
use crate::run_list::status;
use crate::shared::Shared;

/// The page of a run.
pub const ROUTES: &[Route] = &[get("/runs/{run}", show)];

fn show(shared: &Shared, request: &Request) -> Result<Reply, WebError> {
    let run = shared.run_of(request)?;
    let body = pages::body(shared, &run, request)?;
    if request.is_fragment() {
        return Ok(Reply::html(body));
    }
    let content = html! { (head(&run)) div #run-body { (body) } };
    let mut page = Page::new(format!("Run {}", run.id), content);
    page.scripts.extend_from_slice(pages::SCRIPTS);
    Ok(page.reply())
}

fn head(run: &Run) -> Markup {
    html! {
        h1 { "Run " (run.id) ": " (run.kind) " " (run.game) }
        p.facts { (status(run.status)) @if let Some(label) = &run.label { " · " (label) } " · seed " (run.seed) " · plysmith " (run.version) }
        @if !run.command.is_empty() { pre.command { (words(&run.command)) } }
    }
}

fn words(command: &[String]) -> String {
    std::iter::once("plysmith").chain(command.iter().skip(1).map(String::as_str)).collect::<Vec<_>>().join(" ")
}
