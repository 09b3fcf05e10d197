//! A dashboard on a store of its own, asked without a socket.

#![allow(dead_code, reason = "each test uses a part of it")]

use std::sync::Arc;

use hyper::header::{HeaderMap, HeaderName, HeaderValue};
use hyper::{Method, Uri};
use plysmith_store::{Home, NewRun, RunId, Store};
use plysmith_web::launch::{Field, Form, Takes, launcher};
use plysmith_web::shared::Options;
use plysmith_web::{App, Reply, Request, Shared};
use serde_json::json;

/// Text that would be markup, a script, another field or another header if it were not escaped.
pub const HOSTILE: &str = "<script>alert(1)</script>\"' onload=x &amp; \u{1b}[2J\u{202e}";

pub struct Dashboard {
    pub app: App,
    pub store: Arc<Store>,
    _folder: tempfile::TempDir,
}

impl Dashboard {
    /// On an empty store.
    pub fn new() -> Dashboard {
        Dashboard::with(Options::default())
    }

    pub fn with(options: Options) -> Dashboard {
        let folder = tempfile::tempdir().unwrap();
        let store = Arc::new(Store::open(&Home::at(folder.path()).store_path()).unwrap());
        let app = App::new(Shared::new(Arc::clone(&store), options));
        Dashboard { app, store, _folder: folder }
    }

    /// With forms that accept nothing.
    pub fn with_launcher(mut self) -> Dashboard {
        let field = |name: &str, option: Option<&str>, takes| Field {
            name: name.into(),
            option: option.map(String::from),
            help: HOSTILE.into(),
            value_name: "X".into(),
            default: Some(HOSTILE.into()),
            takes,
            is_required: false,
            is_usual: option.is_some(),
        };
        let fields = vec![
            field("a", Some("--a"), Takes::Text),
            field("b", Some("--b"), Takes::Engine),
            field("game", None, Takes::Choice(vec!["chess".into()])),
            field("label", Some("--label"), Takes::Lines),
            field("nodes", Some("--nodes"), Takes::Nothing),
            field("fen", None, Takes::File),
        ];
        let form = Form { command: "match".into(), about: HOSTILE.into(), fields };
        let home = Home::at(self._folder.path());
        let check = Box::new(|words: &[String]| Err(format!("not {}", words.join(" "))));
        self.app.shared.launcher = Some(launcher("/nowhere".as_ref(), home, false, vec![form], check));
        self
    }

    /// Stores a run with an invalid configuration, which can be listed but not shown.
    pub fn add_run(&self, game: &str, label: Option<&str>) -> RunId {
        let new = NewRun {
            kind: "match".into(),
            game: game.into(),
            config: json!({}),
            seed: 1,
            version: "0.2.0".into(),
            command: vec!["plysmith".into(), "match".into(), game.into()],
            parent: None,
        };
        let run = self.store.create_run(&new).unwrap().run();
        self.store.set_label(run, label).unwrap();
        self.app.shared.live.touch();
        run
    }

    pub fn get(&self, path: &str) -> Reply {
        self.ask(Method::GET, path, &[], "")
    }

    /// Sends a form as the dashboard's own pages do.
    pub fn post(&self, path: &str, form: &str) -> Reply {
        let form = format!("form-token={}&{form}", self.app.shared.form_token);
        self.ask(Method::POST, path, &[("origin", "http://127.0.0.1:1")], &form)
    }

    /// Sends a request to `127.0.0.1:1`; headers replace those that a browser would send.
    pub fn ask(&self, method: Method, path: &str, headers: &[(&str, &str)], body: &str) -> Reply {
        let usual = [("host", "127.0.0.1:1"), ("content-type", "application/x-www-form-urlencoded")];
        let mut map = HeaderMap::new();
        for (name, value) in usual.iter().chain(headers) {
            let name = HeaderName::from_bytes(name.as_bytes()).unwrap();
            match HeaderValue::from_str(value) {
                Ok(value) if !value.is_empty() => drop(map.insert(name, value)),
                _ => drop(map.remove(name)),
            }
        }
        match path.parse::<Uri>() {
            Ok(uri) => self.app.answer(Request::new(method, &uri, map, body.as_bytes())),
            Err(_) => self.app.answer(Err(plysmith_web::WebError::bad_request("not an address"))),
        }
    }
}

pub fn status(reply: &Reply) -> u16 {
    reply.status.as_u16()
}
