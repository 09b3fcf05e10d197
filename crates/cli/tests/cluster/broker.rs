//! A broker of its own for each test, and workers beside it.

use std::fs;
use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use serde_json::Value;
use tempfile::TempDir;

use crate::support::{Home, PATIENCE, PLYSMITH, Running};

/// A nats-server process that does not outlive its test.
pub struct Broker {
    folder: TempDir,
    port: u16,
    settings: String,
    child: Option<Child>,
}

impl Broker {
    /// With the settings that everybody has.
    pub fn start() -> Broker {
        Broker::with("")
    }

    /// With further settings.
    pub fn with(settings: &str) -> Broker {
        let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
        let mut broker =
            Broker { folder: tempfile::tempdir().unwrap(), port, settings: settings.to_string(), child: None };
        broker.revive();
        broker
    }

    pub fn port(&self) -> u16 {
        self.port
    }

    pub fn url(&self) -> String {
        format!("nats://127.0.0.1:{}", self.port)
    }

    /// kill -9.
    pub fn kill(&mut self) {
        if let Some(mut child) = self.child.take() {
            child.kill().unwrap();
            child.wait().unwrap();
        }
    }

    /// Its disk is lost. It must not be running.
    pub fn wipe(&self) {
        assert!(self.child.is_none());
        let _ = fs::remove_dir_all(self.folder.path().join("store"));
    }

    /// Starts it and waits until it listens.
    pub fn revive(&mut self) {
        let store = self.folder.path().join("store");
        let store = if self.settings.contains("jetstream") {
            String::new()
        } else {
            format!("jetstream {{ store_dir: \"{}\" }}\n", store.display())
        };
        let settings = self.settings.replace("STORE", &self.folder.path().join("store").display().to_string());
        let config = format!("listen: 127.0.0.1:{}\n{store}{settings}\n", self.port);
        let file = self.folder.path().join("nats.conf");
        fs::write(&file, config).unwrap();
        let log = fs::OpenOptions::new().append(true).create(true).open(self.folder.path().join("log")).unwrap();
        let mut command = Command::new(server());
        command.arg("-c").arg(&file).stdin(Stdio::null()).stdout(Stdio::null()).stderr(log);
        self.child = Some(command.spawn().unwrap());
        let deadline = Instant::now() + PATIENCE;
        while !self.greets() {
            let ended = self.child.as_mut().unwrap().try_wait().unwrap();
            assert!(ended.is_none() && Instant::now() < deadline, "the broker does not start: {}", self.log());
            sleep(Duration::from_millis(20));
        }
    }

    /// What it has logged.
    pub fn log(&self) -> String {
        fs::read_to_string(self.folder.path().join("log")).unwrap_or_default()
    }

    /// Whether it says what it is.
    fn greets(&self) -> bool {
        let Ok(mut stream) = TcpStream::connect(("127.0.0.1", self.port)) else { return false };
        let _ = stream.set_read_timeout(Some(Duration::from_secs(5)));
        let mut word = [0; 4];
        stream.read_exact(&mut word).is_ok() && word == *b"INFO"
    }

    /// Sends these bytes as a client that speaks the protocol by hand, and reads what comes until the end or a pause.
    pub fn say(&self, bytes: &[u8]) -> String {
        let mut stream = TcpStream::connect(("127.0.0.1", self.port)).unwrap();
        stream.set_read_timeout(Some(Duration::from_secs(2))).unwrap();
        let sent = stream.write_all(b"CONNECT {\"verbose\":false}\r\n").and_then(|()| stream.write_all(bytes));
        // It may hang up on us in the middle.
        let _ = sent.and_then(|()| stream.write_all(b"PING\r\n"));
        let (mut heard, mut buffer) = (Vec::new(), [0; 4096]);
        while !String::from_utf8_lossy(&heard).contains("PONG") {
            match stream.read(&mut buffer) {
                Ok(0) | Err(_) => break,
                Ok(count) => heard.extend_from_slice(&buffer[..count]),
            }
        }
        String::from_utf8_lossy(&heard).into_owned()
    }

    /// A worker with one thread, at this address.
    pub fn worker_at(&self, home: &Home, url: &str, log: &str, misbehaviour: &str) -> Running {
        let mut command = home.command(PLYSMITH, &["worker", "--cluster", url, "--threads", "1", "--log", log]);
        command.env("PLYSMITH_TEST_WORKER", misbehaviour);
        Running::spawn(command)
    }

    /// A worker with one thread.
    pub fn worker(&self, home: &Home, log: &str) -> Running {
        self.worker_at(home, &self.url(), log, "")
    }

    /// The state of the cluster, as soon as this is so.
    pub fn wait_for(&self, home: &Home, what: &str, is_so: impl Fn(&Value) -> bool) -> Value {
        let deadline = Instant::now() + PATIENCE;
        loop {
            let status = home.run(&["cluster", "status", "--cluster", &self.url(), "--json"]).ok().json();
            if is_so(&status) {
                return status;
            }
            assert!(Instant::now() < deadline, "waited for {what} in vain: {status:#}");
            sleep(Duration::from_millis(100));
        }
    }

    /// Waits until this many workers are there.
    pub fn wait_for_workers(&self, home: &Home, count: usize) -> Value {
        self.wait_for(home, "workers", |status| {
            let workers = status["workers"].as_array().unwrap();
            workers.iter().filter(|worker| worker["is_there"] == true).count() >= count
        })
    }
}

impl Drop for Broker {
    fn drop(&mut self) {
        self.kill();
    }
}

/// The server's program: what PLYSMITH_NATS_SERVER names, or what is on the path. `./test` sees to it that it is there.
fn server() -> PathBuf {
    let server = std::env::var_os("PLYSMITH_NATS_SERVER").map_or_else(|| "nats-server".into(), PathBuf::from);
    let version = Command::new(&server).arg("--version").output();
    let version = version.map(|output| String::from_utf8_lossy(&output.stdout).into_owned()).unwrap_or_default();
    let mut numbers = version.rsplit('v').next().unwrap_or("").split('.').map(|part| part.trim().parse::<u32>());
    let is_new = matches!((numbers.next(), numbers.next()), (Some(Ok(2)), Some(Ok(minor))) if minor >= 12);
    assert!(
        is_new,
        "the cluster's tests need nats-server 2.12 or newer, and '{}' says '{version}'; ./test installs it, or set \
         PLYSMITH_NATS_SERVER to it",
        server.display()
    );
    server
}
