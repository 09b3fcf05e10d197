//! Who has the token gets a cookie: from the link that the server printed, or from the login page.

use hyper::header::SET_COOKIE;
use maud::{Markup, html};

use super::{COOKIE, is_same};
use crate::assets;
use crate::error::WebError;
use crate::layout;
use crate::reply::Reply;
use crate::request::Request;
use crate::router::{Route, get, post};
use crate::shared::Shared;

/// The login page.
pub const ROUTES: &[Route] = &[get("/login", show), post("/login", log_in)];

/// Whether a page is for those who have no token.
pub fn is_open(path: &str) -> bool {
    path == "/login" || path.starts_with(assets::FOLDER)
}

/// The form, or what the link with a token does.
fn show(shared: &Shared, request: &Request) -> Result<Reply, WebError> {
    match request.query.get("token") {
        Some(token) => admit(shared, token),
        None => Ok(Reply::html(page(None))),
    }
}

fn log_in(shared: &Shared, request: &Request) -> Result<Reply, WebError> {
    admit(shared, request.form.filled("token").unwrap_or_default())
}

fn admit(shared: &Shared, given: &str) -> Result<Reply, WebError> {
    match &shared.options.token {
        Some(token) if !is_same(given, token) => {
            let status = hyper::StatusCode::UNAUTHORIZED;
            Ok(Reply::html(page(Some("That is not the token of this server."))).status(status))
        }
        _ => {
            let cookie = format!("{COOKIE}={given}; HttpOnly; SameSite=Strict; Path=/");
            Ok(Reply::redirect("/").header(SET_COOKIE, &cookie))
        }
    }
}

/// The login page, with what was wrong with the last attempt.
pub fn page(problem: Option<&str>) -> Markup {
    layout::bare(
        "Log in",
        &html! {
            h1 { "Plysmith" }
            p { "This server asks for its token. It printed the token, or a file that holds it, when it was started." }
            @if let Some(problem) = problem { p.error role="alert" { (problem) } }
            form.stack method="post" action="/login" {
                label { "Token" input type="password" name="token" autocomplete="current-password" required autofocus; }
                button.primary type="submit" { "Log in" }
            }
        },
    )
}
