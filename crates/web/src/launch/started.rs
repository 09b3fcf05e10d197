//! A process that was started from a page.

use std::collections::VecDeque;
use std::io::{BufRead, BufReader, Read};
use std::path::Path;
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use plysmith_engine::process::{NO_ENGINES, STOP_WITH_INPUT};
use plysmith_store::{Home, RunId, Store};

/// Lines of standard error that are kept.
const MOST_LINES: usize = 60;
/// Bytes of a line that are kept.
const MOST_LINE: u64 = 2000;

/// A process that was started from a page.
pub struct Started {
    /// Its arguments.
    pub words: Vec<String>,
    id: u32,
    child: Mutex<Child>,
    /// Closed to stop the process.
    input: Mutex<Option<ChildStdin>>,
    /// The last lines of its standard error.
    said: Arc<Mutex<VecDeque<String>>>,
    /// How it ended: whether well.
    ended: Mutex<Option<bool>>,
    /// The newest run that it was seen to work on.
    run: Mutex<Option<RunId>>,
    /// The newest run of the store before it was started.
    before: Option<RunId>,
}

impl Started {
    /// Starts it. `before` is the newest run of the store.
    pub fn start(
        program: &Path,
        home: &Home,
        folder: &Path,
        words: Vec<String>,
        allow_engines: bool,
        before: Option<RunId>,
    ) -> std::io::Result<Started> {
        let mut command = Command::new(program);
        command.args(&words).current_dir(folder).env("PLYSMITH_HOME", home.folder()).env(STOP_WITH_INPUT, "1");
        if !allow_engines {
            command.env(NO_ENGINES, "1");
        }
        // A group of its own: Ctrl-C in the server's terminal stops it through the server.
        #[cfg(unix)]
        std::os::unix::process::CommandExt::process_group(&mut command, 0);
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::piped()).spawn()?;
        let (id, input, errors) = (child.id(), child.stdin.take(), child.stderr.take());
        let said = Arc::new(Mutex::new(VecDeque::new()));
        if let Some(errors) = errors {
            let said = Arc::clone(&said);
            std::thread::Builder::new().name("started run".to_string()).spawn(move || listen(errors, &said))?;
        }
        let (child, input) = (Mutex::new(child), Mutex::new(input));
        Ok(Started { words, id, child, input, said, ended: Mutex::default(), run: Mutex::default(), before })
    }

    /// Its process number.
    pub fn id(&self) -> u32 {
        self.id
    }

    /// Whether it has ended.
    pub fn has_ended(&self) -> bool {
        let mut ended = locked(&self.ended);
        if ended.is_none() {
            *ended = match locked(&self.child).try_wait() {
                Ok(status) => status.map(|status| status.success()),
                Err(_) => Some(false),
            };
        }
        ended.is_some()
    }

    /// Whether it has ended with an error.
    pub fn has_failed(&self) -> bool {
        self.has_ended() && *locked(&self.ended) == Some(false)
    }

    /// The run that it works on, or worked on when it was last asked.
    pub fn newest_run(&self, store: &Store) -> Option<RunId> {
        let mut run = locked(&self.run);
        if !self.has_ended() {
            let stamps = store.stamps().unwrap_or_default();
            let own =
                stamps.iter().rev().take(64).find(|stamp| store.worker(stamp.run).ok().flatten() == Some(self.id));
            *run = own.map(|stamp| stamp.run).or(*run);
        }
        *run = run.or_else(|| self.finished_run(store));
        *run
    }

    /// The run of a process that ended before anybody saw it at work: one that is newer than the process and has its command.
    fn finished_run(&self, store: &Store) -> Option<RunId> {
        if !self.has_ended() {
            return None;
        }
        let stamps = store.stamps().unwrap_or_default();
        let newer = stamps.iter().map(|stamp| stamp.run).filter(|run| Some(*run) > self.before);
        newer.rev().take(64).find(|run| store.run(*run).is_ok_and(|run| run.command.ends_with(&self.words)))
    }

    /// The last lines of its standard error.
    pub fn said(&self) -> String {
        let lines = locked(&self.said);
        match lines.is_empty() {
            true => "the command ended without a message".to_string(),
            false => lines.iter().map(String::as_str).collect::<Vec<_>>().join("\n"),
        }
    }

    /// Asks it to stop.
    pub fn stop(&self) {
        drop(locked(&self.input).take());
    }

    /// Ends it at once.
    pub fn kill(&self) {
        // It may have ended by itself meanwhile.
        let _ = locked(&self.child).kill();
    }

    /// Waits for its end; false if that has not come by the deadline.
    pub fn wait(&self, deadline: Instant) -> bool {
        while !self.has_ended() {
            if Instant::now() >= deadline {
                return false;
            }
            std::thread::sleep(Duration::from_millis(20));
        }
        true
    }
}

/// Keeps the last lines of standard error.
fn listen(errors: impl Read, said: &Mutex<VecDeque<String>>) {
    let mut reader = BufReader::new(errors);
    loop {
        let mut line = Vec::new();
        match reader.by_ref().take(MOST_LINE).read_until(b'\n', &mut line) {
            Ok(0) | Err(_) => return,
            Ok(_) => {
                let mut said = locked(said);
                said.push_back(String::from_utf8_lossy(&line).trim_end().to_string());
                if said.len() > MOST_LINES {
                    said.pop_front();
                }
            }
        }
    }
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
