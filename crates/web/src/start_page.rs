//! Starting runs: a list of what can be started, and a form for each.

use maud::{Markup, html};
use plysmith_core::printable::{printable, printable_lines};

use crate::error::WebError;
use crate::launch::{Field, Form, Launcher, Outcome, Takes, command_line, field_title, words};
use crate::layout::Page;
use crate::reply::Reply;
use crate::request::{Fields, Request};
use crate::router::{Route, get, post};
use crate::shared::Shared;

/// The place of the navigation.
pub const PLACE: &str = "/start";

/// The list, the forms, and what they do.
pub const ROUTES: &[Route] = &[
    get("/start", list),
    get("/start/{command}", show),
    get("/start/{command}/preview", preview),
    post("/start/{command}", start),
];

fn list(shared: &Shared, _: &Request) -> Result<Reply, WebError> {
    let launcher = shared.require_launcher()?;
    let content = html! {
        h1 { "New run" }
        div.cards {
            @for form in &launcher.forms {
                a.card href={ "/start/" (form.command) } { strong { (form.command) } p { (form.about) } }
            }
        }
        p.hint {
            "Files that a form names are in " code { (launcher.files_folder().display()) } ". "
            @if !launcher.allow_engines { "External engines can be used if the server is started with " code { "--allow-engines" } "." }
        }
        (history(shared, launcher))
    };
    Ok(Page::new("New run", content).at(PLACE).reply())
}

/// What was started from here.
fn history(shared: &Shared, launcher: &Launcher) -> Markup {
    let started = launcher.history();
    html! {
        @if !started.is_empty() {
            h2 { "Started from here" }
            div.scroll { table {
                thead { tr { th { "Command" } th { "State" } th { "Messages" } } }
                tbody { @for one in &started { tr {
                    td { code { (printable(&one.words.join(" "))) } }
                    td {
                        @if one.has_failed() { span.problem { "✕ failed" } } @else if one.has_ended() { "ended" } @else { "at work" }
                        @if let Some(run) = one.newest_run(&shared.store) { " · " a href={ "/runs/" (run) } { "run " (run) } }
                    }
                    td { @if one.has_failed() { details { summary { "Show" } pre { (printable_lines(&one.said())) } } } }
                } } }
            } }
        }
    }
}

fn show(shared: &Shared, request: &Request) -> Result<Reply, WebError> {
    let launcher = shared.require_launcher()?;
    let form = launcher.form(request.part("command"))?;
    Ok(page(shared, launcher, form, &request.query, None).reply())
}

/// The equivalent command, and what is wrong with it.
fn preview(shared: &Shared, request: &Request) -> Result<Reply, WebError> {
    let launcher = shared.require_launcher()?;
    let form = launcher.form(request.part("command"))?;
    let preview = preview_of(launcher, form, &request.query);
    match request.is_fragment() {
        true => Ok(Reply::html(preview)),
        false => Ok(page(shared, launcher, form, &request.query, Some(&preview)).reply()),
    }
}

fn preview_of(launcher: &Launcher, form: &Form, filled: &Fields) -> Markup {
    let checked = words(form, filled, launcher.allow_engines).map_err(|error| error.message);
    match checked.and_then(|words| (launcher.check)(&words).map(|()| words)) {
        Ok(words) => command_line(words.iter().map(String::as_str)),
        Err(said) => problem_box(&said),
    }
}

fn start(shared: &Shared, request: &Request) -> Result<Reply, WebError> {
    let launcher = shared.require_launcher()?;
    let form = launcher.form(request.part("command"))?;
    let outcome =
        words(form, &request.form, launcher.allow_engines).and_then(|words| launcher.start(&shared.store, words));
    let said = match outcome {
        Ok(Outcome::Run(run)) => {
            shared.live.touch();
            return Ok(Reply::redirect(&format!("/runs/{run}")));
        }
        Ok(Outcome::Pending) => return Ok(Reply::redirect("/start")),
        Ok(Outcome::Failed(said)) => said,
        Err(error) if error.status == hyper::StatusCode::UNPROCESSABLE_ENTITY => error.message,
        Err(error) => return Err(error),
    };
    let page = page(shared, launcher, form, &request.form, Some(&problem_box(&said)));
    Ok(page.reply().status(hyper::StatusCode::UNPROCESSABLE_ENTITY))
}

fn problem_box(said: &str) -> Markup {
    html! { p.error role="alert" { (printable_lines(said)) } }
}

fn page(shared: &Shared, launcher: &Launcher, form: &Form, filled: &Fields, result: Option<&Markup>) -> Page {
    let (usual, more): (Vec<_>, Vec<_>) = form
        .fields
        .iter()
        .filter(|field| launcher.allow_engines || field.takes != Takes::Engine)
        .partition(|field| field.is_usual || field.is_required);
    let files = launcher.files();
    let is_open = more.iter().any(|field| filled.filled(&field.name).is_some());
    let address = format!("/start/{}", form.command);
    let content = html! {
        p { a href="/start" { "New run" } " › " (form.command) }
        h1 { (form.about) }
        form.start method="post" action=(address) data-preview={ (address) "/preview" } {
            (shared.token_field())
            div.fields { @for field in usual { (input(field, filled, &files)) } }
            @if !more.is_empty() {
                details open[is_open] {
                    summary { "More options" }
                    div.fields { @for field in more { (input(field, filled, &files)) } }
                }
            }
            div #preview aria-live="polite" { @if let Some(result) = result { (result) } }
            p.row {
                button.primary type="submit" { "Start" }
                button type="submit" formmethod="get" formaction={ (address) "/preview" } formnovalidate { "Check and show the command" }
            }
        }
    };
    Page::new(format!("New run: {}", form.command), content).at(PLACE)
}

fn input(field: &Field, filled: &Fields, files: &[String]) -> Markup {
    let value = filled.get(&field.name);
    let (id, hint) = (format!("field-{}", field.name), format!("hint-{}", field.name));
    let placeholder = field.default.as_deref().or(Some(field.value_name.as_str())).filter(|text| !text.is_empty());
    html! {
        div.field {
            @match &field.takes {
                Takes::Nothing => label.check for=(id) { input #(id) type="checkbox" name=(field.name) value="on" checked[value.is_some()] aria-describedby=(hint); " " (field_title(field)) },
                Takes::Choice(choices) => {
                    label for=(id) { (field_title(field)) }
                    (choose(field, &id, choices, value.or(field.default.as_deref())))
                },
                Takes::File => {
                    label for=(id) { (field_title(field)) }
                    (choose(field, &id, files, value))
                },
                Takes::Lines => {
                    label for=(id) { (field_title(field)) span.hint { " one on each line" } }
                    textarea #(id) name=(field.name) rows="4" required[field.is_required] maxlength="20000" aria-describedby=(hint) spellcheck="false" { (value.or(field.default.as_deref()).unwrap_or_default()) }
                },
                Takes::Text | Takes::Engine => {
                    label for=(id) { (field_title(field)) }
                    input #(id) name=(field.name) value=[value] placeholder=[placeholder] required[field.is_required] maxlength="2000" aria-describedby=(hint) autocomplete="off" spellcheck="false";
                },
            }
            p.hint #(hint) { (field.help) }
        }
    }
}

fn choose(field: &Field, id: &str, choices: &[String], chosen: Option<&str>) -> Markup {
    html! {
        select #(id) name=(field.name) required[field.is_required] {
            @if !field.is_required || !choices.iter().any(|choice| Some(choice.as_str()) == chosen) { option value="" { "–" } }
            @for choice in choices { option value=(choice) selected[chosen == Some(choice.as_str())] { (choice) } }
        }
    }
}
