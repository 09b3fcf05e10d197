//! The server on a socket: slow, huge and broken requests, many connections, and events that are followed across a
//! reconnection.

mod support;

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::time::{Duration, Instant};

use plysmith_store::{NewRun, RunId, Status};
use plysmith_web::server::{Background, Limits, MOST_BODY};
use support::Dashboard;

/// Only a failing test waits that long.
const PATIENCE: Duration = Duration::from_secs(120);

struct Site {
    server: Background,
    dashboard: Dashboard,
}

/// A server, and another user of the same store.
fn site() -> Site {
    site_with(Limits::default())
}

fn site_with(limits: Limits) -> Site {
    let dashboard = Dashboard::new();
    let shared = plysmith_web::Shared::new(dashboard.store.clone(), Default::default());
    Site { server: Background::start(plysmith_web::App::new(shared), limits).unwrap(), dashboard }
}

impl Site {
    fn connect(&self) -> TcpStream {
        let stream = TcpStream::connect(self.server.address).unwrap();
        stream.set_read_timeout(Some(PATIENCE)).unwrap();
        stream
    }

    /// The status and the whole answer to what is sent as it is.
    fn send(&self, bytes: &[u8]) -> (u16, String) {
        let mut stream = self.connect();
        // A server that refuses early closes the connection while it is written to.
        let _ = stream.write_all(bytes);
        answer(stream)
    }

    fn get(&self, path: &str) -> (u16, String) {
        self.send(format!("GET {path} HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n").as_bytes())
    }

    /// A run as another process would begin it.
    fn begin_run(&self) -> plysmith_store::RunClaim {
        let new = NewRun {
            kind: "match".into(),
            game: "chess".into(),
            config: serde_json::json!({}),
            seed: 1,
            version: "0.2.0".into(),
            command: Vec::new(),
            parent: None,
        };
        plysmith_store::Store::open(self.dashboard.store.path()).unwrap().create_run(&new).unwrap()
    }

    /// Listens to events; they end with the connection.
    fn follow(&self, path: &str, last: Option<&str>) -> Events {
        let mut stream = self.connect();
        let last = last.map(|id| format!("Last-Event-ID: {id}\r\n")).unwrap_or_default();
        write!(stream, "GET {path} HTTP/1.1\r\nHost: 127.0.0.1\r\n{last}\r\n").unwrap();
        let mut reader = BufReader::new(stream);
        let mut line = String::new();
        while reader.read_line(&mut line).unwrap() > 2 {
            line.clear();
        }
        Events(reader)
    }
}

fn answer(mut stream: TcpStream) -> (u16, String) {
    let mut bytes = Vec::new();
    let _ = stream.read_to_end(&mut bytes);
    let text = String::from_utf8_lossy(&bytes).into_owned();
    let status = text.split(' ').nth(1).and_then(|code| code.parse().ok()).unwrap_or(0);
    (status, text)
}

struct Events(BufReader<TcpStream>);

impl Events {
    /// The next event: its name, its id and its data.
    fn next(&mut self) -> (String, String, String) {
        let (mut name, mut id, mut data) = (String::new(), String::new(), String::new());
        let deadline = Instant::now() + PATIENCE;
        loop {
            assert!(Instant::now() < deadline, "nothing but heartbeats came");
            let mut line = String::new();
            assert!(self.0.read_line(&mut line).unwrap() > 0, "the events ended");
            let line = line.trim_end();
            match line.split_once(": ") {
                Some(("event", value)) => name = value.to_string(),
                Some(("id", value)) => id = value.to_string(),
                Some(("data", value)) => data += value,
                _ if line.is_empty() && !name.is_empty() => return (name, id, data),
                // The lengths of chunks, and heartbeats.
                _ => {}
            }
        }
    }
}

#[test]
fn pages_come_over_a_socket() {
    let site = site();
    let (status, text) = site.get("/");
    assert!(status == 200 && text.contains("There are no runs yet") && text.ends_with("</html>"), "{text}");
    assert_eq!(site.get("/nowhere").0, 404);
    let head = "HEAD / HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n";
    let (status, text) = site.send(head.as_bytes());
    assert!(status == 200 && text.contains("content-length: ") && text.ends_with("\r\n\r\n"), "{text}");
}

#[test]
fn huge_requests_are_refused() {
    let site = site();
    let long = "x".repeat(10_000);
    assert_eq!(site.get(&format!("/?text={long}")).0, 400);
    let host = "Host: 127.0.0.1\r\n";
    let huge = "x".repeat(200_000);
    let (status, _) = site.send(format!("GET / HTTP/1.1\r\n{host}X: {huge}\r\n\r\n").as_bytes());
    assert!(status == 431 || status == 0, "{status}");
    let many: String = (0..1000).map(|number| format!("X-{number}: 1\r\n")).collect();
    let (status, _) = site.send(format!("GET / HTTP/1.1\r\n{host}{many}\r\n").as_bytes());
    assert!(status == 431 || status == 0, "{status}");
    let body = format!("label={}", "x".repeat(MOST_BODY));
    let kind = "Content-Type: application/x-www-form-urlencoded\r\n";
    let form = format!(
        "POST /login HTTP/1.1\r\n{host}{kind}Connection: close\r\nContent-Length: {}\r\n\r\n{body}",
        body.len()
    );
    let (status, _) = site.send(form.as_bytes());
    assert!(status == 413 || status == 0, "{status}");
    // A length that is claimed and not sent costs nothing.
    let claimed = format!("POST /login HTTP/1.1\r\n{host}{kind}Content-Length: 99999999999\r\n\r\nlabel=x");
    let mut stream = site.connect();
    stream.write_all(claimed.as_bytes()).unwrap();
    assert_eq!(site.get("/").0, 200);
    drop(stream);
    assert_eq!(site.get("/").0, 200);
}

#[test]
fn what_is_not_http_harms_nobody() {
    // What never becomes a request is cut off.
    let site = site_with(Limits { head: Duration::from_millis(500), ..Limits::default() });
    for bytes in [
        &b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc"[..],
        b"GET\r\n\r\n",
        b"\r\n\r\n\r\n",
        b"GET / HTTP/9.9\r\n\r\n",
        b"GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\nConnection: close\r\n\r\n",
        b"POST / HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\nabcde",
        b"POST / HTTP/1.1\r\nHost: 127.0.0.1\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n",
        b"GET http://evil.example/ HTTP/1.1\r\nHost: evil.example\r\nConnection: close\r\n\r\n",
    ] {
        let (status, text) = site.send(bytes);
        assert!(status == 0 || (400..500).contains(&status), "{status}: {text}");
    }
    assert_eq!(site.get("/").0, 200);
}

#[test]
fn slow_requests_are_cut_off() {
    let short = Duration::from_millis(100);
    let site = site_with(Limits { connections: 8, head: short, body: short });
    // More connections than the server takes, each with the beginning of a request that does not go on.
    let mut slow: Vec<_> = (0..20).map(|_| site.connect()).collect();
    for stream in &mut slow {
        stream.write_all(b"GET / HTTP/1.1\r\nHo").unwrap();
    }
    assert_eq!(site.get("/").0, 200, "its turn comes when the others are cut off");
    for stream in slow {
        let (status, _) = answer(stream);
        assert!([0, 408].contains(&status), "{status}");
    }
    let mut stream = site.connect();
    let kind = "Content-Type: application/x-www-form-urlencoded\r\n";
    write!(stream, "POST /login HTTP/1.1\r\nHost: 127.0.0.1\r\n{kind}Content-Length: 100\r\n\r\ntoken=").unwrap();
    assert_eq!(answer(stream).0, 408, "the body does not come");
}

#[test]
fn a_run_of_another_process_is_followed_across_a_reconnection() {
    let site = site();
    let page = site.get("/").1;
    assert!(page.contains("There are no runs yet"));
    let mut events = site.follow("/events", None);
    let (name, mark, _) = events.next();
    assert_eq!(name, "reset", "a listener without a mark loads the page again");
    let claim = site.begin_run();
    let run = claim.run();
    let (name, mark, data) = loop {
        let (name, id, data) = events.next();
        assert_ne!(id, mark);
        if data.contains("running") {
            break (name, id, data);
        }
    };
    assert!(name == "runs" && data.contains(&format!("run-{run}")), "{data}");

    // While nobody listens, it goes on and another one begins.
    drop(events);
    site.dashboard.store.append_event(run, 0, "game", &1).unwrap();
    let other = site.begin_run();
    drop(claim);
    let mut events = site.follow("/events", Some(&mark));
    let mut seen = String::new();
    while !(seen.contains(&format!("run-{}", other.run())) && seen.contains("interrupted")) {
        let (name, _, data) = events.next();
        assert_eq!(name, "runs", "nothing was lost, so nothing is reset");
        seen += &data;
    }
    // Another server does not know the mark.
    assert_eq!(site.follow("/events", Some("other.5")).next().0, "reset");
}

#[test]
fn stored_events_are_sent_once_and_in_order() {
    let site = site();
    let claim = site.begin_run();
    let (run, store) = (claim.run(), &site.dashboard.store);
    for seq in 0..300 {
        store.append_event(run, seq, "game", &serde_json::json!({ "number": seq, "text": "a\nb" })).unwrap();
    }
    let path = format!("/runs/{run}/events");
    let check = |events: &mut Events, range: std::ops::Range<u64>| {
        for seq in range {
            let (name, id, data) = events.next();
            assert_eq!((name.as_str(), id), ("game", seq.to_string()));
            assert_eq!(serde_json::from_str::<serde_json::Value>(&data).unwrap()["number"], seq);
        }
    };
    let mut events = site.follow(&path, None);
    check(&mut events, 0..300);
    store.append_event(run, 300, "game", &serde_json::json!({ "number": 300 })).unwrap();
    check(&mut events, 300..301);
    drop(events);
    let mut events = site.follow(&path, Some("298"));
    check(&mut events, 299..301);
    store.finish_run(run, &1).unwrap();
    assert_eq!(events.next().0, "end");
    let mut events = site.follow(&format!("{path}?from=300"), None);
    check(&mut events, 300..301);
    assert_eq!(events.next().0, "end");
}

#[test]
fn the_page_of_a_run_is_told_of_its_end() {
    let site = site();
    let claim = site.begin_run();
    let run: RunId = claim.run();
    let text = site.get("/").1;
    let mark = text.split("data-mark=\"").nth(1).and_then(|rest| rest.split('"').next()).unwrap().to_string();
    let mut events = site.follow(&format!("/runs/{run}/changes?since={mark}"), None);
    site.dashboard.store.append_event(run, 0, "game", &1).unwrap();
    let news = loop {
        let (name, _, data) = events.next();
        assert_eq!(name, "run");
        let news: serde_json::Value = serde_json::from_str(&data).unwrap();
        if news["events"] == 1 {
            break news;
        }
    };
    assert_eq!(news["status"], serde_json::to_value(Status::Running).unwrap());
    site.dashboard.store.finish_run(run, &1).unwrap();
    drop(claim);
    while !events.next().2.contains("finished") {}
}
