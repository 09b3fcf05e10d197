//! A request as handlers see it: the path in decoded segments, the query and the form as names with values.

use hyper::header::{HeaderMap, HeaderName};
use hyper::{Method, Uri};

use crate::error::WebError;

/// The longest path and query together, in bytes.
const MOST_TARGET: usize = 8 << 10;
/// The most fields of a query or a form.
const MOST_FIELDS: usize = 512;

/// A request.
#[derive(Clone, Debug)]
pub struct Request {
    /// GET, HEAD or POST; the server refuses others.
    pub method: Method,
    /// The path as it was sent.
    pub path: String,
    /// The path between its slashes, decoded.
    pub segments: Vec<String>,
    /// The fields of the query, decoded, in order.
    pub query: Fields,
    /// The fields of the form that was posted, decoded, in order.
    pub form: Fields,
    /// The headers.
    pub headers: HeaderMap,
    /// What the route's pattern names, filled in by the router.
    pub(crate) named: Vec<(&'static str, String)>,
}

/// Names with values, in order. A name may occur several times.
#[derive(Clone, Default, PartialEq, Eq, Debug)]
pub struct Fields(pub Vec<(String, String)>);

impl Request {
    /// Reads a request whose body has come in full.
    pub fn new(method: Method, target: &Uri, headers: HeaderMap, body: &[u8]) -> Result<Request, WebError> {
        let (path, query) = (target.path(), target.query().unwrap_or_default());
        if path.len() + query.len() > MOST_TARGET {
            return Err(WebError::bad_request("the address is too long"));
        }
        let segments: Option<Vec<_>> = path.split('/').skip(1).map(|segment| decode(segment, false)).collect();
        let segments = segments.ok_or_else(|| WebError::bad_request("the address is not valid UTF-8"))?;
        let form = match std::str::from_utf8(body) {
            Ok(text) if method == Method::POST && is_form(&headers) => Fields::parse(text)?,
            _ if body.is_empty() => Fields::default(),
            _ => {
                return Err(WebError::bad_request("only forms can be posted here (application/x-www-form-urlencoded)"));
            }
        };
        let (path, query) = (path.to_string(), Fields::parse(query)?);
        Ok(Request { method, path, segments, query, form, headers, named: Vec::new() })
    }

    /// A part of the path that the route's pattern gives a name; empty if it gives none that name.
    pub fn part(&self, name: &str) -> &str {
        self.named.iter().find(|(key, _)| *key == name).map_or("", |(_, value)| value)
    }

    /// A header, if it is there once and is plain text.
    pub fn header(&self, name: &HeaderName) -> Option<&str> {
        let mut values = self.headers.get_all(name).iter();
        match (values.next(), values.next()) {
            (Some(value), None) => value.to_str().ok(),
            _ => None,
        }
    }

    /// A cookie's value.
    pub fn cookie(&self, name: &str) -> Option<&str> {
        let cookies = self.headers.get_all(hyper::header::COOKIE).iter().filter_map(|value| value.to_str().ok());
        let mut pairs = cookies.flat_map(|line| line.split(';')).filter_map(|pair| pair.trim().split_once('='));
        pairs.find(|(key, _)| *key == name).map(|(_, value)| value)
    }

    /// Whether a script asks for a part of a page, to put it into a page that is shown.
    pub fn is_fragment(&self) -> bool {
        self.query.get("fragment").is_some()
    }
}

impl Fields {
    /// The first value of a name.
    pub fn get(&self, name: &str) -> Option<&str> {
        self.0.iter().find(|(key, _)| key == name).map(|(_, value)| value.as_str())
    }

    /// The first value of a name, without blanks around it; `None` if that is empty.
    pub fn filled(&self, name: &str) -> Option<&str> {
        self.get(name).map(str::trim).filter(|value| !value.is_empty())
    }

    /// All values of a name.
    pub fn all<'a>(&'a self, name: &'a str) -> impl Iterator<Item = &'a str> {
        self.0.iter().filter(move |(key, _)| key == name).map(|(_, value)| value.as_str())
    }

    /// Reads `a=1&b=2`.
    pub fn parse(text: &str) -> Result<Fields, WebError> {
        let mut fields = Vec::new();
        for part in text.split('&').filter(|part| !part.is_empty()) {
            if fields.len() == MOST_FIELDS {
                return Err(WebError::bad_request("too many fields"));
            }
            let (name, value) = part.split_once('=').unwrap_or((part, ""));
            match (decode(name, true), decode(value, true)) {
                (Some(name), Some(value)) => fields.push((name, value)),
                _ => return Err(WebError::bad_request("a field is not valid UTF-8")),
            }
        }
        Ok(Fields(fields))
    }

    /// The fields as part of an address.
    pub fn encoded(&self) -> String {
        let pairs = self.0.iter().map(|(name, value)| format!("{}={}", encode(name), encode(value)));
        pairs.collect::<Vec<_>>().join("&")
    }
}

/// Text as part of an address.
pub fn encode(text: &str) -> String {
    let mut encoded = String::with_capacity(text.len());
    for byte in text.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' => encoded.push(char::from(byte)),
            _ => encoded += &format!("%{byte:02X}"),
        }
    }
    encoded
}

/// Resolves `%41`; an incomplete one stands for itself.
fn decode(text: &str, plus_is_blank: bool) -> Option<String> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((&first, tail)) = rest.split_first() {
        let hex = |index: usize| tail.get(index).and_then(|digit| char::from(*digit).to_digit(16));
        rest = tail;
        match (first, hex(0), hex(1)) {
            (b'%', Some(high), Some(low)) => {
                bytes.push((16 * high + low) as u8);
                rest = &tail[2..];
            }
            (b'+', ..) if plus_is_blank => bytes.push(b' '),
            _ => bytes.push(first),
        }
    }
    String::from_utf8(bytes).ok()
}

fn is_form(headers: &HeaderMap) -> bool {
    let value = headers.get(hyper::header::CONTENT_TYPE).and_then(|value| value.to_str().ok()).unwrap_or_default();
    let kind = value.split(';').next().unwrap_or_default().trim();
    kind.eq_ignore_ascii_case("application/x-www-form-urlencoded")
}

#[cfg(test)]
mod tests {
    use super::{Fields, decode, encode};

    #[test]
    fn text_survives_an_address() {
        for text in ["", "a b&c=d", "ä/%41?", "classic+RdTt@0.5", "<script>", "%", "%4", "%zz"] {
            assert_eq!(decode(&encode(text), true).as_deref(), Some(text));
            let fields = Fields(vec![(text.to_string(), text.to_string()), ("x".into(), text.into())]);
            assert_eq!(Fields::parse(&fields.encoded()).unwrap(), fields);
        }
    }

    #[test]
    fn what_is_not_text_is_refused() {
        assert_eq!(decode("%ff", true), None);
        assert_eq!(decode("a+b%", false).as_deref(), Some("a+b%"));
        assert!(Fields::parse("a=%C3").is_err());
        assert!(Fields::parse(&"a=1&".repeat(513)).is_err());
    }
}
