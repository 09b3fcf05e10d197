//! `plysmith serve` as a process: who may reach it, and what becomes of the runs that were started from its pages.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

use serde_json::Value;

/// Only a failing test waits that long.
const PATIENCE: Duration = Duration::from_secs(180);

fn program(home: &Path) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_plysmith"));
    command.env("PLYSMITH_HOME", home).stdin(Stdio::null());
    command
}

fn run(home: &Path, arguments: &[&str]) -> Output {
    program(home).args(arguments).output().unwrap()
}

fn said(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

/// A server; it is killed when this is dropped.
struct Server {
    process: Child,
    host: String,
}

impl Server {
    fn start(home: &Path, arguments: &[&str]) -> Server {
        let mut command = program(home);
        command.args(["serve", "--address", "127.0.0.1:0", "--json"]).args(arguments).stdout(Stdio::piped());
        let mut process = command.spawn().unwrap();
        let mut json = String::new();
        let mut reader = BufReader::new(process.stdout.take().unwrap());
        while !json.trim_end().ends_with('}') {
            assert!(reader.read_line(&mut json).unwrap() > 0, "the server says where it listens");
        }
        let listening: Value = serde_json::from_str(&json).unwrap();
        Server { process, host: listening["address"].as_str().unwrap().to_string() }
    }

    /// The status and the whole answer.
    fn ask(&self, head: &str, body: &str) -> (u16, String) {
        let mut stream = TcpStream::connect(&self.host).unwrap();
        stream.set_read_timeout(Some(PATIENCE)).unwrap();
        let (host, length) = (&self.host, body.len());
        write!(stream, "{head}\r\nHost: {host}\r\nConnection: close\r\nContent-Length: {length}\r\n\r\n{body}")
            .unwrap();
        let mut text = String::new();
        stream.read_to_string(&mut text).unwrap();
        (text.split(' ').nth(1).unwrap().parse().unwrap(), text)
    }

    fn get(&self, path: &str) -> (u16, String) {
        self.ask(&format!("GET {path} HTTP/1.1"), "")
    }

    /// Sends a form as a page of the server does.
    fn post(&self, path: &str, form: &str) -> (u16, String) {
        let page = self.get("/start/match").1;
        let token = page.split("name=\"form-token\" value=\"").nth(1).and_then(|rest| rest.split('"').next()).unwrap();
        let kind = "Content-Type: application/x-www-form-urlencoded";
        let head = format!("POST {path} HTTP/1.1\r\nOrigin: http://{}\r\n{kind}", self.host);
        self.ask(&head, &format!("form-token={token}&{form}"))
    }

    /// Starts a match that takes hours; the run's number.
    fn start_match(&self) -> String {
        let form = "game=breakthrough&a=classic%2BRdTt%400.5&b=classic&games=1000000&nodes=20000&threads=1";
        let (status, answer) = self.post("/start/match", form);
        assert_eq!(status, 303, "{answer}");
        let to = answer.lines().find_map(|line| line.strip_prefix("location: /runs/")).unwrap();
        to.trim().to_string()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// Waits until a run has this status.
fn wait_for_status(home: &Path, run_number: &str, wanted: &str) {
    let deadline = Instant::now() + PATIENCE;
    let number: u64 = run_number.parse().unwrap();
    loop {
        let shown = run(home, &["runs", "--json"]);
        let runs: Vec<Value> = serde_json::from_slice(&shown.stdout).unwrap();
        let status = runs.iter().find(|line| line["run"] == number).map(|line| line["status"].clone());
        if status == Some(wanted.into()) {
            return;
        }
        assert!(Instant::now() < deadline, "run {run_number} is {status:?}, not {wanted}");
        std::thread::sleep(Duration::from_millis(100));
    }
}

#[test]
fn other_machines_need_a_token() {
    let folder = tempfile::tempdir().unwrap();
    let open = run(folder.path(), &["serve", "--address", "0.0.0.0:0"]);
    assert!(open.status.code() == Some(2) && said(&open).contains("--token-file"), "{}", said(&open));
    let file = folder.path().join("token");
    std::fs::write(&file, "short\n").unwrap();
    let short = run(folder.path(), &["serve", "--address", "127.0.0.1:0", "--token-file", file.to_str().unwrap()]);
    assert!(short.status.code() == Some(2) && said(&short).contains("at least"), "{}", said(&short));
}

#[test]
fn a_token_is_made_once_and_asked_for() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("token");
    let name = file.to_str().unwrap();
    let mut tokens = Vec::new();
    for _ in 0..2 {
        let server = Server::start(folder.path(), &["--token-file", name]);
        let token = std::fs::read_to_string(&file).unwrap().trim().to_string();
        assert_eq!(server.get("/").0, 401);
        assert_eq!(server.ask(&format!("GET / HTTP/1.1\r\nAuthorization: Bearer {token}"), "").0, 200);
        tokens.push(token);
    }
    assert!(tokens[0] == tokens[1] && tokens[0].len() == 32);
    #[cfg(unix)]
    {
        let mode = std::os::unix::fs::PermissionsExt::mode(&std::fs::metadata(&file).unwrap().permissions());
        assert_eq!(mode & 0o777, 0o600);
    }
}

#[test]
fn an_address_that_is_taken_is_said() {
    let folder = tempfile::tempdir().unwrap();
    let server = Server::start(folder.path(), &[]);
    let second = run(folder.path(), &["serve", "--address", &server.host]);
    assert!(second.status.code() == Some(2) && said(&second).contains("cannot listen on"), "{}", said(&second));
}

#[test]
fn runs_stop_with_the_page_and_with_the_server() {
    let folder = tempfile::tempdir().unwrap();
    let home = folder.path();
    let server = Server::start(home, &[]);
    let number = server.start_match();
    assert!(server.get(&format!("/runs/{number}/head")).1.contains("Stop"));
    assert_eq!(server.post(&format!("/runs/{number}/stop"), "").0, 303);
    wait_for_status(home, &number, "interrupted");
    assert_eq!(server.post(&format!("/runs/{number}/resume"), "").0, 303);
    wait_for_status(home, &number, "running");
    assert_eq!(server.post(&format!("/runs/{number}/resume"), "").0, 409, "it is at work");
    // Killed, so that it cannot tell anybody.
    drop(server);
    wait_for_status(home, &number, "interrupted");

    // A run of the command line belongs to nobody else.
    let server = Server::start(home, &[]);
    let mut other = program(home);
    let mut other = other.args(["resume", &number, "--threads", "1"]).stderr(Stdio::null()).spawn().unwrap();
    wait_for_status(home, &number, "running");
    assert_eq!(server.post(&format!("/runs/{number}/stop"), "").0, 409);
    assert!(!server.get(&format!("/runs/{number}/head")).1.contains(">Stop<"));
    other.kill().unwrap();
    other.wait().unwrap();
}

#[test]
fn engines_are_not_started_unless_that_is_allowed() {
    let folder = tempfile::tempdir().unwrap();
    let server = Server::start(folder.path(), &[]);
    let marker = folder.path().join("started");
    let engine = format!("uci:touch {}", marker.display()).replace(':', "%3A").replace('/', "%2F").replace(' ', "+");
    for form in [format!("game=chess&a=modern&b={engine}"), format!("game=chess&a={engine}&b=modern")] {
        let (status, answer) = server.post("/start/match", &form);
        assert!(status == 422 && answer.contains("--allow-engines"), "{status}: {answer}");
    }
    // The process itself refuses too: forms are not the only way to an engine.
    let mut command = program(folder.path());
    command.env("PLYSMITH_NO_ENGINES", "1").args(["match", "chess", "--a", "modern", "--games", "2", "--b"]);
    let refused = command.arg(format!("uci:touch {}", marker.display())).output().unwrap();
    assert!(!refused.status.success() && said(&refused).contains("PLYSMITH_NO_ENGINES"), "{}", said(&refused));
    assert!(!marker.exists());
}

#[test]
fn forms_reach_no_other_file() {
    let folder = tempfile::tempdir().unwrap();
    let server = Server::start(folder.path(), &[]);
    for form in [
        "suite=%2Fetc%2Fpasswd",
        "suite=..%2F..%2Fetc%2Fpasswd",
        "preset=modern,eval%3D%2Fetc%2Fpasswd",
        "base=@%2Fetc%2Fpasswd",
    ] {
        let (status, answer) = server.post("/start/discover", &format!("game=chess&{form}"));
        assert!(status == 422 && !answer.contains("root:"), "{form}: {status}");
    }
    let files = folder.path().join("files");
    std::fs::create_dir_all(&files).unwrap();
    std::fs::write(files.join("mine.epd"), "nonsense\n").unwrap();
    assert!(server.get("/start/discover").1.contains("mine.epd"));
    let (status, answer) = server.post("/start/discover", "game=chess&suite=mine.epd");
    assert!(status == 422 && answer.contains("mine.epd"), "{status}: {answer}");
}
