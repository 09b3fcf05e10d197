//! A report as one HTML file.
//!
//! Its policy forbids everything but the style and the script that are in it: they carry a nonce that is made from the whole
//! content, so nothing that a run contains can name it.

use maud::{DOCTYPE, Markup, PreEscaped, html};
use xxhash_rust::xxh3::xxh3_128;

use super::{Reported, UNFINISHED, body};
use crate::assets::{CHARTS, ICON, STYLE};
use crate::pages::prefix;

/// Runs as one file that needs no network.
pub fn html(reported: &[Reported]) -> String {
    let title = match reported {
        [one] => one.title(),
        several => format!("{} runs", several.len()),
    };
    let content = html! {
        @if reported.len() > 1 { (contents(reported)) }
        @for one in reported { (section(one)) }
    };
    let nonce = format!("{:032x}", xxh3_128(content.0.as_bytes()));
    let policy = format!(
        "default-src 'none'; img-src data:; style-src 'nonce-{nonce}'; script-src 'nonce-{nonce}'; base-uri 'none'; \
         form-action 'none'"
    );
    html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta http-equiv="Content-Security-Policy" content=(policy);
                meta name="viewport" content="width=device-width, initial-scale=1";
                meta name="color-scheme" content="light dark";
                title { (title) " · Plysmith" }
                style nonce=(nonce) { (PreEscaped(STYLE.content)) }
            }
            body {
                header.top { span.brand { span aria-hidden="true" { (PreEscaped(ICON.content)) } "Plysmith" } }
                main #content { (content) }
                script nonce=(nonce) { (PreEscaped(CHARTS.content)) }
            }
        }
    }
    .into_string()
}

fn contents(reported: &[Reported]) -> Markup {
    html! {
        h1 { "Runs" }
        ul { @for one in reported { li { a href={ "#" (prefix(&one.run)) "start" } { (one.title()) } } } }
    }
}

fn section(reported: &Reported) -> Markup {
    html! {
        section {
            h1 id={ (prefix(&reported.run)) "start" } { (reported.title()) }
            p.facts { (reported.facts()) }
            @if let Some(command) = reported.command() { pre.command { (command) } }
            @if !reported.is_finished() { p { (UNFINISHED) } }
            (body(reported))
        }
    }
}
