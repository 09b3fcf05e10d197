//! What runs show: their views as HTML, with charts, and the games that they played.

mod games;
mod plain;

use maud::{Markup, html};
use plysmith_runs::runs;
use plysmith_store::Run;

use crate::assets::{Asset, CHARTS};
use crate::error::WebError;
use crate::request::Request;
use crate::router::{Route, get};
use crate::shared::Shared;

pub use plain::{block, table, view};

/// How runs of one kind are shown.
#[derive(Copy, Clone, Debug)]
pub struct KindPage {
    /// The kind's name in the store.
    pub kind: &'static str,
    /// What is below the heading of the run's page. It is also fetched as a fragment, to show a run that goes on.
    pub render: fn(&Shared, &Run, &Request) -> Result<Markup, WebError>,
}

/// The kinds with a page of their own, besides what their views show. Add yours here.
const PAGES: &[KindPage] =
    &[KindPage { kind: "match", render: with_games }, KindPage { kind: "tournament", render: with_games }];

/// Addresses of pages about runs, besides `/runs/{run}`.
pub const ROUTES: &[Route] = &[get("/runs/{run}/games", games::list), get("/runs/{run}/games/{event}", games::show)];

/// Scripts that pages of runs need.
pub const SCRIPTS: &[Asset] = &[CHARTS];

/// What a run shows.
pub fn body(shared: &Shared, run: &Run, request: &Request) -> Result<Markup, WebError> {
    match PAGES.iter().find(|page| page.kind == run.kind) {
        Some(page) => (page.render)(shared, run, request),
        None => page_view(shared, run),
    }
}

fn page_view(shared: &Shared, run: &Run) -> Result<Markup, WebError> {
    Ok(view(&runs::page(&shared.store, run)?, &prefix(run)))
}

/// What names inside the page of a run begin with.
pub fn prefix(run: &Run) -> String {
    format!("run-{}-", run.id)
}

/// A run that plays games, with the first of them.
fn with_games(shared: &Shared, run: &Run, _: &Request) -> Result<Markup, WebError> {
    Ok(html! {
        (page_view(shared, run)?)
        h2 { "Games" }
        (games::first(shared, run)?)
    })
}
