//! Server-sent events: a feed says what is new each time it is asked, and the server asks it as long as somebody listens.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use hyper::body::Bytes;

use crate::error::WebError;

/// How often a feed is asked.
pub const INTERVAL: Duration = Duration::from_millis(500);
/// After so long without news something is sent all the same, to notice listeners that are gone.
const HEARTBEAT: Duration = Duration::from_secs(15);
/// Feeds at a time.
pub const MOST_FEEDS: usize = 64;

/// A source of events.
pub trait Feed: Send {
    /// What is new.
    fn next(&mut self) -> Piece;
}

/// What a feed says.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Piece {
    /// News, perhaps none, and that there may be more later.
    News(String),
    /// News, and there is more already.
    More(String),
    /// The last news.
    End(String),
}

/// One event in the form that browsers expect.
pub fn event(name: &str, id: Option<&str>, data: &str) -> String {
    let mut text = String::with_capacity(data.len() + 64);
    let mut line = |field: &str, value: &str| {
        text.push_str(field);
        text.push_str(": ");
        text.push_str(value);
        text.push('\n');
    };
    // A line end would begin another field.
    let one_line = |value: &str| value.replace(['\n', '\r', '\0'], " ");
    line("event", &one_line(name));
    if let Some(id) = id {
        line("id", &one_line(id));
    }
    for part in data.split(['\n', '\r']) {
        line("data", part);
    }
    text.push('\n');
    text
}

/// Counts feeds, so that they cannot become too many.
#[derive(Clone, Debug, Default)]
pub struct Listeners(Arc<AtomicUsize>);

/// One of the feeds that are allowed at a time.
#[derive(Debug)]
pub struct Listener(Arc<AtomicUsize>);

impl Listeners {
    /// Room for one more feed.
    pub fn admit(&self) -> Result<Listener, WebError> {
        let listener = Listener(Arc::clone(&self.0));
        if self.0.fetch_add(1, Ordering::Relaxed) >= MOST_FEEDS {
            return Err(WebError::busy(format!("{MOST_FEEDS} pages are updated already; close some")));
        }
        Ok(listener)
    }
}

impl Drop for Listener {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}

/// A feed with the place that it takes, and its heartbeat.
pub struct Open {
    feed: Box<dyn Feed>,
    spoke: Instant,
    _listener: Listener,
}

impl Open {
    /// Begins to listen to a feed.
    pub fn new(feed: impl Feed + 'static, listener: Listener) -> Open {
        Open { feed: Box::new(feed), spoke: Instant::now(), _listener: listener }
    }

    /// What to send now, whether there is more already, and whether this is the end.
    pub(crate) fn next(&mut self) -> (Bytes, bool, bool) {
        let (mut text, is_more, is_end) = match self.feed.next() {
            Piece::News(text) => (text, false, false),
            Piece::More(text) => (text, true, false),
            Piece::End(text) => (text, false, true),
        };
        if text.is_empty() && self.spoke.elapsed() >= HEARTBEAT {
            text.push_str(":\n\n");
        }
        if !text.is_empty() {
            self.spoke = Instant::now();
        }
        (text.into(), is_more, is_end)
    }
}

impl std::fmt::Debug for Open {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Open")
    }
}

#[cfg(test)]
mod tests {
    use super::{Listeners, MOST_FEEDS, event};

    #[test]
    fn text_cannot_leave_its_field() {
        assert_eq!(event("a", Some("1"), "x\ny"), "event: a\nid: 1\ndata: x\ndata: y\n\n");
        assert_eq!(event("a\nid: 9", None, "\r"), "event: a id: 9\ndata: \ndata: \n\n");
    }

    #[test]
    fn listeners_are_bounded() {
        let listeners = Listeners::default();
        let mut held: Vec<_> = (0..MOST_FEEDS).map(|_| listeners.admit().unwrap()).collect();
        assert!(listeners.admit().is_err() && listeners.admit().is_err());
        held.pop();
        assert!(listeners.admit().is_ok());
    }
}
