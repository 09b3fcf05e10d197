//! The list of runs: filtered, searched, sorted, live; with a choice of runs to compare or delete.

mod row;

use std::collections::BTreeSet;

use maud::{Markup, html};
use plysmith_core::printable::printable;
use plysmith_runs::listing::RunLine;
use plysmith_runs::view::counted;
use plysmith_store::Status;

use crate::error::WebError;
use crate::feed::{Feed, Listener, Piece, event};
use crate::layout::{Page, empty_state};
use crate::live::{Changes, Entry, Live, Mark};
use crate::reply::Reply;
use crate::request::{Fields, Request, encode};
use crate::router::{Route, get};
use crate::shared::Shared;

use std::sync::Arc;

pub use row::{progress, status};

/// The list.
pub const ROUTES: &[Route] = &[get("/", show), get("/events", events)];

/// Rows of one page.
const MOST_ROWS: usize = 500;

/// Which runs are listed, and in which order.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
struct Choice {
    game: Option<String>,
    kind: Option<String>,
    status: Option<String>,
    text: Option<String>,
    sort: String,
    is_descending: bool,
    page: usize,
}

impl Choice {
    fn of(query: &Fields) -> Choice {
        let filled = |name: &str| query.filled(name).map(String::from);
        let sort = query.filled("sort").unwrap_or("-run");
        Choice {
            game: filled("game"),
            kind: filled("kind"),
            status: filled("status"),
            text: filled("text").map(|text| text.to_lowercase()),
            sort: sort.trim_start_matches('-').to_string(),
            is_descending: sort.starts_with('-'),
            page: query.filled("page").and_then(|page| page.parse().ok()).unwrap_or(1).max(1),
        }
    }

    fn is_filter(&self) -> bool {
        self.game.is_some() || self.kind.is_some() || self.status.is_some() || self.text.is_some()
    }

    fn accepts(&self, entry: &Entry) -> bool {
        let Ok(line) = &entry.line else { return !self.is_filter() };
        let is =
            |wanted: &Option<String>, found: &str| wanted.as_deref().is_none_or(|wanted| wanted == printable(found));
        let contains = |text: &String| {
            let result = line.headline.iter().map(|headline| &headline.text);
            let words = line.label.iter().chain(&line.command).chain(result);
            words.map(|word| word.to_lowercase()).any(|word| word.contains(text)) || line.run.to_string() == *text
        };
        is(&self.game, &line.game)
            && is(&self.kind, &line.kind)
            && is(&self.status, &line.status.to_string())
            && self.text.as_ref().is_none_or(contains)
    }

    fn sort(&self, entries: &mut [Entry]) {
        // Text, then numbers: each column uses one of them.
        let key = |entry: &Entry| -> (String, Option<f64>) {
            let Ok(line) = &entry.line else { return Default::default() };
            let headline = line.headline.as_ref();
            match self.sort.as_str() {
                "label" => (line.label.clone().unwrap_or_default().to_lowercase(), None),
                "kind" => (line.kind.clone(), None),
                "game" => (line.game.clone(), None),
                "status" => (line.status.to_string(), line.progress),
                "result" => (headline.map(|headline| headline.text.clone()).unwrap_or_default(), None),
                "value" => (String::new(), headline.and_then(|headline| headline.value)),
                "time" => (String::new(), line.seconds),
                _ => (String::new(), Some(line.created_at as f64)),
            }
        };
        let order = |a: &(String, Option<f64>), b: &(String, Option<f64>)| {
            let number = |value: &(String, Option<f64>)| value.1.unwrap_or(f64::NEG_INFINITY);
            a.0.cmp(&b.0).then(number(a).total_cmp(&number(b)))
        };
        match self.is_descending {
            true => entries.sort_by(|a, b| order(&key(b), &key(a)).then(b.run.cmp(&a.run))),
            false => entries.sort_by(|a, b| order(&key(a), &key(b)).then(a.run.cmp(&b.run))),
        }
    }

    /// The address of the list with this choice, but for the given fields.
    fn address(&self, changes: &[(&str, String)]) -> String {
        let sort = format!("{}{}", if self.is_descending { "-" } else { "" }, self.sort);
        let given = [("game", &self.game), ("kind", &self.kind), ("status", &self.status), ("text", &self.text)];
        let given = given.into_iter().filter_map(|(name, value)| Some((name, value.clone()?)));
        let mut fields: Vec<(&str, String)> = given.chain([("sort", sort)]).collect();
        fields.retain(|(name, value)| {
            !(*name == "sort" && value == "-run") && changes.iter().all(|(key, _)| key != name)
        });
        fields.extend(changes.iter().filter(|(_, value)| !value.is_empty()).cloned());
        let pairs: Vec<_> = fields.iter().map(|(name, value)| format!("{name}={}", encode(value))).collect();
        if pairs.is_empty() { "/".to_string() } else { format!("/?{}", pairs.join("&")) }
    }
}

fn show(shared: &Shared, request: &Request) -> Result<Reply, WebError> {
    let choice = Choice::of(&request.query);
    let Changes { changed: all, mark, is_partial, .. } = shared.live.all()?;
    let list = html! { @if all.is_empty() { (no_runs(shared)) } @else { (list(&all, &choice, &mark)) } };
    if request.is_fragment() {
        return Ok(Reply::html(list));
    }
    let content = html! {
        div.row.title {
            h1 { "Runs" }
            @if shared.launcher.is_some() { a.button.primary href="/start" { "New run" } }
        }
        @if !all.is_empty() { (filters(&all, &choice)) }
        div #runs data-live="list" { (list) }
        @if is_partial { p.hint { "Older runs are still being read; they appear in a moment." } }
    };
    Ok(Page::new("Runs", content).reply())
}

fn no_runs(shared: &Shared) -> Markup {
    let hint = html! {
        @if shared.launcher.is_some() {
            p { a.button.primary href="/start/discover?game=breakthrough&quick=on" { "Start a quick discovery" } }
            p { "or on the command line:" }
        } @else {
            p { "Start one on the command line:" }
        }
        p { code { "plysmith discover breakthrough --quick" } }
        p.hint { "It appears here as soon as it begins." }
    };
    html! { div data-mark="none" { (empty_state("There are no runs yet", &hint)) } }
}

fn filters(all: &[Entry], choice: &Choice) -> Markup {
    let values = |value: fn(&RunLine) -> &str| -> BTreeSet<String> {
        all.iter().filter_map(|entry| Some(printable(value(entry.line.as_ref().ok()?)).into_owned())).collect()
    };
    let statuses = [Status::Running, Status::Interrupted, Status::Finished].map(|status| status.to_string()).into();
    html! {
        form.filters.row method="get" action="/" role="search" data-submit-on-change {
            (select("game", "Game", values(|line| &line.game), choice.game.as_deref()))
            (select("kind", "Kind", values(|line| &line.kind), choice.kind.as_deref()))
            (select("status", "Status", statuses, choice.status.as_deref()))
            label { span.visually-hidden { "Search" }
                input type="search" name="text" value=[choice.text.as_deref().map(printable)] placeholder="Label, command, result, number" accesskey="s";
            }
            @if choice.address(&[]).contains("sort=") {
                input type="hidden" name="sort" value={ @if choice.is_descending { "-" } (choice.sort) };
            }
            button type="submit" { "Search" }
            @if choice.is_filter() { a href="/" { "Show all" } }
        }
    }
}

fn select(name: &str, title: &str, values: BTreeSet<String>, chosen: Option<&str>) -> Markup {
    html! {
        label {
            span.visually-hidden { (title) }
            select name=(name) {
                option value="" { (title) ": all" }
                @for value in values { option value=(value) selected[chosen == Some(value.as_str())] { (value) } }
            }
        }
    }
}

fn list(all: &[Entry], choice: &Choice, mark: &Mark) -> Markup {
    let mut entries: Vec<Entry> = all.iter().filter(|entry| choice.accepts(entry)).cloned().collect();
    choice.sort(&mut entries);
    let (count, pages) = (entries.len(), entries.len().div_ceil(MOST_ROWS).max(1));
    let page = choice.page.min(pages);
    let shown = entries.iter().skip((page - 1) * MOST_ROWS).take(MOST_ROWS);
    html! {
        form method="get" action="/compare" data-mark=(mark.to_string()) data-sorted=[(choice.sort != "run").then_some("")] {
            p.row.quiet {
                span #run-count { (count_text(count, all.len())) }
                button type="submit" data-needs="2" { "Compare" }
                button type="submit" formaction="/report" data-needs="1" { "Save report" }
                button.danger type="submit" formaction="/delete" data-needs="1" { "Delete…" }
                span.hint { "Tick runs to compare or delete them." }
            }
            @if count == 0 {
                (empty_state("No run matches", &html! { p { a href="/" { "Show all runs" } } }))
            } @else {
                div.scroll { table.runs {
                    thead { tr {
                        th { span.visually-hidden { "Choose" } }
                        @for (key, title, is_number) in COLUMNS { (heading(choice, key, title, *is_number)) }
                    } }
                    tbody { @for entry in shown { (row::row(entry)) } }
                } }
            }
            @if pages > 1 {
                p.row { @for number in 1..=pages {
                    @if number == page { strong { (number) } } @else { a href=(choice.address(&[("page", number.to_string())])) { (number) } }
                } }
            }
        }
    }
}

fn count_text(shown: usize, all: usize) -> String {
    if shown == all { counted(all, "run") } else { format!("{shown} of {}", counted(all, "run")) }
}

/// Key, title, and whether its cells are numbers.
const COLUMNS: &[(&str, &str, bool)] = &[
    ("run", "Run", true),
    ("label", "Label", false),
    ("kind", "Kind", false),
    ("game", "Game", false),
    ("status", "Status", false),
    ("result", "Result", false),
    ("value", "Best value", true),
    ("time", "Time", true),
];

fn heading(choice: &Choice, key: &str, title: &str, is_number: bool) -> Markup {
    let is_sorted = choice.sort == key;
    // Numbers are first asked for from the largest down, words from A to Z.
    let descending = if is_sorted { !choice.is_descending } else { is_number };
    let sort = format!("{}{key}", if descending { "-" } else { "" });
    let (direction, arrow) = if choice.is_descending { ("descending", " ↓") } else { ("ascending", " ↑") };
    html! {
        th.number[is_number] aria-sort=[is_sorted.then_some(direction)] {
            a.sort href=(choice.address(&[("sort", sort)])) { (title) @if is_sorted { span aria-hidden="true" { (arrow) } } }
        }
    }
}

/// What changes in the list, from the mark that the page has.
fn events(shared: &Shared, request: &Request) -> Result<Reply, WebError> {
    let listener: Listener = shared.listeners.admit()?;
    let last = request.headers.get("last-event-id").and_then(|value| value.to_str().ok());
    let mark = last.or(request.query.get("since")).and_then(|text| text.parse().ok());
    let feed = ListFeed { live: Arc::clone(&shared.live), choice: Choice::of(&request.query), mark };
    Ok(Reply::events(feed, listener))
}

/// Changed rows as HTML, for the script to put in their places.
struct ListFeed {
    live: Arc<Live>,
    choice: Choice,
    mark: Option<Mark>,
}

impl Feed for ListFeed {
    fn next(&mut self) -> Piece {
        let changes = match &self.mark {
            Some(mark) => self.live.since(mark),
            None => self.live.all(),
        };
        let Ok(Changes { changed, gone, is_reset, mark, .. }) = changes else {
            return Piece::End(event("failed", None, "the store cannot be read"));
        };
        if self.mark.as_ref() == Some(&mark) {
            return Piece::News(String::new());
        }
        let id = mark.to_string();
        self.mark = Some(mark);
        if is_reset {
            return Piece::News(event("reset", Some(&id), ""));
        }
        let (shown, hidden): (Vec<_>, Vec<_>) = changed.iter().partition(|entry| self.choice.accepts(entry));
        let rows: Vec<_> = shown.into_iter().map(|entry| (entry.run, row::row(entry).into_string())).collect();
        let gone: Vec<_> = gone.into_iter().chain(hidden.into_iter().map(|entry| entry.run)).collect();
        let all = self.live.all().map(|changes| changes.changed).unwrap_or_default();
        let count = count_text(all.iter().filter(|entry| self.choice.accepts(entry)).count(), all.len());
        let data = serde_json::json!({ "rows": rows, "gone": gone, "count": count });
        Piece::News(event("runs", Some(&id), &data.to_string()))
    }
}
