//! A hundred thousand requests put together at random: none is answered with a fault of the server.

mod support;

use hyper::Method;
use support::{Dashboard, HOSTILE};

/// Requests that are tried.
const REQUESTS: u32 = 100_000;

/// A small generator of random numbers (SplitMix64), so that a failure can be repeated.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    fn below(&mut self, limit: usize) -> usize {
        (self.next() % limit as u64) as usize
    }

    fn pick<'a>(&mut self, from: &[&'a str]) -> &'a str {
        from[self.below(from.len())]
    }
}

const PARTS: &[&str] = &[
    "runs",
    "1",
    "2",
    "3",
    "0",
    "-1",
    "99999999999999999999",
    "events",
    "changes",
    "head",
    "label",
    "stop",
    "resume",
    "delete",
    "compare",
    "start",
    "match",
    "discover",
    "preview",
    "assets",
    "login",
    "explore",
    "play",
    "report",
    "",
    "..",
    "%2e%2e",
    "%2f",
    "%00",
    "%ff",
    "style.css",
    "a b",
    "<script>",
    "é",
    "%F0%9F%92%A9",
    "*",
    "games",
    "problems",
    "tree",
    "nodes",
    "board",
    "moves",
    "new",
    "pgn",
    "svg",
    "png",
    "chess",
    "breakthrough",
];
const NAMES: &[&str] = &[
    "run",
    "game",
    "kind",
    "status",
    "text",
    "sort",
    "page",
    "since",
    "from",
    "fragment",
    "token",
    "label",
    "with-children",
    "form-token",
    "a",
    "b",
    "nodes",
    "scheme",
    "fen",
    "position",
    "move",
    "id",
    "problem",
    "feature",
    "preset",
    "left",
    "right",
    "node",
    "path",
    "format",
    "",
    "é",
];
const VALUES: &[&str] = &[
    "",
    "1",
    "2",
    "-1",
    "0",
    "18446744073709551615",
    "1e999",
    "NaN",
    "running",
    "-run",
    "value",
    "x.1",
    "abc.99999999",
    "classic",
    "modern",
    "classic+RdTt@0.5",
    "%3Cscript%3E",
    "%00",
    "%0d%0aSet-Cookie:x",
    "%ff",
    "..%2f..%2fetc%2fpasswd",
    "uci:sh",
    "plug:sh",
    "on",
    "yes",
    "chess",
    "breakthrough",
    "8/8/8/8/8/8/8/8 w - - 0 1",
    "e2e4",
    "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR%20w%20KQkq%20-%200%201",
    "ÿ",
    "+",
    "%",
    "%%%",
];
const HEADERS: &[(&str, &[&str])] = &[
    ("host", &["127.0.0.1:1", "127.0.0.1:1", "127.0.0.1:1", "localhost", "evil.example", "", "[::1]", ":"]),
    ("origin", &["http://127.0.0.1:1", "http://127.0.0.1:1", "null", "http://evil.example", ""]),
    ("content-type", &["application/x-www-form-urlencoded", "application/json", "", "multipart/form-data"]),
    ("last-event-id", &["0", "5", "x.1", "-1", "999999999999999999999", "\t", ""]),
    ("cookie", &["plysmith-token=x", "=;=;", ""]),
    ("authorization", &["Bearer x", "Basic eDp4", ""]),
    ("accept", &["text/html", "application/json", "*/*", ""]),
];

fn fields(random: &mut Random) -> String {
    let count = random.below(5);
    let pairs: Vec<_> = (0..count).map(|_| format!("{}={}", random.pick(NAMES), random.pick(VALUES))).collect();
    pairs.join("&")
}

/// A few bytes changed at random.
fn garbled(random: &mut Random, text: &str) -> String {
    let mut bytes = text.as_bytes().to_vec();
    for _ in 0..random.below(3) {
        let at = random.below(bytes.len() + 1);
        match random.below(3) {
            0 => bytes.insert(at, random.next() as u8 & 0x7f),
            1 if at < bytes.len() => drop(bytes.remove(at)),
            _ if at < bytes.len() => bytes[at] = random.next() as u8 & 0x7f,
            _ => {}
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

#[test]
fn no_request_is_answered_with_a_fault() {
    let dashboard = Dashboard::new().with_launcher();
    let mut claims = Vec::new();
    for label in [None, Some("mine"), Some(HOSTILE)] {
        let run = dashboard.add_run("chess", label);
        dashboard.store.append_event(run, 0, "game", &serde_json::json!({ "x": HOSTILE })).unwrap();
        // Some cannot be deleted, so that later requests find them.
        claims.extend((label.is_none()).then(|| dashboard.store.claim(run).unwrap()));
    }
    let methods = [Method::GET, Method::GET, Method::POST, Method::HEAD, Method::PUT, Method::DELETE, Method::OPTIONS];
    let mut random = Random(20);
    let mut found = std::collections::BTreeMap::<u16, u32>::new();
    for number in 0..REQUESTS {
        let depth = random.below(5);
        let path: String = (0..depth.max(1)).map(|_| format!("/{}", random.pick(PARTS))).collect();
        let path = if random.below(4) == 0 { garbled(&mut random, &path) } else { path };
        let query = fields(&mut random);
        let address = if query.is_empty() { path } else { format!("{path}?{query}") };
        let mut body = fields(&mut random);
        if random.below(2) == 0 {
            body = format!("form-token={}&{body}", dashboard.app.shared.form_token);
        }
        let body = if random.below(4) == 0 { garbled(&mut random, &body) } else { body };
        let headers: Vec<(&str, &str)> = HEADERS.iter().map(|(name, values)| (*name, random.pick(values))).collect();
        let method = methods[random.below(methods.len())].clone();
        let reply = dashboard.ask(method.clone(), &address, &headers, &body);
        let status = reply.status.as_u16();
        assert!(
            (200..500).contains(&status),
            "request {number}: {method} {address} {body}: {status}\n{}",
            reply.text()
        );
        *found.entry(status).or_default() += 1;
    }
    // The requests reach pages, and are refused for many reasons.
    for expected in [200, 303, 400, 403, 404, 405, 422] {
        assert!(found.contains_key(&expected), "no answer was {expected}: {found:?}");
    }
}
