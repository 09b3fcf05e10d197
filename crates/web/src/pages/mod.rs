//! What runs show: a page for each kind, or the plain view of a kind that has none.

mod plain;

use maud::Markup;
use plysmith_runs::runs;
use plysmith_store::Run;

use crate::assets::Asset;
use crate::error::WebError;
use crate::request::Request;
use crate::router::Route;
use crate::shared::Shared;

pub use plain::{block, table};

/// How runs of one kind are shown.
#[derive(Copy, Clone, Debug)]
pub struct KindPage {
    /// The kind's name in the store.
    pub kind: &'static str,
    /// What is below the heading of the run's page. It is also fetched as a fragment, to show a run that goes on.
    pub render: fn(&Shared, &Run, &Request) -> Result<Markup, WebError>,
}

/// The kinds with a page of their own. Add yours here.
const PAGES: &[KindPage] = &[];

/// Addresses of pages about runs, besides `/runs/{run}`.
pub const ROUTES: &[Route] = &[];

/// Scripts that pages of runs need.
pub const SCRIPTS: &[Asset] = &[];

/// What a run shows.
pub fn body(shared: &Shared, run: &Run, request: &Request) -> Result<Markup, WebError> {
    match PAGES.iter().find(|page| page.kind == run.kind) {
        Some(page) => (page.render)(shared, run, request),
        None => Ok(plain::view(&runs::view(&shared.store, run)?)),
    }
}
