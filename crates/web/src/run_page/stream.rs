//! Events of a run: for its page, that it changed; for programs, what is stored.

use std::sync::Arc;

use plysmith_runs::listing::RunLine;
use plysmith_store::{RunId, Status, Store};

use crate::error::WebError;
use crate::feed::{Feed, Piece, event};
use crate::live::{Live, Mark};
use crate::reply::Reply;
use crate::request::Request;
use crate::shared::Shared;

/// Stored events that are sent at once.
const BATCH: usize = 256;
/// Bytes that are sent at once, but for the event that goes beyond.
const MOST_BYTES: usize = 256 << 10;

/// Says when the run has changed, and in what.
pub fn changes(shared: &Shared, request: &Request) -> Result<Reply, WebError> {
    let run = shared.run_of(request)?.id;
    let mark = last_id(request).or(request.query.get("since")).and_then(|text| text.parse().ok());
    let feed = ChangeFeed { live: Arc::clone(&shared.live), run, mark };
    Ok(Reply::events(feed, shared.listeners.admit()?))
}

/// The stored events from the one behind `Last-Event-ID` on, or from `?from=N`, until the run is finished.
pub fn stored_events(shared: &Shared, request: &Request) -> Result<Reply, WebError> {
    let run = shared.run_of(request)?.id;
    let number = |text: &str| text.parse().map_err(|_| WebError::bad_request("an event number is a whole number"));
    let after = last_id(request).map(number).transpose()?.map(|last: u64| last.saturating_add(1));
    let next = match after {
        Some(next) => next,
        None => request.query.get("from").map_or(Ok(0), number)?,
    };
    Ok(Reply::events(StoredFeed { store: Arc::clone(&shared.store), run, next }, shared.listeners.admit()?))
}

fn last_id(request: &Request) -> Option<&str> {
    request.headers.get("last-event-id").and_then(|value| value.to_str().ok()).filter(|text| !text.is_empty())
}

struct ChangeFeed {
    live: Arc<Live>,
    run: RunId,
    mark: Option<Mark>,
}

impl Feed for ChangeFeed {
    fn next(&mut self) -> Piece {
        let changes = match &self.mark {
            Some(mark) => self.live.since(mark),
            None => self.live.all(),
        };
        let Ok(changes) = changes else {
            return Piece::End(event("failed", None, "the store cannot be read"));
        };
        let id = changes.mark.to_string();
        self.mark = Some(changes.mark);
        if changes.gone.contains(&self.run) {
            return Piece::End(event("deleted", Some(&id), ""));
        }
        let Some(entry) = changes.changed.iter().find(|entry| entry.run == self.run) else {
            return Piece::News(String::new());
        };
        let Ok(RunLine { status, .. }) = entry.line else {
            return Piece::End(event("failed", None, "the run cannot be read"));
        };
        let data = serde_json::json!({ "events": entry.events, "status": status });
        let text = event("run", Some(&id), &data.to_string());
        if status == Status::Finished { Piece::End(text) } else { Piece::News(text) }
    }
}

struct StoredFeed {
    store: Arc<Store>,
    run: RunId,
    next: u64,
}

impl StoredFeed {
    fn read(&mut self) -> Result<Piece, WebError> {
        // Asked first: what is stored before the result is then read below.
        let is_finished = self.store.has_result(self.run)?;
        let (mut text, mut count) = (String::new(), 0);
        for stored in self.store.stream_events(self.run, self.next).take(BATCH) {
            let stored = stored?;
            text += &event(&stored.kind, Some(&stored.seq.to_string()), &stored.payload.to_string());
            self.next = stored.seq + 1;
            count += 1;
            if text.len() >= MOST_BYTES {
                return Ok(Piece::More(text));
            }
        }
        Ok(match () {
            () if count == BATCH => Piece::More(text),
            () if is_finished => Piece::End(text + &event("end", None, "")),
            () => Piece::News(text),
        })
    }
}

impl Feed for StoredFeed {
    fn next(&mut self) -> Piece {
        self.read().unwrap_or_else(|error| Piece::End(event("failed", None, &error.message)))
    }
}
