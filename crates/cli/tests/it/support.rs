//! A home for each test, and the program run in it.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use serde_json::Value;
use tempfile::TempDir;

pub use crate::skipped::{public_data, skipped};

/// The program under test.
pub const PLYSMITH: &str = env!("CARGO_BIN_EXE_plysmith");

/// Sixteen forced wins in 5 plies on 5×6 boards; its header says how it was made.
pub const SMALL_SUITE: &str = include_str!("small.suite");

/// A discovery that takes a moment, and in which combinations of several generations live.
pub const SMALL_DISCOVERY: &[&str] =
    &["discover", "breakthrough", "--suite", "small.suite", "--nodes", "2000", "--epsilon", "1"];

/// A moment of work: two weights on sixteen problems.
pub const SMALL_TUNING: &[&str] = &[
    "tune",
    "breakthrough",
    "--weights",
    "RdTt,Ud-PP",
    "--suite",
    "small.suite",
    "--nodes",
    "2000",
    "--iterations",
    "6",
];

/// How long any one process may take before a test gives up on it.
pub const PATIENCE: Duration = Duration::from_secs(120);

/// A folder of its own for runs and files; also where the program stands, so that relative paths are the same in all.
pub struct Home {
    folder: TempDir,
}

/// A process that ended.
#[derive(Clone, Debug)]
pub struct Ran {
    pub command: String,
    /// None if a signal ended it.
    pub code: Option<i32>,
    pub stdout: String,
    pub stderr: String,
}

/// A process that may still be at work; it does not outlive its test.
pub struct Running {
    command: String,
    child: Option<Child>,
}

impl Home {
    /// A new one, with the small suite in it.
    pub fn new() -> Home {
        let home = Home { folder: tempfile::tempdir().unwrap() };
        home.file("small.suite", SMALL_SUITE);
        home
    }

    /// The folder.
    pub fn path(&self) -> &Path {
        self.folder.path()
    }

    /// Where the store is.
    pub fn database(&self) -> PathBuf {
        self.path().join("plysmith.db")
    }

    /// Writes a file in it.
    pub fn file(&self, name: &str, contents: impl AsRef<[u8]>) -> PathBuf {
        let path = self.path().join(name);
        fs::write(&path, contents).unwrap();
        path
    }

    /// Reads a file in it.
    pub fn read(&self, name: &str) -> String {
        fs::read_to_string(self.path().join(name)).unwrap()
    }

    /// Any program, with this home.
    pub fn command(&self, program: &str, arguments: &[&str]) -> Command {
        let mut command = Command::new(program);
        command.args(arguments).current_dir(self.path()).stdin(Stdio::null());
        command.env("PLYSMITH_HOME", self.path()).env("RUST_BACKTRACE", "1").env("COLUMNS", "200");
        command
    }

    /// Plysmith, from beginning to end.
    pub fn run(&self, arguments: &[&str]) -> Ran {
        self.start(arguments).end()
    }

    /// Plysmith as a process beside us.
    pub fn start(&self, arguments: &[&str]) -> Running {
        Running::spawn(self.command(PLYSMITH, arguments))
    }

    /// A run as it is exported, without what differs between homes: its number, its times and its words.
    pub fn exported(&self, run: u32) -> Value {
        let mut export = self.run(&["export", &run.to_string()]).ok().json();
        let fields = export.as_object_mut().unwrap();
        for name in ["id", "created_at", "finished_at", "command"] {
            assert!(fields.remove(name).is_some(), "an export has no '{name}'");
        }
        export
    }

    /// The status of a run as `plysmith runs` tells it.
    pub fn status(&self, run: u32) -> String {
        let runs = self.run(&["runs", "--json"]).ok().json();
        let line = runs.as_array().unwrap().iter().find(|line| line["run"] == run);
        line.unwrap_or_else(|| panic!("no run {run} in {runs}"))["status"].as_str().unwrap().to_string()
    }
}

impl Running {
    /// Starts a process whose output is kept.
    pub fn spawn(mut command: Command) -> Running {
        let words = command.get_args().map(|word| word.to_string_lossy().into_owned()).collect::<Vec<_>>().join(" ");
        let child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        Running { command: words, child: Some(child) }
    }

    /// The process id.
    pub fn id(&self) -> u32 {
        self.child.as_ref().unwrap().id()
    }

    /// Whether it has ended by itself.
    pub fn has_ended(&mut self) -> bool {
        self.child.as_mut().unwrap().try_wait().unwrap().is_some()
    }

    /// kill -9.
    pub fn kill(mut self) -> Ran {
        let mut child = self.child.take().unwrap();
        child.kill().unwrap();
        Ran::of(&self.command, child.wait_with_output().unwrap())
    }

    /// Sends signals one right after the other, by name.
    pub fn signal(&self, names: &[&str]) {
        let sends: Vec<_> = names.iter().map(|name| format!("kill -{name} {}", self.id())).collect();
        let status = Command::new("sh").args(["-c", &sends.join("; ")]).status().unwrap();
        assert!(status.success(), "cannot send {names:?}");
    }

    /// Waits for its end.
    pub fn end(self) -> Ran {
        self.end_within(PATIENCE)
    }

    /// Waits for its end, but not for longer than this.
    pub fn end_within(mut self, patience: Duration) -> Ran {
        let child = self.child.take().unwrap();
        let (id, command) = (child.id(), self.command.clone());
        let (send, receive) = std::sync::mpsc::channel();
        // Output is read while we wait: a pipe holds only so much.
        std::thread::spawn(move || send.send(child.wait_with_output()));
        match receive.recv_timeout(patience) {
            Ok(output) => Ran::of(&command, output.unwrap()),
            Err(_) => {
                let _ = Command::new("kill").args(["-9", &id.to_string()]).status();
                panic!("`{command}` did not end within {patience:?}");
            }
        }
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        if let Some(child) = &mut self.child {
            // It may have ended already.
            let _ = child.kill();
            let _ = child.wait();
        }
    }
}

impl Ran {
    /// What came of a process.
    pub fn of(command: &str, output: Output) -> Ran {
        Ran {
            command: command.to_string(),
            code: output.status.code(),
            stdout: String::from_utf8(output.stdout).expect("the output is text"),
            stderr: String::from_utf8(output.stderr).expect("messages are text"),
        }
    }

    /// It ended well, without a word on standard error that should worry anybody.
    #[track_caller]
    pub fn ok(self) -> Ran {
        assert_eq!(self.code, Some(0), "{self:?}");
        self.is_calm();
        self
    }

    /// It ended with this code, nothing on standard output, and a message that says all this.
    #[track_caller]
    pub fn fails(self, code: i32, saying: &[&str]) -> Ran {
        assert_eq!(self.code, Some(code), "{self:?}");
        assert_eq!(self.stdout, "", "{self:?}");
        self.says(saying)
    }

    /// Its message says all this, and is a message rather than a crash.
    #[track_caller]
    pub fn says(self, parts: &[&str]) -> Ran {
        self.is_calm();
        assert!(self.stderr.contains("error: ") || self.stderr.contains("interrupted"), "no message: {self:?}");
        for part in parts {
            assert!(self.stderr.contains(part), "no '{part}' in what `{}` says: {}", self.command, self.stderr);
        }
        self
    }

    /// Its standard output has all this.
    #[track_caller]
    pub fn prints(self, parts: &[&str]) -> Ran {
        for part in parts {
            assert!(self.stdout.contains(part), "no '{part}' in what `{}` prints: {}", self.command, self.stdout);
        }
        self
    }

    /// No panic and no backtrace.
    #[track_caller]
    pub fn is_calm(&self) {
        let text = self.stderr.to_lowercase();
        for alarm in ["panicked", "backtrace", "memory allocation of", "aborted"] {
            assert!(!text.contains(alarm), "{self:?}");
        }
    }

    /// Standard output as JSON.
    #[track_caller]
    pub fn json(&self) -> Value {
        serde_json::from_str(&self.stdout).unwrap_or_else(|error| panic!("{error}: {self:?}"))
    }
}

/// Waits until a process has used some processor time, which the start of the program does not take.
///
/// Time on the clock says nothing about a process on a busy machine. Where there is no `/proc`, it must do.
pub fn wait_until_at_work(process: u32) {
    const TICKS: u64 = 30; // hundredths of a second
    let file = PathBuf::from(format!("/proc/{process}/stat"));
    if !file.exists() {
        return sleep(Duration::from_secs(2));
    }
    let deadline = Instant::now() + PATIENCE;
    while Instant::now() < deadline {
        // Behind the name in brackets the first field is the state, and the twelfth the time in user code.
        let line = fs::read_to_string(&file).unwrap();
        let fields: Vec<_> = line[line.rfind(')').unwrap() + 2..].split(' ').collect();
        if fields[11].parse::<u64>().unwrap() >= TICKS {
            return;
        }
        sleep(Duration::from_millis(5));
    }
    panic!("process {process} does not get to work");
}

/// The names in a list of objects that each have one here.
pub fn names<'a>(list: &'a Value, field: &str) -> Vec<&'a str> {
    list.as_array().unwrap().iter().map(|item| item[field].as_str().unwrap()).collect()
}
