//! Plysmith's dashboard: a local web server that shows the runs of a store, starts and stops runs, and plays games.
//!
//! Pages are rendered here, as HTML from the views of `plysmith_runs`, and can be used without JavaScript. Small scripts of
//! our own add live updates. Handlers are plain functions from a [`Request`] to a [`Reply`]; only [`server`] is
//! asynchronous.
//!
//! | to | use |
//! | --- | --- |
//! | answer requests on a socket | [`server::Server`] |
//! | answer a request in a test | [`App::answer`] |
//! | add a page | a [`Route`] in a module's `ROUTES`, and that module in `routes.rs` |
//! | give a page its frame | [`layout::Page`] |
//! | show runs of a kind in a way of their own | a [`pages::KindPage`] in `pages::PAGES` |
//! | draw a chart or a board | [`charts`] |
//! | write pages into a file | [`report`] |
//! | serve a file | `assets.rs` |
//! | refuse a request | [`WebError`] |

pub mod app;
pub mod assets;
pub mod charts;
pub mod error;
pub mod explorations;
mod explore;
pub mod feed;
mod form_parts;
pub mod game_room;
pub mod launch;
pub mod layout;
pub mod live;
pub mod pages;
mod play_page;
pub mod reply;
pub mod report;
pub mod request;
pub mod router;
mod routes;
mod run_list;
mod run_page;
pub mod secret;
pub mod security;
pub mod server;
pub mod shared;
mod start_page;

pub use app::App;
pub use error::WebError;
pub use reply::Reply;
pub use request::Request;
pub use router::{Route, get, post};
pub use shared::Shared;
