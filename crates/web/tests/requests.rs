//! What the dashboard answers, and what it refuses.

mod support;

use hyper::Method;
use plysmith_web::shared::Options;
use support::{Dashboard, HOSTILE, status};

#[test]
fn an_empty_store_says_how_to_begin() {
    let dashboard = Dashboard::new();
    let page = dashboard.get("/");
    assert_eq!(status(&page), 200);
    assert!(page.text().contains("There are no runs yet") && page.text().contains("plysmith discover"));
}

#[test]
fn text_from_outside_is_never_markup() {
    let dashboard = Dashboard::new();
    let run = dashboard.add_run(HOSTILE, Some(HOSTILE));
    let other = dashboard.add_run("chess", None);
    let query = "%3Cscript%3Ealert(1)%3C/script%3E%22";
    for path in [
        "/".to_string(),
        format!("/?text={query}&game={query}&kind={query}&sort={query}&page={query}"),
        format!("/runs/{run}"),
        format!("/compare?run={run}&run={other}"),
        format!("/delete?run={run}"),
        format!("/runs/{query}"),
        format!("/{query}"),
        "/login".to_string(),
    ] {
        let text = dashboard.get(&path).text();
        assert!(!text.contains("<script>") && !text.contains("\"' onload"), "{path}: {text}");
        assert!(!text.contains(['\u{1b}', '\u{202e}']), "{path} has control characters");
    }
    assert!(dashboard.get("/").text().contains("&lt;script&gt;"));
}

#[test]
fn only_this_machine_is_a_host() {
    let dashboard = Dashboard::new();
    for (host, expected) in [
        ("127.0.0.1:1", 200),
        ("localhost", 200),
        ("[::1]:80", 200),
        ("evil.example", 403),
        ("127.0.0.1.evil.example", 403),
        ("", 400),
    ] {
        assert_eq!(status(&dashboard.ask(Method::GET, "/", &[("host", host)], "")), expected, "{host}");
    }
}

#[test]
fn pages_from_elsewhere_change_nothing() {
    let dashboard = Dashboard::new();
    let run = dashboard.add_run("chess", Some("mine"));
    let path = format!("/runs/{run}/label");
    let form = format!("form-token={}&label=theirs", dashboard.app.shared.form_token);
    let own = ("origin", "http://127.0.0.1:1");
    for origin in ["", "null", "http://evil.example", "http://127.0.0.1:2", "https://127.0.0.1:1", "http://localhost:1"]
    {
        let reply = dashboard.ask(Method::POST, &path, &[("origin", origin)], &form);
        assert_eq!(status(&reply), 403, "{origin}");
    }
    for form in ["label=theirs", "form-token=&label=theirs", "form-token=0123&label=theirs"] {
        assert_eq!(status(&dashboard.ask(Method::POST, &path, &[own], form)), 403, "{form}");
    }
    for kind in ["application/json", "text/plain", "multipart/form-data; boundary=x"] {
        let reply = dashboard.ask(Method::POST, &path, &[own, ("content-type", kind)], &form);
        assert_eq!(status(&reply), 400, "{kind}");
    }
    let by_get = format!("{path}?{form}");
    assert_eq!(status(&dashboard.get(&by_get)), 405);
    assert_eq!(dashboard.store.run(run).unwrap().label.as_deref(), Some("mine"));

    assert_eq!(status(&dashboard.post(&path, "label=ours")), 303);
    assert_eq!(dashboard.store.run(run).unwrap().label.as_deref(), Some("ours"));
}

#[test]
fn the_token_opens_everything_and_nothing_else_does() {
    let token = "0123456789abcdef0123456789abcdef";
    let dashboard = Dashboard::with(Options { token: Some(token.to_string()), ..Options::default() });
    let run = dashboard.add_run("secret-game", None);
    let paths = ["/".to_string(), format!("/runs/{run}"), "/events".into(), "/nowhere".into(), "/compare?run=1".into()];
    for path in &paths {
        for headers in [vec![], vec![("cookie", "plysmith-token=x")], vec![("authorization", "Bearer 0123")]] {
            let reply = dashboard.ask(Method::GET, path, &headers, "");
            assert_eq!(status(&reply), 401, "{path}");
            assert!(!reply.text().contains("secret-game"));
        }
    }
    let cookie = format!("other=1; plysmith-token={token}");
    let bearer = format!("Bearer {token}");
    assert_eq!(status(&dashboard.ask(Method::GET, "/", &[("cookie", &cookie)], "")), 200);
    // Whoever has the token may use any name of the machine.
    let headers = [("authorization", bearer.as_str()), ("host", "box.local:8000")];
    assert_eq!(status(&dashboard.ask(Method::GET, "/", &headers, "")), 200);

    let log_in = |token: &str, origin: &str| {
        dashboard.ask(Method::POST, "/login", &[("origin", origin)], &format!("token={token}"))
    };
    assert_eq!(status(&log_in(token, "http://evil.example")), 403);
    assert_eq!(status(&log_in("wrong", "http://127.0.0.1:1")), 401);
    let admitted = log_in(token, "http://127.0.0.1:1");
    let cookie = admitted.headers["set-cookie"].to_str().unwrap();
    assert!(status(&admitted) == 303 && cookie.contains("HttpOnly; SameSite=Strict"), "{cookie}");
    assert_eq!(status(&dashboard.get(&format!("/login?token={token}"))), 303);
    assert_eq!(status(&dashboard.get("/login?token=wrong")), 401);
}

#[test]
fn every_answer_forbids_scripts_from_elsewhere() {
    let dashboard = Dashboard::new();
    for path in ["/", "/nowhere", "/runs/1", "/login", "/favicon.ico", "/events"] {
        let reply = dashboard.get(path);
        let policy = reply.headers["content-security-policy"].to_str().unwrap();
        assert!(policy.contains("default-src 'none'") && policy.contains("script-src 'self'"), "{path}");
        assert!(!policy.contains("unsafe"), "{path}");
        let text = reply.text();
        assert!(!text.contains("<script>") && !text.contains(" style=") && !text.contains(" onclick"), "{path}");
    }
}

#[test]
fn assets_are_kept_for_ever_under_their_content() {
    let dashboard = Dashboard::new();
    let page = dashboard.get("/").text();
    let addresses: Vec<_> = page.split('"').filter(|part| part.starts_with("/assets/")).collect();
    assert!(addresses.len() >= 3);
    for address in addresses {
        let reply = dashboard.get(address);
        assert_eq!(status(&reply), 200, "{address}");
        assert!(reply.headers["cache-control"].to_str().unwrap().contains("immutable"));
        assert!(!reply.text().contains("http://") || address.ends_with(".svg"), "{address} names another site");
    }
    for path in
        ["/assets/0/style.css", "/assets/../Cargo.toml", "/assets/x/..%2f..%2fetc%2fpasswd", "/assets//style.css"]
    {
        assert_eq!(status(&dashboard.get(path)), 404, "{path}");
    }
}

#[test]
fn runs_are_deleted_after_a_question() {
    let dashboard = Dashboard::new();
    let (first, second) = (dashboard.add_run("chess", None), dashboard.add_run("chess", None));
    assert_eq!(status(&dashboard.get("/delete")), 422);
    assert!(dashboard.get(&format!("/delete?run={first}")).text().contains("Delete 1 run?"));
    assert_eq!(dashboard.store.runs().unwrap().len(), 2);
    assert_eq!(status(&dashboard.post("/delete", &format!("run={first}"))), 303);
    assert_eq!(dashboard.store.runs().unwrap()[0].id, second);
    assert_eq!(status(&dashboard.post("/delete", &format!("run={first}"))), 404);

    let claim = dashboard.store.claim(second).unwrap();
    assert_eq!(status(&dashboard.post("/delete", &format!("run={second}"))), 409, "a run at work");
    drop(claim);
}

#[test]
fn labels_are_checked_as_on_the_command_line() {
    let dashboard = Dashboard::new();
    let run = dashboard.add_run("chess", None);
    let path = format!("/runs/{run}/label");
    let reply = dashboard.post(&path, "label=17");
    assert!(status(&reply) == 422 && reply.text().contains("not a possible label"));
    assert_eq!(status(&dashboard.post(&path, "label=+king+safety+")), 303);
    assert_eq!(dashboard.store.run(run).unwrap().label.as_deref(), Some("king safety"));
    assert_eq!(status(&dashboard.post(&path, "label=")), 303);
    assert_eq!(dashboard.store.run(run).unwrap().label, None);
}

#[test]
fn a_server_without_a_launcher_starts_nothing() {
    let dashboard = Dashboard::new();
    let run = dashboard.add_run("chess", None);
    for path in ["/start".to_string(), "/start/match".into(), "/start/match/preview".into()] {
        assert_eq!(status(&dashboard.get(&path)), 403, "{path}");
    }
    for path in ["/start/match".to_string(), format!("/runs/{run}/stop"), format!("/runs/{run}/resume")] {
        assert_eq!(status(&dashboard.post(&path, "")), 403, "{path}");
    }
}

#[test]
fn the_list_is_filtered_and_sorted() {
    let dashboard = Dashboard::new();
    for (game, label) in [("chess", "b"), ("breakthrough", "c"), ("chess", "a")] {
        dashboard.add_run(game, Some(label));
    }
    let runs = |query: &str| -> Vec<String> {
        let text = dashboard.get(&format!("/?{query}")).text();
        text.split("id=\"run-")
            .skip(1)
            .filter_map(|part| part.split('"').next())
            .filter(|id| id.parse::<u32>().is_ok())
            .map(String::from)
            .collect()
    };
    assert_eq!(runs(""), ["3", "2", "1"]);
    assert_eq!(runs("game=chess"), ["3", "1"]);
    assert_eq!(runs("sort=label"), ["3", "1", "2"]);
    assert_eq!(runs("sort=-label&game=chess"), ["1", "3"]);
    assert_eq!(runs("text=2"), ["2"]);
    assert_eq!(runs("text=BREAK"), ["2"]);
    assert_eq!(runs("status=finished"), [""; 0]);
    assert!(dashboard.get("/?status=finished").text().contains("No run matches"));
    assert_eq!(runs("page=99"), ["3", "2", "1"]);
}
