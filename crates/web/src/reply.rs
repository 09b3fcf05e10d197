//! An answer: status, headers and a body, which is whole or a stream of events.

use std::pin::Pin;
use std::task::{Context, Poll};

use hyper::StatusCode;
use hyper::body::{Body, Bytes, Frame, SizeHint};
use hyper::header::{CACHE_CONTROL, CONTENT_TYPE, HeaderMap, HeaderName, HeaderValue, LOCATION};
use maud::Markup;
use tokio::sync::mpsc::Receiver;

use crate::feed::{Feed, Listener, Open};

/// An answer to a request.
#[derive(Debug)]
pub struct Reply {
    /// The status.
    pub status: StatusCode,
    /// The headers. Those that every answer has are added by the application.
    pub headers: HeaderMap,
    /// The body.
    pub body: Content,
}

/// The body of an answer.
#[derive(Debug)]
pub enum Content {
    /// All of it.
    Whole(Bytes),
    /// Events as they happen. The server makes a stream of them.
    Feed(Box<Open>),
    /// Pieces as they are sent; the end when the sender is dropped.
    Stream(Receiver<Bytes>),
}

impl Reply {
    /// A page or a part of one.
    pub fn html(markup: Markup) -> Reply {
        Reply::new("text/html; charset=utf-8", markup.into_string())
    }

    /// JSON, also for programs.
    pub fn json(text: String) -> Reply {
        Reply::new("application/json", text)
    }

    /// Anything else.
    pub fn new(content_type: &'static str, body: impl Into<Bytes>) -> Reply {
        let mut headers = HeaderMap::new();
        headers.insert(CONTENT_TYPE, HeaderValue::from_static(content_type));
        headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-cache"));
        Reply { status: StatusCode::OK, headers, body: Content::Whole(body.into()) }
    }

    /// Server-sent events.
    pub fn events(feed: impl Feed + 'static, listener: Listener) -> Reply {
        let mut reply = Reply::new("text/event-stream", Bytes::new());
        reply.headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
        Reply { body: Content::Feed(Box::new(Open::new(feed, listener))), ..reply }
    }

    /// Sends the browser to another page of this server, with GET.
    pub fn redirect(to: &str) -> Reply {
        let reply = Reply::new("text/plain; charset=utf-8", format!("see {to}\n"));
        Reply { status: StatusCode::SEE_OTHER, ..reply }.header(LOCATION, to)
    }

    /// Offers the body as a file to be saved.
    #[must_use]
    pub fn download(self, name: &str) -> Reply {
        let plain = |letter: &char| letter.is_ascii_alphanumeric() || "-_.".contains(*letter);
        let name: String = name.chars().filter(plain).collect();
        self.header(hyper::header::CONTENT_DISPOSITION, &format!("attachment; filename=\"{name}\""))
    }

    /// With another status.
    #[must_use]
    pub fn status(self, status: StatusCode) -> Reply {
        Reply { status, ..self }
    }

    /// With a header; left out if the value cannot be one.
    #[must_use]
    pub fn header(mut self, name: HeaderName, value: &str) -> Reply {
        if let Ok(value) = HeaderValue::from_str(value) {
            self.headers.insert(name, value);
        }
        self
    }

    /// The body as text; nothing if it is a stream.
    pub fn text(&self) -> String {
        match &self.body {
            Content::Whole(bytes) => String::from_utf8_lossy(bytes).into_owned(),
            Content::Feed(_) | Content::Stream(_) => String::new(),
        }
    }
}

impl Body for Content {
    type Data = Bytes;
    type Error = std::convert::Infallible;

    fn poll_frame(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Result<Frame<Bytes>, Self::Error>>> {
        match self.get_mut() {
            Content::Feed(_) => Poll::Ready(None),
            Content::Whole(bytes) if bytes.is_empty() => Poll::Ready(None),
            Content::Whole(bytes) => Poll::Ready(Some(Ok(Frame::data(std::mem::take(bytes))))),
            Content::Stream(pieces) => pieces.poll_recv(context).map(|piece| Some(Ok(Frame::data(piece?)))),
        }
    }

    fn is_end_stream(&self) -> bool {
        matches!(self, Content::Whole(bytes) if bytes.is_empty())
    }

    fn size_hint(&self) -> SizeHint {
        match self {
            Content::Whole(bytes) => SizeHint::with_exact(bytes.len() as u64),
            Content::Feed(_) | Content::Stream(_) => SizeHint::default(),
        }
    }
}
