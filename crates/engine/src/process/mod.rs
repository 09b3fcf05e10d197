//! A foreign engine as a process that cannot hurt us.
//!
//! | danger | answer |
//! | --- | --- |
//! | it outlives us, even after `kill -9` | it runs under a [`guard`] in a process group of its own; dropping a [`Process`] kills the group |
//! | it does not read what it is told | a thread writes; when its small queue is full, that is a fault |
//! | it talks without an end, or without a newline | lines have an upper length, and are read by whoever waits for one, so that the engine waits, not our memory |
//! | it fills standard error | a thread reads it and keeps the last lines |
//! | it dies | the end of its output and its exit are told apart from silence |
//! | nobody knows what happened | the last lines of both directions are kept, and every error carries them |
//!
//! No shell is involved. After `quit` the exit code means nothing: some engines die by a signal then.

mod command;
mod error;
pub mod guard;
mod log;
mod output;
mod watchdog;

use std::io::{BufReader, Read, Write};
use std::process::{Child, ChildStdin, Command, ExitStatus, Stdio};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, TrySendError, sync_channel};
use std::thread::{Builder, sleep};
use std::time::{Duration, Instant};

use crate::lines::{InputLine, LineReader};

pub use command::{CommandError, EngineCommand};
pub use error::{EngineError, Fault};
use log::ProcessLog;
pub use output::EngineLine;
use output::{EngineOutput, NextLine};
pub use watchdog::{ExpectedSearch, POLL_INTERVAL, Watchdog, most_nodes};

/// How an engine is started.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum SpawnMode {
    /// Under a guard, which kills it when we are gone: this program, started again. Its `main` must call
    /// [`guard::run_if_asked`] first. Where there is no guard (outside Linux), the same as [`SpawnMode::Direct`].
    Guarded,
    /// As a child of ours, and nothing else: for programs that are no guard, such as tests.
    Direct,
}

/// A running engine.
#[derive(Debug)]
pub struct Process {
    name: String,
    child: Child,
    is_reaped: bool,
    writer: SyncSender<String>,
    output: EngineOutput,
    log: Arc<ProcessLog>,
    last_command: String,
}

/// Commands that may wait for the engine to read them.
const UNREAD_COMMANDS: usize = 64;
/// Lines that are read of an engine that takes no more input.
const LAST_WORDS: usize = 100;
/// How long an engine that closed its output or its input may take to be gone.
const EXIT_GRACE: Duration = Duration::from_millis(500);
/// How long an engine may take to leave after `quit`.
const QUIT_GRACE: Duration = Duration::from_millis(500);
/// How often the writer looks whether its pipe was closed while there is nothing to write.
const GLANCE: Duration = Duration::from_millis(200);
/// How often we look whether the engine still takes what we write.
const LOOK: Duration = Duration::from_millis(50);

impl Process {
    /// Starts an engine.
    pub fn start(command: &EngineCommand, spawn_mode: SpawnMode) -> Result<Process, EngineError> {
        let name = command.to_string();
        let fail = |reason: String| EngineError::before_start(&name, Fault::NotStarted { reason });
        let program = command.resolve().map_err(|error| fail(error.to_string()))?;
        let mut start = match (spawn_mode, guard::command()) {
            (SpawnMode::Guarded, Some(mut guard)) => {
                guard.arg(&program);
                guard
            }
            _ => Command::new(&program),
        };
        start.args(&command.arguments).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        #[cfg(unix)]
        std::os::unix::process::CommandExt::process_group(&mut start, 0);
        let mut child = start.spawn().map_err(|error| fail(format!("{}: {error}", program.display())))?;
        let pipes = (child.stdin.take(), child.stdout.take(), child.stderr.take());
        // Whatever goes wrong from here on, the engine must not stay behind.
        let give_up = |mut child: Child, reason: String| {
            kill_group(&mut child);
            let _ = child.wait();
            fail(reason)
        };
        let (Some(stdin), Some(stdout), Some(stderr)) = pipes else {
            return Err(give_up(child, "it has no pipes".to_string()));
        };
        let log = Arc::new(ProcessLog::default());
        let (writer, commands) = sync_channel(UNREAD_COMMANDS);
        let output = EngineOutput::new(stdout, Arc::clone(&log)).and_then(|output| {
            spawn("engine input", write_commands(stdin, commands, Arc::clone(&log)))?;
            spawn("engine errors", read_errors(stderr, Arc::clone(&log)))?;
            Ok(output)
        });
        match output {
            Err(error) => Err(give_up(child, format!("no thread for it: {error}"))),
            Ok(output) => {
                let last_command = "being started".to_string();
                Ok(Process { name, child, is_reaped: false, writer, output, log, last_command })
            }
        }
    }

    /// Its command line.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Its process id: the guard's, if there is one. Also the id of the process group.
    pub fn id(&self) -> u32 {
        self.child.id()
    }

    /// Tells it something.
    pub fn send(&mut self, line: &str) -> Result<(), EngineError> {
        // One command is one line, whatever the caller was given.
        let line: String = line.chars().map(|letter| if letter.is_control() { ' ' } else { letter }).collect();
        self.last_command.clone_from(&line);
        self.log.said_to(&line);
        match self.writer.try_send(line) {
            Ok(()) => Ok(()),
            Err(TrySendError::Full(_)) => Err(self.error(Fault::StdinBlocked)),
            Err(TrySendError::Disconnected(_)) => Err(self.deaf_or_dead()),
        }
    }

    /// The next line it says; none if there is none by then.
    pub fn receive(&mut self, until: Instant) -> Result<Option<EngineLine>, EngineError> {
        loop {
            match self.output.next(until.min(Instant::now() + LOOK)) {
                NextLine::Line(heard) => return Ok(Some(heard)),
                NextLine::Over => return Err(self.death()),
                NextLine::Nothing if self.log.is_deaf() => return Err(self.deaf_or_dead()),
                NextLine::Nothing if Instant::now() >= until => return Ok(None),
                NextLine::Nothing => {}
            }
        }
    }

    /// Says `quit` and gives it a moment; what is left of it then is killed. How it ends does not matter.
    pub fn quit(mut self) {
        if self.send("quit").is_ok() {
            self.has_ended_by(Instant::now() + QUIT_GRACE);
        }
    }

    /// A fault of this engine, with what was said last.
    pub fn error(&self, fault: Fault) -> EngineError {
        EngineError::new(&self.name, &self.last_command, fault, &self.log)
    }

    /// The error of an engine that was silent for this long.
    pub fn silent(&self, waited: Duration) -> EngineError {
        self.error(Fault::Silent { waited, bytes: self.bytes_heard() })
    }

    /// How many bytes it has said so far, lines or not.
    pub fn bytes_heard(&self) -> u64 {
        self.log.bytes()
    }

    /// It does not take what we write: because it is dead, or because it closed its input.
    fn deaf_or_dead(&mut self) -> EngineError {
        // Its last words are part of the error; who talks without an end is not waited for.
        (0..LAST_WORDS).find(|_| !matches!(self.output.next(Instant::now()), NextLine::Line(_)));
        if self.has_ended_by(Instant::now() + EXIT_GRACE) { self.death() } else { self.error(Fault::StdinBlocked) }
    }

    /// It has closed its output: dead, or as good as that.
    fn death(&mut self) -> EngineError {
        let has_ended = self.has_ended_by(Instant::now() + EXIT_GRACE);
        let status = self.end();
        let how = match status {
            Some(status) if has_ended => ending(status),
            _ => "closed its output and lived on; killed".to_string(),
        };
        // What it said on standard error may still be on its way.
        self.log.wait_for_errors(EXIT_GRACE);
        self.error(Fault::Died { how })
    }

    /// Whether it has ended, or does so in time. It is not reaped, so its id still names its group.
    fn has_ended_by(&mut self, deadline: Instant) -> bool {
        let mut pause = Duration::from_micros(200);
        while !self.has_ended() {
            if Instant::now() >= deadline {
                return false;
            }
            sleep(pause);
            pause = (pause * 2).min(Duration::from_millis(20));
        }
        true
    }

    #[cfg(unix)]
    fn has_ended(&mut self) -> bool {
        use rustix::process::{Pid, WaitId, WaitIdOptions, waitid};
        let options = WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
        let Some(id) = Pid::from_raw(self.child.id() as i32) else { return true };
        self.is_reaped || !matches!(waitid(WaitId::Pid(id), options), Ok(None))
    }

    #[cfg(not(unix))]
    fn has_ended(&mut self) -> bool {
        self.is_reaped || !matches!(self.child.try_wait(), Ok(None))
    }

    /// Kills what is left of it and its children, and reaps it.
    fn end(&mut self) -> Option<ExitStatus> {
        if !self.is_reaped {
            kill_group(&mut self.child);
        }
        self.is_reaped = true;
        self.child.wait().ok()
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        self.end();
    }
}

/// Kills a child that is not reaped and all of its group: as long as the leader is not reaped, no other group can
/// have its id.
fn kill_group(child: &mut Child) {
    #[cfg(unix)]
    if let Some(group) = rustix::process::Pid::from_raw(child.id() as i32) {
        let _ = rustix::process::kill_process_group(group, rustix::process::Signal::KILL);
    }
    let _ = child.kill();
}

fn spawn(name: &str, work: impl FnOnce() + Send + 'static) -> std::io::Result<()> {
    Builder::new().name(name.to_string()).spawn(work).map(|_| ())
}

fn write_commands(mut stdin: ChildStdin, commands: Receiver<String>, log: Arc<ProcessLog>) -> impl FnOnce() + Send {
    move || {
        loop {
            let is_taken = match commands.recv_timeout(GLANCE) {
                Ok(command) => stdin.write_all((command + "\n").as_bytes()).and_then(|()| stdin.flush()).is_ok(),
                Err(RecvTimeoutError::Timeout) => !is_closed(&stdin),
                Err(RecvTimeoutError::Disconnected) => return,
            };
            if !is_taken {
                log.set_deaf();
                return;
            }
        }
    }
}

/// Whether nobody can read this pipe any more. What was written before its reader closed it is lost without a word.
#[cfg(unix)]
fn is_closed(stdin: &ChildStdin) -> bool {
    use rustix::event::{PollFd, PollFlags, Timespec, poll};
    let mut pipe = [PollFd::new(stdin, PollFlags::empty())];
    let at_once = Timespec { tv_sec: 0, tv_nsec: 0 };
    poll(&mut pipe, Some(&at_once)).is_ok() && pipe[0].revents().intersects(PollFlags::ERR)
}

#[cfg(not(unix))]
fn is_closed(_: &ChildStdin) -> bool {
    false
}

fn read_errors(stderr: impl Read + Send + 'static, log: Arc<ProcessLog>) -> impl FnOnce() + Send {
    move || {
        let mut lines = LineReader::new(BufReader::new(stderr));
        while let Ok(Some(line)) = lines.read() {
            if let InputLine::Whole(text) = line {
                log.complained(&text);
            }
        }
        log.set_errors_over();
    }
}

/// How a process ended, in words. The guard reports a signal as shells do: 128 and its number.
fn ending(status: ExitStatus) -> String {
    #[cfg(unix)]
    if let Some(signal) = std::os::unix::process::ExitStatusExt::signal(&status) {
        return format!("killed by signal {signal}");
    }
    match status.code() {
        Some(code @ 129..160) => format!("killed by signal {}", code - 128),
        Some(code) => format!("exit code {code}"),
        None => "for no known reason".to_string(),
    }
}
