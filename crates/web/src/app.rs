//! From a request to an answer, without a socket.

use std::panic::{AssertUnwindSafe, catch_unwind};

use hyper::header::{CONTENT_LENGTH, HeaderValue};
use hyper::{Method, StatusCode};

use crate::error::WebError;
use crate::layout;
use crate::reply::{Content, Reply};
use crate::request::Request;
use crate::shared::Shared;
use crate::{router, routes, security};

/// The application: answers requests.
pub struct App {
    /// What all pages work with.
    pub shared: Shared,
}

impl App {
    /// An application on what its pages work with.
    pub fn new(shared: Shared) -> App {
        App { shared }
    }

    /// Answers a request. It is an answer in any case; a panic of a page is one of status 500.
    pub fn answer(&self, request: Result<Request, WebError>) -> Reply {
        let is_head = request.as_ref().is_ok_and(|request| request.method == Method::HEAD);
        let answered = catch_unwind(AssertUnwindSafe(|| self.try_answer(request)));
        let answered = answered.unwrap_or_else(|_| Err(WebError::failed("this page failed; the server goes on")));
        let mut reply = answered.unwrap_or_else(|error| refusal(&error));
        security::add_headers(&mut reply.headers);
        if is_head && let Content::Whole(bytes) = &mut reply.body {
            reply.headers.insert(CONTENT_LENGTH, HeaderValue::from(bytes.len()));
            bytes.clear();
        }
        reply
    }

    fn try_answer(&self, request: Result<Request, WebError>) -> Result<Reply, WebError> {
        let mut request = request?;
        security::check(&self.shared, &request)?;
        if ![Method::GET, Method::HEAD, Method::POST].contains(&request.method) {
            return Err(WebError::wrong_method());
        }
        let route = router::find(routes::TABLES, &mut request)?;
        (route.handler)(&self.shared, &request)
    }
}

/// The page that says why there is no other.
pub(crate) fn refusal(error: &WebError) -> Reply {
    if error.status == StatusCode::UNAUTHORIZED {
        return Reply::html(security::login::page(None)).status(error.status);
    }
    Reply::html(layout::error_page(error)).status(error.status)
}
