//! An engine in another process, isolated from this one.
//!
//! | hazard | protection |
//! | --- | --- |
//! | it outlives this process, even after `kill -9` | it runs under a [`guard`] in its own process group; dropping a [`Process`] kills the group |
//! | it does not read its standard input | a thread writes; a full queue is a fault |
//! | it writes endlessly, or without a newline | lines have a maximum length and are read only when a line is waited for, so the engine blocks and our memory does not grow |
//! | it fills standard error | a thread reads it and keeps the last lines |
//! | it dies | the end of its output and its exit are distinguished from silence |
//! | a fault has to be explained | the last lines of both directions are kept, and every error carries them |
//!
//! No shell is involved. The exit code after `quit` is ignored: some engines die by a signal then.

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
    /// Under a guard, which kills it when this process ends. The guard is this program, started again; its `main` must
    /// call [`guard::run_if_asked`] first. Outside Linux there is no guard, and this is [`SpawnMode::Direct`].
    Guarded,
    /// As a plain child process: for programs that cannot be a guard, such as tests.
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

/// The length of the queue of commands.
const UNREAD_COMMANDS: usize = 64;
/// Lines that are read from an engine that closed its input.
const LAST_LINES: usize = 100;
/// The time an engine that closed its output or its input has to exit. A loaded machine takes a while to end a process.
const EXIT_GRACE: Duration = Duration::from_secs(2);
/// The time an engine has to exit after `quit`.
const QUIT_GRACE: Duration = Duration::from_millis(500);
/// How often the writer checks whether its pipe was closed while it has nothing to write.
const PIPE_CHECK: Duration = Duration::from_millis(200);
/// How often a reader checks whether the engine closed its input.
const INPUT_CHECK: Duration = Duration::from_millis(50);

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
        // From here on every error must end the process.
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

    /// Sends a command.
    pub fn send(&mut self, line: &str) -> Result<(), EngineError> {
        // A command is one line, whatever the caller was given.
        let line: String = line.chars().map(|letter| if letter.is_control() { ' ' } else { letter }).collect();
        self.last_command.clone_from(&line);
        self.log.said_to(&line);
        match self.writer.try_send(line) {
            Ok(()) => Ok(()),
            Err(TrySendError::Full(_)) => Err(self.error(Fault::StdinBlocked)),
            Err(TrySendError::Disconnected(_)) => Err(self.write_failure()),
        }
    }

    /// The next line of its output; none if there is none until then.
    pub fn receive(&mut self, until: Instant) -> Result<Option<EngineLine>, EngineError> {
        loop {
            match self.output.next(until.min(Instant::now() + INPUT_CHECK)) {
                NextLine::Line(heard) => return Ok(Some(heard)),
                NextLine::Over => return Err(self.death()),
                NextLine::Nothing if self.log.is_stdin_closed() => return Err(self.write_failure()),
                NextLine::Nothing if Instant::now() >= until => return Ok(None),
                NextLine::Nothing => {}
            }
        }
    }

    /// Sends `quit`, waits shortly, and kills what is left of the process group.
    pub fn quit(mut self) {
        if self.send("quit").is_ok() {
            self.has_ended_by(Instant::now() + QUIT_GRACE);
        }
    }

    /// The error for a fault of this engine, with the last lines of both directions.
    pub fn error(&self, fault: Fault) -> EngineError {
        EngineError::new(&self.name, &self.last_command, fault, &self.log)
    }

    /// The error of an engine that was silent for this long.
    pub fn silent(&self, waited: Duration) -> EngineError {
        self.error(Fault::Silent { waited, bytes: self.bytes_heard() })
    }

    /// The number of bytes of its output so far, lines or not.
    pub fn bytes_heard(&self) -> u64 {
        self.log.bytes()
    }

    /// The error of an engine that cannot be written to: it is dead, or it closed its input.
    fn write_failure(&mut self) -> EngineError {
        // Its last lines are part of the error; an endless output is not waited for.
        (0..LAST_LINES).find(|_| !matches!(self.output.next(Instant::now()), NextLine::Line(_)));
        if self.has_ended_by(Instant::now() + EXIT_GRACE) { self.death() } else { self.error(Fault::StdinBlocked) }
    }

    /// The error of an engine that closed its output.
    fn death(&mut self) -> EngineError {
        let has_ended = self.has_ended_by(Instant::now() + EXIT_GRACE);
        let status = self.end();
        let how = match status {
            Some(status) if has_ended => ending(status),
            _ => "closed its output and lived on; killed".to_string(),
        };
        // Lines on standard error may still arrive.
        self.log.wait_for_errors(EXIT_GRACE);
        self.error(Fault::Died { how })
    }

    /// Whether it ends before the deadline. It is not reaped, so its id still names its group.
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

    /// Kills its process group and reaps it.
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

/// Kills a child that is not reaped, and its process group: as long as the leader is not reaped, no other group can have
/// its id.
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
            let is_taken = match commands.recv_timeout(PIPE_CHECK) {
                Ok(command) => stdin.write_all((command + "\n").as_bytes()).and_then(|()| stdin.flush()).is_ok(),
                Err(RecvTimeoutError::Timeout) => !is_closed(&stdin),
                Err(RecvTimeoutError::Disconnected) => return,
            };
            if !is_taken {
                log.set_stdin_closed();
                return;
            }
        }
    }
}

/// Whether the reader of this pipe closed it. What was written before is lost without an error.
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
                log.stderr_line(&text);
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
