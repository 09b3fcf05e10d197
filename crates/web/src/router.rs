//! Which function answers which address.

use hyper::Method;

use crate::error::WebError;
use crate::reply::Reply;
use crate::request::Request;
use crate::shared::Shared;

/// Answers a request. It may wait for the disk, but for nothing that can take long.
pub type Handler = fn(&Shared, &Request) -> Result<Reply, WebError>;

/// An address and who answers it.
#[derive(Copy, Clone, Debug)]
pub struct Route {
    /// Whether it changes something.
    pub is_post: bool,
    /// The path. A part in braces, as in `/runs/{run}`, stands for any one segment; see [`Request::part`].
    pub pattern: &'static str,
    /// Answers it.
    pub handler: Handler,
}

/// A page.
pub const fn get(pattern: &'static str, handler: Handler) -> Route {
    Route { is_post: false, pattern, handler }
}

/// A form that changes something. Origin and token are checked before the handler is called.
pub const fn post(pattern: &'static str, handler: Handler) -> Route {
    Route { is_post: true, pattern, handler }
}

/// The route of a request, whose named parts are filled in.
pub fn find<'a>(tables: &[&'a [Route]], request: &mut Request) -> Result<&'a Route, WebError> {
    let is_post = request.method == Method::POST;
    let mut other_method = false;
    for route in tables.iter().flat_map(|table| table.iter()) {
        if let Some(named) = matched(route.pattern, &request.segments) {
            if route.is_post == is_post {
                request.named = named;
                return Ok(route);
            }
            other_method = true;
        }
    }
    Err(if other_method { WebError::wrong_method() } else { WebError::not_found("there is no such page") })
}

/// The named parts, if the path is of this pattern.
fn matched(pattern: &'static str, segments: &[String]) -> Option<Vec<(&'static str, String)>> {
    let parts: Vec<&'static str> = pattern.split('/').skip(1).collect();
    if parts.len() != segments.len() {
        return None;
    }
    let mut named = Vec::new();
    for (part, segment) in parts.into_iter().zip(segments) {
        match part.strip_prefix('{').and_then(|rest| rest.strip_suffix('}')) {
            Some(name) if !segment.is_empty() => named.push((name, segment.clone())),
            None if part == segment => {}
            _ => return None,
        }
    }
    Some(named)
}

#[cfg(test)]
mod tests {
    use super::matched;

    #[test]
    fn patterns_match_whole_segments() {
        let match_of = |pattern, path: &str| {
            let segments: Vec<_> = path.split('/').skip(1).map(String::from).collect();
            matched(pattern, &segments)
        };
        assert_eq!(match_of("/", "/"), Some(vec![]));
        assert_eq!(match_of("/runs/{run}", "/runs/7"), Some(vec![("run", "7".to_string())]));
        assert_eq!(match_of("/runs/{run}", "/runs/"), None);
        assert_eq!(match_of("/runs/{run}", "/runs/7/x"), None);
        assert_eq!(match_of("/runs", "/runs/"), None);
    }
}
