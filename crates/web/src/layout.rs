//! The frame of every page: title, navigation, style and script.

use maud::{DOCTYPE, Markup, html};

use crate::assets::{Asset, ICON, SCRIPT, STYLE};
use crate::error::WebError;
use crate::reply::Reply;

/// The places that the navigation leads to: address and name. Add yours here.
const PLACES: &[(&str, &str)] = &[("/", "Runs"), ("/start", "New run"), ("/explore", "Explore"), ("/play", "Play")];

/// A page.
pub struct Page {
    /// The title of the window, and the heading unless there is another.
    pub title: String,
    /// Which place of the navigation it belongs to: its address.
    pub place: &'static str,
    /// Scripts that it needs besides the one of all pages.
    pub scripts: Vec<Asset>,
    /// The whole content, with its heading.
    pub content: Markup,
}

impl Page {
    /// A page with this title and content, which belongs to the list of runs.
    pub fn new(title: impl Into<String>, content: Markup) -> Page {
        Page { title: title.into(), place: "/", scripts: Vec::new(), content }
    }

    /// At another place of the navigation.
    #[must_use]
    pub fn at(self, place: &'static str) -> Page {
        Page { place, ..self }
    }

    /// With another script.
    #[must_use]
    pub fn script(mut self, script: Asset) -> Page {
        self.scripts.push(script);
        self
    }

    /// The page as an answer.
    pub fn reply(self) -> Reply {
        Reply::html(self.markup())
    }

    /// The page as HTML.
    pub fn markup(&self) -> Markup {
        let navigation = html! {
            a.skip href="#content" { "Skip to content" }
            header.top {
                a.brand href="/" { img src=(ICON.url()) alt="" width="24" height="24"; "Plysmith" }
                nav aria-label="Main" {
                    @for (address, name) in PLACES {
                        a href=(address) aria-current=[(*address == self.place).then_some("page")] { (name) }
                    }
                }
                p #connection.connection role="status" hidden {}
            }
        };
        document(&self.title, &self.scripts, &html! { (navigation) main #content tabindex="-1" { (self.content) } })
    }
}

/// A page without navigation, for those who may not see more.
pub fn bare(title: &str, content: &Markup) -> Markup {
    document(title, &[], &html! { main.narrow #content { (content) } })
}

/// The page of an error.
pub fn error_page(error: &WebError) -> Markup {
    let content = html! {
        h1 { (heading(error)) }
        p.error role="alert" { (error.message) }
        p { a href="/" { "All runs" } }
    };
    Page::new(heading(error), content).markup()
}

/// What is shown where there is nothing.
pub fn empty_state(heading: &str, hint: &Markup) -> Markup {
    html! { div.empty { h2 { (heading) } (hint) } }
}

fn heading(error: &WebError) -> &'static str {
    match error.status.as_u16() {
        400 => "That request was not understood",
        401 => "Please log in",
        403 => "That is not allowed",
        404 => "Not found",
        405 => "Wrong method",
        408 => "That took too long",
        409 => "That is not possible now",
        413 => "That is too large",
        422 => "That is not valid",
        429 | 503 => "Too much at once",
        _ => "Something went wrong",
    }
}

fn document(title: &str, scripts: &[Asset], body: &Markup) -> Markup {
    html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width, initial-scale=1";
                meta name="color-scheme" content="light dark";
                title { (title) " · Plysmith" }
                link rel="icon" href=(ICON.url()) type="image/svg+xml";
                link rel="stylesheet" href=(STYLE.url());
                @for script in std::iter::once(&SCRIPT).chain(scripts) { script src=(script.url()) defer {} }
            }
            body { (body) }
        }
    }
}
