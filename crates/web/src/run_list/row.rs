//! A row of the list of runs.

use maud::{Markup, html};
use plysmith_core::printable::printable;
use plysmith_runs::listing::RunLine;
use plysmith_runs::time::{duration, local};
use plysmith_runs::view::percent;
use plysmith_store::Status;

use crate::live::Entry;

/// The row of a run.
pub fn row(entry: &Entry) -> Markup {
    html! {
        tr id={ "run-" (entry.run) } data-run=(entry.run) {
            td { input type="checkbox" name="run" value=(entry.run) aria-label={ "Choose run " (entry.run) }; }
            td.number { a href={ "/runs/" (entry.run) } { (entry.run) } }
            @match &entry.line {
                Ok(line) => (cells(line)),
                Err(problem) => td colspan="7" { span.problem { "✕ " (printable(problem)) } },
            }
        }
    }
}

fn cells(line: &RunLine) -> Markup {
    html! {
        td.label { @match &line.label {
            Some(label) => a href={ "/runs/" (line.run) } { (printable(label)) },
            None => span.quiet title=(command(line)) { (printable(&short(&command(line)))) },
        } }
        td { (printable(&line.kind)) }
        td { (printable(&line.game)) }
        td { (status(line.status)) " " (progress(line)) }
        td.result { (result(line)) }
        td.number { (value(line)) }
        td.number title={ "begun " (local(line.created_at)) } { @if let Some(seconds) = line.seconds { (duration(seconds)) } }
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

/// How far an unfinished run is.
pub fn progress(line: &RunLine) -> Markup {
    html! {
        @if line.status != Status::Finished && let Some(share) = line.progress {
            progress max="1" value=(format!("{share:.4}")) aria-label="progress" {}
            " " span.value { (percent(share)) }
        }
    }
}

fn result(line: &RunLine) -> Markup {
    match (&line.headline, &line.doing) {
        (Some(headline), _) => html! { (printable(&headline.text)) },
        (None, Some(doing)) => html! { span.quiet { (printable(doing)) } },
        (None, None) => html! {},
    }
}

fn value(line: &RunLine) -> Markup {
    let Some((value, measure)) = line.headline.as_ref().and_then(|headline| Some((headline.value?, headline.measure)))
    else {
        return html! {};
    };
    html! { span.value { (number(value)) } @if let Some(measure) = measure { " " span.hint { (measure) } } }
}

/// A whole number without decimals, another with three digits or so.
fn number(value: f64) -> String {
    match value.abs() {
        _ if value.fract() == 0.0 => format!("{value:.0}"),
        100.0.. => format!("{value:.0}"),
        10.0.. => format!("{value:.1}"),
        _ => format!("{value:.3}"),
    }
}

/// The command without the program, as a name for a run without a label.
fn command(line: &RunLine) -> String {
    line.command.iter().skip(1).map(String::as_str).collect::<Vec<_>>().join(" ")
}

fn short(text: &str) -> String {
    const MOST: usize = 48;
    match text.chars().count() > MOST {
        true => text.chars().take(MOST - 1).chain(['…']).collect(),
        false => text.to_string(),
    }
}
