//! What is checked before a request reaches its handler, and the headers that every answer has.
//!
//! The server works for one person on one machine. Others reach it through that person's browser: a page from elsewhere
//! that sends requests to 127.0.0.1 (so `Origin` is checked, and forms carry a secret), or a name that resolves to
//! 127.0.0.1 (so `Host` is checked). Pages may run no script but those that the server serves.

pub mod login;

use hyper::Method;
use hyper::header::{AUTHORIZATION, HOST, HeaderMap, HeaderName, HeaderValue, ORIGIN};

use crate::error::WebError;
use crate::request::Request;
use crate::shared::{FORM_TOKEN, Shared};

/// The cookie that holds the token.
pub const COOKIE: &str = "plysmith-token";

const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; \
                      form-action 'self'; base-uri 'none'; frame-ancestors 'none'";

/// Fails if the request must not be answered.
pub fn check(shared: &Shared, request: &Request) -> Result<(), WebError> {
    let host = request.header(&HOST).ok_or_else(|| WebError::bad_request("the request does not name one host"))?;
    if shared.options.token.is_none() && !is_loopback(host) {
        return Err(WebError::forbidden(format!(
            "'{host}' is not the name of this machine's own address; open http://127.0.0.1 with the port instead"
        )));
    }
    if request.method == Method::POST {
        check_origin(host, request)?;
    }
    if let Some(token) = &shared.options.token
        && !login::is_open(&request.path)
        && !has_token(request, token)
    {
        return Err(WebError::unauthorized("this server asks for its token"));
    }
    if request.method == Method::POST && !login::is_open(&request.path) && !has_form_token(shared, request) {
        return Err(WebError::forbidden(
            "this form is from before the server was restarted, or from elsewhere; reload the page and send it again",
        ));
    }
    Ok(())
}

/// Headers of every answer.
pub fn add_headers(headers: &mut HeaderMap) {
    const FIXED: [(&str, &str); 6] = [
        ("content-security-policy", POLICY),
        ("x-content-type-options", "nosniff"),
        // A stricter one would make browsers send `Origin: null` with our own forms.
        ("referrer-policy", "same-origin"),
        ("cross-origin-opener-policy", "same-origin"),
        ("cross-origin-resource-policy", "same-origin"),
        ("permissions-policy", "camera=(), microphone=(), geolocation=()"),
    ];
    for (name, value) in FIXED {
        headers.insert(HeaderName::from_static(name), HeaderValue::from_static(value));
    }
}

fn check_origin(host: &str, request: &Request) -> Result<(), WebError> {
    match request.header(&ORIGIN) {
        Some(origin) if origin.eq_ignore_ascii_case(&format!("http://{host}")) => Ok(()),
        Some(origin) => Err(WebError::forbidden(format!("requests from {origin} cannot change anything here"))),
        None => Err(WebError::forbidden("a request that changes something must say where it comes from (Origin)")),
    }
}

/// Whether a host, with or without a port, is this machine seen from itself.
fn is_loopback(host: &str) -> bool {
    let (name, port) = match host.rfind(':') {
        Some(colon) if !host.ends_with(']') => (&host[..colon], &host[colon + 1..]),
        _ => (host, ""),
    };
    let is_port = port.is_empty() || port.parse::<u16>().is_ok();
    is_port && (name.eq_ignore_ascii_case("localhost") || name == "127.0.0.1" || name == "[::1]")
}

fn has_token(request: &Request, token: &str) -> bool {
    let bearer = request.header(&AUTHORIZATION).and_then(|value| value.strip_prefix("Bearer "));
    [bearer, request.cookie(COOKIE)].into_iter().flatten().any(|given| is_same(given, token))
}

fn has_form_token(shared: &Shared, request: &Request) -> bool {
    request.form.get(FORM_TOKEN).is_some_and(|given| is_same(given, &shared.form_token))
}

/// Takes as long for a wrong text that begins right.
pub(crate) fn is_same(given: &str, secret: &str) -> bool {
    let differences = given.bytes().zip(secret.bytes()).fold(0, |found, (a, b)| found | (a ^ b));
    given.len() == secret.len() && differences == 0
}

#[cfg(test)]
mod tests {
    use super::{is_loopback, is_same};

    #[test]
    fn only_this_machine_is_loopback() {
        for host in ["127.0.0.1", "127.0.0.1:8000", "localhost:1", "LOCALHOST", "[::1]", "[::1]:80"] {
            assert!(is_loopback(host), "{host}");
        }
        for host in ["", ":80", "127.0.0.1.example.org", "example.org", "localhost:x", "127.0.0.1:99999", "::1"] {
            assert!(!is_loopback(host), "{host}");
        }
    }

    #[test]
    fn secrets_are_compared_whole() {
        assert!(is_same("abc", "abc") && is_same("", ""));
        assert!(!is_same("ab", "abc") && !is_same("abcd", "abc") && !is_same("abd", "abc"));
    }
}
